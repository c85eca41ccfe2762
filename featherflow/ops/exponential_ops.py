"""Exponentials, logarithms, roots and powers, elementwise, and the sigmoids made of them.

Functions whose derivative is cheap in terms of their own value have an op for it: SqrtGrad takes
y = √x and the gradient of y. All derivatives are conjugated for complex numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import elementwise as kernels
from featherflow.ops.arithmetic_ops import AddV2, Gradients, Mul, Neg, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Greater, NotEqual
from featherflow.ops.complex_ops import conj
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import RealDiv, Reciprocal
from featherflow.ops.elementwise import (
    binary_gradients,
    compiled_as,
    define_binary,
    define_unary,
    of_sparse_too,
)
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.type_groups import COMPLEX, FLOATS, HALVES, SIGNED, WIDE_FLOATS


def _like(tensor: Tensor, value: float) -> Tensor:
    """`value` as a constant of the tensor's dtype."""
    return constant(value, tensor.dtype.base_dtype)


def _define_gradient_op(name: str, kernel: kernels.Kernel) -> Op:
    return define_unary(
        name,
        (HALVES, kernels.in_float32(kernel)),
        (WIDE_FLOATS + COMPLEX, kernel),
        inputs=("y: T", "dy: T"),
        output="z: T",
    )


# --- Exp, Expm1 -----------------------------------------------------------------------------------

Exp = define_unary("Exp", (FLOATS + COMPLEX, np.exp))
Exp.compile_rule(compiled_as("exp"))


@Exp.gradient
def _exp_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, conj(op.outputs[0]))


@export("math.exp", "exp")
def exp(x: Any, name: str | None = None) -> Tensor:
    """eˣ, elementwise."""
    return Exp(x, name=name)


Expm1 = define_unary("Expm1", (FLOATS + COMPLEX, np.expm1))
Expm1.compile_rule(compiled_as("expm1"))


@Expm1.gradient
def _expm1_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Exp(conj(op.inputs[0])))


@export("math.expm1")
@export_v1("expm1")
def expm1(x: Any, name: str | None = None) -> Tensor:
    """eˣ − 1, elementwise; accurate near 0."""
    return Expm1(x, name=name)


# --- Log, Log1p -----------------------------------------------------------------------------------

Log = define_unary("Log", (FLOATS + COMPLEX, np.log))
Log.compile_rule(compiled_as("log"))


@Log.gradient
def _log_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Reciprocal(conj(op.inputs[0])))


@export("math.log")
@export_v1("log")
def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm of x, elementwise: −∞ at 0, NaN below."""
    return Log(x, name=name)


Log1p = define_unary("Log1p", (FLOATS + COMPLEX, np.log1p))
Log1p.compile_rule(compiled_as("log1p"))


@Log1p.gradient
def _log1p_grad(op: Any, grad: Tensor) -> Tensor:
    x = conj(op.inputs[0])
    return Mul(grad, Reciprocal(AddV2(_like(x, 1), x)))


@export("math.log1p")
@export_v1("log1p")
def log1p(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm of 1 + x, elementwise; accurate near 0."""
    return Log1p(x, name=name)


# --- Sqrt, SqrtGrad -------------------------------------------------------------------------------

Sqrt = define_unary("Sqrt", (FLOATS + COMPLEX, np.sqrt))
Sqrt.compile_rule(compiled_as("sqrt"))
SqrtGrad = _define_gradient_op("SqrtGrad", kernels.sqrt_gradient)


@Sqrt.gradient
def _sqrt_grad(op: Any, grad: Tensor) -> Tensor:
    return SqrtGrad(op.outputs[0], grad)


@SqrtGrad.gradient
def _sqrt_grad_grad(op: Any, grad: Tensor) -> Gradients:
    # z = dy · ½ / ȳ, so that ∂z/∂ȳ = −z / ȳ.
    along_dy = RealDiv(grad, op.inputs[0])
    return Mul(Neg(conj(along_dy)), op.outputs[0]), Mul(along_dy, _like(grad, 0.5))


@export("math.sqrt", "sqrt")
@of_sparse_too
def sqrt(x: Any, name: str | None = None) -> Any:
    """√x, elementwise."""
    return Sqrt(x, name=name)


# --- Rsqrt, RsqrtGrad -----------------------------------------------------------------------------

Rsqrt = define_unary(
    "Rsqrt", (HALVES, kernels.in_float32(kernels.rsqrt)), (WIDE_FLOATS + COMPLEX, kernels.rsqrt)
)
Rsqrt.compile_rule(compiled_as("rsqrt"))
RsqrtGrad = _define_gradient_op("RsqrtGrad", kernels.rsqrt_gradient)


@Rsqrt.gradient
def _rsqrt_grad(op: Any, grad: Tensor) -> Tensor:
    return RsqrtGrad(op.outputs[0], grad)


@RsqrtGrad.gradient
def _rsqrt_grad_grad(op: Any, grad: Tensor) -> Gradients:
    # z = dy · −½ ȳ³
    y, dy = conj(op.inputs[0]), op.inputs[1]
    along_y = Mul(Mul(Mul(conj(grad), dy), _like(y, -1.5)), Mul(y, y))
    return along_y, RsqrtGrad(y, grad)


@export("math.rsqrt")
@export_v1("rsqrt")
def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """1 / √x, elementwise."""
    return Rsqrt(x, name=name)


# --- Pow ------------------------------------------------------------------------------------------

Pow = define_binary("Pow", (FLOATS + COMPLEX, np.power), (SIGNED, kernels.power_of_integers))
Pow.compile_rule(compiled_as("pow"))


