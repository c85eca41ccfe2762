"""Properties of every op that has a row in `cases/`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from featherflow.framework.dtypes import as_dtype
from featherflow.framework.errors import OpError
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph import Graph
from featherflow.graph.importer import import_graph_def
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.gradients import gradients
from featherflow.ops.placeholder_ops import placeholder
from featherflow.runtime.session import Session

from .op_case import Argument, Input, OpCase, load_cases, widened

CASES = load_cases()
ROWS = {case.key: case for case in CASES}


def per_dtype() -> list[Any]:
    return [
        pytest.param(case, dtype, id=f"{case.key}-{dtype}")
        for case in CASES
        for dtype in case.dtypes
    ]


def per_case(choose: Callable[[OpCase], bool] = lambda case: True) -> list[Any]:
    return [pytest.param(case, id=case.key) for case in CASES if choose(case)]


class Built:
    """A row's node in a graph of its own, its inputs placeholders of given static shapes."""

    def __init__(
        self,
        case: OpCase,
        dtype: str,
        shape_of: Callable[[tuple[int, ...]], Any] = lambda dims: dims,
    ) -> None:
        self.graph = Graph()
        self.feeds: dict[Tensor, np.ndarray] = {}
        with self.graph.as_default():
            arguments = [
                self._tensors(argument, value, shape_of)
                for argument, value in zip(case.arguments, case.sample(dtype))
            ]
            result = case.op(*arguments, **case.all_attrs(dtype))
        self.outputs = _outputs(result)

    def _tensors(
        self, argument: Argument, value: Any, shape_of: Callable[[tuple[int, ...]], Any]
    ) -> Any:
        if isinstance(value, list):
            return [self._tensors(*pair, shape_of) for pair in zip(argument, value)]
        shape = shape_of(value.shape)
        is_given = not isinstance(argument, Input) and value.dtype.kind in "iu"
        if is_given and shape == value.shape:
            return constant(value)  # axes and shapes are known where static shapes are
        tensor = placeholder(as_dtype(value.dtype), shape)
        self.feeds[tensor] = value
        return tensor

    def run(
        self,
        tensors: Any = None,
        feeds: dict[Tensor, np.ndarray] | None = None,
        as_arrays: bool = False,
    ) -> Any:
        with Session(graph=self.graph) as session:
            values = session.run(self.outputs if tensors is None else tensors, feeds or self.feeds)
        return [as_array(value) for value in values] if as_arrays else values


def as_array(value: Any) -> np.ndarray:
    """What a fetch gave as an array; NumPy's own strings would lose zeros at the end."""
    return np.asarray(value, dtype=object if isinstance(value, bytes) else None)


def _outputs(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, Operation):
        return []
    return [tensor for item in result for tensor in _outputs(item)]


def expected_outputs(case: OpCase, dtype: str) -> list[np.ndarray]:
    arrays = []
    for value in case.sample(dtype):
        arrays.extend(value if isinstance(value, list) else [value])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy's means of nothing
        result = case.reference(*[widened(array) for array in arrays])
    return [np.asarray(item) for item in (result if isinstance(result, tuple) else (result,))]


def assert_close(actual: Any, expected: np.ndarray, tolerance: float) -> None:
    actual = widened(as_array(actual))
    assert actual.shape == expected.shape
    if not tolerance:
        np.testing.assert_array_equal(actual, expected)
        return
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(np.mean(finite)) if finite.size else 0.0
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale)


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "dtype"), per_dtype())
def test_forward(case: OpCase, dtype: str) -> None:
    built = Built(case, dtype)
    expected = expected_outputs(case, dtype)
    actual = built.run()
    assert len(actual) == len(expected)
    for tensor, value, wanted in zip(built.outputs, actual, expected):
        name = tensor.dtype.base_dtype.name
        assert as_dtype(np.asarray(value).dtype) is tensor.dtype.base_dtype
        assert_close(value, wanted, case.tolerance(name))


def has_plain_kernel(case: OpCase) -> bool:
    return not any(kernel.is_class or kernel.wants_context for kernel in case.op.kernels)


