"""Arrays of byte strings: one function over all elements, joining along axes and by segments.

A tensor of string is an array of objects, each of them `bytes`:

    >>> mapped(bytes.upper, from_list([b"a", b"b"], (2,))).tolist()
    [b'A', b'B']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from featherflow.kernels.allocation import check_allocation


def from_list(values: Sequence[bytes], shape: Sequence[int]) -> np.ndarray:
    """The strings as an array of `shape`."""
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result.reshape(shape)


def scalar(value: bytes) -> np.ndarray:
    """One string as an array of rank 0."""
    return from_list([value], ())


def flat(array: np.ndarray) -> list[Any]:
    """The elements in row-major order."""
    return array.reshape(-1).tolist()


def mapped(function: Callable[[bytes], bytes], array: np.ndarray) -> np.ndarray:
    """`function` of each string, as strings."""
    return from_list([function(item) for item in flat(array)], array.shape)


def mapped_to(dtype: Any, function: Callable[[bytes], Any], array: np.ndarray) -> np.ndarray:
    """`function` of each string, as an array of `dtype`."""
    values = [function(item) for item in flat(array)]
    return np.array(values, dtype=dtype).reshape(array.shape)


def text_bytes(text: str | bytes) -> bytes:
    """An attribute as bytes; those that are not UTF-8 come as bytes."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def join_elementwise(arrays: Sequence[np.ndarray], separator: bytes) -> np.ndarray:
    """Joins arrays of one shape and scalars, which stand beside every element."""
    shape: tuple[int, ...] = next((array.shape for array in arrays if array.ndim), ())
    count = math.prod(shape)
    columns: Iterable[list[bytes]] = (
        flat(array) if array.ndim else [array.item()] * count for array in arrays
    )
    return from_list([separator.join(row) for row in zip(*columns)], shape)


def join_axes(
    array: np.ndarray, axes: Sequence[int], keep_dims: bool, separator: bytes
) -> np.ndarray:
    """Joins along `axes`, the first of which runs fastest."""
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    rows = array.transpose([*kept, *reversed(axes)])
    outer = tuple(array.shape[axis] for axis in kept)
    inner = math.prod(array.shape[axis] for axis in axes)
    grouped = rows.reshape(math.prod(outer), inner).tolist()
    shape = outer
    if keep_dims:
        shape = tuple(1 if axis in axes else size for axis, size in enumerate(array.shape))
    return from_list([separator.join(row) for row in grouped], shape)


def join_segments(
    array: np.ndarray, segment_ids: np.ndarray, count: int, separator: bytes
) -> np.ndarray:
    """Joins the rows of each segment; the ids stand for the leading dimensions of `array`.

    As in TensorFlow, no separator follows what is still empty.
    """
    inner = array.shape[segment_ids.ndim :]
    width = math.prod(inner)
    check_allocation((count, *inner), array.dtype)
    joined = np.full((count, width), b"", dtype=object)
    rows = array.reshape(segment_ids.size, width).tolist()
    for segment, row in zip(flat(segment_ids), rows):
        texts = joined[segment]
        for place, item in enumerate(row):
            texts[place] = texts[place] + separator + item if texts[place] else item
    return joined.reshape(count, *inner)
