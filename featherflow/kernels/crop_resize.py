"""Boxes cut out of images and resized to one size, and the gradients of that.

A box (y1, x1, y2, x2) is in units of the image without its last row and column: row r of R of the
crop reads the image of height H at

    y1 · (H − 1) + r · (y2 − y1) · (H − 1) / (R − 1)     or  ½ (y1 + y2) · (H − 1)  where R = 1

and likewise for columns. What lies outside the image is a given value. All is float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, OutOfRangeError


class Axis(NamedTuple):
    """Where crops read along one dimension, for each box and output: `[n, outputs]`.

    Attributes:
      positions: in the image, float32.
      inside: whether they lie in it.
      low, high: the pixels before and after, made to lie in the image.
      fraction: how far a position is from `low`.
      nearest: the nearest pixel.
      first_share, last_share: the change of positions with the first and last edge of the box.
    """

    positions: np.ndarray
    inside: np.ndarray
    low: np.ndarray
    high: np.ndarray
    fraction: np.ndarray
    nearest: np.ndarray
    first_share: np.ndarray
    last_share: np.ndarray


def sample_axis(first: np.ndarray, last: np.ndarray, size: int, outputs: int) -> Axis:
    """The positions of `outputs` outputs between the edges of boxes, `[n]`, of an image's side."""
    extent = np.float32(size - 1)
    first, last = first[:, None], last[:, None]
    with np.errstate(all="ignore"):
        if outputs > 1:
            steps = np.arange(outputs, dtype=np.float32)
            ratio = extent / np.float32(outputs - 1)
            positions = first * extent + steps * ((last - first) * extent / np.float32(outputs - 1))
            last_share = np.asarray(steps * ratio)
            first_share = np.asarray(extent - last_share)
        else:
            positions = np.float32(0.5) * (first + last) * extent
            first_share = last_share = np.full(1, np.float32(0.5) * extent)
    inside = (positions >= 0) & (positions <= extent)
    safe = np.where(inside, positions, 0)
    floor = np.floor(safe)
    low = floor.astype(np.int64)
    # Halves are rounded away from zero.
    nearest = (floor + (safe - floor >= 0.5)).astype(np.int64)
    high = np.ceil(safe).astype(np.int64)
    return Axis(positions, inside, low, high, safe - floor, nearest, first_share, last_share)


class Sampling(NamedTuple):
    """Where crops read: the image of each box, `[n, 1, 1]`, and both dimensions."""

    images: np.ndarray
    rows: Axis
    columns: Axis

    @property
    def inside(self) -> np.ndarray:
        """Whether each pixel of the crops lies in its image, `[n, rows, columns, 1]`."""
        return (self.rows.inside[:, :, None] & self.columns.inside[:, None, :])[..., None]

    @property
    def fractions(self) -> tuple[np.ndarray, np.ndarray]:
        """Of rows and of columns, broadcast against crops."""
        return self.rows.fraction[:, :, None, None], self.columns.fraction[:, None, :, None]

    def corners(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Indices of the pixels at the top left, top right, bottom left and bottom right."""
        return [
            (self.images, rows[:, :, None], columns[:, None, :])
            for rows in (self.rows.low, self.rows.high)
            for columns in (self.columns.low, self.columns.high)
        ]

    def nearest(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Indices of the nearest pixels."""
        return self.images, self.rows.nearest[:, :, None], self.columns.nearest[:, None, :]


def sample(
    boxes: np.ndarray, box_ind: np.ndarray, image_shape: tuple[int, ...], size: tuple[int, ...]
) -> Sampling:
    """Where crops of `size` read from images of a shape.

    Raises:
      InvalidArgumentError: shapes do not fit, or a box is not finite.
      OutOfRangeError: there is no such image.
    """
    if boxes.ndim != 2 or boxes.shape[1] != 4 or box_ind.shape != boxes.shape[:1]:
        raise InvalidArgumentError(
            None,
            None,
            "boxes must be [n, 4] and box_index [n]",
            received=f"shapes {list(boxes.shape)} and {list(box_ind.shape)}",
        )
    if len(box_ind) and (box_ind.min() < 0 or box_ind.max() >= image_shape[0]):
        raise OutOfRangeError(
            None,
            None,
            "box_index has values outside [0, batch_size)",
            received=f"{box_ind.tolist()} for a batch of {image_shape[0]}",
        )
    if not np.isfinite(boxes).all():
        raise InvalidArgumentError(None, None, "boxes values must be finite")
    rows = sample_axis(boxes[:, 0], boxes[:, 2], image_shape[1], size[0])
    columns = sample_axis(boxes[:, 1], boxes[:, 3], image_shape[2], size[1])
    return Sampling(box_ind.astype(np.int64)[:, None, None], rows, columns)


def check_image(image_shape: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless images are `[N, H, W, C]` with pixels."""
    if len(image_shape) != 4 or min(image_shape[1:3]) <= 0:
        raise InvalidArgumentError(
            None,
            None,
            "images must be 4-dimensional and of positive height and width",
            received=f"shape {list(image_shape)}",
        )


def crop_and_resize(
    image: np.ndarray, where: Sampling, method: str, extrapolation_value: float
) -> np.ndarray:
    """The crops, float32 `[n, rows, columns, C]`.

    Args:
      image: `[N, H, W, C]`, real numbers.
      method: "bilinear" or "nearest".
    """
    if method == "nearest":
        crops = image[where.nearest()].astype(np.float32)
    else:
        down, right = where.fractions
        corners = [image[corner].astype(np.float32) for corner in where.corners()]
        top = corners[0] + (corners[1] - corners[0]) * right
        bottom = corners[2] + (corners[3] - corners[2]) * right
        crops = top + (bottom - top) * down
    return np.where(where.inside, crops, np.float32(extrapolation_value))


def gradient_of_image(
    grads: np.ndarray,
    where: Sampling,
    image_shape: tuple[int, ...],
    method: str,
    dtype: np.dtype,
) -> np.ndarray:
    """The gradient of images from that of the crops: each pixel gets what it gave."""
    shared = np.where(where.inside, grads, 0)
    wide = np.promote_types(dtype, np.float32)
    total = np.zeros(image_shape, wide)
    if method == "nearest":
        np.add.at(total, where.nearest(), shared)
        return total.astype(dtype, copy=False)
    down, right = where.fractions
    weights = ((1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right)
    for corner, weight in zip(where.corners(), weights):
        np.add.at(total, corner, weight * shared)
    return total.astype(dtype, copy=False)


def gradient_of_boxes(grads: np.ndarray, image: np.ndarray, where: Sampling) -> np.ndarray:
    """The gradient of boxes `[n, 4]` from that of the bilinear crops."""
    down, right = where.fractions
    top_left, top_right, bottom_left, bottom_right = (
        image[corner].astype(np.float32) for corner in where.corners()
    )
    slope_y = (1 - right) * (bottom_left - top_left) + right * (bottom_right - top_right)
    slope_x = (1 - down) * (top_right - top_left) + down * (bottom_right - bottom_left)
    shared = np.where(where.inside, grads, 0)
    along_y = (shared * slope_y).sum(axis=(2, 3))
    along_x = (shared * slope_x).sum(axis=(1, 3))
    parts = (
        along_y * where.rows.first_share,
        along_x * where.columns.first_share,
        along_y * where.rows.last_share,
        along_x * where.columns.last_share,
    )
    return np.stack([part.sum(axis=1) for part in parts], axis=1).astype(np.float32)
