"""Random ops without state: the same seed gives the same numbers, in every run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import random_choices, random_values
from featherflow.kernels.philox import PhiloxGenerator, PhiloxStream, stateless_stream
from featherflow.ops import arithmetic_ops
from featherflow.ops.random_ops import check_draw_shape, shape_tensor

_STREAM = "a random stream does not depend on its arguments"
_SEED_TYPE = "Tseed: {int32, int64} = int64"
_FLOATS = "dtype: {half, bfloat16, float, double} = float"

#: (stream, number of elements, dtype) → the elements.
Draw = Callable[[PhiloxStream, int, np.dtype], np.ndarray]

# Algorithms, as the attribute `alg` numbers them.
_PHILOX, _THREEFRY, _AUTO_SELECT = 1, 2, 3
_ALGORITHMS = {"philox": _PHILOX, "threefry": _THREEFRY, "auto_select": _AUTO_SELECT}


# --- streams --------------------------------------------------------------------------------------


def stream_of_seed(seed: np.ndarray) -> PhiloxStream:
    """The stream of a seed.

    Raises:
      InvalidArgumentError: the seed has not two elements.
    """
    if seed.shape != (2,):
        raise InvalidArgumentError(
            None, None, "seed must have shape [2]", received=f"shape {list(seed.shape)}"
        )
    return stateless_stream(int(seed[0]), int(seed[1]))


def check_algorithm(number: int) -> None:
    """Refuses every algorithm but Philox.

    Raises:
      UnimplementedError: it is ThreeFry, which TensorFlow has on accelerators only.
      InvalidArgumentError: it is none.
    """
    if number == _THREEFRY:
        raise UnimplementedError(
            None, None, "Non-XLA devices don't support the ThreeFry algorithm", received=number
        )
    if number not in (_PHILOX, _AUTO_SELECT):
        raise InvalidArgumentError(
            None,
            None,
            f"Unsupported algorithm id: {number}",
            expected=f"{_PHILOX} (Philox) or {_AUTO_SELECT} (choose one)",
        )


def stream_of_key(key: np.ndarray, counter: np.ndarray, alg: np.ndarray) -> PhiloxStream:
    """The stream of a key and the counter that it starts from.

    Raises:
      InvalidArgumentError: a shape does not fit, or the algorithm is not Philox.
    """
    if key.shape != (1,) or counter.ndim != 1 or len(counter) < 2 or alg.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "key must have shape [1], counter two elements or more, and alg be a scalar",
            received=f"shapes {list(key.shape)}, {list(counter.shape)} and {list(alg.shape)}",
        )
    check_algorithm(int(alg))
    return PhiloxStream(int(key[0]), int(counter[0]) | int(counter[1]) << 64)


def _drawn_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    return c.constant_as_shape(0)


def _seeded_shape(c: InferenceContext) -> TensorShape:
    check_seed(c, 1)
    return _drawn_shape(c)


def check_seed(c: InferenceContext, index: int) -> None:
    """Refuses a seed that has not two elements."""
    (count,) = c.with_rank(index, 1)._dims  # type: ignore[misc]
    c.merge_dim(count, 2)


def _keyed_shape(c: InferenceContext) -> TensorShape:
    (count,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    c.merge_dim(count, 1)
    c.with_rank(2, 1)
    c.with_rank(3, 0)
    return _drawn_shape(c)


# --- draws of a shape -----------------------------------------------------------------------------


def _define_seeded(name: str, draw: Draw, dtype: str = _FLOATS, seed: str = _SEED_TYPE) -> Op:
    """An op (shape, seed) → output."""
    op = define_op(
        name,
        inputs=("shape: T", "seed: Tseed"),
        outputs=("output: dtype",),
        attrs=(dtype, "T: {int32, int64} = int32", seed),
    )
    op.shape_fn(_seeded_shape)

    @op.kernel("CPU")
    def seeded_cpu(shape: np.ndarray, seed: np.ndarray, *, dtype: dtypes.DType) -> np.ndarray:
        dims = check_draw_shape(shape)
        values = draw(stream_of_seed(seed), math.prod(dims), dtype.numpy_dtype)
        return values.reshape(dims)

    op.not_differentiable(_STREAM)
    return op


def _define_keyed(name: str, draw: Draw, dtype: str = _FLOATS) -> Op:
    """An op (shape, key, counter, alg) → output."""
    op = define_op(
        name,
        inputs=("shape: Tshape", "key: uint64", "counter: uint64", "alg: int32"),
        outputs=("output: dtype",),
        attrs=(dtype, "Tshape: {int32, int64} = int32"),
    )
    op.shape_fn(_keyed_shape)

    @op.kernel("CPU")
    def keyed_cpu(
        shape: np.ndarray,
        key: np.ndarray,
        counter: np.ndarray,
        alg: np.ndarray,
        *,
        dtype: dtypes.DType,
    ) -> np.ndarray:
        dims = check_draw_shape(shape)
        values = draw(stream_of_key(key, counter, alg), math.prod(dims), dtype.numpy_dtype)
        return values.reshape(dims)

    op.not_differentiable(_STREAM)
    return op


_FULL_INTEGERS = "dtype: {int32, int64, uint32, uint64} = uint64"

StatelessRandomUniform = _define_seeded("StatelessRandomUniform", random_values.random_uniform)
StatelessRandomNormal = _define_seeded("StatelessRandomNormal", random_values.random_normal)
StatelessTruncatedNormal = _define_seeded(
    "StatelessTruncatedNormal", random_values.truncated_normal
)
StatelessRandomUniformFullInt = _define_seeded(
    "StatelessRandomUniformFullInt",
    random_values.random_bits,
    _FULL_INTEGERS,
    "Tseed: {int32, int64, uint32, uint64} = int64",
)
StatelessRandomUniformV2 = _define_keyed("StatelessRandomUniformV2", random_values.random_uniform)
StatelessRandomNormalV2 = _define_keyed("StatelessRandomNormalV2", random_values.random_normal)
StatelessTruncatedNormalV2 = _define_keyed(
    "StatelessTruncatedNormalV2", random_values.truncated_normal
)
StatelessRandomUniformFullIntV2 = _define_keyed(
    "StatelessRandomUniformFullIntV2", random_values.random_bits, _FULL_INTEGERS
)


# --- integers of a range --------------------------------------------------------------------------

StatelessRandomUniformInt = define_op(
    "StatelessRandomUniformInt",
    inputs=("shape: T", "seed: Tseed", "minval: dtype", "maxval: dtype"),
    outputs=("output: dtype",),
    attrs=("dtype: {int32, int64}", "T: {int32, int64}", _SEED_TYPE),
)
StatelessRandomUniformIntV2 = define_op(
    "StatelessRandomUniformIntV2",
    inputs=(
        "shape: Tshape",
        "key: uint64",
        "counter: uint64",
        "alg: int32",
        "minval: dtype",
        "maxval: dtype",
    ),
    outputs=("output: dtype",),
    attrs=("dtype: {int32, int64, uint32, uint64}", "Tshape: {int32, int64} = int32"),
)


@StatelessRandomUniformInt.shape_fn
def _seeded_int_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(2, 0)
    c.with_rank(3, 0)
    return _seeded_shape(c)


@StatelessRandomUniformIntV2.shape_fn
def _keyed_int_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(4, 0)
    c.with_rank(5, 0)
    return _keyed_shape(c)


@StatelessRandomUniformInt.kernel("CPU")
def _seeded_int_cpu(
    shape: np.ndarray, seed: np.ndarray, minval: np.ndarray, maxval: np.ndarray
) -> np.ndarray:
    return _integers(stream_of_seed(seed), shape, minval, maxval)


@StatelessRandomUniformIntV2.kernel("CPU")
def _keyed_int_cpu(
    shape: np.ndarray,
    key: np.ndarray,
    counter: np.ndarray,
    alg: np.ndarray,
    minval: np.ndarray,
    maxval: np.ndarray,
) -> np.ndarray:
    return _integers(stream_of_key(key, counter, alg), shape, minval, maxval)


def _integers(
    stream: PhiloxStream, shape: np.ndarray, minval: np.ndarray, maxval: np.ndarray
) -> np.ndarray:
    dims = check_draw_shape(shape)
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.ndim:
            raise InvalidArgumentError(
                None, None, f"{name} must be 0-D", received=f"shape {list(bound.shape)}"
            )
    values = random_values.random_uniform_int(
        stream, math.prod(dims), int(minval), int(maxval), minval.dtype
    )
    return values.reshape(dims)


StatelessRandomUniformInt.not_differentiable(_STREAM)
StatelessRandomUniformIntV2.not_differentiable(_STREAM)


# --- from seeds to keys ---------------------------------------------------------------------------


def _key_and_counter(seed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    stream = stream_of_seed(seed)
    halves = [stream.counter & 0xFFFFFFFFFFFFFFFF, stream.counter >> 64]
    return np.array([stream.key], np.uint64), np.array(halves, np.uint64)


StatelessRandomGetKeyCounter = define_op(
    "StatelessRandomGetKeyCounter",
    inputs=("seed: Tseed",),
    outputs=("key: uint64", "counter: uint64"),
    attrs=(_SEED_TYPE,),
)


@StatelessRandomGetKeyCounter.shape_fn
def _key_counter_shape(c: InferenceContext) -> list[TensorShape]:
    check_seed(c, 0)
    return [TensorShape._of((1,)), TensorShape._of((2,))]


@StatelessRandomGetKeyCounter.kernel("CPU")
def _key_counter_cpu(seed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _key_and_counter(seed)


StatelessRandomGetKeyCounter.without_gradient("its outputs are integers")

StatelessRandomGetAlg = define_op(
    "StatelessRandomGetAlg", outputs=("alg: int32",), is_stateful=True
)


@StatelessRandomGetAlg.shape_fn
def _alg_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of(())


@StatelessRandomGetAlg.kernel("CPU")
def _alg_cpu() -> np.ndarray:
    return np.array(_PHILOX, np.int32)


StatelessRandomGetAlg.without_gradient("its output is an integer")

StatelessRandomGetKeyCounterAlg = define_op(
    "StatelessRandomGetKeyCounterAlg",
    inputs=("seed: Tseed",),
    outputs=("key: uint64", "counter: uint64", "alg: int32"),
    attrs=(_SEED_TYPE,),
)


@StatelessRandomGetKeyCounterAlg.shape_fn
def _key_counter_alg_shape(c: InferenceContext) -> list[TensorShape]:
    return [*_key_counter_shape(c), TensorShape._of(())]


@StatelessRandomGetKeyCounterAlg.kernel("CPU")
def _key_counter_alg_cpu(seed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return *_key_and_counter(seed), _alg_cpu()


StatelessRandomGetKeyCounterAlg.without_gradient("its outputs are integers")


# --- StatelessMultinomial -------------------------------------------------------------------------

StatelessMultinomial = define_op(
    "StatelessMultinomial",
    inputs=("logits: T", "num_samples: int32", "seed: Tseed"),
    outputs=("output: output_dtype",),
    attrs=("T: realnumbertype", _SEED_TYPE, "output_dtype: {int32, int64} = int64"),
)


@StatelessMultinomial.shape_fn
def _stateless_multinomial_shape(c: InferenceContext) -> TensorShape:
    rows, _ = c.with_rank(0, 2)._dims  # type: ignore[misc]
    c.with_rank(1, 0)
    check_seed(c, 2)
    samples = c.constant(1)
    return TensorShape._of((rows, None if samples is None else int(samples)))


@StatelessMultinomial.kernel("CPU")
def _stateless_multinomial_cpu(
    logits: np.ndarray, num_samples: np.ndarray, seed: np.ndarray, *, output_dtype: dtypes.DType
) -> np.ndarray:
    generator = PhiloxGenerator.at(stream_of_seed(seed))
    return random_choices.multinomial(generator, logits, int(num_samples), output_dtype.numpy_dtype)


StatelessMultinomial.not_differentiable("its output is integer")


# --- public functions -----------------------------------------------------------------------------


def key_counter_alg(seed: Any, alg: Any) -> tuple[Any, Any, Any]:
    """The stream of a seed, as the inputs of the ops that take a key.

    Raises:
      ValueError: there is no such algorithm.
    """
    number = _ALGORITHMS.get(alg.lower()) if isinstance(alg, str) else alg
    if number not in _ALGORITHMS.values():
        raise ValueError(
            f"Unsupported algorithm {alg!r}, must be one of {', '.join(sorted(_ALGORITHMS))}."
        )
    key, counter = StatelessRandomGetKeyCounter(seed)
    return key, counter, number


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Uniform numbers of [minval, maxval), which follow from the seed alone.

    Args:
      shape: of the result.
      seed: two integers, int32 or int64.
      minval: the least value. For integers None, with `maxval`, is the whole range of the dtype.
      maxval: above the largest; None is 1 for floats.
      dtype: a float type, int32, int64, uint32 or uint64.
      name: of the node.
      alg: "philox", or "auto_select", which is the same here.
    Returns:
      A tensor.
    Raises:
      ValueError: the dtype is none of these, or bounds are missing.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.random.stateless_uniform([3], [1, 2], 0, 100, tf.int32)).tolist()
    [40, 49, 94]
    """
    dtype = dtypes.as_dtype(dtype)
    _check_bounds(dtype, minval, maxval)
    if not dtype.is_integer and maxval is None:
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = shape_tensor(shape)
        if dtype.is_integer and minval is None:
            stream = key_counter_alg(seed, alg)
            return StatelessRandomUniformFullIntV2(shape, *stream, dtype=dtype, name=scope)
        low = convert_to_tensor(minval, dtype=dtype, name="min")
        high = convert_to_tensor(maxval, dtype=dtype, name="max")
        stream = key_counter_alg(seed, alg)
        if dtype.is_integer:
            return StatelessRandomUniformIntV2(shape, *stream, low, high, name=scope)
        drawn = StatelessRandomUniformV2(shape, *stream, dtype=dtype)
        return arithmetic_ops.add(drawn * (high - low), low, name=scope)


