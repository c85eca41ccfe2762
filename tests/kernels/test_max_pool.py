"""Positions of maxima against loops over windows, and the gradients made of them."""

from __future__ import annotations

import numpy as np
import pytest
from differential.inputs import integers, normal
from differential.kernel_cases import KernelCase
from hypothesis import given, settings

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import max_pool
from featherflow.kernels.pool import max_pool as plain_max_pool

from .recorded import assert_recorded, cases_of, pooling
from .test_pool import naive_pool, poolings


def with_ties(shape: tuple[int, ...]) -> np.ndarray:
    return integers(-2, 3, shape).astype(np.float64)


def first_of_largest(shape: tuple[int, ...], array: np.ndarray, *geometry: tuple) -> np.ndarray:
    """Numbers the elements so that the largest number is the first of the largest elements."""
    positions = np.arange(array.size).reshape(shape)
    rank = np.empty(array.size, np.int64)
    rank[np.lexsort((-positions.ravel(), array.ravel()))] = np.arange(array.size)
    largest = naive_pool(rank.reshape(shape), np.max, *geometry)
    order = np.empty(array.size, np.int64)
    order[rank] = positions.ravel()
    return order[largest]


@settings(max_examples=100, deadline=None)
@given(poolings())
def test_positions_match_loops(geometry: tuple) -> None:
    shape, *rest = geometry
    array = with_ties(shape)
    maxima, argmax = max_pool.max_pool_with_argmax(array, *rest)
    np.testing.assert_array_equal(maxima, plain_max_pool(array, *rest))
    np.testing.assert_array_equal(argmax, first_of_largest(shape, array, *rest))


@settings(max_examples=60, deadline=None)
@given(poolings())
def test_gradients_scatter_and_gather(geometry: tuple) -> None:
    shape, *rest = geometry
    array = with_ties(shape)
    maxima, argmax = max_pool.max_pool_with_argmax(array, *rest)
    gradient = normal(*maxima.shape, dtype="float64", seed=1)
    expected = np.zeros(array.size)
    for position, value in zip(argmax.ravel(), gradient.ravel()):
        expected[position] += value
    found = max_pool.max_pool_gradient(array, gradient, *rest)
    np.testing.assert_allclose(found, expected.reshape(shape), atol=1e-12)
    found = max_pool.scatter_to_argmax(shape, gradient, argmax, include_batch_in_index=True)
    np.testing.assert_allclose(found, expected.reshape(shape), atol=1e-12)
    second = normal(*shape, dtype="float64", seed=2)
    found = max_pool.max_pool_gradient_gradient(array, maxima, second, *rest)
    np.testing.assert_array_equal(found, second.ravel()[argmax])
    found = max_pool.gather_from_argmax(second, argmax, include_batch_in_index=True)
    np.testing.assert_array_equal(found, second.ravel()[argmax])


@cases_of("MaxPoolWithArgmax")
def test_argmax_as_tensorflow(case: KernelCase) -> None:
    input = case.inputs["input"]
    whole = case.attrs.get("include_batch_in_index", False)
    with np.errstate(invalid="ignore"):
        outputs = max_pool.max_pool_with_argmax(
            input, *pooling(case, input.shape), include_batch_in_index=whole
        )
    assert_recorded(case, outputs)


@cases_of("MaxPoolGrad")
def test_gradient_as_tensorflow(case: KernelCase) -> None:
    input, gradient = case.inputs["orig_input"], case.inputs["grad"]
    geometry = pooling(case, input.shape)
    assert_recorded(case, [max_pool.max_pool_gradient(input, gradient, *geometry)])


@cases_of("MaxPoolGradGrad")
def test_second_gradient_as_tensorflow(case: KernelCase) -> None:
    input, *others = case.inputs.values()
    geometry = pooling(case, input.shape)
    gradient, output = case.inputs["grad"], case.inputs["orig_output"]
    assert len(others) == 2
    found = max_pool.max_pool_gradient_gradient(input, output, gradient, *geometry)
    assert_recorded(case, [found])


@pytest.mark.parametrize("include_batch", (False, True))
def test_positions_within_an_image(include_batch: bool) -> None:
    array = normal(3, 4, 4, 2)
    geometry = (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0),) * 4
    maxima, argmax = max_pool.max_pool_with_argmax(
        array, *geometry, include_batch_in_index=include_batch
    )
    assert (argmax.max() < 32) != include_batch
    options = {"include_batch_in_index": include_batch}
    np.testing.assert_array_equal(max_pool.gather_from_argmax(array, argmax, **options), maxima)
    scattered = max_pool.scatter_to_argmax(array.shape, maxima, argmax, **options)
    expected = max_pool.max_pool_gradient(array, maxima, *geometry)
    np.testing.assert_array_equal(scattered, expected)


def test_narrow_floats_add_up_in_float32() -> None:
    """2049 ones in one place: float16 sums stall at 2048."""
    array = np.zeros((1, 4097), np.float16)
    array[0, 2048] = 1
    geometry = (1, 2049), (1, 1), ((0, 0), (0, 0))
    gradient = max_pool.max_pool_gradient(array, np.ones((1, 2049), np.float16), *geometry)
    assert gradient.dtype == np.float16
    assert gradient[0, 2048] == np.float16(2049)


@pytest.mark.parametrize("shape", [(0, 4, 4, 2), (1, 1, 4, 2)])
def test_empty_pools(shape: tuple[int, ...]) -> None:
    array = np.ones(shape, np.float32)
    geometry = (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0),) * 4
    maxima, argmax = max_pool.max_pool_with_argmax(array, *geometry)
    assert maxima.shape == argmax.shape == (shape[0], shape[1] // 2, 2, 2)
    gradient = max_pool.max_pool_gradient(array, maxima, *geometry)
    np.testing.assert_array_equal(gradient, np.zeros(shape))


@pytest.mark.parametrize("position", (-1, 32))
def test_positions_outside_of_the_input(position: int) -> None:
    argmax = np.full((2, 1), position)
    with pytest.raises(InvalidArgumentError, match=r"\[0, 32\)"):
        max_pool.scatter_to_argmax((2, 4, 8), np.ones((2, 1)), argmax)
    with pytest.raises(InvalidArgumentError, match=f"from {position} to {position}"):
        max_pool.gather_from_argmax(np.ones((2, 4, 8)), argmax)


def test_padding_as_wide_as_the_window() -> None:
    with pytest.raises(InvalidArgumentError, match="smaller than the window"):
        max_pool.max_pool_with_argmax(np.ones((1, 4)), (1, 2), (1, 2), ((0, 0), (2, 0)))
