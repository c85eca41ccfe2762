"""Random ops: TensorFlow's Philox streams, from the graph's seed and the op's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import NodeInfo, OpKernel
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import get_seed, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import random_choices, random_values
from featherflow.kernels.philox import PhiloxGenerator
from featherflow.ops import arithmetic_ops

_STREAM = "a random stream does not depend on its arguments"


class RandomKernel(OpKernel):
    """A kernel with a generator of its own: each run goes on where the last one stopped."""

    def __init__(self, node: NodeInfo) -> None:
        super().__init__(node)
        self.generator = PhiloxGenerator(node.attrs["seed"], node.attrs["seed2"])


def check_draw_shape(shape: np.ndarray) -> tuple[int, ...]:
    """The sizes in a shape vector.

    Raises:
      InvalidArgumentError: it is no vector, or a size is negative.
    """
    dims = tuple(shape.tolist())
    if shape.ndim != 1 or any(dim < 0 for dim in dims):
        raise InvalidArgumentError(
            None,
            None,
            "shape must be a vector of sizes that are not negative",
            received=str(shape.tolist()),
        )
    return dims


def _draw_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    return c.constant_as_shape(0)


# --- draws of a shape -----------------------------------------------------------------


def _define_draw(name: str, draw: Any) -> Op:
    """An op `shape → output` whose elements are drawn one by one."""
    op = define_op(
        name,
        inputs=("shape: T",),
        outputs=("output: dtype",),
        attrs=(
            "seed: int = 0",
            "seed2: int = 0",
            "dtype: {half, bfloat16, float, double}",
            "T: {int32, int64}",
        ),
        is_stateful=True,
        order_free=True,
    )
    op.shape_fn(_draw_shape)

    @op.kernel("CPU")
    class _DrawCpu(RandomKernel):
        def compute(self, ctx: Any, shape: np.ndarray) -> np.ndarray:
            dims = check_draw_shape(shape)
            count = math.prod(dims)
            stream = self.generator.reserve_for_outputs(count)
            return draw(stream, count, self.node.attrs["dtype"].numpy_dtype).reshape(dims)

    op.not_differentiable(_STREAM)
    return op


RandomUniform = _define_draw("RandomUniform", random_values.random_uniform)
RandomStandardNormal = _define_draw("RandomStandardNormal", random_values.random_normal)
TruncatedNormal = _define_draw("TruncatedNormal", random_values.truncated_normal)

RandomUniformInt = define_op(
    "RandomUniformInt",
    inputs=("shape: T", "minval: Tout", "maxval: Tout"),
    outputs=("output: Tout",),
    attrs=("seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}"),
    is_stateful=True,
    order_free=True,
)


@RandomUniformInt.shape_fn
def _random_uniform_int_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return _draw_shape(c)


@RandomUniformInt.kernel("CPU")
class _RandomUniformIntCpu(RandomKernel):
    def compute(
        self, ctx: Any, shape: np.ndarray, minval: np.ndarray, maxval: np.ndarray
    ) -> np.ndarray:
        dims = check_draw_shape(shape)
        for name, bound in (("minval", minval), ("maxval", maxval)):
            if bound.ndim:
                raise InvalidArgumentError(
                    None, None, f"{name} must be 0-D", received=f"shape {list(bound.shape)}"
                )
        count = math.prod(dims)
        if not count:
            return np.empty(dims, minval.dtype)
        stream = self.generator.reserve_for_outputs(count)
        return random_values.random_uniform_int(
            stream, count, int(minval), int(maxval), minval.dtype
        ).reshape(dims)


RandomUniformInt.without_gradient(_STREAM)

# --- draws from given values ----------------------------------------------------------

RandomShuffle = define_op(
    "RandomShuffle",
    inputs=("value: T",),
    outputs=("output: T",),
    attrs=("seed: int = 0", "seed2: int = 0", "T: type"),
    is_stateful=True,
    order_free=True,
)
RandomShuffle.shape_fn(unchanged_shape)


@RandomShuffle.kernel("CPU")
class _RandomShuffleCpu(RandomKernel):
    def compute(self, ctx: Any, value: np.ndarray) -> np.ndarray:
        if value.ndim == 0 or len(value) <= 1:
            return value.copy()
        return value[random_choices.random_permutation(self.generator, len(value))]


RandomShuffle.not_differentiable("rows change places at random")

Multinomial = define_op(
    "Multinomial",
    inputs=("logits: T", "num_samples: int32"),
    outputs=("output: output_dtype",),
    attrs=(
        "seed: int = 0",
        "seed2: int = 0",
        "T: realnumbertype",
        "output_dtype: {int32, int64} = int64",
    ),
    is_stateful=True,
    order_free=True,
)


@Multinomial.shape_fn
def _multinomial_shape(c: InferenceContext) -> TensorShape:
    rows, _ = c.with_rank(0, 2).as_list()
    c.with_rank(1, 0)
    samples = c.constant(1)
    return TensorShape._of((rows, None if samples is None else int(samples)))


@Multinomial.kernel("CPU")
class _MultinomialCpu(RandomKernel):
    def compute(self, ctx: Any, logits: np.ndarray, num_samples: np.ndarray) -> np.ndarray:
        dtype = self.node.attrs["output_dtype"].numpy_dtype
        return random_choices.multinomial(self.generator, logits, int(num_samples), dtype)


Multinomial.not_differentiable("its output is integer")


# --- public functions -----------------------------------------------------------------


def op_seeds(seed: int | None) -> dict[str, Any]:
    """The attributes of a random op that follow from the graph's seed and the op's."""
    first, second = get_seed(seed)
    return {"seed": first, "seed2": second}


def shape_tensor(shape: Any) -> Tensor:
    """A shape as a vector; lists that hold tensors are packed."""
    if isinstance(shape, (list, tuple)) and not shape:
        return convert_to_tensor(shape, dtype=dtypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape", dtype_hint=dtypes.int32)


@export("random.uniform")
@export_v1("random_uniform", "random.uniform")
def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniform numbers of [minval, maxval).

    Args:
      shape: of the result.
      minval: the least value; a number, or an array that broadcasts to `shape`.
      maxval: above the largest; 1 for floats if None, required for ints.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: of the op; together with the graph's it fixes the stream.
      name: of the node.
    Returns:
      A tensor that is drawn anew in each run.
    """
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_floating or dtype in (dtypes.int32, dtypes.int64)):
        raise ValueError(f"dtype must be floating, int32 or int64, received {dtype.name}.")
    if dtype.is_integer and (minval is None) != (maxval is None):
        raise ValueError(f"For integer dtype {dtype.name}, minval and maxval must be both or none.")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype.name}.")
        maxval = 1
    with name_scope(name, "random_uniform") as scope:
        shape = shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if dtype.is_integer or not (from_zero and to_one):
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        seeds = op_seeds(seed)
        if dtype.is_integer:
            return RandomUniformInt(shape, minval, maxval, **seeds, name=scope)
        drawn = RandomUniform(shape, dtype=dtype, **seeds)
        if from_zero:
            return drawn if to_one else arithmetic_ops.multiply(drawn, maxval)
        return arithmetic_ops.add(drawn * (maxval - minval), minval, name=scope)


