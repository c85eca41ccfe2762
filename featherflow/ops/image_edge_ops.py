"""Differences of neighbouring pixels: image gradients, Sobel edges and total variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.depthwise_conv_ops import depthwise_conv2d
from featherflow.ops.fill_ops import zeros
from featherflow.ops.magnitude_ops import abs as magnitude
from featherflow.ops.pack_ops import stack, unstack
from featherflow.ops.padding_ops import pad
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.tile_ops import tile

_SOBEL = [
    [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
    [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
]


@export("image.image_gradients")
def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The differences of each pixel to the one below and to the one on the right.

    Args:
      image: `[N, H, W, C]`.
    Returns:
      (dy, dx), both of the shape and dtype of `image`: dy is 0 in the last row, dx in the last
      column.
    Raises:
      ValueError: the rank is not 4.
    """
    pixels: Any = convert_to_tensor(image, name="image")
    if pixels.shape.rank != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {pixels.shape}."
        )
    static = pixels.shape
    batch, height, width, depth = unstack(shape(pixels))
    down = pixels[:, 1:, :, :] - pixels[:, :-1, :, :]
    right = pixels[:, :, 1:, :] - pixels[:, :, :-1, :]
    last_row = zeros(stack([batch, 1, width, depth]), pixels.dtype)
    down = reshape(concat([down, last_row], 1), shape(pixels))
    last_column = zeros(stack([batch, height, 1, depth]), pixels.dtype)
    right = reshape(concat([right, last_column], 2), shape(pixels))
    down.set_shape(static)
    right.set_shape(static)
    return down, right


@export("image.sobel_edges")
def sobel_edges(image: Any) -> Tensor:
    """The vertical and horizontal slope of images by Sobel's filters; borders are mirrored.

    Args:
      image: `[N, H, W, C]`, float32.
    Returns:
      `[N, H, W, C, 2]`: dy and dx.

    See: Sobel & Feldman 1968, "A 3×3 isotropic gradient operator for image processing".
    """
    image = convert_to_tensor(image, name="image")
    static = image.shape
    filters = np.transpose(np.asarray(_SOBEL, np.float32), (1, 2, 0))[:, :, None, :]
    kernels = convert_to_tensor(filters, dtypes.float32)
    sizes: Any = shape(image)
    kernels = tile(kernels, [1, 1, sizes[-1], 1], name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID")
    slopes = reshape(edges, concat([sizes, [2]], 0))
    slopes.set_shape(static.concatenate([2]))
    return slopes


@export("image.total_variation")
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the magnitudes of all differences of neighbouring pixels.

    Args:
      images: `[H, W, C]` or `[N, H, W, C]`.
      name: of the scope of the nodes.
    Returns:
      A scalar, or `[N]`.
    Raises:
      ValueError: the rank is another.
    """
    with op_scope(name, "total_variation"):
        pixels: Any = images
        ranks = pixels.shape.rank
        if ranks not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        if ranks == 3:
            down, right = pixels[1:, :, :] - pixels[:-1, :, :], pixels[:, 1:, :] - pixels[:, :-1, :]
            axes = None
        else:
            down = pixels[:, 1:, :, :] - pixels[:, :-1, :, :]
            right = pixels[:, :, 1:, :] - pixels[:, :, :-1, :]
            axes = [1, 2, 3]
        sums: Any = [reduce_sum(magnitude(part), axis=axes) for part in (down, right)]
        return sums[0] + sums[1]
