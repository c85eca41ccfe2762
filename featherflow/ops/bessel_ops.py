"""Bessel functions of orders 0 and 1, elementwise.

Functions whose name ends in `e` are scaled by an exponential that keeps them from growing or
vanishing.
"""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import bessel_functions as kernels
from featherflow.ops.arithmetic_ops import AddV2, Mul, Neg, Sub
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import RealDiv, Reciprocal
from featherflow.ops.elementwise import define_unary
from featherflow.ops.magnitude_ops import Sign
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.type_groups import FLOATS

BesselI0 = define_unary("BesselI0", (FLOATS, kernels.i0))
BesselI1 = define_unary("BesselI1", (FLOATS, kernels.i1))
BesselI0e = define_unary("BesselI0e", (FLOATS, kernels.i0e))
BesselI1e = define_unary("BesselI1e", (FLOATS, kernels.i1e))
BesselK0 = define_unary("BesselK0", (FLOATS, kernels.k0))
BesselK1 = define_unary("BesselK1", (FLOATS, kernels.k1))
BesselK0e = define_unary("BesselK0e", (FLOATS, kernels.k0e))
BesselK1e = define_unary("BesselK1e", (FLOATS, kernels.k1e))
BesselJ0 = define_unary("BesselJ0", (FLOATS, kernels.j0))
BesselJ1 = define_unary("BesselJ1", (FLOATS, kernels.j1))
BesselY0 = define_unary("BesselY0", (FLOATS, kernels.y0))
BesselY1 = define_unary("BesselY1", (FLOATS, kernels.y1))


# --- derivatives of order 0 -----------------------------------------------------------------------


@BesselI0.gradient
def _i0_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, BesselI1(op.inputs[0]))


@BesselI0e.gradient
def _i0e_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(grad, Sub(BesselI1e(x), Mul(Sign(x), op.outputs[0])))


@BesselK0.gradient
def _k0_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Neg(BesselK1(op.inputs[0])))


@BesselK0e.gradient
def _k0e_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Sub(op.outputs[0], BesselK1e(op.inputs[0])))


@BesselJ0.gradient
def _j0_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Neg(BesselJ1(op.inputs[0])))


@BesselY0.gradient
def _y0_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Neg(BesselY1(op.inputs[0])))


# --- derivatives of order 1 -----------------------------------------------------------------------


def _slope(op: Any, order_0: Any, sign_of_order_0: int = 1) -> Tensor:
    """±B₀(x) − B₁(x)/x, which all functions of order 1 have for a derivative."""
    x, y = op.inputs[0], op.outputs[0]
    first = order_0(x)
    return Sub(first if sign_of_order_0 > 0 else Neg(first), RealDiv(y, x))


def _half_at_zero(op: Any, slope: Tensor) -> Tensor:
    """The slope, which is ½ at 0 where its formula is 0/0."""
    x = op.inputs[0]
    zero, half = (constant(value, x.dtype.base_dtype) for value in (0, 0.5))
    return SelectV2(Equal(x, zero), half, slope)


@BesselI1.gradient
def _i1_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, _half_at_zero(op, _slope(op, BesselI0)))


@BesselI1e.gradient
def _i1e_grad(op: Any, grad: Tensor) -> Tensor:
    x, y = op.inputs[0], op.outputs[0]
    slope = Sub(BesselI0e(x), Mul(y, AddV2(Sign(x), Reciprocal(x))))
    return Mul(grad, _half_at_zero(op, slope))


@BesselJ1.gradient
def _j1_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, _half_at_zero(op, _slope(op, BesselJ0)))


@BesselY1.gradient
def _y1_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, _slope(op, BesselY0))


@BesselK1.gradient
def _k1_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, _slope(op, BesselK0, -1))


@BesselK1e.gradient
def _k1e_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, AddV2(_slope(op, BesselK0e, -1), op.outputs[0]))


# --- public functions -----------------------------------------------------------------------------


@export("math.bessel_i0", "math.special.bessel_i0")
def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """I₀(x), modified, of the first kind, elementwise."""
    with op_scope(name, "bessel_i0", [x]):
        return BesselI0(x)


@export("math.bessel_i1", "math.special.bessel_i1")
def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """I₁(x), modified, of the first kind, elementwise."""
    with op_scope(name, "bessel_i1", [x]):
        return BesselI1(x)


@export("math.bessel_i0e", "math.special.bessel_i0e")
def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """e^(−|x|) I₀(x), modified, of the first kind, scaled, elementwise."""
    with op_scope(name, "bessel_i0e", [x]):
        return BesselI0e(x)


@export("math.bessel_i1e", "math.special.bessel_i1e")
def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """e^(−|x|) I₁(x), modified, of the first kind, scaled, elementwise."""
    with op_scope(name, "bessel_i1e", [x]):
        return BesselI1e(x)


@export("math.special.bessel_k0")
def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """K₀(x), modified, of the second kind; ∞ for x ≤ 0, elementwise."""
    with op_scope(name, "bessel_k0", [x]):
        return BesselK0(x)


@export("math.special.bessel_k1")
def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """K₁(x), modified, of the second kind; ∞ for x ≤ 0, elementwise."""
    with op_scope(name, "bessel_k1", [x]):
        return BesselK1(x)


@export("math.special.bessel_k0e")
def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """eˣ K₀(x), modified, of the second kind, scaled; ∞ for x ≤ 0, elementwise."""
    with op_scope(name, "bessel_k0e", [x]):
        return BesselK0e(x)


@export("math.special.bessel_k1e")
def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """eˣ K₁(x), modified, of the second kind, scaled; ∞ for x ≤ 0, elementwise."""
    with op_scope(name, "bessel_k1e", [x]):
        return BesselK1e(x)


@export("math.special.bessel_j0")
def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """J₀(x), of the first kind, elementwise."""
    with op_scope(name, "bessel_j0", [x]):
        return BesselJ0(x)


@export("math.special.bessel_j1")
def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """J₁(x), of the first kind, elementwise."""
    with op_scope(name, "bessel_j1", [x]):
        return BesselJ1(x)


@export("math.special.bessel_y0")
def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """Y₀(x), of the second kind; −∞ for x ≤ 0, elementwise."""
    with op_scope(name, "bessel_y0", [x]):
        return BesselY0(x)


@export("math.special.bessel_y1")
def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """Y₁(x), of the second kind; −∞ for x ≤ 0, elementwise."""
    with op_scope(name, "bessel_y1", [x]):
        return BesselY1(x)
