"""Sums of a list of tensors: AddN and AccumulateNV2."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import as_dtype
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape, as_shape
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.identity_ops import identity
from featherflow.ops.sum_ops import REDUCTION_TYPES
from featherflow.ops.type_groups import NUMBERS

# --- AddN -----------------------------------------------------------------------------------------

AddN = define_op(
    "AddN",
    inputs=("inputs: N * T",),
    outputs=("sum: T",),
    attrs=("N: int >= 1", f"T: {REDUCTION_TYPES[:-1]}, variant}}"),
    is_commutative=True,
    is_aggregate=True,
)


@AddN.shape_fn
def _add_n_shape(c: InferenceContext) -> TensorShape:
    merged = UNKNOWN
    for shape in c.shapes:
        merged = c.merge(merged, shape)
    return merged


@AddN.kernel("CPU", T=NUMBERS)
def _add_n_cpu(*inputs: np.ndarray) -> np.ndarray:
    first = inputs[0]
    for index, other in enumerate(inputs):
        if other.shape != first.shape:
            raise InvalidArgumentError(
                None,
                None,
                "Inputs to operation must have the same size and shape",
                received=f"input 0: {list(first.shape)}, input {index}: {list(other.shape)}",
            )
    if len(inputs) == 1:
        return first.copy()
    total = np.add(first, inputs[1], out=...)
    for other in inputs[2:]:
        np.add(total, other, out=total)
    return total


@AddN.compile_rule
def _add_n_compile(c: Any, *inputs: Any) -> Any:
    c.require(len({item.shape for item in inputs}) == 1, "shapes differ")
    total = inputs[0]
    for item in inputs[1:]:
        total = total + item
    return total


@AddN.gradient
def _add_n_grad(op: Any, grad: Tensor) -> list[Tensor]:
    return [grad] * len(op.inputs)


@export("math.add_n", "add_n")
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Σ inputs, elementwise. Shapes are equal: nothing broadcasts.

    Args:
      inputs: a list of tensors or IndexedSlices of one dtype and shape.
      name: of the node.
    Returns:
      A tensor; the only input itself if there is one and no name is given.
    Raises:
      ValueError: the list is empty, or shapes are known to differ.
      InvalidArgumentError: shapes differ in the run.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.add_n([[1, 2], [3, 4], [5, 6]])).tolist()
    [9, 12]
    """
    tensors = _as_tensors(inputs)
    if len(tensors) == 1:
        if isinstance(inputs[0], IndexedSlices) or name is None:
            return tensors[0]
        return identity(tensors[0], name=name)
    return AddN(tensors, name=name)


def _as_tensors(inputs: Any) -> list[Tensor]:
    message = (
        "inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and "
        f"shape, received {inputs!r}."
    )
    if isinstance(inputs, (str, bytes)) or not hasattr(inputs, "__iter__"):
        raise ValueError(message)
    tensors = [convert_to_tensor(item) for item in inputs]
    if not tensors:
        raise ValueError(message)
    return tensors


# --- AccumulateNV2 --------------------------------------------------------------------------------

AccumulateNV2 = define_op(
    "AccumulateNV2",
    inputs=("inputs: N * T",),
    outputs=("sum: T",),
    attrs=("N: int >= 1", f"T: {REDUCTION_TYPES}", "shape: shape"),
    is_commutative=True,
    is_aggregate=True,
)


@AccumulateNV2.shape_fn
def _accumulate_n_shape(c: InferenceContext) -> TensorShape:
    merged = c.attrs["shape"]
    for shape in c.shapes:
        merged = c.merge(merged, shape)
    return merged


AccumulateNV2.kernel("CPU", T=NUMBERS)(_add_n_cpu)
AccumulateNV2.gradient(_add_n_grad)


@export("math.accumulate_n")
@export_v1("accumulate_n")
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Σ inputs, elementwise.

    Args:
      inputs: a list of tensors of one dtype and shape.
      shape: of the inputs; merged with what is known of them.
      tensor_dtype: of the inputs; another one is refused.
      name: of the node.
    Returns:
      A tensor.
    Raises:
      ValueError: the inputs are not of one dtype and shape, or not of those given.
    """
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(
            "inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and "
            "shape"
        )
    tensors = _as_tensors(inputs)
    dtype = tensors[0].dtype.base_dtype
    if any(tensor.dtype.base_dtype is not dtype for tensor in tensors):
        raise ValueError("inputs must be a list of Tensors with the same dtype and shape")
    merged = as_shape(shape)
    for tensor in tensors:
        merged = merged.merge_with(tensor.shape)
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {dtype}."
        )
    if len(tensors) == 1:
        return tensors[0] if name is None else identity(tensors[0], name=name)
    return add_n(tensors, name=name)
