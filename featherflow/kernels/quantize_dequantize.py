"""Rounding of floats to the values that integers of some bits can stand for, symmetric about 0.

    y = round(clamp(x) · scale) / scale           q_min / min and q_max / max, the smaller one

Equal to TensorFlow's to the last bit: all steps round to the dtype of `x`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class SymmetricScale(NamedTuple):
    """How values become integers, for one range or one per channel.

    Attributes:
      low, high: the values of the least and the largest integer.
      scale: integers per unit.
      inverse_scale: units per integer, rounded on its own.
    """

    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    inverse_scale: np.ndarray


def symmetric_scale(
    low: np.ndarray, high: np.ndarray, num_bits: int, *, signed: bool, narrow_range: bool
) -> SymmetricScale:
    """The scale at which [low, high] fits into integers of `num_bits` bits; widens the range."""
    dtype = low.dtype.type
    if signed:
        least, largest = -(1 << (num_bits - 1)) + narrow_range, (1 << (num_bits - 1)) - 1
    else:
        least, largest = 0, (1 << num_bits) - 1
    q_min, q_max = dtype(least), dtype(largest)
    unbounded = np.finfo(low.dtype).max
    with np.errstate(all="ignore"):
        from_low = np.where(q_min * low > 0, q_min / low, unbounded)
        from_high = np.where(q_max * high > 0, q_max / high, unbounded)
        low_decides = from_low < from_high
        inverse_scale = np.where(low_decides, low / q_min, high / q_max)
        return SymmetricScale(
            np.where(low_decides, low, q_min * inverse_scale),
            np.where(low_decides, q_max * inverse_scale, high),
            np.where(low_decides, from_low, from_high),
            inverse_scale,
        )


def value_range(x: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """The least and largest value, scalars, or `[C]` of each place along `axis` unless it is −1."""
    others = tuple(place for place in range(x.ndim) if axis == -1 or place != axis)
    # NaN takes no part.
    low, high = (
        np.asarray(extremum.reduce(x, axis=others, initial=start))
        for extremum, start in ((np.fmin, np.inf), (np.fmax, -np.inf))
    )
    return low, high


def along_axis(values: np.ndarray, ndim: int, axis: int) -> np.ndarray:
    """`[C]` shaped so that it broadcasts along `axis` of an array of `ndim` dimensions."""
    if axis == -1:
        return values
    return values.reshape([-1 if place == axis else 1 for place in range(ndim)])


def quantize_and_dequantize(
    x: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    num_bits: int,
    *,
    signed: bool,
    range_given: bool,
    half_up: bool,
    narrow_range: bool,
) -> np.ndarray:
    """Rounds `x` to integers at the scale of [low, high], and scales back.

    Args:
      low, high: broadcast against `x`, and have its dtype.
      range_given: clamps what lies outside the range; else nothing does.
      half_up: rounds halves up, not to even.
    """
    levels = symmetric_scale(low, high, num_bits, signed=signed, narrow_range=narrow_range)
    if range_given:
        x = np.maximum(np.minimum(x, levels.high), levels.low)
    scaled = x * levels.scale
    rounded = np.floor(scaled + x.dtype.type(0.5)) if half_up else np.rint(scaled)
    return np.asarray(rounded * levels.inverse_scale)