@export("random.normal")
@export_v1("random_normal", "random.normal")
def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers of the given mean and standard deviation; arguments as `random_uniform`'s."""
    return _scaled("random_normal", RandomStandardNormal, shape, mean, stddev, dtype, seed, name)


@export("random.truncated_normal")
@export_v1("truncated_normal", "random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers, drawn again where they lie more than two standard deviations off."""
    return _scaled("truncated_normal", TruncatedNormal, shape, mean, stddev, dtype, seed, name)


def _scaled(
    default_name: str, op: Op, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any, name: Any
) -> Tensor:
    with name_scope(name, default_name) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        drawn = op(shape, dtype=dtype, **op_seeds(seed))
        return arithmetic_ops.add(drawn * stddev, mean, name=scope)


@export("random.shuffle")
@export_v1("random_shuffle", "random.shuffle")
def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of `value` in a random order.

    Args:
      value: `[N, …]`.
      seed: of the op.
      name: of the node.
    Returns:
      A tensor of the shape and dtype of `value`.
    """
    return RandomShuffle(value, **op_seeds(seed), name=name)


@export_v1("multinomial", "random.multinomial")
def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Draws classes with the probabilities softmax(logits).

    Args:
      logits: `[batch, classes]`, unnormalised log-probabilities.
      num_samples: how many are drawn for each row.
      seed: of the op.
      name: of the node.
      output_dtype: int32, or int64 (the default).
    Returns:
      `[batch, num_samples]`.
    """
    with name_scope(name, "multinomial", [logits]):
        return _multinomial(logits, num_samples, output_dtype, seed)


@export("random.categorical")
def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities softmax(logits); see `multinomial`."""
    with name_scope(name, "categorical", [logits]):
        return _multinomial(logits, num_samples, dtype, seed)


def _multinomial(logits: Any, num_samples: Any, dtype: Any, seed: int | None) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    return Multinomial(logits, num_samples, output_dtype=wanted, **op_seeds(seed))
