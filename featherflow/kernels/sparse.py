"""Coordinate lists: checks of SparseTensors' parts, and their order, merges and groups.

A SparseTensor is `indices` [N, rank], `values` [N] and `shape` [rank]. Row-major order of the
index vectors is what most ops expect of their inputs and give their outputs.
"""

from __future__ import annotations

import math

import numpy as np

from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.kernels import gathering
from featherflow.kernels.allocation import check_allocation

# --- checks ---------------------------------------------------------------------------------------


def check_parts(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray, prefix: str = ""
) -> None:
    """Raises InvalidArgumentError unless the three are the parts of one SparseTensor."""
    fits = (
        indices.ndim == 2
        and values.ndim == 1
        and shape.ndim == 1
        and indices.shape == (len(values), len(shape))
    )
    if not fits:
        raise InvalidArgumentError(
            None,
            None,
            f"{prefix}indices, {prefix}values and {prefix}shape are not those of a SparseTensor",
            received=f"shapes {list(indices.shape)}, {list(values.shape)}, {list(shape.shape)}",
            expected="[N, rank], [N], [rank]",
        )


def check_sizes(shape: np.ndarray) -> None:
    """Raises InvalidArgumentError for a shape with a negative size, or too many elements."""
    if (shape < 0).any() or math.prod(shape.tolist()) >= 1 << 63:
        raise InvalidArgumentError(
            None, None, "Not the shape of a tensor", received=str(shape.tolist())
        )


def check_bounds(indices: np.ndarray, shape: np.ndarray) -> None:
    """Raises InvalidArgumentError for an index vector outside of `shape`; names the first."""
    outside = ((indices < 0) | (indices >= shape)).any(axis=1)
    if outside.any():
        first = int(np.argmax(outside))
        raise InvalidArgumentError(
            None,
            None,
            f"indices[{first}] = {indices[first].tolist()} is out of bounds",
            received=f"shape {shape.tolist()}",
        )


# --- order ----------------------------------------------------------------------------------------


def row_major_keys(*matrices: np.ndarray) -> list[np.ndarray]:
    """Numbers for the rows of all matrices that compare as the rows do, column by column.

    The columns may hold any integers: index vectors that lie outside of a shape keep their order.
    """
    rows = np.concatenate(matrices)
    splits = np.cumsum([len(matrix) for matrix in matrices])[:-1]
    if not rows.size:
        return np.split(np.zeros(len(rows), np.int64), splits)
    low = rows.min(axis=0)
    sizes = [int(high) - int(least) + 1 for high, least in zip(rows.max(axis=0), low)]
    if math.prod(sizes) < 1 << 62:
        steps = [math.prod(sizes[column + 1 :]) for column in range(len(sizes))]
        return np.split((rows - low) @ np.array(steps, np.int64), splits)
    _, ranks = np.unique(rows, axis=0, return_inverse=True)
    return np.split(ranks.reshape(-1), splits)


def row_major_order(indices: np.ndarray) -> np.ndarray | None:
    """The permutation that sorts index vectors, equal ones as they come; None for sorted ones."""
    (keys,) = row_major_keys(indices)
    if (keys[1:] >= keys[:-1]).all():
        return None
    return np.argsort(keys, kind="stable")


