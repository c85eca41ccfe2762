"""Discrete cosine transforms I to IV, made of Fourier transforms of twice the length."""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.complex_ops import complex as complex_of
from featherflow.ops.complex_ops import real
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import exp, rsqrt, sqrt
from featherflow.ops.framing_ops import pad_dimension, size_of
from featherflow.ops.range_ops import range_
from featherflow.ops.reverse_ops import reverse
from featherflow.ops.rfft_ops import irfft, rfft
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.where_ops import where_v2


@export("signal.dct")
@export_v1("spectral.dct")
def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of the last dimension.

        I    y[k] = x[0] + (−1)ᵏ x[N − 1] + 2 Σₙ x[n] cos(π k n / (N − 1))        0 < n < N − 1
        II   y[k] = 2 Σₙ x[n] cos(π k (2n + 1) / 2N)
        III  y[k] = x[0] + 2 Σₙ x[n] cos(π n (2k + 1) / 2N)                       0 < n
        IV   y[k] = 2 Σₙ x[n] cos(π (2k + 1) (2n + 1) / 4N)

    Args:
      input: float32 or float64, `[…, N]`.
      type: 1 to 4.
      n: cuts off the input, or fills it up with zeros, to this length.
      axis: −1.
      norm: "ortho" scales II, III and IV so that they are orthogonal.
      name: of the scope.
    Returns:
      A tensor like `input`.
    Raises:
      ValueError: there is no such type, length or norm.
      NotImplementedError: `axis` is another one.

    See: Makhoul 1980.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.dct([1.0, 1.0])).round(5).tolist()
    [4.0, 0.0]
    """
    _check(type, n, axis, norm)
    with op_scope(name, "dct", [input]):
        values: Any = convert_to_tensor(input, dtype_hint=dtypes.float32)
        if values.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError(f"dct takes float32 or float64, received {values.dtype.name}.")
        values.shape.with_rank_at_least(1)
        if n is not None:
            values = _of_length(values, n)
        size = size_of(values, -1)
        if type == 1 and isinstance(size, int) and size < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
        transform = {1: _first, 2: _second, 3: _third, 4: _fourth}[type]
        return transform(values, size, norm == "ortho")


@export("signal.idct")
@export_v1("spectral.idct")
def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct`: II and III are each other's, I and IV their own.

    Without `norm` "ortho" it is 2N times the inverse; 2 (N − 1) times for I.
    """
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm, name)


def _check(type: int, n: Any, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")


def _of_length(values: Tensor, length: int) -> Tensor:
    size = size_of(values, -1)
    cut = get_item(values, (..., slice(None, length)))
    return pad_dimension(cut, -1, length - size_of(cut, -1)) if size != length else values


def _phase(size: Any, sign: float, dtype: Any) -> Any:
    """2 e^(± iπ k / 2N), k = 0 … N − 1."""
    places: Any = cast(range_(size), dtype)
    angle: Any = places * (sign * math.pi / 2) / cast(convert_to_tensor(size), dtype)
    return 2 * exp(complex_of(0 * angle, angle))


def _orthonormal(size: Any, first: Any, others: Any) -> Any:
    """`first` at place 0, `others` elsewhere."""
    return where_v2(equal(range_(size), 0), first, others)


def _first(values: Tensor, size: Any, is_ortho: bool) -> Tensor:
    backwards = get_item(reverse(values, [-1]), (..., slice(1, -1)))
    return real(rfft(concat([values, backwards], -1)))


def _second(values: Tensor, size: Any, is_ortho: bool) -> Tensor:
    spectrum: Any = get_item(rfft(values, _vector(2 * size)), (..., slice(None, size)))
    result: Any = real(spectrum * _phase(size, -1, values.dtype))
    if not is_ortho:
        return result
    others: Any = rsqrt(2 * cast(convert_to_tensor(size), values.dtype))
    return result * _orthonormal(size, others * math.sqrt(0.5), others)


def _third(values: Any, size: Any, is_ortho: bool) -> Tensor:
    count: Any = cast(convert_to_tensor(size), values.dtype)
    if is_ortho:
        values = values * _orthonormal(size, sqrt(count), sqrt(count / 2))
    else:
        values = values * count
    spectrum = _phase(size, 1, values.dtype) * complex_of(values, 0 * values)
    return get_item(irfft(spectrum, _vector(2 * size)), (..., slice(None, size)))


def _fourth(values: Tensor, size: Any, is_ortho: bool) -> Tensor:
    double = pad_dimension(values, -1, size)
    result: Any = get_item(_second(double, 2 * size, False), (..., slice(1, None, 2)))
    if not is_ortho:
        return result
    count: Any = cast(convert_to_tensor(size), values.dtype)
    return result * rsqrt(2 * count)


def _vector(length: Any) -> Any:
    return [length] if isinstance(length, int) else get_item(length, (None,))
