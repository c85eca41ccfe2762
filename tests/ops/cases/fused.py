"""Rows of fused ops: each is its plain op, followed by what is fused to it."""

from __future__ import annotations

from math import erf

import numpy as np

from featherflow.ops.fused_ops import (
    FusedBatchNormEx,
    FusedConv2D,
    FusedDepthwiseConv2dNative,
    FusedMatMul,
)

from ..op_case import HALVES, Input, OpCase
from .convolutions import convolved, depthwise
from .normalization import EPSILON, IMAGE, POSITIVE, SUMS, VECTOR, WHY, inference, with_reserve

GEOMETRY = {"strides": [1, 1, 2, 1], "padding": "VALID", "epsilon": EPSILON}
FIRST = {**GEOMETRY, "strides": [1, 1, 1, 2], "data_format": "NCHW"}
PICTURE, FILTER, BIAS = Input(2, 3, 4, 2), Input(2, 3, 2, 3), Input(3)
STATISTICS = (Input(3), Input(3), Input(3), Input(3, low=0.5))
ALPHA = {"leakyrelu_alpha": 0.25}

ACTIVATIONS = {
    "Relu": lambda x: np.maximum(x, 0),
    "Relu6": lambda x: np.clip(x, 0, 6),
    "Elu": lambda x: np.where(x < 0, np.exp(x) - 1, x),
    "LeakyRelu": lambda x: np.where(x < 0, x * 0.25, x),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "GeluExact": lambda x: x * (1 + np.vectorize(erf, [float])(x / np.sqrt(2))) / 2,
    "GeluApproximate": lambda x: x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2,
}


def normalized(values, scale, offset, mean, variance):
    return scale * (values - mean) / np.sqrt(variance + EPSILON) + offset


def conv_row(fused_ops, arguments, epilogue, label, dtypes=("float32", "float64"), empty=None):
    return OpCase(
        FusedConv2D,
        (PICTURE, FILTER, list(arguments), []),
        lambda image, filters, *args: epilogue(convolved()(image, filters), *args),
        dtypes,
        attrs={**GEOMETRY, **ALPHA, "num_args": len(arguments), "fused_ops": fused_ops},
        attrs_of=lambda dtype: {"TArgs": [dtype] * len(arguments)},
        empty_shapes=empty or ((0, 3, 4, 2), *(item.shape for item in (FILTER, *arguments))),
        label=label,
    )


def channels_first(image, filters, bias):
    output = convolved()(np.moveaxis(image, 1, -1), filters) + bias
    return np.moveaxis(output, -1, 1)


CASES = [
    conv_row(
        ["BiasAdd"], [BIAS], lambda x, bias: x + bias, "bias", ("float16", "float32", "float64")
    ),
    conv_row(["Relu"], [BIAS], lambda x, _: np.maximum(x, 0), "relu"),
    conv_row(
        ["BiasAdd", "Add", "Relu"],
        [BIAS, Input(2, 2, 1, 3)],
        lambda x, bias, other: np.maximum(x + bias + other, 0),
        "sum",
        empty=((0, 3, 4, 2), FILTER.shape, BIAS.shape, (0, 2, 1, 3)),
    ),
    conv_row(
        ["FusedBatchNorm", "LeakyRelu"],
        STATISTICS,
        lambda x, *args: ACTIVATIONS["LeakyRelu"](normalized(x, *args)),
        "batch_norm",
    ),
    OpCase(
        FusedConv2D,
        (Input(2, 2, 3, 4), FILTER, [BIAS], []),
        channels_first,
        attrs={**FIRST, "num_args": 1, "fused_ops": ["BiasAdd"]},
        attrs_of=lambda dtype: {"TArgs": [dtype]},
        label="channels_first",
    ),
    OpCase(
        FusedDepthwiseConv2dNative,
        (PICTURE, Input(2, 3, 2, 2), [Input(4)]),
        lambda image, filters, bias: np.clip(depthwise()(image, filters) + bias, 0, 6),
        attrs={**GEOMETRY, "fused_ops": ["BiasAdd", "Relu6"]},
    ),
    *(
        OpCase(
            FusedMatMul,
            (Input(2, 3), Input(3, 4), [Input(4)]),
            lambda a, b, bias, f=activation: f(a @ b + bias),
            (*HALVES, "float32"),
            attrs={**ALPHA, "fused_ops": ["BiasAdd", name]},
            empty_shapes=((0, 3), (3, 4), (4,)),
            tolerances={"bfloat16": 6e-2, "float16": 6e-3, "float32": 1e-5},
            reason="the product is rounded before the bias is added",
            label=name,
        )
        for name, activation in ACTIVATIONS.items()
    ),
    OpCase(
        FusedMatMul,
        (Input(3, 2), Input(4, 3), [Input(4)]),
        lambda a, b, bias: a.T @ b.T + bias,
        ("float32",),
        attrs={"fused_ops": ["BiasAdd"], "transpose_a": True, "transpose_b": True},
        label="transposed",
    ),
    OpCase(
        FusedBatchNormEx,
        (IMAGE, POSITIVE, VECTOR, VECTOR, POSITIVE, [IMAGE]),
        lambda x, scale, offset, mean, variance, other: with_reserve(
            lambda *inputs: (
                np.maximum(inference(*inputs)[0] + other, 0),
                *inference(*inputs)[1:],
            )
        )(x, scale, offset, mean, variance),
        (*HALVES, "float32"),
        attrs={"epsilon": EPSILON, "is_training": False, "activation_mode": "Relu"},
        tolerances=SUMS,
        reason=WHY,
    ),
    OpCase(
        FusedBatchNormEx,
        (IMAGE, POSITIVE, VECTOR, VECTOR, POSITIVE, []),
        with_reserve(inference),
        ("float32",),
        attrs={"epsilon": EPSILON, "is_training": False},
        tolerances=SUMS,
        reason=WHY,
        label="identity",
    ),
]
