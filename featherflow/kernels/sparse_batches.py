"""Batches of SparseTensors: put one above the other, and taken apart into rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import sparse


@dataclass(frozen=True)
class SparseArray:
    """The parts of one SparseTensor."""

    indices: np.ndarray
    values: np.ndarray
    shape: np.ndarray


def rows_of(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> list[SparseArray]:
    """The rows along dimension 0, SparseTensors of a lower rank.

    Raises:
      InvalidArgumentError: the rank is below 2, or the elements are out of bounds or not in order.
    """
    sparse.check_parts(indices, values, shape)
    if len(shape) < 2:
        raise InvalidArgumentError(
            None, None, "Rank of input SparseTensor should be > 1", received=str(shape.tolist())
        )
    sparse.check_sizes(shape)
    sparse.check_bounds(indices, shape)
    (keys,) = sparse.row_major_keys(indices)
    if (keys[1:] <= keys[:-1]).any():
        raise InvalidArgumentError(None, None, "indices are out of order or repeated")
    splits = np.searchsorted(indices[:, 0], np.arange(1, int(shape[0])))
    inner = shape[1:].copy()
    parts = zip(np.split(indices[:, 1:], splits), np.split(values, splits))
    if shape[0] == 0:
        return []
    return [SparseArray(part.copy(), elements.copy(), inner) for part, elements in parts]


def stacked(rows: list[SparseArray]) -> SparseArray:
    """SparseTensors of one rank, one above the other, each in the largest shape.

    Raises:
      InvalidArgumentError: there are none, or the ranks differ.
    """
    if not rows:
        raise InvalidArgumentError(None, None, "Must have at least 1 serialized SparseTensor")
    if len({len(row.shape) for row in rows}) > 1:
        raise InvalidArgumentError(
            None,
            None,
            "SparseTensors of a batch must have one rank",
            received=str([row.shape.tolist() for row in rows]),
        )
    counts = [len(row.values) for row in rows]
    column = np.repeat(np.arange(len(rows)), counts)[:, None]
    indices = np.concatenate([row.indices for row in rows])
    shape = np.max([row.shape for row in rows], axis=0)
    return SparseArray(
        np.concatenate([column, indices], axis=1).astype(np.int64, copy=False),
        np.concatenate([row.values for row in rows]),
        np.concatenate([[len(rows)], shape]).astype(np.int64),
    )
