"""Special functions of probability and analysis, elementwise: error, gamma, zeta, beta.

The kernels compute in double precision, see `kernels/error_functions.py` and
`kernels/gamma_functions.py`. Functions of several arguments broadcast them.
"""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import error_functions, gamma_functions
from featherflow.ops.arithmetic_ops import AddV2, Gradients, Mul, Neg, Square, Sub
from featherflow.ops.constant_ops import constant
from featherflow.ops.elementwise import binary_gradients, compiled_as, define_binary, define_unary
from featherflow.ops.exponential_ops import Exp, Log1p, Xlogy
from featherflow.ops.sum_ops import reduce_sum, unbroadcast
from featherflow.ops.type_groups import FLOATS, WIDE_FLOATS, one_of


def _like(tensor: Tensor, value: float) -> Tensor:
    return constant(value, tensor.dtype.base_dtype)


def _scaled(grad: Tensor, factor: float, value: Tensor) -> Tensor:
    return Mul(grad, Mul(_like(value, factor), value))


# --- Erf, Erfc ------------------------------------------------------------------------------------

Erf = define_unary("Erf", (FLOATS, error_functions.erf))
Erf.compile_rule(compiled_as("erf"))
Erfc = define_unary("Erfc", (FLOATS, error_functions.erfc))


@Erf.gradient
def _erf_grad(op: Any, grad: Tensor) -> Tensor:
    return _scaled(grad, 2 / math.sqrt(math.pi), Exp(Neg(Square(op.inputs[0]))))


@Erfc.gradient
def _erfc_grad(op: Any, grad: Tensor) -> Tensor:
    return _scaled(grad, -2 / math.sqrt(math.pi), Exp(Neg(Square(op.inputs[0]))))


@export("math.erf")
@export_v1("erf")
def erf(x: Any, name: str | None = None) -> Tensor:
    """erf x = 2/√π ∫₀ˣ exp(−t²) dt, elementwise."""
    return Erf(x, name=name)


@export("math.erfc")
@export_v1("erfc")
def erfc(x: Any, name: str | None = None) -> Tensor:
    """1 − erf x, elementwise, without loss of digits where x is large."""
    return Erfc(x, name=name)


# --- Erfinv, Ndtri --------------------------------------------------------------------------------

Erfinv = define_unary("Erfinv", (FLOATS, error_functions.erfinv))
Ndtri = define_unary("Ndtri", (FLOATS, error_functions.ndtri))


@Erfinv.gradient
def _erfinv_grad(op: Any, grad: Tensor) -> Tensor:
    return _scaled(grad, math.sqrt(math.pi) / 2, Exp(Square(op.outputs[0])))


@Ndtri.gradient
def _ndtri_grad(op: Any, grad: Tensor) -> Tensor:
    square = Square(op.outputs[0])
    return _scaled(grad, math.sqrt(2 * math.pi), Exp(Mul(square, _like(square, 0.5))))


@export("math.erfinv")
def erfinv(x: Any, name: str | None = None) -> Tensor:
    """The y with erf y = x, elementwise; NaN outside [−1, 1]."""
    with op_scope(name, "erfinv", [x]):
        return Erfinv(x)


@export("math.ndtri")
def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The x-quantile of the standard normal distribution, elementwise; NaN outside [0, 1]."""
    with op_scope(name, "ndtri", [x]):
        return Ndtri(x)


@export("math.erfcinv")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The y with erfc y = x, elementwise; NaN outside [0, 2]."""
    with op_scope(name, "erfcinv", [x]):
        x = convert_to_tensor(x, name="start")
        half = Mul(0.5, x, name="mul")
        return Mul(Neg(ndtri(half)), math.sqrt(0.5), name="mul")


# --- Lgamma, Digamma, Polygamma, Zeta -------------------------------------------------------------

Lgamma = define_unary("Lgamma", (FLOATS, gamma_functions.lgamma))
Digamma = define_unary("Digamma", (FLOATS, gamma_functions.digamma))
Polygamma = define_binary(
    "Polygamma", (WIDE_FLOATS, gamma_functions.polygamma), inputs=("a: T", "x: T")
)
Zeta = define_binary("Zeta", (WIDE_FLOATS, gamma_functions.zeta), inputs=("x: T", "q: T"))


@Lgamma.gradient
def _lgamma_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Digamma(op.inputs[0]))


@Digamma.gradient
def _digamma_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(grad, Polygamma(_like(x, 1), x))


@Polygamma.gradient
def _polygamma_grad(op: Any, grad: Tensor) -> Gradients:
    order, x = op.inputs  # the order is an integer: no derivative
    following = Polygamma(AddV2(order, _like(order, 1)), x)
    return binary_gradients(op, None, Mul(grad, following))


