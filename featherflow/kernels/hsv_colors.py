"""Colours as hue, saturation and value, and what hue, saturation and contrast are changed by.

    value = max(r, g, b)      saturation = (max − min) / max      hue = a sixth of a turn for each
                                                                  of red, yellow, green, cyan, …

Hue is in turns, of [0, 1). Arrays end in the three channels.

See: Smith 1978, "Color gamut transform pairs".
"""

from __future__ import annotations

import numpy as np

# Where the largest, middle and smallest channel stand in each sixth of a turn of hue.
_ORDERS = np.array([[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [0, 2, 1]])


def rgb_to_hsv(images: np.ndarray) -> np.ndarray:
    """Colours as hue, saturation and value, in the dtype of `images`."""
    number = images.dtype.type
    red, green, blue = np.moveaxis(images, -1, 0)
    value = images.max(axis=-1)
    with np.errstate(all="ignore"):
        extent = value - images.min(axis=-1)
        saturation = np.where(value > 0, extent / value, number(0))
        turn = number(1) / (number(6) * extent)
        hue = np.where(
            red == value,
            turn * (green - blue),
            np.where(
                green == value,
                turn * (blue - red) + number(2 / 6),
                turn * (red - green) + number(4 / 6),
            ),
        )
        hue = np.where(extent > 0, hue, number(0))
        hue = np.where(hue < 0, hue + number(1), hue)
    return np.stack([hue, saturation, value], axis=-1).astype(images.dtype, copy=False)


def hsv_to_rgb(images: np.ndarray) -> np.ndarray:
    """Colours as red, green and blue, in the dtype of `images`."""
    number = images.dtype.type
    hue, saturation, value = np.moveaxis(images, -1, 0)
    with np.errstate(all="ignore"):
        sixths = hue * number(6)
        shares = (
            np.abs(sixths - number(3)) - number(1),
            number(2) - np.abs(sixths - number(2)),
            number(2) - np.abs(sixths - number(4)),
        )
        channels = [
            (number(1) - saturation + saturation * np.clip(share, number(0), number(1))) * value
            for share in shares
        ]
    return np.stack(channels, axis=-1).astype(images.dtype, copy=False)


def adjust_hue(images: np.ndarray, delta: np.floating) -> np.ndarray:
    """Turns the hue of float32 images by `delta` turns; the largest and smallest channel stay."""
    red, green, blue = np.moveaxis(images, -1, 0)
    sixth = np.where(
        red < green,
        np.where(blue < red, 1, np.where(blue > green, 3, 2)),
        np.where(blue < green, 0, np.where(blue > red, 4, 5)),
    )
    ordered = np.take_along_axis(images, _ORDERS[sixth], axis=-1)
    high, middle, low = np.moveaxis(ordered, -1, 0)
    with np.errstate(all="ignore"):
        ratio = (middle - low) / (high - low)
        hue = sixth.astype(np.float32) + np.where(sixth % 2, 1 - ratio, ratio)
        hue = np.where(high == low, np.float32(0), hue) + delta * np.float32(6)
        hue = np.where(np.isfinite(hue), np.mod(hue, np.float32(6)), hue)
        known = np.isfinite(hue) & (hue < 6)
        sixth = np.where(known, hue, np.where(np.isfinite(hue), 0, 5)).astype(np.int64)
        ratio = hue - sixth.astype(np.float32)
        ratio = np.where(sixth % 2, 1 - ratio, ratio)
        middle = low + ratio * (high - low)
    result = np.empty_like(images)
    turned = np.stack([high, middle, low], axis=-1).astype(images.dtype)
    np.put_along_axis(result, _ORDERS[sixth], turned, axis=-1)
    return result


def adjust_saturation(images: np.ndarray, scale: np.floating) -> np.ndarray:
    """Multiplies the saturation of float32 images, up to 1."""
    hue, saturation, value = np.moveaxis(rgb_to_hsv(images), -1, 0)
    with np.errstate(all="ignore"):
        scaled = saturation * scale
        scaled = np.minimum(np.where(scaled > 0, scaled, np.float32(0)), np.float32(1))
        chroma = scaled * value
        low = value - chroma
        sixths = hue * np.float32(6)
        middle = chroma * (1 - np.abs(np.mod(sixths, np.float32(2)) - 1))
    sixth = np.clip(np.nan_to_num(sixths), 0, 5).astype(np.int64)
    ordered = np.stack([chroma, middle, np.zeros_like(middle)], axis=-1)
    result = np.empty_like(images)
    np.put_along_axis(result, _ORDERS[sixth], ordered, axis=-1)
    return result + low[..., None]


def adjust_contrast(images: np.ndarray, factor: np.floating) -> np.ndarray:
    """Scales how far pixels `[…, H, W, C]`, float32, are from the mean of their channel."""
    with np.errstate(all="ignore"):
        count = np.float32(images.shape[-3] * images.shape[-2])
        mean = images.sum(axis=(-3, -2), keepdims=True, dtype=np.float32) / count
        return (images - mean) * factor + mean
