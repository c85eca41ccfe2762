"""Ragged tensors: values row after row, and splits that say where each row starts and ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.allocation import check_allocation

# --- row splits -----------------------------------------------------------------------------------


def check_splits(splits: np.ndarray, count: int | None = None, *, starts_at_0: bool = True) -> None:
    """Raises InvalidArgumentError unless `splits` ascend, from 0, to `count` if that is given."""
    is_wrong = splits.ndim != 1 or not splits.size
    if not is_wrong:
        is_wrong = bool((splits[1:] < splits[:-1]).any()) or (starts_at_0 and splits[0] != 0)
    if is_wrong or (count is not None and splits[-1] != count):
        raise InvalidArgumentError(
            None,
            None,
            "Row splits must be a vector that starts with 0, does not decrease and ends with the "
            "number of values",
            received=f"{splits.tolist()}" + ("" if count is None else f" for {count} values"),
        )


def row_ids(splits: np.ndarray) -> np.ndarray:
    """The row of each value."""
    return np.repeat(np.arange(len(splits) - 1), np.diff(splits))


def places_in_rows(splits: np.ndarray) -> np.ndarray:
    """Which value of its row each value is."""
    return np.arange(int(splits[-1] - splits[0])) - np.repeat(
        splits[:-1] - splits[0], np.diff(splits)
    )


def slices(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The numbers [start, start + size) of each pair, one after the other."""
    ends = np.cumsum(sizes)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)


# --- ranges ---------------------------------------------------------------------------------------


