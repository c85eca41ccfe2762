"""What a differential case is: a small program, how to run it, and the registry of all of them.

A case is a function that takes ``tf`` (TensorFlow's ``tf.compat.v1``, or featherflow), builds a
graph in the current default graph and returns what to fetch::

    @case
    def add_broadcasts(tf):
        return tf.add(tf.ones([2, 1]), tf.ones([3]))

A function that needs more (feeds, several runs, a tolerance) returns a `Case`; one that drives the
session itself returns a `Script`. Programs that must fail are registered with `error_case`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Program = Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """What to run once the graph stands.

    Attributes:
        fetches: A tensor, or any nest of lists and dicts of tensors, operations, ``None`` and
            plain Python values (which are compared as they are).
        feeds: Placeholder (or tensor) to value, the same in every run.
        setup: Operations run one after the other, once, before the first run.
        runs: How many times the fetches run in the same session.
        tolerance: Replaces the tolerance of every floating-point output's dtype.
        reason: Why `tolerance` differs from the default.
    """

    fetches: Any
    feeds: Mapping[Any, Any] = field(default_factory=dict)
    setup: Sequence[Any] = ()
    runs: int = 1
    tolerance: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if self.tolerance is not None and not self.reason:
            raise ValueError("A case with its own tolerance must say why.")


@dataclass(frozen=True)
class Script:
    """A program that drives the session: `body` takes it and returns a nest of plain values."""

    body: Callable[[Any], Any]
    setup: Sequence[Any] = ()


@dataclass(frozen=True)
class Registered:
    """One program of a family, under a name that is unique in it."""

    family: str
    name: str
    program: Program
    fails: bool

    @property
    def key(self) -> str:
        return f"{self.family}/{self.name}"


_REGISTRY: dict[str, Registered] = {}


def _register(program: Program, name: str, fails: bool) -> Program:
    family = program.__module__.rpartition(".")[2]
    registered = Registered(family, name, program, fails)
    if registered.key in _REGISTRY:
        raise ValueError(f"Two differential cases are called {registered.key!r}.")
    _REGISTRY[registered.key] = registered
    return program


def case(program_or_name: Program | str) -> Any:
    """Registers a program that runs; as ``@case`` under its own name, or as ``@case("name")``."""
    if isinstance(program_or_name, str):
        return lambda program: _register(program, program_or_name, fails=False)
    return _register(program_or_name, program_or_name.__name__, fails=False)


def error_case(program_or_name: Program | str) -> Any:
    """Registers a program that must fail, while it is built or while it runs."""
    if isinstance(program_or_name, str):
        return lambda program: _register(program, program_or_name, fails=True)
    return _register(program_or_name, program_or_name.__name__, fails=True)


def error_cases(**programs: Program) -> None:
    """Registers several one-line programs that must fail, each under its keyword."""
    for name, program in programs.items():
        _register(program, name, fails=True)


def load_cases() -> dict[str, Registered]:
    """Imports every module of ``cases/`` and returns all registered cases by key."""
    package = importlib.import_module(f"{__package__}.cases")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(_REGISTRY)
