"""WaitingRoom: where steps wait for a resource to change, without holding a thread.

Who comes says what to do, as an action that runs under the room's lock and answers WAIT if it
cannot be done yet. After each change all who wait try again, in the order in which they came.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from featherflow.framework.errors import CancelledError, OpError

#: What an action answers that cannot be done yet.
WAIT = object()

Done = Callable[[Any], None]


class _Visitor:
    __slots__ = ("action", "cancellation", "done", "is_over", "token")

    def __init__(self, action: Callable[[], Any], cancellation: Any, done: Done) -> None:
        self.action = action
        self.cancellation = cancellation
        self.done = done
        self.token: object = None
        self.is_over = False

    def report(self, result: Any) -> None:
        """Tells the step what came of it; called without the lock."""
        if self.token is not None:
            self.cancellation.deregister(self.token)
        self.done(result)


class WaitingRoom:
    """The lock of a resource, and those who wait for it to change."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._waiting: list[_Visitor] = []

    def visit(self, action: Callable[[], Any], cancellation: Any, done: Done) -> None:
        """Calls `done` with what `action()` answers, or the OpError that it raises, once.

        That is before this returns, or when the resource has changed so that the action does not
        answer WAIT any more. `done` gets CancelledError if the step is cancelled first.
        """
        visitor = _Visitor(action, cancellation, done)
        with self.lock:
            self._waiting.append(visitor)
            reports = self._settle()
        for report in reports:
            report()
        if not visitor.is_over:
            visitor.token = cancellation.register(partial(self._cancel, visitor))
            if visitor.is_over:  # the resource has changed in the meantime
                cancellation.deregister(visitor.token)

    def _settle(self) -> list[Callable[[], None]]:
        """Lets all try until nobody gets on; returns the reports to be made."""
        reports: list[Callable[[], None]] = []
        moved = True
        while moved:
            moved = False
            for visitor in list(self._waiting):
                try:
                    result = visitor.action()
                except OpError as error:
                    result = error
                if result is not WAIT:
                    self._waiting.remove(visitor)
                    visitor.is_over = moved = True
                    reports.append(partial(visitor.report, result))
        return reports

    def _cancel(self, visitor: _Visitor) -> None:
        """The call-back of a step's cancellation."""
        with self.lock:
            if visitor.is_over:
                return
            self._waiting.remove(visitor)
            visitor.is_over = True
        visitor.report(CancelledError(None, None, "The step was cancelled while it waited."))
