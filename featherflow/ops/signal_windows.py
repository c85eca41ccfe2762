"""Windows of signals: Hann, Hamming, Kaiser, Kaiser-Bessel derived and Vorbis."""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.activation_ops import relu
from featherflow.ops.arithmetic_ops import square
from featherflow.ops.bessel_ops import bessel_i0e
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.core_array_ops import concat
from featherflow.ops.cumulative_ops import cumsum
from featherflow.ops.exponential_ops import exp, sqrt
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.range_ops import range_
from featherflow.ops.reverse_ops import reverse
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.trigonometric_ops import cos, sin
from featherflow.ops.where_ops import where_v2


def _checked(window_length: Any, dtype: Any) -> tuple[Any, DType]:
    """The length as an int32 scalar, and the dtype, which must be a floating one."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype!r}")
    length = convert_to_tensor(window_length, dtypes.int32, name="window_length")
    length.shape.assert_has_rank(0)
    return length, dtype


@export("signal.hann_window")
def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """½ − ½ cos(2π n / N), n = 0 … `window_length` − 1.

    Args:
      window_length: an integer or a scalar tensor.
      periodic: whether N is `window_length` rather than one less, if it is even; windows of odd
        length are symmetric.
      dtype: a floating one.
      name: of the scope.
    Returns:
      `[window_length]`.
    Raises:
      ValueError: `dtype` is not a floating one.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.hann_window(4)).round(5).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


@export("signal.hamming_window")
def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """0.54 − 0.46 cos(2π n / N); the arguments are those of `hann_window`."""
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(
    name: str | None,
    default_name: str,
    window_length: Any,
    periodic: Any,
    dtype: Any,
    offset: float,
    height: float,
) -> Tensor:
    with op_scope(name, default_name, [window_length, periodic]):
        length, dtype = _checked(window_length, dtype)
        is_periodic: Any = cast(convert_to_tensor(periodic, dtypes.bool), dtypes.int32)
        period: Any = cast(length + is_periodic * (1 - length % 2) - 1, dtype)
        places: Any = cast(range_(length), dtype)
        angle = 2 * math.pi * places / period
        window: Any = offset - height * cos(angle)
        return where_v2(equal(length, 1), ones_like(window), window)


@export("signal.kaiser_window")
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """I₀(β √(1 − x²)) / I₀(β), x from −1 to 1.

    Args:
      window_length: an integer or a scalar tensor.
      beta: β; the window is the narrower the greater it is.
      dtype: a floating one.
      name: of the scope.
    Returns:
      `[window_length]`.
    Raises:
      ValueError: `dtype` is not a floating one.
    """
    with op_scope(name, "kaiser_window", [window_length, beta]):
        length, dtype = _checked(window_length, dtype)
        peak: Any = cast(convert_to_tensor(beta, dtype_hint=dtype), dtype)
        half: Any = (cast(length, dtype) - 1) / 2
        places: Any = cast(range_(length), dtype)
        angle: Any = peak * sqrt(relu(1 - square((places - half) / half)))
        # Exponentially scaled functions: I₀ itself overflows.
        window: Any = exp(angle - peak) * (bessel_i0e(angle) / bessel_i0e(peak))
        return where_v2(equal(length, 1), ones_like(window), window)


@export("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Square roots of the running sums of a Kaiser window, and the same backwards.

    The squares of its halves add up to 1, as the modified discrete cosine transform needs.

    Args:
      window_length: an even integer or a scalar tensor.
      beta: of the Kaiser window.
      dtype: a floating one.
      name: of the scope.
    Returns:
      `[window_length]`.
    """
    with op_scope(name, "kaiser_bessel_derived_window", [window_length, beta]):
        length, dtype = _checked(window_length, dtype)
        sums: Any = cumsum(kaiser_window(length // 2 + 1, beta, dtype))
        half = sqrt(get_item(sums, slice(None, -1)) / get_item(sums, -1))
        return concat([half, reverse(half, [0])], 0)


@export("signal.vorbis_window")
def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """sin(π/2 sin²(π (n + ½) / N)), n = 0 … N − 1.

    Args:
      window_length: N, an integer or a scalar tensor.
      dtype: a floating one.
      name: of the scope.
    Returns:
      `[window_length]`.
    Raises:
      ValueError: `dtype` is not a floating one.
    """
    with op_scope(name, "vorbis_window", [window_length]):
        length, dtype = _checked(window_length, dtype)
        places: Any = cast(range_(length), dtype)
        size: Any = cast(length, dtype)
        inner: Any = square(sin(math.pi / size * (places + 0.5)))
        return sin(math.pi / 2 * inner)
