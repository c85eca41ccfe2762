"""`tf.ragged`: functions that make RaggedTensors and work on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops import ragged_splits as partitions
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.gather_ops import UnsortedSegmentSum, gather
from featherflow.ops.placeholder_ops import placeholder as plain_placeholder
from featherflow.ops.ragged_cross_ops import RaggedCross
from featherflow.ops.ragged_gather_ops import RaggedRange
from featherflow.ops.ragged_operators import RaggedTensor, gather_rows
from featherflow.ops.ragged_tensor import same_rows
from featherflow.ops.ragged_value import split_rows
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sort_ops import argsort
from featherflow.ops.sparse_cross_ops import DEFAULT_HASH_KEY, as_ids
from featherflow.ops.where_ops import where

# --- RaggedTensors of values ----------------------------------------------------------------------


@export("ragged.constant")
def ragged_constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Nested lists as a constant RaggedTensor.

    Args:
      pylist: lists of lists of numbers or strings.
      dtype: of the elements; None takes their own.
      ragged_rank: how many dimensions are ragged; None for all but the first and `inner_shape`.
      inner_shape: of the elements inside of the ragged dimensions.
      name: prefix of the names of the nodes.
      row_splits_dtype: int32 or int64.
    Returns:
      A RaggedTensor, or a tensor where no dimension is ragged.
    Raises:
      ValueError: the elements are nested to different depths.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.ragged.constant([[1, 2], [3]])).to_list()
    [[1, 2], [3]]
    """
    with op_scope(name, "RaggedConstant"):
        inner = None if inner_shape is None else tuple(inner_shape)
        splits, flat, inner = split_rows(pylist, ragged_rank, inner)
        if not flat and dtype is None:
            dtype = dtypes.float32
        kind = dtypes.as_dtype(row_splits_dtype).numpy_dtype
        array = np.array(flat) if flat else np.zeros((0, *(inner or ())), np.float32)
        values: Any = convert_to_tensor(flat if flat else array, dtype, name="values")
        if inner is not None and flat:
            values = reshape(values, (-1, *inner))
        for row_splits in reversed(splits):
            values = RaggedTensor(values, constant(row_splits.astype(kind)))
        return values


@export_v1("ragged.placeholder")
def ragged_placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """A RaggedTensor whose value is given with each run, as a RaggedTensorValue.

    Args:
      dtype: of the elements.
      ragged_rank: the number of ragged dimensions.
      value_shape: of the elements inside of the ragged dimensions.
      name: prefix of the names of the nodes.
    """
    with op_scope(name, "RaggedPlaceholder"):
        shape = None if value_shape is None else [None, *value_shape]
        if ragged_rank == 0:
            return plain_placeholder(dtype, value_shape)
        result: Any = plain_placeholder(dtype, shape, "flat_values")
        for level in reversed(range(ragged_rank)):
            splits = plain_placeholder(dtypes.int64, [None], f"row_splits_{level}")
            result = RaggedTensor(result, splits)
        return result


@export("ragged.range")
def ragged_range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """Row i is starts[i], starts[i] + deltas[i], … below limits[i].

    Args:
      starts: a vector or scalar; the limits if `limits` is None, starting from 0.
      limits: a vector or scalar.
      deltas: a vector or scalar.
      dtype: of the numbers.
      name: prefix of the names of the nodes.
      row_splits_dtype: int32 or int64.
    Returns:
      A RaggedTensor.
    Raises:
      InvalidArgumentError: a delta is 0.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.ragged.range([2, 0, 1])).to_list()
    [[0, 1], [], [0]]
    """
    if limits is None:
        starts, limits = 0, starts
    with op_scope(name, "RaggedRange"):
        given = [
            convert_to_tensor(value, dtype, name=what, preferred_dtype=dtypes.int32)
            for value, what in ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))
        ]
        order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
        widest = max((item.dtype for item in given), key=order.index)
        splits, values = RaggedRange(
            *(item if item.dtype == widest else cast(item, widest) for item in given),
            Tsplits=dtypes.as_dtype(row_splits_dtype),
        )
        return RaggedTensor(values, splits)


