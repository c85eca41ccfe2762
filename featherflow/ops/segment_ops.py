"""Reductions of rows by segment: sum, mean, product and extrema, of sorted and unsorted ids."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.ops.arithmetic_ops import Mul
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal, Greater, LogicalAnd
from featherflow.ops.complex_ops import conj
from featherflow.ops.core_array_ops import concat
from featherflow.ops.division_ops import RealDiv
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones, ones_like, zeros_like
from featherflow.ops.gather_ops import (
    SEGMENT_TYPES,
    GatherV2,
    UnsortedSegmentSum,
    gather_kept,
    unsorted_segment_shape,
)
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import shape_internal
from featherflow.ops.type_groups import NUMBERS, REAL

_REAL_TYPES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)


def lowest(dtype: np.dtype) -> Any:
    """The least finite value."""
    return ml_dtypes.iinfo(dtype).min if dtype.kind in "iu" else ml_dtypes.finfo(dtype).min


def highest(dtype: np.dtype) -> Any:
    """The greatest finite value."""
    return ml_dtypes.iinfo(dtype).max if dtype.kind in "iu" else ml_dtypes.finfo(dtype).max


# --- sorted ids -----------------------------------------------------------------------------------


def _define_segment_op(
    name: str, combine: np.ufunc, *, empty: int = 0, real: bool = False, mean: bool = False
) -> Op:
    """A reduction of the rows of ascending ids; `empty` fills segments without rows."""
    op = define_op(
        name,
        inputs=("data: T", "segment_ids: Tindices"),
        outputs=("output: T",),
        attrs=(f"T: {_REAL_TYPES if real else SEGMENT_TYPES}", "Tindices: {int32, int64}"),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> TensorShape:
        # That there is an id for each row is left to the run, as in TensorFlow.
        data = c.with_rank_at_least(0, 1)._dims
        c.with_rank(1, 1)
        if data is None:
            return UNKNOWN
        return TensorShape._of((None, *data[1:]))

    @op.kernel("CPU", T=REAL if real else NUMBERS)
    def cpu(data: np.ndarray, segment_ids: np.ndarray) -> np.ndarray:
        return gathering.segment_reduce(data, segment_ids, combine, empty, mean)

    return op


SegmentSum = _define_segment_op("SegmentSum", np.add)
SegmentMean = _define_segment_op("SegmentMean", np.add, mean=True)
SegmentProd = _define_segment_op("SegmentProd", np.multiply, empty=1)
SegmentMax = _define_segment_op("SegmentMax", np.maximum, real=True)
SegmentMin = _define_segment_op("SegmentMin", np.minimum, real=True)


@SegmentSum.gradient
def _segment_sum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return GatherV2(grad, op.inputs[1], 0), None


@SegmentMean.gradient
def _segment_mean_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    ids = op.inputs[1]
    # At least 1: no row takes the gradient of an empty segment, but NaN would spread from it.
    counts = maximum(SegmentSum(ones_like(ids), ids), 1)
    shape: Any = shape_of(grad)
    column = Reshape(cast(counts, grad.dtype), concat([shape[:1], ones_like(shape[1:])], 0))
    return GatherV2(RealDiv(grad, column), ids, 0), None


@SegmentMax.gradient
@SegmentMin.gradient
def _segment_extremum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    data, ids = op.inputs
    is_chosen = Equal(data, GatherV2(op.outputs[0], ids, 0))
    share = RealDiv(grad, SegmentSum(cast(is_chosen, grad.dtype), ids))
    return SelectV2(is_chosen, GatherV2(share, ids, 0), zeros_like(data)), None


@SegmentProd.gradient
def _segment_prod_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    def segment_sum(values: Tensor) -> Tensor:
        return SegmentSum(values, op.inputs[1])

    def segment_prod(values: Tensor) -> Tensor:
        return SegmentProd(values, op.inputs[1])

    def gather(segments: Tensor) -> Tensor:
        return GatherV2(segments, op.inputs[1], 0)

    return _product_gradient(op, grad, segment_sum, segment_prod, gather), None


def _product_gradient(
    op: Any, grad: Tensor, segment_sum: Any, segment_prod: Any, gather: Any
) -> Tensor:
    """∂∏/∂dᵢ = ∏ / dᵢ; where dᵢ is the only zero of its segment, the product of the others."""
    data = op.inputs[0]
    is_zero = Equal(data, zeros_like(data))
    zero_count = segment_sum(cast(is_zero, dtypes.int32))
    # Two zeros in a segment: whichever changes, the product stays zero.
    grad = SelectV2(Greater(zero_count, 1), zeros_like(grad), grad)
    nonzero = SelectV2(is_zero, ones_like(data), data)
    others = SelectV2(
        is_zero, gather(segment_prod(nonzero)), RealDiv(gather(op.outputs[0]), nonzero)
    )
    return Mul(gather(grad), conj(others))


@export("math.segment_sum")
@export_v1("segment_sum", "math.segment_sum")
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """output[j, …] = Σ data[i, …] over all i with segment_ids[i] = j; 0 if there is none.

    Args:
      data: [N, …].
      segment_ids: [N], integers that do not decrease.
      name: of the node.
    Returns:
      [last id + 1, …]
    Raises:
      InvalidArgumentError: the ids decrease or are negative.
    """
    return SegmentSum(data, segment_ids, name=name)


@export("math.segment_mean")
@export_v1("segment_mean", "math.segment_mean")
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """output[j, …] = mean of data[i, …] over all i with segment_ids[i] = j; see `segment_sum`."""
    return SegmentMean(data, segment_ids, name=name)


@export("math.segment_prod")
@export_v1("segment_prod", "math.segment_prod")
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """output[j, …] = ∏ data[i, …] over all i with segment_ids[i] = j; 1 if there is none.

    See `segment_sum`.
    """
    return SegmentProd(data, segment_ids, name=name)


@export("math.segment_max")
@export_v1("segment_max", "math.segment_max")
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """output[j, …] = max data[i, …] over all i with segment_ids[i] = j; 0 if there is none.

    See `segment_sum`.
    """
    return SegmentMax(data, segment_ids, name=name)


@export("math.segment_min")
@export_v1("segment_min", "math.segment_min")
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """output[j, …] = min data[i, …] over all i with segment_ids[i] = j; 0 if there is none.

    See `segment_sum`.
    """
    return SegmentMin(data, segment_ids, name=name)


# --- unsorted ids ---------------------------------------------------------------------------------


def _define_unsorted_op(name: str, combine: np.ufunc, empty: Any, *, real: bool = False) -> Op:
    """A reduction of the slices of ids in any order; `empty(dtype)` fills segments without any."""
    op = define_op(
        name,
        inputs=("data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"),
        outputs=("output: T",),
        attrs=(
            f"T: {_REAL_TYPES if real else SEGMENT_TYPES}",
            "Tindices: {int32, int64}",
            "Tnumsegments: {int32, int64} = int32",
        ),
    )
    op.shape_fn(unsorted_segment_shape)

    @op.kernel("CPU", T=REAL if real else NUMBERS)
    def cpu(data: np.ndarray, segment_ids: np.ndarray, num_segments: np.ndarray) -> np.ndarray:
        return gathering.unsorted_segment_reduce(
            data, segment_ids, num_segments, combine, empty(data.dtype)
        )

    return op


UnsortedSegmentProd = _define_unsorted_op("UnsortedSegmentProd", np.multiply, lambda dtype: 1)
UnsortedSegmentMax = _define_unsorted_op("UnsortedSegmentMax", np.maximum, lowest, real=True)
UnsortedSegmentMin = _define_unsorted_op("UnsortedSegmentMin", np.minimum, highest, real=True)


@UnsortedSegmentMax.gradient
@UnsortedSegmentMin.gradient
def _unsorted_extremum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    data, ids, count = op.inputs
    chosen, is_kept = gather_kept(op.outputs[0], ids)
    is_chosen = LogicalAnd(Equal(data, chosen), is_kept)
    share = RealDiv(grad, UnsortedSegmentSum(cast(is_chosen, grad.dtype), ids, count))
    rows, _ = gather_kept(share, ids)
    return SelectV2(is_chosen, rows, zeros_like(rows)), None, None


@UnsortedSegmentProd.gradient
def _unsorted_prod_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    _, ids, count = op.inputs

    def segment_sum(values: Tensor) -> Tensor:
        return UnsortedSegmentSum(values, ids, count)

    def segment_prod(values: Tensor) -> Tensor:
        return UnsortedSegmentProd(values, ids, count)

    def gather(segments: Tensor) -> Tensor:
        return gather_kept(segments, ids)[0]

    return _product_gradient(op, grad, segment_sum, segment_prod, gather), None, None


@export("math.unsorted_segment_prod")
@export_v1("unsorted_segment_prod", "math.unsorted_segment_prod")
def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """output[j, …] = ∏ data[i…, …] over all i… with segment_ids[i…] = j; 1 if there is none.

    See `unsorted_segment_sum`.
    """
    return UnsortedSegmentProd(data, segment_ids, num_segments, name=name)


@export("math.unsorted_segment_max")
@export_v1("unsorted_segment_max", "math.unsorted_segment_max")
def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """output[j, …] = max data[i…, …] over all i… with segment_ids[i…] = j.

    The least finite value if there is none. See `unsorted_segment_sum`.
    """
    return UnsortedSegmentMax(data, segment_ids, num_segments, name=name)


@export("math.unsorted_segment_min")
@export_v1("unsorted_segment_min", "math.unsorted_segment_min")
def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """output[j, …] = min data[i…, …] over all i… with segment_ids[i…] = j.

    The greatest finite value if there is none. See `unsorted_segment_sum`.
    """
    return UnsortedSegmentMin(data, segment_ids, num_segments, name=name)


# --- means of unsorted ids ------------------------------------------------------------------------


@export("math.unsorted_segment_mean")
@export_v1("unsorted_segment_mean", "math.unsorted_segment_mean")
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """output[j, …] = mean of data[i…, …] over all i… with segment_ids[i…] = j; 0 if there is none.

    See `unsorted_segment_sum`.
    """
    with name_scope(name, "UnsortedSegmentMean"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        return UnsortedSegmentSum(data, segment_ids, num_segments) / counts


@export("math.unsorted_segment_sqrt_n")
@export_v1("unsorted_segment_sqrt_n", "math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """output[j, …] = Σ data[i…, …] / √n over the n places i… with segment_ids[i…] = j.

    0 if there is none. See `unsorted_segment_sum`.
    """
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        return UnsortedSegmentSum(data, segment_ids, num_segments) / sqrt(counts)


def _segment_counts(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The number of slices of each segment, at least 1; it broadcasts against sums of them."""
    count: Any = convert_to_tensor(num_segments)
    ids_shape = shape_internal(segment_ids)
    counts = UnsortedSegmentSum(ones(ids_shape, data.dtype), segment_ids, count)
    outer = count[None]
    inner_rank: Any = rank_of(data) - rank_of(segment_ids)  # type: ignore[operator]
    counts_shape = concat([outer, ones([inner_rank], count.dtype)], 0)
    return maximum(Reshape(counts, counts_shape), 1)
