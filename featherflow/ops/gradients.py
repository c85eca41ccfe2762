"""tf.gradients: the symbolic derivatives of some tensors with respect to others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from enum import Enum
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.backpropagation import Backpropagation, GradientOptions
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import Fill, zeros_like
from featherflow.ops.gradient_aggregation import Gradient, as_dense, check_method
from featherflow.ops.gradient_registry import gradient_source, set_differentiate
from featherflow.ops.identity_ops import identity
from featherflow.ops.shape_ops import shape as shape_of


@export("UnconnectedGradients")
class UnconnectedGradients(Enum):
    """What `tf.gradients` gives for an x that no y depends on: None, or zeros of its shape."""

    NONE = "none"
    ZERO = "zero"


@export_v1("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """`result[i] = Σ_y Σ_j grad_ys[y][j] · ∂ys[y][j] / ∂xs[i]`, j over the elements of y.

    The derivatives are total: paths through other xs count. `stop_gradients` makes them partial.

    Args:
      ys: a tensor, or a list of tensors to differentiate.
      xs: a tensor or variable, or a list of them.
      grad_ys: for each y a tensor of its shape that weighs its elements; None for ones.
      name: of the scope of all nodes made.
      colocate_gradients_with_ops: places gradient nodes with the nodes that they differentiate.
      gate_gradients: uses no gradient of a node before all of that node's are computed.
      aggregation_method: one of tf.AggregationMethod.
      stop_gradients: tensors to treat as constants.
      unconnected_gradients: what to give for an x that no y depends on.
    Returns:
      A list with a Tensor or IndexedSlices for each x, or None where no y depends on it.
    Raises:
      LookupError: an operation between xs and ys has no gradient.
      ValueError: the arguments do not fit together.
      TypeError: a y is complex and its grad_ys is not given, or a weight has another kind.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(3.0)
    ...     print(session.run(tf.gradients(x * x + x, x)[0]))
    7.0
    """
    unconnected = _unconnected(unconnected_gradients)
    options = GradientOptions(
        bool(colocate_gradients_with_ops), bool(gate_gradients), check_method(aggregation_method)
    )
    ys, xs = _flat(ys), _flat(xs)
    stops = _flat([] if stop_gradients is None else stop_gradients)
    weights = [None] * len(ys) if grad_ys is None else _flat(grad_ys)
    if len(weights) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(weights)} grad_ys for {len(ys)} ys")
    with name_scope(name, "gradients", [*ys, *xs, *stops, *weights]) as scope:
        y_tensors = [_as_tensor(y, "y") for y in ys]
        x_tensors = [_differentiated(x) for x in xs]
        stop_tensors = [_as_tensor(item, "stop_gradient") for item in stops]
        graph = y_tensors[0].graph if y_tensors else None
        if graph is None:
            found: list[Gradient | None] = [None] * len(xs)
        else:
            walk = Backpropagation(graph, x_tensors, [item.op for item in stop_tensors], options)
            with gradient_source(scope.rstrip("/")):
                found = walk.run(y_tensors, _weights(y_tensors, weights, options))
    if unconnected is UnconnectedGradients.ZERO:
        return [zeros_like(x) if g is None else g for x, g in zip(x_tensors, found)]
    return found


@export("gradients")
def gradients_v2(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """`result[i] = Σ_y Σ_j grad_ys[y][j] · ∂ys[y][j] / ∂xs[i]`, j over the elements of y.

    Gradient nodes are placed with the nodes that they differentiate. The arguments are those of
    `tf.compat.v1.gradients`.
    """
    return gradients(
        ys,
        xs,
        grad_ys,
        name,
        colocate_gradients_with_ops=True,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        stop_gradients=stop_gradients,
        unconnected_gradients=unconnected_gradients,
    )


set_differentiate(gradients)


def _unconnected(value: UnconnectedGradients | str) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{value}'") from None


def _flat(value: Any) -> list[Any]:
    """The items of a nest of lists and tuples; anything else is one item."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    return [value]


def _as_tensor(value: Any, name: str) -> Tensor:
    return (
        as_dense(value) if isinstance(value, IndexedSlices) else convert_to_tensor(value, name=name)
    )


def _differentiated(x: Any) -> Tensor:
    """The tensor that gradients with respect to `x` meet: of a variable its handle or ref."""
    if x is None:
        raise ValueError("None is not a tensor that a gradient can be taken of.")
    handle = getattr(x, "handle", None)
    if isinstance(handle, Tensor) and not isinstance(x, Tensor):
        return handle
    if isinstance(x, IndexedSlices):
        return x.values
    return convert_to_tensor(x, name="x", as_ref=True)


# --- the gradients that the walk starts with ------------------------------------------------------


def _weights(
    ys: Sequence[Tensor], grad_ys: Sequence[Any], options: GradientOptions
) -> list[Gradient]:
    """The gradient of each y: what the caller gave, else ones."""
    given = [
        None if item is None else _given_weight(item, f"grad_y_{index}")
        for index, item in enumerate(grad_ys)
    ]
    result: list[Gradient] = []
    for index, (y, weight) in enumerate(zip(ys, given)):
        with y.graph.colocate_with(y.op) if options.colocate else nullcontext():
            name = f"grad_ys_{index}"
            if weight is None:
                result.append(_ones(y, name))
            else:
                _check_weight(y, weight)
                result.append(_named(weight, name))
    return result


def _given_weight(weight: Any, name: str) -> Gradient:
    return weight if isinstance(weight, IndexedSlices) else convert_to_tensor(weight, name=name)


def _ones(y: Tensor, name: str) -> Tensor:
    if y.dtype.is_complex:
        raise TypeError(
            f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})"
        )
    with name_scope(name) as scope:
        one = constant(y.dtype.is_bool or 1, dtype=y.dtype.base_dtype)
    return Fill(shape_of(y), one, name=scope)


def _check_weight(y: Tensor, weight: Gradient) -> None:
    """A weight is of the kind of its y: real, complex, or a handle."""
    y_dtype, dtype = y.dtype.base_dtype, weight.dtype.base_dtype
    if y_dtype.is_floating or y_dtype.is_integer:
        fits, wanted = dtype.is_floating or dtype.is_integer, "real or integer"
    elif y_dtype.is_complex:
        fits, wanted = dtype.is_complex, "complex"
    elif y_dtype is dtypes.variant:
        fits, wanted = dtype is dtypes.variant, "variant"
    else:
        raise TypeError(
            f"Tensor {y} with type {y_dtype.name} must be numeric to obtain a default gradient"
        )
    if not fits:
        raise TypeError(
            f"Gradient type {dtype.name} generated for {wanted} tensor {y} with type "
            f"{y_dtype.name} must be {wanted}"
        )


def _named(weight: Gradient, name: str) -> Gradient:
    if isinstance(weight, IndexedSlices):
        return IndexedSlices(
            identity(weight.values, name=f"{name}_values"),
            identity(weight.indices, name=f"{name}_indices"),
            weight.dense_shape,
        )
    return identity(weight, name=name)
