"""StridedSlice and its relatives, and `tensor[…]`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dimension import Dimension
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export, export_value
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.constant_value import constant_value, constant_value_as_shape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import strided_slice as kernels
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.strided_slice import SliceMasks
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import ones_like, zeros_like
from featherflow.ops.masking_ops import boolean_mask
from featherflow.ops.pack_ops import stack
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sum_ops import unbroadcast

MASK_ATTRS = (
    "begin_mask: int = 0",
    "end_mask: int = 0",
    "ellipsis_mask: int = 0",
    "new_axis_mask: int = 0",
    "shrink_axis_mask: int = 0",
)
_MASK_NAMES = tuple(attr.split(":")[0] for attr in MASK_ATTRS)


def masks_of(attrs: dict[str, Any]) -> SliceMasks:
    """The five masks among the attributes of a node."""
    return SliceMasks(*(attrs[name] for name in _MASK_NAMES))


def _mask_attrs(op: Any) -> dict[str, Any]:
    return {name: op.attrs[name] for name in _MASK_NAMES}


# --- StridedSlice ---------------------------------------------------------------------------------

StridedSlice = define_op(
    "StridedSlice",
    inputs=("input: T", "begin: Index", "end: Index", "strides: Index"),
    outputs=("output: T",),
    attrs=("T: type", "Index: {int16, int32, int64}", *MASK_ATTRS),
)


@StridedSlice.shape_fn
def _strided_slice_shape(c: InferenceContext) -> TensorShape:
    count = None
    for index in (1, 2, 3):
        count = c.merge_dim(count, c.with_rank(index, 1)._dims[0])  # type: ignore[index]
    dims = c.shapes[0]._dims
    begin, end, strides = (c.constant(index) for index in (1, 2, 3))
    if dims is None or strides is None:
        return UNKNOWN
    dense = kernels.dense_slice(
        dims,
        None if begin is None else tuple(begin.tolist()),
        None if end is None else tuple(end.tolist()),
        tuple(strides.tolist()),
        masks_of(c.attrs),
    )
    return TensorShape._of(dense.shape)


@StridedSlice.kernel("CPU")
def _strided_slice_cpu(
    input: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> np.ndarray:
    masks = SliceMasks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return kernels.strided_slice(input, begin, end, strides, masks)


@StridedSlice.compile_rule
def _strided_slice_compile(
    c: Any,
    input: Any,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:
    masks = SliceMasks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    starts, ends, steps = (tuple(c.known(item).tolist()) for item in (begin, end, strides))
    dense = kernels.dense_slice(input.shape, starts, ends, steps, masks)
    indices = [
        range(size)[kernels.numpy_slice(found)]
        for size, found in zip(input.shape, dense.ranges)
        if found is not None  # none is, since all bounds are known
    ]
    sliced = c.slice(
        input,
        [index.start for index in indices],
        [len(index) for index in indices],
        [index.step for index in indices],
    )
    return c.reshape(sliced, dense.shape)


@StridedSlice.static_value
def _strided_slice_value(node: Any) -> np.ndarray | None:
    """A size, or sizes, of a shape that is known in part: `tf.shape(x)[0]`."""
    source, begin = node.inputs[:2]
    if not source.dtype.is_integer or source.shape.rank != 1:
        return None
    is_node = begin.__class__ is Tensor
    if node.attrs["shrink_axis_mask"] and is_node and begin.op.type != "Const":
        return None  # TensorFlow looks no further for one size, and static shapes are as its own
    sizes = _sliced(node, constant_value_as_shape(source))
    if sizes is None or None in sizes:
        return None
    values = np.array(sizes, dtype=source.dtype.base_dtype.numpy_dtype)
    return values[0, ...] if node.attrs["shrink_axis_mask"] else values


@StridedSlice.partial_shape
def _strided_slice_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    node = tensor.op
    sizes = _sliced(node, as_shape(node.inputs[0]))
    return UNKNOWN if sizes is None or node.attrs["shrink_axis_mask"] else TensorShape._of(sizes)


def _sliced(node: Any, source: TensorShape) -> tuple[int | None, ...] | None:
    """The part of a vector, given as a shape, that a node takes; None if it is not known."""
    bounds = [constant_value(item) for item in node.inputs[1:]]
    masks = masks_of(node.attrs)
    if source._dims is None or any(item is None for item in bounds) or masks.new_axis:
        return None
    begin, end, strides = (tuple(item.tolist()) for item in bounds)  # type: ignore[union-attr]
    dense = kernels.dense_slice((len(source._dims),), begin, end, strides, masks)
    found = dense.ranges[0]
    assert found is not None
    return source._dims[kernels.numpy_slice(found)]


@StridedSlice.gradient
def _strided_slice_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
    input, begin, end, strides = op.inputs
    index_type = begin.dtype.base_dtype
    if index_type is dtypes.int16:  # which StridedSliceGrad does not take
        index_type = dtypes.int32
        begin, end, strides = (cast(item, index_type) for item in (begin, end, strides))
    shape = shape_of(input, out_type=index_type)
    return StridedSliceGrad(shape, begin, end, strides, grad, **_mask_attrs(op)), None, None, None


@export("strided_slice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]` with one entry for each dimension.

    `tensor[1:, ..., tf.newaxis, 3]` is the pleasant way to write it.

    Args:
      input_: a tensor.
      begin: n integers, the first index along each dimension.
      end: n integers, the first index that is not taken.
      strides: n integers, none of them 0; None takes 1.
      begin_mask: bit i: entry i starts at the edge.
      end_mask: bit i: entry i stops at the edge.
      ellipsis_mask: bit i: entry i stands for all dimensions that no other entry takes.
      new_axis_mask: bit i: entry i adds a dimension of size 1.
      shrink_axis_mask: bit i: entry i is an index, whose dimension is dropped.
      var: the variable that `input_` is the value of; the result can then be assigned to.
      name: of the node.
    Returns:
      A tensor.
    Raises:
      ValueError: the entries are known not to fit.
      InvalidArgumentError: they do not in the run.
    """
    if strides is None:
        strides = ones_like(begin)
    result = StridedSlice(
        input_,
        begin,
        end,
        strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name,
    )
    if var is not None:
        masks = {
            "begin_mask": begin_mask,
            "end_mask": end_mask,
            "ellipsis_mask": ellipsis_mask,
            "new_axis_mask": new_axis_mask,
            "shrink_axis_mask": shrink_axis_mask,
        }
        make_assignable(result, var, (begin, end, strides), masks)
    return result


