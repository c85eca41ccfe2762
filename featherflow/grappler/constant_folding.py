"""Constant folding: nodes of constants alone are run once, while the step is planned.

What a folded node waited for, and what its inputs waited for, its constant waits for: so it is dead
where the node was dead, and there in each iteration of the loop that the node was in. Results are
bounded, and their size is judged before they are made: a graph may say `tf.zeros([10 ** 9])`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor, has_ref_input, is_reference
from featherflow.grappler.shape_inference import inferred_shapes

#: No folded node makes more than this many bytes,
_LARGEST_RESULT = 16 << 20
#: nor so many more than its inputs have.
_LARGEST_GROWTH = 1 << 20
#: Elements without a fixed size (strings) are counted as this many bytes.
_BYTES_OF_OBJECT = 64


def fold_constants(editor: GraphEditor) -> None:
    """Replaces nodes whose inputs are constants by constants."""
    for node in editor.nodes():
        if node.inputs and all(_is_constant(source) for source, _ in node.inputs):
            _fold(editor, node)


def _is_constant(node: Node) -> bool:
    return node.definition.name == "Const"


def _fold(editor: GraphEditor, node: Node) -> None:
    if editor.is_unread(node) or not _may_fold(node):
        return
    values = [_value(source) for source, _ in node.inputs]
    limit = min(_LARGEST_RESULT, sum(map(_size, values)) + _LARGEST_GROWTH)
    if not node.definition.aliases and _expected_size(node) > limit:
        return
    results = _run(node, values)
    if results is None or not _are_as_declared(node, results):
        return
    if any(_new_memory(result, values) > limit for result in results):
        return
    _replace(editor, node, results)


def _may_fold(node: Node) -> bool:
    definition = node.definition
    return (
        (definition.foldable or definition.name == "PlaceholderWithDefault")  # which is not fed
        and not definition.stateful
        and not definition.control_flow
        and not definition.touches_world
        and not definition.calls_functions
        and bool(node.output_dtypes)
        and not any(map(is_reference, node.output_dtypes))
        and not has_ref_input(node)
    )


def _value(constant: Node) -> Any:
    rule = constant.definition.static_value_fn
    assert rule is not None
    return rule(constant)


def _size(value: np.ndarray) -> int:
    return value.size * (_BYTES_OF_OBJECT if value.dtype.hasobject else value.itemsize)


def _expected_size(node: Node) -> float:
    """The bytes that a node will make, infinite where static shapes do not tell."""
    shapes: list[TensorShape] | None = node.output_shapes
    if not all(shape.is_fully_defined() for shape in shapes):
        shapes = inferred_shapes(node, lambda output: _value(output[0]))
        if shapes is None:
            return math.inf
    sizes = (shape.num_elements() for shape in shapes)
    return sum(
        math.inf if size is None else size * (dtype.size or _BYTES_OF_OBJECT)
        for size, dtype in zip(sizes, node.output_dtypes)
    )


def _run(node: Node, values: list[np.ndarray]) -> list[np.ndarray] | None:
    """The outputs; None where there is no plain kernel, or it refuses the values."""
    kernel = node.definition.kernels.find("CPU", node.attrs)
    if kernel is None or kernel.is_class or kernel.wants_context or kernel.asynchronous:
        return None
    try:
        with np.errstate(all="ignore"):
            result = kernel.bind(node.attrs)(*values)
    except Exception:  # whatever it is, the run will raise it, with the node's name
        return None
    outputs = node.definition.op_def.outputs
    is_single = len(outputs) == 1 and not outputs[0].is_list
    return [result] if is_single else list(result)


def _are_as_declared(node: Node, results: list[Any]) -> bool:
    return len(results) == len(node.output_dtypes) and all(
        isinstance(result, np.ndarray)
        and result.dtype == dtype.numpy_dtype
        and shape.is_compatible_with(TensorShape._of(result.shape))
        for result, dtype, shape in zip(results, node.output_dtypes, node.output_shapes)
    )


def _new_memory(result: np.ndarray, values: list[np.ndarray]) -> int:
    """The bytes that a result needs: views of constants need none."""
    if any(np.may_share_memory(result, value) for value in values):
        return 0
    return _size(result)


def _replace(editor: GraphEditor, node: Node, results: list[np.ndarray]) -> None:
    waits_for = dict.fromkeys(node.control_inputs)
    for source, _ in node.inputs:
        waits_for.update(dict.fromkeys(source.control_inputs))
    controls = list(waits_for)
    first = None
    for index, result in enumerate(results):
        name = f"{node.name}/_folded" if index == 0 else f"{node.name}/_folded_{index}"
        dtype = node.output_dtypes[index]
        constant = editor.add_constant(node, name, result, dtype, list(controls))
        editor.replace((node, index), (constant, 0))
        first = first or constant
    assert first is not None
    editor.replace_control(node, first)
    editor.note(f"{node.name}: {node.definition.name} of constants folded")
