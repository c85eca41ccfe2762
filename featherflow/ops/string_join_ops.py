"""Joining strings: elementwise, along axes, and by segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import int32
from featherflow.framework.errors import InvalidArgumentError, OutOfRangeError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import string_arrays
from featherflow.kernels.string_arrays import text_bytes
from featherflow.ops.constant_ops import constant
from featherflow.ops.range_ops import range_
from featherflow.ops.shape_ops import rank as rank_of

# --- StringJoin -----------------------------------------------------------------------------------

StringJoin = define_op(
    "StringJoin",
    inputs=("inputs: N * string",),
    outputs=("output: string",),
    attrs=("N: int >= 0", "separator: string = ''"),
)


@StringJoin.shape_fn
def _string_join_shape(c: InferenceContext) -> TensorShape:
    if all(shape.rank == 0 for shape in c.shapes):
        return SCALAR
    merged = UNKNOWN
    for shape in c.shapes:
        if shape.rank != 0:
            merged = c.merge(merged, shape)
    return merged


@StringJoin.kernel("CPU")
def _string_join_cpu(*inputs: np.ndarray, separator: str) -> np.ndarray:
    shapes = {array.shape for array in inputs if array.ndim}
    if len(shapes) > 1:
        raise InvalidArgumentError(
            None,
            None,
            "Input shapes do not match",
            received=", ".join(str(list(shape)) for shape in sorted(shapes)),
            expected="one shape, and scalars",
        )
    if not inputs:
        return string_arrays.scalar(b"")
    return string_arrays.join_elementwise(inputs, text_bytes(separator))


StringJoin.not_differentiable("strings are not numbers")


@export("strings.join")
@export_v1("string_join")
def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Joins the strings at the same place of each of `inputs`.

    Args:
      inputs: a list of tensors of strings, of one shape; scalars go with every element.
      separator: stands between them.
      name: of the node.
    Returns:
      Strings of the shape of the inputs.
    Raises:
      ValueError: the shapes differ.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.join([["a", "b"], "x"], separator="-")).tolist()
    [b'a-x', b'b-x']
    """
    return StringJoin(list(inputs), separator=separator, name=name)


# --- ReduceJoin -----------------------------------------------------------------------------------

ReduceJoin = define_op(
    "ReduceJoin",
    inputs=("inputs: string", "reduction_indices: int32"),
    outputs=("output: string",),
    attrs=("keep_dims: bool = false", "separator: string = ''"),
)


@ReduceJoin.shape_fn
def _reduce_join_shape(c: InferenceContext) -> TensorShape:
    c.with_rank_at_most(1, 1)
    dims, axes = c.shapes[0]._dims, c.constant(1)
    if dims is None:
        return UNKNOWN
    if axes is None:
        return TensorShape._of((None,) * len(dims)) if c.attrs["keep_dims"] else UNKNOWN
    for axis in axes.reshape(-1).tolist():
        if not -len(dims) <= axis < len(dims):
            c.fail(f"Invalid reduction dimension {axis} for input with {len(dims)} dimensions.")
    joined = {axis % len(dims) for axis in axes.reshape(-1).tolist()}
    if c.attrs["keep_dims"]:
        return TensorShape._of(
            tuple(1 if axis in joined else size for axis, size in enumerate(dims))
        )
    return TensorShape._of(tuple(size for axis, size in enumerate(dims) if axis not in joined))


@ReduceJoin.kernel("CPU")
def _reduce_join_cpu(
    inputs: np.ndarray, reduction_indices: np.ndarray, *, keep_dims: bool, separator: str
) -> np.ndarray:
    axes = []
    for axis in reduction_indices.reshape(-1).tolist():
        if not -inputs.ndim <= axis < inputs.ndim:
            raise OutOfRangeError(
                None,
                None,
                f"Invalid reduction dimension {axis} for input with {inputs.ndim} dimension(s)",
            )
        axes.append(axis % inputs.ndim)
    if len(set(axes)) != len(axes):
        raise InvalidArgumentError(
            None, None, "Duplicate reduction dimension", received=f"{reduction_indices.tolist()}"
        )
    return string_arrays.join_axes(inputs, axes, keep_dims, text_bytes(separator))


ReduceJoin.not_differentiable("strings are not numbers")


