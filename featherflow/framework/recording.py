"""Who listens while ops run: gradient tapes and the like, innermost last, for each thread."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol


class Recorder(Protocol):
    """What is told of ops: `eager/tape.py::Tape`, for one."""

    def record(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """An op has run, or has become a node."""
        ...

    def variable_accessed(self, variable: Any) -> None:
        """A trainable variable is about to be read."""
        ...


class _Recorders(threading.local):
    """The recorders of this thread."""

    def __init__(self) -> None:
        self.active: list[Recorder] = []


recorders = _Recorders()


def record(operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Tells all recorders of an op."""
    for recorder in tuple(recorders.active):
        recorder.record(operation, inputs, outputs)


def variable_accessed(variable: Any) -> None:
    """Tells all recorders that a variable is read; `variable` is trainable."""
    for recorder in tuple(recorders.active):
        recorder.variable_accessed(variable)
