"""Convolution, pools and normalisation of quantised images.

Convolutions are exact in int32; pools keep the range of their input. The arithmetic on ranges is in
`kernels/quantization.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import conv, pool
from featherflow.kernels import quantization as kernels
from featherflow.kernels.windows import resolve_pads
from featherflow.ops.conv_ops import check_channels
from featherflow.ops.pool_windows import pool_pads, refuse_channel_windows, windowed_shape
from featherflow.ops.quantized_arguments import (
    NO_GRADIENT,
    QINT8,
    QINT32,
    QUANTIZED,
    QUINT8,
    bounds_of,
    check_scalar_inputs,
    range_of,
    scalars,
    with_scalar_range,
)
from featherflow.ops.quantized_math_ops import product_range, without_zero_point
from featherflow.ops.window_shapes import window_dim

# What batch normalisation has room for, whatever its input.
_NORMALIZED_REACH = 1 << 20

# --- QuantizedConv2D ------------------------------------------------------------------------------

QuantizedConv2D = define_op(
    "QuantizedConv2D",
    inputs=(
        "input: Tinput",
        "filter: Tfilter",
        "min_input: float",
        "max_input: float",
        "min_filter: float",
        "max_filter: float",
    ),
    outputs=("output: out_type", "min_output: float", "max_output: float"),
    attrs=(
        f"Tinput: {QUANTIZED}",
        f"Tfilter: {QUANTIZED}",
        f"out_type: {QUANTIZED} = qint32",
        "strides: list(int)",
        "padding: {'SAME', 'VALID'}",
        "dilations: list(int) = [1, 1, 1, 1]",
    ),
)


@QuantizedConv2D.shape_fn
def _quantized_conv2d_shape(c: InferenceContext) -> list[TensorShape]:
    batch, *sizes, channels = c.dims(0, 4)
    *window, depth, output_channels = c.dims(1, 4)
    _, *steps, _ = c.attrs["strides"]
    outputs = [
        window_dim(c, size, taps, step, 1, c.attrs["padding"])
        for size, taps, step in zip(sizes, window, steps)
    ]
    check_channels(c, channels, depth, output_channels)
    check_scalar_inputs(c, 2)
    return with_scalar_range(TensorShape._of((batch, *outputs, output_channels)))


@QuantizedConv2D.kernel("CPU", Tinput=QUINT8, Tfilter=(QINT8, QUINT8), out_type=QINT32)
def _quantized_conv2d_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    min_input: np.ndarray,
    max_input: np.ndarray,
    min_filter: np.ndarray,
    max_filter: np.ndarray,
    *,
    Tfilter: DType,
    strides: tuple[int, ...],
    padding: str,
    dilations: tuple[int, ...],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    names = "min_input max_input min_filter max_filter"
    bounds = bounds_of(names, min_input, max_input, min_filter, max_filter)
    _check_convolution(input, filter, strides, dilations)
    image = without_zero_point(input, QUINT8, *bounds[:2]).astype(np.float64)
    weights = without_zero_point(filter, Tfilter, *bounds[2:]).astype(np.float64)
    steps = strides[1:3]
    pads = resolve_pads(padding, image.shape[1:3], weights.shape[:2], steps, (1, 1))
    # Products of 9-bit integers and sums of fewer than 2³⁵ of them are exact in float64.
    output = conv.convolve(image, weights, steps, pads, (1, 1)).astype(np.int64).astype(np.int32)
    return kernels.of_dtype(output, QINT32), *product_range(bounds, QUINT8, Tfilter)


def _check_convolution(
    input: np.ndarray, filter: np.ndarray, strides: Sequence[int], dilations: Sequence[int]
) -> None:
    problems = {
        "input and filter must be 4-dimensional": (input.ndim, filter.ndim) != (4, 4),
        "There must be four strides": len(strides) != 4,
        "There must be four dilations": len(dilations) != 4,
        "Only dilations of 1 are supported": any(rate != 1 for rate in dilations),
        "Strides in the batch and depth dimensions are not supported": strides[0] != 1
        or strides[-1] != 1,
        "Strides along rows and columns must be equal and positive": len(set(strides[1:3])) != 1
        or strides[1] <= 0,
        "Nothing to convolve": 0 in input.shape or 0 in filter.shape[:3],
    }
    for problem, is_there in problems.items():
        if is_there:
            raise InvalidArgumentError(
                None,
                None,
                problem,
                received=f"input {list(input.shape)}, filter {list(filter.shape)}, "
                f"strides {list(strides)}, dilations {list(dilations)}",
            )


QuantizedConv2D.without_gradient(NO_GRADIENT)


@export_v1("nn.quantized_conv2d")
def quantized_conv2d(
    input: Any,
    filter: Any,
    min_input: Any,
    max_input: Any,
    min_filter: Any,
    max_filter: Any,
    strides: Sequence[int],
    padding: str,
    out_type: Any = QINT32,
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Convolves a quantised image with quantised filters.

    Args:
      input: `[N, H, W, C]`, quint8.
      filter: `[KH, KW, C, K]`, quint8 or qint8.
      min_input, max_input, min_filter, max_filter: their ranges, float32 scalars.
      strides: one per dimension; 1 for batch and channels, equal for rows and columns.
      padding: "SAME" or "VALID"; padding stands for 0.
      out_type: qint32.
      dilations: 1 each.
      name: of the node.
    Returns:
      `(output, min_output, max_output)`: `[N, H', W', K]`, qint32, and its range.
    """
    return QuantizedConv2D(
        input,
        filter,
        min_input,
        max_input,
        min_filter,
        max_filter,
        strides=strides,
        padding=padding,
        out_type=out_type,
        dilations=list(dilations),
        name=name,
    )


