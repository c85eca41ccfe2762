"""Rows of batch normalization and local response normalization."""

from __future__ import annotations

import numpy as np

from featherflow.ops.batch_norm_ops import (
    FusedBatchNorm,
    FusedBatchNormGrad,
    FusedBatchNormGradV2,
    FusedBatchNormGradV3,
    FusedBatchNormV2,
    FusedBatchNormV3,
)
from featherflow.ops.global_batch_norm_ops import (
    BatchNormWithGlobalNormalization,
    BatchNormWithGlobalNormalizationGrad,
)
from featherflow.ops.lrn_ops import LRN, LRNGrad

from ..op_case import FLOATS, HALVES, Input, OpCase

EPSILON = 0.125
TRAINING = {"epsilon": EPSILON}
INFERENCE = {"epsilon": EPSILON, "is_training": False}
FIRST = {**INFERENCE, "data_format": "NCHW"}
RUNNING = {"epsilon": EPSILON, "exponential_avg_factor": 0.25}
SMALL_FLOATS = (*HALVES, "float32")

IMAGE = Input(2, 3, 2, 2)
VECTOR = Input(2, dtype="float32")
POSITIVE = Input(2, low=0.5, high=2, dtype="float32")
NO_STATISTICS = np.zeros(0, np.float32)
EMPTY = ((0, 3, 2, 2), (2,), (2,), (2,), (2,))
SUMS = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
WHY = "statistics are sums in another order, and squares of them"


def inference(x, scale, offset, mean, variance):
    y = scale * (x - mean) / np.sqrt(variance + EPSILON) + offset
    return y, mean, variance, mean, variance


def training(x, scale, offset, mean, variance, factor=1.0):
    rows = x.reshape(-1, 2)
    batch_mean, batch_variance = rows.mean(0), rows.var(0)
    y = inference(x, scale, offset, batch_mean, batch_variance)[0]
    unbiased = rows.var(0, ddof=1)
    if factor == 1:
        return y, batch_mean, unbiased, batch_mean, batch_variance
    mixed = ((1 - factor) * mean + factor * batch_mean, (1 - factor) * variance + factor * unbiased)
    return y, *mixed, batch_mean, batch_variance


def running(*inputs):
    return training(*inputs, factor=0.25)


def gradients(y_gradient, x, scale, mean, variance, *_, is_training=True):
    inverse = 1 / np.sqrt(variance + EPSILON)
    normalized = (x - mean) * inverse
    axes = (0, 1, 2)
    along_x = y_gradient
    if is_training:
        along_x = (
            y_gradient - y_gradient.mean(axes) - normalized * (y_gradient * normalized).mean(axes)
        )
    nothing = np.zeros(0)
    sums = (y_gradient * normalized).sum(axes), y_gradient.sum(axes)
    return scale * inverse * along_x, *sums, nothing, nothing


def gradients_of_inference(*inputs):
    return gradients(*inputs, is_training=False)


def with_reserve(function):
    """The outputs of the third version: one more, empty on the CPU."""
    return lambda *inputs: (*function(*inputs), np.zeros(0))


def channels_first(function):
    def reference(x, *vectors):
        y, *rest = function(np.moveaxis(x, 1, -1), *vectors)
        return np.moveaxis(y, -1, 1), *rest

    return reference


def fused_rows(op, dtypes, adapt=lambda function: function):
    statistics = (VECTOR, POSITIVE)
    common = {"tolerances": SUMS, "reason": WHY}
    given = (IMAGE, POSITIVE, VECTOR)
    return [
        OpCase(
            op,
            (*given, NO_STATISTICS, NO_STATISTICS),
            adapt(training),
            dtypes,
            attrs=TRAINING,
            empty_shapes=(),
            **common,
        ),
        OpCase(
            op,
            (*given, *statistics),
            adapt(running),
            dtypes,
            attrs=RUNNING,
            empty_shapes=(),
            label="running",
            **common,
        ),
        OpCase(
            op,
            (*given, *statistics),
            adapt(inference),
            dtypes,
            attrs=INFERENCE,
            empty_shapes=EMPTY,
            label="inference",
            **common,
        ),
        OpCase(
            op,
            (Input(2, 2, 3, 2), *given[1:], *statistics),
            adapt(channels_first(inference)),
            dtypes,
            attrs=FIRST,
            empty_shapes=((2, 0, 3, 2), (0,), (0,), (0,), (0,)),
            label="channels_first",
            **common,
        ),
    ]


