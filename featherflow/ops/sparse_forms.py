"""SparseTensors made of other tensors, and other forms of them: masks, indicators, new shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal, LessEqual, NotEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat, slice_
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.fill_ops import fill, ones, ones_like, zeros, zeros_like
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.pack_ops import stack
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_all, reduce_max
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.scatter_nd_ops import gather_nd
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import shape_internal
from featherflow.ops.sparse_order_ops import reorder
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor, to_dense
from featherflow.ops.unique_ops import setdiff1d
from featherflow.ops.where_ops import where

# --- SparseTensors of tensors ---------------------------------------------------------------------


@export("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not 0, or not "" or false, as a SparseTensor.

    Args:
      tensor: a tensor.
      name: prefix of the names of the nodes.
    Returns:
      A SparseTensor in row-major order.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sparse.from_dense([[0, 5], [7, 0]])).indices.tolist()
    [[0, 1], [1, 0]]
    """
    with op_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        zero = zeros_like(tensor) if tensor.dtype is not dtypes.string else constant("")
        indices = where(NotEqual(tensor, zero))
        values = gather_nd(tensor, indices)
        shape = shape_internal(tensor, out_type=dtypes.int64)
        return SparseTensor(indices, values, shape)


@export("sparse.eye")
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """The identity matrix as a SparseTensor.

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; None for as many.
      dtype: of the ones.
      name: prefix of the names of the nodes.
    Returns:
      A SparseTensor [num_rows, num_columns].
    """
    with op_scope(name, "eye"):
        rows: Any = _int64(num_rows, "num_rows")
        columns: Any = rows if num_columns is None else _int64(num_columns, "num_columns")
        count = minimum(rows, columns)
        diagonal = range_(count, dtype=dtypes.int64)
        indices = stack([diagonal, diagonal], axis=1)
        values = ones(count, dtype)
        return SparseTensor(indices, values, [rows, columns])


def _int64(value: Any, name: str) -> Tensor:
    return convert_to_tensor(value, dtypes.int64, name=name)


# --- choices among the elements -------------------------------------------------------------------


@export("sparse.retain")
@export_v1("sparse.retain", "sparse_retain")
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements of a SparseTensor where `to_retain` is true.

    Args:
      sp_input: a SparseTensor of N elements.
      to_retain: [N], bool.
    Returns:
      A SparseTensor of the same shape.
    Raises:
      ValueError: the numbers of elements are known to differ.
    """
    sparse = as_sparse_tensor(sp_input)
    to_retain = convert_to_tensor(to_retain)
    given = to_retain.shape
    given.assert_is_compatible_with(sparse.values.shape)
    places = reshape(where(to_retain), [-1])
    indices, values = gather(sparse.indices, places), gather(sparse.values, places)
    result = SparseTensor(indices, values, identity(sparse.dense_shape))
    result.set_shape(sparse.shape)
    return result


@export("sparse.mask")
@export_v1("sparse.mask", "sparse_mask")
def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the slices whose indices are among `mask_indices`.

    Args:
      a: IndexedSlices.
      mask_indices: a vector.
      name: prefix of the names of the nodes.
    Returns:
      IndexedSlices.
    """
    with op_scope(name, "sparse_mask", [a.values, a.indices]) as scope:
        indices, places = setdiff1d(a.indices, mask_indices)
        return IndexedSlices(gather(a.values, places, name=scope), indices, a.dense_shape)


# --- shapes ---------------------------------------------------------------------------------------


