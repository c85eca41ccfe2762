"""IsotonicRegression and `tf.nn.isotonic_regression`. The arithmetic: `kernels/isotonic.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import isotonic
from featherflow.ops.arithmetic_ops import Neg
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.gather_ops import UnsortedSegmentSum, gather
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import Reshape, reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.transpose_ops import transpose

#: The output's dtype for each of the input's, as TensorFlow has kernels.
_OUTPUTS = {
    dtypes.float16: dtypes.float16,
    dtypes.bfloat16: dtypes.bfloat16,
    dtypes.float32: dtypes.float32,
    dtypes.float64: dtypes.float64,
    dtypes.int8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.int64: dtypes.float64,
}

IsotonicRegression = define_op(
    "IsotonicRegression",
    inputs=("input: T",),
    outputs=("output: output_dtype", "segments: int32"),
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}",
        "output_dtype: {half, bfloat16, float, double} = float",
    ),
)


@IsotonicRegression.shape_fn
def _isotonic_shape(c: InferenceContext) -> list[TensorShape]:
    return [c.shapes[0], c.shapes[0]]


def _isotonic_cpu(input: np.ndarray, *, output_dtype: DType) -> tuple[np.ndarray, np.ndarray]:
    size = input.shape[-1] if input.ndim else 1
    rows = input.reshape(math.prod(input.shape[:-1]), size)
    values, segments = isotonic.pool_adjacent_violators(rows, output_dtype.numpy_dtype)
    return values.reshape(input.shape), segments.reshape(input.shape)


for _input, _output in _OUTPUTS.items():
    IsotonicRegression.kernel("CPU", T=_input, output_dtype=_output)(_isotonic_cpu)


@IsotonicRegression.gradient
def _isotonic_grad(op: Any, grad: Tensor, segments_grad: Any) -> Tensor:
    # Each element of a block gets the mean of the block's gradients.
    segments = op.outputs[1]
    shape: Any = shape_of(segments)
    size: Any = concat([[1], shape], 0)[-1]  # type: ignore[index]
    ids: Any = reshape(segments, concat([[-1], [size]], 0))
    rows: Any = shape_of(ids)[0]  # type: ignore[index]
    flat = reshape(ids + reshape(range_(rows) * size, [-1, 1]), [-1])
    totals = UnsortedSegmentSum(Reshape(grad, [-1]), flat, rows * size)
    counts = UnsortedSegmentSum(cast(ones_like(flat), grad.dtype), flat, rows * size)
    means = gather(totals / maximum(counts, cast(1, grad.dtype)), flat)
    return cast(Reshape(means, shape), op.inputs[0].dtype)


@export("nn.isotonic_regression")
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: int = -1
) -> tuple[Tensor, Tensor]:
    """min Σ (yᵢ − xᵢ)² over all y with y₁ ≥ y₂ ≥ …, for each row of x.

    Args:
      inputs: x, numbers.
      decreasing: False asks for y₁ ≤ y₂ ≤ ….
      axis: along which the order is.
    Returns:
      y, and the number of the block of equal values that each element is in.

    >>> import featherflow as tf
    >>> y, blocks = tf.compat.v2.nn.isotonic_regression([3.0, 1.0, 2.0])
    >>> with tf.Session() as sess:
    ...     [value.tolist() for value in sess.run([y, blocks])]
    [[3.0, 1.5, 1.5], [0, 1, 1]]
    """
    x = convert_to_tensor(inputs)
    output_dtype = _OUTPUTS.get(x.dtype.base_dtype, dtypes.float32)
    given = x if decreasing else Neg(x)
    rank = x.shape.rank
    if axis == -1 or (rank is not None and axis == rank - 1):
        y, segments = IsotonicRegression(given, output_dtype=output_dtype)
        return (y, segments) if decreasing else (Neg(y), segments)
    if rank is None:
        raise ValueError("tf.nn.isotonic_regression needs a tensor of known rank for this axis.")
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    y, segments = IsotonicRegression(transpose(given, order), output_dtype=output_dtype)
    y, segments = transpose(y, order), transpose(segments, order)
    return (y, segments) if decreasing else (Neg(y), segments)
