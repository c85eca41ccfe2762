"""BarrierResource: elements by key, whose components come apart and leave together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from featherflow.framework.tensor_shape import TensorShape
from featherflow.framework.waiting_room import WAIT, WaitingRoom

_FIRST_INDEX = -(2**63)

Action = Callable[[], Any]


class BarrierResource:
    """A barrier of a session.

    Args:
      name: for messages.
      dtypes: of the components.
      shapes: of the components; empty if any shape may come.
    """

    def __init__(
        self, name: str, dtypes: tuple[DType, ...], shapes: tuple[TensorShape, ...]
    ) -> None:
        self.name = name
        self.dtypes = dtypes
        self.shapes = shapes
        self.room = WaitingRoom()
        # By key: the index of the first insertion, and the components that are there.
        self._incomplete: dict[bytes, tuple[int, dict[int, np.ndarray]]] = {}
        self._ready: dict[bytes, tuple[int, dict[int, np.ndarray]]] = {}
        self._next_index = _FIRST_INDEX
        self._is_closed = False
        self._is_cancelled = False

    def insert(self, component: int, keys: Sequence[bytes], values: np.ndarray) -> Action:
        """Adds one component of each key's element.

        The action raises CancelledError if the barrier is closed and a key is new.
        """

        def action() -> Any:
            self._check_insert(component, keys)
            for row, key in enumerate(keys):
                if key not in self._incomplete:
                    self._incomplete[key] = (self._next_index, {})
                    self._next_index += 1
                index, components = self._incomplete[key]
                components[component] = values[row, ...].copy()
                if len(components) == len(self.dtypes):
                    del self._incomplete[key]
                    self._ready[key] = (index, components)
            return ()

        return action

    def _check_insert(self, component: int, keys: Sequence[bytes]) -> None:
        if self._is_cancelled:
            raise CancelledError(
                None, None, f"Barrier {self.name} is closed. Pending enqueues cancelled."
            )
        seen: set[bytes] = set()
        for key in keys:
            text = key.decode(errors="replace")
            if self._is_closed and key not in self._incomplete:
                raise CancelledError(
                    None, None, f"Barrier {self.name} is closed, but attempted to insert key {text}"
                )
            present = self._incomplete.get(key, self._ready.get(key, (0, {})))[1]
            if component in present or key in seen:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Key {text} already has a value for component {component} in barrier "
                    f"{self.name}",
                )
            seen.add(key)

    def take(self, count: int, *, allow_small: bool, waits_for_incomplete: bool) -> Action:
        """Takes `count` whole elements, those that came first, as (index, key, components)."""

        def action() -> Any:
            number = count
            if len(self._ready) < count:
                if not self._is_closed:
                    return WAIT
                possible = len(self._ready) + len(self._incomplete)
                if possible >= count or (waits_for_incomplete and self._incomplete):
                    return WAIT
                number = min(count, len(self._ready))
                if not allow_small or not number:
                    raise self._exhausted(count)
            order = sorted(self._ready, key=lambda key: self._ready[key][0])[:number]
            return [(key, *self._ready.pop(key)) for key in order]

        return action

    def _exhausted(self, count: int) -> OutOfRangeError:
        return OutOfRangeError(
            None,
            None,
            f"Barrier '{self.name}' is closed and has insufficient elements (requested {count}, "
            f"total size {len(self._ready)})",
        )

    def close(self, cancels_pending: bool) -> Action:
        """Refuses new keys, and with `cancels_pending` what is missing of the others too."""

        def action() -> Any:
            if self._is_cancelled or (self._is_closed and not cancels_pending):
                raise CancelledError(None, None, f"Barrier '{self.name}' is already closed.")
            self._is_closed = True
            if cancels_pending:
                self._is_cancelled = True
                self._incomplete.clear()
            return ()

        return action

    def ready_size(self) -> int:
        """The number of whole elements."""
        return len(self._ready)

    def incomplete_size(self) -> int:
        """The number of elements of which components are missing."""
        return len(self._incomplete)
