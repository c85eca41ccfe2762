"""Session factories: who makes the session for a target.

`""` is the local DirectSession; other targets (a cluster's) register a factory of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from featherflow.framework.errors import NotFoundError
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


@dataclass(frozen=True)
class SessionOptions:
    """What a session is asked for: a target and a ConfigProto (None for the defaults)."""

    target: str
    config: Any = None


class SessionInterface(ABC):
    """What `tf.Session` calls; one implementation for each kind of target."""

    @abstractmethod
    def prepare(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> Any:
        """The plan for these feeds and fetches, from the cache if it is there."""

    @abstractmethod
    def run(self, plan: Any, feed_values: list[Any], options: Any, run_metadata: Any) -> list[Any]:
        """Runs a plan once; returns the fetched values."""

    @abstractmethod
    def partial_run_setup(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> str:
        """Prepares a run in several calls; returns its handle."""

    @abstractmethod
    def partial_run(
        self, handle: str, feeds: dict[Tensor, Any], fetches: list[Tensor]
    ) -> list[Any]:
        """Continues such a run; returns the fetched values."""

    @abstractmethod
    def explain_placement(
        self, key: tuple[tuple[Tensor, ...], tuple[Tensor, ...], tuple[Operation, ...]]
    ) -> list[Any]:
        """Where the nodes of a step (feeds, fetches, targets) go, and why; runs nothing."""

    @abstractmethod
    def list_devices(self) -> list[Any]:
        """The devices that the session may use."""

    @abstractmethod
    def close(self) -> None:
        """Cancels what runs and frees all that the session holds."""


class SessionFactory(ABC):
    """Makes sessions for the targets that it accepts."""

    name: str

    @abstractmethod
    def refusal(self, options: SessionOptions) -> str | None:
        """Why the factory cannot serve `options`; None if it can."""

    @abstractmethod
    def new_session(self, options: SessionOptions, graph: Graph) -> SessionInterface:
        """A session on `graph`."""

    def reset(self, options: SessionOptions, containers: list[str] | None) -> None:  # noqa: B027
        """Clears resource containers of the target; most have none that outlive sessions."""


_factories: dict[str, SessionFactory] = {}


def register_session_factory(name: str, factory: SessionFactory) -> None:
    """Registers a factory.

    Raises:
      ValueError: the name is taken.
    """
    if name in _factories:
        raise ValueError(f"Session factory '{name}' is registered already: {_factories[name]!r}.")
    factory.name = name
    _factories[name] = factory


def unregister_session_factory(name: str) -> None:
    """Takes a factory away again."""
    _factories.pop(name, None)


def registered_session_factories() -> Sequence[str]:
    """The names of the factories."""
    return sorted(_factories)


def new_session(options: SessionOptions, graph: Graph) -> SessionInterface:
    """A session from the one factory that accepts `options`.

    Raises:
      NotFoundError: no factory accepts them; says why each refused.
    """
    return _factory_for(options).new_session(options, graph)


def reset(options: SessionOptions, containers: list[str] | None) -> None:
    """Clears resource containers of a target; None clears all.

    Raises:
      NotFoundError: no factory accepts it.
    """
    _factory_for(options).reset(options, containers)


def _factory_for(options: SessionOptions) -> SessionFactory:
    refusals = {name: factory.refusal(options) for name, factory in sorted(_factories.items())}
    accepting = [name for name, reason in refusals.items() if reason is None]
    if accepting:
        return _factories[accepting[0]]
    reasons = " ".join(f"{name} refused: {reason}." for name, reason in refusals.items())
    raise NotFoundError(
        None,
        None,
        "No session factory registered for the given session options: "
        f'{{target: "{options.target}"}}. Registered factories are '
        f"{{{', '.join(refusals)}}}. {reasons}".strip(),
        remedy='Use target "" for a session in this process, or register a factory for the target '
        "before making the session.",
    )
