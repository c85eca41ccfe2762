"""Column kernels against NumPy: sums, moments and extremes over the middle axis."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.kernel_runner import guarded, guarded_copy, host_levels, kernel_assembly, run_kernel
from compiler.test_elementwise import hot_loop
from compiler.test_primitives import assert_same, numbers, numpy_dtype
from compiler.test_rows import FUNCTIONS
from featherflow.compiler import reducing
from featherflow.compiler.columns import Columns
from featherflow.compiler.elements import DTYPES, FLOATS
from featherflow.compiler.kernel_spec import parse_spec
from featherflow.compiler.target import Target, target_named

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
FULL, INNER, SCALAR = ("float32", "full"), ("float32", "inner"), ("float32", "scalar")
MEAN = Columns((FULL, SCALAR), (INNER,), (("reduce_sum", 0), ("mul", 2, 1)), (3,))
MOMENTS = Columns(
    (FULL, SCALAR),
    (INNER, INNER),
    (
        *(("reduce_sum", 0), ("mul", 2, 1), ("sub", 0, 3), ("square", 4)),
        *(("reduce_sum", 5), ("mul", 6, 1)),
    ),
    (3, 7),
)
#: x, offset → max over middle of exp(x + offset[inner])
SHIFTED = Columns((FULL, INNER), (INNER,), (("add", 0, 1), ("exp", 2), ("reduce_max", 3)), (4,))


def run(spec: Columns, arrays: list[np.ndarray], shape: tuple[int, ...], target: Target) -> None:
    arguments: dict[str, int | np.ndarray] = dict(zip(spec.pointers(), arrays))
    arguments |= dict(zip(("outer", "middle", "inner"), shape))
    for name, array in zip(spec.pointers(), arrays):
        if f"stride_{name}_0" in spec.fields:
            arguments |= {f"stride_{name}_0": array.strides[0]}
            arguments |= {f"stride_{name}_1": array.strides[1]}
        elif f"stride_{name}" in spec.fields:
            arguments[f"stride_{name}"] = array.strides[0]
    run_kernel(spec, arguments, target)


def random_block(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).standard_normal(shape)
    return guarded_copy(drawn.astype(np.float32), misalign=1)


SHAPES = [(1, 1, 1), (2, 49, 64), (3, 5, 17), (1, 100, 131), (2, 33, 15), (2, 64, 200), (1, 31, 3)]


@LEVELS
@pytest.mark.parametrize("shape", SHAPES)
def test_mean_and_moments(target: Target, shape: tuple[int, int, int]) -> None:
    x = random_block(shape)
    scale = guarded_copy(np.array([1 / shape[1]], np.float32))
    outer, _, inner = shape
    mean, variance = guarded((outer, inner), np.float32), guarded((outer, inner), np.float32)
    run(MEAN, [x, scale, mean], shape, target)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean, wide.mean(1), 1e-5, 1e-6)
    mean[...] = 0
    run(MOMENTS, [x, scale, mean, variance], shape, target)
    np.testing.assert_allclose(mean, wide.mean(1), 1e-5, 1e-6)
    np.testing.assert_allclose(variance, wide.var(1), 1e-5, 1e-9)


@LEVELS
def test_strides_and_parts_of_inner(target: Target) -> None:
    """A thread's part of inner: moved pointers, and outputs that lie apart."""
    whole = random_block((2, 14, 80))
    x = whole[:, ::2, 16:51]
    out = guarded((2, 80), np.float32)
    out[...] = 7
    offset = random_block((35,), 1)
    run(SHIFTED, [x, offset, out[:, 16:51]], x.shape, target)
    expected = np.exp(x.astype(np.float64) + offset).max(1)
    np.testing.assert_allclose(out[:, 16:51], expected, 1e-5)
    assert (out[:, :16] == 7).all() and (out[:, 51:] == 7).all()


@LEVELS
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_reduction_of_each_dtype(target: Target, name: str) -> None:
    for dtype in (dtype for dtype in DTYPES if reducing.supports(name, dtype)):
        spec = Columns(((dtype, "full"),), ((dtype, "inner"),), ((name, 0),), (1,))
        assert parse_spec(spec.text()) == spec
        for shape in ((2, 3, 5), (1, 40, 70)):
            rng = np.random.default_rng(shape[1])
            x = guarded_copy(numbers(dtype, int(np.prod(shape)), rng).reshape(shape))
            if dtype in FLOATS:
                x[...] = 1 if name == "reduce_prod" else rng.integers(-3, 4, shape)
            y = guarded((shape[0], shape[2]), numpy_dtype(dtype))
            run(spec, [x, y], shape, target)
            plain = np.asarray(x)
            wide = plain.astype(np.float32) if dtype in FLOATS else plain
            assert_same(y, FUNCTIONS[name](wide, axis=1).astype(x.dtype), f"{name} of {dtype}")


@LEVELS
def test_empty_sizes(target: Target) -> None:
    scale = guarded_copy(np.ones(1, np.float32))
    out = guarded((2, 20), np.float32)
    run(MEAN, [random_block((2, 0, 20)), scale, out], (2, 0, 20), target)
    assert (out == 0).all()
    out[...] = 5
    run(MEAN, [random_block((0, 3, 20)), scale, out], (0, 3, 20), target)
    run(MEAN, [random_block((2, 3, 0)), scale, out], (2, 3, 0), target)
    assert (out == 5).all()


@LEVELS
def test_long_sums_are_exact_enough(target: Target) -> None:
    x = guarded_copy(np.random.default_rng(0).random((1, 200_000, 3), np.float32))
    scale, mean = guarded_copy(np.array([1 / 200_000], np.float32)), guarded((1, 3), np.float32)
    run(MEAN, [x, scale, mean], x.shape, target)
    np.testing.assert_allclose(mean, x.astype(np.float64).mean(1), 2e-6)


def test_hot_loops_keep_vectors_in_registers() -> None:
    loop = hot_loop(kernel_assembly(MEAN, target_named("x86-64-v4")))
    assert any("zmm" in line for line in loop), "the loop was not found"
    assert not [line for line in loop if "zmm" in line and "rsp" in line]
