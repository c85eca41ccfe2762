"""Nodes that touch files, processes or Python: they are not run unless the user says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from featherflow.cli.command_error import CommandError
from featherflow.framework.attr_value import NameAttrList
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.subgraph import prune
from featherflow.graph.tensor import Tensor

_SHOWN = 8
OPTION = "--allow-side-effects"


def refuse_side_effects(
    graph: Graph,
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    targets: Sequence[Operation] = (),
) -> None:
    """Refuses a step that has nodes which touch the world.

    Raises:
      CommandError: it has; names them.
    """
    step = prune(graph, feeds, fetches, targets)
    operations = [node.operation for node in step.nodes if node.operation is not None]
    found = [
        f"{operation.type} '{operation.name}'"
        for operation in _with_bodies(operations, graph)
        if operation.definition.touches_world
    ]
    if found:
        shown = ", ".join(found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise CommandError(
            f"these nodes touch files, processes or Python: {shown}{more}. Pass {OPTION} to run "
            "them, if you trust where the model comes from."
        )


def _with_bodies(operations: Iterable[Operation], graph: Graph) -> Iterator[Operation]:
    """Operations, and those of the functions that they call, each function once."""
    waiting = list(operations)
    entered: set[NameAttrList] = set()
    while waiting:
        operation = waiting.pop()
        yield operation
        for called in _called_functions(operation, graph):
            function = graph._get_function(called.name)
            if function is not None and called not in entered:
                entered.add(called)
                waiting.extend(function.instantiate(called.attrs).graph.get_operations())


def _called_functions(operation: Operation, graph: Graph) -> Iterator[NameAttrList]:
    if graph._is_function(operation.type):
        yield NameAttrList(operation.type, operation.attrs)
    for value in operation.attrs.values():
        items: Iterable[Any] = value if isinstance(value, tuple) else (value,)
        yield from (item for item in items if isinstance(item, NameAttrList))
