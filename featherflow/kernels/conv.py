"""Convolution and its two gradients as matrix products over strided windows.

    output[n, o…, k] = Σ_{t…, c} input[n, o·stride + t·dilation − before …, c] · filter[t…, c, k]

Arrays are channels-last with any number of spatial dimensions: input `[N, S…, C]`, filter
`[W…, C / groups, K]`, output `[N, O…, K]`. Callers transpose other layouts at the boundary with
`windows.channels_last`: a view, since windows are copied block by block anyway.

Windows are copied into columns (im2col) a block of output positions at a time, so that the copy
stays in cache and its size does not depend on the image. Float16 and bfloat16 are computed in
float32; integers wrap around.

See: Chellapilla, Puri & Simard 2006, "High performance convolutional neural networks".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

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
    window_view,
)

# Columns of a block should stay in a core's second-level cache on their way to the product …
_CACHE_BYTES = 2 << 20
# … but a product of too few rows spends its time on packing the filter …
_EFFICIENT_ROWS = 1024
# … and memory must stay bounded whatever the filter.
_LIMIT_BYTES = 32 << 20


def count_groups(input_channels: int, filter_shape: Sequence[int]) -> int:
    """Returns how many groups of input channels a filter `[W…, C / groups, K]` implies.

    Raises:
      InvalidArgumentError: channels of input or output are not a multiple of it.
    """
    *_, group_channels, output_channels = filter_shape
    if not group_channels:
        raise InvalidArgumentError(
            None, None, "filter depth must be strictly positive", received=list(filter_shape)
        )
    groups, remainder = divmod(input_channels, group_channels)
    if remainder:
        raise InvalidArgumentError(
            None,
            None,
            "input depth must be evenly divisible by filter depth",
            received=f"{input_channels} channels of input and {group_channels} of filter",
        )
    if not groups or output_channels % groups:
        raise InvalidArgumentError(
            None,
            None,
            "output depth must be evenly divisible by number of groups",
            received=f"{output_channels} output channels and {groups} groups",
        )
    return groups


def _column_blocks(
    padded: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    outputs: Sequence[int],
    groups: int,
) -> Iterator[tuple[tuple[slice, ...], np.ndarray]]:
    """Yields blocks of output positions and their columns `[groups, positions, taps · C/groups]`.

    A block's columns are overwritten by the next block's.
    """
    view = window_view(padded, window, strides, dilations, outputs)
    taps, channels = prod(window), padded.shape[-1] // groups
    leading = (padded.shape[0], *outputs)
    if view.flags.c_contiguous and (groups == 1 or taps == 1):
        # A 1×1 window of stride 1, or a window as large as the input: nothing to copy.
        columns = view.reshape(prod(leading), groups, taps * channels).transpose(1, 0, 2)
        yield tuple(slice(0, size) for size in leading), columns
        return
    row_bytes = padded.dtype.itemsize * taps * groups * channels
    limit = min(max(_CACHE_BYTES, _EFFICIENT_ROWS * row_bytes), _LIMIT_BYTES)
    view = view.reshape(*view.shape[:-1], groups, channels)
    view = np.moveaxis(view, -2, 0)
    buffer = None
    for block in blocks(leading, row_bytes, limit):
        source = view[(slice(None), *block)]
        if buffer is None:
            buffer = np.empty(source.size, padded.dtype)
        columns = buffer[: source.size].reshape(source.shape)
        np.copyto(columns, source)
        yield block, columns.reshape(groups, -1, taps * channels)


def convolve(
    input: np.ndarray,
    filter: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Convolves `input` with `filter`; the formula is the module's.

    Args:
      input: `[N, S1, …, Sd, C]`, any strides.
      filter: `[W1, …, Wd, C / groups, K]`, dtype of `input`; the shapes imply `groups`.
      strides, dilations: positive, one per spatial dimension.
      pads: pairs (before, after), one per spatial dimension.

    Returns:
      `[N, O1, …, Od, K]`, dtype of `input`, in C order. Zero where no tap contributes.

    Raises:
      InvalidArgumentError: channels do not fit, or a window is larger than the padded input.

    >>> image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    >>> box = np.ones((2, 2, 1, 1), np.float32)
    >>> convolve(image, box, (2, 2), ((0, 0), (0, 0)), (1, 1))[0, :, :, 0]
    array([[10., 18.],
           [42., 50.]], dtype=float32)
    """
    groups = count_groups(input.shape[-1], filter.shape)
    *window, group_channels, output_channels = filter.shape
    outputs = output_sizes(input.shape[1:-1], window, strides, dilations, pads)
    output = np.empty((input.shape[0], *outputs, output_channels), input.dtype)
    if not output.size or not filter.size:
        output.fill(0)
        return output
    dtype = compute_dtype(input.dtype)
    padded = pad_spatial(input, pads, dtype)
    weights = _grouped(filter.astype(dtype, copy=False), prod(window) * group_channels, groups)
    for block, columns in _column_blocks(padded, window, strides, dilations, outputs, groups):
        target = _grouped(output[block], columns.shape[1], groups)
        if dtype == output.dtype:
            np.matmul(columns, weights, out=target)
        else:
            target[...] = np.matmul(columns, weights)
    return output


