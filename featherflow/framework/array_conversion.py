"""Python values as arrays: which dtype they get, which they may be given, which shape they fill."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape


def array_of(
    value: Any, dtype: DType | None = None, shape: Any = None, verify_shape: bool = False
) -> tuple[np.ndarray, DType]:
    """`value` as a C-ordered array of its own, and its dtype.

    Python floats become float32 and ints int32 (int64 where they need it) unless `dtype` is given;
    arrays keep theirs. Strings become object arrays of bytes.

    Args:
      value: a number, string, array, or nested sequence of them.
      dtype: what it must be; an array is cast, a Python value must fit.
      shape: what it must have; a smaller value is filled up with its last element.
      verify_shape: refuse to fill up.
    Raises:
      TypeError: the value does not fit `dtype`; with `verify_shape`, it has another shape.
      ValueError: the sequences are ragged, or there are more elements than `shape` holds.
    """
    if dtype is not None:
        dtype = dtype.base_dtype
    array, result = _typed(value, dtype)
    if shape is not None:
        array = _filled(array, TensorShape(shape), verify_shape)
    return array, result


def _typed(value: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(np.asarray(value), dtype)
    if dtype is dtypes.string:
        return _strings(value), dtypes.string
    if dtype is not None:
        _check_fits(value, dtype)
        return _make(value, dtype), dtype
    try:
        array = np.array(value)
    except ValueError as error:
        raise ValueError(
            f"Can't convert non-rectangular Python sequence to Tensor: {error}"
        ) from None
    if array.dtype.kind in "USO":
        return _strings(value), dtypes.string
    if array.dtype == np.float64:
        return array.astype(np.float32), dtypes.float32
    if array.dtype == np.int64:
        small = array.astype(np.int32)
        return (small, dtypes.int32) if np.array_equal(small, array) else (array, dtypes.int64)
    return array, dtypes.from_numpy(array.dtype)


def _from_numpy(array: np.ndarray, dtype: DType | None) -> tuple[np.ndarray, DType]:
    if array.dtype.kind in "US" or (array.dtype.kind == "O" and dtype in (None, dtypes.string)):
        return _strings(array), dtypes.string
    result = dtypes.from_numpy(array.dtype.newbyteorder("=")) if dtype is None else dtype
    if dtype is dtypes.string:
        raise TypeError(f"Expected string, but got an array of {array.dtype}.")
    return np.array(array, dtype=result.numpy_dtype, order="C"), result


def _make(value: Any, dtype: DType) -> np.ndarray:
    try:
        return np.array(value, dtype=dtype.numpy_dtype, order="C")
    except OverflowError as error:
        raise ValueError(f"{value!r} does not fit {dtype.name}: {error}") from None
    except ValueError as error:
        raise ValueError(
            f"Can't convert Python sequence to a tensor of {dtype.name}: {error}"
        ) from None


# --- what Python values fit -----------------------------------------------------------


def _check_fits(value: Any, dtype: DType) -> None:
    """Raises TypeError for the first element of a Python value that is of another kind."""
    for item in _leaves(value):
        if isinstance(item, (np.ndarray, np.generic)) or (item is None and dtype is None):
            continue
        if not _fits(item, dtype):
            raise TypeError(
                f"Expected {dtype.name}, but got {item!r} of type '{type(item).__name__}'."
            )


def _fits(item: Any, dtype: DType) -> bool:
    if dtype.is_bool:
        return isinstance(item, bool)
    if isinstance(item, (str, bytes, bool)) or item is None:
        return False
    if dtype.is_integer or dtype.is_quantized:
        return isinstance(item, int) or hasattr(item, "__index__")
    if dtype.is_floating:
        return isinstance(item, (int, float)) or hasattr(item, "__float__")
    if dtype.is_complex:
        return isinstance(item, (int, float, complex)) or hasattr(item, "__complex__")
    return False


def _leaves(value: Any):
    if isinstance(value, (list, tuple, range)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _strings(value: Any) -> np.ndarray:
    """An object array of bytes; text is encoded as UTF-8."""
    source = np.array(value, dtype=object) if not isinstance(value, np.ndarray) else value
    result = np.empty(source.shape, dtype=object)
    flat = result.reshape(-1)
    for position, item in enumerate(source.reshape(-1)):
        if isinstance(item, bytes):
            flat[position] = bytes(item)
        elif isinstance(item, str):
            flat[position] = item.encode()
        else:
            raise TypeError(f"Expected string, but got {item!r} of type '{type(item).__name__}'.")
    return result


def _filled(array: np.ndarray, shape: TensorShape, verify: bool) -> np.ndarray:
    dims: Sequence[int] = tuple(shape.as_list())
    if array.shape == dims:
        return array
    if verify:
        raise TypeError(f"Expected Tensor's shape: {tuple(dims)}, but got {array.shape}.")
    size = math.prod(dims)
    if array.size > size:
        raise ValueError(
            f"Too many elements provided. Takes at most {size:d}, but got {array.size:d}"
        )
    flat = array.reshape(-1)
    if array.size == size:
        return flat.reshape(dims)
    if array.size == 0:
        return np.zeros(dims, dtype=array.dtype)
    result = np.empty(size, dtype=array.dtype)
    result[: array.size] = flat
    result[array.size :] = flat[-1]
    return result.reshape(dims)
