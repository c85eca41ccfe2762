"""The default graph: the one that ops go to when no `as_default()` block says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from featherflow.framework import dispatch
from featherflow.graph.graph import Graph


def get_default_graph() -> Graph:
    """The graph of the innermost `as_default()` block of this thread, else the global one.

    Where ops run at once it is the graph without nodes that holds the scopes.
    """
    return dispatch.current_context().graph


def reset_default_graph() -> None:
    """Forgets the global default graph; the next op starts a new one.

    Raises:
      AssertionError: called inside an `as_default()` block.
    """
    if dispatch.entered_contexts():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, "
            "exit the nesting and create a new graph."
        )
    dispatch.reset_default_context()


def graph_of(inputs: Any) -> Graph:
    """The graph of the first tensor or operation among `inputs`, else the default graph.

    A function that is being built takes tensors of other graphs in, so that it is the answer then.
    """
    current = get_default_graph()
    if current.building_function:
        return current
    for item in inputs:
        graph = getattr(item, "graph", None)
        if isinstance(graph, Graph):
            return graph
    return current


def op_scope(name: str | None, default_name: str, inputs: Any = ()) -> AbstractContextManager[str]:
    """The name scope of a function that makes several nodes; yields the name of the last one.

    Args:
      name: as the caller gave it; None takes `default_name`.
      inputs: tensors whose graph the scope belongs to.
    """
    graph = graph_of(inputs)
    scope_name = default_name if name is None else name
    if graph is get_default_graph():
        return graph.name_scope(scope_name)
    return _scope_in(graph, scope_name)


@contextmanager
def _scope_in(graph: Graph, name: str) -> Iterator[str]:
    with graph.as_default(), graph.name_scope(name) as scope:
        yield scope
