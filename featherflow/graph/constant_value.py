"""Values known while a graph is built: constants, and pure ops of constants when they are small.

Shape functions ask for them (`tf.reshape(x, tf.stack([tf.shape(x)[0], -1]))`), and so does
`tf.get_static_value`. Nothing that is stateful, or could grow, is ever run here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import OpError
from featherflow.framework.shape_inference import ShapeInferenceError
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor

#: Larger values are left to the run: static shapes need a handful of integers.
_MAX_ELEMENTS = 1024
#: Longer chains are left to the run.
_MAX_DEPTH = 24


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` where building the graph tells it, else None. Not to be written."""
    return _constant_value(tensor, 0)


def _constant_value(tensor: Tensor, depth: int) -> np.ndarray | None:
    if tensor.__class__ is not Tensor:
        return tensor._static_value()
    operation = tensor._op
    rule = operation.definition.static_value_fn
    if rule is not None:
        value = rule(operation)
        if value is not None:
            return value
    known = operation.graph._constant_values
    if tensor in known:
        return known[tensor]
    result = _compute(tensor, depth)
    if result is not None:
        known[tensor] = result
    return result


def _compute(tensor: Tensor, depth: int) -> np.ndarray | None:
    operation = tensor._op
    definition = operation.definition
    if not definition.foldable or definition.control_flow or depth > _MAX_DEPTH:
        return None
    if not _is_small(tensor) or not operation._inputs:
        return None
    values = []
    for source in operation._inputs:
        if not _is_small(source):
            return None
        value = _constant_value(source, depth + 1)
        if value is None or value.size > _MAX_ELEMENTS:
            return None
        values.append(value)
    return _run(operation, values, tensor._value_index)


def _is_small(tensor: Tensor) -> bool:
    dims = tensor._shape._dims
    if dims is None:
        return True
    count = 1
    for dim in dims:
        count *= 1 if dim is None else dim
    return count <= _MAX_ELEMENTS and tensor._dtype is not dtypes.resource


def _run(operation: Any, values: list[np.ndarray], index: int) -> np.ndarray | None:
    """The kernel's answer; None where there is no plain kernel, or it refuses the values."""
    kernel = operation.definition.kernels.find("CPU", operation.attrs)
    if kernel is None or kernel.wants_context or kernel.asynchronous:
        return None
    try:
        with np.errstate(all="ignore"):
            result = kernel.bind(operation.attrs)(*values)
    except (OpError, ValueError, TypeError, IndexError, MemoryError):
        return None  # the run will raise it, with the node's name
    if (
        len(operation.definition.op_def.outputs) > 1
        or operation.definition.op_def.outputs[0].is_list
    ):
        result = result[index]
    return np.asarray(result)


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """An integer vector as a shape: elements that are not known, and −1, are unknown dimensions."""
    return _as_shape(tensor, 0)


def _as_shape(tensor: Tensor, depth: int) -> TensorShape:
    value = _constant_value(tensor, 0)
    if value is not None:
        if value.ndim == 0:
            return UNKNOWN
        if value.min(initial=0) < -1:
            raise ShapeInferenceError(f"Invalid value in tensor used for shape: {value.min()}")
        return TensorShape._of(tuple(None if item < 0 else int(item) for item in value.tolist()))
    rule = tensor._op.definition.partial_shape_fn
    if rule is not None and depth < _MAX_DEPTH:
        shape = rule(tensor, lambda source: _as_shape(source, depth + 1))
        if shape._dims is not None:
            return shape
    dims = tensor._shape._dims
    if dims is not None and len(dims) == 1 and dims[0] is not None:
        return TensorShape._of((None,) * dims[0])
    return UNKNOWN
