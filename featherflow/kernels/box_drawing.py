"""Outlines of boxes drawn into images."""

from __future__ import annotations

import numpy as np

_UNREPRESENTABLE = -(2**63)

# The colours of boxes, in turn: yellow, blue, red, lime, purple, olive, maroon, navy, aqua and
# fuchsia.
PALETTE = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def draw_boxes(images: np.ndarray, boxes: np.ndarray, colors: np.ndarray | None) -> np.ndarray:
    """Images with the outlines of boxes, one pixel wide.

    Args:
      images: `[N, H, W, C]`.
      boxes: (y1, x1, y2, x2) in units of the images, `[N, n, 4]`.
      colors: `[m, C or more]`, taken in turn; None is the palette, or white in grey images.
    """
    channels = images.shape[3]
    if colors is None:
        colors = PALETTE if channels > 1 else np.ones((1, 1), np.float32)
    drawn = images.copy()
    extents = np.array(images.shape[1:3] * 2, np.float32) - np.float32(1)
    with np.errstate(all="ignore"):
        edges = boxes * extents
    for image, image_edges in zip(drawn, edges):
        for index, box in enumerate(image_edges):
            color = colors[index % len(colors), :channels].astype(images.dtype)
            _draw_outline(image, [_pixel(edge) for edge in box], color)
    return drawn


def _pixel(edge: np.floating) -> int:
    """A coordinate without its fraction; one that int64 cannot hold becomes its smallest."""
    return int(edge) if abs(edge) < 2.0**63 else _UNREPRESENTABLE


def _draw_outline(image: np.ndarray, box: list[int], color: np.ndarray) -> None:
    """Draws those sides of a box (rows and columns, both included) that lie in the image."""
    top, left, bottom, right = box
    height, width, _ = image.shape
    if top > bottom or left > right or bottom < 0 or right < 0 or top >= height or left >= width:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = color
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = color