def _check_bounds(dtype: dtypes.DType, minval: Any, maxval: Any) -> None:
    integers = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)
    if not dtype.is_floating and dtype not in integers:
        raise ValueError(f"dtype must be floating or an integer type, received {dtype.name}.")
    if dtype.is_integer and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer dtype {dtype.name}, minval and maxval must be both None or both given, "
            f"received minval={minval} and maxval={maxval}."
        )


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal numbers, which follow from the seed alone; see `stateless_uniform`."""
    op, default = StatelessRandomNormalV2, "stateless_random_normal"
    return _scaled(op, default, shape, seed, mean, stddev, dtype, name, alg)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal numbers no more than two standard deviations off, from the seed alone."""
    op, default = StatelessTruncatedNormalV2, "stateless_truncated_normal"
    return _scaled(op, default, shape, seed, mean, stddev, dtype, name, alg)


def _scaled(
    op: Op,
    default_name: str,
    shape: Any,
    seed: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    name: str | None,
    alg: Any,
) -> Tensor:
    with name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        drawn = op(shape, *key_counter_alg(seed, alg), dtype=dtype)
        return arithmetic_ops.add(drawn * stddev, mean, name=scope)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws classes with the probabilities softmax(logits), from the seed alone.

    Args:
      logits: `[batch, classes]`, unnormalised log-probabilities.
      num_samples: how many are drawn for each row.
      seed: two integers.
      dtype: int32 or int64.
      name: of the scope.
    Returns:
      `[batch, num_samples]`.
    """
    with name_scope(name, "stateless_categorical", [logits, seed]):
        return _multinomial(logits, num_samples, seed, dtype)


@export_v1("random.stateless_multinomial")
def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The old name of `stateless_categorical`."""
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        return _multinomial(logits, num_samples, seed, output_dtype)


def _multinomial(logits: Any, num_samples: Any, seed: Any, dtype: Any) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    return StatelessMultinomial(logits, num_samples, seed, output_dtype=dtype)
