"""Strided slices: `x[1:, ..., tf.newaxis, 3]` as begin, end and stride vectors with five bit masks.

Bit i of a mask speaks of entry i of the vectors:

    ellipsis    the entry stands for all dimensions that no other entry takes
    new_axis    the entry adds a dimension of size 1
    shrink_axis the entry is an index: it takes element `begin` and drops the dimension
    begin, end  the entry has no begin (end): it starts (stops) at the edge

The first bit that is set, in this order, decides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

Dims = tuple[int | None, ...]
Vector = tuple[int, ...]


class SliceMasks(NamedTuple):
    """The five masks."""

    begin: int = 0
    end: int = 0
    ellipsis: int = 0
    new_axis: int = 0
    shrink_axis: int = 0


class DenseSlice(NamedTuple):
    """A strided slice with one range for each dimension of its input.

    Attributes:
      ranges: for each input dimension, its range; None where it is not known.
      shape: of the result, with new axes and without shrunk ones.
    """

    ranges: tuple[slice | None, ...]
    shape: Dims


def dense_slice(
    dims: Dims, begin: Vector | None, end: Vector | None, strides: Vector, masks: SliceMasks
) -> DenseSlice:
    """Works out the ranges and the shape of a slice of an input of shape `dims`.

    Args:
      dims: None where a size is not known.
      begin: None if it is not known.
      end: None if it is not known.
    Raises:
      InvalidArgumentError: there are too many entries, a stride is 0, an index is out of range.
    """
    ranges: list[slice | None] = []
    shape: list[int | None] = []
    for entry in _entries(len(dims), len(strides), masks):
        if entry == _NEW_AXIS:
            shape.append(1)
            continue
        axis = len(ranges)
        if entry == _WHOLE:
            ranges.append(slice(None))
            shape.append(dims[axis])
            continue
        bit = 1 << entry
        first = 0 if begin is None else begin[entry]
        last = 0 if end is None else end[entry]
        stride = strides[entry]
        if stride == 0:
            _refuse(f"strides[{entry}] must be non-zero")
        if masks.shrink_axis & bit:
            known = None if begin is None or end is None else first
            ranges.append(_index(dims[axis], known, stride, axis))
            continue
        if masks.begin & masks.end & bit:
            bounds = (None, None)
        elif begin is None or end is None:
            bounds = None
        else:
            bounds = (None if masks.begin & bit else first, None if masks.end & bit else last)
        found = None if bounds is None else _range(dims[axis], *bounds, stride)
        ranges.append(found)
        shape.append(None if found is None else _length(found))
    return DenseSlice(tuple(ranges), tuple(shape))


_WHOLE = -1
_NEW_AXIS = -2


def _entries(rank: int, count: int, masks: SliceMasks) -> list[int]:
    """For each dimension in order, which entry speaks of it; `_WHOLE` if none, or `_NEW_AXIS`."""
    if masks.ellipsis & (masks.ellipsis - 1):
        _refuse("Multiple ellipses in slice spec not allowed")
    found: list[int] = []
    ellipsis_at = None
    for entry in range(count):
        bit = 1 << entry
        if masks.ellipsis & bit:
            ellipsis_at = len(found)
        else:
            found.append(_NEW_AXIS if masks.new_axis & bit else entry)
    taken = sum(entry != _NEW_AXIS for entry in found)
    if taken > rank:
        _refuse(
            f"Index out of range using input dim {rank}; input has only {rank} dims"
            if rank
            else "Attempting to slice scalar input."
        )
    place = len(found) if ellipsis_at is None else ellipsis_at
    return found[:place] + [_WHOLE] * (rank - taken) + found[place:]


def _index(dim: int | None, index: int | None, stride: int, axis: int) -> slice | None:
    if stride <= 0:
        _refuse("only stride 1 allowed on non-range indexing.")
    if dim is None or index is None:
        return None
    place = index + dim if index < 0 else index
    if not 0 <= place < dim:
        _refuse(f"slice index {index} of dimension {axis} out of bounds.")
    return slice(place, place + 1, 1)


def _range(dim: int | None, first: int | None, last: int | None, stride: int) -> slice | None:
    """The range as non-negative numbers, which `range()` takes too; None if it is not known."""
    if dim is None:
        return None
    return slice(*slice(first, last, stride).indices(dim))


def numpy_slice(found: slice) -> slice:
    """A range as NumPy and Python slice by it, where −1 would mean the last element."""
    if found.start is not None and not _length(found):
        return slice(0, 0)
    return slice(found.start, None, found.step) if found.stop == -1 else found


def _length(found: slice) -> int:
    return len(range(found.start, found.stop, found.step))


def _refuse(message: str) -> None:
    raise InvalidArgumentError(None, None, message)


# --- on arrays ------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _plan(
    dims: tuple[int, ...], begin: Vector, end: Vector, strides: Vector, masks: SliceMasks
) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The NumPy index, without new or dropped axes, and the final shape.

    Slices with constant bounds, above all of shapes, come back in every step.
    """
    dense = dense_slice(dims, begin, end, strides, masks)
    index = [numpy_slice(found) for found in dense.ranges if found is not None]
    return (*index, ...), dense.shape  # type: ignore[return-value]


def _planned(
    dims: tuple[int, ...],
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    masks: SliceMasks,
) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    if begin.ndim != 1 or not begin.shape == end.shape == strides.shape:
        raise InvalidArgumentError(
            None,
            None,
            "Expected begin, end and strides to be vectors of one length",
            received=f"shapes {list(begin.shape)}, {list(end.shape)}, {list(strides.shape)}",
        )
    return _plan(dims, tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist()), masks)


def strided_slice(
    input: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    masks: SliceMasks,
) -> np.ndarray:
    """The elements of a slice, as an array of its own."""
    index, shape = _planned(input.shape, begin, end, strides, masks)
    return input[index].copy().reshape(shape)


def scatter_slice(
    target: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    value: np.ndarray,
    masks: SliceMasks,
    *,
    broadcast: bool = False,
) -> np.ndarray:
    """Writes `value` into a slice of `target`, in place, and returns `target`.

    Args:
      broadcast: a `value` that is a scalar, or has dimensions of size 1, is repeated.
    Raises:
      InvalidArgumentError: `value` has not the slice's shape.
    """
    index, shape = _planned(target.shape, begin, end, strides, masks)
    if value.shape != shape:
        try:
            if not broadcast:
                raise ValueError
            value = np.broadcast_to(value, shape)
        except ValueError:
            raise InvalidArgumentError(
                None,
                None,
                "The value has not the shape of the slice",
                received=f"value of shape {list(value.shape)}",
                expected=f"shape {list(shape)}",
            ) from None
    region = target[index]
    region[...] = value.reshape(region.shape)
    return target


def cache_info() -> Any:
    """Hits, misses and size of the plans kept."""
    return _plan.cache_info()
