"""tf.test.assert_equal_graph_def: two graphs are the same but for the order of what has none."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export, export_v1


@export_v1("test.assert_equal_graph_def")
def assert_equal_graph_def_v1(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Checks that two graphs have the same nodes.

    The order of nodes and of control inputs does not matter.

    Args:
      actual: a GraphDef.
      expected: a GraphDef.
      checkpoint_v2: whether the attributes of checkpoints that differ from run to run are left out.
      hash_table_shared_name: whether the shared names of tables are.
    Raises:
      TypeError: one is no GraphDef.
      AssertionError: they differ.
    """
    for role, message in (("actual", actual), ("expected", expected)):
        if type(message).__name__ != "GraphDef":
            raise TypeError(f"Expected tf.GraphDef for {role}, got {type(message).__name__}")
    ignored = {"shared_name"} if hash_table_shared_name else set()
    found = _nodes(actual, ignored, checkpoint_v2)
    wanted = _nodes(expected, ignored, checkpoint_v2)
    for name in wanted.keys() - found.keys():
        raise AssertionError(f"Did not find expected node '{name}'")
    for name in found.keys() - wanted.keys():
        raise AssertionError(f"Found unexpected node '{name}'")
    for name, node in wanted.items():
        if found[name] != node:
            raise AssertionError(f"Node '{name}' is {found[name]}, expected {node}")


@export("test.assert_equal_graph_def")
def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """`tf.compat.v1.test.assert_equal_graph_def` with TF2's order of arguments."""
    assert_equal_graph_def_v1(actual, expected, checkpoint_v2=True, hash_table_shared_name=True)


def _nodes(graph_def: Any, ignored: set[str], checkpoint_v2: bool) -> dict[str, Any]:
    """Name → what a node is, comparable."""
    return {node.name: _facts(node, ignored, checkpoint_v2) for node in graph_def.node}


def _facts(node: Any, ignored: set[str], checkpoint_v2: bool) -> tuple[Any, ...]:
    data = [name.removesuffix(":0") for name in node.input if not name.startswith("^")]
    controls = sorted(name for name in node.input if name.startswith("^"))
    left_out = set(ignored) if "Table" in node.op else set()
    if checkpoint_v2 and node.op in ("SaveV2", "RestoreV2", "MergeV2Checkpoints"):
        return (node.op, len(data), controls)
    attrs = {
        name: node.attr[name].SerializeToString(deterministic=True)
        for name in sorted(node.attr)
        if name not in left_out and not name.startswith("_")
    }
    return node.op, data, controls, node.device, attrs