@export("sparse.reset_shape")
@export_v1("sparse.reset_shape", "sparse_reset_shape")
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in a larger shape, or in the smallest that holds them.

    Args:
      sp_input: a SparseTensor.
      new_shape: [rank], at least the shape that it has; None for the smallest.
    Returns:
      A SparseTensor.
    Raises:
      ValueError: the ranks differ, or a size is known to be too small.
      InvalidArgumentError: a size is too small.
    """
    sparse = as_sparse_tensor(sp_input)
    indices, values = identity(sparse.indices), identity(sparse.values)
    old: Any = identity(sparse.dense_shape)
    if new_shape is None:
        # Without elements the maximum is the least integer: 0 is the size then.
        highest: Any = reduce_max(indices, 0)
        size = maximum(constant(0, dtypes.int64), AddV2(highest, ones_like(old), name="Add"))
        return SparseTensor(indices, values, size)
    new: Any = cast(convert_to_tensor(new_shape), dtypes.int64)
    new.shape.with_rank(1)
    old.shape.assert_is_compatible_with(new.shape)
    static = SparseTensor(indices, values, new).shape if sparse.shape.is_fully_defined() else None
    if static is not None and static.is_fully_defined():
        _check_not_smaller(sparse.shape.as_list(), static.as_list())
        return SparseTensor(indices, values, np.array(static.as_list(), np.int64))
    same_rank = reduce_all(Equal(shape_of(old), shape_of(new)))
    with control_dependencies([assert_(same_rank, ["Ranks differ", old, new])]):
        new = identity(new)
    fits = reduce_all(LessEqual(old, new))
    with control_dependencies([assert_(fits, ["The new shape is too small", old, new])]):
        new = identity(new)
    return SparseTensor(indices, values, new)


def _check_not_smaller(old: list[int], new: list[int]) -> None:
    if len(old) != len(new):
        raise ValueError(f"Shapes {tuple(old)} and {tuple(new)} must have one rank.")
    if any(size < least for size, least in zip(new, old)):
        raise ValueError(
            f"Requested new_shape should have dimension sizes >= sp_input.shape. Found new_shape "
            f"{new}, sp_input.shape {old}."
        )


@export("sparse.expand_dims")
def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A SparseTensor with one more dimension, of size 1.

    Args:
      sp_input: a SparseTensor.
      axis: where it is put in; negative ones count from behind the last; None for −1.
      name: prefix of the names of the nodes.
    Returns:
      A SparseTensor.
    Raises:
      ValueError: the axis is known to be out of range.
    """
    sparse = as_sparse_tensor(sp_input)
    rank = sparse.shape.rank
    if rank is None:
        raise ValueError("tf.sparse.expand_dims needs a SparseTensor of known rank.")
    axis = -1 if axis is None else axis
    with op_scope(name, "expand_dims", [sparse.indices]):
        place: Any = convert_to_tensor(axis, name="axis")
        is_ahead = place >= 0
        place = SelectV2(is_ahead, place, place + rank + 1)
        indices_shape: Any = shape_of(sparse.indices)
        column = zeros([indices_shape[0], 1], dtypes.int64)
        before = slice_(sparse.indices, [0, 0], [-1, place])
        after = slice_(sparse.indices, [0, place], [-1, -1])
        indices = concat([before, column, after], 1)
        outer = slice_(sparse.dense_shape, [0], [place])
        inner = slice_(sparse.dense_shape, [place], [-1])
        one = convert_to_tensor([1], dtypes.int64, name="new_shape")
        dense_shape = concat([outer, one, inner], 0)
        result = SparseTensor(indices, sparse.values, dense_shape)
        if isinstance(axis, int):
            result.set_shape(_expanded(sparse.shape, axis))
        return result


def _expanded(shape: TensorShape, axis: int) -> TensorShape:
    sizes: list[int | None] = shape.as_list()
    if not -len(sizes) - 1 <= axis <= len(sizes):
        raise ValueError(f"axis {axis} is out of range for a SparseTensor of rank {len(sizes)}.")
    place = axis if axis >= 0 else axis + len(sizes) + 1
    return TensorShape([*sizes[:place], 1, *sizes[place:]])


# --- ids ------------------------------------------------------------------------------------------


