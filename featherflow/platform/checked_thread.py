"""A thread of a test, whose failures are those of the test."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class CheckedThread:
    """Runs a function in a thread; `join` fails the test if the function did.

    Args:
      testcase: the test.
      target: what to run.
      args: its arguments.
      kwargs: its keyword arguments.
    """

    def __init__(
        self,
        testcase: unittest.TestCase,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self._testcase = testcase
        self._target = target
        self._args, self._kwargs = tuple(args or ()), dict(kwargs or {})
        self._thread = threading.Thread(target=self._protected_run, daemon=True)
        self._exception: BaseException | None = None
        self._is_joined = False

    def _protected_run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as error:  # whatever it is, join reports it
            self._exception = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread, and fails the test if what ran in it failed."""
        self._is_joined = True
        self._thread.join()
        if self._exception is not None:
            self._testcase.fail(f"Error in checkedThread: {self._exception}")

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if the thread was not joined."""
        if not self._is_joined:
            if self.is_alive():
                self._testcase.fail("A checkedThread was not joined, and still runs.")
            self._testcase.fail("A checkedThread was not joined.")
