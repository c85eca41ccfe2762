"""Partitioners: how many parts a variable is kept in, along one of its axes.

Each function here returns one, which `tf.get_variable` and `tf.variable_scope` take. A partitioner
is called with the shape and dtype of a variable, and returns the number of parts along each axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import as_dtype
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape

Partitioner = Callable[..., list[int]]


@export_v1("fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that gives `num_shards` parts along `axis`, or as many as it is long."""

    def partition(shape: Any, **unused: Any) -> list[int]:
        dims = _known_dims(shape)
        return _parts_along(axis, dims, min(num_shards, dims[axis]))

    return partition


@export_v1("variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner that keeps each part below a size.

    Args:
      max_shard_bytes: the largest size of a part; a part has one slice in any case.
      axis: that is split.
      bytes_per_string_element: what a string is taken to need.
      max_shards: the largest number of parts; it may make them larger.
    Raises:
      ValueError: a number is below 1.
    """
    _check_positive(
        max_shard_bytes=max_shard_bytes, bytes_per_string_element=bytes_per_string_element
    )
    if max_shards:
        _check_positive(max_shards=max_shards)

    def partition(shape: Any, dtype: Any, **unused: Any) -> list[int]:
        dims = _known_dims(shape)
        size = dims[axis]
        if not math.prod(dims):
            return [1] * len(dims)
        slice_bytes = _byte_count(dims, dtype, bytes_per_string_element) / size
        count = math.ceil(size / max(1, math.floor(max_shard_bytes / slice_bytes)))
        return _parts_along(axis, dims, min(count, max_shards) if max_shards else count)

    return partition


@export_v1("min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner that gives as many parts as it can while none is below a size.

    Args:
      max_partitions: the largest number of parts.
      axis: that is split.
      min_slice_size: the smallest size of a part, in bytes.
      bytes_per_string_element: what a string is taken to need.
    Raises:
      ValueError: a number is below 1.
    """
    _check_positive(
        max_partitions=max_partitions,
        min_slice_size=min_slice_size,
        bytes_per_string_element=bytes_per_string_element,
    )

    def partition(shape: Any, dtype: Any, **unused: Any) -> list[int]:
        dims = _known_dims(shape)
        if axis >= len(dims):
            raise ValueError(f"Cannot partition axis {axis} of a variable of shape {dims}.")
        count = math.ceil(_byte_count(dims, dtype, bytes_per_string_element) / min_slice_size)
        return _parts_along(axis, dims, max(1, min(count, max_partitions, dims[axis])))

    return partition


def _known_dims(shape: Any) -> list[int]:
    static = TensorShape(shape)
    if not static.is_fully_defined():
        raise ValueError(f"A variable must be of known shape to be partitioned, not {static}.")
    return static.as_list()  # type: ignore[return-value]


def _parts_along(axis: int, dims: list[int], count: int) -> list[int]:
    parts = [1] * len(dims)
    parts[axis] = count
    return parts


def _byte_count(dims: list[int], dtype: Any, bytes_per_string_element: int) -> int:
    kind = as_dtype(dtype).base_dtype
    size = bytes_per_string_element if kind is dtypes.string else kind.size
    return math.prod(dims) * size


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} must be at least 1, received {number}.")