@pytest.mark.parametrize("case", per_case(has_plain_kernel))
def test_kernels_return_arrays(case: OpCase) -> None:
    """Host values are C-ordered ndarrays, of rank 0 too."""
    built = Built(case, case.dtypes[0])
    operation = built.outputs[0].op
    kernel = case.op.kernels.find("CPU", operation.attrs)
    assert kernel is not None
    with np.errstate(all="ignore"):
        result = kernel.bind(operation.attrs)(*built.run(list(operation.inputs), as_arrays=True))
    for value in result if isinstance(result, (list, tuple)) else [result]:
        assert type(value) is np.ndarray
        assert value.flags.c_contiguous


@pytest.mark.parametrize("case", per_case(lambda case: case.emptied() is not None))
def test_empty_input(case: OpCase) -> None:
    emptied = case.emptied()
    assert emptied is not None
    test_forward(emptied, case.dtypes[0])


@pytest.mark.parametrize("case", per_case())
def test_graph_def_round_trip(case: OpCase) -> None:
    """A node that is written to a GraphDef and read again has the same contract and values."""
    built = Built(case, case.dtypes[0])
    names = [tensor.name for tensor in built.outputs]
    feeds = {tensor.name: value for tensor, value in built.feeds.items()}
    graph = Graph()
    with graph.as_default():
        import_graph_def(built.graph.as_graph_def(), name="")
    for tensor, name in zip(built.outputs, names):
        imported = graph.get_tensor_by_name(name)
        assert imported.shape == tensor.shape
        assert imported.op.attrs.keys() == tensor.op.attrs.keys()
    if case.op.stateful or not names:
        return
    with Session(graph=graph) as session:
        values = session.run(names, feeds)
    for value, expected in zip(values, built.run()):
        np.testing.assert_array_equal(np.asarray(value), np.asarray(expected))


# --- static shapes --------------------------------------------------------------------------------


def static_shape_is_sound(tensor: Tensor, value: Any) -> bool:
    return tensor.shape.is_compatible_with(TensorShape(np.asarray(value).shape))


@pytest.mark.parametrize("case", per_case(lambda case: not case.needs_shapes))
def test_static_shapes_are_sound(case: OpCase) -> None:
    """Whatever is known of the inputs' shapes, what is inferred of the outputs' is true."""
    dtype = case.dtypes[0]
    expected = Built(case, dtype).run()
    ways: list[Callable[[tuple[int, ...]], Any]] = [
        lambda dims: dims,
        lambda dims: [None] * len(dims),
        lambda dims: [None, *dims[1:]] if dims else dims,
        lambda dims: [*dims[:-1], None] if dims else dims,
        lambda dims: None,
    ]
    for way in ways:
        built = Built(case, dtype, way)
        actual = built.run()
        for tensor, value, wanted in zip(built.outputs, actual, expected):
            assert static_shape_is_sound(tensor, value), (tensor.shape, np.shape(value))
            assert np.shape(value) == np.shape(wanted)


# --- derivatives ----------------------------------------------------------------------------------


def is_differentiated(case: OpCase) -> bool:
    wide = {"float64", "complex128"} & set(case.dtypes)
    return case.differentiable and case.op.gradient_fn is not None and bool(wide)


def is_differentiated_twice(case: OpCase) -> bool:
    return is_differentiated(case) and case.twice


def differentiable_feeds(built: Built) -> list[Tensor]:
    return [x for x in built.feeds if x.dtype.is_floating or x.dtype.is_complex]


def random_like(value: np.ndarray, random: np.random.Generator) -> np.ndarray:
    result = random.uniform(-1, 1, value.shape)
    if value.dtype.kind == "c":
        result = result + 1j * random.uniform(-1, 1, value.shape)
    return np.asarray(result).astype(value.dtype)


def weighed(
    outputs: list[Tensor], random: np.random.Generator, values: list[Any]
) -> dict[Tensor, np.ndarray]:
    """Random weights for the outputs that have derivatives."""
    return {
        output: random_like(np.asarray(value), random)
        for output, value in zip(outputs, values)
        if output.dtype.is_floating or output.dtype.is_complex
    }


def dense(grads: list[Any]) -> list[Tensor | None]:
    """Gradients that are IndexedSlices as the tensors that they stand for."""
    return [None if grad is None else convert_to_tensor(grad) for grad in grads]


