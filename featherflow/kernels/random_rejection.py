"""Gamma and Poisson variates: draws that are proposed and rejected, each element on its own.

Element e of a run has the stream from counter 256·e on, so that how often it is rejected changes
no other element. Proposals are made for all elements that are still open at once. Samples of one
parameter stand next to each other in the stream: e = parameter · count + sample.

All equal TensorFlow's to the last bit on a machine with the same C library.

See: Marsaglia & Tsang 2000, "A simple method for generating gamma variables"; Hörmann 1993, "The
transformed rejection method for generating Poisson random variables" (algorithm PTRS).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import COUNTERS_PER_OUTPUT, PhiloxStream
from featherflow.kernels.random_values import normal_doubles, uniform_doubles

# Elements at a time, which bounds the state that is kept for each.
_STRETCH = 1 << 15
# Below this rate, multiplying uniforms takes few enough steps; above, PTRS is exact enough.
_PTRS_RATE = 10.0


class _ElementDraws:
    """Draws of one kind for each element: two to a counter, the second one first."""

    def __init__(
        self, stream: PhiloxStream, counters: np.ndarray, convert: Callable[..., np.ndarray]
    ) -> None:
        self._stream = stream
        self._counters = counters
        self._convert = convert
        self._values = np.empty((len(counters), 2))
        self._left = np.zeros(len(counters), np.int64)

    def draw(self, elements: np.ndarray) -> np.ndarray:
        """One number for each of the named elements."""
        spent = elements[self._left[elements] == 0]
        if len(spent):
            self._values[spent] = self._convert(self._stream.words_at(self._counters[spent]))
            # Shared by the element's other kinds of draws: whoever runs out takes the next one.
            self._counters[spent] += np.uint64(1)
            self._left[spent] = 2
        self._left[elements] -= 1
        return self._values[elements, self._left[elements]]


def _element_counters(elements: int) -> np.ndarray:
    return np.arange(elements, dtype=np.uint64) * np.uint64(COUNTERS_PER_OUTPUT)


def _each(function: Callable[..., float], *arrays: np.ndarray) -> np.ndarray:
    """Applies a function of the C library, whose last bit NumPy's own may not share."""
    columns = (array.tolist() for array in arrays)
    return np.fromiter(map(function, *columns), np.float64, len(arrays[0]))