def make_assignable(
    slice_tensor: Tensor, variable: Any, bounds: Sequence[Any], masks: dict[str, int]
) -> None:
    """Gives the slice of a variable's value an `assign` method."""
    scope = None
    if slice_tensor.__class__ is Tensor:  # its node has the bounds as tensors
        bounds = slice_tensor.op.inputs[1:]
        scope = f"{slice_tensor.op.name}/_assign"

    def assign(value: Any, name: str | None = None) -> Any:
        """Writes `value` into this slice of the variable."""
        return variable._strided_slice_assign(*bounds, value=value, name=name or scope, **masks)

    slice_tensor.assign = assign  # type: ignore[attr-defined]


# --- StridedSliceGrad -----------------------------------------------------------------------------

StridedSliceGrad = define_op(
    "StridedSliceGrad",
    inputs=("shape: Index", "begin: Index", "end: Index", "strides: Index", "dy: T"),
    outputs=("output: T",),
    attrs=("T: type", "Index: {int32, int64}", *MASK_ATTRS),
)


@StridedSliceGrad.shape_fn
def _strided_slice_grad_shape(c: InferenceContext) -> TensorShape:
    return c.constant_as_shape(0)


@StridedSliceGrad.kernel("CPU")
def _strided_slice_grad_cpu(
    shape: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    dy: np.ndarray,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> np.ndarray:
    masks = SliceMasks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    check_allocation(shape, dy.dtype)
    result = np.full(shape.tolist(), b"" if dy.dtype == object else 0, dtype=dy.dtype)
    return kernels.scatter_slice(result, begin, end, strides, dy, masks)


@StridedSliceGrad.gradient
def _strided_slice_grad_grad(op: Any, grad: Tensor) -> tuple[None, None, None, None, Tensor]:
    _, begin, end, strides, _ = op.inputs
    return None, None, None, None, StridedSlice(grad, begin, end, strides, **_mask_attrs(op))


# --- TensorStridedSliceUpdate ---------------------------------------------------------------------

TensorStridedSliceUpdate = define_op(
    "TensorStridedSliceUpdate",
    inputs=("input: T", "begin: Index", "end: Index", "strides: Index", "value: T"),
    outputs=("output: T",),
    attrs=("T: type", "Index: {int32, int64}", *MASK_ATTRS),
)
TensorStridedSliceUpdate.shape_fn(unchanged_shape)


@TensorStridedSliceUpdate.kernel("CPU")
def _tensor_strided_slice_update_cpu(
    input: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    value: np.ndarray,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> np.ndarray:
    masks = SliceMasks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    target = input.copy()
    return kernels.scatter_slice(target, begin, end, strides, value, masks, broadcast=True)


@TensorStridedSliceUpdate.gradient
def _tensor_strided_slice_update_grad(
    op: Any, grad: Tensor
) -> tuple[Tensor, None, None, None, Tensor]:
    _, begin, end, strides, value = op.inputs
    attrs = _mask_attrs(op)
    value_grad = StridedSlice(grad, begin, end, strides, **attrs)
    zeros = zeros_like(value_grad)
    input_grad = TensorStridedSliceUpdate(grad, begin, end, strides, zeros, **attrs)
    return input_grad, None, None, None, unbroadcast(value_grad, value)


#: `x[:, tf.newaxis]` adds a dimension of size 1.
newaxis = None
export_value(__name__, "newaxis")

# --- tensor[…] ------------------------------------------------------------------------------------

_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


class SliceSpec:
    """`[…]` as begin, end and stride lists with masks."""

    def __init__(self, entries: Any) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks: dict[str, Any] = dict.fromkeys(_MASK_NAMES, 0)
        for position, entry in enumerate(entries):
            self._add(entry, 1 << position)

    def _add(self, entry: Any, bit: int) -> None:
        if isinstance(entry, slice):
            self._add_range(entry, bit)
        elif entry is Ellipsis:
            self._append(0, 0, 1)
            self.masks["ellipsis_mask"] |= bit
        elif entry is None:
            self._append(0, 0, 1)
            self.masks["new_axis_mask"] |= bit
        else:
            _check_index(entry)
            stride: Any = 1
            if isinstance(entry, Tensor) and entry.dtype.base_dtype is not dtypes.int32:
                stride = None  # made after end, as TensorFlow does
            end: Any = entry + 1  # type: ignore[operator]
            if stride is None:
                stride = constant(1, entry.dtype.base_dtype)
            self._append(entry, end, stride)
            self.masks["shrink_axis_mask"] |= bit

    def _add_range(self, entry: slice, bit: int) -> None:
        bounds = (entry.start, entry.stop, entry.step)
        for bound in bounds:
            if bound is not None:
                _check_index(bound)
        # Beside a tensor the missing bounds are of its dtype.
        dtype = next((item.dtype.base_dtype for item in bounds if isinstance(item, Tensor)), None)
        self._append(*[_or_default(*pair, dtype) for pair in zip(bounds, (0, 0, 1))])
        if entry.start is None:
            self.masks["begin_mask"] |= bit
        if entry.stop is None:
            self.masks["end_mask"] |= bit

    def _append(self, begin: Any, end: Any, stride: Any) -> None:
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)


def _or_default(bound: Any, default: int, dtype: DType | None) -> Any:
    if bound is not None:
        return bound
    return default if dtype is None else constant(default, dtype)


def _check_index(index: Any) -> None:
    if isinstance(index, (numbers.Integral, Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    shape = getattr(index, "shape", None)
    rank = None if shape is None else TensorShape(shape).rank
    if dtype is None or as_dtype(dtype).base_dtype not in _INDEX_TYPES or rank == 1:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {index!r}"
        )


def packed_bounds(spec: SliceSpec) -> list[Tensor]:
    """begin, end and strides as vectors of one dtype."""
    if not spec.begin:
        empty = constant([], dtypes.int32)
        return [empty, empty, empty]
    bounds = [stack(spec.begin), stack(spec.end), stack(spec.strides)]
    if any(item.dtype.base_dtype is dtypes.int64 for item in bounds):
        return [cast(item, dtypes.int64) for item in bounds]
    return bounds


def _is_mask(entries: Any) -> bool:
    if isinstance(entries, Tensor):
        return entries.dtype.base_dtype is dtypes.bool
    return isinstance(entries, bool) or getattr(entries, "dtype", None) == np.bool_


def get_item(tensor: Any, entries: Any, var: Any = None) -> Tensor:
    """`tensor[entries]`: ranges, indices, `...`, `tf.newaxis` and boolean masks.

    Args:
      tensor: a tensor.
      entries: what stands between the brackets.
      var: the variable that `tensor` is the value of.
    Returns:
      A tensor.
    Raises:
      TypeError: an index is not an integer.
    """
    if _is_mask(entries):
        return boolean_mask(tensor, entries)
    if not isinstance(entries, (list, tuple)):
        entries = [entries]
    spec = SliceSpec(entries)
    inputs = [tensor, *spec.begin, *spec.end, *spec.strides]
    with name_scope(None, "strided_slice", inputs) as scope:
        begin, end, strides = packed_bounds(spec)
        return strided_slice(tensor, begin, end, strides, **spec.masks, var=var, name=scope)