@export("sparse.to_indicator")
@export_v1("sparse.to_indicator", "sparse_to_indicator")
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Ids as a tensor of bools: output[…, id] says whether id is among those of row […].

    Args:
      sp_input: a SparseTensor of integers, the last dimension of which is dropped.
      vocab_size: ids are below it.
      name: prefix of the names of the nodes.
    Returns:
      [rows…, vocab_size], bool.
    """
    sparse = as_sparse_tensor(sp_input)
    with op_scope(name, "SparseToIndicator", [sparse.indices]) as scope:
        count: Any = shape_of(sparse.indices)
        values = fill(expand_dims(count[0], 0), True)
        merged = _merge([sparse], values, [vocab_size], "SparseMerge", False)
        # Ids may come twice: the places are not checked.
        result = to_dense(merged, default_value=False, validate_indices=False, name=scope)
        return result


@export_v1("sparse.merge", "sparse_merge")
def merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Ids and their values as one SparseTensor: [row…, id] = value.

    Args:
      sp_ids: a SparseTensor of integers, or a list of them for several dimensions of ids.
      sp_values: a SparseTensor of the same places.
      vocab_size: ids are below it; a list of numbers for a list of SparseTensors.
      name: prefix of the names of the nodes.
      already_sorted: the ids of each row are in order.
    Returns:
      A SparseTensor, the last dimension of which is that of the ids.
    Raises:
      TypeError: an argument is no SparseTensor, or only one of the two is a list.
      ValueError: the lists differ in length.
    """
    if isinstance(sp_ids, SparseTensor) or hasattr(sp_ids, "_fields"):
        sp_ids = [sp_ids]
        if not (isinstance(vocab_size, Tensor) or np.ndim(vocab_size) == 0):
            raise TypeError(
                f"vocab_size has to be a Tensor or an integer, received {vocab_size!r}."
            )
        vocab_size = [vocab_size]
    elif not isinstance(sp_ids, (list, tuple)):
        raise TypeError(f"sp_ids has to be a SparseTensor or a list of them, received {sp_ids!r}.")
    elif not isinstance(vocab_size, (list, tuple)):
        raise TypeError(f"vocab_size has to be a list of Tensors or integers: {vocab_size!r}.")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    values = as_sparse_tensor(sp_values)
    ids = [as_sparse_tensor(item) for item in sp_ids]
    with op_scope(name, "SparseMerge", [values.indices]):
        return _merge(ids, values.values, vocab_size, None, already_sorted)


def _merge(
    ids: list[SparseTensor], values: Tensor, sizes: Any, name: str | None, already_sorted: bool
) -> SparseTensor:
    columns = [expand_dims(item.values, 1) for item in ids]
    columns = [
        cast(column, dtypes.int64) if column.dtype != dtypes.int64 else column for column in columns
    ]
    last: Any = [cast(size, dtypes.int64) for size in sizes]
    places: Any = ids[0].indices
    shape: Any = ids[0].dense_shape
    indices = concat([places[:, :-1], *columns], 1)
    result = SparseTensor(indices, values, concat([shape[:-1], last], 0))
    return result if already_sorted else reorder(result)


# --- functions of the values ----------------------------------------------------------------------


@export("sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """op(…) of the values of SparseTensors that have the same places.

    Args:
      op: gets the values in the place of each SparseTensor, and returns as many.
      *args, **kwargs: arguments of `op`.
    Returns:
      A SparseTensor of the same places.
    Raises:
      ValueError: there is no SparseTensor among the arguments.
      InvalidArgumentError: the SparseTensors differ in shape or places.

    >>> import featherflow as tf
    >>> st = tf.SparseTensor([[0, 1]], [3.0], [1, 2])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.compat.v2.sparse.map_values(tf.square, st)).values.tolist()
    [9.0]
    """
    sparse = [item for item in (*args, *kwargs.values()) if isinstance(item, SparseTensor)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values.")
    with control_dependencies(same_places(sparse)):
        values = op(
            *(_values_of(item) for item in args),
            **{key: _values_of(item) for key, item in kwargs.items()},
        )
    first = sparse[0]
    result = SparseTensor(first.indices, values, first.dense_shape)
    return result


def _values_of(item: Any) -> Any:
    return item.values if isinstance(item, SparseTensor) else item


def same_places(sparse: list[SparseTensor]) -> list[Any]:
    """Operations that fail unless all have the shape and the places of the first."""
    checks = []
    first = sparse[0]
    for other in sparse[1:]:
        for left, right in (
            (first.dense_shape, other.dense_shape),
            (first.indices, other.indices),
        ):
            left.shape.assert_is_compatible_with(right.shape)
            checks.append(assert_(reduce_all(Equal(left, right)), ["Places differ", left, right]))
    return checks
