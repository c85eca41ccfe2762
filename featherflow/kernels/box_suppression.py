"""Non-maximum suppression: which of many overlapping, scored boxes to keep.

Boxes are taken in the order of their scores, equal ones in the order of their indices. A box is
dropped where it overlaps one taken before by more than a threshold. Soft suppression lowers its
score instead, by exp(−IoU² / 2σ) for each box taken before, and puts it back in line.

    IoU = area of the intersection / area of the union

See: Bodla et al. 2017, "Soft-NMS: improving object detection with one line of code".
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

#: The overlaps of one box, given by its index, with those of other indices.
Similarity = Callable[[int, np.ndarray], np.ndarray]


class Limits(NamedTuple):
    """What is dropped: `overlap` above this, `score` not above this; `sigma` above 0 is soft."""

    overlap: np.floating
    score: np.floating
    sigma: np.floating


class Selection(NamedTuple):
    """Indices (int32) of the boxes kept, best first, and their scores after soft suppression."""

    indices: np.ndarray
    scores: np.ndarray


class Boxes:
    """Boxes `[n, 4]` as their edges and areas.

    Each is two opposite corners (y, x); which ones does not matter. Overlaps are computed in
    float32 and rounded to the dtype of the boxes.
    """

    def __init__(self, boxes: np.ndarray) -> None:
        self.dtype = boxes.dtype
        first, second = np.split(boxes.astype(np.float32, copy=False), 2, axis=1)
        self.low = np.minimum(first, second)
        self.high = np.maximum(first, second)
        with np.errstate(all="ignore"):
            self.areas = np.prod(self.high - self.low, axis=1)

    def overlaps(self, index: int, others: np.ndarray) -> np.ndarray:
        """The IoU of a box with each of `others`; 0 where either has no area."""
        with np.errstate(all="ignore"):
            low = np.maximum(self.low[index], self.low[others])
            high = np.minimum(self.high[index], self.high[others])
            sides = np.maximum(high - low, 0)
            shared = sides[:, 0] * sides[:, 1]
            area, areas = self.areas[index], self.areas[others]
            ratio = shared / (area + areas - shared)
        ratio[(areas <= 0) | (area <= 0)] = 0
        return ratio.astype(self.dtype, copy=False)


def check_count(max_output_size: np.ndarray) -> int:
    """`max_output_size` as a number.

    Raises:
      InvalidArgumentError: it is no scalar, or negative.
    """
    if max_output_size.ndim or max_output_size < 0:
        raise InvalidArgumentError(
            None,
            None,
            "max_output_size must be a scalar that is not negative",
            received=str(max_output_size.tolist()),
        )
    return int(max_output_size)


def check_threshold(threshold: np.ndarray, name: str) -> np.floating:
    """A threshold as a scalar.

    Raises:
      InvalidArgumentError: it is none.
    """
    if threshold.ndim:
        raise InvalidArgumentError(
            None, None, f"{name} must be 0-D", received=f"shape {list(threshold.shape)}"
        )
    return threshold.dtype.type(threshold)


def check_overlap_threshold(threshold: np.ndarray) -> np.floating:
    """An IoU that boxes may have.

    Raises:
      InvalidArgumentError: it is no scalar of [0, 1].
    """
    value = check_threshold(threshold, "iou_threshold")
    if not 0 <= value <= 1:
        raise InvalidArgumentError(
            None, None, "iou_threshold must be in [0, 1]", received=str(value)
        )
    return value


def check_boxes(boxes: np.ndarray, scores: np.ndarray) -> None:
    """Raises InvalidArgumentError unless boxes are `[n, 4]` and scores `[n]`."""
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise InvalidArgumentError(
            None,
            None,
            "boxes must be [n, 4] and scores [n]",
            received=f"shapes {list(boxes.shape)} and {list(scores.shape)}",
        )


def suppress_boxes(boxes: np.ndarray, scores: np.ndarray, count: int, limits: Limits) -> Selection:
    """Selects up to `count` of the boxes `[n, 4]`."""
    sides = Boxes(boxes)
    # Areas that are not finite make overlaps NaN, which lower scores though they drop nothing.
    if limits.sigma == 0 and np.isfinite(sides.areas).all():
        ahead = np.flatnonzero(scores > limits.score)
        ahead = ahead[np.argsort(-scores[ahead], kind="stable")]
        indices = sweep(sides.overlaps, ahead, count, limits.overlap)
        return Selection(indices, scores[indices])
    return suppress(sides.overlaps, scores, count, limits)


def sweep(similarity: Similarity, line: np.ndarray, count: int, overlap: np.floating) -> np.ndarray:
    """Takes the first of `line` and drops what overlaps it by more, up to `count` times.

    Returns:
      The indices taken, int32.
    """
    taken: list[int] = []
    while len(line) and len(taken) < count:
        best, line = int(line[0]), line[1:]
        taken.append(best)
        line = line[~(similarity(best, line) > overlap)]
    return np.asarray(taken, np.int32)


def suppress(similarity: Similarity, scores: np.ndarray, count: int, limits: Limits) -> Selection:
    """Selects up to `count` of the candidates that have `scores` `[n]`.

    A candidate at the head of the line is compared with those taken since it last stood there; if
    that lowers its score it queues up again.
    """
    line = [(-score, index, 0) for index, score in enumerate(scores) if score > limits.score]
    heapq.heapify(line)
    taken: list[int] = []
    kept_scores: list[np.floating] = []
    while line and len(taken) < count:
        negative, index, seen = heapq.heappop(line)
        score = -negative
        overlaps = similarity(index, np.asarray(taken[seen:][::-1], np.int64))
        if limits.sigma == 0 and (overlaps > limits.overlap).any():
            continue
        lowered = _lowered(score, overlaps, limits)
        if lowered == score:
            taken.append(index)
            kept_scores.append(score)
        elif lowered > limits.score:
            heapq.heappush(line, (-lowered, index, len(taken)))
    return Selection(np.asarray(taken, np.int32), np.asarray(kept_scores, scores.dtype))


def _lowered(score: np.floating, overlaps: np.ndarray, limits: Limits) -> np.floating:
    """A score times the weight of each overlap, multiplied up one by one."""
    if limits.sigma > 0:
        weights = np.exp(limits.sigma.dtype.type(-0.5) / limits.sigma * overlaps * overlaps)
    else:
        weights = (overlaps <= limits.overlap).astype(overlaps.dtype)
    factors = np.concatenate([np.atleast_1d(score), weights.astype(score.dtype)])
    return np.multiply.accumulate(factors)[-1]


def padded(values: np.ndarray, size: int) -> np.ndarray:
    """`values` and zeros up to `size`."""
    result = np.zeros((size, *values.shape[1:]), values.dtype)
    result[: len(values)] = values
    return result
