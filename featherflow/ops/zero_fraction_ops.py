"""`tf.nn.zero_fraction`: how sparse a tensor is."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import LessEqual, NotEqual
from featherflow.ops.cond import cond
from featherflow.ops.division_ops import truediv
from featherflow.ops.fill_ops import zeros
from featherflow.ops.identity_ops import identity
from featherflow.ops.shape_ops import size
from featherflow.ops.sum_ops import reduce_sum


@export("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The number of zeros in `value` / the number of its elements.

    Args:
      value: numbers.
      name: of the scope.
    Returns:
      A float32 scalar; NaN for nothing.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     print(sess.run(tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0])))
    0.5
    """
    with op_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        count = size(value, out_type=dtypes.int64)
        # Most tensors can be counted in 32 bits, which is faster.
        nonzero = cond(
            LessEqual(count, dtypes.int32.max),
            true_fn=lambda: cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
            false_fn=lambda: _count_nonzero(value, dtypes.int64),
        )
        with op_scope("counts_to_fraction", "counts_to_fraction", [value]):
            zero_count = cast(Sub(count, nonzero, name="sub"), dtypes.float32)
            fraction = truediv(zero_count, cast(count, dtypes.float32))
        return identity(fraction, "fraction")


def _count_nonzero(value: Tensor, dtype: DType) -> Tensor:
    with op_scope("count_nonzero", "count_nonzero", [value]):
        zero = zeros([], dtype=value.dtype.base_dtype)
        return reduce_sum(cast(NotEqual(value, zero), dtype), name="nonzero_count")
