"""`tf.image.resize_images`: resizing of one image or a batch, by any method."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value_as_shape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.extremum_ops import minimum
from featherflow.ops.image_resize_ops import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from featherflow.ops.pack_ops import unstack
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.rounding_ops import round as round_tensor
from featherflow.ops.shape_ops import shape


@export_v1("image.ResizeMethod")
class ResizeMethod:
    """How `tf.image.resize_images` computes pixels; see the functions `tf.image.resize_…`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_RESIZES = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
}


@export_v1("image.resize_images", "image.resize")
def resize_images(
    images: Any,
    size: Any,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size.

    Args:
      images: `[N, H, W, C]` or `[H, W, C]`, real numbers.
      size: (H', W'), int32 `[2]`.
      method: a `tf.image.ResizeMethod`.
      align_corners: centres of the corner pixels of input and output fall together.
      preserve_aspect_ratio: the largest size within `size` whose sides have the images' ratio.
      name: of the scope of the nodes.
    Returns:
      `[N, H', W', C]` or `[H', W', C]`: float32, or the dtype of `images` where pixels are only
      copied, for the nearest neighbour and where the size is known to stay.
    Raises:
      ValueError: ranks do not fit, or there is no such method.
    """
    with op_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        is_batch = _rank_of(images) == 4
        if not is_batch:
            images = expand_dims(images, 0)
        size = convert_to_tensor(size, dtypes.int32, name="size")
        if not size.shape.is_compatible_with([2]):
            raise ValueError(f"'size' must be a 1-D Tensor of 2 elements. Received: {size}")
        if preserve_aspect_ratio:
            size = _with_ratio_of(images, size)
        wanted = constant_value_as_shape(size).with_rank(2)
        if not (wanted.is_fully_defined() and images.shape[1:3] == wanted):
            if method not in _RESIZES:
                raise ValueError(f"Resize method is not implemented: {method}")
            images = _RESIZES[method](images, size, align_corners=align_corners)
            images.set_shape([None, *wanted.as_list(), None])
        return images if is_batch else squeeze(images, [0])


def _rank_of(images: Tensor) -> int:
    rank = images.shape.rank
    if rank not in (3, 4):
        raise ValueError(f"'images' must have 3 or 4 dimensions. Received: {images}")
    return rank


def _with_ratio_of(images: Tensor, size: Any) -> Any:
    """The largest size within `size` that has the ratio of `images`."""
    sides: Any = images.shape.as_list()[1:3]
    if not images.shape.is_fully_defined():
        dynamic = unstack(shape(images))[1:3]
        sides = [fed if known is None else known for known, fed in zip(sides, dynamic)]
    scales = [
        cast(size[axis], dtypes.float32) / cast(side, dtypes.float32)
        for axis, side in enumerate(sides)
    ]
    scale: Any = minimum(*scales)
    scaled = [
        cast(round_tensor(scale * cast(side, dtypes.float32)), dtypes.int32) for side in sides
    ]
    return convert_to_tensor(scaled, dtypes.int32, name="size")
