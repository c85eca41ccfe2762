"""Parts of GraphDefs: what some nodes need, and what inference needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph import Graph

#: Ops that pass their input on: their readers can read the input itself.
_PASS_ON = frozenset(("Identity", "StopGradient", "CheckNumerics"))


@export_v1("graph_util.extract_sub_graph")
def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """The part of a GraphDef that the nodes named need, in the same order.

    Args:
      graph_def: a GraphDef message.
      dest_nodes: names of nodes, without output index.
    Returns:
      A new GraphDef with the nodes, and the library and versions of the old one.
    Raises:
      TypeError: an argument has the wrong type.
      AssertionError: a node named is not there.
      KeyError: the input of a node is not there.
    """
    if type(graph_def).__name__ != "GraphDef":
        raise TypeError(
            f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}."
        )
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {str}.")
    node_of = {node.name: node for node in graph_def.node}
    pending = []
    for name in dest_nodes:
        if name not in node_of:
            raise AssertionError(f"{name} is not in graph")
        pending.append(name)
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(node_name(text) for text in node_of[name].input)
    result = emptied(graph_def)
    result.node.extend(node for node in graph_def.node if node.name in needed)
    return result


def node_name(text: str) -> str:
    """The node that an input "node", "node:1" or "^node" names."""
    return text[1:] if text.startswith("^") else text.split(":")[0]


@export_v1("graph_util.remove_training_nodes")
def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """A GraphDef without nodes that only pass a value on: Identity, StopGradient, CheckNumerics.

    Those that wait for others, that others wait for or are placed with stay; but nobody waits for
    a CheckNumerics any more. The last node of a graph goes too if it is such a node: protect it.

    Args:
      input_graph: a GraphDef message.
      protected_nodes: names of nodes to keep.
    Returns:
      A new GraphDef.
    """
    protected = set(protected_nodes or ())
    checks = {
        node.name
        for node in input_graph.node
        if node.op == "CheckNumerics" and node.input and node.name not in protected
    }
    kept = protected | _named_otherwise(input_graph, checks)
    source_of: dict[str, str] = {}
    for node in input_graph.node:
        waits = any(text.startswith("^") for text in _inputs_without(node, checks))
        if node.name in checks or (
            node.op in _PASS_ON and node.input and node.name not in kept and not waits
        ):
            source_of[node.name] = node.input[0]
    result = emptied(input_graph)
    for node in input_graph.node:
        if node.name not in source_of:
            copy = result.node.add()
            copy.CopyFrom(node)
            copy.ClearField("input")
            copy.input.extend(_source(text, source_of) for text in _inputs_without(node, checks))
    return result


def emptied(graph_def: Any) -> Any:
    """A GraphDef without nodes, with the library and versions of another."""
    result = type(graph_def)()
    for field in ("library", "versions"):
        if graph_def.HasField(field):
            getattr(result, field).CopyFrom(getattr(graph_def, field))
    return result


def _inputs_without(node: Any, checks: set[str]) -> list[str]:
    """The inputs of a node, less the control inputs from `checks`."""
    return [text for text in node.input if not (text.startswith("^") and text[1:] in checks)]


def _named_otherwise(graph_def: Any, checks: set[str]) -> set[str]:
    """Nodes that control inputs or colocation name, so that no other can take their place."""
    named = set()
    for node in graph_def.node:
        named.update(text[1:] for text in _inputs_without(node, checks) if text.startswith("^"))
        if "_class" in node.attr:
            for group in node.attr["_class"].list.s:
                named.add(group.removeprefix(b"loc:@").decode(errors="replace"))
    return named


def _source(text: str, source_of: dict[str, str]) -> str:
    """Where a value comes from when nodes that pass it on are left out."""
    seen = set()
    while not text.startswith("^"):
        name = text.removesuffix(":0")
        if name not in source_of or name in seen:
            break
        seen.add(name)
        text = source_of[name]
    return text


@export_v1("graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The static shape of the tensor "node" or "node:1"."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).get_shape()
