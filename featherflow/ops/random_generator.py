"""tf.random.Generator: a random stream with a state of its own, kept in a variable."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops import arithmetic_ops
from featherflow.ops.cast_ops import bitcast, cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import zeros, zeros_like
from featherflow.ops.pack_ops import stack, unstack
from featherflow.ops.random_ops import shape_tensor
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.stateful_random_ops import (
    NonDeterministicInts,
    RngReadAndSkip,
    StatefulRandomBinomial,
)
from featherflow.ops.stateless_random_ops import (
    StatelessRandomNormalV2,
    StatelessRandomUniformFullIntV2,
    StatelessRandomUniformIntV2,
    StatelessRandomUniformV2,
    StatelessTruncatedNormalV2,
)
from featherflow.ops.variables import Variable


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.IntEnum):
    """How a generator makes random bits. Only Philox runs on a CPU; AUTO_SELECT takes it."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_BY_NAME = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "auto_select": Algorithm.AUTO_SELECT,
}
#: Words of the state: Philox has a counter of two and a key.
_STATE_SIZES = {Algorithm.PHILOX: 3, Algorithm.THREEFRY: 2, Algorithm.AUTO_SELECT: 3}


def _algorithm(alg: Any) -> Algorithm:
    """The algorithm that a name, a number or an Algorithm stands for.

    Raises:
      ValueError: there is no such algorithm.
    """
    found = _BY_NAME.get(alg.lower()) if isinstance(alg, str) else alg
    try:
        return Algorithm(found)
    except ValueError:
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
            "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select."
        ) from None


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state that a generator starts from.

    Args:
      seed: an integer of any size, or a vector of int64.
      alg: an Algorithm, its name or its number.
    Returns:
      `[3]` int64 for Philox: missing words are 0.
    """
    words = _STATE_SIZES[_algorithm(alg)]
    whole = _words_of(seed, words) if isinstance(seed, int) else seed
    flat = reshape(cast(_as_integers(whole), dtypes.int64), [-1])[0:words]
    missing = flat.shape.num_elements()
    padding = zeros([maximum(words - _length_of(flat, missing), 0)], dtypes.int64)
    return concat([padding, flat], 0)


def _words_of(seed: int, words: int) -> list[int]:
    """The 64-bit words of an integer, lowest first, each as a signed number."""
    rest = seed & ((1 << 64 * words) - 1)
    unsigned = [(rest >> 64 * place) & ((1 << 64) - 1) for place in range(words)]
    return np.array(unsigned, np.uint64).view(np.int64).tolist()


def _as_integers(value: Any) -> Any:
    """Integers that NumPy takes as int64 as a tensor of that, where they do not fit int32."""
    if isinstance(value, list) and any(abs(word) >= 1 << 31 for word in value):
        return np.array(value, np.int64)
    return value


def _length_of(vector: Tensor, length: int | None) -> Any:
    return shape_of(vector)[0] if length is None else length


@export("random.Generator", "random.experimental.Generator")
class Generator:
    """A random stream with a state of its own; each call of a method takes the next stretch.

    Args:
      copy_from: another generator to start like.
      state: `[3]` int64: the counter's two words and the key.
      alg: an Algorithm, its name or its number.
    Raises:
      ValueError: the algorithm is unknown, or the state has another shape.

    >>> import featherflow as tf
    >>> generator = tf.random.Generator.from_seed(7)
    >>> drawn = generator.uniform([2], 0, 100, tf.int32)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     first, second = sess.run(drawn), sess.run(drawn)
    >>> first.tolist() == second.tolist()
    False
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None):
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError("copy_from comes with neither state nor alg.")
            self._alg = copy_from._alg
            initial: Any = copy_from._state_var.read_value
        else:
            if state is None or alg is None:
                raise AssertionError("A Generator needs copy_from, or state and alg.")
            self._alg = _algorithm(alg)
            initial = self._checked_state(state)
        with name_scope(None, "random_generator"):
            self._state_var = Variable(
                initial, trainable=False, name="StateVar", dtype=dtypes.int64, use_resource=True
            )

    def _checked_state(self, state: Any) -> Tensor:
        state = cast(state, dtypes.int64)
        wanted = TensorShape((_STATE_SIZES[self._alg],))
        if not state.shape.is_compatible_with(wanted):
            raise ValueError(f"Shapes {state.shape} and {wanted} are incompatible")
        return state

    # --- making one -----------------------------------------------------------------------

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose stream follows from an integer; Philox if `alg` is None."""
        chosen = Algorithm.PHILOX if alg is None else _algorithm(alg)
        return cls(state=create_rng_state(seed, chosen), alg=chosen)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that goes on from a state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator that goes on from a counter, `[2]`, with a key, a scalar."""
        return cls(state=_key_and_counter(key, counter), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator whose state the system draws."""
        chosen = Algorithm.PHILOX if alg is None else _algorithm(alg)
        words = np.array([_STATE_SIZES[chosen]], np.int64)
        return cls(state=NonDeterministicInts(words, dtype=dtypes.int64), alg=chosen)

    # --- the state ------------------------------------------------------------------------

    @property
    def state(self) -> Variable:
        """The variable that holds the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return int(self._alg)

    @property
    def key(self) -> Tensor:
        """The key: a scalar, int64."""
        return self._state_var[-1]

    def reset(self, state: Any) -> None:
        """Starts again from a state; in a graph, where its assignment runs."""
        self._state_var.assign(self._checked_state(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Starts again from a seed."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Starts again from a counter, `[2]`, with a key, a scalar."""
        self._state_var.assign(_key_and_counter(key, counter))

    def skip(self, delta: Any) -> Tensor:
        """Moves on by `delta` elements; returns the state before."""
        number = cast(self.algorithm, dtypes.int32)
        return RngReadAndSkip(self._state_var.handle, number, cast(delta, dtypes.uint64))

    # --- draws ----------------------------------------------------------------------------

    def _stream(self, shape: Tensor) -> tuple[Tensor, Tensor, int]:
        """Key, counter and algorithm of the next stretch, long enough for `shape`."""
        state: Any = self.skip(reduce_prod(shape))
        counter = bitcast(state[:2], dtypes.uint64)
        return bitcast(state[2:3], dtypes.uint64), counter, self.algorithm

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers of the given mean and standard deviation."""
        op, default = StatelessRandomNormalV2, "stateful_normal"
        return self._scaled(op, default, shape, mean, stddev, dtype, name)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers no more than two standard deviations off."""
        op, default = StatelessTruncatedNormalV2, "truncated_normal"
        return self._scaled(op, default, shape, mean, stddev, dtype, name)

    def _scaled(
        self, op: Any, default: str, shape: Any, mean: Any, stddev: Any, dtype: Any, name: Any
    ) -> Tensor:
        with name_scope(name, default, [shape, mean, stddev]) as scope:
            shape = shape_tensor(shape)
            mean = convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
            drawn = op(shape, *self._stream(shape), dtype=dtype)
            return arithmetic_ops.add(drawn * stddev, mean, name=scope)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniform numbers of [minval, maxval).

        Args:
          shape: of the result.
          minval, maxval: the bounds; for integers both None is the whole range of the dtype.
          dtype: a float type, int32, int64, uint32 or uint64.
          name: of the node.
        Raises:
          ValueError: bounds of integers are missing.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={minval} and maxval={maxval}"
            )
        if maxval is None and not dtype.is_integer:
            maxval = 1
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as scope:
            shape = shape_tensor(shape)
            if dtype.is_integer and minval is None:
                stream = self._stream(shape)
                return StatelessRandomUniformFullIntV2(shape, *stream, dtype=dtype, name=scope)
            low = convert_to_tensor(minval, dtype=dtype, name="min")
            high = convert_to_tensor(maxval, dtype=dtype, name="max")
            stream = self._stream(shape)
            if dtype.is_integer:
                return StatelessRandomUniformIntV2(shape, *stream, low, high, name=scope)
            drawn = StatelessRandomUniformV2(shape, *stream, dtype=dtype)
            return arithmetic_ops.add(drawn * (high - low), low, name=scope)

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers over the whole range of a 32- or 64-bit dtype."""
        with name_scope(name, "stateful_uniform_full_int", [shape]) as scope:
            shape = shape_tensor(shape)
            stream = self._stream(shape)
            return StatelessRandomUniformFullIntV2(shape, *stream, dtype=dtype, name=scope)

    def binomial(
        self,
        shape: Any,
        counts: Any,
        probs: Any,
        dtype: Any = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """How often something of probability `probs` happens in `counts` trials.

        Args:
          shape: of the result; ends with the broadcast shape of `counts` and `probs`.
          counts, probs: floats of one dtype.
          dtype: of the result.
          name: of the node.
        """
        with name_scope(name, "binomial", [shape, counts, probs]) as scope:
            counts = convert_to_tensor(counts, name="counts")
            probs = convert_to_tensor(probs, name="probs")
            return StatefulRandomBinomial(
                self._state_var.handle,
                np.array(self.algorithm, np.int64),
                shape_tensor(shape),
                counts,
                probs,
                dtype=dtype,
                name=scope,
            )

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Seeds for stateless ops: `[2, count]` int64, one seed a column."""
        keys = self.uniform_full_int([count], dtype=dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """New generators, each with a stream of its own."""
        keys = self.uniform_full_int([count], dtype=dtypes.int64)
        return [
            Generator(state=_key_and_counter(key, [0, 0]), alg=self._alg)
            for key in unstack(keys, num=count)
        ]


def _key_and_counter(key: Any, counter: Any) -> Tensor:
    counter = cast(counter, dtypes.int64)
    return concat([counter, reshape(cast(key, dtypes.int64), [1])], 0)


# --- the global generator -------------------------------------------------------------------------

_global: list[Generator] = []


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The program's generator; the first call makes one from a state that the system draws."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Makes `generator` what `get_global_generator` returns."""
    _global[:] = [generator]
