"""Weights in the order in which compiled kernels read them: blocks of columns, padded with zeros.

    packed[n // width, k, n % width] = matrix[k, n]

A kernel that makes `width` columns at a time streams one block from its beginning to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

_ALIGNMENT = 64

#: Gives memory for a shape and a dtype, at an address that is a multiple of 64.
Empty = Callable[[tuple[int, ...], np.dtype], np.ndarray]


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array at an address that is a multiple of 64, with any contents."""
    size = prod(shape) * dtype.itemsize
    block = np.empty(size + _ALIGNMENT, np.uint8)
    start = -block.ctypes.data % _ALIGNMENT
    return block[start : start + size].view(dtype).reshape(shape)


def pack_matrix(matrix: np.ndarray, width: int, empty: Empty = aligned_empty) -> np.ndarray:
    """Packs `[K, N]`, of any strides.

    Returns:
      `[⌈N / width⌉, K, width]`, in C order, at an address that is a multiple of 64.

    >>> pack_matrix(np.array([[1, 2, 3], [4, 5, 6]]), 2).tolist()
    [[[1, 2], [4, 5]], [[3, 0], [6, 0]]]
    """
    return _packed(matrix, width, empty)


def pack_filter(filter: np.ndarray, width: int, empty: Empty = aligned_empty) -> np.ndarray:
    """Packs the filter of a convolution, `[KH, KW, IC, OC]`, of any strides.

    Returns:
      `[⌈OC / width⌉, KH, KW, IC, width]`, in C order, at an address that is a multiple of 64.
    """
    return _packed(filter, width, empty)


def _packed(array: np.ndarray, width: int, empty: Empty) -> np.ndarray:
    *rows, columns = array.shape
    whole, rest = divmod(columns, width)
    packed = empty((whole + (rest > 0), *rows, width), array.dtype)
    blocks = array[..., : whole * width].reshape(*rows, whole, width)
    np.copyto(packed[:whole], np.moveaxis(blocks, -2, 0))
    if rest:
        packed[whole, ..., :rest] = array[..., whole * width :]
        packed[whole, ..., rest:] = 0
    return packed
