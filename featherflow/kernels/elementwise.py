"""Elementwise functions that are more than one NumPy ufunc, with TensorFlow's edge cases.

Inputs of binary functions broadcast. Results are arrays, of rank 0 too: the last ufunc of each
function is called with `out=...`, which says so to NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

Kernel = Callable[..., np.ndarray]


def in_float32(function: Kernel) -> Kernel:
    """`function` for float16 and bfloat16: computed in float32, rounded once at the end."""

    def narrow(*arrays: np.ndarray) -> np.ndarray:
        wide = function(*(array.astype(np.float32) for array in arrays))
        return wide.astype(arrays[0].dtype)

    narrow.__name__ = f"{getattr(function, '__name__', 'function')}_in_float32"
    return narrow


def zero_where(condition: Any, value: Any) -> np.ndarray:
    """`value`, and 0 where `condition` holds."""
    return np.where(condition, value.dtype.type(0), value)


# --- division -------------------------------------------------------------------------------------


def floor_divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """⌊x / y⌋ for floats; NumPy's floor_divide floors the exact quotient (1.0 // 0.1 = 9)."""
    return np.floor(np.divide(x, y), out=...)


def truncate_divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y rounded towards zero, for floats."""
    return np.trunc(np.divide(x, y), out=...)


def refuse_zero(divisor: np.ndarray) -> None:
    """Raises InvalidArgumentError if an integer divisor has a zero."""
    if not np.all(divisor):
        raise InvalidArgumentError(
            None, None, "Integer division by zero", expected="no zero in the divisor"
        )


def floor_divide_integers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """⌊x / y⌋ for integers; the least one divided by −1 wraps around to itself."""
    refuse_zero(y)
    return np.floor_divide(x, y, out=...)


def truncate_divide_integers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y rounded towards zero, for integers."""
    refuse_zero(y)
    is_rounded_down = (np.remainder(x, y) != 0) & ((x < 0) != (y < 0))
    return np.add(np.floor_divide(x, y), is_rounded_down, out=..., dtype=x.dtype)


def floor_modulo_integers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x − ⌊x / y⌋ y for integers: has the sign of y."""
    refuse_zero(y)
    return np.remainder(x, y, out=...)


def truncate_modulo_integers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x − trunc(x / y) y for integers: has the sign of x."""
    refuse_zero(y)
    return np.fmod(x, y, out=...)


def divide_no_nan(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y, and 0 where y = 0."""
    return zero_where(y == 0, np.divide(x, y))


def multiply_no_nan(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x y, and 0 where y = 0, whatever x is."""
    return zero_where(y == 0, np.multiply(x, y))


# --- products with zero ---------------------------------------------------------------------------


def xlogy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x log y, and 0 where x = 0."""
    return zero_where(x == 0, x * np.log(y))


def xlog1py(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x log(1 + y), and 0 where x = 0."""
    return zero_where(x == 0, x * np.log1p(y))


def xdivy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y, and 0 where x = 0."""
    return zero_where(x == 0, np.divide(x, y))


# --- powers ---------------------------------------------------------------------------------------


def squared_difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(x − y)², and |x − y|² for complex numbers."""
    difference = np.subtract(x, y)
    return np.multiply(np.conjugate(difference), difference, out=...)


def rsqrt(x: np.ndarray) -> np.ndarray:
    """1 / √x."""
    return np.reciprocal(np.sqrt(x), out=...)


def power_of_integers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """xʸ for integers, which wraps around.

    Raises:
      InvalidArgumentError: an exponent is negative.
    """
    if np.any(y < 0):
        raise InvalidArgumentError(
            None,
            None,
            "Integers to negative integer powers are not allowed",
            remedy="Cast both to a floating type.",
        )
    return np.power(x, y, out=...)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e⁻ˣ)."""
    result = np.negative(x, out=...)
    np.exp(result, out=result)
    np.add(result, 1, out=result)
    return np.reciprocal(result, out=result)


# --- derivatives in terms of the function's value y and the gradient dy ---------------------------


def _shaped_as(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """`dy`, which has as many elements as `y`, in the shape of `y`."""
    if dy.shape == y.shape:
        return dy
    if dy.size != y.size:
        raise InvalidArgumentError(
            None, None, "y and dy differ in size", received=f"{list(y.shape)} and {list(dy.shape)}"
        )
    return dy.reshape(y.shape)


def sqrt_gradient(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """dy · ½ / ȳ, the gradient of y = √x."""
    dy = _shaped_as(y, dy)
    return np.divide(dy * dy.dtype.type(0.5), np.conjugate(y), out=...)


def rsqrt_gradient(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """dy · −½ ȳ³, the gradient of y = 1 / √x."""
    y, dy = np.conjugate(y), _shaped_as(y, dy)
    return np.multiply(dy * dy.dtype.type(-0.5), y * y * y, out=...)


def reciprocal_gradient(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """−dy · ȳ², the gradient of y = 1 / x."""
    y, dy = np.conjugate(y), _shaped_as(y, dy)
    return np.multiply(np.negative(dy), y * y, out=...)


def tanh_gradient(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """dy · (1 − ȳ²), the gradient of y = tanh x."""
    y, dy = np.conjugate(y), _shaped_as(y, dy)
    return np.multiply(dy, 1 - y * y, out=...)


def sigmoid_gradient(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """dy · ȳ (1 − ȳ), the gradient of y = sigmoid x."""
    y, dy = np.conjugate(y), _shaped_as(y, dy)
    return np.multiply(dy, y * (1 - y), out=...)


# --- complex numbers ------------------------------------------------------------------------------


def real_part(x: np.ndarray) -> np.ndarray:
    """Re x."""
    return np.real(x).copy()


def imaginary_part(x: np.ndarray) -> np.ndarray:
    """Im x."""
    return np.imag(x).copy()


def complex_angle(x: np.ndarray) -> np.ndarray:
    """arg x in (−π, π]."""
    return np.arctan2(np.imag(x), np.real(x), out=...)


def make_complex(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """real + i imag; not by arithmetic, in which infinities would become NaN."""
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    result.real = real
    result.imag = imag
    return result


# --- bits -----------------------------------------------------------------------------------------


def left_shift(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x · 2ʸ in x's bits; y is taken into [0, bits − 1], where C leaves it undefined."""
    return np.left_shift(x, _shift_distance(y), out=...)


def right_shift(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """⌊x / 2ʸ⌋; y is taken into [0, bits − 1]."""
    return np.right_shift(x, _shift_distance(y), out=...)


def _shift_distance(y: np.ndarray) -> np.ndarray:
    return np.clip(y, 0, y.dtype.itemsize * 8 - 1)


def population_count(x: np.ndarray) -> np.ndarray:
    """The number of one bits of x's two's complement."""
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"), out=...)
