"""Concatenation, slices and padding: ops that are each other's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes, tensor_conversion
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.axes import normalize_axis
from featherflow.ops.identity_ops import Identity
from featherflow.ops.pack_ops import Pack
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.shape_ops import Rank, Shape, ShapeN, rank
from featherflow.ops.shape_ops import shape as shape_of

# --- ConcatV2 -------------------------------------------------------------------------------------

ConcatV2 = define_op(
    "ConcatV2",
    inputs=("values: N * T", "axis: Tidx"),
    outputs=("output: T",),
    attrs=("N: int >= 2", "T: type", "Tidx: {int32, int64} = int32"),
)


@ConcatV2.shape_fn
def _concat_shape(c: InferenceContext) -> TensorShape:
    axis = len(c.shapes) - 1
    c.with_rank(axis, 0)
    return concat_shape(c, c.shapes[:-1], c.constant_scalar(axis))


def concat_shape(c: InferenceContext, shapes: list[TensorShape], axis: int | None) -> TensorShape:
    """The shape of a concatenation: sizes along `axis` add up, the others are equal."""
    known_rank = next((len(shape._dims) for shape in shapes if shape._dims is not None), None)
    if known_rank is None:
        return UNKNOWN
    if known_rank == 0:
        c.fail("Can't concatenate scalars", remedy="Use tf.stack instead.")
    if axis is None:
        merged = TensorShape._of((None,) * known_rank)
        for shape in shapes:
            merged = merged if shape._dims is None else c.merge(merged, _ranks_of(shape))
        return merged
    place = normalize_axis(axis, known_rank)
    total: int | None = 0
    merged = TensorShape._of((None,) * known_rank)
    for shape in shapes:
        dims = shape._dims
        size = None if dims is None or place >= len(dims) else dims[place]
        total = None if total is None or size is None else total + size
        if dims is not None:
            merged = c.merge(merged, TensorShape._of((*dims[:place], None, *dims[place + 1 :])))
    assert merged._dims is not None
    return TensorShape._of((*merged._dims[:place], total, *merged._dims[place + 1 :]))


def _ranks_of(shape: TensorShape) -> TensorShape:
    assert shape._dims is not None
    return TensorShape._of((None,) * len(shape._dims))


@ConcatV2.kernel("CPU")
def _concat_cpu(*values_and_axis: np.ndarray) -> np.ndarray:
    *values, axis = values_and_axis
    return concatenate(values, axis)


@ConcatV2.compile_rule
def _concat_v2_compile(c: Any, *values: Any) -> Any:
    *parts, axis = values
    place = normalize_axis(int(c.known(axis)), parts[0].rank)
    rests = {(*part.shape[:place], *part.shape[place + 1 :]) for part in parts}
    c.require(len(rests) == 1, "shapes differ")
    return c.concat(parts, place)


def concatenate(values: list[np.ndarray], axis: np.ndarray) -> np.ndarray:
    """`values` joined along `axis`.

    Raises:
      InvalidArgumentError: other dimensions differ, or `axis` is out of range.
    """
    first = values[0]
    if first.ndim == 0:
        raise InvalidArgumentError(None, None, "Can't concatenate scalars", remedy="Use tf.stack.")
    place = normalize_axis(int(axis), first.ndim, "axis")
    try:
        return np.concatenate(values, axis=place)
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            f"Dimensions of inputs should match but for axis {place}",
            received="shapes " + ", ".join(str(list(value.shape)) for value in values),
        ) from None


@ConcatV2.partial_shape
def _concat_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    result = TensorShape._of(())
    for source in tensor.op.inputs[:-1]:
        result = result.concatenate(as_shape(source))
    return result


@ConcatV2.gradient
def _concat_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    return [*concat_gradients(op.inputs[:-1], op.inputs[-1], grad), None]


def concat_gradients(values: Any, axis: Tensor, grad: Tensor) -> list[Tensor]:
    """The part of `grad` that belongs to each of the concatenated `values`."""
    if len(values) == 1:
        return [grad]
    place = axis % rank(values[0])  # type: ignore[operator]
    sizes = []
    for value in values:
        sizes.append(shape_of(value))
        if sizes[-1].__class__ is Tensor and sizes[-1].op.type != "Const":
            sizes = ShapeN(values)
            break
    return [Slice(grad, begin, size) for begin, size in zip(ConcatOffset(place, sizes), sizes)]


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors joined along one of their dimensions.

    Args:
      values: tensors of one dtype, whose shapes are equal but for `axis`.
      axis: in [−R, R) where R is their rank.
      name: of the node.
    Returns:
      A tensor whose size along `axis` is the sum of theirs.

    See `stack` for joining along a new dimension.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) != 1:
        return ConcatV2(values, axis, name=name)
    with op_scope(name, "concat"):
        value = tensor_conversion.convert_to_tensor(values[0])
        axis = tensor_conversion.convert_to_tensor(axis, dtypes.int32, name="concat_dim")
        axis.shape.assert_has_rank(0)
        return Identity(value, name=name)


# --- ConcatOffset ---------------------------------------------------------------------------------

ConcatOffset = define_op(
    "ConcatOffset",
    inputs=("concat_dim: int32", "shape: N * shape_type"),
    outputs=("offset: N * shape_type",),
    attrs=("N: int >= 2", "shape_type: {int32, int64} = int32"),
)


@ConcatOffset.shape_fn
def _concat_offset_shape(c: InferenceContext) -> list[TensorShape]:
    for index in range(1, len(c.shapes)):
        c.with_rank(index, 1)
    return c.shapes[1:]


@ConcatOffset.kernel("CPU")
def _concat_offset_cpu(concat_dim: np.ndarray, *shape: np.ndarray) -> list[np.ndarray]:
    place = normalize_axis(int(concat_dim), len(shape[0]), "concat_dim")
    start = 0
    offsets = []
    for dims in shape:
        _check_same_but(place, shape[0], dims)
        offset = np.zeros_like(dims)
        offset[place] = start
        start += dims[place]
        offsets.append(offset)
    return offsets


def _check_same_but(place: int, first: np.ndarray, dims: np.ndarray) -> None:
    equal = len(dims) == len(first) and (dims == first) | (np.arange(len(dims)) == place)
    if not np.all(equal):
        raise InvalidArgumentError(
            None,
            None,
            f"All dimensions except {place} must match",
            received=f"{first.tolist()} and {dims.tolist()}",
        )


ConcatOffset.not_differentiable("offsets are integers")


# --- Slice ----------------------------------------------------------------------------------------

Slice = define_op(
    "Slice",
    inputs=("input: T", "begin: Index", "size: Index"),
    outputs=("output: T",),
    attrs=("T: type", "Index: {int32, int64}"),
)


@Slice.shape_fn
def _slice_shape(c: InferenceContext) -> TensorShape:
    dims, known_rank = _sliced_dims(c)
    if known_rank is None:
        return UNKNOWN
    begin = c.constant_as_shape(1)._dims
    size = c.constant_as_shape(2)._dims
    exact_size = c.constant(2)
    result = []
    for axis in range(known_rank):
        wanted = None if size is None else size[axis]
        if wanted is None and exact_size is not None:  # −1: all that is left
            dim = None if dims is None else dims[axis]
            first = None if begin is None else begin[axis]
            wanted = None if dim is None or first is None else dim - first
            if wanted is not None and wanted < 0:
                c.fail(f"begin[{axis}] must be at most {dim}", received=c.received())
        result.append(wanted)
    return TensorShape._of(tuple(result))


def _sliced_dims(c: InferenceContext) -> tuple[tuple[int | None, ...] | None, int | None]:
    """The input's sizes and rank, as far as input, begin and size tell them."""
    dims = c.shapes[0]._dims
    known_rank = None if dims is None else len(dims)
    for index in (1, 2):
        length = c.with_rank(index, 1)._dims
        assert length is not None
        known_rank = c.merge_dim(known_rank, length[0])
    return dims, known_rank


