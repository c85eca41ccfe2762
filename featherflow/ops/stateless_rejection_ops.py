"""Random ops without state that propose and reject, and a shuffle: from the seed alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import random_choices, random_rejection
from featherflow.kernels.philox import PhiloxGenerator, PhiloxStream
from featherflow.kernels.random_binomial import random_binomial
from featherflow.kernels.random_truncated import parameterized_truncated_normal
from featherflow.ops import arithmetic_ops
from featherflow.ops.broadcast_shape_ops import broadcast_dynamic_shape
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import exp
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones
from featherflow.ops.pack_ops import stack
from featherflow.ops.random_ops import check_draw_shape, shape_tensor
from featherflow.ops.random_rejection_ops import RandomGammaGrad
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size
from featherflow.ops.special_function_ops import erfc
from featherflow.ops.stateless_random_ops import (
    check_seed,
    key_counter_alg,
    stateless_uniform,
    stream_of_key,
    stream_of_seed,
)
from featherflow.ops.sum_ops import broadcast_to, reduce_sum, unbroadcast

_STREAM = "a random stream does not depend on its arguments"
_SEED_TYPE = "Tseed: {int32, int64} = int64"


def _asked_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    return c.constant_as_shape(0)


def _seeded_shape(c: InferenceContext) -> TensorShape:
    check_seed(c, 1)
    return _asked_shape(c)


def draw_counts(shape: np.ndarray, parameters: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """The shape of the output, and the number of draws for each parameter.

    Raises:
      InvalidArgumentError: the shape asked for does not end with that of the parameters.
    """
    dims = check_draw_shape(shape)
    leading = len(dims) - len(parameters)
    if leading < 0 or dims[leading:] != tuple(parameters):
        raise InvalidArgumentError(
            None,
            None,
            "Shape passed in must end with broadcasted shape.",
            received=f"{list(dims)}, parameters of {list(parameters)}",
        )
    return dims, math.prod(dims[:leading])


def broadcast_parameters(*parameters: np.ndarray) -> list[np.ndarray]:
    """The parameters in their common shape.

    Raises:
      InvalidArgumentError: they have none.
    """
    try:
        return list(np.broadcast_arrays(*parameters))
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            "Parameters must have compatible batch dimensions",
            received=" vs. ".join(str(list(parameter.shape)) for parameter in parameters),
        ) from None


# --- StatelessRandomGammaV2 and V3 ----------------------------------------------------------------

StatelessRandomGammaV2 = define_op(
    "StatelessRandomGammaV2",
    inputs=("shape: T", "seed: Tseed", "alpha: dtype"),
    outputs=("output: dtype",),
    attrs=("dtype: {half, float, double}", "T: {int32, int64}", _SEED_TYPE),
)
StatelessRandomGammaV2.shape_fn(_seeded_shape)


@StatelessRandomGammaV2.kernel("CPU")
def _stateless_gamma_v2_cpu(shape: np.ndarray, seed: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return _gamma(stream_of_seed(seed), shape, alpha)


StatelessRandomGammaV3 = define_op(
    "StatelessRandomGammaV3",
    inputs=("shape: shape_dtype", "key: uint64", "counter: uint64", "alg: int32", "alpha: dtype"),
    outputs=("output: dtype",),
    attrs=("dtype: {half, float, double}", "shape_dtype: {int32, int64} = int32"),
)


@StatelessRandomGammaV3.shape_fn
def _stateless_gamma_v3_shape(c: InferenceContext) -> TensorShape:
    (count,) = c.dims(1, 1)
    c.merge_dim(count, 1)
    c.with_rank(2, 1)
    c.with_rank(3, 0)
    return _asked_shape(c)


@StatelessRandomGammaV3.kernel("CPU")
def _stateless_gamma_v3_cpu(
    shape: np.ndarray, key: np.ndarray, counter: np.ndarray, alg: np.ndarray, alpha: np.ndarray
) -> np.ndarray:
    return _gamma(stream_of_key(key, counter, alg), shape, alpha)


def _gamma(stream: PhiloxStream, shape: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    dims, count = draw_counts(shape, alpha.shape)
    if not math.prod(dims):
        return np.empty(dims, alpha.dtype)
    return random_rejection.random_gamma(stream, count, alpha).reshape(dims)


def _gamma_grad(op: Any, grad: Tensor) -> tuple[Any, ...]:
    """How a variate moves with α while its quantile stays. Figurnov et al. 2018."""
    alpha, sample = op.inputs[-1], op.outputs[0]
    leading: Any = size(op.inputs[0]) - size(shape_of(alpha))
    with get_default_graph().control_dependencies([grad]):
        ones_before = ones(reshape(leading, [1]), dtypes.int32)
        aligned = reshape(alpha, concat([ones_before, shape_of(alpha)], 0))
        slope = RandomGammaGrad(aligned, sample)
    along_alpha = reduce_sum(arithmetic_ops.multiply(grad, slope), range_(leading))
    return *[None] * (len(op.inputs) - 1), along_alpha


for _op in (StatelessRandomGammaV2, StatelessRandomGammaV3):
    _op.gradient(_gamma_grad)


@export("random.stateless_gamma")
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Variates of the density βᵅ x^(α−1) e^(−βx) / Γ(α), which follow from the seed alone.

    Args:
      shape: of the result; ends with the broadcast shape of `alpha` and `beta`.
      seed: two integers.
      alpha: α, the shape parameter; positive.
      beta: β, the rate; None is 1.
      dtype: float16, float32 or float64.
      name: of the scope.
    Returns:
      A tensor; differentiable along both parameters.
    """
    with name_scope(name, "stateless_random_gamma", [shape, seed, alpha, beta]):
        shape = shape_tensor(shape)
        alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        both = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
        alpha = broadcast_to(alpha, both)
        variates: Any = StatelessRandomGammaV3(shape, *key_counter_alg(seed, "auto_select"), alpha)
        smallest = np.finfo(as_dtype(dtype).numpy_dtype).tiny
        return maximum(smallest, variates / beta)


