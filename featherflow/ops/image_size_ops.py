"""Resizing of one image or a batch by any method, and into a frame of zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value_as_shape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.fill_ops import zeros
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.image_checks import as_batch, dims_of, image_assertions, required
from featherflow.ops.image_crop_ops import pad_to_bounding_box
from featherflow.ops.image_resize_ops import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from featherflow.ops.pack_ops import unstack
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.rounding_ops import floor
from featherflow.ops.rounding_ops import round as round_tensor
from featherflow.ops.scale_translate_ops import ScaleAndTranslate
from featherflow.ops.shape_ops import shape


@export_v1("image.ResizeMethod")
class ResizeMethod:
    """How `tf.image.resize_images` computes pixels; see the functions `tf.image.resize_…`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


@export("image.ResizeMethod")
class ResizeMethodV2:
    """How TF2's `tf.image.resize` computes pixels."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


Resize = Callable[[Tensor, Any], Tensor]

_RESIZES: dict[Any, Callable[..., Tensor]] = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
    ResizeMethodV2.BILINEAR: resize_bilinear,
    ResizeMethodV2.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethodV2.BICUBIC: resize_bicubic,
    ResizeMethodV2.AREA: resize_area,
}
# What ScaleAndTranslate calls the filters of the methods; it alone can antialias.
_FILTERS = {
    ResizeMethodV2.BILINEAR: "triangle",
    ResizeMethodV2.BICUBIC: "keyscubic",
    ResizeMethodV2.LANCZOS3: "lanczos3",
    ResizeMethodV2.LANCZOS5: "lanczos5",
    ResizeMethodV2.GAUSSIAN: "gaussian",
    ResizeMethodV2.MITCHELLCUBIC: "mitchellcubic",
}

# --- resizing -------------------------------------------------------------------------------------


@export_v1("image.resize_images", "image.resize")
def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
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

    def resize(batch: Tensor, target: Any) -> Tensor:
        if method not in _RESIZES:
            raise ValueError(f"Resize method is not implemented: {method}")
        return _RESIZES[method](batch, target, align_corners=align_corners)

    return _resized(images, size, resize, preserve_aspect_ratio, name, skip_same=True)


@export("image.resize")
def resize_images_v2(
    images: Any,
    size: Any,
    method: str = ResizeMethodV2.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size, with pixels as squares whose outer edges fall together.

    Args:
      images: `[N, H, W, C]` or `[H, W, C]`, real numbers.
      size: (H', W'), int32 `[2]`.
      method: a `tf.image.ResizeMethod`: "bilinear", "nearest", "bicubic", "area", "lanczos3",
        "lanczos5", "gaussian" or "mitchellcubic".
      preserve_aspect_ratio: the largest size within `size` whose sides have the images' ratio.
      antialias: each pixel counts where images become smaller; not for "nearest" and "area".
      name: of the scope of the nodes.
    Returns:
      `[N, H', W', C]` or `[H', W', C]`: float32, or the dtype of `images` for "nearest".
    Raises:
      ValueError: ranks do not fit, or there is no such method.
    """

    def resize(batch: Tensor, target: Any) -> Tensor:
        if method in _FILTERS and (antialias or method not in _RESIZES):
            return _filtered(batch, target, _FILTERS[method], antialias)
        if not isinstance(method, str) or method not in _RESIZES:
            raise ValueError(f"Resize method is not implemented: {method}")
        if method == ResizeMethodV2.AREA:
            return resize_area(batch, target)
        return _RESIZES[method](batch, target, half_pixel_centers=True)

    return _resized(images, size, resize, preserve_aspect_ratio, name, skip_same=False)


def _filtered(images: Tensor, size: Any, kernel_type: str, antialias: bool) -> Tensor:
    """Images in another size, by one of the filters of ScaleAndTranslate."""
    target: Any = cast(size, dtypes.float32)
    sizes: Any = shape(images)
    scale = target / cast(sizes[1:3], dtypes.float32)
    return ScaleAndTranslate(
        images, size, scale, zeros([2]), kernel_type=kernel_type, antialias=antialias
    )


def _resized(
    images: Any,
    size: Any,
    resize: Resize,
    preserve_aspect_ratio: bool,
    name: str | None,
    skip_same: bool,
) -> Tensor:
    """What `resize` makes of one image or a batch; with `skip_same` a known size may stay."""
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
        is_same = wanted.is_fully_defined() and images.shape[1:3] == wanted
        if not (skip_same and is_same):
            images = resize(images, size)
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


# --- resizing into a frame ------------------------------------------------------------------------


@export_v1("image.resize_image_with_pad")
def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """The largest image of the same ratio that fits a size, amid zeros.

    Args:
      image: `[N, H, W, C]` or `[H, W, C]`, real numbers.
      target_height, target_width: the size.
      method, align_corners: as for `tf.image.resize_images`.
    Returns:
      `[target_height, target_width, C]`, with N in front for a batch.
    Raises:
      ValueError: the rank does not fit, or a size is not positive.
    """

    def resize(batch: Tensor, target: Any) -> Tensor:
        return resize_images(batch, target, method, align_corners)

    return _framed(image, target_height, target_width, resize)


@export("image.resize_with_pad")
def resize_image_with_pad_v2(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethodV2.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """`resize_image_with_pad` with the methods of TF2's `tf.image.resize`."""

    def resize(batch: Tensor, target: Any) -> Tensor:
        return resize_images_v2(batch, target, method, antialias=antialias)

    return _framed(image, target_height, target_width, resize)


def _framed(image: Any, target_height: Any, target_width: Any, resize: Resize) -> Tensor:
    with op_scope(None, "resize_image_with_pad", [image]):
        batch, is_batch = as_batch(convert_to_tensor(image, name="image"))
        assertions = [
            *image_assertions(batch),
            *required(target_width > 0, "target_width must be > 0."),
            *required(target_height > 0, "target_height must be > 0."),
        ]
        batch = with_dependencies(assertions, batch)
        _, height, width, _ = dims_of(batch, 4)
        sides: Any = [cast(side, dtypes.float32) for side in (height, width)]
        targets: Any = [cast(side, dtypes.float32) for side in (target_height, target_width)]
        ratio: Any = maximum(sides[1] / targets[1], sides[0] / targets[0])
        fitted = [side / ratio for side in sides]
        size = [cast(floor(side), dtypes.int32) for side in fitted]
        borders = [
            maximum(0, cast(floor((target - side) / 2), dtypes.int32))
            for target, side in zip(targets, fitted)
        ]
        framed = pad_to_bounding_box(
            resize(batch, size), borders[0], borders[1], target_height, target_width
        )
        return framed if is_batch else squeeze(framed, [0])
