"""The Levenshtein distance of two sequences.

    d[i, j] = min(d[i−1, j] + 1, d[i, j−1] + 1, d[i−1, j−1] + (a[i] ≠ b[j]))

See: Wagner & Fischer 1974.
"""

from __future__ import annotations

import numpy as np


def edit_distance(source: np.ndarray, target: np.ndarray) -> int:
    """The least number of insertions, deletions and substitutions that lead to `target`.

    One row of d at a time. The term d[i, j−1] + 1 makes each element wait for the one before it;
    less j, it is a running minimum.
    """
    places = np.arange(len(target) + 1)
    row = places
    for count, item in enumerate(source, 1):
        following = np.empty_like(row)
        following[0] = count
        unequal = np.not_equal(target, item).astype(row.dtype)
        following[1:] = np.minimum(row[1:] + 1, row[:-1] + unequal)
        row = np.minimum.accumulate(following - places) + places
    return int(row[-1])


def error_rate(hypothesis: np.ndarray, truth: np.ndarray, normalize: bool) -> float:
    """The distance, divided by the length of `truth` if `normalize`; infinite if that is 0."""
    if not normalize:
        return float(edit_distance(hypothesis, truth))
    if not len(truth):
        return float("inf") if len(hypothesis) else 0.0
    return edit_distance(hypothesis, truth) / len(truth)
