"""Integrals without a closed form, elementwise: Dawson's, exponential, Fresnel's, Spence's."""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework.exports import export
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import special_integrals as kernels
from featherflow.ops.arithmetic_ops import Mul, Square, Sub
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import RealDiv
from featherflow.ops.elementwise import define_unary
from featherflow.ops.exponential_ops import Exp, Log
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.trigonometric_ops import Cos, Sin
from featherflow.ops.type_groups import FLOATS

Dawsn = define_unary("Dawsn", (FLOATS, kernels.dawsn))
Expint = define_unary("Expint", (FLOATS, kernels.expint))
FresnelCos = define_unary("FresnelCos", (FLOATS, kernels.fresnel_cos))
FresnelSin = define_unary("FresnelSin", (FLOATS, kernels.fresnel_sin))
Spence = define_unary("Spence", (FLOATS, kernels.spence))


def _like(x: Tensor, value: float) -> Tensor:
    return constant(value, x.dtype.base_dtype)


@Dawsn.gradient
def _dawsn_grad(op: Any, grad: Tensor) -> Tensor:
    x, y = op.inputs[0], op.outputs[0]
    return Mul(grad, Sub(_like(x, 1), Mul(_like(x, 2), Mul(x, y))))


@Expint.gradient
def _expint_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(grad, RealDiv(Exp(x), x))


@FresnelCos.gradient
def _fresnel_cos_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(grad, Cos(Mul(_like(x, math.pi / 2), Square(x))))


@FresnelSin.gradient
def _fresnel_sin_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(grad, Sin(Mul(_like(x, math.pi / 2), Square(x))))


@Spence.gradient
def _spence_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    one = _like(x, 1)
    return Mul(grad, SelectV2(Equal(x, one), _like(x, -1), RealDiv(Log(x), Sub(one, x))))


@export("math.special.dawsn")
def dawsn(x: Any, name: str | None = None) -> Tensor:
    """Dawson's integral exp(−x²) ∫₀ˣ exp(t²) dt, elementwise."""
    with op_scope(name, "dawsn", [x]):
        return Dawsn(x)


@export("math.special.expint")
def expint(x: Any, name: str | None = None) -> Tensor:
    """The exponential integral ∫_(−∞)ˣ eᵗ/t dt, elementwise; NaN for x < 0."""
    with op_scope(name, "expint", [x]):
        return Expint(x)


@export("math.special.fresnel_cos")
def fresnel_cos(x: Any, name: str | None = None) -> Tensor:
    """Fresnel's integral ∫₀ˣ cos(πt²/2) dt, elementwise."""
    with op_scope(name, "fresnel_cos", [x]):
        return FresnelCos(x)


@export("math.special.fresnel_sin")
def fresnel_sin(x: Any, name: str | None = None) -> Tensor:
    """Fresnel's integral ∫₀ˣ sin(πt²/2) dt, elementwise."""
    with op_scope(name, "fresnel_sin", [x]):
        return FresnelSin(x)


@export("math.special.spence")
def spence(x: Any, name: str | None = None) -> Tensor:
    """Spence's integral ∫₁ˣ log t / (1 − t) dt = Li₂(1 − x), elementwise; NaN for x < 0."""
    with op_scope(name, "spence", [x]):
        return Spence(x)
