"""Gradients of strided windows as stride-1 windows, one for each remainder of the stride.

The forward sum along one dimension is

    output[o] = Σ_k input[o·s + k·d − p] · filter[k]

so input[i] receives output gradients from the taps k with o·s + k·d = i + p. For the positions
i + p = s·a + r of one remainder r, those taps are k = k₀ + t·m with t = s / gcd(s, d), and

    gradient[s·a + r − p] = Σ_m output_gradient[a + q − m·e] · filter[k₀ + t·m]

with e = d / gcd(s, d) and q = (r − k₀·d) / s: a correlation of stride 1 and dilation e with the
flipped taps. No multiplication by an inserted zero is done, which dilating the gradient would cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import gcd
from typing import NamedTuple

import numpy as np

from featherflow.kernels.windows import Pads

Correlate = Callable[[np.ndarray, np.ndarray, Sequence[int], Pads, Sequence[int]], np.ndarray]


class Phase(NamedTuple):
    """The input positions of one remainder along one dimension, and what reaches them.

    Attributes:
      positions: slice of the input positions.
      taps: slice of the filter taps that reach them, flipped; empty where none does.
      pads: pads of the output gradient, negative to crop.
      dilation: distance between the output gradients of consecutive taps.
    """

    positions: slice
    taps: slice
    pads: tuple[int, int]
    dilation: int


def phases(
    size: int, window: int, stride: int, dilation: int, before: int, outputs: int
) -> Iterator[Phase]:
    """Splits the `size` input positions of one dimension by their remainder of `stride`."""
    common = gcd(stride, dilation)
    tap_step, output_step = stride // common, dilation // common
    for first_position in range(min(stride, size)):
        first, remainder = divmod(first_position + before, stride)
        count = len(range(first_position, size, stride))
        positions = slice(first_position, None, stride)
        first_tap = next(
            (k for k in range(min(tap_step, window)) if (k * dilation - remainder) % stride == 0),
            None,
        )
        if first_tap is None:
            yield Phase(positions, slice(0, 0), (0, 0), 1)
            continue
        taps = range(first_tap, window, tap_step)
        reach = (len(taps) - 1) * output_step
        lead = reach - (remainder - first_tap * dilation) // stride - first
        trail = count + reach - outputs - lead
        flipped = slice(taps[-1], first_tap - 1 if first_tap else None, -tap_step)
        yield Phase(positions, flipped, (lead, trail), output_step)


def input_gradient(
    correlate: Correlate,
    input_shape: Sequence[int],
    output_gradient: np.ndarray,
    transposed_filter: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """Returns the gradient `[N, S1, …, Sd, C]` of a windowed sum's input.

    Args:
      correlate: the windowed sum itself, `(input, filter, strides, pads, dilations) → output`;
        called with stride 1.
      input_shape: `(N, S1, …, Sd, C)`.
      output_gradient: `[N, O1, …, Od, K]`.
      transposed_filter: `[W1, …, Wd, …]`, taking K channels to C; its taps are flipped here.
    """
    sizes, outputs = input_shape[1:-1], output_gradient.shape[1:-1]
    window = transposed_filter.shape[: len(sizes)]
    befores = [before for before, _ in pads]
    by_dimension = [
        list(phases(*dimension))
        for dimension in zip(sizes, window, strides, dilations, befores, outputs)
    ]
    ones = (1,) * len(sizes)
    gradient = None
    for phase in product(*by_dimension):
        positions, taps, phase_pads, phase_dilations = zip(*phase)
        part = transposed_filter[taps]
        if not part.size:
            values = np.zeros((), output_gradient.dtype)
        else:
            values = correlate(output_gradient, part, ones, phase_pads, phase_dilations)
            if values.shape == tuple(input_shape):
                return values
        if gradient is None:
            gradient = np.empty(input_shape, output_gradient.dtype)
        gradient[(slice(None), *positions)] = values
    return np.zeros(input_shape, output_gradient.dtype) if gradient is None else gradient
