"""Clipping by norm: `tf.clip_by_norm`, `tf.clip_by_global_norm` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import graph_of, op_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2, Mul, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Greater
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import truediv
from featherflow.ops.exponential_ops import rsqrt, sqrt
from featherflow.ops.extremum_ops import Maximum, Minimum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.identity_ops import identity
from featherflow.ops.l2_loss_ops import L2Loss
from featherflow.ops.pack_ops import stack
from featherflow.ops.range_ops import range_
from featherflow.ops.select_ops import Select
from featherflow.ops.shape_ops import rank, size
from featherflow.ops.sum_ops import reduce_sum


def _values_of(t: Any, name: str) -> Tensor:
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _like(t: Any, values: Tensor) -> Any:
    """`values` as the kind of thing that `t` is."""
    return (
        IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values
    )


@export("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """t · min(1, clip_norm / ‖t‖₂).

    Args:
      t: a tensor or IndexedSlices of floats.
      clip_norm: a positive number, or a tensor that broadcasts to the shape of `t`.
      axes: of the norm; None takes all of them.
      name: of the node.
    Returns:
      The same kind of value as `t`.
    Raises:
      ValueError: `clip_norm` does not broadcast to the shape of `t`.
    """
    with op_scope(name, "clip_by_norm", [t]) as scope:
        values = _values_of(t, "t")
        squares = reduce_sum(Mul(values, values, name="mul"), axes, keepdims=True)
        is_positive = Greater(squares, 0)
        # The square root's derivative at 0 is infinite: zeros do not pass through it.
        safe_squares = Select(is_positive, squares, ones_like(squares))
        norm = Select(is_positive, sqrt(safe_squares), squares)
        scaled = Mul(values, clip_norm, name="mul")
        values.shape.assert_is_compatible_with(scaled.shape)
        clipped = identity(truediv(scaled, Maximum(norm, clip_norm)), name=scope)
    return _like(t, clipped)


@export_v1("clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """t · min(1, clip_norm / (‖t‖₂ / count)).

    Args:
      t: floats.
      clip_norm: a positive number.
      name: of the node.
    """
    with op_scope(name, "clip_by_average_norm", [t]) as scope:
        t = convert_to_tensor(t, name="t")
        count = cast(size(t), dtypes.float32)
        squares = reduce_sum(Mul(t, t, name="mul"), range_(rank(t)))
        inverse_norm = rsqrt(squares)
        scaled = Mul(t, clip_norm, name="mul")
        inverse_average = Mul(inverse_norm, count, name="mul")
        inverse_clip = truediv(constant(1.0), clip_norm)
        factor = Minimum(inverse_average, inverse_clip)
        return identity(Mul(scaled, factor, name="mul"), name=scope)


@export("linalg.global_norm")
@export_v1("global_norm")
def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """√ Σ_t ‖t‖₂², the norm of all tensors as one vector.

    Args:
      t_list: tensors, IndexedSlices or None, which are left out.
      name: of the scope.
    Returns:
      A scalar.
    Raises:
      TypeError: `t_list` is no sequence.
    """
    _check_sequence(t_list)
    with op_scope(name, "global_norm", t_list):
        values = _all_values(t_list)
        halves = [_on_its_device(value, L2Loss) for value in values if value is not None]
        half_of_squares = reduce_sum(stack(halves))
        two = constant(2.0, dtype=half_of_squares.dtype.base_dtype)
        return sqrt(Mul(half_of_squares, two, name="mul"), name="global_norm")


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """t · clip_norm / max(norm, clip_norm) for each t; norm is that of all of them.

    Args:
      t_list: tensors, IndexedSlices or None.
      clip_norm: a positive number.
      use_norm: the norm; None computes `global_norm(t_list)`.
      name: of the scope.
    Returns:
      The clipped values, None where `t_list` has None; and the norm. All are NaN where the norm is
      infinite or NaN.
    Raises:
      TypeError: `t_list` is no sequence.
    """
    _check_sequence(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with op_scope(name, "clip_by_global_norm", t_list) as scope:
        inverse_norm = 1.0 / use_norm
        inverse_clip = truediv(constant(1.0, dtype=use_norm.dtype.base_dtype), clip_norm)
        factor = clip_norm * Minimum(inverse_norm, inverse_clip)  # type: ignore[operator]
        # ∞ − ∞ is NaN: a norm that is not finite spoils all results instead of making them 0.
        scale = AddV2(factor, Sub(use_norm, use_norm, name="sub"), name="add")
        clipped = []
        for index, value in enumerate(_all_values(t_list)):
            if value is None:
                clipped.append(None)
                continue
            named = f"{scope}_{index}"
            scaled = _on_its_device(
                value, lambda v, n=named: identity(Mul(v, scale, name="mul"), name=n)
            )
            clipped.append(_like(t_list[index], scaled))
    return clipped, use_norm


def _check_sequence(t_list: Any) -> None:
    if not isinstance(t_list, Sequence) or isinstance(t_list, (str, bytes)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")


def _all_values(t_list: Sequence[Any]) -> list[Tensor | None]:
    return [None if t is None else _values_of(t, f"t_{index}") for index, t in enumerate(t_list)]


def _on_its_device(value: Tensor, make: Any) -> Tensor:
    with graph_of([value]).colocate_with(value):
        return make(value)
