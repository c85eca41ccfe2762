"""Where things stand in the source, for messages, traces and `featherflow explain`."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A file and line of source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def caller_location(depth: int = 2) -> SourceLocation:
    """Where the caller's caller stands."""
    frame = sys._getframe(depth)
    return SourceLocation(frame.f_code.co_filename, frame.f_lineno)


def definition_of(value: Any) -> SourceLocation | None:
    """The line of an object's `def` or `class`; None for one that is not written in Python.

    Reads the source: a code object knows only the line of the first decorator.
    """
    value = value.func if isinstance(value, partial) else inspect.unwrap(value)
    if not isinstance(value, (FunctionType, type)):
        return None
    try:
        file = inspect.getsourcefile(value)
        lines, first = inspect.getsourcelines(value)
    except (OSError, TypeError):
        return None
    starts = ("def ", "class ", "async def ")
    offsets = (number for number, line in enumerate(lines) if line.lstrip().startswith(starts))
    return SourceLocation(file or "?", first + next(offsets, 0))
