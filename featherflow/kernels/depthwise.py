"""Depthwise convolution and its gradients: each channel has its own filters.

    output[n, o…, c·M + m] = Σ_{t…} input[n, o·stride + t·dilation − before …, c] · filter[t…, c, m]

Arrays are channels-last: input `[N, S…, C]`, filter `[W…, C, M]` with channel multiplier M, output
`[N, O…, C·M]`. There is no reduction over channels that a matrix product could do, so a block of
output rows that fits in cache is summed up tap by tap, in place, with one scratch array:

- a stride is undone first, by splitting the input into one plane per remainder of the stride, so
  that a tap reads runs of whole rows;
- a multiplier is undone by repeating input channels, so that every tap multiplies channel by
  channel.

Float16 and bfloat16 are computed in float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.phases import input_gradient
from featherflow.kernels.precision import compute_dtype
from featherflow.kernels.windows import (
    Pads,
    blocks,
    check_gradient_shape,
    output_sizes,
    pad_spatial,
)

# Output block, scratch and the input rows below them share a core's second-level cache.
_BLOCK_BYTES = 256 << 10
# Channels below which a filter is repeated along the row: NumPy's inner loop is then a whole row.
_SHORT_CHANNELS = 256
_ROW_FILTER_BYTES = 256 << 10


class _Tap(NamedTuple):
    """Where one tap reads: the output position `o` reads `plane[:, o + offset]`."""

    index: tuple[int, ...]
    plane: np.ndarray
    offsets: tuple[int, ...]

    def view(self, block: tuple[slice, ...]) -> np.ndarray:
        """The inputs that this tap multiplies for a block of output positions."""
        batch, *spatial = block
        shifted = (
            slice(here.start + offset, here.stop + offset)
            for here, offset in zip(spatial, self.offsets)
        )
        return self.plane[(batch, *shifted)]


def _taps(
    padded: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    multiplier: int,
) -> list[_Tap]:
    planes: dict[tuple[int, ...], np.ndarray] = {}
    taps = []
    for index in np.ndindex(*window):
        # Tap k of output o reads position o·s + k·d = (o + offset)·s + remainder.
        offsets, remainders = zip(
            *(divmod(k * d, s) for k, d, s in zip(index, dilations, strides)), strict=True
        )
        if remainders not in planes:
            steps = (slice(first, None, step) for first, step in zip(remainders, strides))
            plane = padded[(slice(None), *steps)]
            if multiplier != 1:
                plane = np.repeat(plane, multiplier, axis=-1)
            planes[remainders] = np.ascontiguousarray(plane)
        taps.append(_Tap(index, planes[remainders], offsets))
    return taps


def _row_filter(filter: np.ndarray, width: int) -> np.ndarray:
    """Repeats a filter `[W…, K]` along output rows if that makes it `[W…, width, K]` cheaply."""
    channels = filter.shape[-1]
    if channels < _SHORT_CHANNELS and filter.nbytes * width <= _ROW_FILTER_BYTES:
        return np.repeat(filter[..., np.newaxis, :], width, axis=-2)
    return filter


def _row_blocks(shape: Sequence[int], dtype: np.dtype) -> Iterator[tuple[slice, ...]]:
    """Cuts an output `[N, O…, K]` into blocks of whole rows, since row filters are a row wide."""
    *leading, width, channels = shape
    for block in blocks(leading, dtype.itemsize * channels * width, _BLOCK_BYTES):
        yield (*block, slice(0, width))


def depthwise_convolve(
    input: np.ndarray,
    filter: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Convolves each channel of `input` with its filters; the formula is the module's.

    Args:
      input: `[N, S1, …, Sd, C]`, any strides.
      filter: `[W1, …, Wd, C, M]`, dtype of `input`.
      strides, dilations: positive, one per spatial dimension.
      pads: pairs (before, after), one per spatial dimension.

    Returns:
      `[N, O1, …, Od, C·M]`, dtype of `input`, in C order.

    Raises:
      InvalidArgumentError: channels differ, or a window is larger than the padded input.

    >>> image = np.ones((1, 3, 3, 2), np.float32)
    >>> depthwise_convolve(image, image.reshape(3, 3, 2, 1), (1, 1), ((0, 0), (0, 0)), (1, 1))
    array([[[[9., 9.]]]], dtype=float32)
    """
    *window, channels, multiplier = _checked_filter_shape(input.shape, filter.shape)
    outputs = output_sizes(input.shape[1:-1], window, strides, dilations, pads)
    output = np.empty((input.shape[0], *outputs, channels * multiplier), input.dtype)
    if not output.size or not prod(window):
        output.fill(0)
        return output
    dtype = compute_dtype(input.dtype)
    taps = _taps(pad_spatial(input, pads, dtype), window, strides, dilations, multiplier)
    flat_filter = filter.astype(dtype, copy=False).reshape(*window, channels * multiplier)
    rows = _row_filter(flat_filter, outputs[-1])
    scratch = None
    for block in _row_blocks(output.shape, dtype):
        target = output[block]
        total = target if dtype == output.dtype else np.empty(target.shape, dtype)
        if scratch is None:
            scratch = np.empty(target.size, dtype)
        product = scratch[: target.size].reshape(target.shape)
        for number, tap in enumerate(taps):
            into = product if number else total
            np.multiply(tap.view(block), rows[tap.index], out=into)
            if number:
                total += product
        if total is not target:
            target[...] = total
    return output


