"""Writing rows of an array in place: what ScatterAdd and its kin do to a variable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

Update = Callable[[np.ndarray, tuple[np.ndarray, ...], np.ndarray], None]


def _assign(target: np.ndarray, index: tuple[np.ndarray, ...], updates: np.ndarray) -> None:
    target[index] = updates


def _accumulate(ufunc: np.ufunc) -> Update:
    def update(target: np.ndarray, index: tuple[np.ndarray, ...], updates: np.ndarray) -> None:
        # ufunc.at applies every one of several updates of one row.
        ufunc.at(target, index, updates)

    return update


#: How `updates` meet what is there, by the word in the op's name.
UPDATES: dict[str, Update] = {
    "Update": _assign,
    "Add": _accumulate(np.add),
    "Sub": _accumulate(np.subtract),
    "Mul": _accumulate(np.multiply),
    "Div": _accumulate(np.divide),
    "Min": _accumulate(np.minimum),
    "Max": _accumulate(np.maximum),
}


def scatter_rows(
    target: np.ndarray, indices: np.ndarray, updates: np.ndarray, update: Update
) -> None:
    """target[indices[i, …], …] ← update(target[indices[i, …], …], updates[i, …, …]) in place.

    Args:
      target: `[N, …]`.
      indices: `[I…]` integers of [0, N).
      updates: `[I…, …]`, or a scalar for all.

    Raises:
      InvalidArgumentError: an index is out of range, or the shapes do not fit.
    """
    expected = indices.shape + target.shape[1:]
    if updates.ndim and updates.shape != expected:
        raise InvalidArgumentError(
            None,
            None,
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = []",
            received=f"updates.shape {list(updates.shape)}, indices.shape {list(indices.shape)}, "
            f"params.shape {list(target.shape)}",
        )
    check_rows(indices, target.shape[0])
    update(target, (indices,), updates)


def check_rows(indices: np.ndarray, limit: int) -> None:
    """Raises for the first index outside [0, limit)."""
    wrong = (indices < 0) | (indices >= limit)
    if wrong.any():
        place = tuple(int(axis[0]) for axis in np.nonzero(np.atleast_1d(wrong)))
        where = f"indices{list(place)}" if indices.ndim else "indices"
        value = int(np.atleast_1d(indices)[place])
        raise InvalidArgumentError(None, None, f"{where} = {value} is not in [0, {limit})")


def scatter_slices(
    target: np.ndarray, indices: np.ndarray, updates: np.ndarray, update: Update
) -> None:
    """target[indices[i, 0], …, indices[i, K−1]] ← update(…, updates[i]) in place.

    Args:
      target: any shape.
      indices: `[I…, K]` integers; K ≤ rank of `target`.
      updates: `[I…, target.shape[K:]…]`.

    Raises:
      InvalidArgumentError: an index is out of range, or the shapes do not fit.
    """
    depth = indices.shape[-1] if indices.ndim else 1
    leading = max(indices.ndim - 1, 0)
    expected = indices.shape[:-1] + target.shape[depth:]
    if indices.ndim < 1 or depth > target.ndim or updates.shape != expected:
        raise InvalidArgumentError(
            None,
            None,
            f"Dimensions [0,{leading}) of indices must match dimensions [0,{leading}) of updates, "
            "and the rest those of the variable",
            received=f"indices {list(indices.shape)}, updates {list(updates.shape)}, variable "
            f"{list(target.shape)}",
        )
    for axis in range(depth):
        wrong = (indices[..., axis] < 0) | (indices[..., axis] >= target.shape[axis])
        if wrong.any():
            place = tuple(int(dimension[0]) for dimension in np.nonzero(wrong))
            raise InvalidArgumentError(
                None,
                None,
                f"indices{list(place)} = {indices[place].tolist()} does not index into shape "
                f"{list(target.shape)}",
            )
    update(target, tuple(np.moveaxis(indices, -1, 0)), updates)
