"""Where ops go that are called outside of all blocks: a graph, or the eager context."""

from __future__ import annotations

from typing import Any

from featherflow.eager import python_calls  # noqa: F401 (nodes that call Python)
from featherflow.eager.context import context
from featherflow.framework import mode
from featherflow.graph.graph import Graph


def default_context() -> Any:
    """A new default graph in a program that builds graphs, else the eager context."""
    return Graph() if mode.current() is mode.Mode.GRAPH else context
