"""Shapes of broadcasts: BroadcastArgs, `tf.broadcast_static_shape`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape, broadcast_shapes
from featherflow.graph.tensor import Tensor

# --- BroadcastArgs --------------------------------------------------------------------------------

BroadcastArgs = define_op(
    "BroadcastArgs",
    inputs=("s0: T", "s1: T"),
    outputs=("r0: T",),
    attrs=("T: {int32, int64} = int32",),
)


@BroadcastArgs.shape_fn
def _broadcast_args_shape(c: InferenceContext) -> TensorShape:
    left, right = c.with_rank(0, 1)._dims[0], c.with_rank(1, 1)._dims[0]  # type: ignore[index]
    return TensorShape._of((None if left is None or right is None else max(left, right),))


@BroadcastArgs.kernel("CPU")
def _broadcast_args_cpu(s0: np.ndarray, s1: np.ndarray) -> np.ndarray:
    try:
        shape = np.broadcast_shapes(tuple(s0.tolist()), tuple(s1.tolist()))
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            "Incompatible shapes for broadcasting",
            received=f"{s0.tolist()} and {s1.tolist()}",
            expected="equal dimensions, or one of them 1",
        ) from None
    return np.array(shape, dtype=s0.dtype)


BroadcastArgs.without_gradient("a shape is an integer vector")


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that tensors of two shapes broadcast to.

    Args:
      shape_x: an integer vector.
      shape_y: an integer vector.
    Returns:
      An integer vector.
    Raises:
      InvalidArgumentError: the shapes do not broadcast.
    """
    return BroadcastArgs(shape_x, shape_y)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The static shape that tensors of two static shapes broadcast to.

    Args:
      shape_x: a TensorShape.
      shape_y: a TensorShape.
    Returns:
      A TensorShape.
    Raises:
      ValueError: the shapes do not broadcast.

    >>> import featherflow as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([1, 3]), tf.TensorShape([5, 3])).as_list()
    [5, 3]
    """
    return broadcast_shapes(shape_x, shape_y)
