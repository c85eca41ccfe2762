"""Common subexpressions: of nodes that compute the same from the same, one is kept.

Nodes are the same if op, attributes, inputs, control inputs and device are: such nodes are dead
together and run in the same loop. The inputs of a commutative op may come in either order.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from featherflow.graph.subgraph import FEED, Node
from featherflow.grappler.graph_editor import GraphEditor, has_ref_input, is_pure, is_reference

#: So many elements, spread over a constant, tell at first sight that two constants differ.
_SAMPLE = 16


def merge_common_subexpressions(editor: GraphEditor) -> None:
    """Lets readers of a node read an earlier one that computes the same."""
    positions = {node: place for place, node in enumerate(editor.nodes())}
    found: dict[Hashable, list[Node]] = {}
    for node in editor.nodes():
        if editor.is_unread(node) or editor.is_kept(node) or not _may_merge(node):
            continue
        key = _key(node, positions)
        if key is None:
            continue
        same = found.setdefault(key, [])
        kept = next((other for other in same if _has_equal_arrays(node, other)), None)
        if kept is None:
            same.append(node)
        else:
            _merge(editor, node, kept)


def _merge(editor: GraphEditor, node: Node, kept: Node) -> None:
    for index in range(len(node.output_dtypes)):
        editor.replace((node, index), (kept, index))
    editor.replace_control(node, kept)
    editor.note(f"{node.name}: the same as {kept.name}")


def _may_merge(node: Node) -> bool:
    definition = node.definition
    return (
        is_pure(node)
        and definition.foldable
        and definition is not FEED
        and bool(node.output_dtypes)
        and not any(map(is_reference, node.output_dtypes))
        and not has_ref_input(node)
    )


def _key(node: Node, positions: dict[Node, int]) -> Hashable | None:
    """What two equal nodes have in common; arrays among the attributes are compared later."""
    inputs: list[tuple[int, int]] = [(positions[source], at) for source, at in node.inputs]
    if node.definition.op_def.is_commutative and len(inputs) == 2:  # sums of more round by order
        inputs.sort()
    attrs = tuple(
        (name, _hashable(value))
        for name, value in node.attrs.items()
        if not name.startswith("_") or name == "_kernel"
    )
    controls = tuple(sorted(positions[source] for source in node.control_inputs))
    key = node.definition, tuple(inputs), controls, node.device, tuple(sorted(attrs))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _hashable(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        step = max(1, value.size // _SAMPLE)
        sample = value.flat[::step]
        shown = tuple(map(repr, sample)) if value.dtype.hasobject else sample.tobytes()
        return value.dtype.str, value.dtype.name, value.shape, shown
    if isinstance(value, float):
        return value.hex()  # -0.0 is not 0.0
    if isinstance(value, (list, tuple)):
        return tuple(map(_hashable, value))
    return type(value).__name__, _text_or_self(value)


def _text_or_self(value: Any) -> Hashable:
    dims = getattr(value, "_dims", value)  # shapes that are not known are not equal
    return repr(dims) if dims is not value else value


def _has_equal_arrays(node: Node, other: Node) -> bool:
    return all(
        _are_equal(value, other.attrs[name])
        for name, value in node.attrs.items()
        if isinstance(value, np.ndarray)
    )


def _are_equal(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays of one dtype and shape have the same bits."""
    if first is second:
        return True
    if first.dtype.hasobject:
        return bool(np.array_equal(first, second))
    # A value that fills a shape is kept as one element.
    if first.size and not any(first.strides) and not any(second.strides):
        first, second = np.array(first.flat[0]), np.array(second.flat[0])
    left, right = (np.ravel(array).view(np.uint8) for array in (first, second))
    return bool(np.array_equal(left, right))
