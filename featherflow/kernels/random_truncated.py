"""Normal variates between given bounds, by whichever of three rejection methods suits the bounds.

With the bounds [a, b] in standard deviations from the mean, turned around if that brings a closer
to the mean, a proposal z is

    a normal number, accepted in [a, b]                               if [a, b] reaches past ±1.3
    uniform in [a, b], accepted with exp((max(a, 0)² − z²) / 2)       if [a, b] is narrow
    a + an exponential of rate α, accepted with exp(−(z − α)² / 2)    else;  α = (a + √(a² + 4)) / 2

Batches draw one after the other: the stream of TensorFlow on one thread, to the last bit.

See: Robert 1995, "Simulation of truncated normal variables".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.float32_libm import log
from featherflow.kernels.philox import PhiloxGenerator, PhiloxStream
from featherflow.kernels.random_values import random_normal, random_uniform

# Elements of a batch where all parameters are scalars and batches are for the kernel to choose.
_SCALAR_BATCH = 100
# Proposals that a run reserves for each element.
_ITERATIONS = 1000
# Bounds this far from the mean leave enough of the normal distribution to draw from it.
_NORMAL_REACH = 1.3

Propose = Callable[[PhiloxStream, int], tuple[np.ndarray, np.ndarray]]


class _Method(NamedTuple):
    """A way to propose: `propose(stream, groups)` gives proposals and which are accepted.

    A group takes `counters` from the stream and gives a fixed number of proposals.
    """

    counters: int
    propose: Propose


def parameterized_truncated_normal(
    generator: PhiloxGenerator,
    shape: Sequence[int],
    means: np.ndarray,
    stdevs: np.ndarray,
    minvals: np.ndarray,
    maxvals: np.ndarray,
) -> np.ndarray:
    """Draws normal variates in [minval, maxval], one set of parameters for each batch.

    Args:
      shape: of the result, `[N, …]`.
      means, stdevs, minvals, maxvals: scalars, `[1]` or `[N]`, one float dtype.

    Raises:
      InvalidArgumentError: a deviation is not positive, a range is empty or unbounded on both
        sides, or a parameter has another length.
    """
    parameters = (means, stdevs, minvals, maxvals)
    _check_lengths(shape, parameters)
    size = prod(shape)
    values = np.empty(size, means.dtype)
    if not size:
        return values.reshape(shape)
    if all(parameter.ndim == 0 for parameter in parameters):
        batches, samples = -(-size // _SCALAR_BATCH), _SCALAR_BATCH
    else:
        batches, samples = shape[0], size // shape[0]
    stream = generator.reserve(batches * 2 * _ITERATIONS * (samples + 3) // 4)
    columns = [np.broadcast_to(parameter.ravel(), batches) for parameter in parameters]
    for batch, row in enumerate(zip(*columns)):
        part = values[batch * samples : (batch + 1) * samples]
        stream = _fill_batch(stream, part, *row)
    return values.reshape(shape)


def _check_lengths(shape: Sequence[int], parameters: Sequence[np.ndarray]) -> None:
    if not shape:
        raise InvalidArgumentError(None, None, "Shape tensor must not be empty", received="[]")
    for name, parameter in zip(("means", "stdevs", "minvals", "maxvals"), parameters):
        if parameter.ndim > 1 or parameter.size not in (1, shape[0]):
            raise InvalidArgumentError(
                None,
                None,
                f"Input {name} should have length 1 or shape[0]",
                received=f"shape {list(parameter.shape)}",
                expected=f"length 1 or {shape[0]}",
            )


def _fill_batch(
    stream: PhiloxStream,
    values: np.ndarray,
    mean: np.floating,
    stdev: np.floating,
    minval: np.floating,
    maxval: np.floating,
) -> PhiloxStream:
    """Fills `values`; returns the stream behind what was drawn."""
    is_bounded = np.isfinite(minval) or np.isfinite(maxval)
    if not (stdev > 0 and minval < maxval and is_bounded):
        raise InvalidArgumentError(
            None,
            None,
            "Invalid parameters",
            received=f"stdev {stdev}, minval {minval}, maxval {maxval}",
            expected="a positive stdev, and minval < maxval, not both infinite",
        )
    if np.isneginf(minval) or maxval < mean:
        minval, maxval, stdev = maxval, minval, -stdev
    with np.errstate(all="ignore"):
        low, high = (minval - mean) / stdev, (maxval - mean) / stdev
        if not np.isfinite(low) or np.isnan(high):
            values.fill(np.nan)
            return stream
        method = _choose_method(low, high)
        standard, behind = _accept(stream, len(values), method)
        values[:] = standard * stdev + mean
    return behind


def _choose_method(low: np.floating, high: np.floating) -> _Method:
    dtype = low.dtype
    one, two, four = dtype.type(1), dtype.type(2), dtype.type(4)
    root = np.sqrt(low * low + four)
    narrow = two * np.exp(one / two + (low * (low - root)) / four) / (low + root)
    reaches_below = low < dtype.type(-_NORMAL_REACH) and high >= 0
    reaches_above = high > dtype.type(_NORMAL_REACH) and low <= 0
    if reaches_below or reaches_above:
        return _from_normal(low, high)
    if high - low < narrow:
        return _from_uniform(low, high)
    return _from_exponential(low, high, (low + root) / two)


def _from_normal(low: np.floating, high: np.floating) -> _Method:
    def propose(stream: PhiloxStream, groups: int) -> tuple[np.ndarray, np.ndarray]:
        values = random_normal(stream, groups * _per_counter(low.dtype), low.dtype)
        return values, (values >= low) & (values <= high)

    return _Method(1, propose)


def _from_uniform(low: np.floating, high: np.floating) -> _Method:
    closest = max(low, low.dtype.type(0))
    highest = closest * closest

    def propose(stream: PhiloxStream, groups: int) -> tuple[np.ndarray, np.ndarray]:
        per_counter = _per_counter(low.dtype)
        drawn = random_uniform(stream, 2 * groups * per_counter, low.dtype)
        place, chance = drawn.reshape(groups, 2, per_counter).swapaxes(0, 1)
        values = place * (high - low) + low
        return values.ravel(), (chance <= _half_exp(highest - values * values)).ravel()

    return _Method(2, propose)


def _from_exponential(low: np.floating, high: np.floating, rate: np.floating) -> _Method:
    def propose(stream: PhiloxStream, groups: int) -> tuple[np.ndarray, np.ndarray]:
        drawn = random_uniform(stream, groups * _per_counter(low.dtype), low.dtype)
        place, chance = drawn[0::2], drawn[1::2]
        values = -_logarithm(place) / rate + low
        distance = rate - values if low < rate else np.full_like(values, low - rate)
        accepted = (chance <= _half_exp(-distance * distance)) & (values < high)
        return values, accepted

    return _Method(1, propose)


def _per_counter(dtype: np.dtype) -> int:
    return 2 if dtype.itemsize == 8 else 4


def _half_exp(exponent: np.ndarray) -> np.ndarray:
    return np.exp(exponent / exponent.dtype.type(2))


def _logarithm(values: np.ndarray) -> np.ndarray:
    """The C library's logarithm, rounded to the dtype; −∞ at 0."""
    is_positive = values > 0
    positive = values[is_positive]
    logarithms = np.full(values.shape, -np.inf, values.dtype)
    if values.dtype == np.float64:
        logarithms[is_positive] = np.fromiter(map(math.log, positive.tolist()), np.float64)
    else:
        logarithms[is_positive] = log(positive.astype(np.float32))
    return logarithms


def _accept(stream: PhiloxStream, count: int, method: _Method) -> tuple[np.ndarray, PhiloxStream]:
    """Returns the first `count` accepted proposals and the stream behind the last one's group."""
    found: list[np.ndarray] = []
    missing = count
    while missing:
        # One to four proposals a group; what is drawn too much is drawn again by the next batch.
        groups = missing // 2 + 16
        values, accepted = method.propose(stream, groups)
        places = np.flatnonzero(accepted)[:missing]
        if not len(places) and len(values) > _ITERATIONS:
            raise InvalidArgumentError(
                None, None, f"No proposal was accepted in {len(values)} iterations"
            )
        found.append(values[places])
        missing -= len(places)
        per_group = len(values) // groups
        used = groups if missing else int(places[-1]) // per_group + 1
        stream = stream.skip(used * method.counters)
    return np.concatenate(found), stream
