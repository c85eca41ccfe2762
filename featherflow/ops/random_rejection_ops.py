"""Random ops that propose and reject: gamma and Poisson variates, normal ones between bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import as_dtype
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, broadcast_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gamma_functions, random_rejection
from featherflow.kernels.random_truncated import parameterized_truncated_normal
from featherflow.ops.arithmetic_ops import Mul
from featherflow.ops.broadcast_shape_ops import broadcast_dynamic_shape
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones
from featherflow.ops.random_ops import RandomKernel, check_draw_shape, op_seeds
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size
from featherflow.ops.sum_ops import broadcast_to, reduce_sum

_STREAM = "a random stream does not depend on its arguments"
_SEEDS = ("seed: int = 0", "seed2: int = 0")


def _draws_for_parameters_shape(c: InferenceContext) -> TensorShape:
    """The shape asked for, then that of the parameters."""
    c.with_rank(0, 1)
    return c.constant_as_shape(0).concatenate(c.shapes[1])


def _draw_counts(shape: np.ndarray, parameters: np.ndarray) -> tuple[tuple[int, ...], int]:
    """The shape of the output, and the number of draws for each parameter."""
    dims = check_draw_shape(shape)
    return dims + parameters.shape, math.prod(dims)


# --- RandomGamma ----------------------------------------------------------------------------------

RandomGamma = define_op(
    "RandomGamma",
    inputs=("shape: S", "alpha: T"),
    outputs=("output: T",),
    attrs=(*_SEEDS, "S: {int32, int64}", "T: {half, float, double}"),
    is_stateful=True,
    order_free=True,
)
RandomGamma.shape_fn(_draws_for_parameters_shape)


@RandomGamma.kernel("CPU")
class _RandomGammaCpu(RandomKernel):
    def compute(self, ctx: Any, shape: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        dims, count = _draw_counts(shape, alpha)
        if not math.prod(dims):
            return np.empty(dims, alpha.dtype)
        stream = self.generator.reserve_for_outputs(count * alpha.size)
        return random_rejection.random_gamma(stream, count, alpha).reshape(dims)


@RandomGamma.gradient
def _random_gamma_grad(op: Any, grad: Tensor) -> tuple[None, Tensor]:
    """How a variate moves with α while its quantile stays. Figurnov et al. 2018."""
    shape, alpha = op.inputs
    leading = size(shape)
    with get_default_graph().control_dependencies([grad]):
        ones_before = ones(reshape(leading, [1]), dtypes.int32)
        aligned = reshape(alpha, concat([ones_before, shape_of(alpha)], 0))
        slope = RandomGammaGrad(aligned, op.outputs[0])
    return None, reduce_sum(Mul(grad, slope), range_(leading))


@export("random.gamma")
@export_v1("random_gamma", "random.gamma")
def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Variates of the density βᵅ x^(α−1) e^(−βx) / Γ(α).

    Args:
      shape: [S…], how many are drawn for each pair of parameters.
      alpha: α, the shape parameter; positive.
      beta: β, the rate; positive, None is 1. Both broadcast to [P…].
      dtype: float16, float32 or float64.
      seed: of the op.
      name: of the scope.
    Returns:
      [S…, P…], drawn anew in each run; differentiable along both parameters.
    """
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        both = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
        alpha = broadcast_to(alpha, both)
        variates: Any = RandomGamma(shape, alpha, **op_seeds(seed))
        smallest = np.finfo(as_dtype(dtype).numpy_dtype).tiny
        # 0 is no value of the distribution, though a small α rounds to it.
        return maximum(smallest, variates / beta)


RandomGammaGrad = define_op(
    "RandomGammaGrad",
    inputs=("alpha: T", "sample: T"),
    outputs=("output: T",),
    attrs=("T: {float, double}",),
)
RandomGammaGrad.shape_fn(broadcast_shape)


@RandomGammaGrad.kernel("CPU")
def _random_gamma_grad_cpu(alpha: np.ndarray, sample: np.ndarray) -> np.ndarray:
    return gamma_functions.gamma_sample_gradient(alpha, sample)


RandomGammaGrad.without_gradient("TensorFlow gives it no gradient")

# --- RandomPoisson --------------------------------------------------------------------------------

# The first version, which old graphs hold.
RandomPoisson = define_op(
    "RandomPoisson",
    inputs=("shape: S", "rate: dtype"),
    outputs=("output: dtype",),
    attrs=(*_SEEDS, "S: {int32, int64}", "dtype: {half, float, double}"),
    is_stateful=True,
    order_free=True,
)
RandomPoissonV2 = define_op(
    "RandomPoissonV2",
    inputs=("shape: S", "rate: R"),
    outputs=("output: dtype",),
    attrs=(
        *_SEEDS,
        "S: {int32, int64}",
        "R: {half, float, double, int32, int64} = double",
        "dtype: {half, float, double, int32, int64} = int64",
    ),
    is_stateful=True,
    order_free=True,
)


@RandomPoisson.kernel("CPU")
@RandomPoissonV2.kernel("CPU")
class _RandomPoissonCpu(RandomKernel):
    def compute(self, ctx: Any, shape: np.ndarray, rate: np.ndarray) -> np.ndarray:
        dims, count = _draw_counts(shape, rate)
        dtype = self.node.attrs["dtype"].numpy_dtype
        if not math.prod(dims):
            return np.empty(dims, dtype)
        stream = self.generator.reserve_for_outputs(count * rate.size)
        return random_rejection.random_poisson(stream, count, rate, dtype).reshape(dims)


for _op in (RandomPoisson, RandomPoissonV2):
    _op.shape_fn(_draws_for_parameters_shape)
    _op.without_gradient(_STREAM)


@export("random.poisson")
def random_poisson_v2(
    shape: Any,
    lam: Any,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Counts of the distribution λᵏ e^(−λ) / k!.

    Args:
      shape: [S…], how many are drawn for each rate.
      lam: λ, [P…], the rates.
      dtype: of the result: float16, float32, float64, int32 or int64.
      seed: of the op.
      name: of the scope.
    Returns:
      [S…, P…], drawn anew in each run.
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        return RandomPoissonV2(shape, lam, dtype=dtype, **op_seeds(seed))


@export_v1("random_poisson", "random.poisson")
def random_poisson(
    lam: Any,
    shape: Any,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`random_poisson_v2` with TF1's order of arguments."""
    return random_poisson_v2(shape, lam, dtype, seed, name)


# --- ParameterizedTruncatedNormal -----------------------------------------------------------------

ParameterizedTruncatedNormal = define_op(
    "ParameterizedTruncatedNormal",
    inputs=("shape: T", "means: dtype", "stdevs: dtype", "minvals: dtype", "maxvals: dtype"),
    outputs=("output: dtype",),
    attrs=(*_SEEDS, "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"),
    is_stateful=True,
    order_free=True,
)


@ParameterizedTruncatedNormal.shape_fn
def _parameterized_truncated_normal_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    for index in range(1, 5):
        c.with_rank_at_most(index, 1)
    return c.constant_as_shape(0)


@ParameterizedTruncatedNormal.kernel("CPU")
class _ParameterizedTruncatedNormalCpu(RandomKernel):
    def compute(self, ctx: Any, shape: np.ndarray, *parameters: np.ndarray) -> np.ndarray:
        return parameterized_truncated_normal(self.generator, check_draw_shape(shape), *parameters)


ParameterizedTruncatedNormal.not_differentiable(_STREAM)
