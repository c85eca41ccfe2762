"""Requantize and its kin: quantised int32, as products come, as integers of fewer bits.

The arithmetic is in `kernels/quantization.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.kernels import quantization as kernels
from featherflow.ops.quantized_arguments import (
    NO_GRADIENT,
    QINT8,
    QINT32,
    QUANTIZED,
    QUINT8,
    check_scalar_inputs,
    range_of,
    scalars,
    with_scalar_range,
)

_OUTPUTS = ("output: out_type", "output_min: float", "output_max: float")
_REQUESTED = ("requested_output_min: float", "requested_output_max: float")


def _same_shape_with_range(c: InferenceContext) -> list[TensorShape]:
    check_scalar_inputs(c, 1)
    return with_scalar_range(c.shapes[0])


# --- Requantize -----------------------------------------------------------------------------------

Requantize = define_op(
    "Requantize",
    inputs=("input: Tinput", "input_min: float", "input_max: float", *_REQUESTED),
    outputs=_OUTPUTS,
    attrs=(f"Tinput: {QUANTIZED}", f"out_type: {QUANTIZED}"),
)
Requantize.shape_fn(_same_shape_with_range)


@Requantize.kernel("CPU", Tinput=QINT32, out_type=(QINT8, QUINT8))
def _requantize_cpu(
    input: np.ndarray,
    input_min: np.ndarray,
    input_max: np.ndarray,
    requested_output_min: np.ndarray,
    requested_output_max: np.ndarray,
    *,
    Tinput: DType,
    out_type: DType,
) -> tuple[Any, ...]:
    low, high, out_low, out_high = scalars(
        "input_min input_max requested_output_min requested_output_max",
        input_min,
        input_max,
        requested_output_min,
        requested_output_max,
    )
    if not out_low <= 0 or not out_high >= out_low:
        raise InvalidArgumentError(
            None,
            None,
            "requested_output_min must be <= 0 and requested_output_max >= requested_output_min",
            received=f"{out_low} and {out_high}",
        )
    return *_shrunk(input, low, high, out_low, out_high, Tinput, out_type), out_low, out_high


def _shrunk(
    input: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    out_low: np.ndarray,
    out_high: np.ndarray,
    dtype: DType,
    out_type: DType,
) -> tuple[np.ndarray]:
    limits, out_limits = kernels.integer_limits(dtype), kernels.integer_limits(out_type)
    integers = kernels.requantize(
        kernels.stored(input), low, high, out_low, out_high, limits, out_limits
    )
    return (kernels.of_dtype(integers, out_type),)


Requantize.without_gradient(NO_GRADIENT)

# --- RequantizationRange --------------------------------------------------------------------------

RequantizationRange = define_op(
    "RequantizationRange",
    inputs=("input: Tinput", "input_min: float", "input_max: float"),
    outputs=("output_min: float", "output_max: float"),
    attrs=(f"Tinput: {QUANTIZED}",),
)


@RequantizationRange.shape_fn
def _requantization_range_shape(c: InferenceContext) -> list[TensorShape]:
    check_scalar_inputs(c, 1)
    return [SCALAR, SCALAR]


@RequantizationRange.kernel("CPU", Tinput=QINT32)
def _requantization_range_cpu(
    input: np.ndarray, input_min: np.ndarray, input_max: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    low, high = scalars("input_min input_max", input_min, input_max)
    return _used_range(input, low, high)


def _used_range(
    input: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The floats that the least and the largest element stand for, widened to hold 0 below."""
    integers, limits = kernels.stored(input), kernels.integer_limits(QINT32)
    ends = np.array([integers.min(initial=limits.max), integers.max(initial=limits.min)])
    used_low, used_high = kernels.exact_float(ends, low, high, limits)
    return np.minimum(np.float32(0), used_low, out=np.empty((), np.float32)), np.array(used_high)


RequantizationRange.without_gradient(NO_GRADIENT)

# --- QuantizeDownAndShrinkRange -------------------------------------------------------------------

QuantizeDownAndShrinkRange = define_op(
    "QuantizeDownAndShrinkRange",
    inputs=("input: Tinput", "input_min: float", "input_max: float"),
    outputs=_OUTPUTS,
    attrs=(f"Tinput: {QUANTIZED}", f"out_type: {QUANTIZED}"),
)
QuantizeDownAndShrinkRange.shape_fn(_same_shape_with_range)


