"""Gradients of reductions of gathered rows, only for the rows that were gathered."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.kernels import gathering
from featherflow.kernels.precision import compute_dtype
from featherflow.ops.sparse_shapes import VECTOR
from featherflow.ops.type_groups import FLOATS


def _define(name: str, power: float) -> Op:
    """Rows Σ grad[segment] / nᵖ of the distinct indices, and these; n is the size of a segment."""
    op = define_op(
        name,
        inputs=("grad: T", "indices: Tidx", "segment_ids: Tsegmentids", "dense_output_dim0: int32"),
        outputs=("output: T", "sorted_unique_indices: Tidx"),
        attrs=(
            "T: {bfloat16, half, float, double}",
            "Tidx: {int32, int64} = int32",
            "Tsegmentids: {int32, int64} = int32",
        ),
    )
    op.without_gradient("TensorFlow gives it no gradient")

    @op.shape_fn
    def shape(c: InferenceContext) -> list[TensorShape]:
        dims = c.with_rank_at_least(0, 1)._dims
        c.merge(c.with_rank(1, 1), c.with_rank(2, 1))
        c.with_rank(3, 0)
        rows = UNKNOWN if dims is None else TensorShape._of((None, *dims[1:]))
        return [rows, VECTOR]

    @op.kernel("CPU", T=FLOATS)
    def cpu(
        grad: np.ndarray,
        indices: np.ndarray,
        segment_ids: np.ndarray,
        dense_output_dim0: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        return _gathered_gradient(grad, indices, segment_ids, int(dense_output_dim0), power)

    return op


def _gathered_gradient(
    grad: np.ndarray, indices: np.ndarray, ids: np.ndarray, size: int, power: float
) -> tuple[np.ndarray, np.ndarray]:
    if indices.ndim != 1 or indices.shape != ids.shape or grad.ndim < 1:
        raise InvalidArgumentError(
            None,
            None,
            "segment_ids and indices should be vectors of one size",
            received=f"{list(ids.shape)} and {list(indices.shape)}",
        )
    if not len(indices) or size == 0:
        return np.zeros((0, *grad.shape[1:]), grad.dtype), indices[:0].copy()
    gathering.check_indices(indices, size)
    gathering.check_indices(ids, len(grad), "segment_ids")
    rows = grad[ids].astype(compute_dtype(grad.dtype), copy=False)
    if power:
        sizes = np.bincount(ids, minlength=len(grad))[ids]
        rows = rows / (sizes**power).astype(rows.dtype).reshape(-1, *(1,) * (rows.ndim - 1))
    places, total = gathering.reduce_by_place(indices, rows, np.add)
    return total.astype(grad.dtype, copy=False), places


SparseSegmentSumGradV2 = _define("SparseSegmentSumGradV2", 0)
SparseSegmentMeanGradV2 = _define("SparseSegmentMeanGradV2", 1)
SparseSegmentSqrtNGradV2 = _define("SparseSegmentSqrtNGradV2", 0.5)
