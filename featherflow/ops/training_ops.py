"""Updates of variables by optimisers: `ApplyX` on ref variables, `ResourceApplyX` on handles."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import optimizer_updates
from featherflow.kernels.variable_scatter import check_rows
from featherflow.ops.resource_variable_ops import handle_shape

_NUMBERS = (
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_ASSIGNMENT = "assignments are not differentiable"

Update = Callable[..., None]


def _define_apply(
    name: str,
    cells: tuple[str, ...],
    scalars_and_grad: tuple[str, ...],
    update: Update,
    extra_attrs: tuple[str, ...] = (),
) -> tuple[Op, Op]:
    """The op `name` on ref variables, and `Resource…name` on handles.

    Args:
      cells: the arguments that are variables: the one trained, then its slots.
      scalars_and_grad: the other arguments in order, "indices" among them for sparse updates.
      update: the arithmetic on their arrays.
    """
    sparse = "indices" in scalars_and_grad
    values = tuple(
        f"{arg}: Tindices" if arg == "indices" else f"{arg}: T" for arg in scalars_and_grad
    )
    attrs = (_NUMBERS, *(("Tindices: {int32, int64}",) if sparse else ()))
    attrs = (*attrs, "use_locking: bool = false", *extra_attrs)
    on_refs = define_op(
        name,
        inputs=(*(f"{cell}: Ref(T)" for cell in cells), *values),
        outputs=("out: Ref(T)",),
        attrs=attrs,
    )
    on_handles = define_op(
        f"Resource{name}",
        inputs=(*(f"{cell}: resource" for cell in cells), *values),
        attrs=attrs,
        is_stateful=True,
    )
    _hang_rules(on_refs, len(cells), scalars_and_grad, update, "use_nesterov" in str(extra_attrs))
    _hang_rules(
        on_handles, len(cells), scalars_and_grad, update, "use_nesterov" in str(extra_attrs)
    )
    return on_refs, on_handles


def _hang_rules(
    op: Op, cell_count: int, others: tuple[str, ...], update: Update, has_nesterov: bool
) -> None:
    """Shape function and kernel of one of the pair."""
    returns_ref = bool(op.op_def.outputs)

    @op.shape_fn
    def _apply_shape(c: InferenceContext) -> list[TensorShape]:
        shapes = c.shapes[:1] if returns_ref else [handle_shape(c.inputs[0])]
        for index in range(1, cell_count):
            slot = c.shapes[index] if returns_ref else handle_shape(c.inputs[index])
            shapes[0] = c.merge(shapes[0], slot)
        for index, argument in enumerate(others, cell_count):
            if argument in ("grad", "delta"):
                if "indices" not in others:
                    c.merge(shapes[0], c.shapes[index])
            elif argument != "indices":
                c.with_rank(index, 0)
        return shapes if returns_ref else []

    def apply(inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        cells, values = inputs[:cell_count], inputs[cell_count:]
        with ExitStack() as locks:
            for cell in sorted(set(cells), key=id):  # in one order: two steps must not deadlock
                locks.enter_context(cell.lock)
            arrays = [_writable(cell, in_place=returns_ref) for cell in cells]
            _check(arrays, dict(zip(others, values)))
            update(*arrays, *values, **attrs)
        return cells[0] if returns_ref else None

    if has_nesterov:

        @op.kernel("CPU")
        def _apply_nesterov_cpu(*inputs: Any, use_nesterov: bool) -> Any:
            return apply(inputs, {"use_nesterov": use_nesterov})

    else:

        @op.kernel("CPU")
        def _apply_cpu(*inputs: Any) -> Any:
            return apply(inputs, {})

    op.not_differentiable(_ASSIGNMENT)


def _writable(cell: VariableCell, in_place: bool) -> np.ndarray:
    """The array of a variable whose lock is held; a copy if a reader holds a resource's array."""
    array = cell.read()
    del array  # it would count as a reader
    if not in_place and cell.is_shared():
        cell.value = cell.read().copy()
    return cell.read()


def _check(arrays: list[np.ndarray], values: dict[str, np.ndarray]) -> None:
    for array in arrays[1:]:
        if array.shape != arrays[0].shape:
            _refuse("var and its slots do not have the same shape", arrays[0], array)
    for name, value in values.items():
        if name in ("grad", "delta"):
            expected = arrays[0].shape
            if "indices" in values:
                expected = values["indices"].shape + expected[1:]
            if value.shape != expected:
                _refuse(f"var and {name} do not have matching shapes", arrays[0], value)
        elif name == "indices":
            check_rows(value, arrays[0].shape[0])
        elif value.ndim:
            raise InvalidArgumentError(
                None, None, f"{name} is not a scalar", received=f"shape {list(value.shape)}"
            )


def _refuse(message: str, var: np.ndarray, other: np.ndarray) -> None:
    raise InvalidArgumentError(
        None, None, message, received=f"{list(var.shape)} and {list(other.shape)}"
    )


_NESTEROV = ("use_nesterov: bool = false",)

ApplyGradientDescent, ResourceApplyGradientDescent = _define_apply(
    "ApplyGradientDescent", ("var",), ("alpha", "delta"), optimizer_updates.gradient_descent
)
ApplyMomentum, ResourceApplyMomentum = _define_apply(
    "ApplyMomentum",
    ("var", "accum"),
    ("lr", "grad", "momentum"),
    optimizer_updates.momentum,
    _NESTEROV,
)
SparseApplyMomentum, ResourceSparseApplyMomentum = _define_apply(
    "SparseApplyMomentum",
    ("var", "accum"),
    ("lr", "grad", "indices", "momentum"),
    optimizer_updates.sparse_momentum,
    _NESTEROV,
)
ApplyAdam, ResourceApplyAdam = _define_apply(
    "ApplyAdam",
    ("var", "m", "v"),
    ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"),
    optimizer_updates.adam,
    _NESTEROV,
)