def ranges(
    starts: np.ndarray, limits: np.ndarray, deltas: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The numbers from each start in steps of delta up to limit: their splits (int64) and values.

    Raises:
      InvalidArgumentError: a delta is 0, or there are too many numbers.
    """
    if not deltas.all():
        raise InvalidArgumentError(None, None, "Requires delta != 0")
    if starts.dtype.kind in "iu":
        # In Python's integers: differences of extremes overflow.
        triples = zip(starts.tolist(), limits.tolist(), deltas.tolist())
        counts = [max(0, -((start - limit) // delta)) for start, limit, delta in triples]
    else:
        with np.errstate(all="ignore"):
            steps = np.ceil(np.abs((limits - starts) / deltas))
        is_ahead = (deltas > 0) == (starts < limits)
        counts = np.where(is_ahead & (starts != limits), steps, 0).tolist()
    if any(not count < 1 << 62 for count in counts):
        raise InvalidArgumentError(
            None, None, "Requires ((limit - start) / delta) to fit", received=str(counts)
        )
    sizes = np.array(counts, np.int64)
    check_allocation((int(sizes.sum()),), starts.dtype)
    splits = np.concatenate([[0], np.cumsum(sizes)])
    numbers = places_in_rows(splits).astype(starts.dtype)
    return splits, np.repeat(starts, sizes) + numbers * np.repeat(deltas, sizes)


# --- gathers --------------------------------------------------------------------------------------


def gather(
    nested_splits: list[np.ndarray], values: np.ndarray, indices: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """Rows of a ragged tensor.

    Args:
      indices: of any rank; dimensions beyond the first become ragged ones.
    Returns:
      The nested splits, and the values.
    Raises:
      InvalidArgumentError: an index is out of range, or the splits do not fit each other.
    """
    counts = [len(splits) - 1 for splits in nested_splits[1:]] + [len(values)]
    for splits, count in zip(nested_splits, counts):
        check_splits(splits, starts_at_0=False)
        if splits[0] < 0 or splits[-1] > count:
            raise InvalidArgumentError(
                None,
                None,
                "Row splits must not point past the values",
                received=f"{splits.tolist()} for {count} values",
            )
    rows = indices.reshape(-1).astype(np.int64)
    size = len(nested_splits[0]) - 1
    if rows.size and not (rows.min() >= 0 and rows.max() < size):
        raise InvalidArgumentError(
            None, None, f"indices are not in [0, {size})", received=str(rows.tolist())
        )
    dtype = nested_splits[0].dtype
    gathered = [
        np.arange(math.prod(indices.shape[:axis]) + 1, dtype=dtype) * indices.shape[axis]
        for axis in range(1, indices.ndim)
    ]
    for splits in nested_splits:
        sizes = (splits[rows + 1] - splits[rows]).astype(np.int64)
        gathered.append(np.concatenate([[0], np.cumsum(sizes)]).astype(dtype))
        rows = slices(splits[rows].astype(np.int64), sizes)
    return gathered, values[rows]


# --- other forms ----------------------------------------------------------------------------------


def to_sparse(
    nested_splits: list[np.ndarray], values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts of the SparseTensor with the elements of a ragged tensor.

    Raises:
      InvalidArgumentError: the splits are none, or do not fit each other.
    """
    if values.ndim < 1:
        raise InvalidArgumentError(None, None, "rt_dense_values must not be a scalar")
    counts = [len(splits) - 1 for splits in nested_splits[1:]] + [len(values)]
    for splits, count in zip(nested_splits, counts):
        check_splits(splits, count)
    columns: list[np.ndarray] = [np.arange(len(nested_splits[0]) - 1)]
    sizes = [len(nested_splits[0]) - 1]
    for splits in nested_splits:
        rows = row_ids(splits)
        columns = [*(column[rows] for column in columns), places_in_rows(splits)]
        sizes.append(int(np.diff(splits).max(initial=0)))
    inner = values.shape[1:]
    count = math.prod(inner)
    outer = [np.repeat(column, count) for column in columns]
    places = np.unravel_index(np.tile(np.arange(count), len(values)), inner) if inner else ()
    indices = np.stack([*outer, *places], axis=1).astype(np.int64)
    return indices, values.reshape(-1), np.array([*sizes, *inner], np.int64)


@dataclass(frozen=True)
class Partition:
    """How values lie in rows.

    Attributes:
      num_rows: the number of rows.
      rows: the row of each value; values beyond its length are in none.
      places: which value of its row each is.
    """

    num_rows: int
    rows: np.ndarray
    places: np.ndarray

    @classmethod
    def of_splits(cls, splits: np.ndarray) -> Partition:
        """Raises InvalidArgumentError: the splits do not ascend from 0."""
        check_splits(splits)
        return cls(len(splits) - 1, row_ids(splits), places_in_rows(splits))

    @classmethod
    def of_row_ids(cls, ids: np.ndarray, num_rows: int) -> Partition:
        """Raises InvalidArgumentError: an id is out of range."""
        if ids.size and not (ids.min() >= 0 and ids.max() < num_rows):
            raise InvalidArgumentError(
                None, None, f"value_rowids are not in [0, {num_rows})", received=str(ids.tolist())
            )
        is_first = np.concatenate([[True], ids[1:] != ids[:-1]])[: len(ids)]
        starts = np.maximum.accumulate(np.where(is_first, np.arange(len(ids)), 0))
        return cls(num_rows, ids, np.arange(len(ids)) - starts)

    def longest(self) -> int:
        """The number of values of the longest row."""
        return int(self.places.max(initial=-1)) + 1


def to_tensor(
    partitions: list[Partition], values: np.ndarray, sizes: list[int], default: np.ndarray
) -> np.ndarray:
    """A ragged tensor as a tensor: rows are cut, or filled with `default`.

    Args:
      sizes: of the dimensions of the result that the partitions make; −1 takes the longest row.
    """
    outer = [partitions[0].num_rows if sizes[0] < 0 else sizes[0]]
    target = np.arange(partitions[0].num_rows)
    target[target >= outer[0]] = -1
    for partition, size in zip(partitions, sizes[1:]):
        outer.append(partition.longest() if size < 0 else size)
        count = min(len(partition.rows), len(partition.places))
        parents, places = target[partition.rows[:count]], partition.places[:count]
        is_in = (parents >= 0) & (places < outer[-1])
        target = np.where(is_in, parents * outer[-1] + places, -1)
    if len(target) > len(values):
        raise InvalidArgumentError(
            None, None, "There are fewer values than the partitions say", received=str(len(values))
        )
    if math.prod(outer) >= 1 << 62:
        raise InvalidArgumentError(None, None, "The result is too large", received=str(outer))
    check_allocation((*outer, *values.shape[1:]), values.dtype)
    result = np.empty((math.prod(outer), *values.shape[1:]), values.dtype)
    result[...] = default
    result[target[target >= 0]] = values[: len(target)][target >= 0]
    return result.reshape(*outer, *values.shape[1:])
