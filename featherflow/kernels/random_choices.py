"""Random permutations and draws from categorical distributions, with TensorFlow's streams."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import COUNTERS_PER_OUTPUT, PhiloxGenerator
from featherflow.kernels.random_values import random_bits, random_uniform

_WORDS_PER_COUNTER = 4
_DOUBLES_PER_COUNTER = 2


def random_permutation(generator: PhiloxGenerator, size: int) -> np.ndarray:
    """Draws the order in which `RandomShuffle` takes the rows of its input.

        for i = 0 … size − 2: swap i with i + word mod (size − i)          (Fisher–Yates)

    A run reserves the counters of its size − 1 words and no more.

    Returns:
      `[size]` int64: which row stands at each place.
    """
    draws = max(size - 1, 0)
    stream = generator.reserve(-(-draws // _WORDS_PER_COUNTER))
    words = random_bits(stream, draws, np.dtype(np.uint32))
    choices = words % np.arange(size, size - draws, -1, dtype=np.uint32)
    order = list(range(size))
    for place, choice in enumerate(choices.tolist()):
        other = place + choice
        order[place], order[other] = order[other], order[place]
    return np.array(order, np.int64)


def multinomial(
    generator: PhiloxGenerator, logits: np.ndarray, num_samples: int, dtype: np.dtype
) -> np.ndarray:
    """Draws classes with probabilities softmax(logits), `num_samples` for each row.

    A sample is the first class whose cumulative probability exceeds a uniform float64; classes
    whose logit is not finite are never drawn, and a row of such gives `K`. Rows draw one after the
    other: the stream of TensorFlow on one thread. (On several, TensorFlow's depends on how it
    shards the rows.)

    Args:
      generator: moves on by 512 counters per sample, each row's samples rounded up to fours.
      logits: `[N, K]`, any real dtype.
      dtype: of the result, int32 or int64.

    Returns:
      `[N, num_samples]`.

    Raises:
      InvalidArgumentError: there is no class, or `num_samples` is negative.
    """
    _check_multinomial(logits, num_samples)
    rows = len(logits)
    padded_samples = -(-num_samples // 4) * 4
    reserved = rows * padded_samples * _DOUBLES_PER_COUNTER * COUNTERS_PER_OUTPUT
    stream = generator.reserve(reserved)
    draws = random_uniform(stream, rows * num_samples, np.dtype(np.float64))
    samples = np.empty((rows, num_samples), dtype)
    for row_logits, row_draws, row_samples in zip(
        logits.astype(np.float64), draws.reshape(samples.shape), samples
    ):
        is_possible = np.isfinite(row_logits)
        largest = row_logits.max(where=is_possible, initial=-np.inf)
        weights = np.exp(row_logits - largest, where=is_possible, out=np.zeros_like(row_logits))
        cumulative = np.cumsum(weights)
        row_samples[:] = np.searchsorted(cumulative, row_draws * cumulative[-1], side="right")
    return samples


def _check_multinomial(logits: np.ndarray, num_samples: int) -> None:
    if logits.ndim != 2:
        raise InvalidArgumentError(
            None, None, "logits should be a matrix", received=f"shape {list(logits.shape)}"
        )
    if num_samples < 0:
        raise InvalidArgumentError(
            None, None, "num_samples should be nonnegative", received=num_samples
        )
    if not logits.shape[1]:
        raise InvalidArgumentError(
            None, None, "num_classes should be positive", received=f"shape {list(logits.shape)}"
        )
