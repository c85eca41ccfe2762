"""Images scaled and shifted by any amount, with a choice of filters: ScaleAndTranslate.

Output position o reads around input position p = (o + ½ − translation) / scale, with pixel i at
i + ½. Its weights are a filter of (i + ½ − p) / s, scaled to sum to 1. To antialias, s is 1 / scale
where that is more than 1, so that each pixel counts; otherwise s is 1.

    lanczos r    sinc(x) sinc(x / r)           for |x| < r
    gaussian     exp(−x² / 2σ²)                σ = ½, for |x| < 3σ
    box          1                             for |x| < ½
    triangle     1 − |x|                       for |x| < 1
    keyscubic, mitchellcubic                   piecewise cubic, for |x| < 2

See: Keys 1981, "Cubic convolution interpolation for digital image processing"; Mitchell &
Netravali 1988, "Reconstruction filters in computer graphics".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


class Filter(NamedTuple):
    """A weight for each distance (not negative), which is 0 from `radius` on."""

    radius: float
    weigh: Callable[[np.ndarray], np.ndarray]


def _lanczos(radius: float, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        turned = np.float32(np.pi) * x
        weights = np.float32(radius) * np.sin(turned) * np.sin(turned / np.float32(radius))
        weights /= turned * turned
    return np.where(x > radius, 0, np.where(x <= 1e-3, 1, weights))


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 1.5, 0, np.exp(-x * x / np.float32(2 * 0.5**2)))


def _box(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.where(x < 1, 1 - x, 0)


def _keys_cubic(x: np.ndarray) -> np.ndarray:
    far = ((np.float32(-0.5) * x + np.float32(2.5)) * x - 4) * x + 2
    near = (np.float32(1.5) * x - np.float32(2.5)) * x * x + 1
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _mitchell_cubic(x: np.ndarray) -> np.ndarray:
    far = ((np.float32(-7 / 18) * x + 2) * x - np.float32(10 / 3)) * x + np.float32(16 / 9)
    near = (np.float32(7 / 6) * x - 2) * x * x + np.float32(8 / 9)
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


FILTERS = {
    "lanczos1": Filter(1, partial(_lanczos, 1.0)),
    "lanczos3": Filter(3, partial(_lanczos, 3.0)),
    "lanczos5": Filter(5, partial(_lanczos, 5.0)),
    "gaussian": Filter(1.5, _gaussian),
    "box": Filter(1, _box),
    "triangle": Filter(1, _triangle),
    "keyscubic": Filter(2, _keys_cubic),
    "mitchellcubic": Filter(2, _mitchell_cubic),
}


def find_filter(name: str) -> Filter:
    """The filter of a name.

    Raises:
      InvalidArgumentError: there is none.
    """
    if name not in FILTERS:
        raise InvalidArgumentError(
            None, None, "Unrecognized kernel_type", received=name, expected=", ".join(FILTERS)
        )
    return FILTERS[name]


class Placement(NamedTuple):
    """How images are scaled: (rows, columns) of `scale` and `translation`, and the filter."""

    scale: np.ndarray
    translation: np.ndarray
    filter: Filter
    antialias: bool


def check_placement(
    scale: np.ndarray, translation: np.ndarray, kernel_type: str, antialias: bool
) -> Placement:
    """A placement of the inputs of the op.

    Raises:
      InvalidArgumentError: they are not two numbers each, a scale is not positive, or there is no
        such filter.
    """
    if scale.shape != (2,) or translation.shape != (2,):
        raise InvalidArgumentError(
            None,
            None,
            "scale and translation must hold two values each",
            received=f"shapes {list(scale.shape)} and {list(translation.shape)}",
        )
    if not (scale > 0).all():
        raise InvalidArgumentError(
            None, None, "scale must be greater than zero", received=str(scale.tolist())
        )
    return Placement(scale, translation, find_filter(kernel_type), antialias)


def weights_along(size: int, outputs: int, placement: Placement, axis: int) -> np.ndarray:
    """The weight of each input position in each output, float32 `[outputs, size]`."""
    scale, shift = placement.scale[axis], placement.translation[axis]
    with np.errstate(all="ignore"):
        inverse = np.float32(1) / scale
        spread = max(inverse, np.float32(1)) if placement.antialias else np.float32(1)
        centers = (np.arange(outputs, dtype=np.float32) + np.float32(0.5)) * inverse
        centers = (centers + -inverse * shift)[:, None]
        reach = np.float32(placement.filter.radius) * spread
        first = np.maximum(np.ceil(centers - reach - np.float32(0.5)), 0)
        last = np.minimum(np.floor(centers + reach - np.float32(0.5)), size - 1)
        pixels = np.arange(size, dtype=np.float32)
        distances = np.abs((pixels + np.float32(0.5) - centers) / spread)
        weights = placement.filter.weigh(distances).astype(np.float32)
        weights[~((pixels >= first) & (pixels <= last))] = 0
        weights[~((centers >= 0) & (centers <= size))[:, 0]] = 0
        totals = weights.sum(axis=1, keepdims=True)
        # What hardly has weights is left without them.
        enough = np.abs(totals) >= np.float32(1000) * np.finfo(np.float32).tiny
        return np.where(enough, weights / totals, np.float32(0))


def scale_and_translate(
    images: np.ndarray, size: tuple[int, int], placement: Placement
) -> np.ndarray:
    """Images `[N, H, W, C]` in another size, float32."""
    return _weighted(
        images.astype(np.float32, copy=False),
        weights_along(images.shape[1], size[0], placement, 0),
        weights_along(images.shape[2], size[1], placement, 1),
    )


def gradient_of_images(
    grads: np.ndarray, size: tuple[int, int], placement: Placement
) -> np.ndarray:
    """The gradient of images of a size from that of the result, float32."""
    return _weighted(
        grads,
        weights_along(size[0], grads.shape[1], placement, 0).T,
        weights_along(size[1], grads.shape[2], placement, 1).T,
    )


def _weighted(images: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Images with rows and columns mixed by matrices `[outputs, inputs]`."""
    batch, height, width, channels = images.shape
    flat = rows @ images.reshape(batch, height, width * channels)
    flat = flat.reshape(batch * len(rows), width, channels)
    return (columns @ flat).reshape(batch, len(rows), len(columns), channels)