@export("strings.reduce_join")
def reduce_join_v2(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Joins the strings along some dimensions.

    Args:
      inputs: strings.
      axis: a dimension or a list of them, the first of which runs fastest; None is all, in order.
      keepdims: leaves dimensions of 1 in their place.
      separator: stands between the strings.
      name: of the node.
    Returns:
      Strings, without the dimensions joined.
    Raises:
      ValueError: there is no such dimension.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.reduce_join([["a", "b"], ["c", "d"]], 0)).tolist()
    [b'ac', b'bd']
    """
    with name_scope(None, "ReduceJoin", [inputs, axis]):
        inputs = convert_to_tensor(inputs)
        axes = _all_axes_last_first(inputs) if axis is None else axis
        return ReduceJoin(inputs, axes, keep_dims=bool(keepdims), separator=separator, name=name)


def _all_axes_last_first(inputs: Tensor) -> Tensor:
    if inputs.shape.rank is not None:
        return constant(np.arange(inputs.shape.rank)[::-1], int32)
    return range_(rank_of(inputs) - 1, -1, -1)


@export_v1("strings.reduce_join", "reduce_join")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """`tf.strings.reduce_join` with the older names of its arguments, too.

    Raises:
      ValueError: an argument is given under both of its names.
    """
    for old, new in ((reduction_indices, axis), (keep_dims, keepdims)):
        if old is not None and new is not None:
            raise ValueError("An argument is given under its old and its new name.")
    return reduce_join_v2(
        inputs,
        reduction_indices if axis is None else axis,
        bool(keep_dims if keepdims is None else keepdims),
        separator,
        name,
    )


# --- UnsortedSegmentJoin --------------------------------------------------------------------------

UnsortedSegmentJoin = define_op(
    "UnsortedSegmentJoin",
    inputs=("inputs: string", "segment_ids: Tindices", "num_segments: Tnumsegments"),
    outputs=("output: string",),
    attrs=(
        "separator: string = ''",
        "Tindices: {int32, int64}",
        "Tnumsegments: {int32, int64} = int32",
    ),
)


@UnsortedSegmentJoin.shape_fn
def _unsorted_segment_join_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(2, 0)
    inputs, ids = c.shapes[0], c.shapes[1]
    if ids._dims is None:
        return UNKNOWN
    if inputs._dims is None:
        return UNKNOWN
    rank = len(ids._dims)
    c.with_rank_at_least(0, rank)
    c.merge(TensorShape._of(inputs._dims[:rank]), ids)
    count = c.constant(2)
    if count is not None and count < 0:
        c.fail(f"Dimension size must be non-negative but is {int(count)}", received="num_segments")
    size = None if count is None else int(count)
    return TensorShape._of((size, *inputs._dims[rank:]))


@UnsortedSegmentJoin.kernel("CPU")
def _unsorted_segment_join_cpu(
    inputs: np.ndarray, segment_ids: np.ndarray, num_segments: np.ndarray, *, separator: str
) -> np.ndarray:
    def refuse(message: str, received: object) -> InvalidArgumentError:
        return InvalidArgumentError(None, None, message, received=received)

    if num_segments.ndim:
        raise refuse("num_segments must be a scalar", f"shape {list(num_segments.shape)}")
    count = int(num_segments)
    if count < 0:
        raise refuse("num_segments must not be negative", count)
    if segment_ids.ndim == 0 or inputs.shape[: segment_ids.ndim] != segment_ids.shape:
        raise refuse(
            "segment_ids must have the leading dimensions of inputs, one at least",
            f"{list(segment_ids.shape)} for {list(inputs.shape)}",
        )
    outside = (segment_ids < 0) | (segment_ids >= count)
    if outside.any():
        raise refuse(f"segment_ids must be within [0, {count})", segment_ids[outside].tolist()[:3])
    return string_arrays.join_segments(inputs, segment_ids, count, text_bytes(separator))


UnsortedSegmentJoin.without_gradient("strings are not numbers")


@export("strings.unsorted_segment_join")
def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """`output[s]` joins all `inputs[i]` with `segment_ids[i] = s`, in their order.

    Args:
      inputs: strings.
      segment_ids: int32 or int64; its shape is a prefix of that of `inputs`.
      num_segments: how many segments there are; those without ids are empty strings.
      separator: stands between the strings.
      name: of the node.
    Returns:
      Strings, [num_segments, …].
    Raises:
      InvalidArgumentError: an id is not below `num_segments`.
    """
    return UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator=separator, name=name)
