"""Union, intersection and difference of the rows of tensors, as sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.kernels.index_groups import Group, merged

_EMPTY: frozenset = frozenset()
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def operation_called(name: str) -> Callable[[Any, Any], Any]:
    """The function of two sets that an attribute names.

    Raises:
      InvalidArgumentError: there is none.
    """
    if name.lower() not in OPERATIONS:
        raise InvalidArgumentError(
            None,
            None,
            "Invalid set_operation",
            received=f"'{name}'",
            expected=f"one of {', '.join(OPERATIONS)}",
        )
    return OPERATIONS[name.lower()]


def check_indices(indices: np.ndarray, shape: np.ndarray) -> None:
    """Raises InvalidArgumentError unless indices are inside of `shape`, and rise."""
    outside = ((indices < 0) | (indices >= shape)).any(axis=1)
    if outside.any():
        raise _index_error(indices, int(np.argmax(outside)), "is out of bounds")
    change = np.diff(indices, axis=0)
    first = np.argmax(change != 0, axis=1) if len(change) else np.empty(0, int)
    falls = change[np.arange(len(change)), first] <= 0
    if falls.any():
        raise _index_error(indices, int(np.argmax(falls)) + 1, "is repeated or out of order")


def _index_error(indices: np.ndarray, place: int, state: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        f"indices[{place}] = {indices[place].tolist()} {state}",
        remedy="Put SparseTensors in order with tf.sparse.reorder.",
    )


def combined(
    left: Sequence[Group],
    right: Sequence[Group],
    row_shape: Sequence[int],
    operation: Callable[[Any, Any], Any],
    dtype: np.dtype,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(indices, values, shape) of the sets of all rows, each in order."""
    indices: list[tuple[int, ...]] = []
    values: list[Any] = []
    largest = 0
    for row, ours, theirs in merged(left, right):
        _check_row(row, row_shape)
        found = sorted(operation(_as_set(ours), _as_set(theirs)))
        largest = max(largest, len(found))
        indices += [(*row, place) for place in range(len(found))]
        values += found
    array = np.empty(len(values), dtype)
    array[:] = values
    all_indices = np.array(indices, np.int64).reshape(-1, len(row_shape) + 1)
    return all_indices, array, np.array([*row_shape, largest], np.int64)


def sizes(groups: Sequence[Group], row_shape: Sequence[int]) -> np.ndarray:
    """How many different values each row has."""
    result = np.zeros(row_shape, np.int32)
    for row, values in groups:
        _check_row(row, row_shape)
        result[row] = len(_as_set(values))
    return result


def _as_set(values: np.ndarray | None) -> frozenset:
    return _EMPTY if values is None else frozenset(values.tolist())


def _check_row(row: Sequence[int], row_shape: Sequence[int]) -> None:
    if not all(0 <= index < size for index, size in zip(row, row_shape)):
        raise InternalError(
            None,
            None,
            "An index is outside of the tensor",
            received=list(row),
            expected=f"less than {list(row_shape)}",
            remedy="Set validate_indices=True to find out which.",
        )