def _grouped(array: np.ndarray, rows: int, groups: int) -> np.ndarray:
    """Views a C-ordered `[…, K]` array of `rows` · K elements as `[groups, rows, K / groups]`."""
    return array.reshape(rows, groups, array.shape[-1] // groups).transpose(1, 0, 2)


def convolve_backprop_input(
    input_shape: Sequence[int],
    filter: np.ndarray,
    output_gradient: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Returns the gradient of `convolve`'s input, given that of its output.

    Args:
      input_shape: `(N, S1, …, Sd, C)`.
      filter: `[W1, …, Wd, C / groups, K]`.
      output_gradient: `[N, O1, …, Od, K]`, dtype of `filter`.
      strides, pads, dilations: as for `convolve`.

    Returns:
      an array of `input_shape`, dtype of `output_gradient`.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    groups = count_groups(input_shape[-1], filter.shape)
    *window, group_channels, output_channels = filter.shape
    outputs = output_sizes(input_shape[1:-1], window, strides, dilations, pads)
    check_gradient_shape(output_gradient.shape, (input_shape[0], *outputs, output_channels))
    if not output_gradient.size or not filter.size:
        return np.zeros(input_shape, output_gradient.dtype)
    grouped = filter.reshape(*window, group_channels, groups, output_channels // groups)
    # [W…, C/g, g, K/g] → [W…, K/g, g · C/g]: the filter of the convolution from K channels to C.
    transposed = np.moveaxis(grouped, -1, -3).swapaxes(-1, -2)
    transposed = transposed.reshape(*window, output_channels // groups, input_shape[-1])
    return input_gradient(
        convolve, input_shape, output_gradient, transposed, strides, pads, dilations
    )


def convolve_backprop_filter(
    input: np.ndarray,
    filter_shape: Sequence[int],
    output_gradient: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Returns the gradient of `convolve`'s filter, given that of its output.

        gradient[t…, c, k] = Σ_{n, o…} input[n, o·stride + t·dilation − before …, c] · g[n, o…, k]

    Args:
      input: `[N, S1, …, Sd, C]`.
      filter_shape: `(W1, …, Wd, C / groups, K)`.
      output_gradient: g, `[N, O1, …, Od, K]`, dtype of `input`.
      strides, pads, dilations: as for `convolve`.

    Returns:
      an array of `filter_shape`, dtype of `output_gradient`; summed in float32 for narrow floats.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    groups = count_groups(input.shape[-1], filter_shape)
    *window, group_channels, output_channels = filter_shape
    outputs = output_sizes(input.shape[1:-1], window, strides, dilations, pads)
    check_gradient_shape(output_gradient.shape, (input.shape[0], *outputs, output_channels))
    dtype = compute_dtype(output_gradient.dtype)
    total = np.zeros(tuple(filter_shape), dtype)
    if not output_gradient.size or not total.size:
        return total.astype(output_gradient.dtype, copy=False)
    padded = pad_spatial(input, pads, dtype)
    output_gradient = np.ascontiguousarray(output_gradient)
    grouped_total = _grouped(total, prod(window) * group_channels, groups)
    for block, columns in _column_blocks(padded, window, strides, dilations, outputs, groups):
        rows = _grouped(output_gradient[block].astype(dtype, copy=False), columns.shape[1], groups)
        grouped_total += np.matmul(columns.transpose(0, 2, 1), rows)
    return total.astype(output_gradient.dtype, copy=False)
