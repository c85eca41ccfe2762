"""ThreadPool: a few threads that start when there is work and end when there is none.

A single-device run never asks for one: its calling thread does all the work. Devices that run at
the same time do, and so do functions that wait inside kernels.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable

#: How long a thread without work stays, in seconds: long enough for the next step of training.
IDLE_SECONDS = 2.0

_pools: weakref.WeakSet[ThreadPool] = weakref.WeakSet()


class ThreadPool:
    """Runs functions on at most `size` threads, in the order in which they came.

    Threads are daemons: they end with the process, whatever they wait for.
    """

    def __init__(self, size: int, name: str = "featherflow") -> None:
        self.size = size
        self.name = name
        self._reset()
        _pools.add(self)

    def _reset(self) -> None:
        """The state without threads, which is also what a forked child has."""
        self._tasks: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._threads = 0
        self._idle = 0

    def schedule(self, task: Callable[[], None]) -> None:
        """Runs `task` on some thread. What it raises ends up in `threading.excepthook`."""
        with self._changed:
            self._tasks.append(task)
            if self._idle >= len(self._tasks):
                self._changed.notify()
                return
            if self._threads == self.size:
                return
            self._threads += 1
        threading.Thread(target=self._work, name=self.name, daemon=True).start()

    def _work(self) -> None:
        while True:
            task = self._next_task()
            if task is None:
                return
            try:
                task()
            except Exception:
                threading.excepthook(threading.ExceptHookArgs(_current_exception()))
            del task  # nothing must outlive its step on an idle thread

    def _next_task(self) -> Callable[[], None] | None:
        with self._changed:
            if not self._tasks:
                self._idle += 1
                self._changed.wait(IDLE_SECONDS)
                self._idle -= 1
            if self._tasks:
                return self._tasks.popleft()
            self._threads -= 1
            return None

    def thread_count(self) -> int:
        """The threads that there are at the moment."""
        return self._threads


def _current_exception() -> tuple:
    return (*sys.exc_info(), threading.current_thread())


def _after_fork_in_child() -> None:
    for pool in list(_pools):
        pool._reset()


os.register_at_fork(after_in_child=_after_fork_in_child)
