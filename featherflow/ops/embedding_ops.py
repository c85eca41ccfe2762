"""Embeddings: rows of a table, or of one that is kept in several parts, looked up by id."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph, op_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.clip_norm_ops import clip_by_norm
from featherflow.ops.comparison_ops import less
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.dynamic_partition_ops import ParallelDynamicStitch, dynamic_partition
from featherflow.ops.exponential_ops import pow, sqrt
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.pack_ops import stack
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.segment_ops import segment_sum
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size
from featherflow.ops.sparse_segment_ops import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.unique_ops import unique
from featherflow.ops.variable_slices import PartitionedVariable
from featherflow.ops.where_ops import where


@export_v1("nn.embedding_lookup")
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """Rows of a table: `table[ids]`.

    A list of P tensors is one table whose N rows are dealt out to them: with the strategy "mod"
    row i is row i // P of tensor i % P, with "div" the first tensor has the first ⌈N / P⌉ rows,
    and so on; the first N % P tensors have one row more.

    Args:
      params: a tensor or variable, a list of them, or a PartitionedVariable.
      ids: [I…], int32 or int64.
      partition_strategy: "mod" or "div".
      name: of the node.
      validate_indices: has no effect, ids are always checked.
      max_norm: rows with a larger Euclidean norm are scaled down to it; None leaves them.
    Returns:
      [I…, …], the rows.
    Raises:
      ValueError: `params` is empty, or the strategy is unknown.
      InvalidArgumentError: an id is out of range.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.embedding_lookup([[[0.0], [2.0]], [[1.0]]], [2, 1, 0])).tolist()
    [[2.0], [1.0], [0.0]]
    """
    tables = _tables(params)
    with op_scope(name, "embedding_lookup", _tensors_among([*tables, ids])) as scope:
        if not any(isinstance(table, ResourceVariable) for table in tables):
            tables = [
                convert_to_tensor(table, name=f"params_{index}")
                for index, table in enumerate(tables)
            ]
        ids = convert_to_tensor(ids, name="ids")
        if len(tables) > 1:
            return _lookup_in_parts(tables, ids, partition_strategy, max_norm, scope)
        with _beside(tables[0]):
            rows = _clipped(gather(tables[0], ids, name=scope), ids, max_norm)
        return identity(rows)


@export("nn.embedding_lookup")
def embedding_lookup_v2(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """`embedding_lookup` with the strategy "div"."""
    return embedding_lookup(params, ids, "div", name, max_norm=max_norm)


def _tables(params: Any) -> list[Any]:
    if isinstance(params, PartitionedVariable):
        return list(params)
    if params is None:
        raise ValueError("params must be specified.")
    tables = params if isinstance(params, (list, tuple)) else [params]
    if not tables:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return list(tables)


def _tensors_among(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, Tensor)]


def _beside(table: Any) -> AbstractContextManager[None]:
    """Nodes made inside are placed with a table."""
    return get_default_graph().colocate_with(table)


def _clipped(rows: Tensor, ids: Tensor, max_norm: Any) -> Tensor:
    """`rows` scaled down to a norm of at most `max_norm`, each by itself."""
    if max_norm is None:
        return rows
    first, last = ids.shape.rank, rows.shape.rank
    if first is not None and last is not None:
        return clip_by_norm(rows, max_norm, axes=list(range(first, last)))
    begin = rank_of(ids) if first is None else first
    end = rank_of(rows) if last is None else last
    return clip_by_norm(rows, max_norm, axes=range_(begin, end))


# --- tables in several parts ----------------------------------------------------------------------


def _lookup_in_parts(
    tables: list[Any], ids: Tensor, strategy: str, max_norm: Any, scope: str
) -> Tensor:
    flat_ids = reshape(ids, [-1])
    places = range_(size(flat_ids))
    part_of_id, row_of_id = _dealt(tables, flat_ids, strategy)
    part_of_id = cast(part_of_id, dtypes.int32)
    rows_of_part = dynamic_partition(row_of_id, part_of_id, len(tables))
    places_of_part = dynamic_partition(places, part_of_id, len(tables))
    found = []
    for table, rows in zip(tables, rows_of_part):
        with _beside(table):
            found.append(gather(table, rows))
    result = ParallelDynamicStitch(places_of_part, found, name=scope)
    row_shape = tables[0].get_shape()[1:]
    for table in tables[1:]:
        row_shape = row_shape.merge_with(table.get_shape()[1:])
    row_sizes = _row_sizes(tables[0], row_shape)
    result = reshape(result, concat([shape_of(ids), row_sizes], 0))
    result.set_shape(ids.shape.concatenate(row_shape))
    return _clipped(result, ids, max_norm)


def _dealt(tables: list[Any], ids: Tensor, strategy: str) -> tuple[Any, Any]:
    """For each id, the part that has its row, and the row's number there."""
    count = len(tables)
    flat: Any = ids
    if strategy == "mod":
        part_of_id = flat % count
        return part_of_id, flat // count
    if strategy != "div":
        raise ValueError(
            f"Unrecognized partition strategy: {strategy!r}. It must be 'mod' or 'div'."
        )
    total: Any = _row_count(tables, ids)
    rows = total // count
    with_one_more = total % count
    part_of_id = maximum(flat // (rows + 1), (flat - with_one_more) // rows)
    row_of_id = where(
        less(part_of_id, with_one_more), flat % (rows + 1), (flat - with_one_more) % rows
    )
    return part_of_id, row_of_id


def _row_count(tables: list[Any], ids: Tensor) -> Tensor:
    """The number of rows of all parts, in the dtype of the ids."""
    dtype = ids.dtype.base_dtype
    known = [_first_size(table.get_shape()) for table in tables]
    if None not in known:
        return constant(sum(known), dtype)  # type: ignore[arg-type]
    sizes: list[Any] = []
    for table, count in zip(tables, known):
        if count is not None:
            sizes.append(count)
            continue
        with _beside(table):
            table_shape: Any = shape_of(table)
            sizes.append(table_shape[0])
    return reduce_sum(cast(stack(sizes), dtype))


def _first_size(shape: TensorShape) -> int | None:
    return shape._dims[0] if shape._dims else None


def _row_sizes(table: Any, row_shape: TensorShape) -> Any:
    """The shape of a row, from the run where it is not known."""
    if row_shape.is_fully_defined():
        return row_shape
    with _beside(table):
        table_shape: Any = shape_of(table)
    return table_shape[1:]


# --- several rows for each example ----------------------------------------------------------------

_SEGMENT_OPS = {
    "sum": sparse_segment_sum,
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
}


@export_v1("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """One row for each example: a combination of the rows of all its ids.

        sum    Σ wᵢ · table[idᵢ]        mean    the same / Σ wᵢ        sqrtn    the same / √Σ wᵢ²

    Args:
      params: the table, as for `embedding_lookup`.
      sp_ids: a SparseTensor [N, M] of ids, row-major; row n has the ids of example n.
      sp_weights: a SparseTensor of floats at the same places, or None for ones.
      partition_strategy: "mod" or "div".
      name: of the node.
      combiner: "sum", "mean" (the default) or "sqrtn".
      max_norm: of each row of the table; see `embedding_lookup`.
      allow_fast_lookup: accepted; has no effect.
    Returns:
      [N, …]; zeros for examples without ids, as far as there are later ones.
    Raises:
      TypeError: ids or weights are not sparse.
      ValueError: the combiner is unknown, or `params` is empty.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in _SEGMENT_OPS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    tables = list(params) if isinstance(params, (list, tuple, PartitionedVariable)) else [params]
    _check_sparse(sp_ids, sp_weights)
    inputs = _tensors_among([*tables, sp_ids.values])
    with op_scope(name, "embedding_lookup_sparse", inputs) as scope:
        example_of_id = sp_ids.indices[:, 0]
        ids = sp_ids.values
        is_plain = len(tables) == 1 and not isinstance(tables[0], ResourceVariable)
        if sp_weights is None and max_norm is None and is_plain:
            table = convert_to_tensor(tables[0], name="params")
            return _SEGMENT_OPS[combiner](
                table, ids, example_of_id, name=scope, sparse_gradient=True
            )
        ids, places = unique(ids)
        rows = embedding_lookup(tables, ids, partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            return _SEGMENT_OPS[combiner](rows, places, example_of_id, name=scope)
        example_of_id = cast(example_of_id, dtypes.int32)
        rows = gather(rows, places)
        return _weighted(rows, sp_weights.values, example_of_id, combiner, scope)


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse_v2(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`embedding_lookup_sparse` with the strategy "div"."""
    return embedding_lookup_sparse(params, sp_ids, sp_weights, "div", name, combiner, max_norm)


def _check_sparse(ids: Any, weights: Any) -> None:
    if not isinstance(ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(ids)}.")
    if weights is None:
        return
    if not isinstance(weights, SparseTensor):
        raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(weights)}.")
    for part in ("values", "indices", "dense_shape"):
        getattr(ids, part).shape.assert_is_compatible_with(getattr(weights, part).shape)


def _weighted(
    rows: Tensor, weights: Tensor, example_of_id: Tensor, combiner: str, scope: str
) -> Tensor:
    dtype = rows.dtype.base_dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):  # sums of many rows need more digits
        rows = cast(rows, dtypes.float32)
    weights = _as_columns(cast(weights, rows.dtype.base_dtype), rows)
    scaled: Any = rows * weights  # type: ignore[operator]
    if combiner == "sum":
        total = segment_sum(scaled, example_of_id, name=scope)
    else:
        total = segment_sum(scaled, example_of_id)
        if combiner == "mean":
            divisor = segment_sum(weights, example_of_id)
        else:
            divisor = sqrt(segment_sum(pow(weights, 2), example_of_id))
        total = divide_no_nan(total, divisor, name=scope)
    return cast(total, dtype)


def _as_columns(weights: Tensor, rows: Tensor) -> Tensor:
    """[I] as [I, 1, …], so that weights broadcast over the elements of rows."""
    inner_rank = expand_dims(rank_of(rows) - 1, 0)  # type: ignore[operator]
    columns_shape = concat([shape_of(weights), ones(inner_rank, dtypes.int32)], 0)
    columns = reshape(weights, columns_shape)
    if rows.shape.rank is not None:
        columns.set_shape(weights.shape.concatenate([1] * (rows.shape.rank - 1)))
    return columns
