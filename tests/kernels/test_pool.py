"""Maximum and average pooling against loops over windows, and against TensorFlow."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from differential.inputs import integers, normal
from differential.kernel_cases import KernelCase
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import pool
from featherflow.kernels.windows import output_sizes

from .recorded import assert_recorded, cases_of, pooling


@st.composite
def poolings(draw: st.DrawFn) -> tuple:
    """A shape, and window, strides and pads (narrower than the window) of every dimension."""
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(st.integers(1, 6)) for _ in range(rank))
    window = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    strides = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    pads = tuple(
        (draw(st.integers(0, taps - 1)), draw(st.integers(0, taps - 1))) for taps in window
    )
    try:
        outputs = output_sizes(shape, window, strides, (1,) * rank, pads)
    except InvalidArgumentError:
        outputs = (0,)
    assume(all(outputs))
    # No window lies wholly in padding behind the input.
    assume(all((o - 1) * s - p[0] < n for o, s, p, n in zip(outputs, strides, pads, shape)))
    return shape, window, strides, pads


def naive_pool(array: np.ndarray, reduce: Callable, window: tuple, strides: tuple, pads: tuple):
    """Reduces the part of each window that lies on the array."""
    outputs = output_sizes(array.shape, window, strides, (1,) * array.ndim, pads)
    pooled = np.zeros(outputs, array.dtype)
    for place in np.ndindex(*outputs):
        starts = [o * s - before for o, s, (before, _) in zip(place, strides, pads)]
        part = tuple(slice(max(start, 0), start + taps) for start, taps in zip(starts, window))
        pooled[place] = reduce(array[part])
    return pooled


@settings(max_examples=100, deadline=None)
@given(poolings())
def test_pools_match_loops(geometry: tuple) -> None:
    shape, *rest = geometry
    array = normal(*shape, dtype="float64")
    np.testing.assert_array_equal(pool.max_pool(array, *rest), naive_pool(array, np.max, *rest))
    expected = naive_pool(array, np.mean, *rest)
    np.testing.assert_allclose(pool.avg_pool(array, *rest), expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(poolings())
def test_average_gradient_is_the_adjoint(geometry: tuple) -> None:
    shape, *rest = geometry
    array, other = normal(*shape, dtype="float64"), normal(*shape, dtype="float64", seed=1)
    gradient = normal(*pool.avg_pool(array, *rest).shape, dtype="float64", seed=2)
    to_input = pool.avg_pool_gradient(shape, gradient, *rest)
    assert to_input.shape == shape
    changed = np.vdot(gradient, pool.avg_pool(other, *rest))
    np.testing.assert_allclose(np.vdot(to_input, other), changed, atol=1e-12)


@cases_of("MaxPool")
def test_max_as_tensorflow(case: KernelCase) -> None:
    input = case.inputs["input"]
    assert_recorded(case, [pool.max_pool(input, *pooling(case, input.shape))])


@cases_of("AvgPool", "AvgPool3D")
def test_average_as_tensorflow(case: KernelCase) -> None:
    (value,) = case.inputs.values()
    assert_recorded(case, [pool.avg_pool(value, *pooling(case, value.shape))])


@cases_of("AvgPoolGrad")
def test_average_gradient_as_tensorflow(case: KernelCase) -> None:
    shape = case.inputs["orig_input_shape"].tolist()
    gradient = pool.avg_pool_gradient(shape, case.inputs["grad"], *pooling(case, shape))
    assert_recorded(case, [gradient])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.float16, ml_dtypes.bfloat16])
def test_windows_in_padding_give_the_lowest_value(dtype: type) -> None:
    array = np.ones((1, 2, 1), dtype)
    pooled = pool.max_pool(array, (1, 2, 1), (1, 1, 1), ((0, 0), (3, 2), (0, 0)))
    assert pooled.dtype == dtype
    low = pool.lowest(np.dtype(dtype))
    assert low == (ml_dtypes.iinfo if np.dtype(dtype).kind in "iu" else ml_dtypes.finfo)(dtype).min
    assert pooled[0, :, 0].tolist() == [low, low, 1, 1, 1, low]


@pytest.mark.parametrize("window", [(1, 3), (1, 4)])
def test_maximum_leaves_nan_out(window: tuple[int, int]) -> None:
    row = np.array([[np.nan, 1, np.nan, -np.inf], [np.nan] * 4], np.float32)
    pooled = pool.max_pool(row, window, (1, 1), ((0, 0), (0, 0)))
    assert (pooled[0] == 1).all()
    assert (pooled[1] == np.finfo(np.float32).min).all()


def test_result_never_shares_the_input() -> None:
    array = np.ones((1, 2, 2, 1), np.float32)
    for kernel in (pool.max_pool, pool.avg_pool):
        output = kernel(array, (1,) * 4, (1,) * 4, ((0, 0),) * 4)
        assert not np.shares_memory(output, array)
        np.testing.assert_array_equal(output, array)


@pytest.mark.parametrize("shape", [(0, 4, 4, 2), (1, 1, 4, 2), (1, 4, 4, 0)])
def test_empty_pools(shape: tuple[int, ...]) -> None:
    array = np.ones(shape, np.float32)
    geometry = (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0),) * 4
    expected = (shape[0], shape[1] // 2, 2, shape[3])
    assert pool.max_pool(array, *geometry).shape == expected
    assert pool.avg_pool(array, *geometry).shape == expected
    gradient = pool.avg_pool_gradient(shape, np.ones(expected, np.float32), *geometry)
    np.testing.assert_array_equal(gradient, np.zeros(shape))


def test_integers_of_any_layout() -> None:
    array = integers(-99, 99, (2, 3, 6, 5))
    pooled = pool.max_pool(array, (1, 1, 2, 2), (1, 1, 2, 2), ((0, 0),) * 4)
    expected = naive_pool(array, np.max, (1, 1, 2, 2), (1, 1, 2, 2), ((0, 0),) * 4)
    np.testing.assert_array_equal(pooled, expected)


def test_gradient_of_wrong_shape() -> None:
    with pytest.raises(InvalidArgumentError, match=r"expected \[3\]"):
        pool.avg_pool_gradient((6,), np.ones(2), (2,), (2,), ((0, 0),))
