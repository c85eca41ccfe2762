"""Binomial variates: how often something of probability p happens in n trials.

    n·p < 10     counts geometric waiting times until they exceed n
    n·p ≥ 10     BTRS: transforms a uniform variate and rejects

For p > ½ failures are counted instead. Element e of a run has the stream from counter 256·e on. All
equal TensorFlow's to the last bit on a machine with the same C library.

See: Hörmann 1993, "The generation of binomial random variates" (algorithm BTRS).
"""

from __future__ import annotations

import math

import numpy as np

from featherflow.kernels.philox import COUNTERS_PER_OUTPUT, PhiloxStream
from featherflow.kernels.random_values import uniform_doubles

# Below this mean, waiting times take few enough steps.
_BTRS_MEAN = 10
_TAIL_TABLE = 10


class _Doubles:
    """Uniform float64 of one element: two to a counter, the second one first."""

    def __init__(self, stream: PhiloxStream) -> None:
        self._stream = stream
        self._left: list[float] = []

    def draw(self) -> float:
        """The next one."""
        if not self._left:
            self._left = uniform_doubles(self._stream.words(1))[0].tolist()
            self._stream = self._stream.skip(1)
        return self._left.pop()


def random_binomial(
    stream: PhiloxStream, counts: np.ndarray, probabilities: np.ndarray
) -> np.ndarray:
    """Draws a variate for each pair.

    Args:
      counts, probabilities: `[N]` float64 in the order in which elements take their streams.

    Returns:
      `[N]` float64; NaN where a parameter is out of range.
    """
    values = np.empty(len(counts))
    for place, (count, probability) in enumerate(zip(counts.tolist(), probabilities.tolist())):
        own = _Doubles(stream.skip(place * COUNTERS_PER_OUTPUT))
        values[place] = _binomial(own, count, probability)
    return values


def _binomial(uniforms: _Doubles, count: float, probability: float) -> float:
    if probability <= 0.0 or count <= 0.0:
        return 0.0
    if probability >= 1.0:
        return count
    if math.isnan(probability) or math.isnan(count):
        return math.nan
    if probability > 0.5:
        return count - _successes(uniforms, count, 1 - probability)
    return _successes(uniforms, count, probability)


def _successes(uniforms: _Doubles, count: float, probability: float) -> float:
    if count * probability >= _BTRS_MEAN:
        return _transformed_rejection(uniforms, count, probability)
    return _waiting_times(uniforms, count, probability)


def _waiting_times(uniforms: _Doubles, count: float, probability: float) -> float:
    trials = successes = 0.0
    scale = math.log1p(-probability)
    while True:
        uniform = uniforms.draw()
        trials += math.ceil(math.log(uniform) / scale) if uniform else math.inf
        if trials > count:
            return successes
        successes += 1


def _transformed_rejection(uniforms: _Doubles, count: float, probability: float) -> float:
    """BTRS; the letters are those of Hörmann's paper."""
    deviation = math.sqrt(count * probability * (1 - probability))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    c = count * probability + 0.5
    v_r = 0.92 - 4.2 / b
    r = probability / (1 - probability)
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((count + 1) * probability)
    while True:
        u, v = uniforms.draw() - 0.5, uniforms.draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c) if us else math.inf
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or k > count:
            continue
        height = math.log(v * alpha / (a / (us * us) + b)) if v else -math.inf
        bound = (
            (m + 0.5) * math.log((m + 1) / (r * (count - m + 1)))
            + (count + 1) * math.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * math.log(r * (count - k + 1) / (k + 1))
            + _tail(m)
            + _tail(count - m)
            - _tail(k)
            - _tail(count - k)
        )
        if height <= bound:
            return k


def _tail(k: float) -> float:
    """What Stirling's series leaves of log k!: exact for small k, three terms beyond."""
    if k < _TAIL_TABLE:
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


_TAILS = [
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    for k in range(_TAIL_TABLE)
]
