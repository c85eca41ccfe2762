"""Row kernels against NumPy: softmax, normalisation, every reduction, ragged and empty rows."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.kernel_runner import guarded, guarded_copy, host_levels, kernel_assembly, run_kernel
from compiler.test_elementwise import hot_loop
from compiler.test_primitives import assert_same, numbers, numpy_dtype
from featherflow.compiler import reducing
from featherflow.compiler.elements import DTYPES, FLOATS
from featherflow.compiler.kernel_spec import parse_spec
from featherflow.compiler.rows import Rows
from featherflow.compiler.target import Target, target_named

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
COLUMNS = [1, 2, 5, 15, 16, 17, 64, 131, 1000]
FULL = (("float32", "full"),)

SOFTMAX = Rows(
    FULL,
    FULL,
    (("reduce_max", 0), ("sub", 0, 1), ("exp", 2), ("reduce_sum", 3), ("div", 3, 4)),
    (5,),
)
LOG_SOFTMAX = Rows(
    FULL,
    FULL,
    (("reduce_max", 0), ("sub", 0, 1), ("exp", 2), ("reduce_sum", 3), ("log", 4), ("sub", 2, 5)),
    (6,),
)
# x, gamma, beta, 1/columns → (x − mean) · rsqrt(variance + ε) · gamma + beta, mean, variance
LAYER_NORM = Rows(
    (("float32", "full"), ("float32", "row"), ("float32", "row"), ("float32", "scalar")),
    (("float32", "full"), ("float32", "column"), ("float32", "column")),
    (
        *(("reduce_sum", 0), ("mul", 4, 3), ("sub", 0, 5), ("square", 6), ("reduce_sum", 7)),
        *(("mul", 8, 3), ("constant", "float32", 1e-3), ("add", 9, 10), ("rsqrt", 11)),
        *(("mul", 6, 12), ("mul", 13, 1), ("add", 14, 2)),
    ),
    (15, 5, 9),
)


def run(spec: Rows, arrays: list[np.ndarray], shape: tuple[int, int], target: Target) -> None:
    arguments: dict[str, int | np.ndarray] = dict(zip(spec.pointers(), arrays))
    if spec.scratch_rows:
        arguments["scratch"] = guarded((spec.scratch_rows, shape[1]), np.float32)
    arguments |= {"rows": shape[0], "columns": shape[1]}
    for name, array in zip(spec.pointers(), arrays):
        if f"stride_{name}" in spec.fields:
            arguments[f"stride_{name}"] = array.strides[0]
    run_kernel(spec, arguments, target)


def random_rows(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed).standard_normal(shape) * 4
    return guarded_copy(numbers.astype(np.float32), misalign=1)


def softmax(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@LEVELS
@pytest.mark.parametrize("columns", COLUMNS)
def test_softmax(target: Target, columns: int) -> None:
    x = random_rows((5, columns))
    y = guarded((5, columns), np.float32)
    run(SOFTMAX, [x, y], (5, columns), target)
    np.testing.assert_allclose(y, softmax(x), 3e-6, 1e-45)
    z = guarded((5, columns), np.float32)
    run(LOG_SOFTMAX, [x, z], (5, columns), target)
    np.testing.assert_allclose(z, np.log(softmax(x)), 3e-6, 3e-6)


@LEVELS
def test_in_place(target: Target) -> None:
    for spec, function in ((SOFTMAX, softmax), (LOG_SOFTMAX, lambda x: np.log(softmax(x)))):
        x = random_rows((3, 77))
        expected = function(x)
        run(spec, [x, x], (3, 77), target)
        np.testing.assert_allclose(x, expected, 3e-6, 3e-6)


@LEVELS
def test_rows_apart(target: Target) -> None:
    full = random_rows((4, 50))
    wide = guarded((4, 60), np.float32)
    wide[...] = 7
    run(SOFTMAX, [full[:, :33], wide[:, :33]], (4, 33), target)
    np.testing.assert_allclose(wide[:, :33], softmax(full[:, :33]), 3e-6)
    assert (wide[:, 33:] == 7).all()


@LEVELS
def test_softmax_of_infinities_and_nan(target: Target) -> None:
    x = random_rows((4, 40))
    x[0, 3], x[1, 39], x[2, 5] = np.nan, np.inf, -np.inf
    y = guarded((4, 40), np.float32)
    run(SOFTMAX, [x, y], (4, 40), target)
    assert np.isnan(y[:2]).all() or np.isnan(y[1, 39])
    assert np.isnan(y[0]).all()
    assert y[2, 5] == 0
    np.testing.assert_allclose(y[2:], softmax(x[2:]), 3e-6)


@LEVELS
@pytest.mark.parametrize("columns", COLUMNS)
def test_layer_norm(target: Target, columns: int) -> None:
    x, gamma, beta = (
        random_rows((3, columns)),
        random_rows((1, columns), 1),
        random_rows((1, columns), 2),
    )
    y, mean, variance = (
        guarded((3, columns), np.float32),
        guarded(3, np.float32),
        guarded(3, np.float32),
    )
    scale = guarded_copy(np.array([1 / columns], np.float32))
    run(LAYER_NORM, [x, gamma, beta, scale, y, mean, variance], (3, columns), target)
    wide = x.astype(np.float64)
    m, v = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
    np.testing.assert_allclose(mean, m[:, 0], 1e-5, 1e-6)
    np.testing.assert_allclose(variance, v[:, 0], 1e-5, 1e-9)
    np.testing.assert_allclose(y, (wide - m) / np.sqrt(v + 1e-3) * gamma + beta, 1e-4, 1e-4)


FUNCTIONS = {
    **{"reduce_sum": np.sum, "reduce_prod": np.prod, "reduce_max": np.max, "reduce_min": np.min},
    **{"reduce_any": np.any, "reduce_all": np.all},
}


@LEVELS
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_reduction_of_each_dtype(target: Target, name: str) -> None:
    for dtype in (dtype for dtype in DTYPES if reducing.supports(name, dtype)):
        spec = Rows(((dtype, "full"),), ((dtype, "column"),), ((name, 0),), (1,))
        assert parse_spec(spec.text()) == spec
        for columns in (0, 1, 3, 70, 1201):
            rng = np.random.default_rng(columns)
            x = guarded_copy(numbers(dtype, 3 * columns, rng).reshape(3, columns))
            if dtype in FLOATS:
                x[...] = rng.integers(-3, 4, x.shape) if name == "reduce_sum" else 1
                if name in ("reduce_max", "reduce_min"):
                    x[...] = rng.integers(-99, 99, x.shape)
            y = guarded(3, numpy_dtype(dtype))
            run(spec, [x, y], (3, columns), target)
            assert_same(y, expected_reduction(name, np.asarray(x)), f"{name} {dtype} {columns}")


def expected_reduction(name: str, x: np.ndarray) -> np.ndarray:
    if x.shape[1] == 0 and name in ("reduce_max", "reduce_min"):
        sign = -1 if name == "reduce_max" else 1
        if x.dtype.kind in "iu":
            limits = np.iinfo(x.dtype)
            return np.full(3, limits.min if sign < 0 else limits.max, x.dtype)
        return np.full(3, sign * np.inf).astype(x.dtype)
    if x.dtype.kind in "iub":
        wrapped = FUNCTIONS[name](x, axis=1)
        return wrapped.astype(x.dtype)
    return FUNCTIONS[name](x.astype(np.float32), axis=1).astype(x.dtype)


@LEVELS
def test_maximum_with_nan(target: Target) -> None:
    spec = Rows(FULL, (("float32", "column"),), (("reduce_max", 0),), (1,))
    for place in (0, 15, 16, 63, 64, 99):
        x = random_rows((2, 100))
        x[1, place] = np.nan
        y = guarded(2, np.float32)
        run(spec, [x, y], (2, 100), target)
        assert y[0] == x[0].max()
        assert np.isnan(y[1])


@LEVELS
def test_long_sums_are_as_exact_as_pairwise(target: Target) -> None:
    spec = Rows(FULL, (("float32", "column"),), (("reduce_sum", 0),), (1,))
    x = guarded_copy(np.random.default_rng(0).random((1, 1_000_003), np.float32))
    y = guarded(1, np.float32)
    run(spec, [x, y], x.shape, target)
    exact = x.astype(np.float64).sum()
    assert abs(y[0] - exact) / exact < 4e-7


@LEVELS
def test_column_inputs_and_dear_values_in_scratch(target: Target) -> None:
    """exp x is used in two passes, and x is read in the last: it is kept in scratch."""
    steps = (("exp", 0), ("reduce_sum", 2), ("div", 2, 3), ("add", 4, 0), ("mul", 5, 1))
    spec = Rows((("float32", "full"), ("float32", "column")), FULL, steps, (6,))
    assert spec.scratch_rows == 1
    assert SOFTMAX.scratch_rows == 0
    for columns in (3, 50, 200):
        x, column = random_rows((4, columns)), random_rows((4, 1), 3)
        expected = np.exp(x.astype(np.float64))
        expected = (expected / expected.sum(1, keepdims=True) + x) * column
        run(spec, [x, column.reshape(4), x], (4, columns), target)
        np.testing.assert_allclose(x, expected, 1e-5, 1e-5)


@LEVELS
@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_softmax_of_other_floats(target: Target, dtype: str) -> None:
    kind = numpy_dtype(dtype)
    operands = ((dtype, "full"),)
    steps = (("cast", "float32", 0), ("reduce_max", 1), ("sub", 1, 2), ("exp", 3))
    steps = (*steps, ("reduce_sum", 4), ("div", 4, 5), ("cast", dtype, 6))
    spec = Rows(operands, operands, steps, (7,))
    x = guarded_copy(random_rows((3, 45)).astype(kind))
    y = guarded((3, 45), kind)
    run(spec, [x, y], (3, 45), target)
    tolerance = 1e-5 if dtype == "float64" else 8e-3
    np.testing.assert_allclose(y.astype(np.float64), softmax(x), tolerance, 1e-4)


def test_no_rows_touch_nothing() -> None:
    y = guarded((2, 9), np.float32)
    before = y.tobytes()
    run(SOFTMAX, [random_rows((2, 9)), y], (0, 9), host_levels()[-1])
    assert y.tobytes() == before


@pytest.mark.parametrize("spec", [SOFTMAX, LAYER_NORM], ids=["softmax", "layer_norm"])
def test_hot_loops_keep_vectors_in_registers(spec: Rows) -> None:
    loop = hot_loop(kernel_assembly(spec, target_named("x86-64-v4")))
    assert any("zmm" in line for line in loop), "the loop was not found"
    assert not [line for line in loop if "zmm" in line and "rsp" in line]
