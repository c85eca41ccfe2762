"""Short-time transforms: of Fourier, and the modified discrete cosine transform, with inverses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import negative, square
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.dct_ops import dct
from featherflow.ops.exponential_ops import log, pow
from featherflow.ops.framing_ops import (
    frame,
    integer_scalar,
    overlap_and_add,
    pad_dimension,
    size_of,
)
from featherflow.ops.pack_ops import stack
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.reverse_ops import reverse
from featherflow.ops.rfft_ops import REAL_OF, irfft, rfft
from featherflow.ops.rounding_ops import ceil
from featherflow.ops.signal_windows import hann_window, vorbis_window
from featherflow.ops.splitting_ops import split
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.tile_ops import tile

#: (length, dtype=…) → a window.
WindowFn = Callable[..., Any]


def _next_power_of_2(length: Any) -> Any:
    if isinstance(length, int):
        return 1 << max(0, length - 1).bit_length()
    exponent: Any = log(cast(length, dtypes.float32)) / math.log(2.0)
    return cast(pow(2.0, ceil(exponent)), dtypes.int32)


@export("signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFn | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: `rfft` of overlapping frames, times a window.

    Args:
      signals: float32 or float64, `[…, samples]`.
      frame_length, frame_step, pad_end: as for `tf.signal.frame`.
      fft_length: of the transform; by default the least power of 2 that holds a frame.
      window_fn: makes a window of a length and a dtype; None takes none.
      name: of the scope.
    Returns:
      Complex, `[…, frames, fft_length // 2 + 1]`.

    See: Allen & Rabiner 1977.
    """
    with op_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length = integer_scalar(frame_length, "frame_length")
        size = _transform_length(fft_length, length)
        frames: Any = frame(signals, length, frame_step, pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return rfft(frames, stack([size]))


def _transform_length(fft_length: Any, frame_length: Any) -> Any:
    if fft_length is None:
        return _next_power_of_2(frame_length)
    return integer_scalar(fft_length, "fft_length")


@export("signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFn | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal behind a short-time Fourier transform.

    It is that of `stft` where windows add up to 1; `inverse_stft_window_fn` makes such windows.

    Args:
      stfts: complex, `[…, frames, fft_length // 2 + 1]`.
      frame_length, frame_step, fft_length, window_fn, name: as for `stft`.
    Returns:
      Real, `[…, (frames − 1) · frame_step + frame_length]`.
    """
    with op_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        length = integer_scalar(frame_length, "frame_length")
        size = _transform_length(fft_length, length)
        frames: Any = irfft(stfts, stack([size]))
        frames = get_item(frames, (..., slice(None, length)))
        if not isinstance(size, int) or not isinstance(length, int) or size < length:
            frames = pad_dimension(frames, -1, length - size_of(frames, -1))
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=REAL_OF[stfts.dtype])
        return overlap_and_add(frames, frame_step)


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: WindowFn = hann_window, name: str | None = None
) -> WindowFn:
    """A window function for `inverse_stft` that undoes that of `stft`.

        w′[n] = w[n] / Σₖ w[n + k · frame_step]²

    Args:
      frame_step: of the frames.
      forward_window_fn: w, that of `stft`.
      name: of the scope.
    Returns:
      A function of a length and a dtype.
    """

    def window_fn(frame_length: Any, dtype: Any) -> Tensor:
        with op_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            length = integer_scalar(frame_length, "frame_length")
            step = integer_scalar(frame_step, "frame_step")
            window: Any = forward_window_fn(length, dtype=dtype)
            parts = -(-length // step)
            padded = pad_dimension(square(window), 0, parts * step - length)
            sums = reduce_sum(reshape(padded, stack([parts, step])), 0, keepdims=True)
            repeated = reshape(tile(sums, stack([parts, 1])), [-1])
            return window / get_item(repeated, slice(None, length))

    return window_fn


@export("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: WindowFn | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform: of frames that overlap by half.

    A frame (a, b, c, d) of four quarters is folded into (−c′ − d, a − b′), where ′ reads backwards,
    and transformed by `dct` IV.

    Args:
      signals: `[…, samples]`.
      frame_length: a multiple of 4.
      window_fn: makes a window of a length and a dtype; None divides by √2.
      pad_end: as for `tf.signal.frame`.
      norm: as for `dct`.
      name: of the scope.
    Returns:
      `[…, frames, frame_length // 2]`.
    Raises:
      ValueError: `frame_length` is not a multiple of 4.

    See: Princen, Johnson & Bradley 1987.
    """
    with op_scope(name, "mdct", [signals, frame_length]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length = integer_scalar(frame_length, "frame_length")
        if isinstance(length, int) and length % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        frames: Any = frame(signals, length, length // 2, pad_end)
        frames = frames * _window(window_fn, length, frames.dtype)
        a, b, c, d = split(frames, 4, axis=-1)
        first: Any = negative(reverse(c, [-1]))
        second: Any = a
        return dct(concat([first - d, second - reverse(b, [-1])], -1), 4, norm=norm)


@export("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: WindowFn | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal behind a modified discrete cosine transform, but for its first and last halves.

    Args:
      mdcts: `[…, frames, frame_length // 2]`.
      window_fn, norm, name: as for `mdct`.
    Returns:
      `[…, (frames + 1) · frame_length // 2]`.
    """
    with op_scope(name, "inverse_mdct", [mdcts]):
        values: Any = convert_to_tensor(mdcts, name="mdcts")
        values.shape.with_rank_at_least(2)
        half = size_of(values, -1)
        folded: Any = dct(values, 4, norm=norm)
        if norm is None:
            folded = folded * (0.5 / cast(convert_to_tensor(half), folded.dtype))
        first, second = split(folded, 2, axis=-1)
        parts = [
            second,
            negative(reverse(second, [-1])),
            negative(reverse(first, [-1])),
            negative(first),
        ]
        frames: Any = concat(parts, -1)
        return overlap_and_add(frames * _window(window_fn, 2 * half, frames.dtype), half)


def _window(window_fn: WindowFn | None, length: Any, dtype: Any) -> Any:
    return math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=dtype)
