"""Outlines of boxes drawn into images: DrawBoundingBoxes and DrawBoundingBoxesV2.

The drawing is done in `kernels/box_drawing.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import box_drawing as kernels

_TYPES = (dtypes.float16, dtypes.float32)


def _drawn_shape(c: InferenceContext) -> TensorShape:
    if c.shapes[0]._dims is None:
        c.with_rank(1, 3)
        return c.shapes[0]
    channels = c.dims(0, 4)[3]
    if channels not in (None, 1, 3, 4):
        c.fail("Channel depth should be either 1, 3 or 4", received=c.received())
    edges = c.dims(1, 3)[2]
    if edges not in (None, 4):
        c.fail(f"Dimension must be 4 but is {edges}", received=c.received())
    return c.shapes[0]


def _check(images: np.ndarray, boxes: np.ndarray) -> None:
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise InvalidArgumentError(
            None,
            None,
            "The input images must be 4-D with 1, 3 or 4 channels",
            received=f"shape {list(images.shape)}",
        )
    if boxes.ndim != 3 or boxes.shape[0] != images.shape[0] or boxes.shape[2] != 4:
        raise InvalidArgumentError(
            None,
            None,
            "boxes must be [N, n, 4]",
            received=f"shape {list(boxes.shape)} for {images.shape[0]} images",
        )


# --- DrawBoundingBoxes ----------------------------------------------------------------------------

DrawBoundingBoxes = define_op(
    "DrawBoundingBoxes",
    inputs=("images: T", "boxes: float"),
    outputs=("output: T",),
    attrs=("T: {float, half} = float",),
)
DrawBoundingBoxes.shape_fn(_drawn_shape)


@DrawBoundingBoxes.kernel("CPU", T=_TYPES)
def _draw_bounding_boxes_cpu(images: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    _check(images, boxes)
    return kernels.draw_boxes(images, boxes, None)


DrawBoundingBoxes.not_differentiable("TensorFlow gives it no gradient")

# --- DrawBoundingBoxesV2 --------------------------------------------------------------------------

DrawBoundingBoxesV2 = define_op(
    "DrawBoundingBoxesV2",
    inputs=("images: T", "boxes: float", "colors: float"),
    outputs=("output: T",),
    attrs=("T: {float, half} = float",),
)
DrawBoundingBoxesV2.shape_fn(_drawn_shape)


@DrawBoundingBoxesV2.kernel("CPU", T=_TYPES)
def _draw_bounding_boxes_v2_cpu(
    images: np.ndarray, boxes: np.ndarray, colors: np.ndarray
) -> np.ndarray:
    _check(images, boxes)
    if colors.ndim != 2 or (len(colors) and colors.shape[1] < images.shape[3]):
        raise InvalidArgumentError(
            None,
            None,
            "colors must be a matrix with a column for each channel",
            received=f"shape {list(colors.shape)} for {images.shape[3]} channels",
        )
    return kernels.draw_boxes(images, boxes, colors if len(colors) else None)


DrawBoundingBoxesV2.without_gradient("TensorFlow gives it no gradient")


@export("image.draw_bounding_boxes")
def draw_bounding_boxes_v2(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """`draw_bounding_boxes` with TF2's arguments."""
    if colors is None:
        return DrawBoundingBoxes(images, boxes, name=name)
    return DrawBoundingBoxesV2(images, boxes, colors, name=name)


@export_v1("image.draw_bounding_boxes")
def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """Images with the outlines of boxes.

    Args:
      images: `[N, H, W, C]`, float32 or float16, with 1, 3 or 4 channels.
      boxes: (y1, x1, y2, x2), float32 `[N, n, 4]`; 0 is the first row or column and 1 the last.
      name: of the node.
      colors: taken in turn, float32 `[m, C]`; None is ten colours, or white in grey images.
    Returns:
      The same shape and dtype as `images`.
    Raises:
      ValueError: shapes do not fit.
    """
    return draw_bounding_boxes_v2(images, boxes, colors, name)
