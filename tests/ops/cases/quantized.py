"""Rows of arithmetic on quantised tensors.

Ranges are chosen so that the integer that stands for 0 is known: 0 for [0, 255], 128 for
[-128, 127].
"""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.ops.quantized_array_ops import (
    QuantizedConcat,
    QuantizedConcatV2,
    QuantizedReshape,
)
from featherflow.ops.quantized_math_ops import (
    QuantizedAdd,
    QuantizedBiasAdd,
    QuantizedMatMul,
    QuantizedMul,
    QuantizedRelu,
    QuantizedRelu6,
    QuantizedReluX,
)
from featherflow.ops.quantized_nn_ops import (
    QuantizedAvgPool,
    QuantizedBatchNormWithGlobalNormalization,
    QuantizedConv2D,
    QuantizedInstanceNorm,
    QuantizedMaxPool,
)
from featherflow.ops.requantize_ops import (
    QuantizeDownAndShrinkRange,
    RequantizationRange,
    RequantizationRangePerChannel,
    Requantize,
    RequantizePerChannel,
)

from ..op_case import OpCase

QINT8, QUINT8, QINT32 = dtypes.qint8, dtypes.quint8, dtypes.qint32
ZERO, TOP = np.float32(0), np.float32(255)
MIDDLE = np.float32(-128), np.float32(127)
#: What products of bytes with steps of 1 span in int32.
SPAN = np.float32(-(2**31)), np.float32(2**31)
ONE_DTYPE = {"dtypes": ("float32",), "differentiable": False, "empty_shapes": ()}
NEAR = {"reason": "ranges are float32", "tolerances": {"float32": 1e-6}}


def of(dtype, *shape, seed=0):
    """Random integers of a quantised dtype."""
    stored = dtype.numpy_dtype[0]
    limits = np.iinfo(stored)
    random = np.random.default_rng(seed)
    low, high = (0, 2**20) if dtype is QINT32 else (limits.min, limits.max + 1)
    return random.integers(low, high, shape).astype(stored).view(dtype.numpy_dtype)


def plain(array):
    return array.view(array.dtype[0]).astype(np.int64)


def back(integers, dtype):
    return np.asarray(integers).astype(dtype.numpy_dtype[0]).view(dtype.numpy_dtype)


def product(x, y, *bounds):
    return back(plain(x) * (plain(y) - 128), QINT32), *SPAN


def total(x, y, *bounds):
    """A sum in a range of 2^14 times 255: 2^32 steps over twice that."""
    reach = np.float32(255 * 2**14)
    steps = 2**32 / (2 * float(reach)) * (1 - 2.0**-32)
    first, second = (np.round(np.arange(2) * steps), np.round((np.arange(2) - 128) * steps))
    terms = [ends[0] + plain(q) * (ends[1] - ends[0]) for q, ends in ((x, first), (y, second))]
    return back(terms[0] + terms[1], QINT32), -reach, reach


def biased(x, y, *bounds):
    """As `total`, in float32: either end of the range is 128 steps off."""
    reach = np.float32(255 * 2**17)
    steps = 2**32 / (2 * float(reach)) * (1 - 2.0**-32)
    terms = np.round(plain(x) * steps) - 128, np.round((plain(y) - 128) * steps) - 128
    return back(terms[0] + terms[1], QINT32), -reach, reach


def multiplied(a, b, *bounds):
    return back(plain(a) @ (plain(b) - 128), QINT32), *SPAN


def rectified(features, low, high):
    return back(np.maximum(plain(features), 128), QUINT8), low, high


def capped(features, *bounds):
    return back(np.clip(plain(features), 128, 134), QUINT8), *MIDDLE


def pooled(reduce):
    def reference(image, low, high):
        windows = np.lib.stride_tricks.sliding_window_view(plain(image), (2, 2), axis=(1, 2))
        return back(np.trunc(reduce(windows, axis=(-2, -1))), QUINT8), low, high

    return reference


def convolved(image, filters, *bounds):
    """With filters of one place, and stride 1."""
    return back(plain(image) @ (plain(filters)[0, 0] - 128), QINT32), *SPAN


def normalized(*inputs):
    """With variances of 1, means of 0, scales of 1 and offsets of 0: the input itself."""
    return back(plain(inputs[0]) * 2048, QINT32), np.float32(-(2**20)), np.float32(2**20)


def instance_normalized(x, low, high):
    values = plain(x) - 0.0
    centred = values - values.mean((1, 2), keepdims=True)
    y = centred / np.sqrt((centred**2).mean((1, 2), keepdims=True) + 1e-5)
    steps = 255 / (y.max() - y.min())
    return back(np.round(y * steps) - np.round(y.min() * steps), QUINT8), y.min(), y.max()


def narrowed(q, *bounds):
    """int32 of [-2^31, 2^31] to bytes of [0, 2^20]."""
    return back(np.floor(plain(q) * 255 / 2**20 + 0.5), QUINT8), np.float32(0), np.float32(2**20)


def used(q, low, high):
    return np.float32(0), np.float32(plain(q).max() + 0.5)


def by_channel(q, *bounds):
    return back(np.rint(plain(q) * 255 / 2**20), QUINT8), np.float32(0), np.float32(2**20)


