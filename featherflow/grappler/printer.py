"""Subgraphs as text, one line for each node: what golden tests and people read."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import FEED, Node, Subgraph

#: Constants with more elements are shown by dtype and shape alone.
_LARGEST_SHOWN = 8


def subgraph_text(subgraph: Subgraph) -> str:
    """The nodes in order, then the fetches and targets.

    name = Op(input, input:1, ^control) attr=value → float32[2,3]
    """
    lines = [_node_text(node) for node in subgraph.nodes]
    lines.extend(f"fetch {_output_text(node, index)}" for node, index in subgraph.fetches)
    lines.extend(f"target {node.name}" for node in subgraph.targets)
    return "\n".join(lines) + "\n"


def _node_text(node: Node) -> str:
    sources = [_output_text(source, index) for source, index in node.inputs]
    sources.extend(f"^{source.name}" for source in node.control_inputs)
    text = f"{node.name} = {node.definition.name}({', '.join(sources)})"
    for name, value in sorted(node.attrs.items()):
        if _is_shown(node, name, value):
            text += f" {name}={_value_text(value)}"
    outputs = [
        dtype.name + _shape_text(shape)
        for dtype, shape in zip(node.output_dtypes, node.output_shapes)
    ]
    return f"{text} → {', '.join(outputs)}" if outputs else text


def _is_shown(node: Node, name: str, value: Any) -> bool:
    """Dtypes show at the outputs; defaults, and what the runtime keeps for itself, are noise."""
    if name.startswith("_") or isinstance(value, DType) or node.definition is FEED:
        return False
    attr = node.definition.op_def.attr(name)
    return attr is None or not attr.has_default or attr.default is None or attr.default != value


def _output_text(node: Node, index: int) -> str:
    return f"{node.name}:{index}" if index else node.name


def _value_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.size <= _LARGEST_SHOWN else "…"
    if isinstance(value, TensorShape):
        return _shape_text(value)
    return f"{value}"


def _shape_text(shape: TensorShape) -> str:
    dims = shape._dims
    if dims is None:
        return "[…]"
    return "[" + ",".join("?" if dim is None else str(dim) for dim in dims) + "]"
