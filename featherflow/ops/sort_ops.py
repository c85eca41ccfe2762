"""Sorting, and places in sorted rows: `tf.sort`, `tf.argsort`, `tf.searchsorted`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Neg
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import shape_internal
from featherflow.ops.top_k_ops import top_k
from featherflow.ops.transpose_ops import transpose

# --- sort and argsort -----------------------------------------------------------------------------


@export("sort")
def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """`values` in order along one dimension.

    Args:
      values: a tensor of real numbers.
      axis: the dimension; it must be known while the graph is built.
      direction: "ASCENDING" or "DESCENDING".
      name: of the scope of the nodes.
    Returns:
      A tensor like `values`.
    Raises:
      ValueError: `axis` is not known, or there is no such direction.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sort([3, 1, 2])).tolist()
    [1, 2, 3]
    """
    with name_scope(name, "sort"):
        return _sort_or_argsort(values, axis, direction, places=False)


@export("argsort")
def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The places from which `sort` takes its elements.

    Args:
      values: a tensor of real numbers.
      axis: the dimension; it must be known while the graph is built.
      direction: "ASCENDING" or "DESCENDING".
      stable: equal elements keep their order; they do in any case.
      name: of the scope of the nodes.
    Returns:
      An int32 tensor of the shape of `values`.
    Raises:
      ValueError: `axis` is not known, or there is no such direction.
    """
    with name_scope(name, "argsort"):
        return _sort_or_argsort(values, axis, direction, places=True)


def _sort_or_argsort(values: Any, axis: Any, direction: str, places: bool) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    known_axis = constant_value(convert_to_tensor(axis, name="axis"))
    if known_axis is None:
        raise ValueError(f"Argument `axis` must be a statically known integer, received {axis}")
    values = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _descending(values, int(known_axis), places)
    result = _descending(_order_reversed(values), int(known_axis), places)
    return result if places else _order_reversed(result)


def _order_reversed(values: Any) -> Any:
    """A one-to-one map that turns < into >; it is its own inverse."""
    dtype = values.dtype.base_dtype
    if dtype.is_unsigned:
        return dtype.max - values
    if dtype.is_integer:
        return -values - 1  # −values of the least integer would overflow
    return Neg(values)


def _descending(values: Tensor, axis: int, places: bool) -> Tensor:
    sizes: Any = shape_of(values)
    count = sizes[axis]
    rank = values.shape.rank
    dynamic_rank = rank_of(values)
    if axis == -1 or axis + 1 == rank:
        return top_k(values, count)[1 if places else 0]
    swap = _axis_last(axis, rank, dynamic_rank)
    sorted_last = top_k(transpose(values, swap), count)[1 if places else 0]
    return transpose(sorted_last, swap)


def _axis_last(axis: int, rank: int | None, dynamic_rank: Any) -> Tensor:
    """The permutation that exchanges `axis` and the last dimension; it is its own inverse."""
    if rank is not None:
        perm = np.arange(rank)
        perm[[axis, -1]] = perm[[-1, axis]]
        return constant(perm, name="transposition")
    place = axis if axis >= 0 else dynamic_rank + axis
    parts = [range_(place), [dynamic_rank - 1], range_(place + 1, dynamic_rank - 1), [place]]
    return concat(parts, 0)


# --- LowerBound, UpperBound -----------------------------------------------------------------------


def _define_bound(name: str, side: Literal["left", "right"]) -> Op:
    op = define_op(
        name,
        inputs=("sorted_inputs: T", "values: T"),
        outputs=("output: out_type",),
        attrs=("T: type", "out_type: {int32, int64} = int32"),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> TensorShape:
        rows, values = c.with_rank(0, 2)._dims, c.with_rank(1, 2)._dims
        if side == "left":  # TensorFlow leaves it to the run for the other
            c.merge_dim(rows[0], values[0])  # type: ignore[index]
        return c.shapes[1]

    @op.kernel("CPU")
    def cpu(sorted_inputs: np.ndarray, values: np.ndarray, *, out_type: DType) -> np.ndarray:
        if sorted_inputs.ndim != 2 or values.ndim != 2 or sorted_inputs.shape[0] != values.shape[0]:
            raise InvalidArgumentError(
                None,
                None,
                "sorted_inputs and values must be matrices with as many rows",
                received=f"shapes {list(sorted_inputs.shape)} and {list(values.shape)}",
            )
        result = np.empty(values.shape, dtype=out_type.numpy_dtype)
        for row, (haystack, needles) in enumerate(zip(sorted_inputs, values)):
            result[row] = np.searchsorted(haystack, needles, side=side)
        return result

    op.without_gradient("places are integers")
    return op


LowerBound = _define_bound("LowerBound", "left")
UpperBound = _define_bound("UpperBound", "right")


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where `values` would have to be put in to keep sorted rows sorted.

    Args:
      sorted_sequence: [..., N], ascending along the last dimension.
      values: [..., M], with the same leading dimensions.
      side: "left" for before equal elements, "right" for after them.
      out_type: int32 or int64.
      name: of the node that finds the places.
    Returns:
      [..., M], integers in [0, N].
    Raises:
      ValueError: there is no such side.
    """
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    sequence_size = shape_internal(sorted_sequence)[-1]  # type: ignore[index]
    values_size = shape_internal(values)[-1]  # type: ignore[index]
    rows = reshape(sorted_sequence, [-1, sequence_size])
    needles = reshape(values, [-1, values_size])
    find = LowerBound if side == "left" else UpperBound
    places = find(rows, needles, out_type=out_type, name=name)
    return reshape(places, shape_internal(values))
