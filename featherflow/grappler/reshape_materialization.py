"""Reshape materialization: shapes worked out from other shapes in each run become constants.

    Reshape(x, [Shape(x)[0], 9216])  →  Reshape(x, [-1, 9216])
    Reshape(x, Shape(x))             →  x

Only where symbolic shapes prove that the numbers of elements agree: no error is lost.
"""

from __future__ import annotations

import numpy as np

from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor, same_device
from featherflow.grappler.symbolic_shapes import SymbolicShapes, reshaped


def materialize_reshapes(editor: GraphEditor) -> None:
    """Gives Reshapes constant shapes, at most one size of which is -1."""
    if not any(node.definition.name == "Reshape" for node in editor.nodes()):
        return
    shapes = SymbolicShapes(editor)
    for node in editor.nodes():
        shapes.visit(node)
        if node.definition.name == "Reshape" and editor.may_rewrite(node):
            _materialize(editor, shapes, node)


def _materialize(editor: GraphEditor, shapes: SymbolicShapes, node: Node) -> None:
    source, wanted = node.inputs
    sizes = reshaped(shapes, node)
    if sizes is None or not _may_drop(editor, shapes, node):
        return
    dims = shapes.dims(source)
    if tuple(sizes) == dims and same_device(node, source[0]):
        editor.replace((node, 0), source)
        editor.note(f"{node.name}: Reshape of {source[0].name} to its own shape")
        return
    if editor.constant(wanted) is None and sum(bool(size.names) for size in sizes) <= 1:
        value = [-1 if size.names else size.number for size in sizes]
        dtype = wanted[0].output_dtypes[wanted[1]]
        constant = editor.add_constant(
            node, f"{node.name}/_shape", np.array(value, dtype.numpy_dtype), dtype
        )
        editor.set_input(node, 1, (constant, 0))
        editor.note(f"{node.name}: the shape is always {value}")


def _may_drop(editor: GraphEditor, shapes: SymbolicShapes, node: Node) -> bool:
    """Whether the shape need not be computed for an effect of what it is made of."""
    wanted = node.inputs[1][0]
    if wanted not in editor.effectful:
        return True
    return shapes.sources.get(wanted, frozenset()) <= {node.inputs[0][0]}
