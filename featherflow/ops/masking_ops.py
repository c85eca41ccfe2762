"""Masks: `tf.boolean_mask` and `tf.sequence_mask`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import Cast, cast
from featherflow.ops.comparison_ops import less
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.gather_ops import gather
from featherflow.ops.range_ops import Range, range_
from featherflow.ops.reduction_ops import reduce_max, reduce_prod
from featherflow.ops.reshape_ops import expand_dims, reshape, squeeze
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.where_ops import where


@export_v1("boolean_mask")
def boolean_mask(
    tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None
) -> Tensor:
    """The elements, or slices, of `tensor` where `mask` holds.

    Args:
      tensor: [A…, M…, N…].
      mask: [M…], bool; its rank must be known.
      name: of the scope of the nodes.
      axis: the first dimension of `tensor` that the mask speaks of; None takes 0.
    Returns:
      A tensor [A…, number of true elements, N…].
    Raises:
      ValueError: the mask is a scalar, of unknown rank, or does not fit.
    """
    with name_scope(name, "boolean_mask", [tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        first = _first_masked(axis)
        mask_rank = _check_mask(tensor, mask, first)
        flat = _flatten_masked(tensor, first, mask_rank)
        places = squeeze(where(reshape(mask, [-1])), axis=[1])
        return gather(flat, places, axis=first)


def _first_masked(axis: Any) -> Any:
    """The first masked dimension, as a number if it is known."""
    if axis is None:
        return 0
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    return axis if known is None else int(known)


def _check_mask(tensor: Tensor, mask: Tensor, first: Any) -> int:
    mask_rank = mask.shape.rank
    if mask_rank == 0:
        raise ValueError("mask cannot be scalar.")
    if mask_rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. "
            "shape=[None] is ok, but shape=None is not."
        )
    dims = tensor.shape._dims
    if dims is not None and isinstance(first, int):
        TensorShape(dims[first : first + mask_rank]).assert_is_compatible_with(mask.shape)
    return mask_rank


def _flatten_masked(tensor: Tensor, first: Any, mask_rank: int) -> Tensor:
    """`tensor` with the masked dimensions as one."""
    after = first + mask_rank
    sizes: Any = shape_of(tensor)[first:after]  # type: ignore[index]
    count = reduce_prod(sizes, [0])
    before: Any = shape_of(tensor)[:first]  # type: ignore[index]
    rest: Any = shape_of(tensor)[after:]  # type: ignore[index]
    flat = reshape(tensor, concat([before, [count], rest], 0))
    dims = tensor.shape._dims
    if dims is not None and isinstance(first, int):
        masked = TensorShape(dims[first:after]).num_elements()
        flat.set_shape([*dims[:first], masked, *dims[after:]])
    return flat


@export("boolean_mask")
def boolean_mask_v2(
    tensor: Any, mask: Any, axis: Any = None, name: str | None = "boolean_mask"
) -> Tensor:
    """`boolean_mask` with TF2's order of arguments."""
    return boolean_mask(tensor, mask, name, axis)


@export("sequence_mask")
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Tensor:
    """mask[i…, j] = j < lengths[i…]: the first elements of each row hold.

    Args:
      lengths: integers of any shape.
      maxlen: the length of the rows, a scalar; None takes the greatest of `lengths`.
      dtype: of the result.
      name: of the scope of the nodes.
    Returns:
      A tensor of shape `lengths.shape + [maxlen]`.
    Raises:
      ValueError: `maxlen` is not a scalar.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sequence_mask([1, 3], 3, tf.int32)).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = reduce_max(lengths, _all_axes(lengths))
            maxlen = maximum(constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.rank not in (None, 0):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} "
                f"with shape '{maxlen.shape}' instead"
            )
        columns = Range(constant(0, maxlen.dtype), maxlen, constant(1, maxlen.dtype))
        # A Cast even between equal types, as in TensorFlow's graphs.
        rows = Cast(expand_dims(lengths, -1), DstT=maxlen.dtype.base_dtype)
        mask = less(columns, rows)
        return mask if dtype is None else cast(mask, dtype)


def _all_axes(tensor: Tensor) -> Tensor:
    rank = tensor.shape.rank
    if rank is None:
        return range_(0, rank_of(tensor))
    return constant(np.arange(rank, dtype=np.int32))
