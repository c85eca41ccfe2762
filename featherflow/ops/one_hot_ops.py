"""OneHot: indices as vectors with one element that differs."""

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
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.axes import normalize_axis

OneHot = define_op(
    "OneHot",
    inputs=("indices: TI", "depth: int32", "on_value: T", "off_value: T"),
    outputs=("output: T",),
    attrs=("axis: int = -1", "T: type", "TI: {uint8, int8, int32, int64} = int64"),
)


@OneHot.shape_fn
def _one_hot_shape(c: InferenceContext) -> TensorShape:
    if c.attrs["axis"] < -1:
        c.fail(f"axis must be >= -1, received {c.attrs['axis']}")
    for index in (1, 2, 3):
        c.with_rank(index, 0)
    dims = c.shapes[0]._dims
    depth = c.constant(1)
    if depth is not None and depth < 0:
        c.fail(f"depth must be non-negative, received {int(depth)}")
    if dims is None:
        return UNKNOWN
    place = normalize_axis(c.attrs["axis"], len(dims) + 1)
    return TensorShape._of((*dims[:place], None if depth is None else int(depth), *dims[place:]))


@OneHot.kernel("CPU")
def _one_hot_cpu(
    indices: np.ndarray,
    depth: np.ndarray,
    on_value: np.ndarray,
    off_value: np.ndarray,
    *,
    axis: int,
) -> np.ndarray:
    size = int(depth)
    if size < 0:
        raise InvalidArgumentError(None, None, "depth must be non-negative", received=str(size))
    place = normalize_axis(axis, indices.ndim + 1)
    before, after = indices.shape[:place], indices.shape[place:]
    rows = indices.reshape(math.prod(before), math.prod(after))
    check_allocation((rows.size, size), off_value.dtype)
    result = np.full((rows.shape[0], size, rows.shape[1]), off_value, dtype=off_value.dtype)
    # An index out of range has no element that differs.
    left, right = np.nonzero((rows >= 0) & (rows < size))
    result[left, rows[left, right], right] = on_value
    return result.reshape(*before, size, *after)


OneHot.not_differentiable("TensorFlow treats on_value and off_value as constants")


@export("one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """output[…, j, …] = on_value where j = indices[…], else off_value.

    Args:
      indices: integers of any shape; one out of [0, depth) has off_value everywhere.
      depth: the size of the new dimension, a scalar.
      on_value: a scalar; None takes 1.
      off_value: a scalar; None takes 0.
      axis: the place of the new dimension; None and −1 append it.
      dtype: of the result; None takes that of `on_value`, of `off_value`, or float32.
      name: of the node.
    Returns:
      A tensor.
    Raises:
      TypeError: `on_value`, `off_value` and `dtype` do not agree.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.one_hot([1, 3], 3, dtype=tf.int32)).tolist()
    [[0, 1, 0], [0, 0, 0]]
    """
    inputs = [indices, depth, on_value, off_value]
    with name_scope(name, "one_hot", inputs) as scope:
        on, off, result = _on_and_off(on_value, off_value, dtype)
        if on is None:
            on = convert_to_tensor(1, result, name="on_value")
        if off is None:
            off = convert_to_tensor(0, result, name="off_value")
        if on.dtype.base_dtype is not off.dtype.base_dtype:
            raise TypeError(
                f"dtype {on.dtype.base_dtype!r} of on_value does not match dtype "
                f"{off.dtype.base_dtype!r} of off_value"
            )
        return OneHot(indices, depth, on, off, axis=-1 if axis is None else axis, name=scope)


def _on_and_off(on_value: Any, off_value: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """The two values as tensors where they are given, and the dtype of the result."""
    given = {"on_value": on_value, "off_value": off_value}
    tensors = {
        name: None if value is None else convert_to_tensor(value, dtype_hint=dtype)
        for name, value in given.items()
    }
    found = [(name, tensor) for name, tensor in tensors.items() if tensor is not None]
    if not found:
        return None, None, dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if dtype is None:
        return tensors["on_value"], tensors["off_value"], found[0][1].dtype.base_dtype
    for name, tensor in found:
        if tensor.dtype.base_dtype is not dtypes.as_dtype(dtype):
            raise TypeError(
                f"dtype {tensor.dtype.base_dtype!r} of {name} does not match dtype parameter "
                f"{dtype!r}"
            )
    return tensors["on_value"], tensors["off_value"], dtypes.as_dtype(dtype)
