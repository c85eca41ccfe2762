"""Ops whose output is their input: for naming, ordering, and stopping gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor

# --- Identity --------------------------------------------------------------------------------------

Identity = define_op(
    "Identity", inputs=("input: T",), outputs=("output: T",), attrs=("T: type",), aliases=True
)
Identity.shape_fn(unchanged_shape)


@Identity.kernel("CPU")
def _identity_cpu(input: Any) -> Any:
    return input


@Identity.partial_shape
def _identity_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    return as_shape(tensor.op.inputs[0])


@Identity.gradient
def _identity_grad(op: Any, grad: Tensor) -> Tensor:
    return grad


# --- StopGradient ----------------------------------------------------------------------------------

StopGradient = define_op(
    "StopGradient", inputs=("input: T",), outputs=("output: T",), attrs=("T: type",), aliases=True
)
StopGradient.shape_fn(unchanged_shape)


@StopGradient.kernel("CPU")
def _stop_gradient_cpu(input: np.ndarray) -> np.ndarray:
    return input


StopGradient.not_differentiable("it stands for a constant")


@export("stop_gradient")
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """`input`, which gradients treat as a constant.

    Args:
      input: a tensor.
      name: of the node.
    Returns:
      A tensor of the same values.
    """
    return StopGradient(input, name=name)
