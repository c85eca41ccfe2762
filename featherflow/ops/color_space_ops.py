"""Colours as linear combinations of red, green and blue: grey, YIQ and YUV.

See: ITU-R BT.470 and BT.601, for the coefficients.
"""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_assertions import assert_equal
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import ones
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.image_checks import image_assertions
from featherflow.ops.image_dtype_ops import convert_image_dtype
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.shape_ops import rank, shape
from featherflow.ops.tensordot_ops import tensordot
from featherflow.ops.tile_ops import tile

_GREY = [0.2989, 0.5870, 0.1140]

# Rows are the channels that come in, columns those that come out.
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [
    [1, 1, 1],
    [0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0],
]

# --- grey -----------------------------------------------------------------------------------------


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """0.2989 · red + 0.5870 · green + 0.1140 · blue.

    Args:
      images: `[…, 3]`, floats or integers.
      name: of the scope of the nodes, and of the result.
    Returns:
      `[…, 1]`, dtype of `images`.
    """
    with op_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        dtype = images.dtype
        working = convert_image_dtype(images, dtypes.float32)
        grey = expand_dims(tensordot(working, _GREY, [-1, -1]), -1)
        return convert_image_dtype(grey, dtype, name=scope)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Grey images as colours, with three equal channels.

    Args:
      images: `[…, H, W, 1]`.
      name: of the scope of the nodes, and of the result.
    Returns:
      `[…, H, W, 3]`, dtype of `images`.
    Raises:
      ValueError: there are fewer than three dimensions, or not one channel.
    """
    with op_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        images = with_dependencies(_grey_assertions(images), images)
        last: Any = rank(images) - 1  # type: ignore[operator]
        multiples = concat([ones(expand_dims(last, 0), dtypes.int32), expand_dims(3, 0)], 0)
        colored = tile(images, multiples, name=scope)
        if images.shape.rank is not None:
            colored.set_shape(images.shape[:-1].concatenate(3))
        return colored


def _grey_assertions(images: Tensor) -> list[Any]:
    static = images.shape
    channels = None if static.rank is None else static.as_list()[-1]
    if channels not in (None, 1):
        raise ValueError(
            f"Last dimension of a grayscale image should be size 1. Received: {static}"
        )
    if channels == 1:
        return image_assertions(images)
    sizes: Any = shape(images)
    message = "Last dimension of a grayscale image should be size 1."
    return [assert_equal(sizes[-1], 1, message=message), *image_assertions(images)]


# --- YIQ and YUV ----------------------------------------------------------------------------------


def _combined(images: Any, matrix: list[list[float]]) -> Tensor:
    """Channels multiplied by a matrix."""
    images = convert_to_tensor(images, name="images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    last = images.shape.rank
    axis = -1 if last is None else last - 1
    return tensordot(images, kernel, axes=[[axis], [0]])


@export("image.rgb_to_yiq")
def rgb_to_yiq(images: Any) -> Tensor:
    """Colours `[…, 3]`, floats, as luminance Y and chrominance I and Q."""
    return _combined(images, _RGB_TO_YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images: Any) -> Tensor:
    """Luminance and chrominance `[…, 3]`, floats, as red, green and blue."""
    return _combined(images, _YIQ_TO_RGB)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images: Any) -> Tensor:
    """Colours `[…, 3]`, floats, as luminance Y and chrominance U and V."""
    return _combined(images, _RGB_TO_YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images: Any) -> Tensor:
    """Luminance and chrominance `[…, 3]`, floats, as red, green and blue."""
    return _combined(images, _YUV_TO_RGB)
