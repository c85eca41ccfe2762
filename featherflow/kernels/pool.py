"""Max and average pooling, and the gradient of the average.

    max_pool[o…] = max_k input[o·stride + k − before …]        k over the window, padding left out
    avg_pool[o…] = mean_k input[o·stride + k − before …]       likewise

Windows, strides and pads have one entry for *every* dimension of the array, batch and channels
included, so that any layout and pooling across channels are the same code. Both reductions are
separable: the window is reduced along one dimension after the other, which for a K×K window takes
2K passes instead of K². Padding is never materialised; a tap that falls on it is clipped.

A maximum starts from the lowest finite number of its dtype and leaves NaN out, as TensorFlow's
does: that number is the answer where nothing is left, and where all is −∞. Float16 and bfloat16 are
computed in float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import ml_dtypes
import numpy as np

from featherflow.kernels.precision import compute_dtype
from featherflow.kernels.windows import Pads, check_gradient_shape, output_size


class AxisWindow(NamedTuple):
    """The sliding window along one dimension of `size` positions, its taps `dilation` apart."""

    size: int
    window: int
    stride: int
    before: int
    outputs: int
    dilation: int = 1

    def taps(self) -> Iterator[tuple[int, slice, slice]]:
        """Yields each tap that reaches the input, the outputs that it serves and what they read."""
        # Taps that fall on padding for every output are passed over: a window may be far larger
        # than the input.
        reach = (self.outputs - 1) * self.stride
        first_tap = max(-((reach - self.before) // self.dilation), 0)
        last_tap = (self.before + self.size - 1) // self.dilation
        for tap in range(first_tap, min(self.window, last_tap + 1)):
            # Output o reads position o·stride + shift.
            shift = tap * self.dilation - self.before
            first = max(-(shift // self.stride), 0)
            last = min((self.size - 1 - shift) // self.stride + 1, self.outputs)
            start = first * self.stride + shift
            stop = start + (last - first - 1) * self.stride + 1
            if last > first:
                yield tap, slice(first, last), slice(start, stop, self.stride)

    def counts(self) -> np.ndarray:
        """How many taps of each output fall on the input rather than on padding."""
        starts = np.arange(self.outputs) * self.stride - self.before
        return np.minimum(starts + self.window, self.size) - np.maximum(starts, 0)


def axis_windows(
    shape: Sequence[int], window: Sequence[int], strides: Sequence[int], pads: Pads
) -> list[AxisWindow]:
    """Places the window along every dimension.

    Raises:
      InvalidArgumentError: a window is larger than the padded input.
    """
    return [
        AxisWindow(size, taps, stride, before, output_size(size, taps, stride, 1, before, after))
        for size, taps, stride, (before, after) in zip(shape, window, strides, pads)
    ]


def along(axis: int, part: slice) -> tuple[slice, ...]:
    """The index that takes `part` of one dimension and all of those before it."""
    return (slice(None),) * axis + (part,)


def _reduce_axis(
    array: np.ndarray, axis: int, window: AxisWindow, combine: np.ufunc, neutral: np.generic
) -> np.ndarray:
    """Combines the taps of each window along one dimension."""
    if window.outputs == 1:
        start, stop = -window.before, window.window - window.before
        covered = array[along(axis, slice(max(start, 0), max(stop, 0)))]
        return combine.reduce(covered, axis=axis, keepdims=True, initial=neutral)
    taps = [(target, source) for _, target, source in window.taps()]
    # Starting from a tap that every output reads saves a pass that fills in the neutral element.
    whole = slice(0, window.outputs)
    first = next((number for number, (target, _) in enumerate(taps) if target == whole), None)
    if first is None:
        shape = (*array.shape[:axis], window.outputs, *array.shape[axis + 1 :])
        reduced = np.full(shape, neutral, array.dtype)
    else:
        reduced = combine(array[along(axis, taps.pop(first)[1])], neutral)
    for target, source in taps:
        into = reduced[along(axis, target)]
        combine(into, array[along(axis, source)], out=into)
    return reduced


def _reduce_windows(
    array: np.ndarray, windows: Sequence[AxisWindow], combine: np.ufunc, neutral: np.generic
) -> np.ndarray:
    for axis, window in enumerate(windows):
        if window.window != 1 or window.stride != 1 or window.outputs != window.size:
            array = _reduce_axis(array, axis, window, combine, neutral)
    return array


def max_pool(
    input: np.ndarray, window: Sequence[int], strides: Sequence[int], pads: Pads
) -> np.ndarray:
    """Returns the maximum of each window.

    Args:
      input: any real dtype, any layout.
      window, strides, pads: one entry per dimension of `input`; 1, 1 and (0, 0) leave it alone.

    Raises:
      InvalidArgumentError: a window is larger than the padded input.

    >>> max_pool(np.array([[1, 5, 2, 4]]), (1, 2), (1, 2), ((0, 0), (0, 0)))
    array([[5, 4]])
    """
    windows = axis_windows(input.shape, window, strides, pads)
    if not input.size:
        return np.full([one.outputs for one in windows], lowest(input.dtype), input.dtype)
    values = input.astype(compute_dtype(input.dtype), copy=False)
    start = values.dtype.type(lowest(input.dtype))
    pooled = _reduce_windows(values, windows, np.fmax, start)
    # With nothing to pool `pooled` is the input, which is not the caller's to give away.
    return pooled.astype(input.dtype, copy=pooled is input)


def lowest(dtype: np.dtype) -> np.generic:
    """The lowest finite number: where the search for a maximum starts."""
    limits = np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)
    return dtype.type(limits.min)


def avg_pool(
    value: np.ndarray, window: Sequence[int], strides: Sequence[int], pads: Pads
) -> np.ndarray:
    """Returns the mean of each window, over the taps that do not fall on padding.

    Args:
      value: float dtype, any layout.
      window, strides, pads: one entry per dimension of `value`.

    Raises:
      InvalidArgumentError: a window is larger than the padded input.
    """
    windows = axis_windows(value.shape, window, strides, pads)
    dtype = compute_dtype(value.dtype)
    if not value.size:
        return np.zeros([one.outputs for one in windows], value.dtype)
    values = value.astype(dtype, copy=False)
    total = _reduce_windows(values, windows, np.add, dtype.type(0))
    mean = np.divide(total, _tap_counts(windows, dtype), out=None if total is value else total)
    return mean.astype(value.dtype, copy=False)


def _tap_counts(windows: Sequence[AxisWindow], dtype: np.dtype) -> np.ndarray:
    """Taps on the input for each output, broadcastable to the output; a scalar if all equal."""
    counts = [one.counts() for one in windows]
    if all(count.min(initial=one.window) == one.window for count, one in zip(counts, windows)):
        return np.array(prod(one.window for one in windows), dtype)
    product = np.ones((1,) * len(windows), dtype)
    for axis, count in enumerate(counts):
        product = product * np.maximum(count, 1).astype(dtype).reshape(
            [-1 if other == axis else 1 for other in range(len(windows))]
        )
    return product


def avg_pool_gradient(
    input_shape: Sequence[int],
    output_gradient: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    pads: Pads,
) -> np.ndarray:
    """Returns the gradient of `avg_pool`'s input: each output's share, spread over its taps.

    Args:
      input_shape: shape of the pooled array.
      output_gradient: shape of the output.
      window, strides, pads: as for `avg_pool`.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    windows = axis_windows(input_shape, window, strides, pads)
    check_gradient_shape(output_gradient.shape, [one.outputs for one in windows])
    dtype = compute_dtype(output_gradient.dtype)
    if not output_gradient.size:
        return np.zeros(tuple(input_shape), output_gradient.dtype)
    gradient = output_gradient / _tap_counts(windows, dtype)
    for axis, one in enumerate(windows):
        if one.window == 1 and one.stride == 1 and one.outputs == one.size:
            continue
        shape = (*gradient.shape[:axis], one.size, *gradient.shape[axis + 1 :])
        spread = np.zeros(shape, dtype)
        for _, target, source in one.taps():
            spread[along(axis, source)] += gradient[along(axis, target)]
        gradient = spread
    return gradient.astype(output_gradient.dtype, copy=False)
