"""Elementwise kernels against NumPy: patterns, strides, dtypes, work in place, sizes of zero."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from compiler.kernel_runner import guarded, guarded_copy, host_levels, kernel_assembly, run_kernel
from featherflow.compiler import primitives
from featherflow.compiler.elementwise import Elementwise
from featherflow.compiler.kernel_spec import parse_spec
from featherflow.compiler.target import Target, target_named

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
AFFINE = (("mul", 0, 1), ("add", 3, 2), ("relu", 4))


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def draw_operand(
    rng: np.random.Generator, dtype: str, pattern: str, shape: tuple[int, ...]
) -> np.ndarray:
    """A view of a guarded array that has the strides that the pattern allows."""
    sizes = [1 if kind == "." else size for kind, size in zip(pattern, shape)]
    spread = [2 if kind == "s" and rng.random() < 0.4 else 1 for kind in pattern]
    full = guarded([n * s for n, s in zip(sizes, spread)], numpy_dtype(dtype), rng.integers(4))
    numbers = rng.integers(0, 2, full.shape) if dtype == "bool" else rng.integers(0, 9, full.shape)
    full[...] = numbers
    whole = full.copy()
    view = full[tuple(slice(None, None, step) for step in spread)]
    axes = [axis for axis, kind in enumerate(pattern) if kind == "s"]
    if pattern.count("s") > 1 and rng.random() < 0.3 and len({shape[a] for a in axes}) == 1:
        order = list(range(len(shape)))
        order[axes[0]], order[axes[-1]] = axes[-1], axes[0]
        view = view.transpose(order)
    view.full, view.whole = full, whole
    return view


def assert_gaps_kept(view: np.ndarray) -> None:
    """Fails if anything between the elements of a drawn operand was written."""
    is_element = np.zeros(view.full.shape, bool)
    mark = np.ndarray(view.shape, bool, is_element, 0, [s // view.itemsize for s in view.strides])
    mark[...] = True
    np.testing.assert_array_equal(view.full[~is_element], view.whole[~is_element])


def run(spec: Elementwise, arrays: list[np.ndarray], shape: tuple[int, ...], target: Target):
    arguments: dict[str, int | np.ndarray] = dict(zip(spec.pointers(), arrays))
    arguments |= {f"n{axis}": size for axis, size in enumerate(shape)}
    for name, array, (_, pattern) in zip(spec.pointers(), arrays, spec.operands):
        for axis, kind in enumerate(pattern):
            if kind == "s":
                arguments[f"stride_{name}_{axis}"] = array.strides[axis]
    run_kernel(spec, arguments, target)


@LEVELS
@pytest.mark.parametrize("columns", [0, 1, 2, 5, 15, 16, 17, 63, 64, 131])
def test_rows_with_a_shared_vector_and_a_scalar(target: Target, columns: int) -> None:
    spec = Elementwise(
        (("float32", "sc"), ("float32", ".c"), ("float32", "..")),
        (("float32", "sc"),),
        AFFINE,
        (5,),
    )
    rng = np.random.default_rng(columns)
    x, a, b = (
        guarded_copy(rng.standard_normal(shape).astype(np.float32), 1)
        for shape in ((3, columns), (1, columns), (1, 1))
    )
    y = guarded((3, columns), np.float32, 3)
    run(spec, [x, a, b, y], (3, columns), target)
    np.testing.assert_array_equal(y, np.maximum(x * a + b, 0))


@LEVELS
def test_in_place(target: Target) -> None:
    spec = Elementwise((("float32", "c"),), (("float32", "c"),), (("square", 0),), (1,))
    x = guarded_copy(np.arange(101, dtype=np.float32))
    run(spec, [x, x], (101,), target)
    np.testing.assert_array_equal(x, np.arange(101, dtype=np.float32) ** 2)


@LEVELS
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, -0.0])
def test_constants_without_a_literal(target: Target, number: float) -> None:
    steps = (("constant", "float32", number), ("maximum", 1, 0), ("add", 0, 1))
    spec = Elementwise((("float32", "c"),), (("float32", "c"),) * 2, steps, (2, 3))
    assert parse_spec(spec.text()) == spec
    x = guarded_copy(np.arange(-5, 20, dtype=np.float32))
    larger, total = guarded(25, np.float32), guarded(25, np.float32)
    run(spec, [x, larger, total], (25,), target)
    np.testing.assert_array_equal(larger, np.maximum(np.float32(number), x))
    np.testing.assert_array_equal(total, x + np.float32(number))


@LEVELS
def test_no_rows_touch_nothing(target: Target) -> None:
    spec = Elementwise((("float32", "sc"),), (("float32", "sc"),), (("neg", 0),), (1,))
    y = guarded((4,), np.float32)
    before = y.tobytes()
    run(spec, [guarded((0, 4), np.float32), y.reshape(1, 4)], (0, 4), target)
    assert y.tobytes() == before


@LEVELS
def test_several_outputs_of_several_dtypes(target: Target) -> None:
    spec = Elementwise(
        (("float32", "c"), ("float32", "c")),
        (("bool", "c"), ("float32", "c"), ("int8", "c")),
        (("less", 0, 1), ("select", 2, 0, 1), ("cast", "int8", 1)),
        (2, 3, 4),
    )
    rng = np.random.default_rng(1)
    x, y = (guarded_copy(rng.integers(-9, 9, 77).astype(np.float32)) for _ in range(2))
    less, least, bytes_ = guarded(77, bool), guarded(77, np.float32), guarded(77, np.int8)
    run(spec, [x, y, less, least, bytes_], (77,), target)
    np.testing.assert_array_equal(less, x < y)
    np.testing.assert_array_equal(least, np.minimum(x, y))
    np.testing.assert_array_equal(bytes_, y.astype(np.int8))


@LEVELS
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int8", "bool"])
def test_transposed_inputs(target: Target, dtype: str) -> None:
    """An input whose columns lie side by side, with one whose rows do and one that is shared."""
    name = "logical_or" if dtype == "bool" else "add"
    steps = ((name, 0, 1), (name, 3, 2))
    inputs = ((dtype, "scs"), (dtype, "ssc"), (dtype, "..c"))
    rng = np.random.default_rng(4)
    for shape in ((2, 3, 5), (1, 16, 16), (2, 33, 50), (1, 70, 4), (2, 0, 5), (1, 5, 40)):
        x, y, b, out = (
            guarded(size, numpy_dtype(dtype), 1)
            for size in ((shape[0], shape[2], shape[1]), shape, (1, 1, shape[2]), shape)
        )
        for array in (x, y, b):
            array[...] = rng.integers(0, 2 if dtype == "bool" else 9, array.shape)
        spec = Elementwise(inputs, ((dtype, "ssc"),), steps, (4,))
        run(spec, [x.transpose(0, 2, 1), y, b, out], shape, target)
        expected = np.logical_or if dtype == "bool" else np.add
        np.testing.assert_array_equal(out, expected(expected(x.transpose(0, 2, 1), y), b))


DTYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "uint16", "bool")
PATTERNS = {
    1: ("c", "s", "."),
    2: ("sc", "ss", ".c", "s.", ".s", ".."),
    3: ("ssc", "sss", ".sc", "s.c", "ss.", "..c", "s..", "..."),
    4: ("sssc", "ssss", "s.sc", "..sc", "s..c", "...c", "ss..", "...."),
}


def draws(config: pytest.Config) -> int:
    return 600 if config.getoption("--all") else 12


@LEVELS
@pytest.mark.parametrize("part", range(3))
def test_drawn_patterns(target: Target, part: int, pytestconfig: pytest.Config) -> None:
    rng = np.random.default_rng([part, target.vector_bits, len(target.name)])
    for _ in range(draws(pytestconfig)):
        rank = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(1, (70, 20, 8, 5)[rank - 1], rank))
        if rng.random() < 0.5:
            shape = (*shape[:-1], int(rng.integers(0, 70)))
        dtype = str(rng.choice(DTYPES))
        name = "logical_or" if dtype == "bool" else str(rng.choice(["add", "maximum"]))
        patterns = [str(rng.choice(PATTERNS[rank])) for _ in range(2)]
        inputs = tuple((dtype, pattern) for pattern in patterns)
        out = "s" * (rank - 1) + str(rng.choice(["c", "s"]))
        spec = Elementwise(inputs, ((dtype, out),), ((name, 0, 1),), (2,))
        assert parse_spec(spec.text()) == spec
        x, y = (draw_operand(rng, dtype, pattern, shape) for pattern in patterns)
        result = draw_operand(rng, dtype, out, shape)
        run(spec, [x, y, result], shape, target)
        function = {"add": np.add, "maximum": np.maximum, "logical_or": np.logical_or}[name]
        expected = np.broadcast_to(function(x, y), shape)
        np.testing.assert_array_equal(result, expected, str(spec))
        assert_gaps_kept(result)


def hot_loop(assembly: str) -> list[str]:
    """The instructions of the longest block that jumps back to its own label."""
    best: list[str] = []
    block: list[str] = []
    label = ""
    for line in assembly.splitlines():
        text = line.split("#")[0].strip()
        if text.endswith(":"):
            label, block = text[:-1], []
        elif text and not text.startswith("."):
            block.append(text)
            if text.startswith("j") and text.split()[-1] == label and len(block) > len(best):
                best = list(block)
    return best


@pytest.mark.parametrize(
    "name", sorted({"exp", "tanh", "erf", "add"} & primitives.PRIMITIVES.keys())
)
def test_hot_loops_keep_vectors_in_registers(name: str) -> None:
    step = (name, 0, 0) if name == "add" else (name, 0)
    spec = Elementwise((("float32", "c"),), (("float32", "c"),), (step,), (1,))
    loop = hot_loop(kernel_assembly(spec, target_named("x86-64-v4")))
    assert any("zmm" in line for line in loop), "the loop was not found"
    assert not [line for line in loop if "zmm" in line and "rsp" in line]
