"""Non-maximum suppression of many classes and images at once: CombinedNonMaxSuppression."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.box_suppression import Boxes, padded, sweep
from featherflow.kernels.unstable_sort import descending_order


class Detections(NamedTuple):
    """The boxes `[n, 4]`, scores `[n]` and classes `[n]` found in an image, best first."""

    boxes: np.ndarray
    scores: np.ndarray
    classes: np.ndarray


class DetectionLimits(NamedTuple):
    """How many detections a class and an image may have, and what is dropped."""

    per_class: int
    total: int
    overlap: np.floating
    score: np.floating


def check_batches(boxes: np.ndarray, scores: np.ndarray) -> None:
    """Checks boxes `[N, n, classes or 1, 4]` and scores `[N, n, classes]`.

    Raises:
      InvalidArgumentError: they have other shapes.
    """
    fits = (
        boxes.ndim == 4
        and scores.ndim == 3
        and boxes.shape[:2] == scores.shape[:2]
        and boxes.shape[2] in (1, scores.shape[2])
        and boxes.shape[3] == 4
    )
    if not fits:
        raise InvalidArgumentError(
            None,
            None,
            "boxes must be [batch, n, classes or 1, 4] and scores [batch, n, classes]",
            received=f"shapes {list(boxes.shape)} and {list(scores.shape)}",
        )


def detect(boxes: np.ndarray, scores: np.ndarray, limits: DetectionLimits) -> Detections:
    """The detections in one image.

    Args:
      boxes: `[n, classes or 1, 4]`.
      scores: `[n, classes]`.
    """
    found = [
        (label, _of_class(boxes[:, min(label, boxes.shape[1] - 1)], scores[:, label], limits))
        for label in range(scores.shape[1])
    ]
    labels = np.concatenate([[], *(np.full(len(kept), label) for label, kept in found)])
    places = np.concatenate([np.array([], np.int64), *(kept for _, kept in found)])
    classes = labels.astype(np.int64)
    all_scores = scores[places, classes]
    best = descending_order(all_scores)[: limits.total]
    places, classes = places[best], classes[best]
    return Detections(
        boxes[places, np.minimum(classes, boxes.shape[1] - 1)],
        all_scores[best],
        classes.astype(np.float32),
    )


def _of_class(boxes: np.ndarray, scores: np.ndarray, limits: DetectionLimits) -> np.ndarray:
    """Indices of the boxes of one class that are kept, best first."""
    candidates = np.flatnonzero(scores > limits.score)
    line = candidates[queue_order(scores[candidates])]
    return sweep(Boxes(boxes).overlaps, line, limits.per_class, limits.overlap)


def queue_order(scores: np.ndarray) -> np.ndarray:
    """The order in which TensorFlow's queue hands out candidates that were put in one by one.

    Higher scores come first. Equal ones come as a binary heap that compares nothing but scores
    happens to hold them, so that with such the heap itself has to be run.
    """
    if len(np.unique(scores)) == len(scores):
        return np.argsort(-scores)
    heap: list[tuple[float, int]] = []
    for index, score in enumerate(scores.tolist()):
        heap.append((score, index))
        _rise(heap, len(heap) - 1)
    order = []
    while heap:
        order.append(heap[0][1])
        last = heap.pop()
        if heap:
            _rise(heap, _sink(heap), last)
    return np.asarray(order, np.int64)


def _rise(heap: list[tuple[float, int]], hole: int, entry: tuple[float, int] | None = None) -> None:
    """Moves an entry up from `hole` past parents of lower scores."""
    entry = heap[hole] if entry is None else entry
    while hole and heap[(hole - 1) // 2][0] < entry[0]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = entry


def _sink(heap: list[tuple[float, int]]) -> int:
    """Moves the hole at the root down to a leaf, along the larger children; returns the leaf."""
    hole, size = 0, len(heap)
    while 2 * hole + 2 < size:
        right = 2 * hole + 2
        child = right - 1 if heap[right][0] < heap[right - 1][0] else right
        heap[hole] = heap[child]
        hole = child
    if 2 * hole + 2 == size:
        heap[hole] = heap[size - 1]
        hole = size - 1
    return hole


def combined_suppression(
    boxes: np.ndarray, scores: np.ndarray, limits: DetectionLimits, clip: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Boxes, scores and classes of each image, filled up with zeros, and how many they are."""
    found = [detect(*image, limits) for image in zip(boxes, scores)]
    size = limits.total
    kept = _stacked([padded(image.boxes, size) for image in found], (size, 4))
    if clip:
        kept = np.clip(kept, 0, 1)
    counts = np.asarray([len(image.scores) for image in found], np.int32)
    return (
        kept,
        _stacked([padded(image.scores, size) for image in found], (size,)),
        _stacked([padded(image.classes, size) for image in found], (size,)),
        counts,
    )


def _stacked(rows: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return np.stack(rows) if rows else np.zeros((0, *shape), np.float32)
