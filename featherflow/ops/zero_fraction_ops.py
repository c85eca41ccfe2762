"""`tf.nn.zero_fraction`: how sparse a tensor is."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import not_equal
from featherflow.ops.cond import cond
from featherflow.ops.fill_ops import zeros
from featherflow.ops.identity_ops import identity
from featherflow.ops.shape_ops import size
from featherflow.ops.sum_ops import reduce_sum

_INT32_MAX = 2**31 - 1


@export("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The part of the elements of `value` that are 0.

    Args:
      value: a tensor of numbers.
      name: of the scope of the nodes.
    Returns:
      A float32 scalar; NaN for an empty tensor.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     float(sess.run(tf.nn.zero_fraction([0.0, 1.0, 0.0, 0.0])))
    0.75
    """
    with op_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        count: Any = size(value, out_type=dtypes.int64)
        # Counting in int32 is faster, where it cannot overflow.
        nonzero: Any = cond(
            count <= _INT32_MAX,
            true_fn=lambda: cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
            false_fn=lambda: _count_nonzero(value, dtypes.int64),
        )
        with op_scope(None, "counts_to_fraction", [count]):
            zeros = cast(count - nonzero, dtypes.float32)
            fraction = zeros / cast(count, dtypes.float32)
        return identity(fraction, "fraction")


def _count_nonzero(value: Tensor, dtype: DType) -> Tensor:
    with op_scope(None, "count_nonzero", [value]):
        is_nonzero = not_equal(value, zeros([], value.dtype))
        return reduce_sum(cast(is_nonzero, dtype), name="nonzero_count")
