"""Permutations and categorical draws: TensorFlow's over several runs, and their statistics."""

from __future__ import annotations

import numpy as np
import pytest

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import PhiloxGenerator
from featherflow.kernels.random_choices import multinomial, random_permutation

from .test_random_values import DTYPES, assert_rows, recorded


def test_permutations_as_tensorflow() -> None:
    assert_rows(recorded()["shuffle"]["short"], random_permutation)


@pytest.mark.parametrize("size", (0, 1, 2, 50))
def test_permutations_are_permutations(size: int) -> None:
    order = random_permutation(PhiloxGenerator(1, 2), size)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(size))


def test_every_order_is_as_likely() -> None:
    generator = PhiloxGenerator(3, 4)
    orders = [tuple(random_permutation(generator, 3).tolist()) for _ in range(1200)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert max(abs(count - 200) for count in counts) < 5 * 200**0.5


@pytest.mark.parametrize("dtype", DTYPES)
def test_draws_as_tensorflow(dtype: str) -> None:
    row = recorded()[f"multinomial {dtype}"]
    logits = np.array(row["logits"], np.float64).astype(DTYPES[dtype])

    def draw(generator: PhiloxGenerator, size: int) -> np.ndarray:
        return multinomial(generator, logits, size, np.dtype(np.int64))

    assert_rows(row["short"], draw)


def test_frequencies_are_the_probabilities() -> None:
    logits = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-30]], np.float32))
    samples = multinomial(PhiloxGenerator(1, 2), logits, 5000, np.dtype(np.int32))
    assert samples.dtype == np.int32
    for row, probabilities in zip(samples, [(0.1, 0.2, 0.7), (0.5, 0.5, 0)]):
        frequencies = np.bincount(row, minlength=3) / 5000
        np.testing.assert_allclose(frequencies, probabilities, atol=5 * 0.5 / 5000**0.5)


def test_classes_without_a_finite_logit_are_never_drawn() -> None:
    logits = np.array([[1, np.nan, 2, -np.inf, np.inf, 0], [np.nan] * 6], np.float32)
    samples = multinomial(PhiloxGenerator(1, 2), logits, 100, np.dtype(np.int64))
    assert set(samples[0].tolist()) == {0, 2, 5}
    assert set(samples[1].tolist()) == {6}


@pytest.mark.parametrize(("rows", "samples"), [(0, 3), (2, 0)])
def test_empty_draws(rows: int, samples: int) -> None:
    drawn = multinomial(PhiloxGenerator(1, 2), np.zeros((rows, 3)), samples, np.dtype(np.int64))
    assert drawn.shape == (rows, samples)


@pytest.mark.parametrize(
    ("shape", "samples", "message"),
    [
        ((3,), 1, "logits should be a matrix"),
        ((2, 0), 1, "num_classes should be positive"),
        ((2, 3), -1, "num_samples should be nonnegative"),
    ],
)
def test_arguments_that_do_not_fit(shape: tuple[int, ...], samples: int, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        multinomial(PhiloxGenerator(1, 2), np.zeros(shape), samples, np.dtype(np.int64))