def gradient_rows(op, dtypes, extra=()):
    inputs = (IMAGE, IMAGE, POSITIVE, VECTOR, POSITIVE, *extra)
    common = {"tolerances": SUMS, "reason": WHY}
    empty = (EMPTY[0], *EMPTY)
    return [
        OpCase(op, inputs, gradients, dtypes, attrs=TRAINING, empty_shapes=(), **common),
        OpCase(
            op,
            inputs,
            gradients_of_inference,
            dtypes,
            attrs=INFERENCE,
            empty_shapes=empty[:5],
            label="inference",
            **common,
        ),
    ]


def globally(t, mean, variance, offset, scale):
    return (t - mean) / np.sqrt(variance + EPSILON) * scale + offset


def global_gradients(t, mean, variance, scale, gradient):
    found = gradients(gradient, t, scale, mean, variance, is_training=False)
    inverse = 1 / np.sqrt(variance + EPSILON)
    along_mean = -scale * inverse * found[2]
    along_variance = -scale * inverse**2 * found[1] / 2
    return found[0], along_mean, along_variance, found[2], found[1]


GLOBAL = {"variance_epsilon": EPSILON, "scale_after_normalization": True}
RESPONSE = {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}


def neighbours(values):
    padded = np.pad(values, [(0, 0)] * 3 + [(1, 1)])
    return padded[..., :-2] + padded[..., 1:-1] + padded[..., 2:]


def response(x):
    return x / (2 + 0.5 * neighbours(x**2)) ** 0.75


def response_gradient(gradient, x, y):
    norm = 2 + 0.5 * neighbours(x**2)
    return gradient * norm**-0.75 - 0.75 * x * neighbours(gradient * y / norm)


CASES = [
    *fused_rows(FusedBatchNorm, ("float32",)),
    *fused_rows(FusedBatchNormV2, SMALL_FLOATS),
    *fused_rows(FusedBatchNormV3, SMALL_FLOATS, with_reserve),
    *gradient_rows(FusedBatchNormGrad, ("float32",)),
    *gradient_rows(FusedBatchNormGradV2, SMALL_FLOATS),
    *gradient_rows(FusedBatchNormGradV3, SMALL_FLOATS, (NO_STATISTICS,)),
    OpCase(
        BatchNormWithGlobalNormalization,
        (IMAGE, Input(2), Input(2, low=0.5), Input(2), Input(2)),
        globally,
        FLOATS,
        attrs=GLOBAL,
        twice=False,
        empty_shapes=EMPTY,
    ),
    OpCase(
        BatchNormWithGlobalNormalization,
        (IMAGE, Input(2), Input(2, low=0.5), Input(2), Input(2)),
        lambda *inputs: globally(*inputs[:-1], 1),
        attrs={**GLOBAL, "scale_after_normalization": False},
        twice=False,
        label="unscaled",
    ),
    OpCase(
        BatchNormWithGlobalNormalizationGrad,
        (IMAGE, Input(2), Input(2, low=0.5), Input(2), IMAGE),
        global_gradients,
        FLOATS,
        attrs=GLOBAL,
        empty_shapes=(EMPTY[0], (2,), (2,), (2,), EMPTY[0]),
        tolerances=SUMS,
        reason=WHY,
    ),
    OpCase(LRN, (Input(1, 2, 1, 4),), response, SMALL_FLOATS, attrs=RESPONSE),
    OpCase(
        LRNGrad,
        (Input(1, 2, 1, 4), Input(1, 2, 1, 4), Input(1, 2, 1, 4)),
        response_gradient,
        SMALL_FLOATS,
        attrs=RESPONSE,
    ),
]
