"""Random boxes in an image that cover enough of some object: SampleDistortedBoundingBox.

An attempt draws an aspect ratio, a height, a row and a column, in this order, each only where there
is a choice. The first box of a fitting area that covers enough of an object is it; if there is none
it is the whole image. Words of the stream are used up one by one, as TensorFlow does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import PhiloxStream

#: Draws the next 32 random bits.
Draw = Callable[[], int]

_STRETCH = 8
_WORDS = 1 << 32
_MANTISSA_BITS = 23


class Box(NamedTuple):
    """Rows from `top` to before `bottom`, columns from `left` to before `right`."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)

    def shared(self, other: Box) -> int:
        """The area of the intersection."""
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        width = min(self.right, other.right) - max(self.left, other.left)
        return max(height, 0) * max(width, 0)


class Constraints(NamedTuple):
    """What a sampled box must be like, and how often to try."""

    aspect_ratios: tuple[float, float]
    areas: tuple[float, float]
    covered: np.floating
    attempts: int


def check_constraints(
    aspect_ratio_range: tuple[float, ...],
    area_range: tuple[float, ...],
    max_attempts: int,
    min_object_covered: np.ndarray,
) -> Constraints:
    """The constraints of an op's attributes.

    Raises:
      InvalidArgumentError: a range is none, or a number is out of range.
    """
    for name, values in (("aspect_ratio_range", aspect_ratio_range), ("area_range", area_range)):
        if len(values) != 2 or min(values) <= 0:
            raise InvalidArgumentError(
                None, None, f"{name} must hold two positive values", received=f"{list(values)}"
            )
    if max(area_range) > 1:
        raise InvalidArgumentError(
            None, None, "area_range must be at most 1", received=f"{list(area_range)}"
        )
    if max_attempts <= 0:
        raise InvalidArgumentError(
            None, None, "max_attempts must be positive", received=str(max_attempts)
        )
    if min_object_covered.ndim or min_object_covered < 0:
        raise InvalidArgumentError(
            None,
            None,
            "min_object_covered must be a scalar that is not negative",
            received=str(min_object_covered.tolist()),
        )
    return Constraints(
        (aspect_ratio_range[0], aspect_ratio_range[1]),
        (area_range[0], area_range[1]),
        min_object_covered.dtype.type(min_object_covered),
        max_attempts,
    )


def objects_of(boxes: np.ndarray, size: tuple[int, int], use_image: bool) -> list[Box]:
    """Boxes `[…, 4]` in units of the image as pixels; the whole image if there are none.

    Raises:
      InvalidArgumentError: a box does not lie in the image, or there is none and `use_image` is
        false.
    """
    flat = boxes.reshape(-1, 4)
    if not len(flat):
        if not use_image:
            raise InvalidArgumentError(
                None,
                None,
                "No bounding boxes provided as input",
                remedy="One must enable use_image_if_no_bounding_boxes if you wish to not "
                "provide any bounding boxes.",
            )
        return [Box(0, 0, *size)]
    if not ((flat >= 0) & (flat <= 1)).all():
        raise InvalidArgumentError(
            None, None, "All bounding box coordinates must be in [0.0, 1.0]", received=str(flat)
        )
    pixels = (flat * np.array(size * 2, np.float32)).astype(np.int64)
    return [Box(*box) for box in pixels.tolist()]


def sample_box(
    stream: PhiloxStream, size: tuple[int, int], objects: list[Box], constraints: Constraints
) -> Box:
    """A random box of an image of `size`, or the whole image."""
    draw = _words(stream).__next__
    lowest, highest = map(np.float32, constraints.aspect_ratios)
    for _ in range(constraints.attempts):
        fraction = np.float32((draw() & (1 << _MANTISSA_BITS) - 1) * 2.0**-_MANTISSA_BITS)
        ratio = fraction * (highest - lowest) + lowest
        box = _random_box(draw, size, ratio, constraints.areas)
        if box is not None and _covers(box, objects, constraints.covered):
            return box
    return Box(0, 0, *size)


def _words(stream: PhiloxStream) -> Iterator[int]:
    while True:
        yield from stream.words(_STRETCH).ravel().tolist()
        stream = stream.skip(_STRETCH)


def _below(draw: Draw, count: int) -> int:
    """A number of [0, count), all with the same chance."""
    if not count & (count - 1):
        return draw() & (count - 1) if count else draw() * 0
    rejected = _WORDS % count or count
    word = draw()
    while word < rejected:
        word = draw()
    return word % count


def _random_box(
    draw: Draw, size: tuple[int, int], ratio: np.float32, areas: tuple[float, float]
) -> Box | None:
    """A box of an aspect ratio (width by height) and of an area within relative bounds, if any."""
    image_height, image_width = size
    if image_height <= 0 or image_width <= 0 or ratio <= 0 or areas[0] > areas[1]:
        return None
    smallest, largest = (
        np.float32(area) * np.float32(image_width) * np.float32(image_height) for area in areas
    )
    height, most = (int(np.rint(np.sqrt(area / ratio))) for area in (smallest, largest))
    if _width(most, ratio) > image_width:
        most = int((image_width + 0.5 - 1e-7) / float(ratio))
        if _width(most, ratio) > image_width:
            most -= 1
    most = min(most, image_height)
    height = min(height, most)
    if height < most:
        height += _below(draw, most - height + 1)
    # Rounding may have left the area just outside its bounds.
    if np.float32(_width(height, ratio) * height) < smallest:
        height += 1
    if np.float32(_width(height, ratio) * height) > largest:
        height -= 1
    width = _width(height, ratio)
    if not smallest <= np.float32(width * height) <= largest:
        return None
    if not (0 < width <= image_width and 0 < height <= image_height):
        return None
    top = _below(draw, image_height - height) if height < image_height else 0
    left = _below(draw, image_width - width) if width < image_width else 0
    return Box(top, left, top + height, left + width)


def _width(height: int, ratio: np.float32) -> int:
    return int(np.rint(np.float32(height) * ratio))


def _covers(box: Box, objects: list[Box], least: np.floating) -> bool:
    """Whether the box covers at least the part `least` of some object."""
    return any(
        thing.area >= 1 and np.float32(box.shared(thing)) / np.float32(thing.area) >= least
        for thing in objects
    )