def _checked_filter_shape(input_shape: Sequence[int], filter_shape: Sequence[int]) -> Sequence[int]:
    if input_shape[-1] != filter_shape[-2]:
        raise InvalidArgumentError(
            None,
            None,
            "input and filter must have the same depth",
            received=f"{input_shape[-1]} channels of input and {filter_shape[-2]} of filter",
        )
    return filter_shape


def depthwise_convolve_backprop_input(
    input_shape: Sequence[int],
    filter: np.ndarray,
    output_gradient: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Returns the gradient of `depthwise_convolve`'s input, given that of its output.

    Args:
      input_shape: `(N, S1, …, Sd, C)`.
      filter: `[W1, …, Wd, C, M]`.
      output_gradient: `[N, O1, …, Od, C·M]`.
      strides, pads, dilations: as for `depthwise_convolve`.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    *window, channels, multiplier = _checked_filter_shape(input_shape, filter.shape)
    outputs = output_sizes(input_shape[1:-1], window, strides, dilations, pads)
    spread_shape = (*input_shape[:-1], channels * multiplier)
    check_gradient_shape(output_gradient.shape, (input_shape[0], *outputs, spread_shape[-1]))
    # Taking C·M channels to C·M, channel by channel; the M gradients of a channel then add up.
    flat_filter = filter.reshape(*window, channels * multiplier, 1)
    spread = input_gradient(
        depthwise_convolve, spread_shape, output_gradient, flat_filter, strides, pads, dilations
    )
    if multiplier == 1:
        return spread
    separate = spread.reshape(*input_shape, multiplier)
    summed = separate.sum(axis=-1, dtype=compute_dtype(spread.dtype))
    return summed.astype(spread.dtype, copy=False)


def depthwise_convolve_backprop_filter(
    input: np.ndarray,
    filter_shape: Sequence[int],
    output_gradient: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Returns the gradient of `depthwise_convolve`'s filter, given that of its output.

    Args:
      input: `[N, S1, …, Sd, C]`.
      filter_shape: `(W1, …, Wd, C, M)`.
      output_gradient: `[N, O1, …, Od, C·M]`, dtype of `input`.
      strides, pads, dilations: as for `depthwise_convolve`.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    *window, channels, multiplier = _checked_filter_shape(input.shape, filter_shape)
    outputs = output_sizes(input.shape[1:-1], window, strides, dilations, pads)
    row_channels = channels * multiplier
    check_gradient_shape(output_gradient.shape, (input.shape[0], *outputs, row_channels))
    dtype = compute_dtype(output_gradient.dtype)
    if not output_gradient.size or not prod(window):
        return np.zeros(tuple(filter_shape), output_gradient.dtype)
    taps = _taps(pad_spatial(input, pads, dtype), window, strides, dilations, multiplier)
    width = outputs[-1]
    # One sum per column of the output, so that long sums are made of short ones: less rounding.
    sums = np.zeros((*window, width * row_channels), dtype)
    scratch = None
    for block in _row_blocks(output_gradient.shape, dtype):
        gradient = output_gradient[block].astype(dtype, copy=False)
        if scratch is None:
            scratch = np.empty(gradient.size, dtype)
        product = scratch[: gradient.size].reshape(gradient.shape)
        for tap in taps:
            np.multiply(tap.view(block), gradient, out=product)
            sums[tap.index] += product.reshape(-1, width * row_channels).sum(axis=0)
    total = sums.reshape(*window, width, row_channels).sum(axis=-2)
    return total.reshape(filter_shape).astype(output_gradient.dtype, copy=False)
