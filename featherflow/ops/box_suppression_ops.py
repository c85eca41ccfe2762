"""Non-maximum suppression: the ops NonMaxSuppression to V5, …WithOverlaps and Combined….

The arithmetic is in `kernels/box_suppression.py` and `kernels/box_detections.py`; the public
functions are in `box_selection_ops.py`.
"""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.kernels import box_detections, box_suppression
from featherflow.kernels.box_suppression import Limits, Selection

_NO_GRADIENT = "indices are integers"
_HALF_OR_SINGLE = (dtypes.float16, dtypes.float32)
_T = "T: {half, float} = float"
_T_THRESHOLD = "T_threshold: {half, float} = float"
_PADDED = "pad_to_max_output_size: bool = false"
_VECTOR = TensorShape._of((None,))


def _selected_shape(c: InferenceContext) -> TensorShape:
    """Checks boxes `[n, 4]`, scores `[n]` and scalars; how many are selected is not known."""
    count, corners = c.dims(0, 2)
    c.merge_dim(count, c.dims(1, 1)[0])
    if corners not in (None, 4):
        c.fail(f"Dimension must be 4 but is {corners}", received=c.received())
    for index in range(2, len(c.shapes)):
        c.with_rank(index, 0)
    return _VECTOR


def _padded_shape(c: InferenceContext) -> TensorShape:
    unpadded = _selected_shape(c)
    if not c.attrs["pad_to_max_output_size"]:
        return unpadded
    return TensorShape._of((_size_of(c, 2),))


def _size_of(c: InferenceContext, index: int) -> Dim:
    """The size that a scalar input states."""
    size = c.constant(index)
    if size is None:
        return None
    if size < 0:
        c.fail(f"{c.input_name(index)} must not be negative", received=int(size))
    return int(size)


def _suppressed(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_size: np.ndarray,
    iou_threshold: np.ndarray,
    score_threshold: np.ndarray | None = None,
    soft_nms_sigma: np.ndarray | None = None,
) -> Selection:
    count = box_suppression.check_count(max_output_size)
    overlap = box_suppression.check_overlap_threshold(iou_threshold)
    box_suppression.check_boxes(boxes, scores)
    score = scores.dtype.type(np.finfo(scores.dtype).min)
    if score_threshold is not None:
        score = box_suppression.check_threshold(score_threshold, "score_threshold")
    sigma = scores.dtype.type(0)
    if soft_nms_sigma is not None:
        sigma = box_suppression.check_threshold(soft_nms_sigma, "soft_nms_sigma")
        if not sigma >= 0:
            raise InvalidArgumentError(
                None, None, "soft_nms_sigma must not be negative", received=str(sigma)
            )
    return box_suppression.suppress_boxes(boxes, scores, count, Limits(overlap, score, sigma))


# --- NonMaxSuppression, V2, V3 --------------------------------------------------------------------

NonMaxSuppression = define_op(
    "NonMaxSuppression",
    inputs=("boxes: float", "scores: float", "max_output_size: int32"),
    outputs=("selected_indices: int32",),
    attrs=("iou_threshold: float = 0.5",),
)
NonMaxSuppression.shape_fn(_selected_shape)


@NonMaxSuppression.kernel("CPU")
def _non_max_suppression_cpu(
    boxes: np.ndarray, scores: np.ndarray, max_output_size: np.ndarray, *, iou_threshold: float
) -> np.ndarray:
    threshold = np.asarray(iou_threshold, np.float32)
    return _suppressed(boxes, scores, max_output_size, threshold).indices


NonMaxSuppression.not_differentiable(_NO_GRADIENT)


def _define_thresholded(name: str, *thresholds: str) -> Op:
    """An op of boxes, scores, a count and thresholds whose one output is indices."""
    op = define_op(
        name,
        inputs=("boxes: T", "scores: T", "max_output_size: int32", *thresholds),
        outputs=("selected_indices: int32",),
        attrs=(_T, _T_THRESHOLD),
    )
    op.shape_fn(_selected_shape)

    @op.kernel("CPU", T=_HALF_OR_SINGLE)
    def _thresholded_cpu(*inputs: np.ndarray) -> np.ndarray:
        return _suppressed(*inputs).indices

    op.not_differentiable(_NO_GRADIENT)
    return op


