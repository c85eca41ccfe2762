"""Where the maximum of each pooling window stands, and what is derived from it: gradients.

    argmax[o…] = the flat position of the first maximum of window o, in C order of the window
    gradient[i] = Σ_{o: argmax[o] = i} output_gradient[o]

Windows, strides and pads have one entry for every dimension, as in `pool`. A NaN is kept where it
is the first tap of its window and is passed over elsewhere, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.pool import AxisWindow, axis_windows
from featherflow.kernels.precision import compute_dtype
from featherflow.kernels.windows import Pads, check_gradient_shape


def window_taps(
    windows: Sequence[AxisWindow],
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...], tuple[slice, ...]]]:
    """Yields each tap's index in the window, the outputs that it reaches and what they read."""
    for combination in product(*(list(one.taps()) for one in windows)):
        index = tuple(tap for tap, _, _ in combination)
        targets = tuple(target for _, target, _ in combination)
        sources = tuple(source for _, _, source in combination)
        yield index, targets, sources


def _outer_sum(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Sums one vector per dimension into the array of all their combinations."""
    total = np.zeros((1,) * len(rows), np.int64)
    for axis, row in enumerate(rows):
        total = total + row.reshape([-1 if other == axis else 1 for other in range(len(rows))])
    return total


def _check_pads(windows: Sequence[AxisWindow], pads: Pads) -> None:
    for one, pad in zip(windows, pads):
        if max(pad) >= one.window and max(pad) > 0:
            raise InvalidArgumentError(
                None,
                None,
                "Padding needs to be smaller than the window",
                received=f"padding {pad[0]} and {pad[1]}",
                expected=f"less than {one.window}",
            )


def max_pool_with_argmax(
    input: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    pads: Pads,
    *,
    include_batch_in_index: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the maximum of each window and the flat position of the first one.

    Args:
      input: any real dtype, any layout.
      window, strides, pads: one entry per dimension of `input`.
      include_batch_in_index: whether positions count from the start of the array, or from that of
        the first dimension's entry.

    Returns:
      maxima, dtype of `input`; and positions in it, int64.

    Raises:
      InvalidArgumentError: a window lies wholly in padding, or is larger than the padded input.
    """
    windows = axis_windows(input.shape, window, strides, pads)
    _check_pads(windows, pads)
    steps = [prod(input.shape[axis + 1 :]) for axis in range(input.ndim)]
    starts = [np.arange(one.outputs) * one.stride - one.before for one in windows]
    # The first tap that is not padding wins until a larger one comes.
    first_taps = [np.maximum(-start, 0) for start in starts]
    chosen = _outer_sum([tap * step for tap, step in zip(first_taps, steps)])
    chosen = np.broadcast_to(chosen, [one.outputs for one in windows]).copy()
    best = input[np.ix_(*(start + tap for start, tap in zip(starts, first_taps)))]
    if best.size:
        values = input.astype(compute_dtype(input.dtype), copy=False)
        best = best.astype(values.dtype, copy=False)
        for index, targets, sources in window_taps(windows):
            here, offered = best[targets], values[sources]
            better = offered > here
            np.copyto(here, offered, where=better)
            offset = sum(tap * step for tap, step in zip(index, steps))
            np.copyto(chosen[targets], offset, where=better)
    if not include_batch_in_index:
        steps[0] = 0
    chosen += _outer_sum([start * step for start, step in zip(starts, steps)])
    return best.astype(input.dtype, copy=False), chosen


def max_pool_gradient(
    input: np.ndarray,
    output_gradient: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    pads: Pads,
) -> np.ndarray:
    """Returns the gradient of `max_pool`'s input: each window's goes to its first maximum.

    Args:
      input: the pooled array.
      output_gradient: shape of the output.
      window, strides, pads: as for `max_pool_with_argmax`.

    Raises:
      InvalidArgumentError: `output_gradient` has not the shape of the output.
    """
    windows = axis_windows(input.shape, window, strides, pads)
    check_gradient_shape(output_gradient.shape, [one.outputs for one in windows])
    _, argmax = max_pool_with_argmax(input, window, strides, pads)
    dtype = compute_dtype(output_gradient.dtype)
    gradient = np.zeros(input.size, dtype)
    values = output_gradient.astype(dtype, copy=False).ravel()
    if all(one.stride >= one.window for one in windows):
        gradient[argmax.ravel()] = values
    else:
        np.add.at(gradient, argmax.ravel(), values)
    return gradient.reshape(input.shape).astype(output_gradient.dtype, copy=False)


def max_pool_gradient_gradient(
    input: np.ndarray,
    output: np.ndarray,
    gradient: np.ndarray,
    window: Sequence[int],
    strides: Sequence[int],
    pads: Pads,
) -> np.ndarray:
    """Returns the gradient of `max_pool_gradient`'s `output_gradient`.

        result[o…] = gradient at the first element of window o that equals output[o…], or 0

    Args:
      input: the pooled array.
      output: its maxima.
      gradient: shape of `input`.
      window, strides, pads: as for `max_pool_with_argmax`.

    Raises:
      InvalidArgumentError: `output` or `gradient` has the wrong shape.
    """
    windows = axis_windows(input.shape, window, strides, pads)
    check_gradient_shape(output.shape, [one.outputs for one in windows])
    check_gradient_shape(gradient.shape, input.shape)
    result = np.zeros(output.shape, gradient.dtype)
    is_open = np.ones(output.shape, bool)
    for _, targets, sources in window_taps(windows):
        equal = input[sources] == output[targets]
        equal &= is_open[targets]
        np.copyto(result[targets], gradient[sources], where=equal)
        is_open[targets] ^= equal
    return result


def scatter_to_argmax(
    input_shape: Sequence[int],
    output_gradient: np.ndarray,
    argmax: np.ndarray,
    *,
    include_batch_in_index: bool = False,
) -> np.ndarray:
    """Adds each output gradient to the input position that `argmax` names.

    Args:
      input_shape: shape of the pooled array.
      output_gradient: `[N, …]`.
      argmax: positions from `max_pool_with_argmax`, shape of `output_gradient`.
      include_batch_in_index: as when they were made.

    Raises:
      InvalidArgumentError: a position lies outside of the input.
    """
    check_gradient_shape(output_gradient.shape, argmax.shape)
    positions = _flat_positions(input_shape, argmax, include_batch_in_index)
    dtype = compute_dtype(output_gradient.dtype)
    gradient = np.zeros(prod(input_shape), dtype)
    np.add.at(gradient, positions.ravel(), output_gradient.astype(dtype, copy=False).ravel())
    return gradient.reshape(input_shape).astype(output_gradient.dtype, copy=False)


def gather_from_argmax(
    gradient: np.ndarray, argmax: np.ndarray, *, include_batch_in_index: bool = False
) -> np.ndarray:
    """Takes, for each output, the `gradient` at the input position that `argmax` names.

    Args and raises as for `scatter_to_argmax`, whose gradient this is; `gradient` has the shape of
    the pooled array.
    """
    return gradient.ravel()[_flat_positions(gradient.shape, argmax, include_batch_in_index)]


def _flat_positions(
    input_shape: Sequence[int], argmax: np.ndarray, include_batch_in_index: bool
) -> np.ndarray:
    batch, *image = input_shape
    limit = prod(input_shape) if include_batch_in_index else prod(image)
    if argmax.size and not (argmax.min() >= 0 and argmax.max() < limit):
        raise InvalidArgumentError(
            None,
            None,
            "argmax lies outside of the input",
            received=f"values from {argmax.min()} to {argmax.max()}",
            expected=f"values in [0, {limit})",
        )
    if include_batch_in_index:
        return argmax
    first = np.arange(batch, dtype=np.int64) * limit
    return argmax + first.reshape(-1, *(1,) * (argmax.ndim - 1))
