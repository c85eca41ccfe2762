"""Bodies drawn at random, elementwise and by rows, against NumPy, on each CPU level."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.kernel_runner import guarded, guarded_copy, host_levels, run_kernel
from compiler.test_primitives import BINARY, UNARY, assert_same, numpy_dtype, reference
from featherflow.compiler import primitives, reducing
from featherflow.compiler.elements import FLOATS
from featherflow.compiler.elementwise import Elementwise
from featherflow.compiler.rows import Rows
from featherflow.compiler.target import Target

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
DTYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "uint16", "bool")
#: Division is left out: it makes a difference of the sign of a zero, which `maximum` may choose.
NAMES = (
    *("add", "sub", "mul", "maximum", "minimum", "less", "equal", "logical_and", "bitwise_xor"),
    *("squared_difference", "neg", "abs", "square", "sign", "floor", "rint", "relu", "logical_not"),
    *("select", "cast", "constant"),
)
REDUCING = ("reduce_max", "reduce_min", "reduce_any", "reduce_all", "reduce_sum")
Drawn = tuple[tuple, list[str], list[np.ndarray]]


def draw_step(rng: np.random.Generator, dtypes: list[str], names: tuple[str, ...]) -> tuple:
    """One step that takes what there is; a cast if nothing else fits."""
    for _ in range(20):
        name = str(rng.choice(names))
        if name == "constant":
            dtype = str(rng.choice(DTYPES))
            return (name, dtype, bool(rng.integers(2)) if dtype == "bool" else int(rng.integers(7)))
        number = int(rng.integers(len(dtypes)))
        same = [n for n, dtype in enumerate(dtypes) if dtype == dtypes[number]]
        if name == "select" and "bool" in dtypes:
            return (name, dtypes.index("bool"), number, int(rng.choice(same)))
        is_known = name in UNARY or name in BINARY or name in REDUCING
        if is_known and reducing.supports(name, dtypes[number]):
            return (name, number, *([int(rng.choice(same))] if name in BINARY else []))
    return ("cast", str(rng.choice(DTYPES[:4])), int(rng.integers(len(dtypes))))


def value_of(
    step: tuple, values: list[np.ndarray], dtypes: list[str], columns: int = 1
) -> np.ndarray:
    """A step by NumPy; reductions run along the last axis, of fixed values too."""
    name = step[0]
    if name == "constant":
        return np.array([[step[2]]]).astype(numpy_dtype(step[1]))
    if name == "cast":
        return values[step[2]].astype(numpy_dtype(step[1]))
    given = [values[number] for number in step[1:]]
    if name == "select":
        return np.where(*given)
    dtype = dtypes[step[-1]]
    if name in reducing.REDUCTIONS:
        function = {
            **{"reduce_max": np.max, "reduce_min": np.min, "reduce_sum": np.sum},
            **{"reduce_any": np.any, "reduce_all": np.all},
        }[name]
        row = np.broadcast_to(given[0], (given[0].shape[0], columns))
        return function(row, axis=-1, keepdims=True).astype(numpy_dtype(dtype))
    return reference({**BINARY, **UNARY}[name], dtype, given)


def draw_inputs(rng: np.random.Generator, shapes: list[tuple[int, int]]) -> tuple[list, list]:
    dtypes = [str(rng.choice(DTYPES)) for _ in shapes]
    arrays = [
        guarded_copy(
            rng.integers(0, 2 if dtype == "bool" else 6, shape).astype(numpy_dtype(dtype)),
            misalign=int(rng.integers(3)),
        )
        for dtype, shape in zip(dtypes, shapes)
    ]
    return dtypes, arrays


def draws(config: pytest.Config) -> int:
    return 500 if config.getoption("--all") else 10


@LEVELS
def test_elementwise_bodies(target: Target, pytestconfig: pytest.Config) -> None:
    rng = np.random.default_rng(len(target.name) + target.vector_bits)
    for _ in range(draws(pytestconfig)):
        size = int(rng.integers(0, 150))
        dtypes, arrays = draw_inputs(rng, [(1, size)] * int(rng.integers(1, 4)))
        inputs, values, steps = tuple((d, "c") for d in dtypes), list(arrays), ()
        for _ in range(int(rng.integers(1, 9))):
            step = draw_step(rng, dtypes, NAMES)
            values.append(value_of(step, values, dtypes))
            dtypes.append(primitives.result_dtype(step, dtypes))
            steps = (*steps, step)
        results = tuple(int(n) for n in rng.integers(len(dtypes), size=int(rng.integers(1, 3))))
        outputs = tuple((dtypes[number], "c") for number in results)
        spec = Elementwise(inputs, outputs, steps, results)
        found = [guarded((1, size), numpy_dtype(dtype)) for dtype, _ in outputs]
        run_kernel(spec, {**dict(zip(spec.pointers(), [*arrays, *found])), "n0": size}, target)
        for array, number in zip(found, results):
            assert_same(array, np.broadcast_to(values[number], array.shape), spec.text())


KIND_SHAPES = {"full": (3, -1), "row": (1, -1), "column": (3, 1), "scalar": (1, 1)}


@LEVELS
def test_bodies_of_rows(target: Target, pytestconfig: pytest.Config) -> None:
    rng = np.random.default_rng(len(target.name) + target.vector_bits)
    for _ in range(draws(pytestconfig)):
        columns = int(rng.integers(1, 150))
        kinds = ["full", *(str(k) for k in rng.choice(list(KIND_SHAPES), rng.integers(0, 3)))]
        shapes = [tuple(columns if n < 0 else n for n in KIND_SHAPES[kind]) for kind in kinds]
        dtypes, arrays = draw_inputs(rng, shapes)
        inputs, values, steps = tuple(zip(dtypes, kinds)), list(arrays), ()
        for _ in range(int(rng.integers(2, 9))):
            step = draw_step(rng, dtypes, (*NAMES, *REDUCING, *REDUCING))
            if step[0] == "reduce_sum" and dtypes[step[1]] in FLOATS:
                step = ("reduce_max", step[1])
            values.append(value_of(step, values, dtypes, columns))
            dtypes.append(reducing.value_dtypes((step,), dtypes)[-1])
            steps = (*steps, step)
        check_rows(inputs, steps, dtypes, values, columns, rng, target)


def check_rows(inputs, steps, dtypes, values, columns, rng, target) -> None:
    """Stores two drawn values: one as rows, one as a column if it is fixed along rows."""
    is_moving = [kind in ("full", "row") for _, kind in inputs]
    plan = Rows(inputs, (), steps, ()).plan
    assert plan.is_moving[: len(is_moving)] == is_moving
    results, outputs = (), ()
    for number in (int(n) for n in rng.integers(len(dtypes), size=2)):
        results = (*results, number)
        outputs = (*outputs, (dtypes[number], "full" if plan.is_moving[number] else "column"))
    spec = Rows(inputs, outputs, steps, results)
    found = [
        guarded((3, columns) if kind == "full" else (3, 1), numpy_dtype(dtype))
        for dtype, kind in outputs
    ]
    arrays = [*values[: len(inputs)], *found]
    arguments = {**dict(zip(spec.pointers(), arrays)), "rows": 3, "columns": columns}
    for name, array in zip(spec.pointers(), arrays):
        if f"stride_{name}" in spec.fields:
            arguments[f"stride_{name}"] = array.strides[0]
    if spec.scratch_rows:
        arguments["scratch"] = guarded((spec.scratch_rows, columns), np.float32)
    run_kernel(spec, arguments, target)
    for array, number in zip(found, results):
        assert_same(array, np.broadcast_to(values[number], array.shape), spec.text())