@Zeta.gradient
def _zeta_grad(op: Any, grad: Tensor) -> Gradients:
    x, q = op.inputs  # TensorFlow has no derivative along x
    slope = Mul(Neg(x), Zeta(AddV2(x, _like(x, 1)), q))
    return binary_gradients(op, None, Mul(grad, slope))


@export("math.lgamma")
@export_v1("lgamma")
def lgamma(x: Any, name: str | None = None) -> Tensor:
    """log |Γ(x)|, elementwise."""
    return Lgamma(x, name=name)


@export("math.digamma")
@export_v1("digamma")
def digamma(x: Any, name: str | None = None) -> Tensor:
    """ψ(x) = d/dx log |Γ(x)|, elementwise."""
    return Digamma(x, name=name)


@export("math.polygamma")
@export_v1("polygamma")
def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The a-th derivative of ψ at x, elementwise; NaN unless a is 0, 1, 2, …"""
    return Polygamma(a, x, name=name)


@export("math.zeta")
@export_v1("zeta")
def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function ζ(x, q) = Σ_{k≥0} (q + k)^(−x), elementwise; x > 1."""
    return Zeta(x, q, name=name)


@export("math.lbeta")
@export_v1("lbeta")
def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log (∏ Γ(x_i) / Γ(Σ x_i)) over the last dimension: the normaliser of Dirichlet(x).

    Args:
      x: `[…, N]`, positive.
      name: of the scope.
    Returns:
      `[…]`.
    """
    with op_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        log_product = reduce_sum(Lgamma(x), axis=[-1])
        return Sub(log_product, Lgamma(reduce_sum(x, axis=[-1])), name="sub")


# --- Igamma, Igammac, IgammaGradA -----------------------------------------------------------------

_INPUTS = ("a: T", "x: T")
Igamma = define_binary("Igamma", (FLOATS, gamma_functions.igamma), inputs=_INPUTS)
Igammac = define_binary("Igammac", (FLOATS, gamma_functions.igammac), inputs=_INPUTS)
IgammaGradA = define_binary(
    "IgammaGradA", (WIDE_FLOATS, gamma_functions.igamma_gradient_along_a), inputs=_INPUTS
)
IgammaGradA.without_gradient("TensorFlow defines no second derivative along a")


@Igamma.gradient
def _igamma_grad(op: Any, grad: Tensor) -> Gradients:
    a, x = op.inputs
    density = Exp(Sub(Sub(Xlogy(Sub(a, _like(a, 1)), x), x), Lgamma(a)))
    return binary_gradients(op, Mul(grad, IgammaGradA(a, x)), Mul(grad, density))


@Igammac.gradient
def _igammac_grad(op: Any, grad: Tensor) -> Gradients:
    return _igamma_grad(op, Neg(grad))


@export("math.igamma")
@export_v1("igamma")
def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """P(a, x) = ∫₀ˣ t^(a−1) e^(−t) dt / Γ(a), elementwise; a > 0, x ≥ 0."""
    return Igamma(a, x, name=name)


@export("math.igammac")
@export_v1("igammac")
def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """1 − P(a, x), elementwise, without loss of digits where that is small; a > 0, x ≥ 0."""
    return Igammac(a, x, name=name)


# --- Betainc --------------------------------------------------------------------------------------

Betainc = define_op(
    "Betainc",
    inputs=("a: T", "b: T", "x: T"),
    outputs=("z: T",),
    attrs=(f"T: {one_of(WIDE_FLOATS)}",),
    elementwise=True,
)
Betainc.kernel("CPU", T=WIDE_FLOATS)(gamma_functions.betainc)


@Betainc.shape_fn
def _betainc_shape(c: InferenceContext) -> TensorShape:
    merged = UNKNOWN
    for shape in c.shapes:
        if shape._dims:  # what is not a scalar has the output's shape
            merged = c.merge(merged, shape)
    is_scalar = all(shape._dims == () for shape in c.shapes)
    return SCALAR if is_scalar else merged


@Betainc.gradient
def _betainc_grad(op: Any, grad: Tensor) -> tuple[None, None, Tensor]:
    a, b, x = op.inputs  # TensorFlow has no derivatives along a and b
    log_beta = Sub(AddV2(Lgamma(a), Lgamma(b)), Lgamma(AddV2(a, b)))
    one = _like(a, 1)
    log_density = AddV2(Mul(Sub(b, one), Log1p(Neg(x))), Xlogy(Sub(a, one), x))
    return None, None, unbroadcast(Mul(grad, Exp(Sub(log_density, log_beta))), x)


@export("math.betainc")
@export_v1("betainc")
def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """I(a, b, x) = ∫₀ˣ t^(a−1) (1−t)^(b−1) dt / B(a, b), elementwise; a, b > 0, x in [0, 1].

    Arguments of rank 0 are repeated; the others have one shape.
    """
    return Betainc(a, b, x, name=name)