# --- StatelessRandomPoisson -----------------------------------------------------------------------

StatelessRandomPoisson = define_op(
    "StatelessRandomPoisson",
    inputs=("shape: T", "seed: Tseed", "lam: Rtype"),
    outputs=("output: dtype",),
    attrs=(
        "Rtype: {half, float, double, int32, int64}",
        "dtype: {half, float, double, int32, int64}",
        "T: {int32, int64}",
        _SEED_TYPE,
    ),
)
StatelessRandomPoisson.shape_fn(_seeded_shape)


@StatelessRandomPoisson.kernel("CPU")
def _stateless_poisson_cpu(
    shape: np.ndarray, seed: np.ndarray, lam: np.ndarray, *, dtype: DType
) -> np.ndarray:
    dims, count = draw_counts(shape, lam.shape)
    if not math.prod(dims):
        return np.empty(dims, dtype.numpy_dtype)
    stream = stream_of_seed(seed)
    return random_rejection.random_poisson(stream, count, lam, dtype.numpy_dtype).reshape(dims)


StatelessRandomPoisson.not_differentiable(_STREAM)


@export("random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Counts of the distribution λᵏ e^(−λ) / k!, which follow from the seed alone.

    Args:
      shape: of the result; ends with the shape of `lam`.
      seed: two integers.
      lam: λ, the rates.
      dtype: float16, float32, float64, int32 or int64.
      name: of the scope.
    """
    with name_scope(name, "stateless_random_poisson", [shape, seed, lam]):
        return StatelessRandomPoisson(shape_tensor(shape), seed, lam, dtype=dtype)


# --- StatelessRandomBinomial ----------------------------------------------------------------------

StatelessRandomBinomial = define_op(
    "StatelessRandomBinomial",
    inputs=("shape: S", "seed: Tseed", "counts: T", "probs: T"),
    outputs=("output: dtype",),
    attrs=(
        "S: {int32, int64}",
        _SEED_TYPE,
        "T: {half, float, double, int32, int64} = double",
        "dtype: {half, float, double, int32, int64} = int64",
    ),
)
StatelessRandomBinomial.shape_fn(_seeded_shape)
_PROBABILITIES = (dtypes.float16, dtypes.float32, dtypes.float64)


@StatelessRandomBinomial.kernel("CPU", T=_PROBABILITIES)
def _stateless_binomial_cpu(
    shape: np.ndarray, seed: np.ndarray, counts: np.ndarray, probs: np.ndarray, *, dtype: DType
) -> np.ndarray:
    return binomial_variates(stream_of_seed(seed), shape, counts, probs, dtype)


def binomial_variates(
    stream: PhiloxStream,
    shape: np.ndarray,
    counts: np.ndarray,
    probabilities: np.ndarray,
    dtype: DType,
) -> np.ndarray:
    """Binomial variates of a shape that ends with the common shape of the parameters."""
    pair = broadcast_parameters(counts, probabilities)
    dims, count = draw_counts(shape, pair[0].shape)
    # The samples of one pair of parameters stand next to each other in the stream.
    repeated = [np.repeat(one.astype(np.float64).ravel(), count) for one in pair]
    values = random_binomial(stream, *repeated).reshape(pair[0].size, count)
    return np.ascontiguousarray(values.T).reshape(dims).astype(dtype.numpy_dtype)


StatelessRandomBinomial.not_differentiable(_STREAM)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often something of probability p happens in n trials, from the seed alone.

    Args:
      shape: of the result; ends with the broadcast shape of `counts` and `probs`.
      seed: two integers.
      counts: n; floats.
      probs: p, dtype of `counts`.
      output_dtype: float16, float32, float64, int32 or int64.
      name: of the scope.
    """
    with name_scope(name, "stateless_random_binomial", [shape, seed, counts, probs]):
        shape = shape_tensor(shape)
        probs = convert_to_tensor(probs, dtype_hint=dtypes.float32, name="probs")
        counts = convert_to_tensor(counts, dtype_hint=probs.dtype, name="counts")
        return StatelessRandomBinomial(shape, seed, counts, probs, dtype=output_dtype)


# --- StatelessParameterizedTruncatedNormal --------------------------------------------------------

StatelessParameterizedTruncatedNormal = define_op(
    "StatelessParameterizedTruncatedNormal",
    inputs=(
        "shape: S",
        "seed: Tseed",
        "means: dtype",
        "stddevs: dtype",
        "minvals: dtype",
        "maxvals: dtype",
    ),
    outputs=("output: dtype",),
    attrs=("S: {int32, int64}", _SEED_TYPE, "dtype: {half, float, double}"),
)
StatelessParameterizedTruncatedNormal.shape_fn(_seeded_shape)


@StatelessParameterizedTruncatedNormal.kernel("CPU")
def _stateless_truncated_cpu(
    shape: np.ndarray, seed: np.ndarray, *parameters: np.ndarray
) -> np.ndarray:
    columns = broadcast_parameters(*parameters)
    dims, count = draw_counts(shape, columns[0].shape)
    if not math.prod(dims):
        return np.empty(dims, columns[0].dtype)
    generator = PhiloxGenerator.at(stream_of_seed(seed))
    sizes = columns[0].size, count
    flat = [np.ascontiguousarray(column).reshape(-1) for column in columns]
    values = parameterized_truncated_normal(generator, sizes, *flat)
    return np.ascontiguousarray(values.T).reshape(dims)


@StatelessParameterizedTruncatedNormal.gradient
def _stateless_truncated_grad(op: Any, grad: Any) -> tuple[Any, ...]:
    """How a variate z moves with its bounds α, β (standardised) while its quantile u stays.

    ∂z/∂α = (1 − u) · φ(α) / φ(z)        ∂z/∂β = u · φ(β) / φ(z)
    """
    means, deviations, lows, highs = op.inputs[2:]
    alpha, beta = (lows - means) / deviations, (highs - means) / deviations
    z: Any = (op.outputs[0] - means) / deviations
    below_alpha, below_beta, below_z = (_normal_cdf(bound) for bound in (alpha, beta, z))
    quantile = (below_z - below_alpha) / (below_beta - below_alpha)
    along_alpha: Any = exp((z * z - alpha * alpha) * 0.5) * (1.0 - quantile)
    along_beta: Any = exp((z * z - beta * beta) * 0.5) * quantile
    shares = (grad, grad * z, grad * along_alpha, grad * along_beta)
    parameters = zip(shares, op.inputs[2:])
    return None, None, *[unbroadcast(share, source) for share, source in parameters]


def _normal_cdf(x: Any) -> Any:
    return 0.5 * erfc(x * -math.sqrt(0.5))


@export("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers in [minvals, maxvals], which follow from the seed alone.

    Args:
      shape: of the result; ends with the broadcast shape of the parameters.
      seed: two integers.
      means, stddevs: of the normal distribution.
      minvals, maxvals: the bounds.
      name: of the scope.
    Returns:
      A tensor of the dtype of the parameters; differentiable along all of them.
    """
    arguments = [shape, seed, means, stddevs, minvals, maxvals]
    with name_scope(name, "stateless_parameterized_truncated_normal", arguments):
        shape = shape_tensor(shape)
        means = convert_to_tensor(means, dtype_hint=dtypes.float32, name="means")
        others = [
            convert_to_tensor(value, dtype=means.dtype, name=label)
            for value, label in ((stddevs, "stddevs"), (minvals, "minvals"), (maxvals, "maxvals"))
        ]
        return StatelessParameterizedTruncatedNormal(shape, seed, means, *others)


# --- StatelessShuffle -----------------------------------------------------------------------------

StatelessShuffle = define_op(
    "StatelessShuffle",
    inputs=("value: T", "key: uint64", "counter: uint64", "alg: int32"),
    outputs=("output: T",),
    attrs=("T: type",),
)


@StatelessShuffle.shape_fn
def _stateless_shuffle_shape(c: InferenceContext) -> TensorShape:
    (count,) = c.dims(1, 1)
    c.merge_dim(count, 1)
    c.with_rank(2, 1)
    c.with_rank(3, 0)
    return c.shapes[0]


@StatelessShuffle.kernel("CPU")
def _stateless_shuffle_cpu(
    value: np.ndarray, key: np.ndarray, counter: np.ndarray, alg: np.ndarray
) -> np.ndarray:
    stream = stream_of_key(key, counter, alg)
    if value.ndim == 0 or len(value) <= 1:
        return value.copy()
    return value[random_choices.random_permutation(PhiloxGenerator.at(stream), len(value))]


StatelessShuffle.without_gradient("TensorFlow gives it no gradient")


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """The rows of `value` in an order that follows from the seed alone.

    Args:
      value: `[N, …]`.
      seed: two integers.
      alg: "philox", or "auto_select", which is the same here.
      name: of the scope.
    """
    with name_scope(name, "stateless_shuffle", [value, seed]):
        return StatelessShuffle(value, *key_counter_alg(seed, alg))


# --- seeds from seeds -----------------------------------------------------------------------------


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """Makes `num` seeds of one: `[num, 2]`, dtype of `seed`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.random.split([1, 2])).tolist()
    [[1105988140, 1738052849], [-335576002, 370444179]]
    """
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Makes a seed of a seed and a number, such as that of a step: `[2]`, dtype of `data`."""
    data = convert_to_tensor(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data])
