"""Deadlines: one thread of the process cancels the steps whose time is up."""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from featherflow.framework.errors import DeadlineExceededError
from featherflow.runtime.step_context import Cancellation

#: How long the thread stays without a deadline to watch, in seconds.
_IDLE_SECONDS = 2.0


class DeadlineWatcher:
    """Watches deadlines; its thread starts with the first and ends some time after the last."""

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._watched: list[tuple[float, int, Cancellation, int]] = []
        self._over: set[int] = set()
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, cancellation: Cancellation, timeout_ms: int) -> Iterator[None]:
        """Cancels `cancellation` with DeadlineExceededError if the block takes longer than that."""
        due = time.monotonic() + timeout_ms / 1000
        number = next(self._numbers)
        with self._changed:
            heapq.heappush(self._watched, (due, number, cancellation, timeout_ms))
            if self._thread is None:
                name = "featherflow-deadlines"
                self._thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._thread.start()
            else:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._over.add(number)
                self._drop_those_over()

    def _drop_those_over(self) -> None:
        """Forgets the earliest deadlines if their steps are over; the others can wait."""
        while self._watched and self._watched[0][1] in self._over:
            self._over.discard(heapq.heappop(self._watched)[1])
        if len(self._over) > len(self._watched) // 2:
            self._watched = [item for item in self._watched if item[1] not in self._over]
            heapq.heapify(self._watched)
            self._over.clear()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._drop_those_over()
                if not self._watched:
                    self._changed.wait(_IDLE_SECONDS)
                    if not self._watched:
                        self._thread = None
                        return
                wait = self._watched[0][0] - time.monotonic()
                if wait > 0:
                    self._changed.wait(wait)
                    continue
                _, number, cancellation, timeout_ms = heapq.heappop(self._watched)
                self._over.discard(number)
            cancellation.cancel(
                DeadlineExceededError(
                    None,
                    None,
                    f"The step took longer than {timeout_ms} ms",
                    remedy="Raise timeout_in_ms of RunOptions or operation_timeout_in_ms of "
                    "ConfigProto, or look for what it waits for.",
                )
            )
            del cancellation


deadlines = DeadlineWatcher()