def _check_slice(dims: Any, begin: list[int], size: list[int]) -> list[int]:
    """The sizes with −1 worked out.

    Raises:
      InvalidArgumentError: the slice is not inside the input.
    """
    result = []
    for axis, (dim, first, length) in enumerate(zip(dims, begin, size)):
        count = dim - first if length == -1 else length
        if not 0 <= first <= dim:
            raise InvalidArgumentError(
                None,
                None,
                f"Expected begin[{axis}] in [0, {dim}], but got {first}",
                received=f"input of shape {list(dims)}, begin {begin}, size {size}",
            )
        if not 0 <= count <= dim - first:
            raise InvalidArgumentError(
                None,
                None,
                f"Expected size[{axis}] in [0, {dim - first}], but got {length}",
                received=f"input of shape {list(dims)}, begin {begin}, size {size}",
            )
        result.append(count)
    return result


@Slice.kernel("CPU")
def _slice_cpu(input: np.ndarray, begin: np.ndarray, size: np.ndarray) -> np.ndarray:
    if begin.shape != (input.ndim,) or size.shape != (input.ndim,):
        raise InvalidArgumentError(
            None,
            None,
            f"Expected begin and size arguments to be 1-D tensors of size {input.ndim}",
            received=f"begin of shape {list(begin.shape)}, size of shape {list(size.shape)}",
        )
    starts = begin.tolist()
    counts = _check_slice(input.shape, starts, size.tolist())
    region = tuple(slice(start, start + count) for start, count in zip(starts, counts))
    return input[(*region, ...)].copy()