NonMaxSuppressionV2 = _define_thresholded("NonMaxSuppressionV2", "iou_threshold: T_threshold")
NonMaxSuppressionV3 = _define_thresholded(
    "NonMaxSuppressionV3", "iou_threshold: T_threshold", "score_threshold: T_threshold"
)

# --- NonMaxSuppressionV4 --------------------------------------------------------------------------

NonMaxSuppressionV4 = define_op(
    "NonMaxSuppressionV4",
    inputs=(
        "boxes: T",
        "scores: T",
        "max_output_size: int32",
        "iou_threshold: T_threshold",
        "score_threshold: T_threshold",
    ),
    outputs=("selected_indices: int32", "valid_outputs: int32"),
    attrs=(_T, _T_THRESHOLD, _PADDED),
)


@NonMaxSuppressionV4.shape_fn
def _non_max_suppression_v4_shape(c: InferenceContext) -> list[TensorShape]:
    return [_padded_shape(c), SCALAR]


@NonMaxSuppressionV4.kernel("CPU", T=_HALF_OR_SINGLE)
def _non_max_suppression_v4_cpu(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_size: np.ndarray,
    iou_threshold: np.ndarray,
    score_threshold: np.ndarray,
    *,
    pad_to_max_output_size: bool,
) -> tuple[np.ndarray, np.ndarray]:
    selected = _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold)
    size = int(max_output_size) if pad_to_max_output_size else len(selected.indices)
    return box_suppression.padded(selected.indices, size), _count(selected)


def _count(selected: Selection) -> np.ndarray:
    return np.asarray(len(selected.indices), np.int32)


NonMaxSuppressionV4.without_gradient(_NO_GRADIENT)

# --- NonMaxSuppressionV5 --------------------------------------------------------------------------

NonMaxSuppressionV5 = define_op(
    "NonMaxSuppressionV5",
    inputs=(
        "boxes: T",
        "scores: T",
        "max_output_size: int32",
        "iou_threshold: T",
        "score_threshold: T",
        "soft_nms_sigma: T",
    ),
    outputs=("selected_indices: int32", "selected_scores: T", "valid_outputs: int32"),
    attrs=(_T, _PADDED),
)


@NonMaxSuppressionV5.shape_fn
def _non_max_suppression_v5_shape(c: InferenceContext) -> list[TensorShape]:
    selected = _padded_shape(c)
    return [selected, selected, SCALAR]


