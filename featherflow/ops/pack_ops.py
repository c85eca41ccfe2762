"""Pack and Unpack: tensors joined along a new dimension and taken apart; lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes, tensor_conversion
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.axes import normalize_axis
from featherflow.ops.cast_ops import Cast
from featherflow.ops.constant_ops import constant

# --- Pack -----------------------------------------------------------------------------------------

Pack = define_op(
    "Pack",
    inputs=("values: N * T",),
    outputs=("output: T",),
    attrs=("N: int >= 1", "T: type", "axis: int = 0"),
)


@Pack.shape_fn
def _pack_shape(c: InferenceContext) -> TensorShape:
    merged = UNKNOWN
    for shape in c.shapes:
        merged = c.merge(merged, shape)
    if merged._dims is None:
        return UNKNOWN
    place = normalize_axis(c.attrs["axis"], len(merged._dims) + 1)
    return TensorShape._of((*merged._dims[:place], len(c.shapes), *merged._dims[place:]))


def _shapes_differ(values: Sequence[np.ndarray]) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        "Shapes of all inputs must match",
        received="shapes " + ", ".join(str(list(value.shape)) for value in values),
    )


@Pack.kernel("CPU", priority=1, T=dtypes.variant)
def _pack_variants_cpu(*values: Any, axis: int) -> np.ndarray:
    """A variant of rank 0 is the value itself."""
    boxes = []
    for value in values:
        box = value if isinstance(value, np.ndarray) else np.empty((), object)
        if box is not value:
            box[()] = value
        boxes.append(box)
    if any(box.shape != boxes[0].shape for box in boxes):
        raise _shapes_differ(boxes)
    # `np.stack` keeps objects where an assignment of arrays of rank 0 would nest them.
    return np.stack(boxes, axis=normalize_axis(axis, boxes[0].ndim + 1))


@Pack.kernel("CPU")
def _pack_cpu(*values: np.ndarray, axis: int) -> np.ndarray:
    first = values[0]
    if any(value.shape != first.shape for value in values):
        raise _shapes_differ(values)
    place = normalize_axis(axis, first.ndim + 1)
    # Twice as fast as np.stack on the small vectors that shapes are made of.
    result = np.empty((*first.shape[:place], len(values), *first.shape[place:]), first.dtype)
    rows = result if place == 0 else np.moveaxis(result, place, 0)
    for row, value in enumerate(values):
        rows[row] = value
    return result


@Pack.compile_rule
def _pack_compile(c: Any, *values: Any, axis: int) -> Any:
    c.require(len({value.shape for value in values}) == 1, "shapes differ")
    place = normalize_axis(axis, values[0].rank + 1)
    parts = [c.reshape(v, (*v.shape[:place], 1, *v.shape[place:])) for v in values]
    return c.concat(parts, place)


@Pack.partial_shape
def _pack_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    dims = []
    for source in tensor.op.inputs:
        value = constant_value(source)
        if value is not None and value.ndim:
            return UNKNOWN
        dims.append(None if value is None or value < 0 else int(value))
    return TensorShape._of(tuple(dims))


@Pack.gradient
def _pack_grad(op: Any, grad: Tensor) -> list[Tensor]:
    return unstack(grad, num=op.attrs["N"], axis=op.attrs["axis"])


@export("stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of rank R joined along a new dimension into one of rank R + 1.

    Args:
      values: tensors of one shape and dtype.
      axis: the place of the new dimension, in [−R−1, R].
      name: of the node.
    Returns:
      A tensor whose size along `axis` is the number of values.
    Raises:
      ValueError: `axis` is out of range, or the shapes are known to differ.
    """
    if axis == 0:
        try:
            # A list of numbers becomes a constant, without a node for each.
            return tensor_conversion.convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # values of several dtypes or shapes: Pack says what is wrong with them
    rank = tensor_conversion.convert_to_tensor(values[0], name=name).shape.rank
    if rank is not None and not -rank - 1 <= axis <= rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})")
    return Pack(values, axis=axis, name=name)