@Pow.gradient
def _pow_grad(op: Any, grad: Tensor) -> Gradients:
    x, y, z = conj(op.inputs[0]), conj(op.inputs[1]), conj(op.outputs[0])
    along_x = Mul(Mul(grad, y), Pow(x, Sub(y, _like(y, 1))))
    # Where x ≤ 0 the power is not differentiable along y; 0 keeps NaN out of the gradient.
    zero = _like(x, 0)
    is_inside = NotEqual(x, zero) if x.dtype.is_complex else Greater(x, zero)
    safe_x = SelectV2(is_inside, x, _like(x, 1))
    along_y = Mul(Mul(grad, z), SelectV2(is_inside, Log(safe_x), zero))
    return binary_gradients(op, along_x, along_y)


@export("math.pow", "pow")
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """xʸ, elementwise. Both broadcast.

    Args:
      x: numbers.
      y: of the dtype of `x`.
      name: of the node.
    Raises:
      InvalidArgumentError: an integer has a negative exponent.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.pow([2, 3], [10, 2])).tolist()
    [1024, 9]
    """
    with op_scope(name, "Pow", [x]) as scope:
        return Pow(x, y, name=scope)


# --- Xlogy, Xlog1py, Xdivy ------------------------------------------------------------------------

Xlogy = define_binary("Xlogy", (FLOATS + COMPLEX, kernels.xlogy))
Xlog1py = define_binary("Xlog1py", (FLOATS + COMPLEX, kernels.xlog1py))
Xdivy = define_binary("Xdivy", (FLOATS + COMPLEX, kernels.xdivy))


def _is_not_zero(x: Tensor) -> Tensor:
    """1 where x ≠ 0, else 0."""
    return cast(NotEqual(x, _like(x, 0)), x.dtype.base_dtype)


@Xlogy.gradient
def _xlogy_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    return binary_gradients(op, Mul(Xlogy(_is_not_zero(x), y), grad), Mul(Xdivy(x, y), grad))


@Xlog1py.gradient
def _xlog1py_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    along_x = Mul(Xlog1py(_is_not_zero(x), y), grad)
    along_y = Mul(Xdivy(x, AddV2(y, _like(y, 1))), grad)
    return binary_gradients(op, along_x, along_y)


@Xdivy.gradient
def _xdivy_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    along_x = Mul(Xdivy(_is_not_zero(x), y), grad)
    along_y = Mul(Xdivy(Neg(x), Mul(y, y)), grad)
    return binary_gradients(op, along_x, along_y)


@export("math.xlogy")
def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log y, elementwise, and 0 where x = 0."""
    return Xlogy(x, y, name=name)


@export("math.xlog1py")
def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(1 + y), elementwise, and 0 where x = 0."""
    with op_scope(name, "xlog1py", [x]):
        return Xlog1py(x, y)


@export("math.xdivy")
def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, and 0 where x = 0."""
    with op_scope(name, "xdivy", [x]):
        return Xdivy(x, y)


# --- Tanh, TanhGrad -------------------------------------------------------------------------------

Tanh = define_unary("Tanh", (FLOATS + COMPLEX, np.tanh))
Tanh.compile_rule(compiled_as("tanh"))
TanhGrad = _define_gradient_op("TanhGrad", kernels.tanh_gradient)


@Tanh.gradient
def _tanh_grad(op: Any, grad: Tensor) -> Tensor:
    return TanhGrad(op.outputs[0], grad)


@TanhGrad.gradient
def _tanh_grad_grad(op: Any, grad: Tensor) -> Gradients:
    # z = dy (1 − ȳ²)
    y, dy = conj(op.inputs[0]), op.inputs[1]
    return Mul(Mul(Mul(conj(grad), _like(y, -2)), dy), y), TanhGrad(y, grad)


@export("math.tanh", "nn.tanh", "tanh")
@of_sparse_too
def tanh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic tangent of x, elementwise: (eˣ − e⁻ˣ) / (eˣ + e⁻ˣ)."""
    return Tanh(x, name=name)


# --- Sigmoid, SigmoidGrad -------------------------------------------------------------------------

Sigmoid = define_unary(
    "Sigmoid",
    (HALVES, kernels.in_float32(kernels.sigmoid)),
    (WIDE_FLOATS + COMPLEX, kernels.sigmoid),
)
Sigmoid.compile_rule(compiled_as("sigmoid"))
SigmoidGrad = _define_gradient_op("SigmoidGrad", kernels.sigmoid_gradient)


@Sigmoid.gradient
def _sigmoid_grad(op: Any, grad: Tensor) -> Tensor:
    return SigmoidGrad(op.outputs[0], grad)


@SigmoidGrad.gradient
def _sigmoid_grad_grad(op: Any, grad: Tensor) -> Gradients:
    # z = dy ȳ (1 − ȳ)
    y, dy = conj(op.inputs[0]), op.inputs[1]
    along_y = Mul(Mul(conj(grad), dy), Sub(_like(y, 1), Mul(_like(y, 2), y)))
    return along_y, SigmoidGrad(y, grad)


@export("math.sigmoid", "nn.sigmoid", "sigmoid")
def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """The logistic function 1 / (1 + e⁻ˣ), elementwise.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sigmoid([-1e4, 0.0, 1e4])).tolist()
    [0.0, 0.5, 1.0]
    """
    with op_scope(name, "Sigmoid", [x]) as scope:
        return Sigmoid(convert_to_tensor(x, name="x"), name=scope)
