"""Random numbers of a distribution, element by element, from a Philox stream.

    uniform          (w mod 2^m) / 2^m       m mantissa bits of the dtype; w is one word, or two
    uniform integer  minval + w mod (maxval − minval)
    normal           √(−2 log u₁) · (sin 2πu₂, cos 2πu₂)              (Box–Muller) for two uniforms
    truncated        the normals of |x| < 2

All equal TensorFlow's to the last bit: the words are consumed in the same order and logarithms
and sines are rounded as libm rounds them. Float16 and bfloat16 normals are rounded float32 ones.

See: Box & Muller 1958, "A note on the generation of random normal deviates".
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.float32_libm import log, sine_and_cosine
from featherflow.kernels.philox import PhiloxStream

_MANTISSA_BITS = {"float16": 10, "bfloat16": 7, "float32": 23}
# Counters at a time: the generator's few arrays of them stay in a core's second-level cache.
_STRETCH = 8192
# A uniform this small counts as this large, against the logarithm of zero.
_SMALLEST_UNIFORM = 1e-7
_TRUNCATION = 2.0
# Truncated values come in groups, each with its own stretch of the stream to reject from.
_COUNTERS_PER_TRUNCATED = 64


def _fill(
    stream: PhiloxStream, count: int, dtype: np.dtype, convert: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Fills an array of `count` elements with what `convert` makes of words `[n, 4]`.

    That is two elements to a counter where they are eight bytes large, and else four.
    """
    check_allocation((count,), dtype)
    values = np.empty(count, dtype)
    per_counter = _elements_per_counter(dtype)
    for counter in range(0, -(-count // per_counter), _STRETCH):
        first = counter * per_counter
        counters = min(_STRETCH, -(-(count - first) // per_counter))
        part = convert(stream.skip(counter).words(counters)).reshape(-1)
        values[first : first + len(part)] = part[: count - first]
    return values


def _elements_per_counter(dtype: np.dtype) -> int:
    return 2 if dtype.itemsize == 8 else 4


def _double_words(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and second of each pair of words, as uint64."""
    wide = words.astype(np.uint64)
    return wide[:, 0::2], wide[:, 1::2]


def _uniform_floats(words: np.ndarray, mantissa_bits: int) -> np.ndarray:
    fraction = words & np.uint32((1 << mantissa_bits) - 1)
    return fraction.astype(np.float32) * np.float32(2.0**-mantissa_bits)


def uniform_doubles(words: np.ndarray) -> np.ndarray:
    """Uniform float64 in [0, 1) from words `[n, 4]`: `[n, 2]`."""
    high, low = _double_words(words)
    fraction = (high & np.uint64(0xFFFFF)) << np.uint64(32) | low
    return fraction * 2.0**-52


def random_uniform(stream: PhiloxStream, count: int, dtype: np.dtype) -> np.ndarray:
    """Draws `count` uniform numbers in [0, 1): float16, bfloat16, float32 or float64."""
    if dtype == np.float64:
        return _fill(stream, count, dtype, uniform_doubles)
    bits = _MANTISSA_BITS[dtype.name]
    return _fill(stream, count, dtype, lambda words: _uniform_floats(words, bits))


def random_bits(stream: PhiloxStream, count: int, dtype: np.dtype) -> np.ndarray:
    """Draws `count` integers over the whole range of a 32- or 64-bit dtype."""
    if dtype.itemsize == 4:
        return _fill(stream, count, np.dtype(np.uint32), np.asarray).view(dtype)

    def convert(words: np.ndarray) -> np.ndarray:
        low, high = _double_words(words)
        return low | high << np.uint64(32)

    return _fill(stream, count, np.dtype(np.uint64), convert).view(dtype)


def random_uniform_int(
    stream: PhiloxStream, count: int, minval: int, maxval: int, dtype: np.dtype
) -> np.ndarray:
    """Draws `count` integers of [minval, maxval).

    The remainder favours small values by a part in 2³² / (maxval − minval), as in TensorFlow.

    Args:
      dtype: int32, int64, uint32 or uint64.

    Raises:
      InvalidArgumentError: the range is empty.
    """
    if minval >= maxval:
        raise InvalidArgumentError(
            None, None, "Need minval < maxval", received=f"{minval} >= {maxval}"
        )
    bits = random_bits(stream, count, np.dtype(f"u{dtype.itemsize}"))
    bits %= bits.dtype.type(maxval - minval)
    # Unsigned addition wraps around to the signed sum.
    bits += bits.dtype.type(minval % (1 << 8 * dtype.itemsize))
    return bits.view(dtype)


def normal_floats(words: np.ndarray) -> np.ndarray:
    """Standard normal float32 from words `[n, 4]`: `[n, 4]`."""
    uniforms = _uniform_floats(words, _MANTISSA_BITS["float32"])
    first = np.maximum(uniforms[:, 0::2], np.float32(_SMALLEST_UNIFORM)).ravel()
    # The angle is a float64 product, rounded once.
    angle = (2 * np.pi * uniforms[:, 1::2].astype(np.float64)).astype(np.float32).ravel()
    radius = np.sqrt(np.float32(-2) * log(first))
    sine, cosine = sine_and_cosine(angle)
    return np.stack((sine * radius, cosine * radius), axis=-1).reshape(words.shape)


def normal_doubles(words: np.ndarray) -> np.ndarray:
    """Standard normal float64 from words `[n, 4]`: `[n, 2]`."""
    first, second = uniform_doubles(words).T
    first = np.maximum(first, _SMALLEST_UNIFORM)
    # libm's logarithm, one by one: NumPy's vectorised one differs in the last bit now and then.
    logarithm = np.fromiter(map(math.log, first.tolist()), np.float64, len(first))
    radius = np.sqrt(-2 * logarithm)
    angle = 2 * np.pi * second
    return np.stack((np.sin(angle) * radius, np.cos(angle) * radius), axis=-1)


def random_normal(stream: PhiloxStream, count: int, dtype: np.dtype) -> np.ndarray:
    """Draws `count` standard normal numbers: float16, bfloat16, float32 or float64."""
    convert = normal_doubles if dtype == np.float64 else normal_floats
    return _fill(stream, count, dtype, convert)


def truncated_normal(stream: PhiloxStream, count: int, dtype: np.dtype) -> np.ndarray:
    """Draws `count` standard normal numbers, those outside of (−2, 2) drawn again.

    Elements come in groups of as many as one counter gives. Group g draws from counter 64·g·(its
    size) on, so that its elements do not depend on how often other groups had to draw.
    """
    group_size = _elements_per_counter(dtype)
    draw = normal_doubles if dtype == np.float64 else normal_floats
    groups = -(-count // group_size)
    check_allocation((groups, group_size), dtype)
    values = np.empty((groups, group_size), dtype)
    spacing = group_size * _COUNTERS_PER_TRUNCATED
    for first in range(0, groups, _STRETCH):
        part = values[first : first + _STRETCH]
        part[...] = _truncated_groups(stream.skip(first * spacing), len(part), spacing, draw)
    return values.reshape(-1)[:count]


def _truncated_groups(
    stream: PhiloxStream, groups: int, spacing: int, draw: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    open_groups = np.arange(groups, dtype=np.uint64)
    values = filled = None
    attempt = 0
    while len(open_groups):
        drawn = draw(stream.words_at(open_groups * np.uint64(spacing) + np.uint64(attempt)))
        if values is None or filled is None:
            values, filled = np.empty_like(drawn), np.zeros(groups, np.int64)
        accepted = np.abs(drawn) < _TRUNCATION
        slots = filled[open_groups, np.newaxis] + np.cumsum(accepted, axis=1) - 1
        rows, columns = np.nonzero(accepted & (slots < values.shape[1]))
        values[open_groups[rows], slots[rows, columns]] = drawn[rows, columns]
        filled[open_groups] += accepted.sum(axis=1)
        open_groups = open_groups[filled[open_groups] < values.shape[1]]
        attempt += 1
    return values if values is not None else np.empty((0, spacing // _COUNTERS_PER_TRUNCATED))
