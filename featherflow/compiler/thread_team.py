"""ThreadTeam: the threads of this process that run programs together, and how they are limited.

There is one team. A run takes it whole, or goes alone if another run has it. Threads that have
nothing to do spin in native code for a short while, since the next run may come at once, and then
wait on a lock.
"""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np

from featherflow.compiler import step_runner
from featherflow.compiler.image import MappedImage

#: Looks for new work before a thread goes to sleep: about 100 µs.
_SPINS = 2000


class ThreadTeam:
    """The calling thread, and as many others as programs have asked for.

    Args:
      image: of the step runner.
    """

    def __init__(self, image: MappedImage) -> None:
        self._image = image
        signature = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)
        self._wait_for_work = signature(image.address(step_runner.WORKER_ENTRY))
        self._memory = np.zeros(step_runner.CONTROL_WORDS + 8, np.int64)
        start = -self._memory.ctypes.data % 64 // 8
        self._control = self._memory[start : start + step_runner.CONTROL_WORDS]
        self._control[step_runner.YIELD] = _yield_address()
        self.control_address = self._control.ctypes.data
        self._in_use = threading.Lock()
        self._lock = threading.Lock()
        self._epoch = 0
        self._asleep: dict[int, threading.Lock] = {}
        self._started = 1

    def take(self) -> bool:
        """Whether the team is free; it is the caller's then, until `give_back`."""
        return self._in_use.acquire(blocking=False)

    def give_back(self) -> None:
        """Ends `take`."""
        self._in_use.release()

    def call_together(self, blocks_address: int, threads: int) -> int:
        """Announces work for `threads` threads; returns its epoch, for the runner to start it.

        Args:
          blocks_address: of the addresses of the runner's argument blocks, one for each thread.
        """
        while self._started < threads:
            self._start(self._started, self._epoch)
        control = self._control
        control[step_runner.BLOCKS] = blocks_address
        control[step_runner.STATUS] = 0
        with self._lock:
            number = (self._epoch >> step_runner.THREAD_BITS) + 1
            self._epoch = number << step_runner.THREAD_BITS | threads
            sleeping = [thread for thread in self._asleep if thread < threads]
            for thread in sleeping:
                self._asleep.pop(thread).release()
        return self._epoch

    def _start(self, thread: int, seen: int) -> None:
        self._started += 1
        name = f"featherflow-team-{thread}"
        serve = threading.Thread(target=self._serve, args=(thread, seen), name=name, daemon=True)
        serve.start()

    def _serve(self, thread: int, seen: int) -> None:
        """The life of a thread of the team, which knows of epochs up to `seen`."""
        bed = threading.Lock()
        bed.acquire()
        while seen != -1:
            seen = self._wait_for_work(self.control_address, thread, seen, _SPINS)
            with self._lock:
                if self._epoch != seen:
                    continue
                self._asleep[thread] = bed
            bed.acquire()


def _yield_address() -> int:
    """Where the system's function is that offers the processor to others."""
    function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_team: ThreadTeam | None = None
_team_lock = threading.Lock()


def team_of(image: MappedImage) -> ThreadTeam:
    """The team of this process."""
    global _team
    if _team is not None:
        return _team
    with _team_lock:
        if _team is None:
            _team = ThreadTeam(image)
        return _team


def _forget_team() -> None:
    """A child has none of its parent's threads: its first run makes a team of its own."""
    global _team, _team_lock
    _team = None
    _team_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_team)
