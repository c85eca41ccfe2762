"""Rows of trigonometric and hyperbolic functions."""

from __future__ import annotations

import numpy as np

from featherflow.ops.trigonometric_ops import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atan2,
    Atanh,
    Cos,
    Cosh,
    Sin,
    Sinh,
    Tan,
)

from ..op_case import COMPLEX, FLOATS, Input, OpCase

TYPES = FLOATS + COMPLEX
VALUES = (Input(2, 3),)
SMALL = (Input(2, 3, low=-0.8, high=0.8),)
ABOVE_ONE = (Input(2, 3, low=1.2, high=4),)

CASES = [
    OpCase(Sin, VALUES, np.sin, TYPES),
    OpCase(Cos, VALUES, np.cos, TYPES),
    OpCase(Tan, SMALL, np.tan, TYPES),
    OpCase(Asin, SMALL, np.arcsin, TYPES),
    OpCase(Acos, SMALL, np.arccos, TYPES),
    OpCase(Atan, SMALL, np.arctan, TYPES),
    OpCase(Atan2, (Input(2, 3, low=0.2), Input(3)), np.arctan2, FLOATS),
    OpCase(Sinh, VALUES, np.sinh, TYPES),
    OpCase(Cosh, VALUES, np.cosh, TYPES),
    OpCase(Asinh, SMALL, np.arcsinh, TYPES),
    OpCase(Acosh, ABOVE_ONE, np.arccosh, TYPES),
    OpCase(Atanh, SMALL, np.arctanh, TYPES),
]
