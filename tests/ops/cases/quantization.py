"""Rows of fake quantisation and of the ways from floats to quantised integers and back."""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.ops.fake_quant_ops import (
    FakeQuantWithMinMaxArgs,
    FakeQuantWithMinMaxArgsGradient,
    FakeQuantWithMinMaxVars,
    FakeQuantWithMinMaxVarsGradient,
    FakeQuantWithMinMaxVarsPerChannel,
    FakeQuantWithMinMaxVarsPerChannelGradient,
)
from featherflow.ops.quantize_and_dequantize_ops import (
    QuantizeAndDequantize,
    QuantizeAndDequantizeV2,
    QuantizeAndDequantizeV3,
    QuantizeAndDequantizeV4,
    QuantizeAndDequantizeV4Grad,
)
from featherflow.ops.quantize_ops import Dequantize, QuantizeV2

from ..op_case import WIDE_FLOATS, Input, OpCase

SINGLE = ("float32",)
#: [-3, 5] with 4 bits: 0 is level 6 of 15, so that the levels are -3.2, …, 0, …, 4.8.
LEVELS = {"min": -3.0, "max": 5.0, "num_bits": 4}
LOW, HIGH, STEP = np.float32(-3), np.float32(5), 8 / 15
ROUNDING = {"reason": "levels in float32", "tolerances": {"float32": 1e-5}}
VALUES = Input(4, 3, low=-6, high=6)


def levelled(x):
    return np.clip(np.floor(x / STEP + 0.5), -6, 9) * STEP


def within(gradient, x):
    return np.where((x >= -6 * STEP) & (x <= 9 * STEP), gradient, 0)


def to_bounds(gradient, x, axis=None):
    below = np.where(x < -6 * STEP, gradient, 0).sum(axis=axis)
    above = np.where(x > 9 * STEP, gradient, 0).sum(axis=axis)
    return within(gradient, x), below, above


def symmetric(x, *bounds):
    """8 bits, signed, the largest magnitude of all values on 127 or -128."""
    low, high = x.min(initial=0), x.max(initial=0)
    scale = min(-128 / low if low < 0 else np.inf, 127 / high if high > 0 else np.inf)
    return np.rint(x * scale) / scale if np.isfinite(scale) else x


CHANNELS = np.float32([-3, -3, -3]), np.float32([5, 5, 5])
BOTH_ATTRS = {"dtypes": WIDE_FLOATS, "differentiable": False, "empty_shapes": ((0, 3),)}
TIGHT = {"reason": "the scale is rounded", "tolerances": {"float32": 1e-5, "float64": 1e-12}}


def byte_values(x):
    """quint8 of [-1, 2] by MIN_COMBINED."""
    return np.floor((np.clip(x, -1, 2) + 1) * 85 + 0.5)


def quantized(x, low, high):
    integers = byte_values(x).astype(np.uint8).view(dtypes.quint8.numpy_dtype)
    return integers, np.float32(-1), np.float32(2)


BYTES = np.arange(0, 240, 20, np.uint8).reshape(3, 4).view(dtypes.quint8.numpy_dtype)

CASES = [
    OpCase(
        FakeQuantWithMinMaxArgs,
        (VALUES,),
        levelled,
        SINGLE,
        attrs=LEVELS,
        differentiable=False,
        **ROUNDING,
    ),
    OpCase(
        FakeQuantWithMinMaxArgsGradient,
        (Input(4, 3), VALUES),
        within,
        SINGLE,
        attrs=LEVELS,
        differentiable=False,
    ),
    OpCase(
        FakeQuantWithMinMaxVars,
        (VALUES, LOW, HIGH),
        lambda x, low, high: levelled(x),
        SINGLE,
        attrs={"num_bits": 4},
        differentiable=False,
        **ROUNDING,
    ),
    OpCase(
        FakeQuantWithMinMaxVarsGradient,
        (Input(4, 3), VALUES, LOW, HIGH),
        lambda gradient, x, low, high: to_bounds(gradient, x),
        SINGLE,
        attrs={"num_bits": 4},
        differentiable=False,
        **ROUNDING,
    ),
    OpCase(
        FakeQuantWithMinMaxVarsPerChannel,
        (VALUES, *CHANNELS),
        lambda x, low, high: levelled(x),
        SINGLE,
        attrs={"num_bits": 4},
        differentiable=False,
        empty_shapes=((0, 3),),
        **ROUNDING,
    ),
    OpCase(
        FakeQuantWithMinMaxVarsPerChannelGradient,
        (Input(4, 3), VALUES, *CHANNELS),
        lambda gradient, x, low, high: to_bounds(gradient, x, axis=0),
        SINGLE,
        attrs={"num_bits": 4},
        differentiable=False,
        empty_shapes=((0, 3), (0, 3)),
        **ROUNDING,
    ),
    OpCase(QuantizeAndDequantize, (VALUES,), symmetric, **BOTH_ATTRS, **TIGHT),
    OpCase(
        QuantizeAndDequantizeV2,
        (VALUES, Input(), Input()),
        symmetric,
        WIDE_FLOATS,
        differentiable=False,
        empty_shapes=((0, 3), (), ()),
        **TIGHT,
    ),
    OpCase(
        QuantizeAndDequantizeV3,
        (VALUES, Input(), Input(), np.int32(8)),
        symmetric,
        WIDE_FLOATS,
        attrs={"range_given": False},
        differentiable=False,
        empty_shapes=((0, 3), (), ()),
        **TIGHT,
    ),
    OpCase(
        QuantizeAndDequantizeV4,
        (VALUES, Input(), Input()),
        symmetric,
        WIDE_FLOATS,
        differentiable=False,
        empty_shapes=((0, 3), (), ()),
        **TIGHT,
    ),
    OpCase(
        QuantizeAndDequantizeV4Grad,
        (Input(4, 3), VALUES, Input(low=-3, high=-3), Input(low=2, high=2)),
        lambda gradient, x, low, high: (
            np.where((x >= low) & (x <= high), gradient, 0),
            np.zeros(()),
            np.zeros(()),
        ),
        WIDE_FLOATS,
        differentiable=False,
        empty_shapes=((0, 3), (0, 3), (), ()),
    ),
    OpCase(
        QuantizeV2,
        (VALUES, np.float32(-1), np.float32(2)),
        quantized,
        SINGLE,
        attrs={"T": dtypes.quint8},
        differentiable=False,
    ),
    OpCase(
        Dequantize,
        (BYTES, np.float32(-1), np.float32(2)),
        lambda q, low, high: q["quint8"] / 85 - 1,
        SINGLE,
        differentiable=False,
        empty_shapes=(),
        **ROUNDING,
    ),
]
