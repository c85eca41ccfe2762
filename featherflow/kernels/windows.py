"""Sliding windows: their sizes, padding and strided views, for any number of spatial dimensions.

Along one dimension, window `o` covers the padded positions

    o · stride + k · dilation        k = 0 … window − 1

so that it spans effective = (window − 1) · dilation + 1 positions, and there are

    outputs = ⌊(before + size + after − effective) / stride⌋ + 1   windows.

Arrays are channels-last, `[N, S1, …, Sd, C]`; `channels_last` and `channels_first` convert at the
boundary. Pads are pairs `(before, after)`, one per spatial dimension.

See: Dumoulin & Visin 2016, "A guide to convolution arithmetic for deep learning", §2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError

Pads = tuple[tuple[int, int], ...]
Entry = TypeVar("Entry")


def effective_size(window: int, dilation: int) -> int:
    """The positions that a dilated window spans; at least one, even for an empty window."""
    return max(window - 1, 0) * dilation + 1


def output_size(
    size: int, window: int, stride: int, dilation: int = 1, before: int = 0, after: int = 0
) -> int:
    """Counts the windows along one dimension of `size` positions.

    A window at most one stride too large for its input gives an empty output, as TensorFlow's
    division (which rounds towards zero) has it; a larger one is an error.

    Raises:
      InvalidArgumentError: the window is larger than the padded input.

    >>> output_size(5, 3, stride=2), output_size(5, 3, stride=2, before=1, after=1)
    (2, 3)
    """
    effective = effective_size(window, dilation)
    room = before + size + after - effective + stride
    if room <= -stride:
        raise InvalidArgumentError(
            None,
            None,
            "Computed output size would be negative",
            received=f"input size {size} with padding {before} and {after}",
            expected=f"at least {effective}, the size of the window with its dilation",
        )
    return max(room, 0) // stride


def same_pads(size: int, window: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Pads one dimension so that it has ⌈size / stride⌉ windows; the odd element goes after.

    >>> same_pads(5, window=2, stride=1)
    (0, 1)
    """
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + effective_size(window, dilation) - size, 0)
    return total // 2, total - total // 2


def resolve_pads(
    padding: str,
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int] | None = None,
    explicit: Sequence[tuple[int, int]] = (),
) -> Pads:
    """Turns "SAME", "VALID" or "EXPLICIT" into the pads of each spatial dimension.

    Args:
      padding: how to pad; "EXPLICIT" takes the pairs of `explicit`.
      sizes, window, strides, dilations: one int per spatial dimension.
    """
    if padding == "VALID":
        return ((0, 0),) * len(sizes)
    if padding == "EXPLICIT":
        return tuple((int(before), int(after)) for before, after in explicit)
    if padding != "SAME":
        raise InvalidArgumentError(
            None, None, "Unknown padding", received=padding, expected="SAME, VALID or EXPLICIT"
        )
    dilations = dilations or (1,) * len(sizes)
    return tuple(map(same_pads, sizes, window, strides, dilations))


def output_sizes(
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Pads,
) -> tuple[int, ...]:
    """`output_size` of each spatial dimension."""
    return tuple(
        output_size(size, taps, stride, dilation, before, after)
        for size, taps, stride, dilation, (before, after) in zip(
            sizes, window, strides, dilations, pads
        )
    )


def check_gradient_shape(received: Sequence[int], expected: Sequence[int]) -> None:
    """Raises InvalidArgumentError unless an output's gradient has the shape of the output."""
    if tuple(received) != tuple(expected):
        raise InvalidArgumentError(
            None,
            None,
            "Size of out_backprop doesn't match computed",
            received=list(received),
            expected=list(expected),
        )


def is_channels_first(data_format: str) -> bool:
    """Whether the channels of "NCHW", "NCDHW", "NCW" … stand before the spatial dimensions."""
    return data_format.startswith("NC")


def spatial_of(values: Sequence[Entry], data_format: str) -> tuple[Entry, ...]:
    """Picks the spatial entries of an attribute with one entry per dimension, such as strides."""
    return tuple(values[2:] if is_channels_first(data_format) else values[1:-1])


def paired(values: Sequence[int]) -> Pads:
    """Pairs of consecutive values: the flat attribute `explicit_paddings`, dimension by dimension.

    >>> paired([0, 0, 1, 2])
    ((0, 0), (1, 2))
    """
    return tuple(zip(values[::2], values[1::2]))


def spatial_pads(explicit_paddings: Sequence[int], data_format: str) -> Pads:
    """Picks the spatial pairs of the flat attribute `explicit_paddings`.

    Raises:
      InvalidArgumentError: a pad is negative, or batch or channels are padded.
    """
    pairs = paired(explicit_paddings)
    channels = 1 if is_channels_first(data_format) else len(pairs) - 1
    if min(explicit_paddings, default=0) < 0:
        raise InvalidArgumentError(
            None,
            None,
            "All elements of explicit_paddings must be nonnegative",
            received=list(explicit_paddings),
        )
    if any(pairs[0]) or any(pairs[channels]):
        raise InvalidArgumentError(
            None,
            None,
            "Nonzero explicit padding in the batch or depth dimensions is not supported",
            received=list(explicit_paddings),
        )
    return tuple(pair for axis, pair in enumerate(pairs) if axis not in (0, channels))


