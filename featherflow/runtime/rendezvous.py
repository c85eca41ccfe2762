"""LocalRendezvous: the rendezvous of one step in one process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from featherflow.framework.rendezvous import Rendezvous


class LocalRendezvous(Rendezvous):
    """A table in memory: for each key, values that wait for receivers or receivers for values."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, deque[Any]] = {}
        self._receivers: dict[str, deque[Callable[[Any], None]]] = {}
        self._reason: Exception | None = None

    def send(self, key: str, value: Any) -> None:
        with self._lock:
            if self._reason is not None:
                raise self._reason
            receivers = self._receivers.get(key)
            if not receivers:
                self._values.setdefault(key, deque()).append(value)
                return
            receiver = receivers.popleft()
            if not receivers:
                del self._receivers[key]
        receiver(value)  # outside the lock: it may run the receiving partition

    def recv_async(self, key: str, done: Callable[[Any], None]) -> None:
        with self._lock:
            if self._reason is None:
                values = self._values.get(key)
                if not values:
                    self._receivers.setdefault(key, deque()).append(done)
                    return
                result = values.popleft()
                if not values:
                    del self._values[key]
            else:
                result = self._reason
        done(result)

    def abort(self, reason: Exception) -> None:
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            waiting = [done for queue in self._receivers.values() for done in queue]
            self._receivers.clear()
            self._values.clear()
        for done in waiting:
            done(reason)

    def waiting_keys(self) -> list[str]:
        """The keys that somebody waits for."""
        with self._lock:
            return sorted(self._receivers)

    def unclaimed_keys(self) -> list[str]:
        """The keys under which a value waits."""
        with self._lock:
            return sorted(self._values)