@NonMaxSuppressionV5.kernel("CPU", T=_HALF_OR_SINGLE)
def _non_max_suppression_v5_cpu(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_size: np.ndarray,
    iou_threshold: np.ndarray,
    score_threshold: np.ndarray,
    soft_nms_sigma: np.ndarray,
    *,
    pad_to_max_output_size: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    selected = _suppressed(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    size = int(max_output_size) if pad_to_max_output_size else len(selected.indices)
    indices, kept_scores = (box_suppression.padded(values, size) for values in selected)
    return indices, kept_scores, _count(selected)


NonMaxSuppressionV5.without_gradient("TensorFlow gives it no gradient")

# --- NonMaxSuppressionWithOverlaps ----------------------------------------------------------------

NonMaxSuppressionWithOverlaps = define_op(
    "NonMaxSuppressionWithOverlaps",
    inputs=(
        "overlaps: float",
        "scores: float",
        "max_output_size: int32",
        "overlap_threshold: float",
        "score_threshold: float",
    ),
    outputs=("selected_indices: int32",),
)


@NonMaxSuppressionWithOverlaps.shape_fn
def _non_max_suppression_with_overlaps_shape(c: InferenceContext) -> TensorShape:
    rows, columns = c.dims(0, 2)
    c.merge_dim(rows, c.dims(1, 1)[0])
    c.merge_dim(rows, columns)
    for index in (2, 3, 4):
        c.with_rank(index, 0)
    return _VECTOR


@NonMaxSuppressionWithOverlaps.kernel("CPU")
def _non_max_suppression_with_overlaps_cpu(
    overlaps: np.ndarray,
    scores: np.ndarray,
    max_output_size: np.ndarray,
    overlap_threshold: np.ndarray,
    score_threshold: np.ndarray,
) -> np.ndarray:
    count = box_suppression.check_count(max_output_size)
    if overlaps.ndim != 2 or overlaps.shape != scores.shape * 2:
        raise InvalidArgumentError(
            None,
            None,
            "overlaps must be [n, n] and scores [n]",
            received=f"shapes {list(overlaps.shape)} and {list(scores.shape)}",
        )
    limits = Limits(
        box_suppression.check_threshold(overlap_threshold, "overlap_threshold"),
        box_suppression.check_threshold(score_threshold, "score_threshold"),
        np.float32(0),
    )
    return box_suppression.suppress(
        lambda index, others: overlaps[index, others], scores, count, limits
    ).indices


NonMaxSuppressionWithOverlaps.not_differentiable(_NO_GRADIENT)

# --- CombinedNonMaxSuppression --------------------------------------------------------------------

CombinedNonMaxSuppression = define_op(
    "CombinedNonMaxSuppression",
    inputs=(
        "boxes: float",
        "scores: float",
        "max_output_size_per_class: int32",
        "max_total_size: int32",
        "iou_threshold: float",
        "score_threshold: float",
    ),
    outputs=(
        "nmsed_boxes: float",
        "nmsed_scores: float",
        "nmsed_classes: float",
        "valid_detections: int32",
    ),
    attrs=("pad_per_class: bool = false", "clip_boxes: bool = true"),
)


@CombinedNonMaxSuppression.shape_fn
def _combined_non_max_suppression_shape(c: InferenceContext) -> list[TensorShape]:
    batch, count, sets, corners = c.dims(0, 4)
    score_batch, score_count, classes = c.dims(1, 3)
    for index in range(2, 6):
        c.with_rank(index, 0)
    c.merge_dim(batch, score_batch)
    c.merge_dim(count, score_count)
    if corners not in (None, 4):
        c.fail(f"Dimension must be 4 but is {corners}", received=c.received())
    if sets not in (None, 1, classes) and classes is not None:
        c.fail("boxes must have one set, or one for each class", received=c.received())
    size = _detections_dim(c, classes)
    return [
        TensorShape._of(dims) for dims in ((batch, size, 4), (batch, size), (batch, size), (batch,))
    ]


def _detections_dim(c: InferenceContext, classes: Dim) -> Dim:
    """How many detections an image has at most."""
    total = c.constant(3)
    if total is None:
        return None
    if total <= 0:
        c.fail("max_total_size should be > 0", received=int(total))
    per_class = _size_of(c, 2)
    if not c.attrs["pad_per_class"]:
        return int(total)
    if per_class is None or classes is None:
        return None
    return min(int(total), per_class * classes)


@CombinedNonMaxSuppression.kernel("CPU")
def _combined_non_max_suppression_cpu(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_size_per_class: np.ndarray,
    max_total_size: np.ndarray,
    iou_threshold: np.ndarray,
    score_threshold: np.ndarray,
    *,
    pad_per_class: bool,
    clip_boxes: bool,
) -> tuple[np.ndarray, ...]:
    per_class = box_suppression.check_count(max_output_size_per_class)
    total = box_suppression.check_count(max_total_size)
    if not per_class or not total:
        raise InvalidArgumentError(None, None, "Sizes must be > 0", received="0")
    overlap = box_suppression.check_overlap_threshold(iou_threshold)
    box_detections.check_batches(boxes, scores)
    if pad_per_class:
        total = min(total, per_class * scores.shape[2])
    score = box_suppression.check_threshold(score_threshold, "score_threshold")
    limits = box_detections.DetectionLimits(per_class, total, overlap, score)
    return box_detections.combined_suppression(boxes, scores, limits, clip_boxes)


CombinedNonMaxSuppression.without_gradient("TensorFlow gives it no gradient")