@QuantizeDownAndShrinkRange.kernel("CPU", Tinput=QINT32, out_type=QUINT8)
def _quantize_down_and_shrink_range_cpu(
    input: np.ndarray,
    input_min: np.ndarray,
    input_max: np.ndarray,
    *,
    Tinput: DType,
    out_type: DType,
) -> tuple[Any, ...]:
    low, high = scalars("input_min input_max", input_min, input_max)
    out_low, out_high = _used_range(input, low, high)
    return *_shrunk(input, low, high, out_low, out_high, Tinput, out_type), out_low, out_high


QuantizeDownAndShrinkRange.without_gradient(NO_GRADIENT)

# --- a range per channel --------------------------------------------------------------------------


def _check_channels(input: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    if input.ndim != 4:
        raise InvalidArgumentError(
            None, None, "input must be in NHWC format", received=f"shape {list(input.shape)}"
        )
    for name, bound in (("input_min", low), ("input_max", high)):
        if bound.shape != input.shape[-1:]:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} must be a vector with one element per channel",
                received=f"shape {list(bound.shape)}",
                expected=f"shape [{input.shape[-1]}]",
            )


RequantizePerChannel = define_op(
    "RequantizePerChannel",
    inputs=("input: T", "input_min: float", "input_max: float", *_REQUESTED),
    outputs=_OUTPUTS,
    attrs=(f"T: {QUANTIZED} = qint32", f"out_type: {QUANTIZED} = quint8"),
)


@RequantizePerChannel.shape_fn
def _requantize_per_channel_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 1)
    c.with_rank(2, 1)
    check_scalar_inputs(c, 3)
    return with_scalar_range(c.shapes[0])


@RequantizePerChannel.kernel("CPU", T=QINT32, out_type=(QINT8, QUINT8))
def _requantize_per_channel_cpu(
    input: np.ndarray,
    input_min: np.ndarray,
    input_max: np.ndarray,
    requested_output_min: np.ndarray,
    requested_output_max: np.ndarray,
    *,
    out_type: DType,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    _check_channels(input, input_min, input_max)
    out_low, out_high = scalars(
        "requested_output_min requested_output_max", requested_output_min, requested_output_max
    )
    limits = kernels.integer_limits(out_type)
    reach = np.maximum(np.abs(input_min), np.abs(input_max))
    out_reach = np.maximum(np.abs(out_low), np.abs(out_high))
    scale = reach / np.float32(2**31) * (np.float32(limits.max) / out_reach)
    scaled = np.rint(kernels.stored(input) * scale.astype(np.float64))
    integers = np.clip(scaled, limits.min, limits.max)
    return kernels.of_dtype(integers, out_type), out_low, out_high


RequantizePerChannel.without_gradient(NO_GRADIENT)

RequantizationRangePerChannel = define_op(
    "RequantizationRangePerChannel",
    inputs=("input: T", "input_min: float", "input_max: float"),
    outputs=("output_min: float", "output_max: float"),
    attrs=(f"T: {QUANTIZED} = qint32", "clip_value_max: float"),
)


@RequantizationRangePerChannel.shape_fn
def _requantization_range_per_channel_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 1)
    c.with_rank(2, 1)
    return [SCALAR, SCALAR]


@RequantizationRangePerChannel.kernel("CPU", T=QINT32)
def _requantization_range_per_channel_cpu(
    input: np.ndarray, input_min: np.ndarray, input_max: np.ndarray, *, clip_value_max: float
) -> tuple[Any, ...]:
    _check_channels(input, input_min, input_max)
    integers = kernels.stored(input).astype(np.int64)
    scale = np.maximum(np.abs(input_min), np.abs(input_max)) / np.float32(2**31)
    furthest = np.abs(integers).max(axis=(0, 1, 2), initial=0)
    reach = (furthest.astype(np.float32) * scale).max(initial=0)
    has_negative = integers.min(initial=0) < 0
    bound = min(reach, np.float32(clip_value_max))
    return (*range_of(-bound if has_negative else 0.0, bound),)


RequantizationRangePerChannel.without_gradient(NO_GRADIENT)
