"""Compares the facts of a graph with the recorded ones and says in words what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from .graph_facts import NodeFacts

# Attributes that are not compared, and why.
IGNORED_ATTRS = {
    "_has_manual_control_dependencies": "a note to tf.function's own bookkeeping; no kernel, "
    "placer or importer reads it",
}
_SHOWN = 8


def graph_differences(actual: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Returns one line per difference; of those between nodes, the first few in graph order."""
    found = list(_node_differences(actual["nodes"], expected["nodes"]))
    if bool(actual["gradient_nodes"]) != bool(expected["gradient_nodes"]):
        found.append(
            f"has {actual['gradient_nodes']} nodes of gradients, not {expected['gradient_nodes']}"
        )
    found.extend(_sequence_differences("variables", actual, expected))
    for fact in ("collections", "points"):
        found.extend(_mapping_differences(fact, actual[fact], expected[fact]))
    return found


def _node_differences(actual: list[NodeFacts], expected: list[NodeFacts]) -> Iterator[str]:
    ours = {node.name: node for node in actual}
    theirs = {node.name: node for node in expected}
    yield from _named("missing nodes", (theirs[name] for name in theirs if name not in ours))
    yield from _named("unexpected nodes", (ours[name] for name in ours if name not in theirs))
    differing = (
        (name, lines)
        for name, node in theirs.items()
        if name in ours and (lines := list(_fact_differences(ours[name], node)))
    )
    for name, lines in islice(differing, _SHOWN):
        yield f"node {name!r} ({theirs[name].op}):"
        yield from (f"    {line}" for line in lines)
    yield from _order_differences([*ours], [*theirs])


def _named(what: str, nodes: Iterable[NodeFacts]) -> Iterator[str]:
    labels = [f"{node.name} ({node.op})" for node in nodes]
    if labels:
        more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
        yield f"{len(labels)} {what}: {', '.join(labels[:_SHOWN])}{more}"


def _fact_differences(actual: NodeFacts, expected: NodeFacts) -> Iterator[str]:
    for fact in ("op", "inputs", "device", "output_shapes"):
        ours, theirs = getattr(actual, fact), getattr(expected, fact)
        if ours != theirs:
            yield f"{fact} {ours!r}, not {theirs!r}"
    for name in sorted(actual.attrs.keys() | expected.attrs.keys()):
        ours, theirs = actual.attrs.get(name), expected.attrs.get(name)
        if ours != theirs and name not in IGNORED_ATTRS:
            yield f"attr {name} = {ours}, not {theirs}"


def _order_differences(actual: Sequence[str], expected: Sequence[str]) -> Iterator[str]:
    """The order of nodes they share: it numbers ops, and so chooses the seeds of random ones."""
    shared = set(actual) & set(expected)
    ours = [name for name in actual if name in shared]
    theirs = [name for name in expected if name in shared]
    for our_name, their_name in zip(ours, theirs):
        if our_name != their_name:
            yield f"nodes are made in another order, from {our_name!r} where {their_name!r} was"
            return


def _sequence_differences(
    fact: str, actual: dict[str, Any], expected: dict[str, Any]
) -> Iterator[str]:
    ours, theirs = actual[fact], expected[fact]
    if len(ours) != len(theirs):
        yield f"{len(ours)} {fact}, not {len(theirs)}"
    for our_item, their_item in zip(ours, theirs):
        if our_item != their_item:
            yield f"{fact}: {our_item}, not {their_item}"


def _mapping_differences(
    fact: str, actual: dict[str, Any], expected: dict[str, Any]
) -> Iterator[str]:
    for key in [*expected, *(key for key in actual if key not in expected)]:
        if actual.get(key) != expected.get(key):
            yield f"{fact} {key!r}: {actual.get(key)}, not {expected.get(key)}"
