"""Reductions of gathered rows by segment: sum, mean and Σ / √n of `data[indices]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.kernels.precision import compute_dtype
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.gather_ops import GatherV2, UnsortedSegmentSum
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.type_groups import FLOATS, REAL

_REAL_TYPES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)
_FLOAT_TYPES = "{bfloat16, half, float, double}"

# --- arithmetic -----------------------------------------------------------------------------------


def _segment_sums(rows: np.ndarray, ids: np.ndarray, count: int | None, power: float) -> np.ndarray:
    """Σ rows / nᵖ by segment, in the precision of sums; n is the number of rows of a segment."""
    wide = rows.astype(compute_dtype(rows.dtype), copy=False)
    sums = gathering.segment_reduce(wide, ids, np.add, 0)
    if power:
        sizes = np.bincount(ids, minlength=len(sums)).clip(min=1)[: len(sums)]
        scale = (sizes**power).astype(sums.dtype)
        sums /= scale.reshape(-1, *(1,) * (sums.ndim - 1))
    if count is None:
        return sums
    if len(sums) > count:
        raise InvalidArgumentError(
            None,
            None,
            "segment ids must be < num_segments",
            received=f"num_segments {count}, largest id {len(sums) - 1}",
        )
    result = np.zeros((count, *sums.shape[1:]), dtype=sums.dtype)
    result[: len(sums)] = sums
    return result


def _check_vectors(indices: np.ndarray, ids: np.ndarray) -> None:
    if indices.ndim != 1 or indices.shape != ids.shape:
        raise InvalidArgumentError(
            None,
            None,
            "segment_ids and indices should be vectors of one size",
            received=f"segment_ids {list(ids.shape)}, indices {list(indices.shape)}",
        )


def _sparse_segment(
    data: np.ndarray, indices: np.ndarray, ids: np.ndarray, count: int | None, power: float
) -> np.ndarray:
    _check_vectors(indices, ids)
    gathering.check_indices(indices, len(data))
    return _segment_sums(data[indices], ids, count, power).astype(data.dtype, copy=False)


# --- ops ------------------------------------------------------------------------------------------


def _define_sparse_segment(name: str, types: str, power: float, *, counted: bool) -> Op:
    """Σ data[indices] / nᵖ by segment; `counted` ops are told the number of segments."""
    op = define_op(
        name + ("WithNumSegments" if counted else ""),
        inputs=(
            "data: T",
            "indices: Tidx",
            "segment_ids: Tsegmentids",
            *(("num_segments: Tnumsegments",) if counted else ()),
        ),
        outputs=("output: T",),
        attrs=(
            f"T: {types}",
            "Tidx: {int32, int64} = int32",
            *(("Tnumsegments: {int32, int64} = int32",) if counted else ()),
            "Tsegmentids: {int32, int64} = int32",
            "sparse_gradient: bool = false",
        ),
    )
    op.shape_fn(_sparse_segment_shape)

    @op.kernel("CPU", T=REAL if types is _REAL_TYPES else FLOATS)
    def cpu(
        data: np.ndarray,
        indices: np.ndarray,
        segment_ids: np.ndarray,
        num_segments: np.ndarray | None = None,
    ) -> np.ndarray:
        count = None if num_segments is None else int(num_segments)
        return _sparse_segment(data, indices, segment_ids, count, power)

    @op.gradient
    def grad(op: Any, grad: Tensor) -> list[Any]:
        return [_data_gradient(op, grad, power), *[None] * (len(op.inputs) - 1)]

    return op


def _sparse_segment_shape(c: InferenceContext) -> TensorShape:
    data = c.with_rank_at_least(0, 1)._dims
    c.merge(c.with_rank(1, 1), c.with_rank(2, 1))
    count = None
    if len(c.shapes) == 4:
        c.with_rank(3, 0)
        count = c.constant(3)
    if count is not None and count < 0:
        c.fail(f"Cannot specify a negative value for num_segments: {int(count)}")
    if data is None:
        return UNKNOWN
    return TensorShape._of((None if count is None else int(count), *data[1:]))


def _data_gradient(op: Any, grad: Any, power: float) -> Any:
    """Each row of data has the gradients of the segments that it was gathered into."""
    data, indices, ids = op.inputs[:3]
    data_shape: Any = shape_of(data)
    if power:
        grad = grad / _segment_scale(grad, ids, power)
    rows = GatherV2(grad, ids, 0)
    if op.attrs["sparse_gradient"]:
        return IndexedSlices(rows, indices, data_shape)
    return UnsortedSegmentSum(rows, indices, data_shape[0])


def _segment_scale(segments: Tensor, ids: Tensor, power: float) -> Tensor:
    """nᵖ, at least 1, of each segment, with dimensions of size 1 for the others of `segments`."""
    shape: Any = shape_of(segments)
    sizes = UnsortedSegmentSum(cast(ones_like(ids), segments.dtype), ids, shape[0])
    sizes = maximum(sizes, 1)
    scale = sizes if power == 1 else sqrt(sizes)
    return Reshape(scale, concat([shape[:1], ones_like(shape[1:])], 0))


SparseSegmentSum = _define_sparse_segment("SparseSegmentSum", _REAL_TYPES, 0, counted=False)
SparseSegmentMean = _define_sparse_segment("SparseSegmentMean", _FLOAT_TYPES, 1, counted=False)
SparseSegmentSqrtN = _define_sparse_segment("SparseSegmentSqrtN", _FLOAT_TYPES, 0.5, counted=False)
SparseSegmentSumWithNumSegments = _define_sparse_segment(
    "SparseSegmentSum", _REAL_TYPES, 0, counted=True
)
SparseSegmentMeanWithNumSegments = _define_sparse_segment(
    "SparseSegmentMean", _FLOAT_TYPES, 1, counted=True
)
SparseSegmentSqrtNWithNumSegments = _define_sparse_segment(
    "SparseSegmentSqrtN", _FLOAT_TYPES, 0.5, counted=True
)


# --- gradients as ops of their own, which graphs of TensorFlow hold -------------------------------


def _define_sparse_segment_grad(name: str, power: float) -> Op:
    op = define_op(
        name,
        inputs=("grad: T", "indices: Tidx", "segment_ids: Tsegmentids", "output_dim0: int32"),
        outputs=("output: T",),
        attrs=(
            f"T: {_FLOAT_TYPES}",
            "Tidx: {int32, int64} = int32",
            "Tsegmentids: {int32, int64} = int32",
        ),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> TensorShape:
        dims = c.with_rank_at_least(0, 1)._dims
        c.merge(c.with_rank(1, 1), c.with_rank(2, 1))
        count = c.constant_scalar(3)
        if count is not None and count < 0:
            c.fail("output_dim0 must be >= 0", received=count)
        return UNKNOWN if dims is None else TensorShape._of((count, *dims[1:]))

    @op.kernel("CPU", T=FLOATS)
    def cpu(
        grad: np.ndarray, indices: np.ndarray, segment_ids: np.ndarray, output_dim0: np.ndarray
    ) -> np.ndarray:
        _check_vectors(indices, segment_ids)
        gathering.check_indices(segment_ids, len(grad), "segment_ids")
        gathering.check_indices(indices, int(output_dim0), "indices")
        rows = grad[segment_ids].astype(compute_dtype(grad.dtype), copy=False)
        if power:
            sizes = np.bincount(segment_ids, minlength=len(grad))[segment_ids]
            rows = rows / (sizes**power).astype(rows.dtype).reshape(-1, *(1,) * (rows.ndim - 1))
        total = gathering.unsorted_segment_reduce(rows, indices, output_dim0, np.add, 0)
        return total.astype(grad.dtype, copy=False)

    op.without_gradient("gradients made here are of ops that are")
    return op


SparseSegmentSumGrad = _define_sparse_segment_grad("SparseSegmentSumGrad", 0)
SparseSegmentMeanGrad = _define_sparse_segment_grad("SparseSegmentMeanGrad", 1)
SparseSegmentSqrtNGrad = _define_sparse_segment_grad("SparseSegmentSqrtNGrad", 0.5)


# --- public functions -----------------------------------------------------------------------------


def _call(
    plain: Op, counted: Op, inputs: Any, num_segments: Any, name: str | None, sparse_gradient: bool
) -> Tensor:
    if num_segments is None:
        return plain(*inputs, sparse_gradient=sparse_gradient, name=name)
    return counted(*inputs, num_segments, sparse_gradient=sparse_gradient, name=name)


@export_v1("sparse_segment_sum", "sparse.segment_sum")
def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """output[j, …] = Σ data[indices[i], …] over all i with segment_ids[i] = j; 0 if there is none.

    Args:
      data: [N, …].
      indices: [I], integers in [0, N).
      segment_ids: [I], integers that do not decrease.
      name: of the node.
      num_segments: the number of segments; None takes the last id + 1.
      sparse_gradient: the gradient of `data` is IndexedSlices.
    Returns:
      [num_segments, …]
    Raises:
      InvalidArgumentError: an index is out of range, or the ids decrease or are too large.
    """
    inputs = (data, indices, segment_ids)
    ops = (SparseSegmentSum, SparseSegmentSumWithNumSegments)
    return _call(*ops, inputs, num_segments, name, sparse_gradient)


@export_v1("sparse_segment_mean", "sparse.segment_mean")
def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """output[j, …] = mean of data[indices[i], …] over all i with segment_ids[i] = j.

    See `sparse_segment_sum`.
    """
    inputs = (data, indices, segment_ids)
    ops = (SparseSegmentMean, SparseSegmentMeanWithNumSegments)
    return _call(*ops, inputs, num_segments, name, sparse_gradient)


@export_v1("sparse_segment_sqrt_n", "sparse.segment_sqrt_n")
def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """output[j, …] = Σ data[indices[i], …] / √n over the n places i with segment_ids[i] = j.

    See `sparse_segment_sum`.
    """
    inputs = (data, indices, segment_ids)
    ops = (SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments)
    return _call(*ops, inputs, num_segments, name, sparse_gradient)


@export("sparse.segment_sum")
def sparse_segment_sum_v2(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`sparse_segment_sum` with TF2's order of arguments."""
    return sparse_segment_sum(data, indices, segment_ids, name, num_segments, sparse_gradient)


@export("sparse.segment_mean")
def sparse_segment_mean_v2(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`sparse_segment_mean` with TF2's order of arguments."""
    return sparse_segment_mean(data, indices, segment_ids, name, num_segments, sparse_gradient)


@export("sparse.segment_sqrt_n")
def sparse_segment_sqrt_n_v2(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """`sparse_segment_sqrt_n` with TF2's order of arguments."""
    return sparse_segment_sqrt_n(data, indices, segment_ids, name, num_segments, sparse_gradient)
