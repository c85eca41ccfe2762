"""Which tensors gradients flow through, and the gradient of one that nothing depends on."""

from __future__ import annotations

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.graph.tensor import Tensor
from featherflow.ops.control_flow_primitives import Switch
from featherflow.ops.fill_ops import zeros, zeros_like
from featherflow.ops.resource_variable_ops import VariableShape


def is_differentiable(dtype: DType) -> bool:
    """Whether gradients flow through tensors of `dtype`: numbers, and handles of them."""
    base = dtype.base_dtype
    return base.is_floating or base.is_complex or base in (dtypes.resource, dtypes.variant)


def zeros_of(tensor: Tensor) -> Tensor:
    """The gradient of a tensor that nothing depends on: zeros, dead where the tensor is."""
    if tensor.__class__ is Tensor and tensor.op.definition.control_flow == "switch":
        data, pred = tensor.op.inputs
        return Switch(zeros_of(data), pred)[tensor.value_index]
    if tensor.dtype.base_dtype is dtypes.resource:
        value_dtype = dtypes.float32 if tensor._handle_data is None else tensor._handle_data[0]
        return zeros(VariableShape(tensor), value_dtype)
    return zeros_like(tensor)
