"""L2Loss: half the sum of squares, by which gradients are clipped and weights decay."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import scalar_shape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.precision import compute_dtype
from featherflow.ops.type_groups import FLOATS, one_of

L2Loss = define_op(
    "L2Loss", inputs=("t: T",), outputs=("output: T",), attrs=(f"T: {one_of(FLOATS)}",)
)
L2Loss.shape_fn(scalar_shape)


@L2Loss.kernel("CPU", T=FLOATS)
def _l2_loss_cpu(t: np.ndarray) -> np.ndarray:
    flat = t.reshape(-1).astype(compute_dtype(t.dtype), copy=False)
    return np.asarray(np.dot(flat, flat) / 2, dtype=t.dtype)


@L2Loss.gradient
def _l2_loss_grad(op: Any, grad: Tensor) -> Tensor:
    return op.inputs[0] * grad


@export("nn.l2_loss")
def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Σ t² / 2.

    Args:
      t: floats of any shape.
      name: of the node.
    Returns:
      A scalar.
    """
    return L2Loss(t, name=name)
