"""Rows of sparse tensors: the entries that share all indices but the last.

A group is a run of neighbouring entries. Two tensors are walked together, as sorted lists are
merged: a group of either one comes with that of the other for the same row, or with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.sparse import check_sizes

Group = tuple[tuple[int, ...], Any]


def check_parts(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> None:
    """Raises InvalidArgumentError unless the three are a sparse tensor of rows."""
    fits = (
        (indices.ndim, values.ndim, shape.ndim) == (2, 1, 1)
        and len(indices) == len(values)
        and indices.shape[1] == len(shape) >= 2
    )
    if not fits:
        raise InvalidArgumentError(
            None,
            None,
            "indices, values and shape make no sparse tensor",
            received=f"shapes {list(indices.shape)}, {list(values.shape)}, {list(shape.shape)}",
            expected="[N, rank], [N], [rank] and a rank of 2 or more",
        )
    check_sizes(shape)


def groups_of(indices: np.ndarray, values: np.ndarray) -> list[Group]:
    """(row, its values) of each run of entries of one row."""
    if not len(indices):
        return []
    rows = indices[:, :-1]
    starts = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1
    bounds = [0, *starts.tolist(), len(rows)]
    firsts = rows[bounds[:-1]].tolist()
    return [(tuple(row), values[begin:end]) for row, begin, end in zip(firsts, bounds, bounds[1:])]


def dense_groups(values: np.ndarray) -> list[Group]:
    """(row, its values) of each row along the last dimension."""
    return [(row, values[row]) for row in np.ndindex(values.shape[:-1])]


def merged(left: Sequence[Group], right: Sequence[Group]) -> Iterator[tuple[Any, Any, Any]]:
    """(row, values on the left or None, values on the right or None)."""
    i = j = 0
    while i < len(left) or j < len(right):
        order = _order(left, i, right, j)
        row = left[i][0] if order <= 0 else right[j][0]
        yield row, left[i][1] if order <= 0 else None, right[j][1] if order >= 0 else None
        i += order <= 0
        j += order >= 0


def _order(left: Sequence[Group], i: int, right: Sequence[Group], j: int) -> int:
    """−1 if the left group comes first, 1 if the right one does, 0 if they are of one row."""
    if j == len(right):
        return -1
    if i == len(left):
        return 1
    return (left[i][0] > right[j][0]) - (left[i][0] < right[j][0])
