"""Rows of exponentials, logarithms, powers and sigmoids."""

from __future__ import annotations

import numpy as np

from featherflow.ops.exponential_ops import (
    Exp,
    Expm1,
    Log,
    Log1p,
    Pow,
    Rsqrt,
    RsqrtGrad,
    Sigmoid,
    SigmoidGrad,
    Sqrt,
    SqrtGrad,
    Tanh,
    TanhGrad,
    Xdivy,
    Xlog1py,
    Xlogy,
)

from ..op_case import COMPLEX, FLOATS, SIGNED, Input, OpCase

VALUES = (Input(2, 3),)
POSITIVE = (Input(2, 3, low=0.3, high=3),)
GRADIENT_PAIR = (Input(4, low=0.3, high=2), Input(4))
SCALED = (Input(2, 3), Input(3, low=0.3, high=3))
TYPES = FLOATS + COMPLEX
ZEROS = np.array([0.0, 0.0, 2.0])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


CASES = [
    OpCase(Exp, VALUES, np.exp, TYPES),
    OpCase(Expm1, VALUES, np.expm1, TYPES),
    OpCase(Log, POSITIVE, np.log, TYPES),
    OpCase(Log1p, POSITIVE, np.log1p, TYPES),
    OpCase(Sqrt, POSITIVE, np.sqrt, TYPES),
    OpCase(SqrtGrad, GRADIENT_PAIR, lambda y, dy: dy * 0.5 / np.conj(y), TYPES),
    OpCase(Rsqrt, POSITIVE, lambda x: 1 / np.sqrt(x), TYPES),
    OpCase(RsqrtGrad, GRADIENT_PAIR, lambda y, dy: dy * -0.5 * np.conj(y) ** 3, TYPES),
    OpCase(Pow, (Input(2, 3, low=0.3, high=3), Input(3)), np.power, TYPES),
    OpCase(
        Pow,
        (Input(2, 3, low=-3, high=3), Input(3, low=0, high=3)),
        lambda x, y: x**y,
        SIGNED,
        label="integers",
    ),
    OpCase(Xlogy, SCALED, lambda x, y: x * np.log(y), TYPES),
    OpCase(Xlog1py, SCALED, lambda x, y: x * np.log1p(y), TYPES),
    OpCase(Xdivy, SCALED, lambda x, y: x / y, TYPES),
    OpCase(
        Xlogy,
        (ZEROS, np.array([0.0, 1.0, 3.0])),
        lambda x, y: np.array([0.0, 0.0, 2 * np.log(3.0)]),
        ("float64",),
        differentiable=False,
        empty_shapes=(),
        label="zeros",
    ),
    OpCase(
        Xlog1py,
        (ZEROS, np.array([-1.0, 1.0, 3.0])),
        lambda x, y: np.array([0.0, 0.0, 2 * np.log(4.0)]),
        ("float64",),
        differentiable=False,
        empty_shapes=(),
        label="zeros",
    ),
    OpCase(
        Xdivy,
        (ZEROS, np.array([0.0, 1.0, 4.0])),
        lambda x, y: np.array([0.0, 0.0, 0.5]),
        ("float64",),
        differentiable=False,
        empty_shapes=(),
        label="zeros",
    ),
    OpCase(Tanh, VALUES, np.tanh, TYPES),
    OpCase(TanhGrad, GRADIENT_PAIR, lambda y, dy: dy * (1 - np.conj(y) ** 2), TYPES),
    OpCase(Sigmoid, VALUES, sigmoid, TYPES),
    OpCase(SigmoidGrad, GRADIENT_PAIR, lambda y, dy: dy * np.conj(y) * (1 - np.conj(y)), TYPES),
]