def _by_parameter(
    stream: PhiloxStream,
    count: int,
    parameters: np.ndarray,
    sample: Callable[[PhiloxStream, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Samples `count` values for each parameter, a stretch of elements at a time."""
    flat = parameters.astype(np.float64).ravel()
    values = np.empty(len(flat) * count)
    for first in range(0, len(values), _STRETCH):
        last = min(first + _STRETCH, len(values))
        own = flat[np.arange(first, last) // count]
        values[first:last] = sample(stream.skip(first * COUNTERS_PER_OUTPUT), own)
    return np.ascontiguousarray(values.reshape(len(flat), count).T)


def random_gamma(stream: PhiloxStream, count: int, alpha: np.ndarray) -> np.ndarray:
    """Draws `count` gamma variates of rate 1 for each shape parameter.

        d = α − 1/3, c = 1 / (3√d):   d·v with v = (1 + c·x)³ for a normal x, accepted with
                                      probability exp(x²/2 + d − d·v + d·log v)

    For α < 1 a variate of α + 1 is scaled by u^(1/α); for α = 1 it is −log(1 − u).

    Args:
      stream: reserved for `count · alpha.size` outputs.
      alpha: any shape, float16, float32 or float64; positive.

    Returns:
      `[count, alpha.size]`, dtype of `alpha`.
    """
    return _by_parameter(stream, count, alpha, _gamma).astype(alpha.dtype)


def _gamma(stream: PhiloxStream, alpha: np.ndarray) -> np.ndarray:
    counters = _element_counters(len(alpha))
    uniforms = _ElementDraws(stream, counters, uniform_doubles)
    normals = _ElementDraws(stream, counters, normal_doubles)
    values = np.empty(len(alpha))
    exponential = np.flatnonzero(alpha == 1)
    values[exponential] = -_each(math.log1p, -uniforms.draw(exponential))
    is_small = alpha < 1
    with np.errstate(all="ignore"):
        d = alpha + np.where(is_small, 2 / 3, -1 / 3)
        c = (1 / 3) / np.sqrt(d)
        pending = np.flatnonzero(alpha != 1)
        while len(pending):
            normal = normals.draw(pending)
            root = 1 + c[pending] * normal
            is_proposal = ~(root <= 0)
            accepted = np.zeros(len(pending), bool)
            proposed, normal, root = (array[is_proposal] for array in (pending, normal, root))
            volume = root * root * root
            square = normal * normal
            uniform = uniforms.draw(proposed)
            own = d[proposed]
            bound = 0.5 * square + own * (1 - volume + np.log(volume))
            accepted[is_proposal] = (uniform < 1 - 0.0331 * square * square) | (
                np.log(uniform) < bound
            )
            values[proposed] = own * volume
            done = pending[accepted]
            _scale_small(values, done[is_small[done]], alpha, uniforms)
            pending = pending[~accepted]
    return values


def _scale_small(
    values: np.ndarray, elements: np.ndarray, alpha: np.ndarray, uniforms: _ElementDraws
) -> None:
    """Multiplies variates of α + 1 by u^(1/α), which makes them variates of α."""
    uniform, exponent = uniforms.draw(elements), 1 / alpha[elements]
    # Python's pow raises where C's returns infinity, which only negative exponents come to.
    is_regular = exponent > 0
    powers = np.power(uniform, exponent)
    powers[is_regular] = _each(math.pow, uniform[is_regular], exponent[is_regular])
    values[elements] *= powers


def random_poisson(
    stream: PhiloxStream, count: int, rate: np.ndarray, dtype: np.dtype
) -> np.ndarray:
    """Draws `count` Poisson variates for each rate.

    Rates below 10 count the uniforms whose product stays above exp(−rate); others use PTRS.

    Args:
      stream: reserved for `count · rate.size` outputs.
      rate: any shape, any real dtype.
      dtype: of the result, float or integer.

    Returns:
      `[count, rate.size]`.

    Raises:
      InvalidArgumentError: a rate is NaN, or larger than any value of `dtype`. (TensorFlow never
        returns from these.)
    """
    largest = float(np.iinfo(dtype).max if dtype.kind in "iu" else np.finfo(dtype).max)
    rates = rate.astype(np.float64)
    is_infinite = np.isposinf(rates) & (dtype.kind not in "iu")
    wrong = rates[~((rates <= largest) | is_infinite)]
    if len(wrong):
        raise InvalidArgumentError(
            None, None, "rate is out of range", received=wrong[0], expected=f"at most {largest}"
        )

    def sample(part: PhiloxStream, own: np.ndarray) -> np.ndarray:
        return _poisson(part, own, largest)

    return _by_parameter(stream, count, rates, sample).astype(dtype)


def _poisson(stream: PhiloxStream, rate: np.ndarray, largest: float) -> np.ndarray:
    uniforms = _ElementDraws(stream, _element_counters(len(rate)), uniform_doubles)
    values = np.zeros(len(rate))
    values[np.isinf(rate)] = np.inf
    _count_products(values, np.flatnonzero(rate < _PTRS_RATE), rate, uniforms)
    is_large = (rate >= _PTRS_RATE) & ~np.isinf(rate)
    _transform_and_reject(values, np.flatnonzero(is_large), rate, uniforms, largest)
    return values


def _count_products(
    values: np.ndarray, pending: np.ndarray, rate: np.ndarray, uniforms: _ElementDraws
) -> None:
    limits = np.zeros(len(rate))
    limits[pending] = _each(math.exp, -np.maximum(rate[pending], -700))
    product = np.ones(len(rate))
    while len(pending):
        product[pending] *= uniforms.draw(pending)
        pending = pending[product[pending] > limits[pending]]
        values[pending] += 1


def _transform_and_reject(
    values: np.ndarray,
    pending: np.ndarray,
    rate: np.ndarray,
    uniforms: _ElementDraws,
    largest: float,
) -> None:
    """PTRS; the letters are those of Hörmann's paper."""
    while len(pending):
        own = rate[pending]
        b = 0.931 + 2.53 * np.sqrt(own)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        quick = 0.9277 - 3.6224 / (b - 2)
        u, v = uniforms.draw(pending) - 0.5, uniforms.draw(pending)
        shifted = 0.5 - np.abs(u)
        with np.errstate(divide="ignore"):
            k = np.floor((2 * a / shifted + b) * u + own + 0.43)
        accepted = (shifted >= 0.07) & (v <= quick)
        undecided = ~accepted & (k >= 0) & ~((shifted < 0.013) & (v > shifted))
        undecided &= k <= largest
        columns = (array[undecided] for array in (own, v, k, shifted, a, b, inverse_alpha))
        accepted[undecided] = _accepts(*columns)
        accepted &= k <= largest
        values[pending[accepted]] = k[accepted]
        pending = pending[~accepted]


def _accepts(
    rate: np.ndarray,
    v: np.ndarray,
    k: np.ndarray,
    shifted: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    inverse_alpha: np.ndarray,
) -> np.ndarray:
    """PTRS's full test, against the logarithm of the probability of k."""
    with np.errstate(divide="ignore"):
        height = np.log(v * inverse_alpha / (a / (shifted * shifted) + b))
    return height <= -rate + k * np.log(rate) - _each(math.lgamma, k + 1)
