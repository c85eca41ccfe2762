"""StagingArea and StagingMap: tuples of tensors that one step puts down and another takes up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError, ResourceExhaustedError
from featherflow.framework.waiting_room import WAIT, WaitingRoom

Element = tuple[np.ndarray, ...]
Action = Callable[[], Any]


def _refuse(message: str, received: Any) -> NoReturn:
    raise InvalidArgumentError(None, None, message, received=received)


class _Bounded:
    """How many elements and bytes there may be.

    Args:
      capacity: of elements; 0: any number.
      memory_limit: in bytes; 0: any number.
    """

    def __init__(self, capacity: int, memory_limit: int) -> None:
        self.room = WaitingRoom()
        self._capacity = capacity
        self._memory_limit = memory_limit
        self._bytes = 0

    def _check_size(self, values: Sequence[np.ndarray]) -> int:
        size = sum(value.nbytes for value in values)
        if self._memory_limit and size > self._memory_limit:
            raise ResourceExhaustedError(
                None,
                None,
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging "
                f"Area with a memory limit of '{self._memory_limit}'.",
            )
        return size

    def _has_room(self, elements: int, size: int) -> bool:
        is_small = not self._memory_limit or self._bytes + size <= self._memory_limit
        return is_small and (not self._capacity or elements < self._capacity)


class StagingArea(_Bounded):
    """Elements in the order in which they came."""

    def __init__(self, capacity: int, memory_limit: int) -> None:
        super().__init__(capacity, memory_limit)
        self._elements: deque[Element] = deque()

    def put(self, element: Element) -> Action:
        """Adds an element as soon as there is room."""

        def action() -> Any:
            size = self._check_size(element)
            if not self._has_room(len(self._elements), size):
                return WAIT
            self._elements.append(element)
            self._bytes += size
            return ()

        return action

    def get(self) -> Action:
        """Takes the first element."""

        def action() -> Any:
            if not self._elements:
                return WAIT
            element = self._elements.popleft()
            self._bytes -= sum(value.nbytes for value in element)
            return element

        return action

    def peek(self, index: int) -> Action:
        """Looks at the element at `index`."""

        def action() -> Any:
            if index < 0:
                _refuse("index must not be negative", index)
            return WAIT if index >= len(self._elements) else self._elements[index]

        return action

    def size(self) -> int:
        """The number of elements."""
        return len(self._elements)

    def clear(self) -> None:
        """Drops all elements."""
        self._elements.clear()
        self._bytes = 0


class StagingMap(_Bounded):
    """Elements by key, which may be put down in parts; an element is there once it is whole.

    Args:
      dtypes: of the parts.
      is_ordered: whether elements without a key come by the smallest, else by the oldest.
    """

    def __init__(
        self, dtypes: tuple[DType, ...], capacity: int, memory_limit: int, is_ordered: bool
    ) -> None:
        super().__init__(capacity, memory_limit)
        self.dtypes = dtypes
        self._is_ordered = is_ordered
        self._whole: dict[int, dict[int, np.ndarray]] = {}
        self._parts: dict[int, dict[int, np.ndarray]] = {}

    def put(self, key: int, indices: Sequence[int], values: Sequence[np.ndarray]) -> Action:
        """Adds parts of the element `key` as soon as there is room."""

        def action() -> Any:
            self._check_put(key, indices, values)
            size = self._check_size(values)
            if not self._has_room(len(self._whole), size):
                return WAIT
            parts = self._parts.setdefault(key, {})
            parts.update(zip(indices, values))
            self._bytes += size
            if len(parts) == len(self.dtypes):
                self._whole[key] = self._parts.pop(key)
            return ()

        return action

    def _check_put(self, key: int, indices: Sequence[int], values: Sequence[np.ndarray]) -> None:
        if len(indices) != len(values):
            _refuse("There must be one index for each value", f"{list(indices)}")
        if key in self._whole:
            _refuse(f"The element with the key '{key}' is there already", list(indices))
        present = self._parts.get(key, {})
        seen: set[int] = set()
        for index, value in zip(indices, values):
            if not 0 <= index < len(self.dtypes):
                _refuse(f"Index '{index}' was out of bounds '{len(self.dtypes)}'", list(indices))
            if index in present or index in seen:
                _refuse(f"The tensor for index '{index}' was already inserted", f"key {key}")
            if value.dtype != self.dtypes[index].numpy_dtype:
                _refuse(f"DataType mismatch at index '{index}'", str(value.dtype))
            seen.add(index)

    def get(self, key: int, indices: Sequence[int], *, removes: bool = True) -> Action:
        """Takes parts of the element `key`, or looks at them."""

        def action() -> Any:
            if key not in self._whole:
                return WAIT
            return self._picked(key, indices, removes)

        return action

    def get_any(self, indices: Sequence[int]) -> Action:
        """Takes parts of some element: its key, then the parts."""

        def action() -> Any:
            if not self._whole:
                return WAIT
            key = min(self._whole) if self._is_ordered else next(iter(self._whole))
            return (np.array(key, np.int64), *self._picked(key, indices, removes=True))

        return action

    def _picked(self, key: int, indices: Sequence[int], removes: bool) -> list[np.ndarray]:
        parts = self._whole[key]
        for index in indices:
            if not 0 <= index < len(self.dtypes):
                _refuse(f"Index '{index}' was out of bounds '{len(self.dtypes)}'", list(indices))
            if index not in parts:
                _refuse(f"Tensor at index '{index}' for key '{key}' has been removed", "")
        found = [parts[index] for index in indices]
        if removes:
            for index in set(indices):
                self._bytes -= parts.pop(index).nbytes
            if not parts:
                del self._whole[key]
        return found

    def size(self) -> int:
        """The number of whole elements."""
        return len(self._whole)

    def incomplete_size(self) -> int:
        """The number of elements of which parts are missing."""
        return len(self._parts)

    def clear(self) -> None:
        """Drops all elements."""
        self._whole.clear()
        self._parts.clear()
        self._bytes = 0
