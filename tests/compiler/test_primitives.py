"""Each primitive against NumPy, for every dtype it takes, on each CPU level."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from compiler.kernel_runner import guarded, guarded_copy, host_levels, run_kernel
from featherflow.compiler import codegen, kernel_spec, primitives
from featherflow.compiler.elements import DTYPES, FLOATS, INTEGERS
from featherflow.compiler.elementwise import Elementwise
from featherflow.compiler.image import link
from featherflow.compiler.target import Target, target_named
from featherflow.kernels import activations

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
BINARY: dict[str, Callable[..., np.ndarray]] = {
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide},
    **{"floordiv": lambda x, y: np.floor(x / y), "maximum": np.maximum, "minimum": np.minimum},
    **{"equal": np.equal, "not_equal": np.not_equal, "less": np.less},
    **{"less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal},
    **{"logical_and": np.logical_and, "logical_or": np.logical_or},
    **{"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor},
    "squared_difference": lambda x, y: np.square(x - y),
}
UNARY: dict[str, Callable[..., np.ndarray]] = {
    **{"neg": np.negative, "abs": np.abs, "sign": np.sign, "square": np.square},
    **{"reciprocal": np.reciprocal, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x)},
    **{"floor": np.floor, "ceil": np.ceil, "round": np.rint, "rint": np.rint},
    **{"relu": activations.relu, "relu6": activations.relu6, "softsign": activations.softsign},
    **{"is_nan": np.isnan, "is_inf": np.isinf, "is_finite": np.isfinite},
    "logical_not": np.logical_not,
}
#: Within a few units in the last place; `test_vector_math` looks at these closely.
ROUGH: dict[str, Callable[..., np.ndarray]] = {
    "elu": activations.elu,
    "selu": activations.selu,
    "softplus": activations.softplus,
    **{"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "tanh": np.tanh},
    **{"sin": np.sin, "cos": np.cos, "sigmoid": lambda x: 1 / (1 + np.exp(-x))},
}
NARROW = ("float16", "bfloat16")


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def numbers(dtype: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Any bits for integers; for floats any bits, small integers, halves."""
    kind = numpy_dtype(dtype)
    if dtype == "bool":
        return rng.integers(0, 2, count).astype(bool)
    wild = rng.integers(0, 256, count * kind.itemsize, np.uint8).view(kind)
    with np.errstate(all="ignore"):
        tame = (rng.integers(-20, 20, count) / 2).astype(kind)
        return np.where(rng.random(count) < 0.5, wild, tame)


def assert_same(found: np.ndarray, expected: np.ndarray, message: str = "") -> None:
    """Equal, NaN for NaN; as float64, in which NumPy knows the NaN of every kind."""
    with np.errstate(all="ignore"):
        wide = (x if x.dtype.kind in "iub" else x.astype(np.float64) for x in (found, expected))
        np.testing.assert_array_equal(*wide, message)


def evaluate(steps: tuple, arrays: list[np.ndarray], dtypes: list[str], target: Target):
    kinds = primitives.value_dtypes(steps, dtypes)
    spec = Elementwise(
        tuple((dtype, "c") for dtype in dtypes), ((kinds[-1], "c"),), steps, (len(kinds) - 1,)
    )
    result = guarded(arrays[0].size, numpy_dtype(kinds[-1]))
    given = {f"in{place}": guarded_copy(array) for place, array in enumerate(arrays)}
    run_kernel(spec, {**given, "out0": result, "n0": result.size}, target)
    return np.asarray(result)


def reference(function: Callable[..., np.ndarray], dtype: str, arrays: list[np.ndarray]):
    """In float32 for narrow floats, rounded once at the end, as featherflow's kernels do."""
    with np.errstate(all="ignore"):
        if dtype not in NARROW:
            return function(*arrays)
        wide = function(*(array.astype(np.float32) for array in arrays))
        return wide if wide.dtype == bool else wide.astype(numpy_dtype(dtype))


EXACT = [
    (name, dtype)
    for name in sorted({**BINARY, **UNARY})
    for dtype in DTYPES
    if primitives.supports(name, dtype)
]


@LEVELS
@pytest.mark.parametrize("name", sorted({name for name, _ in EXACT}))
def test_exact(name: str, target: Target) -> None:
    for dtype in (dtype for found, dtype in EXACT if found == name):
        rng = np.random.default_rng([len(name), len(dtype)])
        count = 1 if name in UNARY else 2
        arrays = [numbers(dtype, 1001, rng) for _ in range(count)]
        found = evaluate(((name, *range(count)),), arrays, [dtype] * count, target)
        expected = reference({**BINARY, **UNARY}[name], dtype, arrays)
        assert found.dtype == expected.dtype
        assert_same(found, expected, f"{name} of {dtype}")


