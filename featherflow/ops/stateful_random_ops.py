"""Random ops whose stream is kept in a variable: what `tf.random.Generator` is made of.

The state of Philox is `[counter, counter's upper half, key]`, int64; a run of n elements moves the
counter on by 256·n.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

from featherflow.framework.dtypes import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint32,
    uint64,
)
from featherflow.framework.errors import InvalidArgumentError, NotFoundError
from featherflow.framework.op import Op, define_op
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import InferenceContext, no_outputs
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import random_values
from featherflow.kernels.philox import COUNTERS_PER_OUTPUT, PhiloxStream
from featherflow.ops.random_ops import check_draw_shape
from featherflow.ops.stateless_random_ops import check_algorithm
from featherflow.ops.stateless_rejection_ops import binomial_variates

_STREAM = "a random stream does not depend on its arguments"
_STATE_SIZE = 3
_WORD = (1 << 32) - 1
_MASK64 = (1 << 64) - 1
# What a binomial variate may take: so many times as others.
_BINOMIAL_OUTPUTS = 100
_FLOATS = (float16, bfloat16, float32, float64)
_INTEGERS = (int32, int64, uint32, uint64)


def take_stream(cell: VariableCell, algorithm: int, outputs: int) -> PhiloxStream:
    """The stream from the state of a variable on; moves the state on by `outputs` elements.

    Raises:
      InvalidArgumentError: the variable holds no state, or there is no such algorithm.
      NotFoundError: it is not initialised.
    """
    check_algorithm(algorithm)
    with cell.lock:
        if cell.value is None:
            raise NotFoundError(
                None,
                None,
                f"Resource {cell.name} does not exist",
                remedy="Run the initializer of the generator's state first.",
            )
        state = cell.read()
        if cell.dtype is not int64:
            raise InvalidArgumentError(
                None,
                None,
                f"dtype of RNG state variable must be int64, not {cell.dtype.name}",
            )
        if state.ndim != 1 or len(state) < _STATE_SIZE:
            raise InvalidArgumentError(
                None,
                None,
                "For the Philox algorithm, the state must be a vector of 3 elements or more",
                received=f"shape {list(state.shape)}",
            )
        low, high, key = (int(word) & _MASK64 for word in state[:_STATE_SIZE])
        moved = state.copy()
        counter = _moved_on(low, high, (outputs * COUNTERS_PER_OUTPUT) & _MASK64)
        moved[:2] = np.array(counter, np.uint64).view(np.int64)
        cell.value = moved
    return PhiloxStream(key, low | high << 64)


def _moved_on(low: int, high: int, delta: int) -> tuple[int, int]:
    """The two halves of a counter `delta` later.

    As TensorFlow, which loses the carry into the upper half where it passes through a word of ones:
    that is what a small negative step looks like.
    """
    carries = (low & _WORD) + (delta & _WORD) > _WORD
    total = low + delta
    loses_carry = carries and delta >> 32 == _WORD
    if total > _MASK64 and not loses_carry:
        high = (high + 1) & _MASK64
    return total & _MASK64, high


def _algorithm_of(algorithm: np.ndarray) -> int:
    if algorithm.ndim:
        raise InvalidArgumentError(
            None, None, "algorithm must be a scalar", received=f"shape {list(algorithm.shape)}"
        )
    return int(algorithm)


# --- draws ----------------------------------------------------------------------------------------


def _drawn_shape(c: InferenceContext) -> TensorShape:
    """Of inputs (resource, algorithm, shape)."""
    c.with_rank(1, 0)
    c.with_rank(2, 1)
    return c.constant_as_shape(2)


def _define_draw(
    name: str,
    draw: Callable[[PhiloxStream, int, np.dtype], np.ndarray],
    dtypes: tuple[DType, ...],
    default: str,
) -> Op:
    """An op (resource, algorithm, shape) → output."""
    op = define_op(
        name,
        inputs=("resource: resource", "algorithm: int64", "shape: shape_dtype"),
        outputs=("output: dtype",),
        attrs=(f"dtype: type = {default}", "shape_dtype: type = int64"),
        is_stateful=True,
    )
    op.shape_fn(_drawn_shape)

    @op.kernel("CPU", dtype=dtypes, shape_dtype=(int32, int64))
    def draw_cpu(
        resource: VariableCell, algorithm: np.ndarray, shape: np.ndarray, *, dtype: DType
    ) -> np.ndarray:
        dims = check_draw_shape(shape)
        count = math.prod(dims)
        stream = take_stream(resource, _algorithm_of(algorithm), count)
        return draw(stream, count, dtype.numpy_dtype).reshape(dims)

    op.without_gradient(_STREAM)
    return op


StatefulUniform = _define_draw("StatefulUniform", random_values.random_uniform, _FLOATS, "float")
StatefulStandardNormalV2 = _define_draw(
    "StatefulStandardNormalV2", random_values.random_normal, _FLOATS, "float"
)
StatefulTruncatedNormal = _define_draw(
    "StatefulTruncatedNormal", random_values.truncated_normal, _FLOATS, "float"
)
StatefulUniformFullInt = _define_draw(
    "StatefulUniformFullInt", random_values.random_bits, _INTEGERS, "uint64"
)

# The first version, which old graphs hold: the state begins with the algorithm's number.
StatefulStandardNormal = define_op(
    "StatefulStandardNormal",
    inputs=("resource: resource", "shape: shape_dtype"),
    outputs=("output: dtype",),
    attrs=("dtype: type = float", "shape_dtype: type = int64"),
    is_stateful=True,
)


@StatefulStandardNormal.shape_fn
def _stateful_normal_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 1)
    return c.constant_as_shape(1)


@StatefulStandardNormal.kernel("CPU", dtype=_FLOATS, shape_dtype=(int32, int64))
def _stateful_normal_cpu(resource: VariableCell, shape: np.ndarray, *, dtype: DType) -> np.ndarray:
    dims = check_draw_shape(shape)
    count = math.prod(dims)
    state = resource.read()
    if state.ndim != 1 or len(state) < _STATE_SIZE + 1 or resource.dtype is not int64:
        raise InvalidArgumentError(
            None,
            None,
            "The state must be an int64 vector of the algorithm and 3 elements or more",
            received=f"{resource.dtype.name} of shape {list(state.shape)}",
        )
    rest = VariableCell(resource.name, resource.dtype, TensorShape._of((None,)))
    with resource.lock:
        rest.value = resource.read()[1:].copy()
        stream = take_stream(rest, int(state[0]), count)
        resource.value = np.concatenate([state[:1], rest.read()])
    return random_values.random_normal(stream, count, dtype.numpy_dtype).reshape(dims)


StatefulStandardNormal.without_gradient(_STREAM)

StatefulUniformInt = define_op(
    "StatefulUniformInt",
    inputs=(
        "resource: resource",
        "algorithm: int64",
        "shape: shape_dtype",
        "minval: dtype",
        "maxval: dtype",
    ),
    outputs=("output: dtype",),
    attrs=("dtype: type = int64", "shape_dtype: type = int64"),
    is_stateful=True,
)


@StatefulUniformInt.shape_fn
def _stateful_uniform_int_shape(c: InferenceContext) -> TensorShape:
    output = _drawn_shape(c)
    for index in (3, 4):
        if c.shapes[index]._dims:
            c.fail(f"{c.input_name(index)} must be a scalar", received=str(c.shapes[index]))
    return output


@StatefulUniformInt.kernel("CPU", dtype=(int32, int64), shape_dtype=(int32, int64))
def _stateful_uniform_int_cpu(
    resource: VariableCell,
    algorithm: np.ndarray,
    shape: np.ndarray,
    minval: np.ndarray,
    maxval: np.ndarray,
) -> np.ndarray:
    dims = check_draw_shape(shape)
    if minval.ndim or maxval.ndim or not minval < maxval:
        raise InvalidArgumentError(
            None,
            None,
            "Need scalars minval < maxval",
            received=f"{minval.tolist()} and {maxval.tolist()}",
        )
    count = math.prod(dims)
    stream = take_stream(resource, _algorithm_of(algorithm), count)
    values = random_values.random_uniform_int(stream, count, int(minval), int(maxval), minval.dtype)
    return values.reshape(dims)


StatefulUniformInt.without_gradient(_STREAM)

StatefulRandomBinomial = define_op(
    "StatefulRandomBinomial",
    inputs=("resource: resource", "algorithm: int64", "shape: S", "counts: T", "probs: T"),
    outputs=("output: dtype",),
    attrs=(
        "S: {int32, int64}",
        "T: {half, float, double, int32, int64} = double",
        "dtype: {half, float, double, int32, int64} = int64",
    ),
    is_stateful=True,
)
StatefulRandomBinomial.shape_fn(_drawn_shape)


@StatefulRandomBinomial.kernel("CPU", T=(float16, float32, float64))
def _stateful_binomial_cpu(
    resource: VariableCell,
    algorithm: np.ndarray,
    shape: np.ndarray,
    counts: np.ndarray,
    probs: np.ndarray,
    *,
    dtype: DType,
) -> np.ndarray:
    outputs = math.prod(check_draw_shape(shape)) * _BINOMIAL_OUTPUTS
    stream = take_stream(resource, _algorithm_of(algorithm), outputs)
    return binomial_variates(stream, shape, counts, probs, dtype)


StatefulRandomBinomial.without_gradient(_STREAM)

# --- the state ------------------------------------------------------------------------------------

RngSkip = define_op(
    "RngSkip",
    inputs=("resource: resource", "algorithm: int64", "delta: int64"),
    is_stateful=True,
)


@RngSkip.shape_fn
def _rng_skip_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return no_outputs(c)


@RngSkip.kernel("CPU")
def _rng_skip_cpu(resource: VariableCell, algorithm: np.ndarray, delta: np.ndarray) -> None:
    take_stream(resource, _algorithm_of(algorithm), int(delta))


RngSkip.without_gradient("it has no outputs")

RngReadAndSkip = define_op(
    "RngReadAndSkip",
    inputs=("resource: resource", "alg: int32", "delta: uint64"),
    outputs=("value: int64",),
    is_stateful=True,
)


@RngReadAndSkip.shape_fn
def _rng_read_and_skip_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return TensorShape._of((_STATE_SIZE,))


@RngReadAndSkip.kernel("CPU")
def _rng_read_and_skip_cpu(
    resource: VariableCell, alg: np.ndarray, delta: np.ndarray
) -> np.ndarray:
    stream = take_stream(resource, _algorithm_of(alg), int(delta))
    words = [stream.counter & _MASK64, stream.counter >> 64, stream.key]
    return np.array(words, np.uint64).view(np.int64)


RngReadAndSkip.without_gradient("its output is integer")

NonDeterministicInts = define_op(
    "NonDeterministicInts",
    inputs=("shape: shape_dtype",),
    outputs=("output: dtype",),
    attrs=("dtype: type = int64", "shape_dtype: type = int64"),
    is_stateful=True,
)


@NonDeterministicInts.shape_fn
def _non_deterministic_ints_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    return c.constant_as_shape(0)


@NonDeterministicInts.kernel("CPU", dtype=_INTEGERS, shape_dtype=(int32, int64))
def _non_deterministic_ints_cpu(shape: np.ndarray, *, dtype: DType) -> np.ndarray:
    dims = check_draw_shape(shape)
    stored = dtype.numpy_dtype
    drawn = os.urandom(math.prod(dims) * stored.itemsize)
    return np.frombuffer(drawn, stored).reshape(dims).copy()


NonDeterministicInts.without_gradient("its output is integer")
