"""Casts between element types."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def cast(array: np.ndarray, dtype: np.dtype, truncate: bool = False) -> np.ndarray:
    """A copy of `array` with elements of `dtype`; floats that get narrower are rounded to nearest.

    Complex numbers lose their imaginary part on the way to real ones, floats their fraction on the
    way to integers, integers their high bits. Floats outside an integer type's range become what
    the processor makes of them, as in TensorFlow.

    Args:
      truncate: round towards zero where floats get narrower.
    """
    array = _plain(array)
    target = _plain_dtype(dtype)
    if array.dtype.kind == "c" and target.kind != "c":
        array = np.real(array)
    if truncate and mantissa_bits(array.dtype) > mantissa_bits(target) > 0:
        array = drop_mantissa_bits(array, mantissa_bits(array.dtype) - mantissa_bits(target))
    result = array.astype(target, order="C")
    return result if target is dtype else result.view(dtype)


def _plain(array: np.ndarray) -> np.ndarray:
    """Quantized arrays as the integers that they are."""
    plain = _plain_dtype(array.dtype)
    return array if plain is array.dtype else array.view(plain)


def _plain_dtype(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.names is None else dtype[0]


def mantissa_bits(dtype: np.dtype) -> int:
    """Explicit bits of the mantissa of a floating or complex type; 0 for others.

    >>> mantissa_bits(np.dtype(np.float32)), mantissa_bits(np.dtype(np.int32))
    (23, 0)
    """
    if dtype.kind == "c":
        return 23 if dtype.itemsize == 8 else 52
    try:
        return ml_dtypes.finfo(dtype).nmant
    except ValueError:
        return 0


def drop_mantissa_bits(array: np.ndarray, count: int) -> np.ndarray:
    """`array` with the lowest `count` bits of each mantissa zero: rounded towards zero.

    Infinities and NaN stay what they are.
    """
    part = array.view(np.real(array).dtype) if array.dtype.kind == "c" else array
    bits = part.view(f"u{part.dtype.itemsize}")
    kept = bits & ~bits.dtype.type(2**count - 1)
    rounded = kept.view(part.dtype)
    return np.where(np.isnan(part), part, rounded).astype(part.dtype).view(array.dtype)


def bitcast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The bytes of `array` as elements of `dtype`.

    Args:
      array: [...]; [..., k] if elements of `dtype` are k times as wide.
    Returns:
      [...], or [..., k] if elements of `dtype` are k times as narrow; shares the memory of `array`.
    Raises:
      InvalidArgumentError: the last dimension is not k.
    """
    source, target = array.dtype.itemsize, dtype.itemsize
    if source == target:
        return array.view(dtype)
    if source > target:
        return np.expand_dims(array, -1).view(dtype)
    if not array.ndim or array.shape[-1] * source != target:
        raise InvalidArgumentError(
            None,
            None,
            f"Cannot bitcast {array.dtype} to {dtype}",
            received=f"shape {list(array.shape)}",
            expected=f"a last dimension of {target // source}",
        )
    return array.view(dtype).reshape(array.shape[:-1])
