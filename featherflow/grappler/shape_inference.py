"""Static shapes of nodes worked out again, from what passes have learnt about their inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import OpError
from featherflow.framework.shape_inference import InferenceContext, ShapeInferenceError
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.subgraph import Node

Output = tuple[Node, int]
ValueOf = Callable[[Output], np.ndarray | None]


class _Input:
    """What a shape function may ask of an input tensor."""

    __slots__ = ("_dtype", "_shape", "dtype", "output", "shape")

    def __init__(self, output: Output) -> None:
        node, index = output
        self.output = output
        self.dtype: DType = node.output_dtypes[index]
        self.shape: TensorShape = node.output_shapes[index]
        self._dtype, self._shape = self.dtype, self.shape


def inferred_shapes(node: Node, value_of: ValueOf) -> list[TensorShape] | None:
    """The shapes of a node's outputs, merged with those known; None where nothing can be said.

    Args:
      node: stays as it is.
      value_of: the value of an output that is a constant, else None.
    """
    function = node.definition.shape_function
    if function is None or not node.output_shapes:
        return None
    context = InferenceContext(
        node.definition,
        node.attrs,
        [_Input(output) for output in node.inputs],
        [source.output_shapes[index] for source, index in node.inputs],
        lambda given: value_of(given.output),
        lambda given: _as_shape(given, value_of),
    )
    try:
        shapes: Any = function(context)
        found = [shapes] if isinstance(shapes, TensorShape) else list(shapes)
        if len(found) != len(node.output_shapes):
            return None
        return [old.merge_with(new) for old, new in zip(node.output_shapes, found)]
    except (ShapeInferenceError, OpError, ValueError, TypeError, AttributeError):
        return None  # it asks for more than nodes tell, or the run will refuse the node


def _as_shape(given: _Input, value_of: ValueOf) -> TensorShape:
    value = value_of(given.output)
    if value is not None and value.ndim == 1 and value.min(initial=0) >= -1:
        return TensorShape._of(tuple(None if item < 0 else int(item) for item in value.tolist()))
    dims = given.shape._dims
    if dims is not None and len(dims) == 1 and dims[0] is not None:
        return TensorShape._of((None,) * dims[0])
    return UNKNOWN
