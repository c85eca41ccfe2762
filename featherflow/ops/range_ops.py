"""Range: evenly spaced numbers."""

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
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.cast_ops import cast

# --- Range ----------------------------------------------------------------------------------------

Range = define_op(
    "Range",
    inputs=("start: Tidx", "limit: Tidx", "delta: Tidx"),
    outputs=("output: Tidx",),
    attrs=(
        "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} "
        "= int32",
    ),
)


@Range.shape_fn
def _range_shape(c: InferenceContext) -> TensorShape:
    for index in range(3):
        c.with_rank(index, 0)
    ends = [c.constant(index) for index in range(3)]
    if any(end is None for end in ends):
        return TensorShape._of((None,))
    return TensorShape._of((_range_length(*ends),))  # type: ignore[arg-type]


def _range_length(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> int:
    """The number of elements.

    Raises:
      InvalidArgumentError: `delta` is 0, or leads away from `limit`.
    """
    first, last, step = start.item(), limit.item(), delta.item()
    if step == 0:
        raise InvalidArgumentError(None, None, "Requires delta != 0", received=f"delta {step}")
    if (last - first) * step < 0:
        sign = ">" if step > 0 else "<"
        raise InvalidArgumentError(
            None,
            None,
            f"Requires start {'<=' if step > 0 else '>='} limit when delta {sign} 0",
            received=f"start {first}, limit {last}, delta {step}",
        )
    if not all(map(math.isfinite, (first, last, step))):
        raise InvalidArgumentError(
            None,
            None,
            "Requires finite start, limit and delta",
            received=f"start {first}, limit {last}, delta {step}",
        )
    if isinstance(first, int):
        return -((first - last) // step)
    return math.ceil(abs((last - first) / step))


@Range.kernel("CPU")
def _range_cpu(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> np.ndarray:
    if start.ndim or limit.ndim or delta.ndim:
        raise InvalidArgumentError(None, None, "start, limit and delta must be scalars")
    count = _range_length(start, limit, delta)
    steps_dtype = np.dtype(np.int64)
    check_allocation((3, count), steps_dtype)  # the steps, their multiples, and the sums
    steps = np.arange(count, dtype=steps_dtype)
    if start.dtype.kind in "iu":
        return (start.item() + steps * delta.item()).astype(start.dtype)
    # As TensorFlow's kernel: each element is the sum before it plus delta.
    return start + (steps * delta.astype(np.float64)).astype(start.dtype)


Range.not_differentiable("the number of elements is an integer")

#: Ends of several dtypes become the last of these that one of them has.
_DTYPE_HIERARCHY = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)


@export("range")
def range_(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
) -> Tensor:
    """start, start + delta, … as far as it is below `limit` (above it if delta is negative).

    `tf.range(limit)` starts with 0.

    Args:
      start: a number, or a scalar tensor.
      limit: likewise; itself not among the numbers.
      delta: likewise.
      dtype: of the result; None takes the widest of the three.
      name: of the node.
    Returns:
      A vector of ⌈(limit − start) / delta⌉ elements.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.range(3, 18, 3)).tolist()
    [3, 6, 9, 12, 15]
    """
    if limit is None:
        start, limit = 0, start
    with op_scope(name, "Range", [start, limit, delta]) as scope:
        ends = [
            convert_to_tensor(end, None if isinstance(end, Tensor) else dtype, name=end_name)
            for end, end_name in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if dtype is None:
            result = max((end.dtype.base_dtype for end in ends), key=_DTYPE_HIERARCHY.index)
        else:
            result = dtypes.as_dtype(dtype)
        return Range(*[cast(end, result) for end in ends], name=scope)
