"""`tf.tensordot`: sums of products over given axes, as one matrix product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2, Sub
from featherflow.ops.comparison_ops import GreaterEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.gather_ops import gather
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.pack_ops import stack
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.select_ops import Select
from featherflow.ops.shape_ops import rank, shape
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.unique_ops import setdiff1d

Axes = list[int] | Tensor


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Σ a · b over pairs of axes; the other axes of `a`, then those of `b`, are left.

    Args:
      a: numbers.
      b: of the dtype of `a`.
      axes: n, for the last n axes of `a` and the first n of `b`; a pair of lists, the axes of `a`
        and their partners in `b`; or a `[2, n]` tensor of these.
      name: of the node.
    Returns:
      A tensor of the dtype of `a`.
    Raises:
      ValueError: `axes` is none of these, or the lists are not equally long.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tensordot([[1, 2], [3, 4]], [[1, 10], [100, 1000]], [[0], [1]])).tolist()
    [[31, 3100], [42, 4200]]
    """
    with op_scope(name, "Tensordot", [a, b]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        axes_of_a, axes_of_b = _axis_pairs(a, axes)
        left = _as_matrix(a, axes_of_a, contracted_first=False)
        right = _as_matrix(b, axes_of_b, contracted_first=True)
        product = matmul(left.matrix, right.matrix)
        if isinstance(left.free, list) and isinstance(right.free, list):
            free = left.free + right.free
            is_shaped = product.shape.is_fully_defined() and product.shape.as_list() == free
            return product if is_shaped else reshape(product, free, name=scope)
        parts = [convert_to_tensor(side.free, dtype=dtypes.int32) for side in (left, right)]
        result = reshape(product, concat(parts, 0), name=scope)
        if left.free_sizes is not None and right.free_sizes is not None:
            result.set_shape(left.free_sizes + right.free_sizes)
        return result


def _axis_pairs(a: Tensor, axes: Any) -> tuple[Axes, Axes]:
    """The axes of a and of b that are summed over."""
    if isinstance(axes, int):
        return _adjacent_axes(a, axes)
    if not isinstance(axes, (list, tuple)):
        pair = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
        return get_item(pair, 0), get_item(pair, 1)
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    of_a, of_b = ([item] if isinstance(item, int) else list(item) for item in axes)
    if len(of_a) != len(of_b):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(of_a)} != {len(of_b)}."
        )
    return of_a, of_b


def _adjacent_axes(a: Tensor, count: int) -> tuple[Axes, Axes]:
    if count < 0:
        raise ValueError(f"`axes` must be at least 0. Received: {count}.")
    known = a.shape.rank
    if known is None:
        rank_of_a = rank(a)
        return range_(Sub(rank_of_a, count, name="sub"), rank_of_a), range_(count)
    if count > known:
        raise ValueError(
            f"`axes` must not be larger than the number of dimensions of tensor {a}. Received "
            f"{count}, vs tensor dimensions {known}."
        )
    return list(range(known - count, known)), list(range(count))


class _Side(NamedTuple):
    """A tensor as a matrix of free by contracted indices, or the reverse.

    Attributes:
      free: the sizes of the free axes; a list where all sizes are known.
      free_sizes: the same as far as static shapes tell; None if the axes come from the run.
    """

    matrix: Tensor
    free: list[int] | Tensor
    free_sizes: list[int | None] | None


def _as_matrix(tensor: Tensor, axes: Axes, contracted_first: bool) -> _Side:
    if isinstance(axes, list) and tensor.shape.rank is not None:
        axes, free = _split_axes(tensor.shape.rank, axes)
        sizes = tensor.shape.as_list()
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes):
            return _known_matrix(tensor, known, free, axes, contracted_first)
        free_sizes = [sizes[axis] for axis in free]
        contracted = constant(axes, dtypes.int32, name="axes")
        kept = constant(free, dtypes.int32, name="free")
        return _fed_matrix(tensor, shape(tensor), kept, contracted, contracted_first, free_sizes)
    dims, rank_of_tensor = shape(tensor), rank(tensor)
    axes = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
    is_from_start = GreaterEqual(axes, 0)
    contracted = Select(is_from_start, axes, AddV2(axes, rank_of_tensor, name="add"))
    kept, _ = setdiff1d(range_(rank_of_tensor), contracted)
    return _fed_matrix(tensor, dims, kept, contracted, contracted_first, None)


def _split_axes(known_rank: int, axes: Sequence[int]) -> tuple[list[int], list[int]]:
    """The axes counted from the start, and all others."""
    contracted = [axis + known_rank if axis < 0 else axis for axis in axes]
    return contracted, [axis for axis in range(known_rank) if axis not in contracted]


def _known_matrix(
    tensor: Tensor, sizes: list[int], free: list[int], axes: list[int], contracted_first: bool
) -> _Side:
    free_sizes = [sizes[axis] for axis in free]
    rows, columns = math.prod(free_sizes), math.prod(sizes[axis] for axis in axes)
    order, matrix_shape = free + axes, [rows, columns]
    if contracted_first:
        order, matrix_shape = axes + free, [columns, rows]
    if order != list(range(len(sizes))):
        tensor = transpose(tensor, order)
    if tensor.shape.as_list() != matrix_shape:
        tensor = reshape(tensor, matrix_shape)
    return _Side(tensor, free_sizes, free_sizes)  # type: ignore[arg-type]


def _fed_matrix(
    tensor: Tensor,
    dims: Tensor,
    free: Tensor,
    axes: Tensor,
    contracted_first: bool,
    free_sizes: list[int | None] | None,
) -> _Side:
    free_dims, contracted_dims = gather(dims, free), gather(dims, axes)
    rows, columns = reduce_prod(free_dims), reduce_prod(contracted_dims)
    order, matrix_shape = [free, axes], [rows, columns]
    if contracted_first:
        order, matrix_shape = order[::-1], matrix_shape[::-1]
    perm = concat(order, 0)
    matrix_dims = stack(matrix_shape)
    return _Side(reshape(transpose(tensor, perm), matrix_dims), free_dims, free_sizes)
