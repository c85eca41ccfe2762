"""Comparisons and logic, elementwise: results are bool, and have no gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import (
    InferenceContext,
    ShapeInferenceError,
    broadcast_shape,
    unchanged_shape,
)
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.ops.elementwise import compiled_as, define_binary, define_unary
from featherflow.ops.type_groups import FLOATS, NUMBERS, REAL

_NO_GRADIENT = "the result is bool"

# --- Less, LessEqual, Greater, GreaterEqual -------------------------------------------------------

Less = define_binary("Less", (REAL, np.less), output="z: bool")
Less.compile_rule(compiled_as("less"))
LessEqual = define_binary("LessEqual", (REAL, np.less_equal), output="z: bool")
LessEqual.compile_rule(compiled_as("less_equal"))
Greater = define_binary("Greater", (REAL, np.greater), output="z: bool")
Greater.compile_rule(compiled_as("greater"))
GreaterEqual = define_binary("GreaterEqual", (REAL, np.greater_equal), output="z: bool")
GreaterEqual.compile_rule(compiled_as("greater_equal"))
for _op in (Less, LessEqual, Greater, GreaterEqual):
    _op.not_differentiable(_NO_GRADIENT)


@export("math.less", "less")
def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x < y, elementwise."""
    return Less(x, y, name=name)


@export("math.less_equal", "less_equal")
def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x ≤ y, elementwise."""
    return LessEqual(x, y, name=name)


@export("math.greater", "greater")
def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x > y, elementwise."""
    return Greater(x, y, name=name)


@export("math.greater_equal", "greater_equal")
def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x ≥ y, elementwise."""
    return GreaterEqual(x, y, name=name)


# --- Equal, NotEqual ------------------------------------------------------------------------------

_COMPARABLE = (*NUMBERS, dtypes.bool, dtypes.string)


def _define_equality(name: str, ufunc: np.ufunc, if_shapes_differ: bool) -> Op:
    op = define_op(
        name,
        inputs=("x: T", "y: T"),
        outputs=("z: bool",),
        attrs=("T: type", "incompatible_shape_error: bool = true"),
        is_commutative=True,
        elementwise=True,
    )
    op.shape_fn(_equality_shape)

    def compare(x: np.ndarray, y: np.ndarray, *, incompatible_shape_error: bool) -> np.ndarray:
        try:
            return ufunc(x, y, out=...)
        except ValueError:
            if incompatible_shape_error:
                raise
            return np.array(if_shapes_differ)

    op.kernel("CPU", T=_COMPARABLE)(compare)
    op.kernel("CPU", T=dtypes.QUANTIZED_TYPES)(_on_stored_integers(compare))
    op.not_differentiable(_NO_GRADIENT)
    return op


def _on_stored_integers(compare: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Quantized numbers of one type are equal when the integers that stand for them are."""

    def compare_quantized(
        x: np.ndarray, y: np.ndarray, *, incompatible_shape_error: bool
    ) -> np.ndarray:
        stored = x.dtype[0]
        return compare(
            x.view(stored), y.view(stored), incompatible_shape_error=incompatible_shape_error
        )

    return compare_quantized


def _equality_shape(c: InferenceContext) -> TensorShape:
    if c.attrs["incompatible_shape_error"]:
        return broadcast_shape(c)
    try:
        return broadcast_shape(c) if _surely_broadcast(*c.shapes) else UNKNOWN
    except ShapeInferenceError:
        return SCALAR


def _surely_broadcast(left: TensorShape, right: TensorShape) -> bool:
    """Whether no sizes that are still unknown could keep two shapes from broadcasting.

    Known sizes that differ count as sure: they are refused by `broadcast_shape`.
    """
    if left._dims is None or right._dims is None:
        return False
    pairs = zip(reversed(left._dims), reversed(right._dims))
    return all(None not in pair or 1 in pair for pair in pairs)


Equal = _define_equality("Equal", np.equal, if_shapes_differ=False)
NotEqual = _define_equality("NotEqual", np.not_equal, if_shapes_differ=True)