def check_derivatives(
    built: Built, outputs: list[Tensor], xs: list[Tensor], tolerance: float
) -> None:
    """Directional derivatives of Re Σ w̄ · outputs along random directions, against differences."""
    random = np.random.default_rng(7)
    weights = weighed(outputs, random, built.run(outputs))
    with built.graph.as_default():
        grads = dense(gradients(list(weights), xs, [constant(w) for w in weights.values()]))
    for x, grad in zip(xs, grads):
        assert grad is None or grad.shape.is_compatible_with(x.shape)
    values = built.run([grad for grad in grads if grad is not None])
    found = iter(values)
    for x, grad in zip(xs, grads):
        value = next(found) if grad is not None else np.zeros_like(built.feeds[x])
        assert np.shape(value) == built.feeds[x].shape
        direction = random_like(built.feeds[x], random)
        analytic = np.sum(np.conj(value) * direction).real
        numeric = directional_difference(built, weights, x, direction)
        scale = np.sum(np.abs(value) * np.abs(direction)) + 1.0
        assert abs(analytic - numeric) <= tolerance * scale, (x.name, analytic, numeric)


def directional_difference(
    built: Built, weights: dict[Tensor, np.ndarray], x: Tensor, direction: np.ndarray
) -> float:
    step = 1e-5
    losses = []
    for sign in (1, -1):
        moved = {**built.feeds, x: built.feeds[x] + sign * step * direction}
        outputs = built.run(list(weights), moved)
        losses.append(
            sum(np.sum(np.conj(w) * value).real for w, value in zip(weights.values(), outputs))
        )
    return float(losses[0] - losses[1]) / (2 * step)


@pytest.mark.parametrize("case", per_case(is_differentiated))
@pytest.mark.parametrize("static", [True, False], ids=["static", "dynamic"])
def test_gradient(case: OpCase, static: bool) -> None:
    """The gradient is what finite differences say, with known and with unknown static shapes."""
    if not static and case.needs_shapes:
        return
    for dtype in ("float64", "complex128"):
        if dtype in case.dtypes:
            built = Built(case, dtype, (lambda dims: dims) if static else (lambda dims: None))
            check_derivatives(built, built.outputs, differentiable_feeds(built), 1e-7)


@pytest.mark.parametrize("case", per_case(is_differentiated_twice))
def test_second_gradient(case: OpCase) -> None:
    """The gradient's own gradient is what finite differences of the gradient say."""
    for dtype in ("float64", "complex128"):
        if dtype not in case.dtypes:
            continue
        built = Built(case, dtype)
        xs = differentiable_feeds(built)
        random = np.random.default_rng(3)
        weights = weighed(built.outputs, random, built.run())
        with built.graph.as_default():
            # Weights are fed, so that derivatives along them are tested too.
            fed = {placeholder(w.dtype, w.shape): w for w in weights.values()}
            grads = dense(gradients(list(weights), xs, list(fed)))
        built.feeds.update(fed)
        check_derivatives(built, [grad for grad in grads if grad is not None], [*xs, *fed], 1e-6)


# --- the rows themselves --------------------------------------------------------------------------


def test_rows_are_told_apart() -> None:
    keys = [case.key for case in CASES]
    assert len(set(keys)) == len(keys), "rows of one op need labels"


def test_forward_finds_wrong_values() -> None:
    case = ROWS["Mul"]
    wrong = OpCase(case.op, case.arguments, lambda x, y: x * y + 1e-3, ("float64",))
    with pytest.raises(AssertionError):
        test_forward(wrong, "float64")


def test_gradient_finds_wrong_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    case = ROWS["Square"]
    monkeypatch.setattr(case.op, "gradient_fn", lambda op, grad: grad)
    with pytest.raises(AssertionError):
        test_gradient(case, True)


def test_errors_of_kernels_name_the_node() -> None:
    case = ROWS["FloorDiv-integers"]
    built = Built(case, "int32")
    zeros = {tensor: np.zeros_like(value) for tensor, value in built.feeds.items()}
    with pytest.raises(OpError, match="FloorDiv"):
        built.run(feeds=zeros)
