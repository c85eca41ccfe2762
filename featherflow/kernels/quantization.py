"""Quantised values: integers that stand for floats of a range, and the ways from one to the other.

    q = round(x · s) − round(min · s) + q_min      s = 2^bits / (range · 2^bits / (2^bits − 1))
    x = (q − q_min) / s + min                      min rounded to a multiple of 1 / s

That is the mode MIN_FIRST, in which quantised arithmetic is done; the others are for models that
bring their own. Arrays here hold plain integers; see `stored` and `of_dtype` for the elements of
quantised dtypes. Equal to TensorFlow's to the last bit: float32 where it rounds to float32.

See: Jacob et al. 2018, "Quantization and training of neural networks for efficient
integer-arithmetic-only inference".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from featherflow.framework.dtypes import DType

_HALF = np.float32(0.5)


def stored(values: np.ndarray) -> np.ndarray:
    """The integers of an array of a quantised dtype; the same memory."""
    return values.view(values.dtype[0])


def of_dtype(integers: np.ndarray, dtype: DType) -> np.ndarray:
    """Integers, which fit, as an array of a quantised dtype."""
    plain = integers.astype(dtype.numpy_dtype[0])
    return plain.view(dtype.numpy_dtype)


def integer_limits(dtype: DType) -> np.iinfo:
    """The limits of the integers of a quantised dtype."""
    return np.iinfo(dtype.numpy_dtype[0])


def round_away(x: np.ndarray) -> np.ndarray:
    """Rounds to integers, halves away from 0."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole).astype(x.dtype)


def wrapped(x: np.ndarray, limits: np.iinfo) -> np.ndarray:
    """Whole floats as integers; beyond int32 they become its least value, as x86 converts them."""
    integers = x.astype(np.float64)
    fits = (integers >= limits.min) & (integers <= limits.max)
    return np.where(fits, integers, limits.min).astype(np.int64)


# --- MIN_FIRST ------------------------------------------------------------------------------------


class _Steps(NamedTuple):
    """How a range is cut into as many steps as there are integers."""

    scale: np.ndarray
    minimum: np.ndarray


def _float32_steps(low: np.ndarray, high: np.ndarray, limits: np.iinfo) -> _Steps:
    """The width of a step and the minimum, a whole number of steps; all in float32."""
    count = float(1 << limits.bits)
    scale = ((high - low).astype(np.float64) / (count - 1)).astype(np.float32)
    minimum = np.where(scale == 0, low, round_away(np.asarray(low / scale)) * scale)
    return _Steps(scale, minimum.astype(np.float32))


def dequantize_min_first(
    q: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo
) -> np.ndarray:
    """Integers as float32, all arithmetic in float32."""
    steps = _float32_steps(low, high, limits)
    offset = steps.minimum - np.float32(limits.min) * steps.scale
    return np.asarray(q.astype(np.float32) * steps.scale + offset)


def quantize_min_first(
    x: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo
) -> np.ndarray:
    """Float32 as integers, all arithmetic in float32; what lies outside is clamped."""
    if low == high:
        return np.full(x.shape, limits.min, np.int64)
    count = float(1 << limits.bits)
    width = (high - low).astype(np.float64) * (count / (count - 1))
    scale = np.float32(count / width)
    lowest = np.float32(limits.min)
    highest = np.float32(limits.max)
    if float(highest) > limits.max:
        highest = np.nextafter(highest, np.float32(0))
    steps = round_away(x * scale) - (round_away(np.asarray(low * scale)) - lowest)
    return np.clip(steps, lowest, highest).astype(np.int64)


def exact_float(q: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo) -> np.ndarray:
    """Integers as float32, the arithmetic between in float64."""
    if low == high:
        return np.full(q.shape, low, np.float32)
    count = float(1 << limits.bits)
    scale = (high - low).astype(np.float64) * (count / (count - 1)) / count
    narrow = np.float32(scale)
    minimum = (round_away(np.asarray(low / narrow)) * narrow).astype(np.float64)
    wide = q.astype(np.float32).astype(np.float64)
    return (wide * scale + (minimum - limits.min * scale)).astype(np.float32)


def exact_integer(x: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo) -> np.ndarray:
    """Float32 as integers, the arithmetic between in float64; what lies outside is clamped."""
    steps = unclamped_integer(x, low, high, limits)
    return np.clip(steps, limits.min, limits.max).astype(np.int64)


def unclamped_integer(
    x: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo
) -> np.ndarray:
    """`exact_integer` as float64, without clamping."""
    if low == high:
        return np.full(np.shape(x), limits.min, np.float64)
    count = float(1 << limits.bits)
    scale = count / ((high - low).astype(np.float64) * (count / (count - 1)))
    first = round_away(np.asarray(low.astype(np.float64) * scale))
    return round_away(np.asarray(x).astype(np.float64) * scale) - first + limits.min


def integer_of_zero(low: np.ndarray, high: np.ndarray, limits: np.iinfo) -> int:
    """The integer that stands for 0; outside of the limits where the range does not hold 0."""
    return int(unclamped_integer(np.zeros((), np.float32), low, high, limits))


# --- MIN_COMBINED ---------------------------------------------------------------------------------


