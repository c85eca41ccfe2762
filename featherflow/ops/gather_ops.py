"""Gather and UnsortedSegmentSum, each the other's gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.kernels.axes import normalize_axis
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import GreaterEqual
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import Maximum
from featherflow.ops.fill_ops import ones, zeros_like
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.type_groups import NUMBERS

# --- GatherV2 -------------------------------------------------------------------------------------

GatherV2 = define_op(
    "GatherV2",
    inputs=("params: Tparams", "indices: Tindices", "axis: Taxis"),
    outputs=("output: Tparams",),
    attrs=(
        "batch_dims: int = 0",
        "Tparams: type",
        "Tindices: {int16, int32, int64}",
        "Taxis: {int32, int64}",
    ),
)


@GatherV2.shape_fn
def _gather_v2_shape(c: InferenceContext) -> TensorShape:
    params, indices = c.with_rank_at_least(0, 1)._dims, c.shapes[1]._dims
    axis = c.constant_scalar(2)
    if params is None:
        return UNKNOWN
    place = None if axis is None else normalize_axis(axis, len(params))
    if indices is None:
        return UNKNOWN
    batch_dims = _normalize_batch_dims(c.attrs["batch_dims"], len(indices))
    if place is None:
        return TensorShape._of((None,) * (len(params) + len(indices) - batch_dims - 1))
    if place < batch_dims:
        c.fail(f"batch_dims ({batch_dims}) must be less than or equal to axis ({place})")
    return TensorShape._of(params[:place] + indices[batch_dims:] + params[place + 1 :])


def _normalize_batch_dims(batch_dims: int, indices_rank: int) -> int:
    # All dimensions of the indices may be batch dimensions.
    return (
        batch_dims
        if batch_dims == indices_rank
        else normalize_axis(batch_dims, indices_rank, "batch_dims")
    )


@GatherV2.kernel("CPU")
def _gather_v2_cpu(
    params: np.ndarray, indices: np.ndarray, axis: np.ndarray, *, batch_dims: int
) -> np.ndarray:
    if params.ndim < 1:
        raise InvalidArgumentError(None, None, "params must be at least 1 dimensional")
    place = normalize_axis(int(axis), params.ndim)
    batch_dims = _normalize_batch_dims(batch_dims, indices.ndim)
    if place < batch_dims:
        raise InvalidArgumentError(
            None, None, f"batch_dims ({batch_dims}) must be less than or equal to axis ({place})"
        )
    return gathering.gather(params, indices, place, batch_dims)


@GatherV2.gradient
def _gather_v2_grad(op: Any, grad: Any) -> tuple[Any, None, None]:
    params, indices, axis = op.inputs
    known_axis = constant_value(axis)
    batch_dims = op.attrs["batch_dims"]
    if batch_dims < 0:
        batch_dims += indices.shape.rank
    if known_axis is not None and known_axis == 0 and batch_dims == 0:
        return _first_axis_gradient(params, indices, grad), None, None
    return any_axis_gradient(params, indices, axis, batch_dims, grad), None, None


def _first_axis_gradient(params: Tensor, indices: Tensor, grad: Tensor) -> IndexedSlices:
    """The rows gathered are the rows that have a gradient."""
    params_shape: Any = shape_of(params)
    places = Reshape(indices, [-1])
    rows = Reshape(grad, concat([shape_of(places), params_shape[1:]], 0))
    return IndexedSlices(rows, places, params_shape)


def any_axis_gradient(
    params: Tensor, indices: Tensor, axis: Tensor, batch_dims: int, grad: Tensor
) -> Tensor:
    """With `params` as [batch, middle, size, inner] and `indices` as [batch, count], row
    (b, m, indices[b, i]) of [batch · middle · size, inner] has the gradients of all (b, m, i).
    """
    params_shape: Any = shape_of(params, out_type=dtypes.int64)
    place = cast(axis % cast(rank_of(params), axis.dtype), dtypes.int64)  # type: ignore[operator]
    batch: Any = reduce_prod(params_shape[:batch_dims])
    middle: Any = reduce_prod(params_shape[batch_dims:place])
    size = params_shape[place]
    inner = reduce_prod(params_shape[place + 1 :])
    places: Any = cast(Reshape(indices, [batch, 1, -1]), dtypes.int64)
    starts: Any = range_(batch * middle)
    rows = Reshape(places + Reshape(starts * size, [batch, middle, 1]), [-1])
    values = Reshape(grad, concat([shape_of(rows, out_type=dtypes.int64), [inner]], 0))
    total = UnsortedSegmentSum(values, rows, batch * middle * size)
    return Reshape(total, params_shape)


@export_v1("gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Slices of `params` along one dimension: `params[…, indices[…], …]`.

    Args:
      params: a tensor.
      indices: integers in [0, size along `axis`), of any shape.
      validate_indices: has no effect, they are always checked.
      name: of the node.
      axis: the dimension; None takes the first after the batch dimensions.
      batch_dims: how many leading dimensions `params` and `indices` share.
    Returns:
      A tensor of shape
      `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
    Raises:
      InvalidArgumentError: an index is out of range.

    >>> import featherflow as tf
    >>> tf.gather(tf.zeros([5, 3]), [[0, 2]]).shape.as_list()
    [1, 2, 3]
    """
    if axis is None:
        axis = batch_dims
    if _is_zero(axis) and hasattr(params, "sparse_read"):
        # A variable reads only the rows that are asked for.
        return params.sparse_read(indices, name=name)
    return GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)