def spatial_geometry(
    image_shape: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int],
    data_format: str,
    dilations: Sequence[int],
) -> tuple[tuple[int, ...], Pads, tuple[int, ...]]:
    """Strides, pads and dilations of the spatial dimensions, from the attributes of an op.

    Args:
      image_shape: `(N, S1, …, Sd, C)`.
      window: one int per spatial dimension.
      strides, dilations: one entry per dimension of `data_format`.
      padding, explicit_paddings: as for `resolve_pads`, but flat and for every dimension.

    Raises:
      UnimplementedError: batch or channels have a stride.
      InvalidArgumentError: they have a dilation, or the image has another rank.
    """
    if len(image_shape) != len(strides):
        raise InvalidArgumentError(
            None, None, f"Input must be {len(strides)}-dimensional", received=list(image_shape)
        )
    steps, spread = spatial_of(strides, data_format), spatial_of(dilations, data_format)
    if prod(strides) != prod(steps):
        raise UnimplementedError(
            None, None, "Batch and channels cannot have strides", received=f"strides {strides}"
        )
    if prod(dilations) != prod(spread):
        raise InvalidArgumentError(
            None, None, "Batch and channels cannot be dilated", received=f"dilations {dilations}"
        )
    explicit = spatial_pads(explicit_paddings, data_format) if explicit_paddings else ()
    return steps, resolve_pads(padding, image_shape[1:-1], window, steps, spread, explicit), spread


def channels_last(array: np.ndarray, data_format: str) -> np.ndarray:
    """Views an array of `data_format` as `[N, S1, …, Sd, C]`."""
    return np.moveaxis(array, 1, -1) if is_channels_first(data_format) else array


def shape_channels_last(shape: Sequence[int], data_format: str) -> tuple[int, ...]:
    """The shape of what `channels_last` makes of an array of `shape`."""
    if not is_channels_first(data_format):
        return tuple(shape)
    batch, channels, *sizes = shape
    return (batch, *sizes, channels)


def from_channels_last(array: np.ndarray, data_format: str) -> np.ndarray:
    """Returns a `[N, S1, …, Sd, C]` array in `data_format`, in C order."""
    if not is_channels_first(data_format):
        return array
    return np.ascontiguousarray(np.moveaxis(array, -1, 1))


def pad_spatial(
    array: np.ndarray, pads: Pads, dtype: np.dtype | None = None, fill: float = 0
) -> np.ndarray:
    """Pads the spatial dimensions of `[N, S1, …, Sd, C]`; negative pads crop.

    Padding and conversion to `dtype` are one copy. Nothing to do returns `array` itself.
    """
    dtype = array.dtype if dtype is None else np.dtype(dtype)
    if not any(map(any, pads)):
        return array.astype(dtype, copy=False)
    sizes = array.shape[1:-1]
    sources, targets, padded_sizes = [slice(None)], [slice(None)], []
    for size, (before, after) in zip(sizes, pads):
        first = min(max(-before, 0), size)
        last = max(min(size, size + after), first)
        sources.append(slice(first, last))
        # Where a crop leaves nothing, both slices are empty.
        targets.append(slice(max(first + before, 0), max(last + before, 0)))
        padded_sizes.append(size + before + after)
    if not any(before > 0 or after > 0 for before, after in pads):
        return array[tuple(sources)].astype(dtype, copy=False)
    padded = np.full((array.shape[0], *padded_sizes, array.shape[-1]), fill, dtype)
    padded[tuple(targets)] = array[tuple(sources)]
    return padded


def window_view(
    padded: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    outputs: Sequence[int],
) -> np.ndarray:
    """Views `[N, P1, …, Pd, C]` as its windows `[N, O1, …, Od, W1, …, Wd, C]`, read-only.

    The caller vouches that the windows lie within `padded`; `output_sizes` counts those that do.
    """
    batch, *spatial, channels = padded.strides
    shape = (padded.shape[0], *outputs, *window, padded.shape[-1])
    if not prod(shape):
        return np.empty(shape, padded.dtype)
    steps = (step * stride for step, stride in zip(spatial, strides))
    taps = (step * dilation for step, dilation in zip(spatial, dilations))
    return as_strided(padded, shape, (batch, *steps, *taps, channels), writeable=False)


def blocks(
    shape: Sequence[int], position_bytes: int, limit_bytes: int
) -> Iterator[tuple[slice, ...]]:
    """Cuts an index space into blocks of at most `limit_bytes`, each contiguous in C order.

    Args:
      shape: sizes of the index space.
      position_bytes: what one position costs; a block holds at least one position.

    >>> list(blocks((2, 3), position_bytes=8, limit_bytes=16))[:2]
    [(slice(0, 1, None), slice(0, 2, None)), (slice(0, 1, None), slice(2, 3, None))]
    """
    if not shape:
        yield ()
        return
    inner_bytes = position_bytes * prod(shape[1:])
    step = max(limit_bytes // max(inner_bytes, 1), 1)
    # Equal blocks instead of a small last one.
    step = -(-shape[0] // -(-shape[0] // step)) if shape[0] else 1
    whole = tuple(slice(0, size) for size in shape[1:])
    for start in range(0, shape[0], step):
        here = slice(start, min(start + step, shape[0]))
        if inner_bytes > limit_bytes:
            for rest in blocks(shape[1:], position_bytes, limit_bytes):
                yield (here, *rest)
        else:
            yield (here, *whole)
