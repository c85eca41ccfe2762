"""Names that layers take from their class: snake case, numbered within a graph."""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph

_counts: WeakKeyDictionary[Graph, dict[str, int]] = WeakKeyDictionary()


def snake_case(name: str) -> str:
    """`BasicLSTMCell` → `basic_lstm_cell`; a leading "_" gets a "private" before it."""
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    result = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{result}" if result.startswith("_") else result


def unique_layer_name(name: str) -> str:
    """`name_1`, `name_2`, …: the next one in the default graph."""
    counts = _counts.setdefault(get_default_graph(), {})
    counts[name] = counts.get(name, 0) + 1
    return f"{name}_{counts[name]}"
