"""Who listens while ops run: gradient tapes and the like, innermost last, for each thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol


class Recorder(Protocol):
    """What is told of ops: `eager/tape.py::Tape`, for one."""

    def record(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """An op has run, or has become a node."""
        ...

    def variable_accessed(self, variable: Any) -> None:
        """A trainable variable is about to be read."""
        ...

    def captured(self, outside: Any, inside: Any) -> None:
        """A graph uses a tensor from outside of it, under the name of `inside`."""
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


def captured(outside: Any, inside: Any) -> None:
    """Tells all recorders that `inside` stands for `outside` in a graph."""
    for recorder in tuple(recorders.active):
        recorder.captured(outside, inside)


@contextmanager
def paused() -> Iterator[None]:
    """Nobody hears of the ops inside the block."""
    active, recorders.active = recorders.active, []
    try:
        yield
    finally:
        recorders.active = active


class CustomCall:
    """A call that brings its own gradient, as recorders are told of it."""

    type = "CustomGradient"
    name = ""

    def __init__(self, backward: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.backward = backward
        self.inputs = inputs
        self.outputs = outputs
        self.skip_input_indices: frozenset[int] = frozenset()


def record_custom(backward: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Tells all recorders of a call whose gradient is `backward(call, *gradients)`."""
    record(CustomCall(backward, inputs, outputs), inputs, outputs)
