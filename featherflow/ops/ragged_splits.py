"""Row splits made of lengths, limits or row numbers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal, LessEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.cumulative_ops import cumsum
from featherflow.ops.division_ops import FloorDiv
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.gather_ops import UnsortedSegmentSum
from featherflow.ops.identity_ops import identity
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_all, reduce_max
from featherflow.ops.shape_ops import size as size_of


def joined(parts: list[Any]) -> Tensor:
    """Vectors one after the other."""
    return concat(parts, 0)


def to_splits(value: Any, what: str = "row_splits") -> Tensor:
    """`value` as a tensor of int64, or of int32 if it is one.

    Raises:
      ValueError: it has another dtype.
    """
    if isinstance(value, np.ndarray) and value.dtype == np.int32:
        return convert_to_tensor(value, dtypes.int32, name=what)
    tensor = convert_to_tensor(value, None, name=what, preferred_dtype=dtypes.int64)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{what} must have dtype int32 or int64, received {tensor.dtype.name}.")
    return tensor


def _with_zero(ends: Any) -> Tensor:
    return joined([constant([0], ends.dtype), ends])


def of_lengths(lengths: Tensor) -> Tensor:
    """The splits of rows of given lengths."""
    return _with_zero(cumsum(lengths))


def of_limits(limits: Tensor) -> Tensor:
    """The splits of rows that end at `limits`."""
    return _with_zero(limits)


def of_starts(starts: Tensor, count: Any) -> Tensor:
    """The splits of rows that start at `starts`, of `count` values."""
    return joined([starts, cast(count, starts.dtype)[None]])  # type: ignore[index]


def of_row_ids(ids: Any, count: Any, validate: bool) -> Tensor:
    """The splits of `count` rows, for the row of each value; None takes the last row."""
    if count is None:
        count = reduce_max(joined([constant([-1], ids.dtype), ids])) + 1  # type: ignore[operator]
    if validate:
        ascends = reduce_all(LessEqual(ids[:-1], ids[1:]))
        is_in = reduce_all(ids >= 0)
        checks = [assert_(ascends, ["value_rowids must ascend", ids])]
        checks.append(assert_(is_in, ["value_rowids must not be negative", ids]))
        checks.append(assert_(reduce_all(ids < count), ["nrows is too small", ids, count]))
        with control_dependencies(checks):
            ids = identity(ids)
    lengths = UnsortedSegmentSum(ones_like(ids), ids, cast(count, dtypes.int64))
    splits = of_lengths(lengths)
    return splits


def of_one_length(length: Any, values: Any, count: Any) -> Tensor:
    """The splits of rows of one length."""
    if count is None:
        count = FloorDiv(values, maximum(length, constant(1, length.dtype)))
    return range_(count + 1) * length  # type: ignore[operator]


def checked(splits: Any, count: Any) -> Tensor:
    """`splits`, once they are found to ascend from 0 to `count`."""
    starts = Equal(splits[0], constant(0, splits.dtype))
    ends = Equal(splits[-1], cast(count, splits.dtype))
    ascends = reduce_all(LessEqual(splits[:-1], splits[1:]))
    checks = [
        assert_(starts, ["Arguments to from_row_splits do not form a valid RaggedTensor", splits]),
        assert_(ends, ["row_splits must end with the number of values", splits, count]),
        assert_(ascends, ["row_splits must not decrease", splits]),
    ]
    with control_dependencies(checks):
        return identity(splits)


def equal(first: Any, second: Any) -> Any:
    """An operation that fails unless two vectors of splits are the same."""
    first.shape.assert_is_compatible_with(second.shape)
    second = cast(second, first.dtype)
    same_size = Equal(size_of(first), size_of(second))
    with control_dependencies([assert_(same_size, ["Rows differ", first, second])]):
        is_same = reduce_all(Equal(identity(first), identity(second)))
    return assert_(is_same, ["Inputs must have identical ragged splits", first, second])


def row_ids(splits: Any) -> Tensor:
    """The row of each value."""
    # As many rows as end at or before a value come before its row.
    limits = splits[1:]
    marks = UnsortedSegmentSum(ones_like(limits), limits, cast(splits[-1] + 1, dtypes.int64))
    ends: Any = cumsum(marks)
    return ends[:-1]