@export("math.equal", "equal")
def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x = y, elementwise.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.equal([2, 4], 2)).tolist()
    [True, False]
    """
    return Equal(x, y, name=name)


@export("math.not_equal", "not_equal")
def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x ≠ y, elementwise."""
    return NotEqual(x, y, name=name)


# --- ApproximateEqual -----------------------------------------------------------------------------

ApproximateEqual = define_op(
    "ApproximateEqual",
    inputs=("x: T", "y: T"),
    outputs=("z: bool",),
    attrs=("T: numbertype", "tolerance: float = 1e-05"),
    is_commutative=True,
    elementwise=True,
)


@ApproximateEqual.shape_fn
def _approximate_equal_shape(c: InferenceContext) -> TensorShape:
    c.merge(c.shapes[0], c.shapes[1])
    return c.shapes[0]  # y's dimensions are checked, and not used: as in TensorFlow


@ApproximateEqual.kernel("CPU", T=NUMBERS)
def _approximate_equal_cpu(x: np.ndarray, y: np.ndarray, *, tolerance: float) -> np.ndarray:
    return np.less_equal(np.abs(x - y), np.float32(tolerance), out=...)


ApproximateEqual.not_differentiable(_NO_GRADIENT)


# --- IsNan, IsInf, IsFinite -----------------------------------------------------------------------

IsNan = define_unary("IsNan", (FLOATS, np.isnan), output="y: bool")
IsNan.compile_rule(compiled_as("is_nan"))
IsInf = define_unary("IsInf", (FLOATS, np.isinf), output="y: bool")
IsInf.compile_rule(compiled_as("is_inf"))
IsFinite = define_unary("IsFinite", (FLOATS, np.isfinite), output="y: bool")
IsFinite.compile_rule(compiled_as("is_finite"))
for _op in (IsNan, IsInf, IsFinite):
    _op.without_gradient(_NO_GRADIENT)


@export("math.is_nan")
@export_v1("is_nan", "debugging.is_nan")
def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Whether x is NaN, elementwise."""
    return IsNan(x, name=name)


@export("math.is_inf")
@export_v1("is_inf", "debugging.is_inf")
def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Whether x is ∞ or −∞, elementwise."""
    return IsInf(x, name=name)


@export("math.is_finite")
@export_v1("is_finite", "debugging.is_finite")
def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Whether x is neither infinite nor NaN, elementwise."""
    return IsFinite(x, name=name)


# --- LogicalAnd, LogicalOr, LogicalNot ------------------------------------------------------------


def _define_logical(name: str, ufunc: np.ufunc) -> Op:
    inputs = ("x: bool", "y: bool")[: ufunc.nin]
    op = define_op(
        name,
        inputs=inputs,
        outputs=("z: bool" if ufunc.nin == 2 else "y: bool",),
        elementwise=True,
        is_commutative=ufunc.nin == 2,
    )
    op.shape_fn(broadcast_shape if ufunc.nin == 2 else unchanged_shape)
    op.kernel("CPU")(ufunc)
    op.not_differentiable(_NO_GRADIENT)
    return op


LogicalAnd = _define_logical("LogicalAnd", np.logical_and)
LogicalAnd.compile_rule(compiled_as("logical_and"))
LogicalOr = _define_logical("LogicalOr", np.logical_or)
LogicalOr.compile_rule(compiled_as("logical_or"))
LogicalNot = _define_logical("LogicalNot", np.logical_not)
LogicalNot.compile_rule(compiled_as("logical_not"))


@export("math.logical_and", "logical_and")
def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x ∧ y, elementwise."""
    return LogicalAnd(x, y, name=name)


@export("math.logical_or", "logical_or")
def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x ∨ y, elementwise."""
    return LogicalOr(x, y, name=name)


@export("math.logical_not", "logical_not")
def logical_not(x: Any, name: str | None = None) -> Tensor:
    """¬x, elementwise."""
    return LogicalNot(x, name=name)


@export("math.logical_xor")
@export_v1("logical_xor")
def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """x ⊕ y, elementwise: exactly one of them is true."""
    x = convert_to_tensor(x, dtypes.bool)
    return LogicalAnd(LogicalOr(x, y), LogicalNot(LogicalAnd(x, y)), name=name)