@export("ragged.stack")
def ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors and RaggedTensors as the rows (`axis` 0) or the elements of rows (1) of another.

    Args:
      values: a list of tensors or RaggedTensors of one rank.
      axis: 0 or 1.
      name: prefix of the names of the nodes.
    Returns:
      A RaggedTensor of a rank higher by one.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    with op_scope(name, "RaggedStack"):
        parts = [
            item if isinstance(item, RaggedTensor) else convert_to_tensor(item) for item in values
        ]
        if axis == 0:
            counts = [_count(part) for part in parts]
            return RaggedTensor.from_row_lengths(_concat_rows(parts), counts, validate=False)
        if axis != 1:
            raise ValueError(f"tf.ragged.stack stacks along axis 0 or 1, not {axis}.")
        count, rows = len(parts), _count(parts[0])
        every: Any = reshape(range_(rows * count), [count, -1])
        order = reshape(_transposed(every), [-1])
        joined = _concat_rows(parts)
        mixed = (
            gather_rows(joined, order)
            if isinstance(joined, RaggedTensor)
            else gather(joined, order)
        )
        return RaggedTensor.from_uniform_row_length(mixed, count, rows, validate=False)


def _transposed(matrix: Any) -> Tensor:
    from_rows, columns = shape_of(matrix)[0], shape_of(matrix)[1]  # type: ignore[index]
    places: Any = range_(from_rows * columns)
    return gather(reshape(matrix, [-1]), places % from_rows * columns + places // from_rows)


def _count(part: Any) -> Any:
    if isinstance(part, RaggedTensor):
        return part.nrows(dtypes.int64)
    return shape_of(part, out_type=dtypes.int64)[0]  # type: ignore[index]


def _concat_rows(parts: list[Any]) -> Any:
    """The rows of all parts, one after the other."""
    if not any(isinstance(part, RaggedTensor) for part in parts):
        if (parts[0].shape.rank or 1) < 2:
            return concat(parts, 0)
        parts = [RaggedTensor.from_tensor(part) for part in parts]
    parts = [
        part if isinstance(part, RaggedTensor) else RaggedTensor.from_tensor(part) for part in parts
    ]
    lengths = [part.row_lengths() for part in parts]
    return RaggedTensor.from_row_lengths(
        _concat_rows([part.values for part in parts])
        if any(isinstance(part.values, RaggedTensor) for part in parts)
        else concat([part.values for part in parts], 0),
        concat(lengths, 0),
        validate=False,
    )


# --- functions of RaggedTensors -------------------------------------------------------------------


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """op(…) of the flat values of RaggedTensors that have the same rows.

    Args:
      op: gets the flat values in the place of each RaggedTensor, and returns as many.
      *args, **kwargs: arguments of `op`.
    Returns:
      A RaggedTensor of the same rows; what `op` returns if no argument is ragged.
    Raises:
      InvalidArgumentError: the RaggedTensors have other rows.
    """
    ragged = [item for item in (*args, *kwargs.values()) if isinstance(item, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    first = ragged[0]

    def flat(item: Any) -> Any:
        return same_rows(first, item).flat_values if isinstance(item, RaggedTensor) else item

    result = op(*map(flat, args), **{key: flat(item) for key, item in kwargs.items()})
    return first.with_flat_values(result)


@export("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The elements of `data` where `mask` is true, in rows of what is left.

    Args:
      data: a tensor or RaggedTensor.
      mask: bool, of the shape of the first dimensions of `data`.
      name: prefix of the names of the nodes.
    Returns:
      A RaggedTensor with a ragged dimension for each one of the mask but the first.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     kept = tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    ...     sess.run(kept).to_list()
    [[1], [3, 4]]
    """
    with op_scope(name, "RaggedMask"):
        if not isinstance(mask, RaggedTensor):
            mask = convert_to_tensor(mask, dtypes.bool, name="mask")
            if mask.shape.rank in (None, 0):
                raise ValueError("mask must have a known rank above 0")
            if mask.shape.rank > 1:
                mask = RaggedTensor.from_tensor(mask)
        if not isinstance(data, RaggedTensor):
            data = convert_to_tensor(data, name="data")
        if not isinstance(mask, RaggedTensor):
            places = reshape(where(mask), [-1])
            return (
                gather_rows(data, places)
                if isinstance(data, RaggedTensor)
                else gather(data, places)
            )
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data)
        splits: Any = mask.row_splits
        values = boolean_mask(same_rows_outer(mask, data), mask.values)
        flags = mask.values
        if isinstance(flags, RaggedTensor):
            return RaggedTensor(values, splits)
        kept = cast(flags, splits.dtype)
        counts = UnsortedSegmentSum(kept, mask.value_rowids(), mask.nrows(dtypes.int64))
        return RaggedTensor(values, partitions.of_lengths(counts))


def same_rows_outer(mask: RaggedTensor, data: RaggedTensor) -> Any:
    """The values of `data`, once its outermost rows are found to be those of `mask`."""
    own_splits: Any = mask.row_splits
    given_splits: Any = data.row_splits
    outer = RaggedTensor(range_(own_splits[-1]), own_splits)
    given = RaggedTensor(range_(given_splits[-1]), given_splits)
    order = same_rows(outer, given).flat_values
    if isinstance(data.values, RaggedTensor):
        return data.values
    return gather(data.values, order)


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The row of each value, from the splits: [0, 2, 2, 3] gives [0, 0, 2].

    Args:
      splits: [rows + 1]
      name: prefix of the names of the nodes.
      out_type: int32 or int64; None for that of the splits.
    """
    with op_scope(name, "RaggedSplitsToSegmentIds"):
        given = partitions.to_splits(splits, "splits")
        given.shape.assert_has_rank(1)
        ids = partitions.row_ids(given)
        return ids if out_type is None else cast(ids, out_type)


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """The splits of rows, from the row of each value: [0, 0, 2] gives [0, 2, 2, 3].

    Args:
      segment_ids: [values], ascending.
      num_segments: the number of rows; None for the last + 1.
      out_type: int32 or int64; None for that of the ids.
      name: prefix of the names of the nodes.
    """
    with op_scope(name, "SegmentIdsToRaggedSplits"):
        ids = partitions.to_splits(segment_ids, "segment_ids")
        count = None if num_segments is None else convert_to_tensor(num_segments, ids.dtype)
        splits = partitions.of_row_ids(ids, count, validate=False)
        return splits if out_type is None else cast(splits, out_type)


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """Row i holds the slices of `data` whose number in `partitions` is i.

    Args:
      data: [N, …]
      partitions: [N], the row of each slice.
      num_partitions: the number of rows.
      name: prefix of the names of the nodes.
    """
    with op_scope(name, "SegmentIdsToRaggedSplits"):
        rows = convert_to_tensor(partitions)
        order = argsort(rows, stable=True)
        given = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
        values = (
            gather_rows(given, order) if isinstance(given, RaggedTensor) else gather(given, order)
        )
        ids = cast(gather(rows, order), dtypes.int64)
        return RaggedTensor.from_value_rowids(values, ids, cast(num_partitions, dtypes.int64))


# --- crosses --------------------------------------------------------------------------------------


@export("ragged.cross")
def ragged_cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Every choice of one feature of each input, row by row, as strings joined by "_X_".

    Args:
      inputs: RaggedTensors, SparseTensors or tensors [rows, features].
      name: of the node.
    """
    return _cross(inputs, False, 0, None, name)


@export("ragged.cross_hashed")
def ragged_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Hashes of every choice of one feature of each input, row by row.

    Args:
      inputs: as those of `tf.ragged.cross`.
      num_buckets: hashes are below it; 0 for no bound.
      hash_key: starts the hashes; None for a fixed number.
      name: of the node.
    """
    return _cross(inputs, True, num_buckets, hash_key, name)


def _cross(
    inputs: Any, is_hashed: bool, num_buckets: int, hash_key: int | None, name: str | None
) -> RaggedTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list, received {inputs!r}.")
    order = "".join(
        "R" if isinstance(item, RaggedTensor) else "S" if isinstance(item, SparseTensor) else "D"
        for item in inputs
    )
    ragged = [item for item, letter in zip(inputs, order) if letter == "R"]
    sparse = [item for item, letter in zip(inputs, order) if letter == "S"]
    dense = [as_ids(convert_to_tensor(item)) for item, kind in zip(inputs, order) if kind == "D"]
    splits = [item.row_splits for item in ragged]
    is_small = bool(splits) and all(item.dtype == dtypes.int32 for item in splits)
    values, row_splits = RaggedCross(
        [as_ids(item.values) for item in ragged],
        splits,
        [item.indices for item in sparse],
        [as_ids(item.values) for item in sparse],
        [item.dense_shape for item in sparse],
        dense,
        input_order=order,
        hashed_output=is_hashed,
        num_buckets=num_buckets,
        hash_key=DEFAULT_HASH_KEY if hash_key is None else hash_key,
        out_values_type=dtypes.int64 if is_hashed else dtypes.string,
        out_row_splits_type=dtypes.int32 if is_small else dtypes.int64,
        name=name,
    )
    return RaggedTensor(values, row_splits)
