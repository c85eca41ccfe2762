"""Rows of activations and the ops of their gradients."""

from __future__ import annotations

import numpy as np

from featherflow.ops.activation_ops import (
    Elu,
    EluGrad,
    LeakyRelu,
    LeakyReluGrad,
    Relu,
    Relu6,
    Relu6Grad,
    ReluGrad,
    Selu,
    SeluGrad,
    Softplus,
    SoftplusGrad,
    Softsign,
    SoftsignGrad,
)

from ..op_case import FLOATS, REAL, Input, OpCase

VALUES = (Input(3, 4, low=-3, high=9),)
#: Gradients, and values that are not where a derivative jumps.
PAIR = (Input(3, 4), Input(3, 4, low=-3, high=9, distinct=True))
LEAKY = {"alpha": 0.25}
SCALE = 1.0507009873554805
SCALE_ALPHA = 1.7580993408473768


def below(x, negative, positive):
    """`negative` where x < 0, else `positive`."""
    return np.where(x < 0, negative, positive)


def negative_part(x):
    return np.expm1(np.minimum(x, 0))


CASES = [
    OpCase(Relu, VALUES, lambda x: np.maximum(x, 0), REAL),
    OpCase(ReluGrad, PAIR, lambda g, x: g * (x > 0), REAL),
    OpCase(Relu6, VALUES, lambda x: np.clip(x, 0, 6), REAL),
    OpCase(Relu6Grad, PAIR, lambda g, x: g * ((x > 0) & (x < 6)), REAL),
    OpCase(LeakyRelu, VALUES, lambda x: below(x, 0.25 * x, x), FLOATS, LEAKY),
    OpCase(LeakyReluGrad, PAIR, lambda g, x: below(x, 0.25 * g, g), FLOATS, LEAKY),
    OpCase(Elu, VALUES, lambda x: below(x, negative_part(x), x), FLOATS),
    OpCase(EluGrad, PAIR, lambda g, y: below(y, g * (y + 1), g), FLOATS),
    OpCase(Selu, VALUES, lambda x: below(x, SCALE_ALPHA * negative_part(x), SCALE * x), FLOATS),
    OpCase(SeluGrad, PAIR, lambda g, y: below(y, g * (y + SCALE_ALPHA), SCALE * g), FLOATS),
    OpCase(Softplus, VALUES, lambda x: np.logaddexp(x, 0), FLOATS),
    OpCase(SoftplusGrad, PAIR, lambda g, x: g / (1 + np.exp(-x)), FLOATS),
    OpCase(Softsign, VALUES, lambda x: x / (1 + np.abs(x)), FLOATS),
    OpCase(SoftsignGrad, PAIR, lambda g, x: g / (1 + np.abs(x)) ** 2, FLOATS),
]
