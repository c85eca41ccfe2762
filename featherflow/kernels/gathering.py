"""Gathers and scatters of rows, and reductions of rows by segment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.precision import compute_dtype

# --- indices --------------------------------------------------------------------------------------


def check_indices(indices: np.ndarray, size: int, what: str = "indices") -> None:
    """Raises InvalidArgumentError, which names the first, for an index outside [0, size)."""
    if indices.size and not (indices.min() >= 0 and indices.max() < size):
        place = tuple(np.argwhere((indices < 0) | (indices >= size))[0].tolist())
        at = "".join(f"[{', '.join(map(str, place))}]") if place else ""
        raise InvalidArgumentError(
            None, None, f"{what}{at} = {indices[place]} is not in [0, {size})"
        )


# --- gathers --------------------------------------------------------------------------------------


def gather(params: np.ndarray, indices: np.ndarray, axis: int, batch_dims: int) -> np.ndarray:
    """`params[b…, m…, indices[b…, i…], n…]` as [b…, m…, i…, n…]: slices of `params` along `axis`.

    Args:
      axis: in [batch_dims, rank of params).
      batch_dims: how many leading dimensions `params` and `indices` share.
    Raises:
      InvalidArgumentError: an index is out of range, or the batch dimensions differ.
    """
    size = params.shape[axis]
    check_indices(indices, size)
    if batch_dims == 0:
        return np.take(params, indices, axis=axis)
    batch = params.shape[:batch_dims]
    if indices.shape[:batch_dims] != batch:
        raise InvalidArgumentError(
            None,
            None,
            "params and indices must have the same batch dimensions",
            received=f"params of shape {list(params.shape)}, indices of shape "
            f"{list(indices.shape)}, batch_dims {batch_dims}",
        )
    middle, inner = params.shape[batch_dims:axis], params.shape[axis + 1 :]
    count = math.prod(batch)
    blocks = params.reshape(count, math.prod(middle), size, math.prod(inner))
    places = indices.reshape(count, -1)
    # Two index arrays around a slice: NumPy puts their dimensions first.
    rows = blocks[np.arange(count)[:, None], :, places]
    return rows.swapaxes(1, 2).copy().reshape(batch + middle + indices.shape[batch_dims:] + inner)


def flat_places(
    indices: np.ndarray, dims: tuple[int, ...], policy: str = ""
) -> tuple[np.ndarray, np.ndarray | None]:
    """The place of each index vector `indices[…, :]` in a row-major array of shape `dims`.

    Args:
      policy: "IGNORE" takes vectors that are out of range for place 0; else they are refused.
    Returns:
      The places, and where they are in range: None for everywhere.
    Raises:
      InvalidArgumentError: a vector is out of range.
    """
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise InvalidArgumentError(None, None, "Unknown bad_indices_policy", received=policy)
    count = math.prod(indices.shape[:-1])
    rows = indices.reshape(count, indices.shape[-1]).astype(np.int64)
    limits = np.array(dims, dtype=np.int64)
    valid = np.logical_and.reduce((rows >= 0) & (rows < limits), axis=1)
    if valid.all():
        return rows @ _steps(dims), None
    if policy == "IGNORE":
        return np.where(valid[:, None], rows, 0) @ _steps(dims), valid
    bad = int(np.argmin(valid))
    place = np.unravel_index(bad, indices.shape[:-1]) if indices.ndim > 1 else ()
    at = ", ".join(str(int(index)) for index in place)
    raise InvalidArgumentError(
        None,
        None,
        f"indices[{at}] = {rows[bad].tolist()} does not index into an array of shape {list(dims)}",
    )


def _steps(dims: tuple[int, ...]) -> np.ndarray:
    """How many rows further one step along each dimension leads."""
    return np.array([math.prod(dims[axis + 1 :]) for axis in range(len(dims))], dtype=np.int64)


def gather_nd(params: np.ndarray, indices: np.ndarray, policy: str = "") -> np.ndarray:
    """`params[indices[…, 0], indices[…, 1], …]`: one slice for each index vector."""
    depth = _index_depth(indices, params.shape)
    inner = params.shape[depth:]
    if indices.size and not params.size:
        raise InvalidArgumentError(
            None,
            None,
            "There is nothing to gather",
            received=f"indices {list(indices.shape)}, params {list(params.shape)}",
        )
    places, valid = flat_places(indices, params.shape[:depth], policy)
    shape = indices.shape[:-1] + inner
    if math.prod(params.shape[:depth]) == 0:
        return np.zeros(shape, dtype=params.dtype)  # no index is in range: there are none
    rows = params.reshape(math.prod(params.shape[:depth]), math.prod(inner))[places]
    if valid is not None:
        rows[~valid] = b"" if params.dtype == object else 0
    return rows.reshape(shape)


def _index_depth(indices: np.ndarray, dims: tuple[int, ...]) -> int:
    if indices.ndim < 1 or indices.shape[-1] > len(dims):
        raise InvalidArgumentError(
            None,
            None,
            "The index depth indices.shape[-1] must be at most the rank",
            received=f"indices of shape {list(indices.shape)} for an array of shape {list(dims)}",
        )
    return indices.shape[-1]


# --- scatters -------------------------------------------------------------------------------------


def scatter_nd(
    target: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    combine: np.ufunc | None,
    policy: str = "",
) -> np.ndarray:
    """Combines slices of `target` with `updates`, in place: `target[indices[i]] op= updates[i]`.

    Args:
      combine: None overwrites; where an index occurs several times, the last update stays.
      policy: "IGNORE" leaves out index vectors that are out of range.
    Returns:
      `target`.
    Raises:
      InvalidArgumentError: an index is out of range, or the shapes do not fit.
    """
    depth = _index_depth(indices, target.shape)
    inner = target.shape[depth:]
    if updates.shape != indices.shape[:-1] + inner:
        raise InvalidArgumentError(
            None,
            None,
            "updates must have the shape indices.shape[:-1] + shape[indices.shape[-1]:]",
            received=f"updates of shape {list(updates.shape)}, indices of shape "
            f"{list(indices.shape)}, shape {list(target.shape)}",
        )
    places, valid = flat_places(indices, target.shape[:depth], policy)
    width = math.prod(inner)
    rows = updates.reshape(len(places), width)
    if valid is not None:
        places, rows = places[valid], rows[valid]
    if places.size and width:
        combine_rows(target.reshape(-1, width), places, rows, combine)  # a view: it is C-ordered
    return target


def combine_rows(
    target: np.ndarray, places: np.ndarray, rows: np.ndarray, combine: np.ufunc | None
) -> None:
    """`target[places[i]] op= rows[i]` for each i, in place; rows of one place are combined first.

    Sorting and one `reduceat` is many times faster than `ufunc.at`, which goes element by element.
    """
    if combine is None:
        target[places] = rows
        return
    if target.dtype == object:
        combine.at(target, places, rows)
        return
    # Differences do not associate: what is subtracted is summed first.
    unique, reduced = reduce_by_place(places, rows, np.add if combine is np.subtract else combine)
    target[unique] = combine(target[unique], reduced).astype(target.dtype, copy=False)


def reduce_by_place(
    places: np.ndarray, rows: np.ndarray, combine: np.ufunc
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct places in ascending order, and the combination of the rows of each.

    Narrow floats are combined, and returned, in float32.
    """
    if places.size > 1 and (places[1:] < places[:-1]).any():
        order = np.argsort(places, kind="stable")
        places, rows = places[order], rows[order]
    starts = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
    wide = rows.astype(compute_dtype(rows.dtype), copy=False)
    if starts.size == places.size:
        return places, wide
    return places[starts], combine.reduceat(wide, starts, axis=0)


