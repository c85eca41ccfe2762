"""Fake quantisation: float32 values rounded to the levels that integers of few bits stand for.

    scale = (max − min) / (q_max − q_min)          q_max = 2^bits − 1, q_min = 0, or 1 if narrow
    y = (⌊(clamp(x) − low) / scale − zero + ½⌋) · scale

`low` and `high` are min and max moved so that 0 is one of the levels. Equal to TensorFlow's to the
last bit: every step rounds to float32.

See: Jacob et al. 2018, "Quantization and training of neural networks for efficient
integer-arithmetic-only inference".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_HALF = np.float32(0.5)


class Levels(NamedTuple):
    """The levels of one range, or of one range per channel.

    Attributes:
      low, high: the least and the largest level.
      scale: the distance of two levels.
      inverse_scale: levels per unit, rounded on its own: not the reciprocal of `scale`.
    """

    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    inverse_scale: np.ndarray


def nudged_levels(
    minimum: np.ndarray, maximum: np.ndarray, num_bits: int, narrow_range: bool
) -> Levels:
    """The levels between `minimum` and `maximum`, moved so that 0 is one of them."""
    lowest = np.float32(1 if narrow_range else 0)
    highest = np.float32((1 << num_bits) - 1)
    width = maximum - minimum
    scale = width / (highest - lowest)
    zero = lowest - minimum / scale
    below = np.floor(zero)
    rounded = np.where(zero - below >= _HALF, below + np.float32(1), below)
    level_of_zero = np.clip(rounded, lowest, highest)
    return Levels(
        (lowest - level_of_zero) * scale,
        (highest - level_of_zero) * scale,
        scale,
        (highest - lowest) / width,
    )


def _quantized(x: np.ndarray, levels: Levels, *, divides: bool) -> np.ndarray:
    zero = np.floor(-levels.low * levels.inverse_scale + _HALF)
    shifted = np.maximum(np.minimum(x, levels.high), levels.low) - levels.low
    steps = shifted / levels.scale if divides else shifted * levels.inverse_scale
    return np.asarray(np.floor(steps - zero + _HALF) * levels.scale)


def fake_quant(
    x: np.ndarray, minimum: np.ndarray, maximum: np.ndarray, num_bits: int, narrow_range: bool
) -> np.ndarray:
    """Rounds `x` to the levels of a range that attributes give: multiplies by levels per unit."""
    levels = nudged_levels(minimum, maximum, num_bits, narrow_range)
    return _quantized(x, levels, divides=False)


def fake_quant_gradient(
    gradient: np.ndarray,
    x: np.ndarray,
    minimum: np.ndarray,
    maximum: np.ndarray,
    num_bits: int,
    narrow_range: bool,
) -> np.ndarray:
    """The gradient of `fake_quant`: passed on within the levels, 0 outside."""
    levels = nudged_levels(minimum, maximum, num_bits, narrow_range)
    is_within = (x >= levels.low) & (x <= levels.high)
    return np.asarray(np.where(is_within, gradient, np.float32(0)))


def fake_quant_variable(
    x: np.ndarray, minimum: np.ndarray, maximum: np.ndarray, num_bits: int, narrow_range: bool
) -> np.ndarray:
    """Rounds `x` to the levels of one range, a scalar each: divides by the distance of levels."""
    if minimum == 0 and maximum == 0:
        return np.zeros(x.shape, np.float32)
    levels = nudged_levels(minimum, maximum, num_bits, narrow_range)
    return _quantized(x, levels, divides=True)


def fake_quant_channels(
    x: np.ndarray, minimum: np.ndarray, maximum: np.ndarray, num_bits: int, narrow_range: bool
) -> np.ndarray:
    """Rounds `x`, `[…, C]`, to the levels of a range per channel, `[C]` each."""
    levels = nudged_levels(minimum, maximum, num_bits, narrow_range)
    is_point = (minimum == 0) & (maximum == 0)
    return np.where(is_point, np.float32(0), _quantized(x, levels, divides=False))


def fake_quant_range_gradients(
    gradient: np.ndarray,
    x: np.ndarray,
    minimum: np.ndarray,
    maximum: np.ndarray,
    num_bits: int,
    narrow_range: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients along `x`, `minimum` and `maximum`, which are scalars or `[C]`.

    What lies below the levels moves with `minimum`, what lies above with `maximum`. A range that
    is nothing but 0 passes everything on.
    """
    levels = nudged_levels(minimum, maximum, num_bits, narrow_range)
    is_point = (minimum == 0) & (maximum == 0)
    is_below, is_above = (x < levels.low) & ~is_point, (x > levels.high) & ~is_point
    is_within = ((x >= levels.low) & (x <= levels.high)) | is_point
    axes = tuple(range(x.ndim - minimum.ndim))
    parts = [
        np.where(chosen, gradient, np.float32(0)) for chosen in (is_within, is_below, is_above)
    ]
    along_x, below, above = parts
    return along_x, np.asarray(below.sum(axis=axes)), np.asarray(above.sum(axis=axes))