def partial_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if it is known while the graph is built.

    Of a stack of which some elements are known, an object array of these, with None for the others.
    """
    value = constant_value(tensor)
    operation = tensor.op
    if value is not None or operation.definition is not Pack or operation.attrs["axis"] != 0:
        return value
    parts = [partial_value(item) for item in operation.inputs]
    if all(part is None for part in parts):
        return None
    result = np.empty(len(parts), dtype=object)
    result[:] = parts
    return result


def pack_conversion(
    value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """The conversion of lists that hold tensors: a Pack of them, constants where numbers stand.

    `as_ref` plays no role: a list has no ref.
    """
    found = _first_dtype(value)
    if found is None:
        return NotImplemented
    if dtype is not None and dtype is not found:
        value = _cast_nested(value, dtype)
    return _pack_nested(value, dtype or found, name or "packed")


def _first_dtype(value: Any) -> DType | None:
    """The dtype of the first tensor in a nested list, None if it holds none."""
    for item in value:
        if isinstance(item, (list, tuple)):
            found = _first_dtype(item)
            if found is not None:
                return found
        elif is_tensor_like(item):
            return item.dtype.base_dtype
    return None


def is_tensor_like(value: Any) -> bool:
    """Whether `value` is a Tensor, or a variable: something dense that has a DType."""
    return isinstance(value, Tensor) or isinstance(getattr(value, "dtype", None), DType)


def _cast_nested(value: Any, dtype: DType) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast_nested(item, dtype) for item in value]
    if is_tensor_like(value) and value.dtype.base_dtype is not dtype:
        return Cast(value, DstT=dtype)
    return value


def _pack_nested(values: Any, dtype: DType, name: str) -> Any:
    """A Pack of `values`; `values` themselves if there is no tensor in them."""
    with op_scope(name, name) as scope:
        elements = []
        has_tensor = False
        for index, item in enumerate(values):
            if is_tensor_like(item):
                if item.dtype.base_dtype is not dtype:
                    raise TypeError(
                        f"Cannot convert a list containing a tensor of dtype {item.dtype!r} to "
                        f"{dtype!r} (Tensor is: {item!r})"
                    )
                has_tensor = True
            elif isinstance(item, (list, tuple)):
                item = _pack_nested(item, dtype, str(index))
                has_tensor = has_tensor or isinstance(item, Tensor)
            elements.append(item)
        if not has_tensor:
            return values
        tensors = [
            tensor_conversion.convert(item, dtype)
            if is_tensor_like(item)
            else constant(item, dtype, name=str(index))
            for index, item in enumerate(elements)
        ]
        return Pack(tensors, name=scope)


tensor_conversion.register_tensor_conversion_function((list, tuple), pack_conversion, 99)


# --- Unpack ---------------------------------------------------------------------------------------

Unpack = define_op(
    "Unpack",
    inputs=("value: T",),
    outputs=("output: num * T",),
    attrs=("num: int >= 0", "T: type", "axis: int = 0"),
)


@Unpack.shape_fn
def _unpack_shape(c: InferenceContext) -> list[TensorShape]:
    num = c.attrs["num"]
    dims = c.with_rank_at_least(0, 1)._dims
    if dims is None:
        return [UNKNOWN] * num
    place = normalize_axis(c.attrs["axis"], len(dims))
    c.merge_dim(dims[place], num)
    return [TensorShape._of((*dims[:place], *dims[place + 1 :]))] * num


@Unpack.kernel("CPU", priority=1, T=dtypes.variant)
def _unpack_variants_cpu(value: np.ndarray, *, num: int, axis: int) -> list[Any]:
    parts = _unpack_cpu(value, num=num, axis=axis)
    return [part if part.ndim else part.item() for part in parts]


@Unpack.kernel("CPU")
def _unpack_cpu(value: np.ndarray, *, num: int, axis: int) -> list[np.ndarray]:
    place = normalize_axis(axis, value.ndim)
    if value.shape[place] != num:
        raise InvalidArgumentError(
            None,
            None,
            f"Input shape axis {place} must equal {num}",
            received=f"value of shape {list(value.shape)}",
        )
    rows = np.moveaxis(value, place, 0)
    return [rows[row, ...].copy() for row in range(num)]


@Unpack.compile_rule
def _unpack_compile(c: Any, value: Any, *, num: int, axis: int) -> Any:
    place = normalize_axis(axis, value.rank)
    c.require(value.shape[place] == num, "another number of parts")
    shape = (*value.shape[:place], *value.shape[place + 1 :])
    return [c.reshape(c.part(value, place, index, 1), shape) for index in range(num)]


@Unpack.gradient
def _unpack_grad(op: Any, *grads: Tensor) -> Tensor:
    return stack(list(grads), axis=op.attrs["axis"])


@export("unstack")
def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """A tensor of rank R taken apart along one dimension into tensors of rank R − 1.

    Args:
      value: a tensor.
      num: the size along `axis`; None takes the static one.
      axis: in [−R, R).
      name: of the node.
    Returns:
      A list of `num` tensors.
    Raises:
      ValueError: `axis` is out of range, or `num` is not given and not known.
    """
    if num is None:
        value = tensor_conversion.convert_to_tensor(value)
        dims = value.shape._dims
        if dims is not None:
            if not -len(dims) <= axis < len(dims):
                raise ValueError(
                    f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})"
                )
            num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    parts = Unpack(value, num=num, axis=axis, name=name)
    return parts if num else []
