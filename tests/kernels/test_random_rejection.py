"""Gamma and Poisson variates: TensorFlow's bits over several runs, moments, and bad parameters."""

from __future__ import annotations

import numpy as np
import pytest

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import random_rejection
from featherflow.kernels.philox import PhiloxGenerator, PhiloxStream
from featherflow.kernels.random_rejection import random_gamma, random_poisson

from .test_random_values import assert_rows, recorded

STREAM = PhiloxStream(key=1, counter=2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gamma_as_tensorflow(dtype: str) -> None:
    row = recorded()[f"gamma {dtype}"]
    alpha = np.array(row["alpha"], dtype)

    def draw(generator: PhiloxGenerator, size: int) -> np.ndarray:
        values = random_gamma(generator.reserve_for_outputs(size * alpha.size), size, alpha)
        assert values.dtype == alpha.dtype
        return values

    assert_rows(row["short"], draw)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64"])
def test_poisson_as_tensorflow(dtype: str) -> None:
    row = recorded()[f"poisson {dtype}"]
    rate = np.array(row["rate"])

    def draw(generator: PhiloxGenerator, size: int) -> np.ndarray:
        stream = generator.reserve_for_outputs(size * rate.size)
        return random_poisson(stream, size, rate, np.dtype(dtype))

    assert_rows(row["short"], draw)


@pytest.mark.parametrize("alpha", (0.3, 1.0, 4.5))
def test_gamma_moments(alpha: float) -> None:
    """Mean and variance are α; five standard errors."""
    values = random_gamma(STREAM, 5000, np.array([alpha]))
    assert values.mean() == pytest.approx(alpha, abs=5 * (alpha / 5000) ** 0.5)
    spread = (alpha * alpha * (2 + 6 / alpha) / 5000) ** 0.5
    assert values.var() == pytest.approx(alpha, abs=5 * spread)


@pytest.mark.parametrize("rate", (0.7, 9.9, 10.0, 250.0))
def test_poisson_moments(rate: float) -> None:
    """Mean and variance are the rate; five standard errors."""
    values = random_poisson(STREAM, 5000, np.array([rate]), np.dtype(np.float64))
    assert values.mean() == pytest.approx(rate, abs=5 * (rate / 5000) ** 0.5)
    spread = ((2 * rate * rate + rate) / 5000) ** 0.5
    assert values.var() == pytest.approx(rate, abs=5 * spread)


def test_stretches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = np.array([0.3, 1.0, 12.0])
    gamma = random_gamma(STREAM, 11, parameters)
    poisson = random_poisson(STREAM, 11, parameters, np.dtype(np.int64))
    monkeypatch.setattr(random_rejection, "_STRETCH", 4)
    np.testing.assert_array_equal(random_gamma(STREAM, 11, parameters), gamma)
    again = random_poisson(STREAM, 11, parameters, np.dtype(np.int64))
    np.testing.assert_array_equal(again, poisson)


def test_degenerate_parameters() -> None:
    values = random_gamma(STREAM, 4, np.array([np.nan, np.inf, 0.0, -1.0]))
    assert np.isnan(values[:, [0, 3]]).all()
    assert np.isposinf(values[:, 1]).all()
    assert not values[:, 2].any()
    counts = random_poisson(STREAM, 4, np.array([np.inf, 0.0, -3.0]), np.dtype(np.float32))
    assert np.isposinf(counts[:, 0]).all()
    assert not counts[:, 1:].any()


@pytest.mark.parametrize(
    ("rate", "dtype"), [(np.nan, np.float32), (np.inf, np.int32), (1e12, np.int32), (1e5, "half")]
)
def test_rates_that_no_value_can_meet(rate: float, dtype: type) -> None:
    with pytest.raises(InvalidArgumentError, match="rate is out of range"):
        random_poisson(STREAM, 1, np.array([rate]), np.dtype(dtype))


@pytest.mark.parametrize(("count", "parameters"), [(0, 3), (3, 0)])
def test_nothing_to_draw(count: int, parameters: int) -> None:
    ones = np.ones(parameters, np.float32)
    assert random_gamma(STREAM, count, ones).shape == (count, parameters)
    counts = random_poisson(STREAM, count, ones, np.dtype(np.int32))
    assert counts.shape == (count, parameters)
