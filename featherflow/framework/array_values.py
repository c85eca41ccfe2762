"""Turns Python values into the NumPy arrays that tensors hold, by TensorFlow's rules for dtypes.

>>> as_ndarray([1, 2.5]).dtype, as_ndarray(3).dtype, as_ndarray(2**40).dtype
(dtype('float32'), dtype('int32'), dtype('int64'))
>>> as_ndarray(["naïve", b"x"])
array([b'na\\xc3\\xafve', b'x'], dtype=object)
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype, from_numpy

_BUFFERS = (bytearray, memoryview)
_INT32 = np.iinfo(np.int32)


def as_ndarray(values: Any, dtype: Any = None) -> np.ndarray:
    """`values` as an array of a TensorFlow dtype.

    Arrays, NumPy scalars and objects with `__array__` keep their dtype. Python numbers become
    int32 (int64, uint64 where they do not fit), float32, complex128 or bool; an empty list is
    float32; text is encoded as UTF-8.

    Args:
      values: a number, string, array, or nested lists and tuples of numbers and strings. Elements
        of a quantized dtype are tuples of one integer.
      dtype: what the array must be. Arrays are cast; Python values must be of the right kind
        (integers will do for floats) and wrap around where they do not fit.

    Returns:
      An array in C order and native byte order. It may be `values` itself, or share its memory.

    Raises:
      TypeError: an element is not of the kind that `dtype` needs, or no dtype holds it.
      ValueError: `values` is None, or the nested lists are ragged or hold arrays.
    """
    if values is None:
        raise ValueError("None values not supported.")
    wanted = None if dtype is None else as_dtype(dtype).base_dtype
    if wanted is not None and not wanted.is_numpy_compatible:  # resource, variant
        raise TypeError(f"dtype {wanted.name} is not compatible with {values!r}: it has no values.")
    if isinstance(values, (np.ndarray, np.generic, *_BUFFERS)) or hasattr(values, "__array__"):
        return _cast_array(np.asarray(values), wanted)
    if wanted is None:
        return _infer(values)
    if wanted is dtypes.string:
        return _strings(values)
    return _quantized(values, wanted) if wanted.is_quantized else _numbers(values, wanted)


def _cast_array(array: np.ndarray, wanted: DType | None) -> np.ndarray:
    if wanted is None:
        wanted = from_numpy(array.dtype)
    if wanted is dtypes.string:
        return _encode(array.astype(object, order="C"))  # a copy in any case
    if array.dtype.fields and not wanted.is_quantized:
        array = array.view(array.dtype[0])  # out of a quantized type: its integers
    # A value too large for its new type becomes infinite, or any integer, as in TensorFlow.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(array.astype(wanted.numpy_dtype, copy=False), order="C")


def _infer(values: Any) -> np.ndarray:
    try:
        array = np.array(values)
    except ValueError as error:
        raise ValueError(
            f"Can't convert non-rectangular Python sequence to Tensor: {values!r}"
        ) from error
    if array.dtype.kind in "US":
        return _strings(values)
    if array.dtype == object:
        # Mixed elements, None, unknown objects, and integers beyond 64 bits.
        raise TypeError(
            f"Failed to convert elements of {values!r} to Tensor. Consider casting elements to a "
            "supported type: numbers, bool, str or bytes."
        )
    _check_dense(values, array)
    if array.dtype == np.float64:
        return _cast_array(array, dtypes.float32)
    if array.dtype == np.int64 and _fits_int32(array):
        return array.astype(np.int32)
    return _cast_array(array, None)


def _fits_int32(array: np.ndarray) -> bool:
    return array.size == 0 or (array.min() >= _INT32.min and array.max() <= _INT32.max)


# Python values of a given dtype


def _is_int(leaf: Any) -> bool:
    if isinstance(leaf, np.generic):  # NumPy does not register the types of ml_dtypes as numbers
        return from_numpy(leaf.dtype).is_integer
    # TF1's Dimension has `__index__` too; so has an array, which is no element.
    return isinstance(leaf, numbers.Integral) or (
        hasattr(type(leaf), "__index__") and not isinstance(leaf, np.ndarray)
    )


def _is_float(leaf: Any) -> bool:
    if isinstance(leaf, np.generic):
        return not from_numpy(leaf.dtype).is_complex and not isinstance(leaf, (np.str_, np.bytes_))
    return isinstance(leaf, numbers.Real)


def _is_complex(leaf: Any) -> bool:
    return isinstance(leaf, numbers.Complex) or _is_float(leaf)


def _is_bool(leaf: Any) -> bool:
    return isinstance(leaf, (bool, np.bool_))


def _is_string(leaf: Any) -> bool:
    return isinstance(leaf, (str, bytes))


def _kind_check(wanted: DType) -> tuple[str, Callable[[Any], bool]]:
    """The NumPy kinds that need no further look, and the test of a single element."""
    if wanted.is_bool:
        return "b", _is_bool
    if wanted.is_integer:
        return "iub", _is_int
    if wanted.is_complex:
        return "iubfc", _is_complex
    return "iubf", _is_float


def _numbers(values: Any, wanted: DType) -> np.ndarray:
    kinds, is_right = _kind_check(wanted)
    try:
        array = np.array(values)
    except ValueError:  # ragged; but an element of the wrong kind is the more helpful complaint
        _check_leaves(values, wanted, is_right)
        raise
    if array.size and array.dtype.kind not in kinds:
        _check_leaves(values, wanted, is_right)
        # Objects, and integers so large that NumPy took them for floats.
        array = np.array(values, dtype=object)
    _check_dense(values, array)
    return _cast_array(array, wanted)


def _strings(values: Any) -> np.ndarray:
    _check_leaves(values, dtypes.string, _is_string)
    # Never through NumPy's own strings, which drop trailing NULs.
    array = np.array(values, dtype=object)
    _check_dense(values, array)
    return _encode(array)


def _encode(array: np.ndarray) -> np.ndarray:
    """Makes all elements bytes, in place; text becomes UTF-8."""
    flat = array.reshape(-1)
    for index, item in enumerate(flat):
        if isinstance(item, str):
            flat[index] = item.encode()
        elif not isinstance(item, bytes):
            raise TypeError(f"Expected binary or unicode string, got {item!r}")
        elif type(item) is not bytes:  # np.bytes_
            flat[index] = bytes(item)
    return array


def _quantized(values: Any, wanted: DType) -> np.ndarray:
    for leaf in _leaves(values, list):
        if not isinstance(leaf, tuple):
            _refuse(leaf, wanted)
        _check_leaves(leaf, wanted, _is_int)
    return np.array(values, dtype=wanted.numpy_dtype)


def _leaves(values: Any, containers: Any = (list, tuple)) -> Iterator[Any]:
    if isinstance(values, containers):
        for item in values:
            yield from _leaves(item, containers)
    else:
        yield values


def _check_leaves(values: Any, wanted: DType, is_right: Callable[[Any], bool]) -> None:
    for leaf in _leaves(values):
        element = leaf[()] if isinstance(leaf, np.ndarray) and leaf.ndim == 0 else leaf
        if not is_right(element):
            _refuse(element, wanted)


def _refuse(leaf: Any, wanted: DType) -> None:
    raise TypeError(f"Expected {wanted.name}, but got {leaf} of type '{type(leaf).__name__}'.")


def _check_dense(values: Any, array: np.ndarray) -> None:
    """Refuses ragged lists, and sequences inside lists that are no lists, such as arrays."""
    shape = []
    level = values
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    if tuple(shape) != array.shape:
        raise ValueError(
            f"Expected values {values!r} to be a dense tensor with shape {shape}, but got shape "
            f"{list(array.shape)}."
        )
