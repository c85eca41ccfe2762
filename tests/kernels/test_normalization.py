"""Batch and local response normalization against float64 formulas, differences and TensorFlow."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from differential.inputs import normal
from differential.kernel_cases import KernelCase

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import normalization as norm

from .recorded import assert_recorded, cases_of

CHANNELS = np.arange(5, dtype=np.float32)
SCALE, OFFSET = 1 + CHANNELS, CHANNELS / 4
NONE = np.zeros(0, np.float32)
EPSILON = 1e-4


def numeric_gradient(function: Callable, array: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Central differences of Σ weights · function(array), in float64."""
    gradient = np.zeros(array.shape)
    for index in np.ndindex(array.shape):
        step = np.zeros(array.shape)
        step[index] = 1e-5
        change = function(array + step) - function(array - step)
        gradient[index] = np.vdot(weights, change) / 2e-5
    return gradient


def normalized(x: np.ndarray, mean: np.ndarray | None = None, variance: np.ndarray | None = None):
    x = x.astype(np.float64)
    axes = tuple(range(x.ndim - 1))
    mean = x.mean(axes) if mean is None else mean
    variance = x.var(axes) if variance is None else variance
    return SCALE * (x - mean) / np.sqrt(variance + EPSILON) + OFFSET


@cases_of("FusedBatchNormV3")
def test_batch_norm_as_tensorflow(case: KernelCase) -> None:
    arrays = list(case.inputs.values())
    epsilon = case.attrs.get("epsilon", 1e-4)
    if case.attrs.get("is_training", True):
        factor = case.attrs.get("exponential_avg_factor", 1.0)
        assert_recorded(case, norm.batch_norm_training(*arrays, epsilon, factor))
    else:
        assert_recorded(case, [norm.batch_norm_inference(*arrays, epsilon)])


@cases_of("FusedBatchNormGradV3")
def test_batch_norm_gradient_as_tensorflow(case: KernelCase) -> None:
    *arrays, _ = case.inputs.values()
    training = case.attrs["is_training"]
    gradients = norm.batch_norm_gradient(*arrays, 1e-4, is_training=training)
    assert_recorded(case, gradients)


