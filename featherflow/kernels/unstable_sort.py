"""The order that the C++ library's introsort gives to scores, of which some are equal.

Quicksort, with the median of three as the pivot, down to parts of 16, and insertion sort for the
rest. Where TensorFlow sorts so, the order of equal scores is what these steps make of them.

See: Musser 1997, "Introspective sorting and selection algorithms".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_SMALL = 16


def descending_order(scores: np.ndarray) -> np.ndarray:
    """Indices of `scores` from the largest to the smallest."""
    order = list(range(len(scores)))
    if len(scores) > _SMALL and len(np.unique(scores)) < len(scores):
        _split(order, scores.tolist())
    places = np.asarray(order, np.int64)
    # Insertion sort leaves equal scores in the order that they have by now.
    return places[np.argsort(-scores[places], kind="stable")]


def _split(order: list[int], scores: list[float]) -> None:
    """Orders indices so far that each part of up to 16 holds what belongs there."""
    depth = 2 * (len(order).bit_length() - 1)
    parts = [(0, len(order), depth)]
    while parts:
        first, last, depth = parts.pop()
        while last - first > _SMALL and depth:
            depth -= 1
            middle = _partition(order, scores, first, last)
            parts.append((middle, last, depth))
            last = middle


def _partition(order: list[int], scores: list[float], first: int, last: int) -> int:
    """Puts what is before the pivot on the left, the rest on the right; returns where it starts."""

    def before(left: int, right: int) -> bool:
        return scores[order[left]] > scores[order[right]]

    middle = _median(before, first + 1, first + (last - first) // 2, last - 1)
    order[first], order[middle] = order[middle], order[first]
    left, right = first + 1, last
    while True:
        while before(left, first):
            left += 1
        right -= 1
        while before(first, right):
            right -= 1
        if left >= right:
            return left
        order[left], order[right] = order[right], order[left]
        left += 1


def _median(before: Callable[[int, int], bool], a: int, b: int, c: int) -> int:
    """Which of three places holds the one in the middle."""
    if before(a, b):
        return b if before(b, c) else c if before(a, c) else a
    return a if before(a, c) else c if before(b, c) else b
