"""Concat and ParallelConcat, older and special ways to join tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat_gradients, concat_shape, concatenate
from featherflow.ops.reshape_ops import expand_dims

# --- Concat ---------------------------------------------------------------------------------------

# The first version, which old graphs hold.
Concat = define_op(
    "Concat",
    inputs=("concat_dim: int32", "values: N * T"),
    outputs=("output: T",),
    attrs=("N: int >= 2", "T: type"),
)


@Concat.shape_fn
def _concat_shape(c: InferenceContext) -> TensorShape:
    return concat_shape(c, c.shapes[1:], c.constant_scalar(0))


@Concat.kernel("CPU")
def _concat_cpu(concat_dim: np.ndarray, *values: np.ndarray) -> np.ndarray:
    return concatenate(list(values), concat_dim)


@Concat.gradient
def _concat_grad(op: Any, grad: Any) -> list[Any]:
    return [None, *concat_gradients(op.inputs[1:], op.inputs[0], grad)]


# --- ParallelConcat -------------------------------------------------------------------------------

ParallelConcat = define_op(
    "ParallelConcat",
    inputs=("values: N * T",),
    outputs=("output: T",),
    attrs=("N: int >= 1", "T: type", "shape: shape"),
)


@ParallelConcat.shape_fn
def _parallel_concat_shape(c: InferenceContext) -> TensorShape:
    merged = c.shapes[0]
    for shape in c.shapes:
        if not shape.is_fully_defined():
            c.fail("All input shapes must be fully defined", received=c.received())
        merged = c.merge(merged, shape)
    if merged._dims[0] != 1:  # type: ignore[index]
        c.fail("Size of first dimension must be 1", received=c.received())
    whole = TensorShape._of((len(c.shapes), *merged._dims[1:]))  # type: ignore[index]
    return c.merge(whole, c.attrs["shape"])


@ParallelConcat.kernel("CPU")
def _parallel_concat_cpu(*values: np.ndarray, shape: TensorShape) -> np.ndarray:
    if any(value.ndim < 1 or value.shape != values[0].shape for value in values):
        raise InvalidArgumentError(
            None,
            None,
            "Shapes of all inputs must match",
            received="shapes " + ", ".join(str(list(value.shape)) for value in values),
        )
    return np.concatenate(values, axis=0)


ParallelConcat.without_gradient("TensorFlow gives it no gradient")


@export("parallel_stack")
def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Tensor:
    """`stack` along the first dimension, of which each part is put in as soon as it is there.

    Args:
      values: tensors of one shape and dtype; the shape must be known.
      name: of the scope of the nodes.
    Returns:
      A tensor [number of values, …].
    """
    with name_scope(name, "parallel_stack", values):
        first = convert_to_tensor(values[0])
        whole = TensorShape([len(values)]).concatenate(first.shape)
        parts = [expand_dims(value, 0) for value in values]
        return ParallelConcat(parts, shape=whole)
