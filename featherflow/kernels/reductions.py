"""Reductions over axes: sum, product, mean, extrema, norms, arg-extrema.

`axes` are an integer vector or scalar as ops take them: negative ones count from the end, none of
them gives a copy. All results are arrays, of rank 0 too.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.axes import normalize_axes, normalize_axis
from featherflow.kernels.precision import compute_dtype

Axes = tuple[int, ...]
ReductionKernel = Callable[..., np.ndarray]


def reduction_axes(indices: np.ndarray, rank: int) -> Axes:
    """The axes that a reduction op's second input names, each in [0, rank).

    Raises:
      InvalidArgumentError: one is out of range, or named twice.
    """
    return normalize_axes(indices.reshape(-1).tolist(), rank, "reduction dimension")


def single_axis(axis: np.ndarray, rank: int) -> int:
    """A scalar axis in [0, rank).

    Raises:
      InvalidArgumentError: it is no scalar, or out of range.
    """
    if axis.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "axis must be a scalar",
            received=f"shape {list(axis.shape)}",
        )
    return normalize_axis(int(axis), rank)


def reduce_sum(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """Σ input over `axes`; narrow floats are summed in float32, integers wrap around."""
    return _reduce(np.add, input, axes, keep_dims)


def reduce_prod(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """∏ input over `axes`; narrow floats are multiplied in float32, integers wrap around."""
    return _reduce(np.multiply, input, axes, keep_dims)


def _reduce(ufunc: np.ufunc, input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    wide = compute_dtype(input.dtype)
    result = ufunc.reduce(input, axis=axes, dtype=wide, keepdims=keep_dims, out=...)
    return result if wide is input.dtype else result.astype(input.dtype)


def reduce_mean(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """Σ input / count over `axes`; that of integers is rounded towards zero."""
    count = math.prod(input.shape[axis] for axis in axes)
    if input.dtype.kind in "iu":
        total = np.add.reduce(input, axis=axes, dtype=np.int64, keepdims=keep_dims, out=...)
        # Not np.trunc of a quotient: float64 does not hold every int64.
        mean = np.sign(total) * (np.abs(total) // max(count, 1))
        return mean.astype(input.dtype)
    wide = compute_dtype(input.dtype)
    total = np.add.reduce(input, axis=axes, dtype=wide, keepdims=keep_dims, out=...)
    # A mean of nothing is 0/0.
    mean = np.divide(total, wide.type(count), out=...)
    return mean if wide is input.dtype else mean.astype(input.dtype)


def reduce_max(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """max input over `axes`: NaN if there is one, the lowest value if there is nothing."""
    lowest = lowest_value(input.dtype)
    return np.maximum.reduce(input, axis=axes, keepdims=keep_dims, initial=lowest, out=...)


def reduce_min(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """min input over `axes`: NaN if there is one, the highest value if there is nothing."""
    highest = highest_value(input.dtype)
    return np.minimum.reduce(input, axis=axes, keepdims=keep_dims, initial=highest, out=...)


def lowest_value(dtype: np.dtype) -> np.generic:
    """−∞ for floats, the least integer for integers: what is below all values."""
    return dtype.type(ml_dtypes.iinfo(dtype.type).min if dtype.kind in "iu" else -np.inf)


def highest_value(dtype: np.dtype) -> np.generic:
    """∞ for floats, the greatest integer for integers: what is above all values."""
    return dtype.type(ml_dtypes.iinfo(dtype.type).max if dtype.kind in "iu" else np.inf)


def reduce_any(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """Whether any element along `axes` is true."""
    return np.logical_or.reduce(input, axis=axes, keepdims=keep_dims, out=...)


def reduce_all(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """Whether all elements along `axes` are true."""
    return np.logical_and.reduce(input, axis=axes, keepdims=keep_dims, out=...)


def reduce_euclidean_norm(input: np.ndarray, axes: Axes, keep_dims: bool) -> np.ndarray:
    """√ Σ |input|² over `axes`; that of integers is rounded towards zero."""
    if input.dtype.kind == "c":
        squares = np.real(input) ** 2 + np.imag(input) ** 2
    else:
        wide = np.dtype(np.float64) if input.dtype.kind in "iu" else compute_dtype(input.dtype)
        squares = np.square(input, dtype=wide)
    total = np.add.reduce(squares, axis=axes, keepdims=keep_dims, out=...)
    return np.sqrt(total, out=...).astype(input.dtype)


# --- places of extrema ----------------------------------------------------------------------------


def arg_max(input: np.ndarray, axis: int, dtype: np.dtype) -> np.ndarray:
    """The first place of the maximum along `axis`; NaN are passed over."""
    return _arg_extremum(np.argmax, input, axis, dtype, -np.inf)


def arg_min(input: np.ndarray, axis: int, dtype: np.dtype) -> np.ndarray:
    """The first place of the minimum along `axis`; NaN are passed over."""
    return _arg_extremum(np.argmin, input, axis, dtype, np.inf)


def _arg_extremum(
    find: Callable[..., np.ndarray], input: np.ndarray, axis: int, dtype: np.dtype, worst: float
) -> np.ndarray:
    if input.shape[axis] == 0:
        raise InvalidArgumentError(
            None,
            None,
            f"Reduction axis {axis} is empty",
            received=f"shape {list(input.shape)}",
        )
    if input.dtype.kind not in "biu":
        # Comparisons with NaN are false, so TensorFlow never chooses one; NumPy always would.
        input = np.where(np.isnan(input), input.dtype.type(worst), input)
    return np.asarray(find(input, axis=axis)).astype(dtype)
