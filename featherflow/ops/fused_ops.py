"""Ops that a graph optimizer has fused: a convolution or product with what follows it.

TensorFlow's optimizer makes them, so frozen and optimized graphs hold them. They have no public
functions. What is fused is in `kernels/epilogues.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import UnimplementedError
from featherflow.framework.op import Op, define_op
from featherflow.kernels import conv, depthwise
from featherflow.kernels.epilogues import apply_epilogue
from featherflow.kernels.matrix_product import matrix_product
from featherflow.kernels.windows import channels_last, from_channels_last, spatial_geometry
from featherflow.ops.batch_norm_ops import FusedBatchNormV3, fused_batch_norm_v3_cpu
from featherflow.ops.conv_ops import Conv2D
from featherflow.ops.depthwise_conv_ops import DepthwiseConv2dNative
from featherflow.ops.matmul_ops import MatMul
from featherflow.ops.type_groups import FLOATS

_EPILOGUE = (
    "fused_ops: list(string) = []",
    "epsilon: float = 0.0001",
    "leakyrelu_alpha: float = 0.2",
)
_NO_GRADIENT = "the optimizer fuses only what no gradient is taken of"


def _shape_function_of(op: Op) -> Callable[..., Any]:
    """What is fused to an op does not change the shape of its output."""
    assert op.shape_function is not None
    return op.shape_function


# --- _FusedConv2D ---------------------------------------------------------------------------------

FusedConv2D = define_op(
    "_FusedConv2D",
    inputs=("input: T", "filter: T", "args: TArgs", "host_args: num_host_args * float"),
    outputs=("output: T",),
    attrs=(
        "T: {half, float, double, int8, qint8}",
        "TArgs: list(type) >= 1",
        "num_args: int >= 0",
        "num_host_args: int >= 0 = 0",
        "strides: list(int)",
        "padding: {'SAME', 'VALID', 'EXPLICIT'}",
        "explicit_paddings: list(int) = []",
        "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
        "filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'",
        "dilations: list(int) = [1, 1, 1, 1]",
        "use_cudnn_on_gpu: bool = true",
        *_EPILOGUE,
    ),
)
FusedConv2D.shape_fn(_shape_function_of(Conv2D))


@FusedConv2D.kernel("CPU", T=(dtypes.float16, dtypes.float32, dtypes.float64))
def _fused_conv2d_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    *args: np.ndarray,
    num_args: int,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    filter_format: str,
    dilations: tuple[int, ...],
    fused_ops: tuple[str, ...],
    epsilon: float,
    leakyrelu_alpha: float,
) -> np.ndarray:
    if filter_format != "HWIO":
        raise UnimplementedError(
            None, None, "Filters must be in the layout HWIO", received=filter_format
        )
    image = channels_last(input, data_format)
    geometry = spatial_geometry(
        image.shape, filter.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    convolved = conv.convolve(image, filter, *geometry)
    others = [channels_last(arg, data_format) if arg.ndim == 4 else arg for arg in args[:num_args]]
    output = apply_epilogue(convolved, fused_ops, others, epsilon, leakyrelu_alpha)
    return from_channels_last(output, data_format)


FusedConv2D.without_gradient(_NO_GRADIENT)

# --- _FusedDepthwiseConv2dNative ------------------------------------------------------------------

FusedDepthwiseConv2dNative = define_op(
    "_FusedDepthwiseConv2dNative",
    inputs=("input: T", "filter: T", "args: num_args * T"),
    outputs=("output: T",),
    attrs=(
        "T: {half, bfloat16, float, double}",
        "num_args: int >= 0",
        "strides: list(int)",
        "padding: {'SAME', 'VALID'}",
        "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
        "dilations: list(int) = [1, 1, 1, 1]",
        *_EPILOGUE,
    ),
)
FusedDepthwiseConv2dNative.shape_fn(_shape_function_of(DepthwiseConv2dNative))


@FusedDepthwiseConv2dNative.kernel("CPU", T=FLOATS)
def _fused_depthwise_conv2d_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    *args: np.ndarray,
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
    dilations: tuple[int, ...],
    fused_ops: tuple[str, ...],
    epsilon: float,
    leakyrelu_alpha: float,
) -> np.ndarray:
    image = channels_last(input, data_format)
    geometry = spatial_geometry(
        image.shape, filter.shape[:2], strides, padding, (), data_format, dilations
    )
    convolved = depthwise.depthwise_convolve(image, filter, *geometry)
    output = apply_epilogue(convolved, fused_ops, args, epsilon, leakyrelu_alpha)
    return from_channels_last(output, data_format)


FusedDepthwiseConv2dNative.without_gradient(_NO_GRADIENT)

# --- _FusedMatMul ---------------------------------------------------------------------------------

FusedMatMul = define_op(
    "_FusedMatMul",
    inputs=("a: T", "b: T", "args: num_args * T"),
    outputs=("product: T",),
    attrs=(
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "T: {bfloat16, half, float}",
        "num_args: int >= 0",
        *_EPILOGUE,
    ),
)
FusedMatMul.shape_fn(_shape_function_of(MatMul))


@FusedMatMul.kernel("CPU", T=(dtypes.bfloat16, dtypes.float16, dtypes.float32))
def _fused_matmul_cpu(
    a: np.ndarray,
    b: np.ndarray,
    *args: np.ndarray,
    transpose_a: bool,
    transpose_b: bool,
    fused_ops: tuple[str, ...],
    epsilon: float,
    leakyrelu_alpha: float,
) -> np.ndarray:
    product = matrix_product(a, b, transpose_a, transpose_b)
    return apply_epilogue(product, fused_ops, args, epsilon, leakyrelu_alpha)


FusedMatMul.without_gradient(_NO_GRADIENT)

# --- _FusedBatchNormEx ----------------------------------------------------------------------------

FusedBatchNormEx = define_op(
    "_FusedBatchNormEx",
    inputs=(
        "x: T",
        "scale: U",
        "offset: U",
        "mean: U",
        "variance: U",
        "side_input: num_side_inputs * T",
    ),
    outputs=(
        "y: T",
        "batch_mean: U",
        "batch_variance: U",
        "reserve_space_1: U",
        "reserve_space_2: U",
        "reserve_space_3: U",
    ),
    attrs=(
        "T: {half, float, bfloat16}",
        "U: {float}",
        "epsilon: float = 0.0001",
        "exponential_avg_factor: float = 1.0",
        "num_side_inputs: int >= 0 = 0",
        "activation_mode: string = 'Identity'",
        "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
        "is_training: bool = true",
    ),
)
FusedBatchNormEx.shape_fn(_shape_function_of(FusedBatchNormV3))


@FusedBatchNormEx.kernel(
    "CPU", T=(dtypes.float16, dtypes.float32, dtypes.bfloat16), U=dtypes.float32
)
def _fused_batch_norm_ex_cpu(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *side_input: np.ndarray,
    epsilon: float,
    exponential_avg_factor: float,
    activation_mode: str,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, ...]:
    y, *statistics = fused_batch_norm_v3_cpu(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    epilogue = ["Add"] * len(side_input) + [activation_mode] * (activation_mode != "Identity")
    if epilogue:
        y = apply_epilogue(y, epilogue, side_input)
    return (y, *statistics)


FusedBatchNormEx.without_gradient(_NO_GRADIENT)
