"""Choices by a condition: Select and SelectV2."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, broadcast_static
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.sum_ops import unbroadcast

Gradients = tuple[None, Tensor, Tensor]

# --- SelectV2 -------------------------------------------------------------------------------------

SelectV2 = define_op(
    "SelectV2",
    inputs=("condition: bool", "t: T", "e: T"),
    outputs=("output: T",),
    attrs=("T: type",),
    elementwise=True,
)


@SelectV2.shape_fn
def _select_v2_shape(c: InferenceContext) -> TensorShape:
    condition, then, otherwise = c.shapes
    return broadcast_static(c, condition, broadcast_static(c, then, otherwise))


@SelectV2.kernel("CPU")
def _select_v2_cpu(condition: np.ndarray, t: np.ndarray, e: np.ndarray) -> np.ndarray:
    return np.where(condition, t, e)


@SelectV2.compile_rule
def _select_v2_compile(c: Any, condition: Any, t: Any, e: Any) -> Any:
    return c.map("select", condition, t, e)


@SelectV2.gradient
def _select_v2_grad(op: Any, grad: Tensor) -> Gradients:
    condition, then, otherwise = op.inputs
    zero = constant(0, grad.dtype.base_dtype)
    return (
        None,
        unbroadcast(SelectV2(condition, grad, zero), then),
        unbroadcast(SelectV2(condition, zero, grad), otherwise),
    )


# --- Select ---------------------------------------------------------------------------------------

Select = define_op(
    "Select",
    inputs=("condition: bool", "t: T", "e: T"),
    outputs=("output: T",),
    attrs=("T: type",),
)


@Select.shape_fn
def _select_shape(c: InferenceContext) -> TensorShape:
    result = c.merge(c.shapes[1], c.shapes[2])
    condition = c.shapes[0]
    if condition.rank is None or condition.rank == 0:
        return result
    if condition.rank > 1:
        return c.merge(result, condition)
    # A vector chooses whole rows.
    if result._dims is None:
        return result
    rows, *rest = result._dims or c.fail(
        "condition must be a scalar for scalar branches",
        received=f"condition {condition}, branches {result}",
    )
    return TensorShape._of((c.merge_dim(rows, condition.as_list()[0]), *rest))


@Select.kernel("CPU")
def _select_cpu(condition: np.ndarray, t: np.ndarray, e: np.ndarray) -> np.ndarray:
    if t.shape != e.shape:
        raise InvalidArgumentError(
            None,
            None,
            "Branches must have one shape",
            received=f"t {list(t.shape)}, e {list(e.shape)}",
        )
    if condition.shape == t.shape or condition.ndim == 0:
        return np.where(condition, t, e)
    if condition.ndim != 1 or not t.ndim or len(condition) != len(t):
        raise InvalidArgumentError(
            None,
            None,
            "condition must have the shape of the branches, or be a scalar, or a bool for each row",
            received=f"condition {list(condition.shape)}, branches {list(t.shape)}",
        )
    return np.where(condition.reshape(-1, *[1] * (t.ndim - 1)), t, e)


@Select.gradient
def _select_grad(op: Any, grad: Tensor) -> Gradients:
    condition = op.inputs[0]
    zeros = zeros_like(op.inputs[1])
    return None, Select(condition, grad, zeros), Select(condition, zeros, grad)
