"""Resizing of images: nearest neighbour, bilinear, bicubic and area, with their gradients.

Output position o along a dimension of `size` positions reads the input at

    o · size / outputs                              by default: corners of pixels fall together
    o · (size − 1) / (outputs − 1)                  align_corners: centres of corner pixels do
    (o + ½) · size / outputs − ½                    half_pixel_centers: centres of pixels do

Images are `[N, H, W, C]`. All kinds are separable, so one dimension is resized after the other, as
a weighted sum of a few rows of the input for each row of the output. Positions are computed in
float32, as TensorFlow does: which pixel is nearest depends on the last bit.

See: Keys 1981, "Cubic convolution interpolation for digital image processing".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

# TensorFlow looks cubic weights up in a table of this many steps for one pixel.
_CUBIC_STEPS = 1024


class Grid(NamedTuple):
    """How positions of the output lie on those of the input."""

    align_corners: bool = False
    half_pixel_centers: bool = False

    def scale(self, size: int, outputs: int) -> np.float32:
        """The distance of consecutive outputs, in positions of the input."""
        if self.align_corners and outputs > 1:
            return np.float32(size - 1) / np.float32(outputs - 1)
        return np.float32(size) / np.float32(outputs)

    def positions(self, size: int, outputs: int) -> np.ndarray:
        """Where each output reads, float32."""
        steps = np.arange(outputs, dtype=np.float32)
        scale = self.scale(size, outputs)
        if self.half_pixel_centers:
            half = np.float32(0.5)
            return (steps + half) * scale - half
        return steps * scale


class Taps(NamedTuple):
    """The rows that each output reads: `indices` and float32 `weights`, `[taps, outputs]`.

    Indices of one tap do not decrease.
    """

    indices: np.ndarray
    weights: np.ndarray


MakeTaps = Callable[[int, int, Grid], Taps]


def check_images(images: np.ndarray, size: np.ndarray, grid: Grid) -> tuple[int, int]:
    """The height and width that `size` asks for.

    Raises:
      InvalidArgumentError: images have another rank or no pixels, sizes are not two positive
        numbers, or both ways to align are asked for.
    """
    if grid.align_corners and grid.half_pixel_centers:
        raise InvalidArgumentError(
            None, None, "If half_pixel_centers is True, align_corners must be False"
        )
    if images.ndim != 4:
        raise InvalidArgumentError(
            None, None, "input must be 4-dimensional", received=f"shape {list(images.shape)}"
        )
    if 0 in images.shape[1:]:
        raise InvalidArgumentError(
            None,
            None,
            "input image must be of non-zero size",
            received=f"shape {list(images.shape)}",
        )
    return check_size(size)


def check_size(size: np.ndarray) -> tuple[int, int]:
    """`size` as height and width.

    Raises:
      InvalidArgumentError: they are not two positive numbers.
    """
    if size.shape != (2,) or size.min() <= 0:
        raise InvalidArgumentError(
            None,
            None,
            "output dimensions must be two positive numbers",
            received=f"{size.tolist()}",
        )
    height, width = size.tolist()
    return height, width


# --- which rows each output reads -----------------------------------------------------------------


def nearest_indices(size: int, outputs: int, grid: Grid) -> np.ndarray:
    """The nearest input position of each output."""
    steps = np.arange(outputs, dtype=np.float32)
    scale = grid.scale(size, outputs)
    if grid.align_corners:
        positions = steps * scale
        whole = np.trunc(positions)
        nearest = whole + (positions - whole >= 0.5)  # halves away from zero
    else:
        nearest = np.floor((steps + np.float32(0.5) if grid.half_pixel_centers else steps) * scale)
    return np.minimum(nearest.astype(np.int64), size - 1)


def bilinear_taps(size: int, outputs: int, grid: Grid) -> Taps:
    """The two neighbours of each position, weighted by their nearness."""
    positions = grid.positions(size, outputs)
    below = np.floor(positions)
    fraction = positions - below
    lower = np.maximum(below.astype(np.int64), 0)
    upper = np.minimum(np.ceil(positions).astype(np.int64), size - 1)
    return Taps(np.stack([lower, upper]), np.stack([1 - fraction, fraction]))


def bicubic_taps(size: int, outputs: int, grid: Grid) -> Taps:
    """Four neighbours, weighted by Keys' cubic; with a = −¾, or −½ at half pixel centres."""
    positions = grid.positions(size, outputs)
    below = np.floor(positions)
    fraction = np.rint((positions - below) * _CUBIC_STEPS) / _CUBIC_STEPS
    a = -0.5 if grid.half_pixel_centers else -0.75
    weights = np.stack(
        [
            _far_cubic(fraction + 1, a),
            _near_cubic(fraction, a),
            _near_cubic(1 - fraction, a),
            _far_cubic(2 - fraction, a),
        ]
    )
    wanted = below.astype(np.int64) + np.arange(-1, 3).reshape(4, 1)
    indices = np.clip(wanted, 0, size - 1)
    if grid.half_pixel_centers:  # pixels outside do not count; elsewhere the edge is repeated
        weights = np.where(indices == wanted, weights, 0)
        weights /= weights.sum(axis=0)
    return Taps(indices, weights.astype(np.float32))


