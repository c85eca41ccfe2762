"""Repetition and coordinates: `tf.meshgrid`, `tf.repeat`, `tf.unravel_index`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Mul
from featherflow.ops.cast_ops import Cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones
from featherflow.ops.masking_ops import boolean_mask, sequence_mask
from featherflow.ops.pack_ops import stack
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.sum_ops import BroadcastTo, Sum
from featherflow.ops.tile_ops import tile

# --- tf.meshgrid ----------------------------------------------------------------------------------


@export("meshgrid")
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid: output[k] varies along dimension k as the k-th vector does.

    Args:
      *args: vectors.
      indexing: "xy" exchanges the first two dimensions, as pictures have them; "ij" does not.
      name: of the scope of the nodes.
    Returns:
      A list of tensors, each of rank `len(args)`.
    Raises:
      ValueError: there is no such indexing.
      TypeError: there is no such argument.
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    with name_scope(name, "meshgrid", args):
        count = len(args)
        grids = [
            reshape(stack(vector), [1] * place + [-1] + [1] * (count - place - 1))
            for place, vector in enumerate(args)
        ]
        sizes = [size_of(vector) for vector in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and count > 1:
            grids[0] = reshape(grids[0], [1, -1] + [1] * (count - 2))
            grids[1] = reshape(grids[1], [-1, 1] + [1] * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        whole = ones(sizes, dtype)
        return [Mul(grid, whole, name="mul") for grid in grids]


# --- tf.repeat ------------------------------------------------------------------------------------


@export("repeat")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each slice of `input` several times in a row.

    Args:
      input: a tensor.
      repeats: how often, an integer or one for each slice.
      axis: the dimension of the slices; None takes the elements as one vector.
      name: of the scope of the nodes.
    Returns:
      A tensor.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.repeat([3, 4], repeats=[1, 2])).tolist()
    [3, 4, 4]
    """
    if axis is None:
        input = reshape(input, [-1])
        axis = 0
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        # A Cast even of int32, as in TensorFlow's graphs.
        times = Cast(convert_to_tensor(repeats, name="repeats"), DstT=dtypes.int32)
        rank = data.shape.rank
        if rank is None:
            raise ValueError("tf.repeat needs an input of known rank.")
        axis = axis + rank if axis < 0 else axis
        sizes = shape_of(data)
        if times.shape.num_elements() == 1:
            return _repeat_equally(data, sizes, reshape(times, []), axis)
        return _repeat_each(data, sizes, times, axis)


def _repeat_equally(data: Tensor, sizes: Any, times: Any, axis: int) -> Tensor:
    expanded = expand_dims(data, axis + 1)
    tiled = tile(expanded, _multiples(expanded, axis + 1, times))
    return reshape(tiled, concat([sizes[:axis], [times * sizes[axis]], sizes[axis + 1 :]], 0))


def _multiples(tensor: Tensor, axis: int, times: Any) -> list[Any]:
    """1 for each dimension but `axis`."""
    result: list[Any] = [1] * len(tensor.shape.as_list())
    result[axis] = times
    return result


def _repeat_each(data: Tensor, sizes: Any, times: Any, axis: int) -> Tensor:
    """Everything as often as the most frequent slice, of which a mask keeps what is wanted."""
    each = BroadcastTo(times, [sizes[axis]])
    most = maximum(constant(0, times.dtype, name="zero"), reduce_max(each))
    mask = sequence_mask(each, most)
    expanded = expand_dims(data, axis + 1)
    tiled = tile(expanded, _multiples(expanded, axis + 1, most))
    kept = boolean_mask(tiled, mask, axis=axis)
    if axis == 0:
        return kept
    # The total is often known while the graph is built, which a mask never tells.
    total = Sum(each, [0])
    return reshape(kept, concat([sizes[:axis], [total], sizes[axis + 1 :]], 0))


# --- UnravelIndex ---------------------------------------------------------------------------------

UnravelIndex = define_op(
    "UnravelIndex",
    inputs=("indices: Tidx", "dims: Tidx"),
    outputs=("output: Tidx",),
    attrs=("Tidx: {int32, int64} = int32",),
)


@UnravelIndex.shape_fn
def _unravel_index_shape(c: InferenceContext) -> TensorShape:
    indices = c.with_rank_at_most(0, 1)._dims
    (rank,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    return UNKNOWN if indices is None else TensorShape._of((rank, *indices))


@UnravelIndex.kernel("CPU")
def _unravel_index_cpu(indices: np.ndarray, dims: np.ndarray) -> np.ndarray:
    limit = np.iinfo(indices.dtype).max
    size = math.prod(dims.tolist())
    if min(dims.tolist(), default=0) < 0 or size > limit or not indices.size:
        raise InvalidArgumentError(
            None,
            None,
            "Requires some index, and sizes that are not negative and whose product is an index",
            received=f"indices {indices.tolist()}, dims {dims.tolist()}",
        )
    if not (indices.min() >= 0 and indices.max() < size):
        raise InvalidArgumentError(
            None,
            None,
            "index is out of bound as with dims",
            received=f"indices {indices.tolist()}, dims {dims.tolist()}",
        )
    places = np.unravel_index(indices, tuple(dims.tolist()))
    return np.array(places, dtype=indices.dtype).reshape(dims.size, *indices.shape)


UnravelIndex.without_gradient("indices are integers")


@export("unravel_index")
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Places in a row-major array of shape `dims` as its indices.

    Args:
      indices: a scalar or vector of places.
      dims: a vector of sizes.
      name: of the node.
    Returns:
      [len(dims)], or [len(dims), len(indices)].
    Raises:
      InvalidArgumentError: a place is outside the array.
    """
    return UnravelIndex(indices, dims, name=name)
