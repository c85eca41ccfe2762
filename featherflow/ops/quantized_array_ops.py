"""QuantizedReshape and QuantizedConcat: quantised arrays in another form, with their ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import quantization as kernels
from featherflow.ops.core_array_ops import concat_shape, concatenate
from featherflow.ops.quantized_arguments import (
    NO_GRADIENT,
    QINT8,
    QINT32,
    QUINT8,
    range_of,
    with_scalar_range,
)
from featherflow.ops.reshape_ops import Reshape

# --- QuantizedReshape -----------------------------------------------------------------------------

QuantizedReshape = define_op(
    "QuantizedReshape",
    inputs=("tensor: T", "shape: Tshape", "input_min: float", "input_max: float"),
    outputs=("output: T", "output_min: float", "output_max: float"),
    attrs=("T: type", "Tshape: {int32, int64} = int32"),
)


@QuantizedReshape.shape_fn
def _quantized_reshape_shape(c: InferenceContext) -> list[TensorShape]:
    assert Reshape.shape_function is not None
    output = Reshape.shape_function(c)
    c.with_rank(2, 0)
    c.with_rank(3, 0)
    return with_scalar_range(output)


@QuantizedReshape.kernel("CPU", T=(QUINT8, QINT32))
def _quantized_reshape_cpu(
    tensor: np.ndarray, shape: np.ndarray, input_min: np.ndarray, input_max: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    (reshape,) = Reshape.kernels
    return reshape.function(tensor, shape).copy(), input_min, input_max


QuantizedReshape.without_gradient(NO_GRADIENT)

# --- QuantizedConcat and QuantizedConcatV2 --------------------------------------------------------

_RANGES = ("input_mins: N * float", "input_maxes: N * float")
_OUTPUTS = ("output: T", "output_min: float", "output_max: float")

QuantizedConcat = define_op(
    "QuantizedConcat",
    inputs=("concat_dim: int32", "values: N * T", *_RANGES),
    outputs=_OUTPUTS,
    attrs=("N: int >= 2", "T: type"),
)
QuantizedConcatV2 = define_op(
    "QuantizedConcatV2",
    inputs=("values: N * T", "axis: Tidx", *_RANGES),
    outputs=_OUTPUTS,
    attrs=("N: int >= 2", "T: type", "Tidx: {int32, int64} = int32"),
)


@QuantizedConcat.shape_fn
def _quantized_concat_shape(c: InferenceContext) -> list[TensorShape]:
    return _joined_shape(c, "concat_dim")


@QuantizedConcatV2.shape_fn
def _quantized_concat_v2_shape(c: InferenceContext) -> list[TensorShape]:
    return _joined_shape(c, "axis")


def _joined_shape(c: InferenceContext, axis_name: str) -> list[TensorShape]:
    axis = c.input_range(axis_name).start
    c.with_rank(axis, 0)
    for name in ("input_mins", "input_maxes"):
        for index in c.input_range(name):
            c.with_rank(index, 0)
    values = [c.shapes[index] for index in c.input_range("values")]
    place: Any = c.constant_scalar(axis)
    return with_scalar_range(concat_shape(c, values, place))


@QuantizedConcat.kernel("CPU", T=(QUINT8, QINT32))
def _quantized_concat_cpu(
    concat_dim: np.ndarray, *values_and_ranges: np.ndarray, T: DType, N: int
) -> tuple[np.ndarray, ...]:
    return _joined(values_and_ranges, concat_dim, T, N)


@QuantizedConcatV2.kernel("CPU", T=(QINT8, QUINT8))
def _quantized_concat_v2_cpu(
    *values_axis_and_ranges: np.ndarray, T: DType, N: int
) -> tuple[np.ndarray, ...]:
    axis = values_axis_and_ranges[N]
    others = values_axis_and_ranges[:N] + values_axis_and_ranges[N + 1 :]
    return _joined(others, axis, T, N)


def _joined(
    values_and_ranges: Sequence[np.ndarray], axis: np.ndarray, dtype: DType, count: int
) -> tuple[np.ndarray, ...]:
    """The values joined along `axis`, as integers of a range that holds all of theirs."""
    values = values_and_ranges[:count]
    mins, maxes = values_and_ranges[count : 2 * count], values_and_ranges[2 * count :]
    for bound in (*mins, *maxes):
        if bound.ndim:
            raise InvalidArgumentError(
                None, None, "Ranges must be scalars", received=f"shape {list(bound.shape)}"
            )
    if not 0 <= int(axis) < values[0].ndim:
        raise InvalidArgumentError(
            None,
            None,
            f"Expected concatenating dimensions in the range [0, {values[0].ndim})",
            received=int(axis),
        )
    low, high = _common_range(mins, maxes, is_signed=dtype is not QUINT8)
    limits = kernels.integer_limits(dtype)
    parts = []
    for value, own_low, own_high in zip(values, mins, maxes):
        integers = kernels.stored(value)
        if own_low != low or own_high != high:
            floats = kernels.dequantize_min_first(integers, own_low, own_high, limits)
            integers = kernels.quantize_min_first(floats, low, high, limits)
        parts.append(integers)
    return kernels.of_dtype(concatenate(parts, axis), dtype), low, high


def _common_range(
    mins: Sequence[np.ndarray], maxes: Sequence[np.ndarray], *, is_signed: bool
) -> Sequence[np.ndarray]:
    """A range that holds all and 0; symmetric for signed integers."""
    low, high = min(float(bound) for bound in mins), max(float(bound) for bound in maxes)
    if is_signed:
        reach = max(abs(low), abs(high))
        return range_of(-reach, reach)
    return range_of(min(low, 0.0), high)


for _op in (QuantizedConcat, QuantizedConcatV2):
    _op.without_gradient(NO_GRADIENT)


@export("quantization.quantized_concat")
@export_v1("quantized_concat", "quantization.quantized_concat")
def quantized_concat(
    concat_dim: Any, values: Any, input_mins: Any, input_maxes: Any, name: str | None = None
) -> Any:
    """Joins quantised tensors along a dimension.

    Args:
      concat_dim: the dimension, an int32 scalar.
      values: at least two tensors, equal in all other dimensions; quint8 or qint32.
      input_mins, input_maxes: the range of each, float32 scalars.
      name: of the node.
    Returns:
      `(output, output_min, output_max)`: a range that holds all of theirs.
    """
    return QuantizedConcat(concat_dim, values, input_mins, input_maxes, name=name)
