"""Trigonometric and hyperbolic functions and their inverses, elementwise; angles in radians.

All derivatives are conjugated for complex numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2, Gradients, Mul, Neg, Square, Sub
from featherflow.ops.complex_ops import conj
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import RealDiv, Reciprocal
from featherflow.ops.elementwise import binary_gradients, compiled_as, define_binary, define_unary
from featherflow.ops.exponential_ops import Rsqrt
from featherflow.ops.type_groups import COMPLEX, FLOATS

_TYPES = FLOATS + COMPLEX


def _one_like(x: Tensor) -> Tensor:
    return constant(1, x.dtype.base_dtype)


# --- Sin, Cos, Tan --------------------------------------------------------------------------------

Sin = define_unary("Sin", (_TYPES, np.sin))
Sin.compile_rule(compiled_as("sin"))
Cos = define_unary("Cos", (_TYPES, np.cos))
Cos.compile_rule(compiled_as("cos"))
Tan = define_unary("Tan", (_TYPES, np.tan))


@Sin.gradient
def _sin_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Cos(conj(op.inputs[0])))


@Cos.gradient
def _cos_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(Neg(grad), Sin(conj(op.inputs[0])))


@Tan.gradient
def _tan_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Square(Reciprocal(Cos(conj(op.inputs[0])))))


@export("math.sin", "sin")
def sin(x: Any, name: str | None = None) -> Tensor:
    """sin x, elementwise."""
    return Sin(x, name=name)


@export("math.cos", "cos")
def cos(x: Any, name: str | None = None) -> Tensor:
    """cos x, elementwise."""
    return Cos(x, name=name)


@export("math.tan", "tan")
def tan(x: Any, name: str | None = None) -> Tensor:
    """tan x, elementwise."""
    return Tan(x, name=name)


# --- Asin, Acos, Atan -----------------------------------------------------------------------------

Asin = define_unary("Asin", (_TYPES, np.arcsin))
Acos = define_unary("Acos", (_TYPES, np.arccos))
Atan = define_unary("Atan", (_TYPES, np.arctan))


@Asin.gradient
def _asin_grad(op: Any, grad: Tensor) -> Tensor:
    x = conj(op.inputs[0])
    return Mul(grad, Rsqrt(Sub(_one_like(x), Square(x))))


@Acos.gradient
def _acos_grad(op: Any, grad: Tensor) -> Tensor:
    x = conj(op.inputs[0])
    return Mul(Neg(grad), Rsqrt(Sub(_one_like(x), Square(x))))


@Atan.gradient
def _atan_grad(op: Any, grad: Tensor) -> Tensor:
    x = conj(op.inputs[0])
    return Mul(grad, Reciprocal(AddV2(_one_like(x), Square(x))))


@export("math.asin", "asin")
def asin(x: Any, name: str | None = None) -> Tensor:
    """arcsin x in [−π/2, π/2], elementwise; NaN outside [−1, 1]."""
    return Asin(x, name=name)


@export("math.acos", "acos")
def acos(x: Any, name: str | None = None) -> Tensor:
    """arccos x in [0, π], elementwise; NaN outside [−1, 1]."""
    return Acos(x, name=name)


@export("math.atan", "atan")
def atan(x: Any, name: str | None = None) -> Tensor:
    """arctan x in (−π/2, π/2), elementwise."""
    return Atan(x, name=name)


# --- Atan2 ----------------------------------------------------------------------------------------

Atan2 = define_binary("Atan2", (FLOATS, np.arctan2), inputs=("y: T", "x: T"))


@Atan2.gradient
def _atan2_grad(op: Any, grad: Tensor) -> Gradients:
    y, x = op.inputs
    scaled = RealDiv(grad, AddV2(Square(x), Square(y)))
    return binary_gradients(op, Mul(x, scaled), Mul(Neg(y), scaled))


@export("math.atan2", "atan2")
def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y) in [−π, π], elementwise. Both broadcast."""
    return Atan2(y, x, name=name)


# --- Sinh, Cosh -----------------------------------------------------------------------------------

Sinh = define_unary("Sinh", (_TYPES, np.sinh))
Cosh = define_unary("Cosh", (_TYPES, np.cosh))


@Sinh.gradient
def _sinh_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Cosh(conj(op.inputs[0])))


@Cosh.gradient
def _cosh_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Sinh(conj(op.inputs[0])))


@export("math.sinh", "sinh")
def sinh(x: Any, name: str | None = None) -> Tensor:
    """(eˣ − e⁻ˣ) / 2, elementwise."""
    return Sinh(x, name=name)


@export("math.cosh", "cosh")
def cosh(x: Any, name: str | None = None) -> Tensor:
    """(eˣ + e⁻ˣ) / 2, elementwise."""
    return Cosh(x, name=name)


# --- Asinh, Acosh, Atanh --------------------------------------------------------------------------

Asinh = define_unary("Asinh", (_TYPES, np.arcsinh))
Acosh = define_unary("Acosh", (_TYPES, np.arccosh))
Atanh = define_unary("Atanh", (_TYPES, np.arctanh))


@Asinh.gradient
def _asinh_grad(op: Any, grad: Tensor) -> Tensor:
    return RealDiv(grad, Cosh(conj(op.outputs[0])))


@Acosh.gradient
def _acosh_grad(op: Any, grad: Tensor) -> Tensor:
    return RealDiv(grad, Sinh(conj(op.outputs[0])))


@Atanh.gradient
def _atanh_grad(op: Any, grad: Tensor) -> Tensor:
    x = conj(op.inputs[0])
    return Mul(grad, Reciprocal(Sub(_one_like(x), Square(x))))


@export("math.asinh", "asinh")
def asinh(x: Any, name: str | None = None) -> Tensor:
    """The y with sinh y = x, elementwise."""
    return Asinh(x, name=name)


@export("math.acosh", "acosh")
def acosh(x: Any, name: str | None = None) -> Tensor:
    """The y ≥ 0 with cosh y = x, elementwise; NaN below 1."""
    return Acosh(x, name=name)


@export("math.atanh", "atanh")
def atanh(x: Any, name: str | None = None) -> Tensor:
    """The y with tanh y = x, elementwise; NaN outside [−1, 1]."""
    return Atanh(x, name=name)
