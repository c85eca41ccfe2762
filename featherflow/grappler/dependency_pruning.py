"""Dependency pruning: nodes that pass their input on, and edges that only say what is so anyway.

y = Identity(x)                  what reads y reads x; likewise Reshape to the same shape, Cast
                                 to the same dtype, Transpose that leaves the axes in order
z = Op(…, ^c), c a constant      z need not wait for it; nor for anything without an effect,
                                 unless the program asked for it by `tf.control_dependencies`
z = Op(…, ^n), n = NoOp(^a, ^b)  z waits for a and b
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import (
    GraphEditor,
    is_reference,
    same_device,
)

#: Edges from a NoOp are replaced by at most so many edges to what it waits for.
_LARGEST_FAN = 4


def prune_dependencies(editor: GraphEditor) -> None:
    """Drops control edges that order nothing, and nodes that change nothing."""
    for node in editor.nodes():
        if node.control_inputs and node not in editor.conditional:
            _prune_controls(editor, node)
        passes_on = _PASSES_ON.get(node.definition.name)
        if passes_on is not None and passes_on(editor, node):
            _bypass(editor, node)


# --- control edges --------------------------------------------------------------------------------


def _prune_controls(editor: GraphEditor, node: Node) -> None:
    kept: dict[Node, None] = {}
    sources = {source for source, _ in node.inputs}
    for source in node.control_inputs:
        for waited_for in _what_it_waits_for(editor, source):
            if waited_for not in sources and not _orders_nothing(editor, waited_for):
                kept[waited_for] = None
    if list(kept) != node.control_inputs:
        dropped = [source.name for source in node.control_inputs if source not in kept]
        editor.set_control_inputs(node, list(kept))
        editor.note(f"{node.name}: waits no more for {', '.join(dropped)}")


def _what_it_waits_for(editor: GraphEditor, source: Node) -> list[Node]:
    """What to wait for instead of `source`, whose own edges have been seen to before."""
    if (
        source.definition.name == "NoOp"
        and source not in editor.conditional
        and len(source.control_inputs) <= _LARGEST_FAN
    ):
        return source.control_inputs
    return [source]


def _orders_nothing(editor: GraphEditor, source: Node) -> bool:
    if source in editor.effectful:  # as is all that may be dead
        return False
    asked_for = source.attrs.get("_has_manual_control_dependencies", False)
    return not asked_for or not source.inputs or source.definition.name in _PASSES_ON


# --- nodes that pass on ---------------------------------------------------------------------------


def _bypass(editor: GraphEditor, node: Node) -> None:
    """Lets all that read a node read its first input."""
    if node.control_inputs or editor.is_kept(node):
        return
    if node in editor.conditional and (editor.is_fetched(node) or editor.has_control_users(node)):
        return  # pivots, and names that errors about dead fetches tell
    source, index = node.inputs[0]
    dtype = source.output_dtypes[index]
    if is_reference(dtype) or dtype is not node.output_dtypes[0]:
        return
    if not same_device(node, source) or not (editor.users(node) or editor.is_fetched(node)):
        return
    _keep_shape(node, source, index)
    editor.replace((node, 0), (source, index))
    editor.note(f"{node.name}: {node.definition.name} passes {source.name} on")


def _keep_shape(node: Node, source: Node, index: int) -> None:
    """What the node's static shape told is told by its source's, where both can be true."""
    if source.definition.control_flow or not node.output_shapes[0].is_compatible_with(
        source.output_shapes[index]
    ):
        return
    shapes = list(source.output_shapes)
    shapes[index] = shapes[index].merge_with(node.output_shapes[0])
    source.output_shapes = shapes


def _always(editor: GraphEditor, node: Node) -> bool:
    return True


def _has_one_dtype(editor: GraphEditor, node: Node) -> bool:
    return node.attrs["SrcT"] is node.attrs["DstT"]


def _has_one_shape(editor: GraphEditor, node: Node) -> bool:
    """Whether a Reshape gives the shape that is there: one unknown size follows from the others."""
    source, index = node.inputs[0]
    dims = source.output_shapes[index]._dims
    if dims is None or dims != node.output_shapes[0]._dims:
        return False
    if editor.constant(node.inputs[1]) is None:
        return False
    return None not in dims or (dims.count(None) == 1 and 0 not in dims)


def _keeps_axes(editor: GraphEditor, node: Node) -> bool:
    axes = editor.constant(node.inputs[1])
    source, index = node.inputs[0]
    return (
        axes is not None
        and source.output_shapes[index].rank == axes.size
        and np.array_equal(axes, np.arange(axes.size))
    )


#: Op → whether a node of it passes its first input on as it is.
_PASSES_ON: dict[str, Callable[[GraphEditor, Node], bool]] = {
    "Identity": _always,
    "StopGradient": _always,
    "PreventGradient": _always,
    "Snapshot": _always,
    "PlaceholderWithDefault": _always,
    "Cast": _has_one_dtype,
    "Reshape": _has_one_shape,
    "Transpose": _keeps_axes,
}