@LEVELS
@pytest.mark.parametrize("name", sorted(ROUGH))
def test_near(name: str, target: Target) -> None:
    for dtype in FLOATS:
        rng = np.random.default_rng(5)
        x = (rng.standard_normal(999) * 5).astype(numpy_dtype(dtype))
        found = evaluate(((name, 0),), [x], [dtype], target)
        expected = reference(ROUGH[name], dtype, [x])
        precision = float(ml_dtypes.finfo(numpy_dtype(dtype)).eps)
        np.testing.assert_allclose(
            found.astype(np.float64), expected.astype(np.float64), 4 * precision, 1e-45
        )


@LEVELS
@pytest.mark.parametrize("source", DTYPES)
def test_casts(source: str, target: Target) -> None:
    for dtype in DTYPES:
        rng = np.random.default_rng(len(dtype))
        x = numbers(source, 1001, rng)
        if source in FLOATS and dtype in INTEGERS:
            least = 0 if dtype.startswith("u") else -100
            x = (rng.random(1001) * (99 - least) + least).astype(x.dtype)
        found = evaluate((("cast", dtype, 0),), [x], [source], target)
        with np.errstate(all="ignore"):
            expected = x.astype(numpy_dtype(dtype))
        assert_same(found, expected, f"{source} to {dtype}")


@LEVELS
@pytest.mark.parametrize("dtype", NARROW)
def test_rounding_to_narrow_floats(dtype: str, target: Target) -> None:
    """Ties, denormals, overflow, NaN: every float64 near the middle of two narrow numbers."""
    kind = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        every = np.arange(65536, dtype=np.uint16).view(kind).astype(np.float64)
        middle = (every[:-1] + every[1:]) / 2
        near = np.concatenate([every, middle, np.nextafter(middle, 1e9), middle * (1 - 1e-15)])
        for source in ("float64", "float32"):
            x = near.astype(source)
            found = evaluate((("cast", dtype, 0),), [x], [source], target)
            expected = x.astype(kind) if dtype == "float16" else _to_bfloat16(x)
            np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


def _to_bfloat16(x: np.ndarray) -> np.ndarray:
    """Rounded once; ml_dtypes rounds a float64 twice, first to float32."""
    with np.errstate(all="ignore"):
        near = x.astype(np.float32)
        is_cut = (np.abs(near.astype(np.float64)) < np.abs(x)) & np.isfinite(near)
        is_raised = (np.abs(near.astype(np.float64)) > np.abs(x)) & np.isfinite(near)
        # A float32 a little to the side of a tie goes where the float64 was.
        is_tie = (near.view(np.uint32) & 0xFFFF) == 0x8000
        moved = near.view(np.uint32) + (is_tie & is_cut) - (is_tie & is_raised)
        return moved.astype(np.uint32).view(np.float32).astype(ml_dtypes.bfloat16)


@LEVELS
def test_select_and_chains_of_narrow_steps(target: Target) -> None:
    rng = np.random.default_rng(8)
    for dtype in ("float32", "float16", "bfloat16", "int8", "bool"):
        condition, x, y = (numbers(kind, 300, rng) for kind in ("bool", dtype, dtype))
        found = evaluate((("select", 0, 1, 2),), [condition, x, y], ["bool", dtype, dtype], target)
        assert_same(found, np.where(condition, x, y))
    x = rng.standard_normal(300).astype(np.float16)
    steps = (("constant", "float16", 0.1), ("mul", 0, 1), ("add", 2, 0))
    found = evaluate(steps, [x], ["float16"], target)
    assert_same(found, x * np.float16(0.1) + x)


def test_what_is_not_supported_says_so() -> None:
    assert not primitives.supports("div", "int32")
    assert not primitives.supports("pow", "float64")
    assert not primitives.supports("lgamma", "float32")
    with pytest.raises(ValueError, match="'div' of int32"):
        primitives.result_dtype(("div", 0, 0), ["int32"])


@pytest.mark.parametrize("name", ["aarch64", "x86-64", "x86-64-v3"])
def test_no_kernel_calls_a_library(name: str) -> None:
    """Linking refuses objects that do."""
    target = target_named(name)
    steps = [
        *((primitive, 0) for primitive in (*ROUGH, "erf", "floor", "rint", "rsqrt")),
        *(("pow", 0, 0), ("floordiv", 0, 0), ("maximum", 0, 0), ("cast", "float16", 0)),
        *(("cast", dtype, 0) for dtype in ("bfloat16", "int64", "uint64", "uint32", "int8")),
    ]
    for dtype in ("float16", "float32"):
        for step in steps:
            result = primitives.result_dtype(step, [dtype])
            spec = Elementwise(((dtype, "c"),), ((result, "c"),), (step,), (1,))
            link(codegen.compile_object(kernel_spec.emit(spec.text(), target), target))
