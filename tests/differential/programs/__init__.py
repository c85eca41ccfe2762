"""TF1 programs as their users write them: each takes `tf`, builds a graph and names its points.

A program is a function of one argument, the TF1 namespace, that builds into the default graph and
returns a dict of what a caller could fetch or ask about: tensors, operations, variables,
optimizers, shapes, or nests of them. The key "steps", where present, holds a function of a session
that returns a dict of values; programs have one, and are marked `@runs`, where the values are
determined.

The same functions run with TensorFlow (`record_programs.py`) and with featherflow
(`test_programs.py`), so they use nothing but the public TF1 API and NumPy.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ..graph_facts import describe_graph

Program = Callable[[Any], dict[str, Any]]

TOPICS = (
    "name_scopes",
    "variable_scopes",
    "initializers",
    "layers",
    "normalization",
    "losses",
    "assertions",
    "weighted_losses",
    "metrics",
    "operators",
    "arrays",
    "branches",
    "loops",
    "side_effects",
    "devices",
    "state",
    "optimizers",
    "training",
    "input_pipelines",
    "sessions",
)


def runs(program: Program) -> Program:
    """Marks a program whose dict has "steps", so that those can be listed without building."""
    program.has_steps = True
    return program


def programs_of(topic: str) -> Iterator[tuple[str, Program]]:
    """Yields the name and function of each program of a topic, in the order of the file."""
    module = importlib.import_module(f"{__name__}.{topic}")
    for name, function in vars(module).items():
        is_own = inspect.isfunction(function) and function.__module__ == module.__name__
        if is_own and not name.startswith("_"):
            yield name, function


def build(tf: Any, program: Program) -> dict[str, Any]:
    """Runs a program in a fresh graph and returns the facts of what it built."""
    graph = tf.Graph()
    with graph.as_default():
        points = program(tf)
        points.pop("steps", None)
        return describe_graph(tf, graph, points)
