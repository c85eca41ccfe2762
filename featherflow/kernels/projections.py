"""Images seen through projective transforms.

The output at (x, y) is the input at

    ((a₀ x + a₁ y + a₂) / k, (b₀ x + b₁ y + b₂) / k)      k = c₀ x + c₁ y + 1

for a transform (a₀, a₁, a₂, b₀, b₁, b₂, c₀, c₁).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

#: Of coordinates and the size of the image along them.
Mapping = Callable[[np.ndarray, int], np.ndarray]


def _reflected(places: np.ndarray, size: int) -> np.ndarray:
    """Mirrored at the outer edges of the first and the last pixel, again and again."""
    if size <= 1:
        return np.where((places < 0) | (places > size - 1), np.float32(0), places)
    period = np.float32(2 * size)
    below = np.where(places < -period, places + period * np.trunc(-places / period), places)
    below = np.where(below < -size, below + period, -below - 1)
    above = places - period * np.trunc(places / period)
    above = np.where(above >= size, period - above - 1, above)
    mapped = np.where(places < 0, below, np.where(places > size - 1, above, places))
    return _limited(mapped, size)


def _wrapped(places: np.ndarray, size: int) -> np.ndarray:
    """Started over at the other side."""
    if size <= 1:
        return np.where((places < 0) | (places > size - 1), np.float32(0), places)
    length, last = np.float32(size), np.float32(size - 1)
    below = places + length * (np.trunc(-places / last) + 1)
    above = places - length * np.trunc(places / last)
    mapped = np.where(places < 0, below, np.where(places > last, above, places))
    return _limited(mapped, size)


def _limited(places: np.ndarray, size: int) -> np.ndarray:
    """The nearest place in the image."""
    return np.clip(places, np.float32(0), np.float32(size - 1))


def _unchanged(places: np.ndarray, size: int) -> np.ndarray:
    return places


FILL_MODES: dict[str, Mapping] = {
    "REFLECT": _reflected,
    "WRAP": _wrapped,
    "NEAREST": _limited,
    "CONSTANT": _unchanged,
}
INTERPOLATIONS = ("NEAREST", "BILINEAR")


def project(
    images: np.ndarray,
    transforms: np.ndarray,
    size: tuple[int, int],
    interpolation: str,
    fill_mode: str,
    fill_value: float,
) -> np.ndarray:
    """Images `[N, H, W, C]` through transforms `[N or 1, 8]`, as `[N, *size, C]`.

    Args:
      interpolation: "NEAREST" or "BILINEAR".
      fill_mode: what lies outside an image: "REFLECT", "WRAP", "NEAREST", or "CONSTANT", which is
        `fill_value`; so is what the transform sends to infinity.
    """
    fill = np.asarray(fill_value).astype(images.dtype)
    if not images.size:
        return np.full((len(images), *size, images.shape[3]), fill)
    steps = [np.arange(count, dtype=np.float32) for count in size]
    y, x = steps[0][:, None], steps[1]
    a0, a1, a2, b0, b1, b2, c0, c1 = transforms.T[:, :, None, None]
    with np.errstate(all="ignore"):
        k = c0 * x + c1 * y + np.float32(1)
        places_x = (a0 * x + a1 * y + a2) / k
        places_y = (b0 * x + b1 * y + b2) / k
        map_places = FILL_MODES[fill_mode]
        places_x = map_places(places_x, images.shape[2])
        places_y = map_places(places_y, images.shape[1])
        reader = _Reader(images, fill_value)
        if interpolation == "NEAREST":
            result = reader.at(_rounded(places_y), _rounded(places_x))
        else:
            result = reader.between(places_y, places_x)
    finite = np.broadcast_to((k != 0)[..., None], result.shape)
    return np.where(finite, result, fill).astype(images.dtype, copy=False)


def _rounded(places: np.ndarray) -> np.ndarray:
    """Halves away from zero."""
    whole = np.trunc(places)
    return whole + np.where(np.abs(places - whole) >= 0.5, np.sign(places), 0)


class _Reader:
    """Pixels of images at places `[N or 1, rows, columns]`, and a value outside of them."""

    def __init__(self, images: np.ndarray, fill_value: float) -> None:
        self.images = images
        self.fill = np.asarray(fill_value).astype(images.dtype)
        self.batch = np.arange(len(images))[:, None, None]

    def at(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The pixels at whole places."""
        height, width = self.images.shape[1:3]
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        places = (
            np.where(inside, rows, 0).astype(np.int64),
            np.where(inside, columns, 0).astype(np.int64),
        )
        return np.where(inside[..., None], self.images[self.batch, *places], self.fill)

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Pixels interpolated linearly."""
        wide = np.float64 if self.images.dtype == np.float64 else np.float32
        top, left = np.floor(rows), np.floor(columns)
        bottom, right = top + 1, left + 1
        down, across = (rows - top)[..., None], (columns - left)[..., None]
        up, back = (bottom - rows)[..., None], (right - columns)[..., None]
        corners = [
            self.at(row, column).astype(wide) for row in (top, bottom) for column in (left, right)
        ]
        upper = back * corners[0] + across * corners[1]
        lower = back * corners[2] + across * corners[3]
        return up * upper + down * lower


def check_modes(interpolation: str, fill_mode: str) -> None:
    """Raises InvalidArgumentError unless there are such an interpolation and fill mode."""
    if interpolation not in INTERPOLATIONS:
        raise InvalidArgumentError(
            None,
            None,
            "Invalid interpolation",
            received=interpolation,
            expected=" or ".join(INTERPOLATIONS),
        )
    if fill_mode not in FILL_MODES:
        raise InvalidArgumentError(
            None, None, "Invalid fill mode", received=fill_mode, expected=", ".join(FILL_MODES)
        )