# --- QuantizedAvgPool and QuantizedMaxPool --------------------------------------------------------


def _define_pool(name: str) -> Op:
    op = define_op(
        name,
        inputs=("input: T", "min_input: float", "max_input: float"),
        outputs=("output: T", "min_output: float", "max_output: float"),
        attrs=(
            f"T: {QUANTIZED}",
            "ksize: list(int)",
            "strides: list(int)",
            "padding: {'SAME', 'VALID'}",
        ),
    )

    @op.shape_fn
    def pool_shape(c: InferenceContext) -> list[TensorShape]:
        is_mean = name == "QuantizedAvgPool"
        ksize, strides = c.attrs["ksize"], c.attrs["strides"]
        output = windowed_shape(c, ksize, strides, over_channels=not is_mean)
        check_scalar_inputs(c, 1)
        return with_scalar_range(output)

    op.without_gradient(NO_GRADIENT)
    return op


QuantizedAvgPool = _define_pool("QuantizedAvgPool")
QuantizedMaxPool = _define_pool("QuantizedMaxPool")


@QuantizedAvgPool.kernel("CPU", T=(QINT8, QUINT8))
def _quantized_avg_pool_cpu(
    input: np.ndarray,
    min_input: np.ndarray,
    max_input: np.ndarray,
    *,
    T: DType,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
) -> tuple[np.ndarray, ...]:
    low, high = scalars("min_input max_input", min_input, max_input)
    pads = pool_pads(input.shape, ksize, strides, padding)
    refuse_channel_windows(ksize, strides, "NHWC")
    means = pool.avg_pool(kernels.stored(input).astype(np.float64), ksize, strides, pads)
    return kernels.of_dtype(np.trunc(means), T), low, high


@QuantizedMaxPool.kernel("CPU", T=(QINT8, QUINT8))
def _quantized_max_pool_cpu(
    input: np.ndarray,
    min_input: np.ndarray,
    max_input: np.ndarray,
    *,
    T: DType,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
) -> tuple[np.ndarray, ...]:
    low, high = scalars("min_input max_input", min_input, max_input)
    pads = pool_pads(input.shape, ksize, strides, padding)
    return (
        kernels.of_dtype(pool.max_pool(kernels.stored(input), ksize, strides, pads), T),
        low,
        high,
    )


@export_v1("nn.quantized_avg_pool")
def quantized_avg_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """The mean of each window of a quantised image, rounded towards 0.

    Args:
      input: `[N, H, W, C]`, quint8 or qint8.
      min_input, max_input: its range, float32 scalars.
      ksize, strides: one per dimension; 1 for batch and channels.
      padding: "SAME" or "VALID".
      name: of the node.
    Returns:
      `(output, min_output, max_output)`, in the range of `input`.
    """
    return QuantizedAvgPool(
        input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name
    )


@export_v1("nn.quantized_max_pool")
def quantized_max_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """The maximum of each window of a quantised image; arguments as for `quantized_avg_pool`."""
    return QuantizedMaxPool(
        input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name
    )


# --- QuantizedBatchNormWithGlobalNormalization ----------------------------------------------------

_PARAMETERS = ("t", "m", "v", "beta", "gamma")

QuantizedBatchNormWithGlobalNormalization = define_op(
    "QuantizedBatchNormWithGlobalNormalization",
    inputs=[
        spec
        for name in _PARAMETERS
        for spec in (f"{name}: Tinput", f"{name}_min: float", f"{name}_max: float")
    ],
    outputs=("result: out_type", "result_min: float", "result_max: float"),
    attrs=(
        f"Tinput: {QUANTIZED}",
        f"out_type: {QUANTIZED}",
        "variance_epsilon: float",
        "scale_after_normalization: bool",
    ),
)


@QuantizedBatchNormWithGlobalNormalization.shape_fn
def _quantized_batch_norm_shape(c: InferenceContext) -> list[TensorShape]:
    *others, channels = c.dims(0, 4)
    for index in range(3, 15, 3):
        (length,) = c.dims(index, 1)
        channels = c.merge_dim(channels, length)
    return with_scalar_range(TensorShape._of((*others, channels)))


