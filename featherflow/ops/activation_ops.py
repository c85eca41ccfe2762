"""Activations of neural networks, elementwise, with the ops of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph, op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import activations as kernels
from featherflow.kernels.elementwise import in_float32
from featherflow.ops.arithmetic_ops import AddV2, Mul, Neg, Square, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Less
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.custom_gradient import custom_gradient
from featherflow.ops.division_ops import RealDiv
from featherflow.ops.elementwise import compiled_as, define_unary
from featherflow.ops.exponential_ops import Exp, Sigmoid, pow, tanh
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.magnitude_ops import Abs, Sign
from featherflow.ops.select_ops import Select
from featherflow.ops.special_function_ops import Erfc
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.type_groups import HALVES, REAL, WIDE_FLOATS


def _define_activation(name: str, kernel: Any, exact: bool = False) -> Op:
    """An op features → activations; `exact` ones need no wider type inside, and take integers."""
    return define_unary(
        name, *_kernel_rows(kernel, exact), inputs=("features: T",), output="activations: T"
    )


def _define_gradient(name: str, source: str, kernel: Any, exact: bool = False) -> Op:
    """An op (gradients, features or outputs) → backprops."""
    op = define_unary(
        name,
        *_kernel_rows(kernel, exact),
        inputs=("gradients: T", f"{source}: T"),
        output="backprops: T",
    )
    op.shape_fn(_shape_of_both)
    return op


def _kernel_rows(kernel: Any, exact: bool) -> list[Any]:
    if exact:
        return [(REAL, kernel)]
    return [(HALVES, in_float32(kernel)), (WIDE_FLOATS, kernel)]


def _shape_of_both(c: InferenceContext) -> TensorShape:
    return c.merge(c.shapes[0], c.shapes[1])


# --- Relu -----------------------------------------------------------------------------------------

Relu = define_unary(
    "Relu",
    (REAL, kernels.relu),
    also=(dtypes.qint8,),
    inputs=("features: T",),
    output="activations: T",
)
Relu.compile_rule(compiled_as("relu"))
ReluGrad = _define_gradient("ReluGrad", "features", kernels.relu_grad, exact=True)


@Relu.gradient
def _relu_grad(op: Any, grad: Tensor) -> Tensor:
    return ReluGrad(grad, op.outputs[0])


@ReluGrad.gradient
def _relu_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [ReluGrad(grad, features), zeros_like(features)]


@export("nn.relu")
def relu(features: Any, name: str | None = None) -> Tensor:
    """max(x, 0), elementwise.

    Args:
      features: a tensor of real numbers.
      name: of the node.
    Returns:
      A tensor like `features`.
    """
    return Relu(features, name=name)


# --- Relu6 ----------------------------------------------------------------------------------------

Relu6 = _define_activation("Relu6", kernels.relu6, exact=True)
Relu6.compile_rule(compiled_as("relu6"))
Relu6Grad = _define_gradient("Relu6Grad", "features", kernels.relu6_grad, exact=True)


@Relu6.gradient
def _relu6_grad(op: Any, grad: Tensor) -> Tensor:
    return Relu6Grad(grad, op.outputs[0])


@Relu6Grad.gradient
def _relu6_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [Relu6Grad(grad, features), zeros_like(features)]


@export("nn.relu6")
def relu6(features: Any, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6), elementwise. Krizhevsky & Hinton 2010."""
    with op_scope(name, "Relu6", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return Relu6(features, name=scope)


# --- LeakyRelu ------------------------------------------------------------------------------------

_LEAKY_ATTRS = ("alpha: float = 0.2", "T: {half, bfloat16, float, double} = float")

LeakyRelu = define_op(
    "LeakyRelu",
    inputs=("features: T",),
    outputs=("activations: T",),
    attrs=_LEAKY_ATTRS,
    elementwise=True,
)
LeakyRelu.shape_fn(unchanged_shape)
LeakyRelu.kernel("CPU")(kernels.leaky_relu)


@LeakyRelu.compile_rule
def _leaky_relu_compile(c: Any, features: Any, *, alpha: float) -> Any:
    slope = float(np.float32(alpha))  # like all float attributes, also for float64
    return c.map("select", c.map("greater", features, 0.0), features, features * slope)


LeakyReluGrad = define_op(
    "LeakyReluGrad",
    inputs=("gradients: T", "features: T"),
    outputs=("backprops: T",),
    attrs=_LEAKY_ATTRS,
    elementwise=True,
)
LeakyReluGrad.shape_fn(_shape_of_both)
LeakyReluGrad.kernel("CPU")(kernels.leaky_relu_grad)


@LeakyRelu.gradient
def _leaky_relu_grad(op: Any, grad: Tensor) -> Tensor:
    return LeakyReluGrad(grad, op.inputs[0], alpha=op.attrs["alpha"])


@LeakyReluGrad.gradient
def _leaky_relu_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [LeakyReluGrad(grad, features, alpha=op.attrs["alpha"]), zeros_like(features)]


@export("nn.leaky_relu")
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """x where x > 0, else α·x, elementwise. Maas et al. 2013."""
    with op_scope(name, "LeakyRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = cast(features, dtypes.float32)
        return LeakyRelu(features, alpha=alpha, name=scope)


# --- Elu, Selu ------------------------------------------------------------------------------------

Elu = _define_activation("Elu", kernels.elu)
Elu.compile_rule(compiled_as("elu"))
EluGrad = _define_gradient("EluGrad", "outputs", kernels.elu_grad)
Selu = _define_activation("Selu", kernels.selu)
Selu.compile_rule(compiled_as("selu"))
SeluGrad = _define_gradient("SeluGrad", "outputs", kernels.selu_grad)


@Elu.gradient
def _elu_grad(op: Any, grad: Tensor) -> Tensor:
    return EluGrad(grad, op.outputs[0])


@EluGrad.gradient
def _elu_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    return _gradients_of_exponential(op, grad, EluGrad)


@Selu.gradient
def _selu_grad(op: Any, grad: Tensor) -> Tensor:
    return SeluGrad(grad, op.outputs[0])


@SeluGrad.gradient
def _selu_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    return _gradients_of_exponential(op, grad, SeluGrad)


def _gradients_of_exponential(op: Any, grad: Tensor, gradient_op: Op) -> list[Tensor]:
    """Of g · (y + c) for y < 0: (y + c) by g, and g by y."""
    gradients, outputs = op.inputs
    by_outputs = Select(Less(outputs, 0), Mul(grad, gradients), zeros_like(outputs))
    return [gradient_op(grad, outputs), by_outputs]


@export("nn.elu")
def elu(features: Any, name: str | None = None) -> Tensor:
    """x where x ≥ 0, else eˣ − 1, elementwise. Clevert et al. 2016."""
    return Elu(features, name=name)


@export("nn.selu")
def selu(features: Any, name: str | None = None) -> Tensor:
    """λ·x where x ≥ 0, else λ·α·(eˣ − 1), elementwise. Klambauer et al. 2017."""
    return Selu(features, name=name)


# --- Softplus, Softsign ---------------------------------------------------------------------------

Softplus = _define_activation("Softplus", kernels.softplus)
Softplus.compile_rule(compiled_as("softplus"))
SoftplusGrad = _define_gradient("SoftplusGrad", "features", kernels.softplus_grad)
Softsign = _define_activation("Softsign", kernels.softsign)


@Softsign.compile_rule
def _softsign_compile(c: Any, features: Any) -> Any:
    return features / (c.map("abs", features) + 1.0)


SoftsignGrad = _define_gradient("SoftsignGrad", "features", kernels.softsign_grad)


@Softplus.gradient
def _softplus_grad(op: Any, grad: Tensor) -> Tensor:
    return Mul(grad, Sigmoid(op.inputs[0]))


@SoftplusGrad.gradient
def _softplus_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    # g / (e^−x + 1) has the derivative g / (e^−x + 2 + eˣ) by x.
    gradients, features = op.inputs
    two = constant(2, features.dtype.base_dtype)
    denominator = AddV2(AddV2(Exp(Neg(features)), two), Exp(features))
    by_features = RealDiv(Mul(grad, gradients), denominator)
    return [SoftplusGrad(grad, features), by_features]


@Softsign.gradient
def _softsign_grad(op: Any, grad: Tensor) -> Tensor:
    return SoftsignGrad(grad, op.inputs[0])


@SoftsignGrad.gradient
def _softsign_grad_grad(op: Any, grad: Tensor) -> list[Tensor]:
    # g / (|x| + 1)² has the derivative −2 g sign(x) / (|x| + 1)³ by x.
    gradients, features = op.inputs
    shrunk = RealDiv(Mul(Mul(grad, gradients), Sign(features)), Abs(features) + 1)
    return [SoftsignGrad(grad, features), SoftsignGrad(shrunk, features) * -2]


@export("math.softplus", "nn.softplus")
def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(eˣ + 1), elementwise."""
    return Softplus(features, name=name)


@export("nn.softsign", "math.softsign")
def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (|x| + 1), elementwise."""
    return Softsign(features, name=name)


# --- made of others -------------------------------------------------------------------------------


@export("math.log_sigmoid")
@export_v1("log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(1 / (1 + e⁻ˣ)) = −softplus(−x), elementwise, without loss of digits."""
    with op_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return Neg(Softplus(Neg(x)), name=scope)


@export("nn.crelu")
def crelu_v2(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of [x, −x] side by side along `axis`. Shang et al. 2016."""
    return crelu(features, name, axis)


@export_v1("nn.crelu")
def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """`crelu_v2` with TF1's order of arguments."""
    with op_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        both = concat([features, -features], axis, name=scope)
        return Relu(both)


@export("nn.swish", "nn.silu")
def swish(features: Any, beta: Any = 1.0) -> Tensor:
    """x · σ(β·x), elementwise. Ramachandran et al. 2017.

    The gradient computes the sigmoid again, so that no step has to keep it.

    Args:
      features: a float tensor.
      beta: β, a number or scalar tensor.
    Returns:
      A tensor like `features`.
    """
    features = convert_to_tensor(features, name="features")
    beta = convert_to_tensor(beta, name="beta")
    return _swish(features, cast(beta, features.dtype.base_dtype))


@custom_gradient
def _swish(features: Tensor, beta: Tensor) -> tuple[Tensor, Any]:
    def gradient(grad: Tensor) -> tuple[Tensor, Tensor]:
        with get_default_graph().control_dependencies([grad]):
            sigmoid = Sigmoid(Mul(beta, features))
        one = constant(1, grad.dtype)
        slope = Mul(sigmoid, AddV2(one, Mul(Mul(beta, features), Sub(one, sigmoid))))
        by_beta = Mul(Mul(Mul(grad, Square(features)), sigmoid), Sub(one, sigmoid))
        return Mul(grad, slope), reduce_sum(by_beta)

    return features * Sigmoid(beta * features), gradient


@export("nn.gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x · Φ(x), elementwise, Φ the normal distribution function. Hendrycks & Gimpel 2016.

    Args:
      features: a float tensor.
      approximate: whether to take ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
      name: of the scope.
    Returns:
      A tensor like `features`.
    Raises:
      ValueError: `features` is not floating.
    """
    with op_scope(name, "Gelu", [features]):
        features = convert_to_tensor(features, name="features")
        dtype = features.dtype.base_dtype
        if not dtype.is_floating:
            raise ValueError(f"features must be floating, received {dtype.name}: cast it first.")
        if approximate:
            coefficient, half = cast(0.044715, dtype), 0.5 * features
            inner = 0.7978845608028654 * (features + coefficient * pow(features, 3))
            return half * (1.0 + tanh(inner))
        # 2·Φ(x) = erfc(−x / √2) keeps its digits where x is far below 0.
        return 0.5 * features * Erfc(-features * cast(0.7071067811865476, dtype))
