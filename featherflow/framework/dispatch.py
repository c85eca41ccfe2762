"""The one late-bound call: where an op that is called becomes a node of a graph, or runs at once.

`Op.__call__` ends here. The innermost `OpContext` decides: a Graph records an Operation. Contexts
live in layers above; they are pushed and popped here, so that everything below can call ops.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from featherflow.framework.op import Op


class OpContext(Protocol):
    """What calls of ops go to: `graph.Graph`, `eager.context.EagerContext`.

    Attributes:
      is_eager: whether ops run at once.
      graph: the graph that scopes, names and seeds belong to.
    """

    is_eager: bool

    @property
    def graph(self) -> Any: ...

    def apply_op(self, op: Op, args: tuple, kwargs: dict[str, Any], name: str | None) -> Any: ...


class _ContextStack(threading.local):
    """The contexts entered on this thread, innermost last."""

    def __init__(self) -> None:
        self.entered: list[OpContext] = []


_stack = _ContextStack()
_default: OpContext | None = None
_make_default: Callable[[], OpContext] | None = None


def apply_op(op: Op, args: tuple, kwargs: dict[str, Any], name: str | None) -> Any:
    """Applies `op` in the innermost context; the result is that context's kind of tensor."""
    entered = _stack.entered
    context = entered[-1] if entered else default_context()
    return context.apply_op(op, args, kwargs, name)


def current_context() -> OpContext:
    """The innermost context of this thread, else the process-wide default."""
    entered = _stack.entered
    return entered[-1] if entered else default_context()


def executing_eagerly() -> bool:
    """Whether an op that is called now runs at once, rather than become a node."""
    entered = _stack.entered
    return (entered[-1] if entered else default_context()).is_eager


def entered_contexts() -> list[OpContext]:
    """This thread's stack itself: `Graph.as_default` pushes and pops it."""
    return _stack.entered


def default_context() -> OpContext:
    """The process-wide context, made on first use (TensorFlow: the global default graph)."""
    global _default
    if _default is None:
        if _make_default is None:
            raise RuntimeError("No op context: import featherflow, not a module inside it.")
        _default = _make_default()
    return _default


def set_default_factory(make_default: Callable[[], OpContext]) -> None:
    """Says how the default context is made: that chooses the program's mode."""
    global _make_default
    _make_default = make_default


def reset_default_context() -> None:
    """Forgets the process-wide context; the next use makes a new one."""
    global _default
    _default = None