def quantize_min_combined(
    x: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo
) -> np.ndarray:
    """Float32 as integers: q = round((clamp(x) − min) · q_range / range − half of q_range)."""
    scale = np.float32(float(limits.max) - float(limits.min)) / (high - low)
    shifted = (np.maximum(np.minimum(x, high), low) - low) * scale
    if limits.min == 0:
        return wrapped(np.floor(shifted + _HALF), limits)
    half = np.float32((float(limits.max) - float(limits.min) + 1) / 2)
    return wrapped(round_away(shifted - half), limits)


def dequantize_min_combined(
    q: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo
) -> np.ndarray:
    """Integers as float32: x = (q + half of q_range) · range / q_range + min."""
    q_range = float(limits.max) - float(limits.min)
    half = np.float32((q_range + 1) / 2 if limits.min else 0)
    return np.asarray((q.astype(np.float32) + half) * ((high - low) / np.float32(q_range)) + low)


# --- SCALED ---------------------------------------------------------------------------------------


def scaled_range(
    low: np.ndarray, high: np.ndarray, limits: np.iinfo, narrow_range: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The integers per unit at which a range fits, and the range of all integers at that scale."""
    q_min, q_max = np.float32(limits.min + narrow_range), np.float32(limits.max)
    unbounded = np.finfo(np.float32).max
    from_low = np.where(q_min * low > 0, q_min / low, unbounded)
    from_high = np.where(q_max * high > 0, q_max / high, unbounded)
    scale = np.minimum(from_low, from_high).astype(np.float32)
    return scale, np.asarray(q_min / scale), np.asarray(q_max / scale)


def quantize_scaled(
    x: np.ndarray,
    scale: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    limits: np.iinfo,
    half_to_even: bool,
) -> np.ndarray:
    """Float32 as integers: q = round(clamp(x) · scale)."""
    scaled = np.maximum(np.minimum(x, high), low) * scale
    return wrapped(np.rint(scaled) if half_to_even else round_away(scaled), limits)


def dequantize_scaled(
    q: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo, narrow_range: bool
) -> np.ndarray:
    """Integers as float32: x = q · max(min / q_min, max / q_max)."""
    scale = high / np.float32(limits.max)
    if limits.min:
        scale = np.maximum(low / np.float32(limits.min + narrow_range), scale)
    # Large int32 round up to a float that is none, and turn negative.
    values = q.astype(np.float32)
    values = np.where(values > limits.max, np.float32(limits.min), values)
    return np.asarray(values * scale)


# --- from one range to another --------------------------------------------------------------------


def requantize(
    q: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    out_low: np.ndarray,
    out_high: np.ndarray,
    limits: np.iinfo,
    out_limits: np.iinfo,
) -> np.ndarray:
    """Integers of one range as the nearest ones of another."""
    if limits.bits == 32 and out_limits.min == 0 and out_limits.bits == 8:
        return _requantize_fixed_point(q, low, high, out_low, out_high)
    return exact_integer(exact_float(q, low, high, limits), out_low, out_high, out_limits)


def _requantize_fixed_point(
    q: np.ndarray, low: np.ndarray, high: np.ndarray, out_low: np.ndarray, out_high: np.ndarray
) -> np.ndarray:
    """int32 to uint8 with 16 bits behind the point, as TensorFlow does for this pair alone."""
    out_width = out_high - out_low
    one, steps = np.float32(1 << 16), np.float32(255)
    if out_width == 0:
        return np.zeros(q.shape, np.int64)
    centre = (low + high) / np.float32(2)
    scale = int(steps * one * (high - low) / out_width)
    offset = int(centre * (steps / out_width) * one) - int(one * (out_low * steps) / out_width)
    scaled = (q.astype(np.int64) * scale + (1 << 31)) >> 32
    return np.clip((scaled + offset + (1 << 15)) >> 16, 0, 255)


def requantize_linearly(
    q: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    out_low: np.ndarray,
    out_high: np.ndarray,
    limits: np.iinfo,
    out_limits: np.iinfo,
) -> np.ndarray:
    """`requantize` by a whole number of steps for each step: exact at 0 and 1, linear between."""
    ends = requantize(np.arange(2), low, high, out_low, out_high, limits, out_limits)
    return ends[0] + q.astype(np.int64) * (ends[1] - ends[0])


# --- ranges of results ----------------------------------------------------------------------------


def product_range(
    ranges: tuple[np.ndarray, ...], limits: tuple[np.iinfo, np.iinfo], out_limits: np.iinfo
) -> tuple[np.ndarray, np.ndarray]:
    """What the least and largest integer stand for where one step is a product of two steps.

    Args:
      ranges: low and high of the first factor, then of the second; `[C]` for one per channel.
    """
    first = step_width(ranges[0], ranges[1], limits[0])
    step = first * step_width(ranges[2], ranges[3], limits[1])
    return np.asarray(step * np.float32(out_limits.min)), np.asarray(
        step * np.float32(out_limits.max)
    )


def step_width(low: np.ndarray, high: np.ndarray, limits: np.iinfo) -> np.ndarray:
    """How far the floats of two neighbouring integers are apart."""
    return np.asarray((high - low) / np.float32(float(limits.max) - float(limits.min)))


def sum_range(bounds: tuple[np.ndarray, ...], factor: int) -> tuple[np.ndarray, np.ndarray]:
    """A range about 0 that is `factor` times as large as the largest of `bounds`."""
    low = np.minimum(bounds[0], bounds[2])
    high = np.maximum(bounds[1], bounds[3])
    reach = np.maximum(high, -low) * np.float32(factor)
    return np.asarray(-reach), np.asarray(reach)
