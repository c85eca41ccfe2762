"""Absolute values, signs and angles, elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import elementwise as kernels
from featherflow.ops.arithmetic_ops import Mul, Neg
from featherflow.ops.comparison_ops import Less
from featherflow.ops.complex_ops import Complex, Imag, Real, define_part
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import Reciprocal
from featherflow.ops.elementwise import compiled_as, define_unary, of_sparse_too
from featherflow.ops.fill_ops import ones_like, zeros_like
from featherflow.ops.select_ops import Select
from featherflow.ops.type_groups import COMPLEX, FLOATS, SIGNED

# --- Sign -----------------------------------------------------------------------------------------

Sign = define_unary("Sign", (FLOATS + SIGNED + COMPLEX, np.sign))
Sign.compile_rule(compiled_as("sign"))


@Sign.gradient
def _sign_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return zeros_like(x)


@export("math.sign", "sign")
@of_sparse_too
def sign(x: Any, name: str | None = None) -> Any:
    """−1, 0 or 1 where x is negative, zero or positive; x / |x| for complex numbers."""
    x = convert_to_tensor(x)
    return Sign(x, name=name)


# --- Abs, ComplexAbs ------------------------------------------------------------------------------

Abs = define_unary("Abs", (FLOATS + SIGNED, np.absolute))
Abs.compile_rule(compiled_as("abs"))
ComplexAbs = define_part("ComplexAbs", np.absolute, "x", "y")


@Abs.gradient
def _abs_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Sign(op.inputs[0]))


@ComplexAbs.gradient
def _complex_abs_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(_as_complex(grad, op.attrs["T"]), Sign(x))


def _as_complex(real: Tensor, dtype: dtypes.DType) -> Tensor:
    return Complex(real, constant(0, real.dtype.base_dtype), Tout=dtype)


@export("math.abs", "abs")
@of_sparse_too
def abs(x: Any, name: str | None = None) -> Any:
    """|x|, elementwise: the modulus of complex numbers. That of the least integer is itself.

    Args:
      x: numbers.
      name: of the node.
    Returns:
      A tensor of the dtype of `x`; of the parts' dtype if that is complex.
    """
    with op_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return ComplexAbs(x, Tout=x.dtype.real_dtype, name=scope)
        return Abs(x, name=scope)


# --- Angle ----------------------------------------------------------------------------------------

Angle = define_part("Angle", kernels.complex_angle)


@Angle.gradient
def _angle_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    dtype = op.attrs["T"]
    swapped = Complex(Imag(x, Tout=grad.dtype), Real(x, Tout=grad.dtype), Tout=dtype)
    return Mul(Neg(_as_complex(grad, dtype)), Reciprocal(swapped))


@export("math.angle")
@export_v1("angle")
def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument of a complex number, in (−π, π]; 0 or π for real ones.

    Args:
      input: numbers.
      name: of the node.
    Returns:
      A tensor of floats.
    """
    with op_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return Angle(input, Tout=input.dtype.real_dtype, name=scope)
        is_negative = Less(input, 0)
        pi = Mul(math.pi, ones_like(input), name="mul")
        return Select(is_negative, pi, zeros_like(input))
