"""Updates of rows that may be named more than once, one after the other but not one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np


def rounds(indices: np.ndarray) -> Iterator[np.ndarray | slice]:
    """Positions in `indices` [N], in groups without repetitions, in the order to be kept.

    The k-th group holds the k-th occurrence of every row that comes so often: what one row
    undergoes keeps its order, and different rows do not depend on one another.

    >>> [positions.tolist() for positions in rounds(np.array([4, 4, 2, 4]))]
    [[0, 2], [1], [3]]
    """
    count = len(indices)
    order = np.argsort(indices, kind="stable")
    is_first = np.ones(count, bool)
    is_first[1:] = indices[order[1:]] != indices[order[:-1]]
    if is_first.all():
        yield slice(None)
        return
    steps = np.arange(count)
    occurrence = np.empty(count, np.intp)
    occurrence[order] = steps - np.maximum.accumulate(np.where(is_first, steps, 0))
    for number in range(int(occurrence.max()) + 1):
        yield np.flatnonzero(occurrence == number)


def update_rows(
    update: Callable[[list[np.ndarray], np.ndarray], None],
    cells: Sequence[np.ndarray],
    grad: np.ndarray,
    indices: np.ndarray,
) -> None:
    """Lets `update(rows of the cells, rows of grad)` change rows in place.

    Args:
      cells: arrays `[rows, …]` of one shape.
      grad: `[N, …]`.
      indices: `[N]`, the rows of the cells to which the rows of `grad` belong.
    """
    for positions in rounds(indices):
        rows = indices[positions]
        parts = [cell[rows] for cell in cells]
        update(parts, grad[positions])
        for cell, part in zip(cells, parts):
            cell[rows] = part