def _is_zero(axis: Any) -> bool:
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    return known is not None and known == 0


@export("gather")
def gather_v2(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """`gather` with TF2's order of arguments."""
    return gather(params, indices, validate_indices, name, axis, batch_dims)


@export_v1("batch_gather")
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """`gather` of which all dimensions of `indices` but the last are batch dimensions.

    Args:
      params: [B…, N, …].
      indices: [B…, I], integers in [0, N); its rank must be known.
      name: of the scope of the nodes.
    Returns:
      [B…, I, …]
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        rank = indices.shape.rank
        if rank is None:
            raise ValueError(f"batch_gather does not allow indices of unknown shape: {indices}")
        return gather(params, indices, axis=rank - 1, batch_dims=rank - 1)


# --- Gather ---------------------------------------------------------------------------------------

# The first version, which old graphs hold: along the first dimension only.
Gather = define_op(
    "Gather",
    inputs=("params: Tparams", "indices: Tindices"),
    outputs=("output: Tparams",),
    attrs=("validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}"),
)


@Gather.shape_fn
def _gather_shape(c: InferenceContext) -> TensorShape:
    params, indices = c.with_rank_at_least(0, 1)._dims, c.shapes[1]._dims
    if params is None or indices is None:
        return UNKNOWN
    return TensorShape._of(indices + params[1:])


@Gather.kernel("CPU")
def _gather_cpu(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    if params.ndim < 1:
        raise InvalidArgumentError(None, None, "params must be at least 1 dimensional")
    return gathering.gather(params, indices, 0, 0)


@Gather.gradient
def _gather_grad(op: Any, grad: Tensor) -> tuple[IndexedSlices, None]:
    params, indices = op.inputs
    return _first_axis_gradient(params, indices, grad), None


# --- UnsortedSegmentSum ---------------------------------------------------------------------------

SEGMENT_TYPES = (
    "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
    "qint16, quint16, uint16, complex128, half, uint32, uint64}"
)

UnsortedSegmentSum = define_op(
    "UnsortedSegmentSum",
    inputs=("data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"),
    outputs=("output: T",),
    attrs=(
        f"T: {SEGMENT_TYPES}",
        "Tindices: {int16, int32, int64}",
        "Tnumsegments: {int32, int64} = int32",
    ),
)


@UnsortedSegmentSum.shape_fn
def unsorted_segment_shape(c: InferenceContext) -> TensorShape:
    """[num_segments] and the dimensions of the data that have no ids."""
    data, ids = c.shapes[0]._dims, c.shapes[1]._dims
    c.with_rank(2, 0)
    count = c.constant(2)
    if count is not None and count < 0:
        c.fail(f"num_segments must be non-negative but is {int(count)}")
    if data is None or ids is None:
        return UNKNOWN
    if len(ids) > len(data):
        c.fail(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    for left, right in zip(data, ids):
        c.merge_dim(left, right)
    return TensorShape._of((None if count is None else int(count), *data[len(ids) :]))


@UnsortedSegmentSum.kernel("CPU", T=NUMBERS)
def _unsorted_segment_sum_cpu(
    data: np.ndarray, segment_ids: np.ndarray, num_segments: np.ndarray
) -> np.ndarray:
    return gathering.unsorted_segment_reduce(data, segment_ids, num_segments, np.add, 0)


@UnsortedSegmentSum.gradient
def _unsorted_segment_sum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return gather_kept(grad, op.inputs[1])[0], None, None


def gather_kept(segments: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """The segment of each id, zeros where the id is negative; and where it is not.

    The second has trailing dimensions of size 1 for those of the segments.
    """
    zero = zeros_like(ids)
    rows = GatherV2(segments, Maximum(ids, zero), 0)
    inner_rank: Any = rank_of(rows) - rank_of(ids)  # type: ignore[operator]
    inner_ones = ones(Reshape(inner_rank, [1]), dtypes.int32)
    is_kept = Reshape(GreaterEqual(ids, zero), concat([shape_of(ids), inner_ones], 0))
    return SelectV2(is_kept, rows, zeros_like(rows)), is_kept


@export("math.unsorted_segment_sum")
@export_v1("unsorted_segment_sum", "math.unsorted_segment_sum")
def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """output[j, …] = Σ data[i…, …] over all i… with segment_ids[i…] = j.

    Args:
      data: [I…, N…].
      segment_ids: [I…], integers below `num_segments`; slices of negative ids are dropped.
      num_segments: an integer.
      name: of the node.
    Returns:
      [num_segments, N…], zeros for segments without slices.
    Raises:
      InvalidArgumentError: an id is too large.
    """
    return UnsortedSegmentSum(data, segment_ids, num_segments, name=name)
