"""Cross products, and evenly spaced numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.precision import compute_dtype
from featherflow.ops.arithmetic_ops import AddV2, Mul, Sub
from featherflow.ops.broadcast_shape_ops import broadcast_dynamic_shape
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.core_array_ops import concat, slice_
from featherflow.ops.division_ops import RealDiv
from featherflow.ops.extremum_ops import Maximum
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import rank, shape, size
from featherflow.ops.sum_ops import BroadcastTo
from featherflow.ops.type_groups import FLOATS, REAL, one_of

# --- Cross ----------------------------------------------------------------------------------------

Cross = define_op(
    "Cross",
    inputs=("a: T", "b: T"),
    outputs=("product: T",),
    attrs=(f"T: {one_of(REAL)}",),
)


@Cross.shape_fn
def _cross_shape(c: InferenceContext) -> TensorShape:
    left, right = c.with_rank_at_least(0, 1), c.with_rank_at_least(1, 1)
    merged = c.merge(left, right)
    if merged._dims is not None:
        c.merge_dim(merged._dims[-1], 3)
    return merged


@Cross.kernel("CPU", T=REAL)
def _cross_cpu(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.shape != b.shape or not a.ndim or a.shape[-1] != 3:
        raise InvalidArgumentError(
            None,
            None,
            "Cross products are of vectors of three elements",
            received=f"shapes {list(a.shape)} and {list(b.shape)}",
            expected="equal shapes whose last dimension is 3",
        )
    # Not np.cross, which casts small integers.
    x, y, z = (a[..., i] for i in range(3))
    u, v, w = (b[..., i] for i in range(3))
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


@Cross.gradient
def _cross_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    a, b = op.inputs
    return Cross(b, grad), Cross(grad, a)


@export("linalg.cross")
@export_v1("cross")
def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """a × b for vectors in the last dimension.

    Args:
      a: `[…, 3]`, real numbers.
      b: of the shape and dtype of `a`.
      name: of the node.
    Returns:
      `[…, 3]`.
    Raises:
      ValueError: shapes are known to differ, or the last dimension not to be 3.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.linalg.cross([1, 0, 0], [0, 1, 0])).tolist()
    [0, 0, 1]
    """
    return Cross(a, b, name=name)


# --- LinSpace -------------------------------------------------------------------------------------

LinSpace = define_op(
    "LinSpace",
    inputs=("start: T", "stop: T", "num: Tidx"),
    outputs=("output: T",),
    attrs=(f"T: {one_of(FLOATS)}", "Tidx: {int32, int64} = int32"),
)


@LinSpace.shape_fn
def _linspace_shape(c: InferenceContext) -> TensorShape:
    for index in range(3):
        c.with_rank(index, 0)
    num = c.constant(2)
    if num is None:
        return TensorShape._of((None,))
    if num <= 0:
        c.fail("Requires num > 0", received=f"num = {int(num)}")
    return TensorShape._of((int(num),))


@LinSpace.kernel("CPU", T=FLOATS)
def _linspace_cpu(start: np.ndarray, stop: np.ndarray, num: np.ndarray) -> np.ndarray:
    if num.ndim or num <= 0:
        raise InvalidArgumentError(None, None, "Requires num > 0", received=f"num = {num.tolist()}")
    wide = compute_dtype(start.dtype)
    first, last = start.astype(wide), stop.astype(wide)
    step = (last - first) / wide.type(max(int(num) - 1, 1))
    check_allocation((int(num),), wide)
    values = first + step * np.arange(int(num), dtype=wide)
    values[0] = first  # exactly, like the last, whatever the steps are and add up to
    if num > 1:
        values[-1] = last
    return values.astype(start.dtype)


LinSpace.not_differentiable("TensorFlow gives it no gradient")


@export("linspace")
@export_v1("lin_space")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` numbers from `start` to `stop`, both included, evenly spaced along a new dimension.

    Args:
      start: floats; integers become float64.
      stop: of the dtype of `start`; both broadcast.
      num: how many; 1 gives `start` alone.
      name: of the node.
      axis: the place of the new dimension.
    Returns:
      A tensor of one dimension more than `start` and `stop` broadcast have.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.linspace(0.0, 1.0, 5)).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    with op_scope(name, "linspace", [start, stop]) as scope:
        start = convert_to_tensor(start, name="start")
        stop = convert_to_tensor(stop, name="stop", dtype=start.dtype.base_dtype)
        num = cast(convert_to_tensor(num, name="num"), dtypes.int32)
        if start.dtype.is_integer:
            start, stop = cast(start, dtypes.float64), cast(stop, dtypes.float64)
        count = constant_value(num)
        if start.shape.rank == 0 == stop.shape.rank and count is not None and count > 0:
            return LinSpace(start, stop, num, name=scope)
        return _linspace_of_tensors(start, stop, num, axis)


def _linspace_of_tensors(start: Tensor, stop: Tensor, num: Tensor, axis: int) -> Tensor:
    """The first `num` of: start, the numbers between, stop."""
    dims = broadcast_dynamic_shape(shape(start), shape(stop))
    start, stop = BroadcastTo(start, dims), BroadcastTo(stop, dims)
    place = Sub(AddV2(rank(start), 1), -axis) if axis < 0 else axis
    first, last = expand_dims(start, axis), expand_dims(stop, axis)
    step = RealDiv(Sub(last, first), cast(Maximum(Sub(num, 1), 1), start.dtype))
    numbers = range_(1, Maximum(Sub(num, 1), 1))
    is_new = Equal(range_(rank(first)), place)
    numbers = reshape(cast(numbers, start.dtype), SelectV2(is_new, size(numbers), 1))
    values = concat([first, AddV2(first, Mul(step, numbers)), last], axis)
    return slice_(values, zeros_like(shape(values)), SelectV2(is_new, num, shape(values)))
