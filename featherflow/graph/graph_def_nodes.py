"""The nodes of a GraphDef before they are made: their ops, names, inputs and a possible order."""

from __future__ import annotations

import difflib
import heapq
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from featherflow.framework.op import Op
from featherflow.graph.graph_def_error import GraphDefError

# Graphs may be built with "\" in names, but TensorFlow refuses to read one.
_VALID_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_./>-]*")
_LISTED_PROBLEMS = 8

TensorKey = tuple[str, int]


class ImportedNode:
    """A NodeDef with its op, and its inputs taken apart."""

    __slots__ = ("control_inputs", "definition", "inputs", "name", "position", "proto")

    def __init__(self, proto: Any, position: int, definition: Op) -> None:
        self.proto = proto
        #: Its place in the message.
        self.position = position
        self.definition = definition
        self.name: str = proto.name
        #: (node, output index) of each data input.
        self.inputs: list[TensorKey] = []
        #: Names of the nodes to wait for.
        self.control_inputs: list[str] = []

    def read_inputs(self, key_of: Callable[[str], TensorKey]) -> None:
        """Takes the inputs of the message apart; `key_of` reads the name of a tensor."""
        for text in self.proto.input:
            if text.startswith("^"):
                self.control_inputs.append(text[1:])
            elif self.control_inputs:
                raise self.error("Control dependencies must come after regular dependencies")
            else:
                self.inputs.append(key_of(text))

    def error(self, message: str, **fields: Any) -> GraphDefError:
        """The error of this node."""
        return GraphDefError(message, node=self.name, op=self.definition.name, **fields)


def tensor_key(text: str) -> TensorKey:
    """`"node:1"` taken apart; a text whose end is no index is the name of a node."""
    name, _, index = text.rpartition(":")
    if name and index.isascii() and index.isdigit() and len(index) < 10:
        return name, int(index)
    return text, 0


def key_text(key: TensorKey) -> str:
    """The inverse of `tensor_key`, the index always written."""
    return f"{key[0]}:{key[1]}"


def read_nodes(node_defs: Iterable[Any], definitions: Mapping[str, Op]) -> dict[str, ImportedNode]:
    """The nodes by name, in the order of the message; their inputs are to be read yet.

    Args:
      node_defs: the NodeDefs.
      definitions: op by name, complete.
    Raises:
      GraphDefError: a name is taken twice or not valid.
    """
    nodes: dict[str, ImportedNode] = {}
    for position, proto in enumerate(node_defs):
        node = ImportedNode(proto, position, definitions[proto.op])
        if not _VALID_NAME.fullmatch(node.name):
            raise node.error(
                "Node name contains invalid characters",
                expected="a letter, digit or '.', then also any of _ / > -",
            )
        if node.name in nodes:
            raise node.error("Node is not unique", remedy="Two nodes of the graph have this name.")
        nodes[node.name] = node
    return nodes


# --- order ------------------------------------------------------------------------------


def is_back_edge(source: ImportedNode, target: ImportedNode) -> bool:
    """Whether an edge closes a loop: NextIteration to Merge."""
    return (
        source.definition.control_flow == "next_iteration"
        and target.definition.control_flow == "merge"
    )


def creation_order(
    nodes: dict[str, ImportedNode],
    mapped: Container[TensorKey],
    mapped_controls: Container[str],
) -> list[ImportedNode]:
    """An order in which inputs come first; of the nodes that are possible, the message's first.

    Args:
      nodes: from `read_nodes`.
      mapped, mapped_controls: inputs that come from outside.
    Raises:
      GraphDefError: an input is not there, or there is a cycle that is no loop.
    """
    waiting: list[int] = []
    users: dict[str, list[ImportedNode]] = {}
    for node in nodes.values():
        count = 0
        for source in _sources(node, nodes, mapped, mapped_controls):
            users.setdefault(source, []).append(node)
            count += 1
        waiting.append(count)
    # Already a heap: positions rise.
    ready = [node.position for node in nodes.values() if not waiting[node.position]]
    by_position = list(nodes.values())
    ordered: list[ImportedNode] = []
    while ready:
        node = by_position[heapq.heappop(ready)]
        ordered.append(node)
        for user in users.get(node.name, ()):
            waiting[user.position] -= 1
            if not waiting[user.position]:
                heapq.heappush(ready, user.position)
    if len(ordered) < len(nodes):
        raise _cycle([node for node in by_position if waiting[node.position]], nodes)
    return ordered


def _sources(
    node: ImportedNode,
    nodes: dict[str, ImportedNode],
    mapped: Container[TensorKey],
    mapped_controls: Container[str],
) -> Iterator[str]:
    """The nodes that must be made before `node`, one for each edge."""
    for key in node.inputs:
        if key in mapped:
            continue
        source = nodes.get(key[0])
        if source is None:
            raise _unknown_input(node, key[0] if key[1] == 0 else key_text(key), nodes)
        if not is_back_edge(source, node):
            yield source.name
    for name in node.control_inputs:
        if name in mapped_controls:
            continue
        if name not in nodes:
            raise _unknown_input(node, f"^{name}", nodes)
        yield name


def _unknown_input(node: ImportedNode, text: str, nodes: dict[str, ImportedNode]) -> GraphDefError:
    near = difflib.get_close_matches(text.lstrip("^"), list(nodes)[:5000], 2)
    return node.error(
        f"Unknown input node '{text}'",
        remedy=f"Names near it: {', '.join(near)}." if near else "",
    )


def _cycle(stuck: list[ImportedNode], nodes: dict[str, ImportedNode]) -> GraphDefError:
    """Names the nodes of one cycle among those that never became possible."""
    names = {node.name for node in stuck}
    node, path, seen = stuck[0], [], {}
    while node.name not in seen:
        seen[node.name] = len(path)
        path.append(node.name)
        sources = [name for name, _ in node.inputs] + node.control_inputs
        node = nodes[
            next(name for name in sources if name in names and not is_back_edge(nodes[name], node))
        ]
    cycle = path[seen[node.name] :][::-1]
    shown = " → ".join(cycle[:_LISTED_PROBLEMS]) + (" → …" if cycle[_LISTED_PROBLEMS:] else "")
    return GraphDefError(
        f"{len(stuck)} nodes in a cycle",
        received=f"a cycle {shown} → {cycle[0]}",
        expected="cycles only through NextIteration and Merge, as tf.while_loop makes them",
    )
