"""Shape materialization: what asks for a shape that is known gets it as a constant.

The constant waits for what was asked, so that nothing runs less often than before; where that has
no effect, `dependency_pruning` drops the edge, and maybe the node with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.frames import is_free_constant
from featherflow.graph.subgraph import FEED, Node
from featherflow.grappler.graph_editor import GraphEditor, has_ref_input, is_pure
from featherflow.grappler.shape_inference import inferred_shapes


def _sizes(shape: TensorShape) -> Sequence[int] | int | None:
    return shape._dims if shape.is_fully_defined() else None  # type: ignore[return-value]


def _count(shape: TensorShape) -> Sequence[int] | int | None:
    return math.prod(shape._dims) if shape.is_fully_defined() else None  # type: ignore[arg-type]


def _rank(shape: TensorShape) -> Sequence[int] | int | None:
    return shape.rank


#: What an op says of the shape of each input.
_ANSWERS: dict[str, Callable[[TensorShape], Sequence[int] | int | None]] = {
    "Shape": _sizes,
    "ShapeN": _sizes,
    "Size": _count,
    "Rank": _rank,
}


def materialize_shapes(editor: GraphEditor) -> None:
    """Replaces Shape, ShapeN, Size and Rank of what has a static shape by constants."""
    refined: set[Node] = set()
    for constant in editor.constants_made:
        refined.update(editor.users(constant))
    for node in editor.nodes():
        _refine(editor, node, refined)
        answer = _ANSWERS.get(node.definition.name)
        if answer is not None and not has_ref_input(node) and not _reads_control_flow(node):
            for index in range(len(node.inputs)):
                _materialize(editor, node, index, answer, refined)


def _materialize(
    editor: GraphEditor,
    node: Node,
    index: int,
    answer: Callable[[TensorShape], Sequence[int] | int | None],
    refined: set[Node],
) -> None:
    source, at = node.inputs[index]
    found = answer(source.output_shapes[at])
    dtype: DType = node.output_dtypes[index]
    if found is None or _largest(found) > dtype.max:  # the run will refuse it
        return
    users = editor.users(node)
    controls = list(dict.fromkeys((*node.control_inputs, *_must_run(node))))
    constant = editor.add_constant(
        node,
        f"{node.name}/_static_{index}" if index else f"{node.name}/_static",
        np.array(found, dtype.numpy_dtype),
        dtype,
        controls,
    )
    editor.replace((node, index), (constant, 0))
    if node.definition.name != "ShapeN":
        editor.replace_control(node, constant)
    refined.update(users)
    editor.note(f"{node.name}: {node.definition.name} of {source.name} is {found}")


def _reads_control_flow(node: Node) -> bool:
    """Whether an edge for order would not do for a data edge: a Switch is alive in each branch."""
    return any(source.definition.control_flow for source, _ in node.inputs)


def _must_run(node: Node) -> list[Node]:
    return [
        source
        for source, _ in node.inputs
        if source.definition is not FEED and not is_free_constant(source)
    ]


def _largest(found: Sequence[int] | int) -> int:
    return found if isinstance(found, int) else max(found, default=0)


def _refine(editor: GraphEditor, node: Node, refined: set[Node]) -> None:
    """Works out shapes again where an input's shape, or value, has become known."""
    if node not in refined or not is_pure(node):
        return
    if all(shape.is_fully_defined() for shape in node.output_shapes):
        return
    shapes = inferred_shapes(node, lambda output: _known_value(output[0]))
    if shapes is not None and any(
        old._dims != new._dims for old, new in zip(node.output_shapes, shapes)
    ):
        node.output_shapes = shapes
        refined.update(editor.users(node))


def _known_value(node: Node) -> np.ndarray | None:
    return node.attrs["value"] if node.definition.name == "Const" else None
