"""Coordinator: stops a group of threads together, and hands on the first one's error."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from featherflow.framework.errors import OutOfRangeError
from featherflow.framework.exports import export, export_v1

#: How often `join` looks whether the threads have ended by themselves, in seconds.
_LOOK_AGAIN = 0.05


@export("train.Coordinator")
class Coordinator:
    """Threads ask `should_stop()` and say `request_stop(error)`; one waits with `join`.

    Args:
      clean_stop_exception_types: errors that end the threads, but are no failure; None for
        OutOfRangeError, with which a queue or dataset says that it is exhausted.

    >>> import threading
    >>> import featherflow as tf
    >>> coordinator, counts = tf.train.Coordinator(), []
    >>> def count():
    ...     while not coordinator.should_stop():
    ...         counts.append(1)
    ...         coordinator.request_stop()
    >>> thread = threading.Thread(target=count)
    >>> thread.start()
    >>> coordinator.join([thread])
    >>> counts
    [1]
    """

    def __init__(
        self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None
    ) -> None:
        self._clean = tuple(clean_stop_exception_types or (OutOfRangeError,))
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._joined = False
        self._threads: list[threading.Thread] = []

    @property
    def joined(self) -> bool:
        """Whether `join` has been called and is over."""
        return self._joined

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
          ex: why: an exception or `sys.exc_info()`, which `join` raises again unless it is one of
            the clean ones; the first counts.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(error, self._clean):
            error = None
        with self._lock:
            if self._joined and error is not None:
                raise error
            if not self._stop.is_set():
                self._error = error
                self._stop.set()

    def clear_stop(self) -> None:
        """Forgets all requests to stop and their errors."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Requests a stop with whatever the block raises; `join` raises it again."""
        try:
            yield
        except BaseException as error:
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested, `timeout` seconds at most; whether it was."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those for which `join` waits."""
        with self._lock:
            self._threads.append(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until the threads have ended.

        Args:
          threads: besides those that were registered.
          stop_grace_period_secs: how long they have from the request to stop on.
          ignore_live_threads: be content if some have not ended by then.
        Raises:
          RuntimeError: some have not ended.
          BaseException: what was given to `request_stop`.
        """
        with self._lock:
            awaited = list(dict.fromkeys([*self._threads, *(threads or ())]))
        while any(thread.is_alive() for thread in awaited) and not self.wait_for_stop(_LOOK_AGAIN):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in awaited:
            thread.join(max(0.0, deadline - time.monotonic()))
        alive = [thread.name for thread in awaited if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = []
            error = self._error
        if error is not None:
            raise error
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raises what was given to `request_stop`, if anything was."""
        with self._lock:
            error = self._error
        if error is not None:
            raise error


@export_v1("train.LooperThread")
class LooperThread(threading.Thread):
    """A thread that calls a function again and again until its coordinator stops.

    Args:
      coord: the Coordinator.
      timer_interval_secs: from one call to the next; None for no pause.
      target: the function; None for the method `run_loop` of a subclass.
      args, kwargs: its arguments.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._call = target
        self._call_args = tuple(args or ())
        self._call_kwargs = dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:
        """Makes and starts such a thread."""
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            due = time.monotonic()
            while not self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
                due += self._interval or 0.0
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Is called before the first call."""

    def stop_loop(self) -> None:
        """Is called after the last call."""

    def run_loop(self) -> None:
        """One call."""
        if self._call is not None:
            self._call(*self._call_args, **self._call_kwargs)
