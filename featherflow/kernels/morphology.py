"""Grayscale dilation of images by a structuring function, and its gradients.

    output[n, o…, c] = max_k input[n, o·stride + k·rate − before …, c] + filter[k…, c]

Images are `[N, H, W, C]`, filters `[KH, KW, C]`. Padding never wins; of equal taps the first does.
Float16 and bfloat16 are computed in float32.

See: Serra 1982, "Image analysis and mathematical morphology".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.max_pool import window_taps
from featherflow.kernels.pool import AxisWindow, lowest
from featherflow.kernels.precision import compute_dtype
from featherflow.kernels.windows import Pads, check_gradient_shape, output_size


def _windows(
    image_shape: Sequence[int],
    filter_shape: Sequence[int],
    strides: Sequence[int],
    pads: Pads,
    rates: Sequence[int],
) -> list[AxisWindow]:
    """The window along every dimension; those over batch and channels are single elements."""
    if len(filter_shape) != 3 or image_shape[3:] != filter_shape[2:]:
        raise InvalidArgumentError(
            None,
            None,
            "input and filter must have the same depth",
            received=f"input {list(image_shape)}, filter {list(filter_shape)}",
            expected="filter [height, width, channels]",
        )
    height, width = (
        AxisWindow(
            size, taps, stride, before, output_size(size, taps, stride, rate, before, after), rate
        )
        for size, taps, stride, rate, (before, after) in zip(
            image_shape[1:3], filter_shape, strides, rates, pads
        )
    )
    batch, channels = (AxisWindow(size, 1, 1, 0, size) for size in image_shape[::3])
    return [batch, height, width, channels]


def _search(
    image: np.ndarray, filter: np.ndarray, windows: Sequence[AxisWindow]
) -> tuple[np.ndarray, np.ndarray]:
    """The maxima, in the dtype that is computed in, and the number of the tap that each comes from.

    −1 stands where no tap reaches.
    """
    dtype = compute_dtype(image.dtype)
    values, heights = image.astype(dtype, copy=False), filter.astype(dtype, copy=False)
    shape = [window.outputs for window in windows]
    best = np.full(shape, lowest(image.dtype), dtype)
    chosen = np.full(shape, -1, np.int32)
    for number, (index, targets, sources) in enumerate(window_taps(windows)):
        offered = values[sources] + heights[index[1:3]]
        here = best[targets]
        better = offered > here
        np.copyto(here, offered, where=better)
        np.copyto(chosen[targets], number, where=better)
    return best, chosen


def dilate(
    image: np.ndarray,
    filter: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    rates: Sequence[int],
) -> np.ndarray:
    """The maximum of image plus filter over each window; the formula is the module's.

    Args:
      image: `[N, H, W, C]`, any real dtype.
      filter: `[KH, KW, C]`, dtype of `image`.
      strides, rates: one int per spatial dimension.
      pads: pairs (before, after), one per spatial dimension.

    Raises:
      InvalidArgumentError: channels differ, or a window is larger than the padded image.
    """
    windows = _windows(image.shape, filter.shape, strides, pads, rates)
    best, _ = _search(image, filter, windows)
    return best.astype(image.dtype, copy=False)


def dilate_gradient(
    image: np.ndarray,
    filter: np.ndarray,
    output_gradient: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    rates: Sequence[int],
) -> tuple[np.ndarray, np.ndarray]:
    """The gradients of image and filter: each output's goes to the tap that it comes from.

    Args:
      output_gradient: shape of the output.
      image, filter, strides, pads, rates: as for `dilate`.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    windows = _windows(image.shape, filter.shape, strides, pads, rates)
    _, chosen = _search(image, filter, windows)
    check_gradient_shape(output_gradient.shape, chosen.shape)
    dtype = compute_dtype(output_gradient.dtype)
    gradient = output_gradient.astype(dtype, copy=False)
    image_gradient, filter_gradient = np.zeros(image.shape, dtype), np.zeros(filter.shape, dtype)
    for number, (index, targets, sources) in enumerate(window_taps(windows)):
        share = np.where(chosen[targets] == number, gradient[targets], dtype.type(0))
        image_gradient[sources] += share
        filter_gradient[index[1:3]] = share.sum(axis=(0, 1, 2))
    return (
        image_gradient.astype(image.dtype, copy=False),
        filter_gradient.astype(filter.dtype, copy=False),
    )
