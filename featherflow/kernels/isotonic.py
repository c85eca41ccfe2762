"""Isotonic regression: the closest sequence that never increases.

See: Best & Chakravarti 1990, pool adjacent violators.
"""

from __future__ import annotations

import numpy as np


def pool_adjacent_violators(rows: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """For each row the non-increasing sequence of the least squared distance.

    Args:
      rows: [rows, N].
      dtype: of the sequences.
    Returns:
      The sequences, and the number of the block of equal values that each element is in.
    """
    values = np.empty(rows.shape, dtype)
    segments = np.empty(rows.shape, np.int32)
    for row, (value, segment) in enumerate(zip(values, segments)):
        means, sizes = _pooled(rows[row].astype(np.float64).tolist())
        value[:] = np.repeat(np.array(means).astype(dtype), sizes)
        segment[:] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return values, segments


def _pooled(row: list[float]) -> tuple[list[float], list[int]]:
    """Means and sizes of the blocks; a block that is above the one before is merged with it."""
    means: list[float] = []
    sizes: list[int] = []
    for number in row:
        mean, size = number, 1
        while means and mean > means[-1]:
            before = sizes.pop()
            mean = (mean * size + means.pop() * before) / (size + before)
            size += before
        means.append(mean)
        sizes.append(size)
    return means, sizes