@pytest.mark.parametrize("shape", [(7, 5), (2, 3, 4, 5), (3, 5000, 5)])
def test_training_matches_the_formula(shape: tuple[int, ...]) -> None:
    """The last shape has several stretches of rows; a large mean must not spoil the variance."""
    x = normal(*shape) + 100
    result = norm.batch_norm_training(x, SCALE, OFFSET, NONE, NONE, EPSILON)
    rows = x.reshape(-1, 5).astype(np.float64)
    np.testing.assert_allclose(result.y, normalized(x), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(result.batch_mean, rows.mean(0), rtol=1e-6)
    np.testing.assert_allclose(result.batch_variance, rows.var(0), rtol=1e-5)
    np.testing.assert_allclose(result.running_variance, rows.var(0, ddof=1), rtol=1e-5)


def test_running_statistics_are_mixed() -> None:
    x = normal(4, 5)
    given = CHANNELS, CHANNELS + 3
    result = norm.batch_norm_training(x, SCALE, OFFSET, *given, EPSILON, 0.25)
    np.testing.assert_allclose(result.running_mean, 0.75 * given[0] + 0.25 * x.mean(0), rtol=1e-5)
    expected = 0.75 * given[1] + 0.25 * x.var(0, ddof=1)
    np.testing.assert_allclose(result.running_variance, expected, rtol=1e-5)
    with pytest.raises(InvalidArgumentError, match="mean must have the same number of elements"):
        norm.batch_norm_training(x, SCALE, OFFSET, NONE, NONE, EPSILON, 0.25)


@pytest.mark.parametrize("training", (True, False))
def test_gradients_match_differences(training: bool) -> None:
    x, weights = normal(3, 2, 5), normal(3, 2, 5, seed=1)
    axes = (0, 1)
    given = (None, None) if training else (CHANNELS / 3, 1 + CHANNELS)
    mean, variance = (x.mean(axes), x.var(axes)) if training else given
    gradients = norm.batch_norm_gradient(
        weights, x, SCALE, mean, variance, EPSILON, is_training=training
    )
    expected = numeric_gradient(lambda array: normalized(array, *given), x, weights)
    np.testing.assert_allclose(gradients.x, expected, rtol=1e-3, atol=1e-4)
    standard = (normalized(x, *given) - OFFSET) / SCALE
    np.testing.assert_allclose(gradients.scale, (weights * standard).sum(axes), rtol=1e-4)
    np.testing.assert_allclose(gradients.offset, weights.sum(axes), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_arrays_have_float32_statistics(dtype: type) -> None:
    x = normal(6, 5).astype(dtype)
    result = norm.batch_norm_training(x, SCALE, OFFSET, NONE, NONE, EPSILON)
    assert result.y.dtype == dtype
    assert {array.dtype for array in result[1:]} == {np.dtype(np.float32)}
    y = norm.batch_norm_inference(x, SCALE, OFFSET, CHANNELS, 1 + CHANNELS, EPSILON)
    assert y.dtype == dtype
    gradients = norm.batch_norm_gradient(
        x, x, SCALE, CHANNELS, 1 + CHANNELS, EPSILON, is_training=True
    )
    assert gradients.x.dtype == dtype
    assert gradients.scale.dtype == np.float32


def test_empty_batch() -> None:
    """TensorFlow returns NaN for the running statistics; its others are not initialized."""
    x = np.zeros((0, 4, 5), np.float32)
    result = norm.batch_norm_training(x, SCALE, OFFSET, NONE, NONE, 1.0)
    assert result.y.shape == x.shape
    assert np.isnan(result.running_mean).all()
    assert np.isnan(result.running_variance).all()
    assert not result.batch_mean.any()
    assert not result.batch_variance.any()
    assert norm.batch_norm_inference(x, SCALE, OFFSET, CHANNELS, CHANNELS, 1.0).shape == x.shape
    gradients = norm.batch_norm_gradient(x, x, SCALE, CHANNELS, CHANNELS, 1.0, is_training=True)
    assert gradients.x.shape == x.shape
    np.testing.assert_array_equal(gradients.scale, np.zeros(5))
    np.testing.assert_array_equal(gradients.offset, np.zeros(5))
    without_channels = np.zeros((2, 4, 0), np.float32)
    result = norm.batch_norm_training(without_channels, NONE, NONE, NONE, NONE, 1.0)
    assert result.y.shape == (2, 4, 0)


def test_channels_that_do_not_fit() -> None:
    with pytest.raises(InvalidArgumentError, match="scale must have the same number of elements"):
        norm.batch_norm_inference(normal(2, 4), SCALE, OFFSET, CHANNELS, CHANNELS, 1.0)


@cases_of("LRN")
def test_response_as_tensorflow(case: KernelCase) -> None:
    attrs = {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5, **case.attrs}
    assert_recorded(case, [norm.local_response_norm(case.inputs["input"], **attrs)])


@cases_of("LRNGrad")
def test_response_gradient_as_tensorflow(case: KernelCase) -> None:
    attrs = {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5, **case.attrs}
    gradient = norm.local_response_norm_gradient(*case.inputs.values(), **attrs)
    assert_recorded(case, [gradient])


@pytest.mark.parametrize("radius", (0, 1, 3, 9))
def test_response_gradient_matches_differences(radius: int) -> None:
    x, weights = normal(2, 4, dtype="float64"), normal(2, 4, dtype="float64", seed=1)
    attrs = {"depth_radius": radius, "bias": 0.7, "alpha": 0.4, "beta": 0.6}
    y = norm.local_response_norm(x, **attrs)
    gradient = norm.local_response_norm_gradient(weights, x, y, **attrs)
    expected = numeric_gradient(lambda array: norm.local_response_norm(array, **attrs), x, weights)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


def test_negative_radius() -> None:
    with pytest.raises(InvalidArgumentError, match="depth_radius"):
        norm.local_response_norm(normal(2, 4), -1, 1.0, 1.0, 0.5)