WIDE = np.full(3, -(2.0**31), np.float32), np.full(3, 2.0**31, np.float32)
WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
FIXED_RANGE = (np.float32(0), np.float32(2**20))


def constant_bytes(value, *shape):
    return back(np.full(shape, value), QUINT8)


NORMAL_INPUTS = (
    of(QUINT8, 2, 2, 3, 2),
    ZERO,
    TOP,
    constant_bytes(0, 2),
    ZERO,
    TOP,
    constant_bytes(1, 2),
    ZERO,
    TOP,
    constant_bytes(0, 2),
    ZERO,
    TOP,
    constant_bytes(1, 2),
    ZERO,
    TOP,
)

CASES = [
    OpCase(
        QuantizedMul,
        (of(QUINT8, 3, 4), of(QUINT8, 4, seed=1), ZERO, TOP, *MIDDLE),
        product,
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedAdd,
        (of(QUINT8, 3, 4), of(QUINT8, 4, seed=1), ZERO, TOP, *MIDDLE),
        total,
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedBiasAdd,
        (of(QUINT8, 3, 4), of(QUINT8, 4, seed=1), ZERO, TOP, *MIDDLE),
        biased,
        attrs={"out_type": QINT32},
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedMatMul,
        (of(QUINT8, 3, 4), of(QUINT8, 4, 2, seed=1), ZERO, TOP, *MIDDLE),
        multiplied,
        **ONE_DTYPE,
    ),
    OpCase(QuantizedRelu, (of(QUINT8, 3, 4), *MIDDLE), rectified, **ONE_DTYPE),
    OpCase(QuantizedRelu6, (of(QUINT8, 3, 4), *MIDDLE), capped, **ONE_DTYPE),
    OpCase(QuantizedReluX, (of(QUINT8, 3, 4), np.float32(6), *MIDDLE), capped, **ONE_DTYPE),
    OpCase(
        QuantizedAvgPool,
        (of(QUINT8, 1, 3, 4, 2), ZERO, TOP),
        pooled(np.mean),
        attrs=WINDOWS,
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedMaxPool,
        (of(QUINT8, 1, 3, 4, 2), ZERO, TOP),
        pooled(np.max),
        attrs=WINDOWS,
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedConv2D,
        (of(QUINT8, 1, 3, 4, 2), of(QUINT8, 1, 1, 2, 3), ZERO, TOP, *MIDDLE),
        convolved,
        attrs={"strides": [1, 1, 1, 1], "padding": "SAME"},
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedBatchNormWithGlobalNormalization,
        NORMAL_INPUTS,
        normalized,
        attrs={
            "out_type": QINT32,
            "variance_epsilon": 0.0,
            "scale_after_normalization": True,
        },
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedInstanceNorm,
        (of(QUINT8, 1, 3, 4, 2), ZERO, TOP),
        instance_normalized,
        **ONE_DTYPE,
        **NEAR,
    ),
    OpCase(
        QuantizedReshape,
        (of(QUINT8, 3, 4), np.int32([2, 6]), ZERO, TOP),
        lambda q, shape, low, high: (q.reshape(2, 6), low, high),
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedConcat,
        (
            np.int32(1),
            [of(QUINT8, 2, 3), of(QUINT8, 2, 2)],
            [ZERO, ZERO],
            [TOP, TOP],
        ),
        lambda axis, x, y, *bounds: (np.concatenate([x, y], 1), ZERO, TOP),
        **ONE_DTYPE,
    ),
    OpCase(
        QuantizedConcatV2,
        (
            [of(QUINT8, 2, 3), of(QUINT8, 2, 2)],
            np.int32(1),
            [ZERO, ZERO],
            [TOP, TOP],
        ),
        lambda x, y, axis, *bounds: (np.concatenate([x, y], 1), ZERO, TOP),
        **ONE_DTYPE,
    ),
    OpCase(
        Requantize,
        (of(QINT32, 3, 4), *SPAN, *FIXED_RANGE),
        narrowed,
        attrs={"out_type": QUINT8},
        **ONE_DTYPE,
    ),
    OpCase(
        RequantizationRange,
        (of(QINT32, 3, 4), *SPAN),
        used,
        **ONE_DTYPE,
        **NEAR,
    ),
    OpCase(
        QuantizeDownAndShrinkRange,
        (back([0, 3 * 2**18, 2**20], QINT32), *SPAN),
        lambda q, low, high: (back([0, 191, 255], QUINT8), np.float32(0), np.float32(2**20)),
        attrs={"out_type": QUINT8},
        **ONE_DTYPE,
        **NEAR,
    ),
    OpCase(
        RequantizePerChannel,
        (of(QINT32, 1, 2, 2, 3), *WIDE, *FIXED_RANGE),
        by_channel,
        attrs={"out_type": QUINT8},
        **ONE_DTYPE,
    ),
    OpCase(
        RequantizationRangePerChannel,
        (of(QINT32, 1, 2, 2, 3), *WIDE),
        lambda q, low, high: (np.float32(0), np.float32(plain(q).max())),
        attrs={"clip_value_max": 1e9},
        **ONE_DTYPE,
    ),
]