def sorted_parts(indices: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices and values in row-major order."""
    order = row_major_order(indices)
    return (indices, values) if order is None else (indices[order], values[order])


# --- merges ---------------------------------------------------------------------------------------


def merge(a_indices: np.ndarray, b_indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the elements of the union of two lists of index vectors come from.

    Returns:
      Places in `a_indices` and in `b_indices` for each element of the union, −1 for none. Lists
      that are not in order, or hold a vector twice, are merged as far as they are in step.
    """
    return merge_keys(*row_major_keys(a_indices, b_indices))


def merge_keys(a_keys: np.ndarray, b_keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`merge` of lists of numbers that stand for index vectors."""
    if (a_keys[1:] > a_keys[:-1]).all() and (b_keys[1:] > b_keys[:-1]).all():
        union = np.union1d(a_keys, b_keys)
        places = np.full((2, len(union)), -1, np.int64)
        places[0, np.searchsorted(union, a_keys)] = np.arange(len(a_keys))
        places[1, np.searchsorted(union, b_keys)] = np.arange(len(b_keys))
        return places[0], places[1]
    return _merge_in_steps(a_keys.tolist(), b_keys.tolist())


def _merge_in_steps(a_keys: list[int], b_keys: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Takes the lesser of the two front elements until both lists are used up."""
    steps: list[tuple[int, int]] = []
    a = b = 0
    while a < len(a_keys) and b < len(b_keys):
        takes_a, takes_b = a_keys[a] <= b_keys[b], b_keys[b] <= a_keys[a]
        steps.append((a if takes_a else -1, b if takes_b else -1))
        a, b = a + takes_a, b + takes_b
    steps.extend((place, -1) for place in range(a, len(a_keys)))
    steps.extend((-1, place) for place in range(b, len(b_keys)))
    places = np.array(steps, np.int64).reshape(-1, 2)
    return places[:, 0].copy(), places[:, 1].copy()


def take_or_zero(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """values[places], 0 for place −1."""
    result = np.zeros(len(places), values.dtype)
    result[places >= 0] = values[places[places >= 0]]
    return result


def merged_indices(
    a_indices: np.ndarray, b_indices: np.ndarray, a_places: np.ndarray, b_places: np.ndarray
) -> np.ndarray:
    """The index vectors of a union."""
    result = np.empty((len(a_places), a_indices.shape[1]), np.int64)
    from_a = a_places >= 0
    result[from_a] = a_indices[a_places[from_a]]
    result[~from_a] = b_indices[b_places[~from_a]]
    return result


# --- reductions -----------------------------------------------------------------------------------


def kept_axes(rank: int, axes: np.ndarray) -> list[int]:
    """The axes that a reduction over `axes` leaves.

    Raises:
      InvalidArgumentError: there is no such axis, or `axes` is neither a scalar nor a vector.
    """
    if axes.ndim > 1:
        raise InvalidArgumentError(
            None, None, "reduction_axes must be a vector", received=f"shape {list(axes.shape)}"
        )
    reduced = axes.reshape(-1)
    wrong = (reduced < -rank) | (reduced >= rank)
    if wrong.any():
        raise InvalidArgumentError(
            None,
            None,
            f"Invalid reduction dimension {reduced[wrong][0]} for an input of rank {rank}",
        )
    gone = {int(axis) % rank for axis in reduced}
    return [axis for axis in range(rank) if axis not in gone]


def reduce_groups(
    indices: np.ndarray, values: np.ndarray, kept: list[int], combine: np.ufunc
) -> tuple[np.ndarray, np.ndarray]:
    """The combination of the values whose indices agree in the columns `kept`.

    Returns:
      The columns `kept` of each group in row-major order, and the combinations.
    """
    columns = indices[:, kept]
    if not len(values):
        return columns, values
    (keys,) = row_major_keys(columns)
    order = np.argsort(keys, kind="stable")
    _, reduced = gathering.reduce_by_place(keys[order], values[order], combine)
    firsts = np.flatnonzero(np.concatenate(([True], np.diff(keys[order]) != 0)))
    return columns[order[firsts]], reduced.astype(values.dtype, copy=False)


def reduce_dense(
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    kept: list[int],
    combine: np.ufunc,
) -> np.ndarray:
    """`reduce_groups` as an array over the axes `kept`, 0 where there is no value.

    Raises:
      InternalError: an index vector is out of bounds.
    """
    groups, reduced = reduce_groups(indices, values, kept, combine)
    sizes = shape[kept]
    if ((groups < 0) | (groups >= sizes)).any():
        raise InternalError(
            None, None, "An index is out of bounds", received=f"shape {shape.tolist()}"
        )
    result = np.zeros(tuple(sizes.tolist()), values.dtype)
    places, _ = gathering.flat_places(groups, result.shape)
    result.reshape(-1)[places] = reduced
    return result


def softmax(indices: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Softmax of each innermost row over the values that are there, in row-major order."""
    indices, values = sorted_parts(indices, values)
    if not len(values):
        return values
    (rows,) = row_major_keys(indices[:, :-1])
    starts = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
    row_of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    wide = values.astype(np.promote_types(values.dtype, np.float32), copy=False)
    powers = np.exp(wide - np.maximum.reduceat(wide, starts)[row_of])
    return (powers / np.add.reduceat(powers, starts)[row_of]).astype(values.dtype, copy=False)


# --- rows without elements ------------------------------------------------------------------------


def fill_empty_rows(rows: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places for elements of rows [0, count) in row order, one for each row without any.

    Args:
      rows: of each element, in any order.
    Returns:
      The new place of each element, the row of each new place, and which rows are empty.
    Raises:
      InvalidArgumentError: there is no such row.
    """
    if count == 0 and len(rows):
        raise InvalidArgumentError(
            None,
            None,
            "Received a tensor without rows that has elements",
            received=f"{len(rows)} elements",
        )
    check_allocation((count,), np.dtype(np.int64))
    gathering.check_indices(rows, count, "rows")
    counts = np.bincount(rows, minlength=count)
    is_empty = counts == 0
    sizes = np.maximum(counts, 1)
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(rows, kind="stable")
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.empty(len(rows), np.int64)
    places[order] = starts[rows[order]] + within
    return places, np.repeat(np.arange(count), sizes), is_empty
