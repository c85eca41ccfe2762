"""What staged statements share: which values are staged, refusals, trials of bodies."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from featherflow.framework import nest
from featherflow.framework.errors import OperatorNotAllowedInGraphError
from featherflow.framework.recording import paused
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.functions.tracing_graph import TracingGraph
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.tensor import Tensor
from featherflow.ops.variable_base import Variable

_PACKAGES = tuple(
    os.path.dirname(sys.modules[name].__file__ or "") + os.sep for name in ("featherflow",)
)
_NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)

GetState = Callable[[], Sequence[Any]]
SetState = Callable[[Sequence[Any]], None]


class StagingError(OperatorNotAllowedInGraphError):
    """A statement over tensors that has no meaning in a graph: names statement, line, way out."""


class Undefined:
    """The value of a name that has none yet, or not on every path; reading it is an error.

    Attributes:
      name: the variable.
      reason: what to add to the error, or "".
    """

    __slots__ = ("name", "reason")

    def __init__(self, name: str, reason: str = "") -> None:
        self.name = name
        self.reason = reason

    def read(self) -> Any:
        """Raises what Python raises for a local variable without value."""
        text = f"'{self.name}' is used before assignment"
        if self.reason:
            raise StagingError(f"{user_line()}: {text}: {self.reason}")
        raise UnboundLocalError(f"local variable {text}")

    def __repr__(self) -> str:
        return f"<undefined '{self.name}'>"


class UndefinedReturnValue:
    """What a function returns that has not returned yet."""


#: Placeholders for values that no path uses: their names are made by the conversion.
_INTERNAL = ("retval_", "do_return", "break_", "continue_", "iterate_")


def is_internal(name: str) -> bool:
    """Whether a variable was made by the conversion, which never uses it before it has a value."""
    return name.startswith(_INTERNAL)


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def is_staged(value: Any) -> bool:
    """Whether a value is known only when the graph runs."""
    return value.__class__ is Tensor or (
        isinstance(value, Variable) and not get_default_graph().is_eager
    )


def becomes_tensor(value: Any) -> bool:
    """Whether a value can be the result of a staged statement."""
    return isinstance(value, (Tensor, Variable, *_NUMBERS))


def user_line() -> str:
    """`file.py:12`, the user's line that is being traced."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGES) and f"{os.sep}malt{os.sep}" not in name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "<unknown>"


def refuse(statement: str, reason: str, way_out: str) -> StagingError:
    """The error for a statement that cannot be staged, at the user's line."""
    return StagingError(f"{user_line()}: {statement}: {reason}. {way_out}")


# --- trying a body out ----------------------------------------------------------------------------


class _Trials(threading.local):
    """How many bodies are being tried out on this thread."""

    def __init__(self) -> None:
        self.depth = 0


_trials = _Trials()


def is_trial() -> bool:
    """Whether what is called now is called once more for good: prints and appends do nothing."""
    return _trials.depth > 0


@contextmanager
def trial() -> Iterator[TracingGraph]:
    """A graph that is thrown away, to find out what a body makes of its variables."""
    outer = get_default_graph()
    graph = TracingGraph("trial", outer)
    graph.order = None
    graph._variable_creators = list(outer._variable_creators)
    _trials.depth += 1
    try:
        with paused(), graph.as_default():
            yield graph
    finally:
        _trials.depth -= 1


# --- states ---------------------------------------------------------------------------------------


def leaves_of(value: Any) -> list[Any]:
    """The parts of a variable's value."""
    return nest.flatten(value, expand_composites=True)


def as_tensors(value: Any) -> Any:
    """A value with tensors for its numbers."""
    return nest.map_structure(
        lambda leaf: convert_to_tensor(leaf) if becomes_tensor(leaf) else leaf,
        value,
        expand_composites=True,
    )
