"""Values of steps drawn at random: tensors with feeds that fit them, and tolerances.

Every value knows how far two ways to compute it may be apart: 0 for what is exact (arithmetic on
exact values, rounded at every op as NumPy rounds it), else a bound relative to the largest element.
Ops that jump (comparisons, rounding, casts to integers) are drawn on exact values only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import featherflow as tf

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64")
DTYPES = (*FLOATS, "float32", "float32", *INTEGERS, "bool")
EPSILON = {"float32": 1.2e-7, "float64": 2.3e-16, "float16": 9.8e-4, "bfloat16": 7.9e-3}

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Drawn:
    """A value: its tensor, the shape it will have, how far off it may be (relatively)."""

    tensor: Any
    shape: Shape
    error: float = 0.0

    @property
    def dtype(self) -> str:
        return self.tensor.dtype.base_dtype.name

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOATS


@dataclass
class Step:
    """A graph with feeds, and the values to fetch."""

    graph: Any
    feeds: dict[Any, np.ndarray] = field(default_factory=dict)
    fetches: list[Drawn] = field(default_factory=list)
    initializers: list[Any] = field(default_factory=list)


def open_session(graph: Any, compiled: bool, threads: int = 1) -> Any:
    """A session that compiles before the first run, or never."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    options = config.graph_options.optimizer_options
    options.global_jit_level = 1 if compiled else -1  # type: ignore[assignment]
    return tf.Session(graph=graph, config=config)


def run_step(step: Step, compiled: bool, threads: int = 1, times: int = 1) -> list[np.ndarray]:
    """What is fetched, the last of `times` times."""
    with open_session(step.graph, compiled, threads) as session:
        for initializer in step.initializers:
            session.run(initializer)
        fetches = [value.tensor for value in step.fetches]
        results = [session.run(fetches, step.feeds) for _ in range(times)]
    for result in results[1:]:
        for first, again in zip(results[0], result):
            assert_same_bits(again, first)
    return results[-1]


def assert_same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    assert actual.tobytes() == expected.tobytes()


def assert_values(actual: np.ndarray, expected: np.ndarray, error: float, what: str = "") -> None:
    """Equal shapes and dtypes; equal values, or values within `error` of the largest."""
    assert isinstance(actual, np.ndarray | np.generic), what
    assert actual.shape == expected.shape, (what, actual.shape, expected.shape)
    assert actual.dtype == expected.dtype, (what, actual.dtype, expected.dtype)
    if expected.dtype.kind not in "biu":
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    if not error:
        np.testing.assert_array_equal(actual, expected, what)
        return
    finite = np.abs(expected[np.isfinite(expected)])
    bound = error * max(1.0, finite.max(initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=bound, err_msg=what)


class Drawer:
    """Makes values in a graph, and choices."""

    def __init__(self, rng: np.random.Generator, graph: Any) -> None:
        self.rng = rng
        self.step = Step(graph)
        self.values: list[Drawn] = []
        self.has_odd_numbers = rng.random() < 0.15

    def choose_fetches(self) -> None:
        """The last value, some of the others, and sometimes one of them twice."""
        last = self.values[-1]
        others = [value for value in self.values if self.rng.random() < 0.2]
        self.step.fetches = [last, *others, *([last] if self.rng.random() < 0.1 else [])]

    # --- choices ----------------------------------------------------------------------------------

    def worst(self, value: Drawn) -> float:
        """Beyond this, a comparison says nothing any more."""
        return 0.3 if value.dtype in ("float16", "bfloat16") else 0.01

    def pick(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def recent(self) -> Drawn:
        """A value, more often a late one."""
        back = min(int(self.rng.exponential(1.2)), len(self.values) - 1)
        return self.values[-1 - back]

    def shape(self) -> Shape:
        rank = int(self.rng.integers(0, 5))
        sizes = [1, 2, 3, 5, 7, 16, 17, 33, 0] if self.rng.random() < 0.1 else [1, 2, 3, 5, 8, 17]
        return tuple(int(self.pick(sizes)) for _ in range(rank))

    def image_shape(self) -> Shape:
        channels = int(self.pick([1, 2, 3, 4, 6, 8, 16, 20]))
        return (int(self.rng.integers(1, 4)), *self.rng.integers(3, 13, 2).tolist(), channels)

    def axis(self, shape: Shape) -> int:
        return int(self.rng.integers(len(shape)))

    def array(self, shape: Shape, dtype: str) -> np.ndarray:
        numpy_dtype = tf.as_dtype(dtype).as_numpy_dtype
        if dtype == "bool":
            return self.rng.random(shape) < 0.5
        if dtype in INTEGERS:
            low = 0 if dtype.startswith("u") else -20
            return self.rng.integers(low, 20, shape).astype(numpy_dtype)
        numbers = self.rng.normal(0, 1.5, shape)
        if self.has_odd_numbers:
            odd = self.rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-30], shape)
            numbers = np.where(self.rng.random(shape) < 0.15, odd, numbers)
        return np.asarray(numbers).astype(numpy_dtype)

    # --- leaves -----------------------------------------------------------------------------------

    def feed(self, shape: Shape, dtype: str) -> Drawn:
        form = self.rng.random()
        if not shape:
            form = 1.0
        static = None if form < 0.1 else [None if self.rng.random() < 0.3 else n for n in shape]
        tensor = tf.placeholder(dtype, shape if form > 0.5 else static)
        self.step.feeds[tensor] = self.laid_out(self.array(shape, dtype))
        return Drawn(tensor, shape)

    def laid_out(self, array: np.ndarray) -> np.ndarray:
        """The same elements in memory of another form: strided, unaligned, read-only."""
        form = int(self.rng.integers(6))
        if form == 1 and array.ndim:
            array = np.repeat(array, 2, axis=-1)[..., ::2]
        elif form == 2 and array.ndim:
            array = np.asfortranarray(array)
        elif form == 3:
            raw = np.zeros(array.nbytes + 1, np.uint8)
            view = raw[1:].view(array.dtype).reshape(array.shape)
            view[...] = array
            array = view
        elif form == 4 and array.ndim:
            array = np.ascontiguousarray(array[::-1])[::-1]
        elif form == 5:
            array = array.copy()
            array.setflags(write=False)
        return array

    def source(self, shape: Shape, dtype: str) -> Drawn:
        """A feed, a constant or a variable."""
        form = self.rng.random()
        if form < 0.3:
            return self.feed(shape, dtype)
        array = self.array(shape, dtype)
        if form < 0.75:
            return Drawn(tf.constant(array), shape)
        variable = tf.Variable(tf.constant(array), use_resource=bool(self.rng.integers(2)))
        self.step.initializers.append(variable.initializer)
        return Drawn(variable.read_value(), shape)

    def partner(self, value: Drawn) -> Drawn:
        """Another value of the dtype that broadcasts with one."""
        fitting = [
            other
            for other in self.values
            if other.dtype == value.dtype and broadcasts(other.shape, value.shape)
        ]
        if fitting and self.rng.random() < 0.5:
            return self.pick(fitting)
        shape = value.shape[int(self.rng.integers(0, len(value.shape) + 1)) :]
        shape = tuple(1 if self.rng.random() < 0.2 else size for size in shape)
        return self.source(shape, value.dtype)


def broadcasts(first: Shape, second: Shape) -> bool:
    return all(1 in (a, b) or a == b for a, b in zip(first[::-1], second[::-1]))
