"""The corpus: functions with control flow, and arguments to call them with.

@case((3,), (-2,))          called once with 3, once with -2
def absolute(x): …

@refused("if", (3,))        traced over tensors it is refused, in the line that says `# refused`
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One function: `calls` are argument tuples; `refusal` is in the error that tensors get."""

    function: Function
    calls: tuple[tuple[Any, ...], ...]
    refusal: str | None = None

    @property
    def name(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}-{self.function.__name__}"

    @property
    def refused_line(self) -> int:
        """The line that is marked."""
        lines, first = inspect.getsourcelines(self.function)
        return first + next(at for at, line in enumerate(lines) if "# refused" in line)


CASES: list[Case] = []


def case(*calls: tuple[Any, ...]) -> Callable[[Function], Function]:
    """Adds a function to the corpus."""

    def add(function: Function) -> Function:
        CASES.append(Case(function, calls))
        return function

    return add


def refused(message: str, *calls: tuple[Any, ...]) -> Callable[[Function], Function]:
    """Adds a function that tensors cannot be given to."""

    def add(function: Function) -> Function:
        CASES.append(Case(function, calls, message))
        return function

    return add
