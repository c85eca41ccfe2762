"""Normal variates between bounds: TensorFlow's bits for each method, moments, bad parameters."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import PhiloxGenerator
from featherflow.kernels.random_truncated import parameterized_truncated_normal

from .test_random_values import recorded

METHODS = [name for name in recorded() if name.startswith("bounds ")]


def scalars(*parameters: float) -> list[np.ndarray]:
    return [np.array(parameter, np.float64) for parameter in parameters]


@pytest.mark.parametrize("name", METHODS)
def test_runs_as_tensorflow(name: str) -> None:
    row, dtype = recorded()[name], name.split()[-1]
    parameters = [np.array(bound, np.float64).astype(dtype) for bound in row["bounds"]]
    generator = PhiloxGenerator(7, 11)
    for expected in row["runs"]:
        values = parameterized_truncated_normal(generator, (3, 4), *parameters)
        assert values.dtype == dtype
        assert values.astype(np.float64).tolist() == expected


@pytest.mark.parametrize(
    "bounds",
    [(-0.5, 2.0), (0.3, 0.8), (2.0, math.inf), (-math.inf, -1.0), (-9.0, 0.1), (-1.0, 1.0)],
)
def test_distribution(bounds: tuple[float, float]) -> None:
    """Frequencies of ten equal parts of the distribution, five standard errors."""
    low, high = bounds
    parameters = scalars(1.0, 2.0, 1 + 2 * low, 1 + 2 * high)
    values = parameterized_truncated_normal(PhiloxGenerator(1, 2), (5000,), *parameters)
    standard = (values - 1) / 2
    assert low <= standard.min()
    assert standard.max() <= high
    below = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in (low, high)])
    ranks = [0.5 * math.erfc(-value / math.sqrt(2)) for value in standard]
    parts = (np.array(ranks) - below[0]) / (below[1] - below[0])
    counts, _ = np.histogram(parts, 10, (0, 1))
    assert np.abs(counts - 500).max() < 5 * math.sqrt(500 * 0.9)


def test_batches_have_their_own_parameters() -> None:
    means = np.array([0.0, 10.0, 20.0])
    one, low, high = np.ones(1), means - 1, means + 1
    values = parameterized_truncated_normal(
        PhiloxGenerator(1, 2), (3, 2, 50), means, one, low, high
    )
    assert values.shape == (3, 2, 50)
    assert (np.abs(values - means[:, None, None]) <= 1).all()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_nothing_to_draw(shape: tuple[int, ...]) -> None:
    generator = PhiloxGenerator(1, 2)
    assert parameterized_truncated_normal(generator, shape, *scalars(0, 1, 0, 1)).shape == shape


@pytest.mark.parametrize(
    "parameters",
    [(0, -1, 0, 1), (0, 0, 0, 1), (0, 1, 2, 2), (0, 1, -math.inf, math.inf), (0, 1, math.nan, 1)],
)
def test_invalid_parameters(parameters: tuple[float, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="Invalid parameters"):
        parameterized_truncated_normal(PhiloxGenerator(1, 2), (3,), *scalars(*parameters))


@pytest.mark.parametrize("mean", (math.nan, math.inf))
def test_undefined_means_give_nan(mean: float) -> None:
    values = parameterized_truncated_normal(PhiloxGenerator(1, 2), (3,), *scalars(mean, 1, 0, 1))
    assert np.isnan(values).all()


def test_lengths_that_do_not_fit() -> None:
    _, *rest = scalars(0, 1, 0, 1)
    for means in (np.zeros(2), np.zeros((1, 3))):
        with pytest.raises(InvalidArgumentError, match="means should have length 1 or shape"):
            parameterized_truncated_normal(PhiloxGenerator(1, 2), (3, 4), means, *rest)
    with pytest.raises(InvalidArgumentError, match="must not be empty"):
        parameterized_truncated_normal(PhiloxGenerator(1, 2), (), *scalars(0, 1, 0, 1))


@pytest.mark.parametrize("bounds", list(itertools.combinations((-40.0, -39.0, 0.0, 1e-9, 39.0), 2)))
def test_extreme_bounds_come_to_an_end(bounds: tuple[float, float]) -> None:
    values = parameterized_truncated_normal(PhiloxGenerator(1, 2), (150,), *scalars(0, 1, *bounds))
    assert (values >= bounds[0]).all()
    assert (values <= bounds[1]).all()
