"""The functions `tf.image.non_max_suppression…` and `combined_non_max_suppression`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.box_suppression_ops import (
    CombinedNonMaxSuppression,
    NonMaxSuppressionV3,
    NonMaxSuppressionV4,
    NonMaxSuppressionV5,
    NonMaxSuppressionWithOverlaps,
)
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.element_loops import map_fn
from featherflow.ops.gather_ops import gather_v2
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.sort_ops import argsort
from featherflow.ops.where_ops import where_v2


@export("image.non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Indices of the best boxes that do not overlap: greedily, in the order of their scores.

    Args:
      boxes: `[n, 4]`, two opposite corners (y, x) each, float32 or float16.
      scores: `[n]`.
      max_output_size: how many to select at most, scalar int32.
      iou_threshold: a box that overlaps a selected one by more is dropped; of [0, 1].
      score_threshold: only boxes of higher scores are considered.
      name: of the scope of the nodes.
    Returns:
      int32 `[m]`, best first.
    Raises:
      ValueError: ranks do not fit.
      InvalidArgumentError: a threshold or the size is out of range.

    >>> import featherflow as tf
    >>> boxes = [[0.0, 0, 1, 1], [0, 0, 0.9, 1], [0, 2, 1, 3]]
    >>> with tf.Session() as sess:
    ...     sess.run(tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.3], 3)).tolist()
    [1, 2]
    """
    with op_scope(name, "non_max_suppression"):
        overlap = convert_to_tensor(iou_threshold, name="iou_threshold")
        score = convert_to_tensor(score_threshold, name="score_threshold")
        return NonMaxSuppressionV3(boxes, scores, max_output_size, overlap, score)


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression` with scores, which soft suppression lowers instead of dropping boxes.

    Args:
      boxes, scores, max_output_size, iou_threshold, score_threshold, name: as for
        `non_max_suppression`.
      soft_nms_sigma: σ: each selected box multiplies the scores of others by exp(−IoU² / 2σ).
        0 drops boxes.
    Returns:
      Indices, int32 `[m]`, and the scores that they had when they were selected, `[m]`.
    Raises:
      InvalidArgumentError: a threshold, σ or the size is out of range.
    """
    with op_scope(name, "non_max_suppression_with_scores"):
        indices, kept_scores, _ = NonMaxSuppressionV5(
            boxes,
            scores,
            max_output_size,
            convert_to_tensor(iou_threshold, name="iou_threshold"),
            convert_to_tensor(score_threshold, name="score_threshold"),
            convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma"),
            pad_to_max_output_size=False,
        )
        return indices, kept_scores


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """`non_max_suppression` where the overlaps of boxes are given, in any measure.

    Args:
      overlaps: of each pair of boxes, float32 `[n, n]`.
      scores: float32 `[n]`.
      max_output_size, score_threshold, name: as for `non_max_suppression`.
      overlap_threshold: a box that overlaps a selected one by more is dropped.
    Returns:
      int32 `[m]`, best first.
    """
    with op_scope(name, "non_max_suppression_overlaps"):
        threshold = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return NonMaxSuppressionWithOverlaps(
            overlaps, scores, max_output_size, threshold, score_threshold
        )


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression` of batches of boxes, with indices filled up to a fixed size.

    Args:
      boxes: `[…, n, 4]`, float32.
      scores: `[…, n]`.
      max_output_size: m, scalar int32.
      iou_threshold, score_threshold, name: as for `non_max_suppression`.
      pad_to_max_output_size: indices are filled up with zeros. Batches of boxes need it.
      sorted_input: the order of the boxes is that of their scores.
      canonicalized_coordinates: the first corner is the one of smaller coordinates; it changes
        nothing.
      tile_size: changes nothing; it says how large the parts are that other implementations take.
    Returns:
      Indices, int32 `[…, m]`, and how many of them count, int32 `[…]`.
    Raises:
      ValueError: batches of boxes are not to be filled up.
    """
    with op_scope(name, "non_max_suppression_padded"):
        boxes = convert_to_tensor(boxes, dtypes.float32, name="boxes")
        scores = convert_to_tensor(scores, dtypes.float32, name="scores")
        if not pad_to_max_output_size and boxes.shape.rank not in (None, 2):
            raise ValueError(
                "'pad_to_max_output_size' (value False) must be True for batched input"
            )

        def select(one: tuple[Any, Any]) -> tuple[Tensor, Tensor]:
            return _select_padded(
                *one, max_output_size, iou_threshold, score_threshold, sorted_input
            )

        if boxes.shape.rank == 2:
            indices, count = select((boxes, scores))
            return (indices if pad_to_max_output_size else indices[:count]), count
        return _select_each(select, boxes, scores)


def _select_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    sorted_input: bool,
) -> tuple[Tensor, Tensor]:
    """Indices of boxes `[n, 4]`, filled up with zeros, and how many of them count."""
    order = argsort(scores, direction="DESCENDING", stable=True)
    size: Any = shape(scores)
    if sorted_input:
        order = range_(size[0])
    sorted_scores = gather_v2(scores, order)
    # From here on only the order counts, and what is not above the threshold is nothing.
    ranks: Any = cast(range_(size[0]), dtypes.float32)
    ranked = where_v2(sorted_scores > score_threshold, -ranks, -np.inf)  # type: ignore[operator]
    places, count = NonMaxSuppressionV4(
        gather_v2(boxes, order),
        ranked,
        max_output_size,
        iou_threshold,
        float("-inf"),
        pad_to_max_output_size=True,
    )
    is_valid = range_(max_output_size) < count  # type: ignore[operator]
    padded_order = concat([order, [0]], 0)  # a first index exists even where no box does
    indices = where_v2(is_valid, gather_v2(padded_order, places), 0)
    indices.set_shape(places.shape)
    return indices, count


def _select_each(select: Any, boxes: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """What `select` makes of each set of boxes `[…, n, 4]` and scores `[…, n]`."""
    batch: Any = shape(boxes)[:-2]  # type: ignore[index]
    static = boxes.shape[:-2] if boxes.shape.rank is not None else None
    count: Any = shape(boxes)[-2]  # type: ignore[index]
    flat_boxes = reshape(boxes, [-1, count, 4])
    flat_scores = reshape(scores, [-1, count])
    indices, counts = map_fn(select, (flat_boxes, flat_scores), dtype=(dtypes.int32, dtypes.int32))
    batched = reshape(indices, concat([batch, shape(indices)[1:]], 0))  # type: ignore[index]
    batched_counts = reshape(counts, batch)
    if static is not None:
        batched.set_shape(static.concatenate(indices.shape[1:]))
        batched_counts.set_shape(static)
    return batched, batched_counts


@export("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`non_max_suppression` of each class by itself, and the best of all classes, per image.

    Args:
      boxes: float32 `[N, n, q, 4]`: for each class (q of them), or for all alike (q = 1).
      scores: float32 `[N, n, classes]`.
      max_output_size_per_class: scalar int32.
      max_total_size: m, of an image, scalar int32.
      iou_threshold, score_threshold: as for `non_max_suppression`.
      pad_per_class: m is at most `max_output_size_per_class` · classes.
      clip_boxes: coordinates are limited to [0, 1].
      name: of the scope of the nodes.
    Returns:
      Boxes `[N, m, 4]`, scores `[N, m]` and classes (float32) `[N, m]`, best first and filled up
      with zeros, and how many there are, int32 `[N]`.
    Raises:
      ValueError: shapes do not fit, or a size is not positive.
    """
    with op_scope(name, "combined_non_max_suppression"):
        overlap = convert_to_tensor(iou_threshold, dtypes.float32, name="iou_threshold")
        score = convert_to_tensor(score_threshold, dtypes.float32, name="score_threshold")
        total = convert_to_tensor(max_total_size)
        return CombinedNonMaxSuppression(
            boxes,
            scores,
            max_output_size_per_class,
            total,
            overlap,
            score,
            pad_per_class=pad_per_class,
            clip_boxes=clip_boxes,
        )