@QuantizedBatchNormWithGlobalNormalization.kernel("CPU", Tinput=QUINT8, out_type=QINT32)
def _quantized_batch_norm_cpu(
    *inputs: np.ndarray, variance_epsilon: float, scale_after_normalization: bool
) -> tuple[Any, ...]:
    """(t − m) · scale + offset, with t and scale as whole numbers of steps of the result."""
    image, *vectors = inputs[::3]
    ranges = [_single_range(inputs[place + 1], inputs[place + 2]) for place in range(0, 15, 3)]
    if image.ndim != 4 or any(vector.shape != image.shape[3:] for vector in vectors):
        raise InvalidArgumentError(
            None,
            None,
            "t must be 4-dimensional, the others 1-dimensional with a number per channel",
            received=", ".join(str(list(array.shape)) for array in inputs[::3]),
        )
    limits, out_limits = kernels.integer_limits(QUINT8), kernels.integer_limits(QINT32)
    mean, variance, beta, gamma = (
        kernels.exact_float(kernels.stored(vector), *bounds, limits=limits)
        for vector, bounds in zip(vectors, ranges[1:])
    )
    scale = np.float32(1) / np.sqrt(variance + np.float32(variance_epsilon))
    if scale_after_normalization:
        scale = scale * gamma
    out = range_of(-_NORMALIZED_REACH, _NORMALIZED_REACH)
    one = int(kernels.exact_integer(np.ones((), np.float32), *out, limits=out_limits))
    steps = kernels.requantize(
        kernels.stored(image), *ranges[0], *out, limits=limits, out_limits=out_limits
    )
    product = steps * kernels.exact_integer(scale, *out, limits=out_limits)
    rounded = np.sign(product) * (np.abs(product) // one)
    offset = kernels.exact_integer(-mean * scale + beta, *out, limits=out_limits)
    return kernels.of_dtype(rounded + offset, QINT32), *out


def _single_range(low: np.ndarray, high: np.ndarray) -> Any:
    """A range whose bounds have one element, in whatever shape."""
    if low.size != 1 or high.size != 1:
        raise InvalidArgumentError(
            None,
            None,
            "Ranges must have one element",
            received=f"shapes {list(low.shape)} and {list(high.shape)}",
        )
    return low.reshape(()), high.reshape(())


QuantizedBatchNormWithGlobalNormalization.without_gradient(NO_GRADIENT)

# --- QuantizedInstanceNorm ------------------------------------------------------------------------

QuantizedInstanceNorm = define_op(
    "QuantizedInstanceNorm",
    inputs=("x: T", "x_min: float", "x_max: float"),
    outputs=("y: T", "y_min: float", "y_max: float"),
    attrs=(
        f"T: {QUANTIZED}",
        "output_range_given: bool = false",
        "given_y_min: float = 0.0",
        "given_y_max: float = 0.0",
        "variance_epsilon: float = 1e-05",
        "min_separation: float = 0.001",
    ),
)


@QuantizedInstanceNorm.shape_fn
def _quantized_instance_norm_shape(c: InferenceContext) -> list[TensorShape]:
    if c.shapes[0]._dims is not None:
        c.with_rank(0, 4)
    check_scalar_inputs(c, 1)
    return with_scalar_range(c.shapes[0])


@QuantizedInstanceNorm.kernel("CPU", T=QUINT8)
def _quantized_instance_norm_cpu(
    x: np.ndarray,
    x_min: np.ndarray,
    x_max: np.ndarray,
    *,
    output_range_given: bool,
    given_y_min: float,
    given_y_max: float,
    variance_epsilon: float,
    min_separation: float,
) -> tuple[Any, ...]:
    low, high = scalars("x_min x_max", x_min, x_max)
    _check_instance_norm(x, low, high)
    limits = kernels.integer_limits(QUINT8)
    values = kernels.dequantize_min_first(kernels.stored(x), low, high, limits)
    with np.errstate(all="ignore"):
        mean = values.mean(axis=(1, 2), keepdims=True) if x.size else values
        centred = values - mean
        variance = np.mean(centred * centred, axis=(1, 2), keepdims=True) if x.size else values
        normalized = centred / np.sqrt(variance + np.float32(variance_epsilon))
    if output_range_given:
        out_low, out_high = given_y_min, given_y_max
        if not out_low < out_high:
            raise InvalidArgumentError(
                None,
                None,
                "given_y_min must be less than given_y_max",
                received=f"{out_low} >= {out_high}",
            )
    else:
        out_low = normalized.min(initial=np.inf)
        out_high = max(normalized.max(initial=-np.inf), out_low + np.float32(min_separation))
    out = range_of(out_low, out_high)
    return kernels.of_dtype(
        kernels.quantize_min_first(normalized, *out, limits=limits), QUINT8
    ), *out


def _check_instance_norm(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    if x.ndim != 4:
        raise InvalidArgumentError(
            None, None, "Input must be 4-dimensional", received=f"shape {list(x.shape)}"
        )
    if not low < high:
        raise InvalidArgumentError(
            None, None, "input_min must be less than input_max", received=f"{low} >= {high}"
        )


QuantizedInstanceNorm.without_gradient(NO_GRADIENT)