def _near_cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic at 0 ≤ x ≤ 1."""
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _far_cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic at 1 ≤ x ≤ 2."""
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def area_taps(size: int, outputs: int, grid: Grid) -> Taps:
    """All pixels between one output's position and the next, weighted by their overlap."""
    scale = grid.scale(size, outputs)
    if scale == 0:  # one pixel whose corners are all corners: it covers everything
        return Taps(np.zeros((1, outputs), np.int64), np.ones((1, outputs), np.float32))
    steps = np.arange(outputs + 1, dtype=np.float32) * scale
    start, end = steps[:-1], steps[1:]
    first = np.floor(start).astype(np.int64)
    count = int((np.ceil(end).astype(np.int64) - first).max())
    pixels = first + np.arange(count).reshape(count, 1)
    overlap = np.minimum(pixels + 1, end) - np.maximum(pixels, start)
    weights = np.maximum(overlap, 0) / scale
    return Taps(np.clip(pixels, 0, size - 1), weights.astype(np.float32))


# --- resizing -------------------------------------------------------------------------------------


def resize_nearest(images: np.ndarray, height: int, width: int, grid: Grid) -> np.ndarray:
    """`images` in another size, each pixel a copy of the nearest one.

    >>> row = np.array([1, 2], np.uint8).reshape(1, 1, 2, 1)
    >>> resize_nearest(row, 1, 4, Grid()).ravel().tolist()
    [1, 1, 2, 2]
    """
    rows = nearest_indices(images.shape[1], height, grid)
    columns = nearest_indices(images.shape[2], width, grid)
    return images.take(rows, axis=1).take(columns, axis=2)


def resize_bilinear(images: np.ndarray, height: int, width: int, grid: Grid) -> np.ndarray:
    """`images` in another size, interpolated between two pixels along each dimension; float32.

    >>> row = np.array([0.0, 4.0]).reshape(1, 1, 2, 1)
    >>> resize_bilinear(row, 1, 4, Grid()).ravel().tolist()
    [0.0, 2.0, 4.0, 4.0]
    """
    values = images.astype(np.float32)
    for axis, outputs in ((1, height), (2, width)):
        (lower, upper), (_, fraction) = bilinear_taps(values.shape[axis], outputs, grid)
        # a + (b − a) · f, not (1 − f) · a + f · b: where a = b, exactly that is the answer.
        start = values.take(lower, axis=axis)
        values = values.take(upper, axis=axis)
        values -= start
        values *= _along(fraction, axis)
        values += start
    return values


def resize_by_taps(
    images: np.ndarray, height: int, width: int, grid: Grid, make_taps: MakeTaps
) -> np.ndarray:
    """`images` in another size, each pixel a weighted sum of those that `make_taps` names."""
    values = images.astype(np.float32)
    for axis, outputs in ((1, height), (2, width)):
        total: np.ndarray | int = 0
        for indices, weights in zip(*make_taps(values.shape[axis], outputs, grid)):
            total = total + values.take(indices, axis=axis) * _along(weights, axis)
        values = np.asarray(total)
    return values


def _along(vector: np.ndarray, axis: int) -> np.ndarray:
    """A vector that broadcasts along one dimension of images."""
    return vector.reshape([-1 if other == axis else 1 for other in range(4)])


# --- gradients ------------------------------------------------------------------------------------


def gradient_by_taps(
    gradient: np.ndarray,
    height: int,
    width: int,
    grid: Grid,
    make_taps: MakeTaps,
    dtype: np.dtype,
) -> np.ndarray:
    """The gradient of images of a size from that of the resized ones.

    Args:
      gradient: of the output, `[N, H', W', C]`.
      height, width: of the images.
      make_taps: what each output reads.
      dtype: to compute in.
    """
    values = gradient.astype(dtype, copy=False)
    for axis, size in ((2, width), (1, height)):
        taps = make_taps(size, values.shape[axis], grid)
        shares = (values * _along(weights.astype(dtype), axis) for weights in taps.weights)
        values = _collect(zip(taps.indices, shares), values.shape, axis, size, dtype)
    return values


def nearest_gradient(gradient: np.ndarray, height: int, width: int, grid: Grid) -> np.ndarray:
    """The gradient of images of a size from that of `resize_nearest`'s output."""
    values = gradient
    for axis, size in ((2, width), (1, height)):
        indices = nearest_indices(size, values.shape[axis], grid)
        values = _collect([(indices, values)], values.shape, axis, size, values.dtype)
    return values


def _collect(
    parts: Iterable[tuple[np.ndarray, np.ndarray]],
    shape: tuple[int, ...],
    axis: int,
    size: int,
    dtype: np.dtype,
) -> np.ndarray:
    """Adds rows to the rows that sorted indices name, for each pair (indices, rows)."""
    total = np.zeros((*shape[:axis], size, *shape[axis + 1 :]), dtype)
    for indices, rows in parts:
        starts = np.flatnonzero(np.diff(indices, prepend=-1))
        sums = np.add.reduceat(rows, starts, axis=axis)
        total[(slice(None),) * axis + (indices[starts],)] += sums
    return total
