"""The greater and the lesser of two tensors, and clipping between bounds, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Gradients
from featherflow.ops.comparison_ops import GreaterEqual, LessEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.elementwise import binary_gradients, compiled_as, define_binary
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.type_groups import REAL

# --- Maximum, Minimum -----------------------------------------------------------------------------

Maximum = define_binary("Maximum", (REAL, np.maximum))
Maximum.compile_rule(compiled_as("maximum"))
Minimum = define_binary("Minimum", (REAL, np.minimum))
Minimum.compile_rule(compiled_as("minimum"))


@Maximum.gradient
def _maximum_grad(op: Any, grad: Tensor) -> Gradients:
    return _chosen_gradients(op, grad, GreaterEqual(*op.inputs))


@Minimum.gradient
def _minimum_grad(op: Any, grad: Tensor) -> Gradients:
    return _chosen_gradients(op, grad, LessEqual(*op.inputs))


def _chosen_gradients(op: Any, grad: Tensor, is_first: Tensor) -> Gradients:
    """The gradient goes to the argument that was chosen; to the first where they are equal."""
    zero = constant(0, grad.dtype.base_dtype)
    return binary_gradients(op, SelectV2(is_first, grad, zero), SelectV2(is_first, zero, grad))


@export("math.maximum", "maximum")
def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The greater of x and y, elementwise; NaN where either is. Both broadcast."""
    return Maximum(x, y, name=name)


@export("math.minimum", "minimum")
def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The lesser of x and y, elementwise; NaN where either is. Both broadcast."""
    return Minimum(x, y, name=name)