@Slice.compile_rule
def _slice_compile(c: Any, input: Any, begin: Any, size: Any) -> Any:
    starts, sizes = c.known(begin).tolist(), c.known(size).tolist()
    ends = [
        full if count == -1 else start + count
        for start, count, full in zip(starts, sizes, input.shape)
    ]
    fits = all(0 <= a <= b <= full for a, b, full in zip(starts, ends, input.shape))
    c.require(fits and len(starts) == len(sizes) == input.rank, "a slice out of range")
    return c.slice(input, starts, [b - a for a, b in zip(starts, ends)], [1] * input.rank)


@Slice.gradient
def _slice_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    input, begin, _ = op.inputs
    padding_shape = Pack([rank(input), 1], name="stack")
    index_type = begin.dtype.base_dtype
    before = Reshape(begin, padding_shape)
    left: Any = Shape(input, out_type=index_type) - shape_of(op.outputs[0], out_type=index_type)
    after = Reshape(left - begin, padding_shape)
    return Pad(grad, concat([before, after], 1)), None, None


@export("slice")
def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The block of `input_` that starts at `begin` and has `size`.

    Args:
      input_: a tensor of rank R.
      begin: R integers, the first index along each dimension.
      size: R integers, the number of elements along each; −1 takes all that are left.
      name: of the node.
    Returns:
      A tensor of shape `size`.
    Raises:
      InvalidArgumentError: the block is not inside the tensor.
    """
    return Slice(input_, begin, size, name=name)


# --- Pad ------------------------------------------------------------------------------------------

Pad = define_op(
    "Pad",
    inputs=("input: T", "paddings: Tpaddings"),
    outputs=("output: T",),
    attrs=("T: type", "Tpaddings: {int32, int64} = int32"),
)


@Pad.shape_fn
def pad_shape(c: InferenceContext) -> TensorShape:
    """The input's sizes plus the paddings, input 1 of shape [rank, 2]."""
    dims = c.shapes[0]._dims
    rows, columns = c.with_rank(1, 2)._dims  # type: ignore[misc]
    c.merge_dim(columns, 2)
    known_rank = c.merge_dim(None if dims is None else len(dims), rows)
    if known_rank is None:
        return UNKNOWN
    dims = (None,) * known_rank if dims is None else dims
    paddings = c.constant(1)
    if paddings is None:
        return TensorShape._of((None,) * known_rank)
    if np.any(paddings < 0):
        c.fail("Paddings must be non-negative", received=str(paddings.tolist()))
    return TensorShape._of(
        tuple(
            None if dim is None else dim + int(before) + int(after)
            for dim, (before, after) in zip(dims, paddings)
        )
    )


@Pad.kernel("CPU")
def _pad_cpu(input: np.ndarray, paddings: np.ndarray) -> np.ndarray:
    return pad_with(input, paddings, b"" if input.dtype == object else 0)


@Pad.compile_rule
def _pad_compile(c: Any, input: Any, paddings: Any) -> Any:
    return c.pad(input, c.known(paddings).tolist(), 0)


def pad_with(input: np.ndarray, paddings: np.ndarray, value: Any) -> np.ndarray:
    """`input` inside a larger array of `value`.

    Raises:
      InvalidArgumentError: a padding is negative, or there is not one pair for each dimension.
    """
    check_paddings(input, paddings)
    pairs = paddings.tolist()
    dims = [before + dim + after for dim, (before, after) in zip(input.shape, pairs)]
    check_allocation(dims, input.dtype)
    result = np.full(dims, value, dtype=input.dtype)
    inner = tuple(slice(before, before + dim) for dim, (before, _) in zip(input.shape, pairs))
    result[(*inner, ...)] = input
    return result


def check_paddings(input: np.ndarray, paddings: np.ndarray) -> None:
    """Raises InvalidArgumentError unless `paddings` is non-negative and of shape [rank, 2]."""
    if paddings.shape != (input.ndim, 2):
        raise InvalidArgumentError(
            None,
            None,
            "The first dimension of paddings must be the rank of inputs, the second 2",
            received=f"paddings of shape {list(paddings.shape)}, input of shape "
            f"{list(input.shape)}",
        )
    if np.any(paddings < 0):
        raise InvalidArgumentError(
            None, None, "Paddings must be non-negative", received=str(paddings.tolist())
        )


@Pad.gradient
def _pad_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return pad_gradient(op, grad), None


def pad_gradient(op: Any, grad: Tensor) -> Tensor:
    """The part of `grad` that stands inside the padding."""
    input, paddings = op.inputs[:2]
    column_shape = Pack([Rank(input), 1], name="stack")
    before = Slice(paddings, [0, 0], column_shape)
    begin = Reshape(before, [-1])
    return Slice(grad, begin, Shape(input, out_type=paddings.dtype.base_dtype))
