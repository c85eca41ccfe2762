"""Images as arrays that a model takes: read, resized, and scaled as the command line says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.cli.command_error import CommandError
from featherflow.framework import dtypes
from featherflow.graph.tensor import Tensor

_CHANNEL_COUNTS = {1: "L", 3: "RGB", 4: "RGBA"}


@dataclass(frozen=True)
class ImageOptions:
    """How an image becomes an array: `(pixels * scale - mean) / std`, pixels from 0 to 255.

    Attributes:
      size: (height, width); None takes the model's, else the image's own.
      scale: factor of the pixels.
      mean, std: one number, or one for each channel in the order of `channels`.
      channels: "RGB", "BGR" or "L" (grey); None follows from the model's shape.
      layout: "NHWC" or "NCHW"; None follows from the model's shape.
    """

    size: tuple[int, int] | None = None
    scale: float = 1.0
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    channels: str | None = None
    layout: str | None = None

    @property
    def keeps_pixels(self) -> bool:
        """Whether the pixels stay as they are."""
        return self.scale == 1.0 and set(self.mean) == {0.0} and set(self.std) == {1.0}


def read_image(path: str, tensor: Tensor, options: ImageOptions) -> np.ndarray:
    """The image in a file as `tensor` takes it, without the batch.

    Raises:
      CommandError: there is no such image, or pillow is not installed.
    """
    layout, (height, width, count) = _layout(tensor, options)
    channels = options.channels or _CHANNEL_COUNTS.get(count or 3)
    if channels is None:
        raise CommandError(
            f"{tensor.name} has {count} channels, which no image has: is its layout another? "
            "Pass --layout NCHW or NHWC."
        )
    size = options.size or ((height, width) if height and width else None)
    pixels = _read_pixels(path, "RGB" if channels == "BGR" else channels, size)
    if channels == "BGR":
        pixels = pixels[:, :, ::-1]
    values = _scale(pixels, tensor.dtype.base_dtype, options)
    return np.ascontiguousarray(values.transpose(2, 0, 1) if layout == "NCHW" else values)


def _layout(
    tensor: Tensor, options: ImageOptions
) -> tuple[str, tuple[int | None, int | None, int | None]]:
    """The layout of an input, and what its static shape tells of height, width and channels."""
    dims = tensor.shape.as_list() if tensor.shape.rank in (3, 4) else [None] * 3
    first, second, third = dims[-3:]
    looks_planar = first in _CHANNEL_COUNTS and third not in _CHANNEL_COUNTS
    layout = options.layout or ("NCHW" if looks_planar else "NHWC")
    return layout, (second, third, first) if layout == "NCHW" else (first, second, third)


def _read_pixels(path: str, mode: str, size: tuple[int, int] | None) -> np.ndarray:
    """The pixels [height, width, channels] as bytes, resized bilinearly."""
    try:
        from PIL import Image, UnidentifiedImageError  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise CommandError(
            "reading images needs pillow: pip install 'featherflow[images]'."
        ) from None
    try:
        with Image.open(path) as opened:
            image = opened.convert(mode)
    except UnidentifiedImageError:
        raise CommandError(f"{path} is no image that pillow can read.") from None
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}") from None
    if size is not None and image.size != (size[1], size[0]):
        image = image.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    pixels = np.asarray(image)
    return pixels if pixels.ndim == 3 else pixels[:, :, np.newaxis]


def _scale(pixels: np.ndarray, dtype: dtypes.DType, options: ImageOptions) -> np.ndarray:
    if options.keeps_pixels:
        return pixels.astype(dtype.numpy_dtype)
    for name, values in (("mean", options.mean), ("std", options.std)):
        if len(values) not in (1, pixels.shape[2]):
            raise CommandError(
                f"--{name} has {len(values)} numbers, the image {pixels.shape[2]} channels."
            )
    mean = np.asarray(options.mean, np.float32)
    std = np.asarray(options.std, np.float32)
    values = (pixels * np.float32(options.scale) - mean) / std
    return (np.rint(values) if dtype.is_integer else values).astype(dtype.numpy_dtype)


def parse_size(text: str) -> tuple[int, int]:
    """ "224x320" as (height, width)."""
    height, _, width = text.lower().partition("x")
    if not (height.isdigit() and width.isdigit() and int(height) and int(width)):
        raise ValueError(text)
    return int(height), int(width)


def parse_number(text: str) -> float:
    """ "0.5" or "1/255"."""
    numerator, slash, denominator = text.partition("/")
    return float(numerator) / float(denominator) if slash else float(text)


def parse_numbers(text: str) -> tuple[float, ...]:
    """ "0.485,0.456,0.406"."""
    return tuple(parse_number(item) for item in text.split(","))


def image_options(options: Any) -> ImageOptions:
    """The options of a command line."""
    return ImageOptions(
        options.size, options.scale, options.mean, options.std, options.channels, options.layout
    )