# --- segments -------------------------------------------------------------------------------------


def segment_reduce(
    data: np.ndarray, ids: np.ndarray, combine: np.ufunc, empty: Any, mean: bool = False
) -> np.ndarray:
    """The combination of the rows of `data` with the same id; ids must ascend.

    Args:
      data: [N, …].
      ids: [N].
      empty: the elements of segments without rows.
      mean: divides by the number of rows.
    Returns:
      [last id + 1, …]
    Raises:
      InvalidArgumentError: the ids descend or are negative, or there is not one for each row.
    """
    if ids.ndim != 1 or data.ndim < 1 or len(ids) != len(data):
        raise InvalidArgumentError(
            None,
            None,
            "segment_ids should be a vector of the size of dimension 0 of data",
            received=f"segment_ids of shape {list(ids.shape)}, data of shape {list(data.shape)}",
        )
    if ids.size and (ids[0] < 0 or (ids[1:] < ids[:-1]).any()):
        raise InvalidArgumentError(
            None, None, "segment ids must be >= 0 and not decrease", received=str(ids.tolist())
        )
    count = int(ids[-1]) + 1 if ids.size else 0
    result = np.full((count, *data.shape[1:]), empty, dtype=data.dtype)
    if data.size == 0:
        return result
    unique, reduced = reduce_by_place(ids, data, combine)
    if mean:
        counts = np.bincount(ids)[unique].reshape(-1, *(1,) * (data.ndim - 1))
        quotient: np.ndarray = reduced / counts.astype(np.real(reduced).dtype)
        reduced = np.trunc(quotient) if data.dtype.kind in "iu" else quotient
    result[unique] = reduced.astype(data.dtype, copy=False)
    return result


def unsorted_segment_reduce(
    data: np.ndarray, ids: np.ndarray, num_segments: np.ndarray, combine: np.ufunc, empty: Any
) -> np.ndarray:
    """The combination of the slices of `data` with the same id; those of negative ids are dropped.

    Args:
      data: [I…, N…].
      ids: [I…].
      empty: the elements of segments without slices.
    Returns:
      [num_segments, N…]
    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not fit.
    """
    count = int(num_segments)
    if count < 0:
        raise InvalidArgumentError(None, None, "num_segments must be >= 0", received=str(count))
    if data.shape[: ids.ndim] != ids.shape:
        raise InvalidArgumentError(
            None,
            None,
            "data.shape must start with segment_ids.shape",
            received=f"data of shape {list(data.shape)}, segment_ids of shape {list(ids.shape)}",
        )
    inner = data.shape[ids.ndim :]
    result = np.full((count, *inner), empty, dtype=data.dtype)
    kept = ids.reshape(-1)
    rows = data.reshape(len(kept), math.prod(inner))
    if kept.size and kept.min() < 0:
        rows, kept = rows[kept >= 0], kept[kept >= 0]
    check_indices(kept, count, "segment_ids")
    if rows.size:
        unique, reduced = reduce_by_place(kept, rows, combine)
        result.reshape(count, -1)[unique] = reduced.astype(data.dtype, copy=False)
    return result
