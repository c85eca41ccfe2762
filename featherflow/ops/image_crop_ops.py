"""Images cut out of larger ones, and images with a border of zeros."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import subtract
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import slice_
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.image_checks import as_batch, checked_image, dims_of, required, static_dims
from featherflow.ops.pack_ops import stack
from featherflow.ops.padding_ops import pad
from featherflow.ops.reshape_ops import reshape, squeeze
from featherflow.ops.shape_ops import shape

# --- cutting out ----------------------------------------------------------------------------------


@export("image.central_crop")
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of images.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      central_fraction: of height and of width that is kept, of (0, 1].
    Returns:
      `[H', W', C]` or `[N, H', W', C]`, dtype of `image`.
    Raises:
      ValueError: the rank is another or not known, or the fraction is out of range.
    """
    with op_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        fraction = _fraction(central_fraction)
        if fraction == 1.0:
            return image
        if image.shape.rank not in (3, 4):
            raise ValueError(
                "`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = "
                f"{image.shape.rank}."
            )
        rank = image.shape.rank
        image = checked_image(image)
        sizes = dims_of(image, rank)
        (row, rows), (column, columns) = (_middle(size, fraction) for size in sizes[-3:-1])
        begin = stack([0] * (rank - 3) + [row, column, 0])
        size = stack([-1] * (rank - 3) + [rows, columns, -1])
        cropped = slice_(image, begin, size)
        static = image.shape.as_list()
        cropped.set_shape([*static[:-3], *static_dims(rows, columns), static[-1]])
        return cropped


def _fraction(central_fraction: Any) -> float:
    known: Any = central_fraction
    if isinstance(central_fraction, Tensor):
        value = constant_value(central_fraction)
        if value is None:
            raise ValueError("central_fraction must be known while the graph is built")
        known = value[()]  # with the rounding of its dtype
    if not 0.0 < known <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    return known


def _middle(size: Any, fraction: float) -> tuple[Any, Any]:
    """The start and length of the middle of `size` pixels."""
    if isinstance(size, Tensor):
        wide: Any = cast(size, dtypes.float64)
        start: Any = cast((wide - wide * fraction) / 2, dtypes.int32)
    else:
        start = int((size - size * fraction) / 2)
    return start, size - start * 2


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A box cut out of images.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      offset_height, offset_width: the first row and column of the box.
      target_height, target_width: the size of the box.
    Returns:
      `[target_height, target_width, C]`, with N in front for a batch; dtype of `image`.
    Raises:
      ValueError: the rank is another, or the box does not lie in the image.
      InvalidArgumentError: the latter, where sizes are not known before the run.
    """
    with op_scope(None, "crop_to_bounding_box", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        image = _after_check(image)
        _, height, width, _ = dims_of(image, 4)
        assertions = [
            *required(offset_width >= 0, "offset_width must be >= 0."),
            *required(offset_height >= 0, "offset_height must be >= 0."),
            *required(target_width > 0, "target_width must be > 0."),
            *required(target_height > 0, "target_height must be > 0."),
            *required(width >= target_width + offset_width, "width must be >= target + offset."),
            *required(
                height >= target_height + offset_height, "height must be >= target + offset."
            ),
        ]
        image = with_dependencies(assertions, image)
        begin = stack([0, offset_height, offset_width, 0])
        counts: Any = shape(image)
        size = stack([counts[0], target_height, target_width, counts[3]])
        return _with_size(slice_(image, begin, size), image, target_height, target_width, is_batch)


def _after_check(image: Tensor) -> Tensor:
    """The image once it is known to be one; no nodes where that is known already."""
    if image.shape.is_fully_defined() and 0 not in image.shape.as_list()[1:]:
        return image
    return checked_image(image)


def _with_size(result: Tensor, image: Tensor, height: Any, width: Any, is_batch: bool) -> Tensor:
    """States the size of a result, and takes the batch dimension away where there was none."""
    batch, _, _, channels = image.shape.as_list()
    result.set_shape([batch, *static_dims(*map(_known, (height, width))), channels])
    return result if is_batch else squeeze(result, [0])


def _known(value: Any) -> Any:
    """A number that is known while the graph is built; a Tensor otherwise."""
    if isinstance(value, Tensor):
        constant = constant_value(value)
        return value if constant is None else int(constant)
    return value


# --- borders --------------------------------------------------------------------------------------


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Images within a larger one of zeros.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      offset_height, offset_width: how many rows and columns of zeros come first.
      target_height, target_width: the size of the result.
    Returns:
      `[target_height, target_width, C]`, with N in front for a batch; dtype of `image`.
    Raises:
      ValueError: the rank is another, or the result is too small.
      InvalidArgumentError: the latter, where sizes are not known before the run.
    """
    with op_scope(None, "pad_to_bounding_box", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        image = _after_check(image)
        _, height, width, _ = dims_of(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        assertions = [
            *required(offset_height >= 0, "offset_height must be >= 0"),
            *required(offset_width >= 0, "offset_width must be >= 0"),
            *required(right >= 0, "width must be <= target - offset"),
            *required(below >= 0, "height must be <= target - offset"),
        ]
        image = with_dependencies(assertions, image)
        pairs = stack([0, 0, offset_height, below, offset_width, right, 0, 0])
        padded = pad(image, reshape(pairs, [4, 2]))
        return _with_size(padded, image, target_height, target_width, is_batch)


@export("image.resize_with_crop_or_pad")
@export_v1("image.resize_with_crop_or_pad", "image.resize_image_with_crop_or_pad")
def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Images of a size: what is too large is cut off evenly, what is missing filled with zeros.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      target_height, target_width: the size of the result.
    Returns:
      `[target_height, target_width, C]`, with N in front for a batch; dtype of `image`.
    Raises:
      ValueError: the rank is another, or a size is not positive.
    """
    with op_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        image = _after_check(image)
        assertions = [
            *required(target_width > 0, "target_width must be > 0."),
            *required(target_height > 0, "target_height must be > 0."),
        ]
        image = with_dependencies(assertions, image)
        if isinstance(target_height, Tensor):
            target_height = with_dependencies(assertions, target_height)
        if isinstance(target_width, Tensor):
            target_width = with_dependencies(assertions, target_width)
        _, height, width, _ = dims_of(image, 4)
        cut_left, left = _evenly(target_width - width)
        cut_above, above = _evenly(target_height - height)
        cropped = crop_to_bounding_box(
            image,
            cut_above,
            cut_left,
            _smaller(target_height, height),
            _smaller(target_width, width),
        )
        resized = pad_to_bounding_box(cropped, above, left, target_height, target_width)
        return _with_size(resized, image, target_height, target_width, is_batch)


def _evenly(missing: Any) -> tuple[Any, Any]:
    """How much is cut off before an image, and how much is added before it."""
    if isinstance(missing, Tensor):
        negative: Any = subtract(0, missing)
        return maximum(negative // 2, 0), maximum(missing // 2, 0)  # type: ignore[operator]
    return max(-missing // 2, 0), max(missing // 2, 0)


def _smaller(left: Any, right: Any) -> Any:
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return minimum(left, right)
    return min(left, right)
