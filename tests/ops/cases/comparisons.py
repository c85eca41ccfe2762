"""Rows of comparisons, logic and bits."""

from __future__ import annotations

import numpy as np

from featherflow.ops.bitwise_ops import (
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Invert,
    LeftShift,
    PopulationCount,
    RightShift,
)
from featherflow.ops.comparison_ops import (
    ApproximateEqual,
    Equal,
    Greater,
    GreaterEqual,
    IsFinite,
    IsInf,
    IsNan,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    NotEqual,
)

from ..op_case import FLOATS, INTEGERS, NUMBERS, REAL, Input, OpCase

PAIR = (Input(3, 4, low=-2, high=2), Input(4, low=-2, high=2))
FLAGS = (Input(3, 4, dtype="bool"), Input(4, dtype="bool"))
BITS = (Input(3, 4, low=0, high=100), Input(4, low=0, high=100))
SHIFTS = (Input(3, 4, low=0, high=100), Input(4, low=0, high=3))
SPECIAL = (np.array([np.nan, np.inf, -np.inf, 0.0, 1.5]),)


def population_count(x):
    mask = 2 ** (8 * x.dtype.itemsize) - 1
    return np.array([bin(int(item) & mask).count("1") for item in x.reshape(-1)]).reshape(x.shape)


CASES = [
    OpCase(Less, PAIR, np.less, REAL),
    OpCase(LessEqual, PAIR, np.less_equal, REAL),
    OpCase(Greater, PAIR, np.greater, REAL),
    OpCase(GreaterEqual, PAIR, np.greater_equal, REAL),
    OpCase(Equal, PAIR, np.equal, (*NUMBERS, "bool")),
    OpCase(NotEqual, PAIR, np.not_equal, (*NUMBERS, "bool")),
    OpCase(
        Equal,
        (Input(2, 3), Input(2)),
        lambda x, y: np.array(False),
        attrs={"incompatible_shape_error": False},
        empty_shapes=(),
        label="of_other_shapes",
    ),
    OpCase(
        NotEqual,
        (Input(2, 3), Input(2)),
        lambda x, y: np.array(True),
        attrs={"incompatible_shape_error": False},
        empty_shapes=(),
        label="of_other_shapes",
    ),
    OpCase(
        ApproximateEqual,
        (np.array([1.0, 2.0, 3.0]), np.array([1.05, 2.2, 3.0])),
        lambda x, y: np.array([True, False, True]),
        attrs={"tolerance": 0.1},
        empty_shapes=(),
    ),
    OpCase(IsNan, SPECIAL, np.isnan, empty_shapes=()),
    OpCase(IsInf, SPECIAL, np.isinf, empty_shapes=()),
    OpCase(IsFinite, SPECIAL, np.isfinite, empty_shapes=()),
    OpCase(IsFinite, (Input(3),), np.isfinite, FLOATS, label="values"),
    OpCase(LogicalAnd, FLAGS, np.logical_and, ("bool",)),
    OpCase(LogicalOr, FLAGS, np.logical_or, ("bool",)),
    OpCase(LogicalNot, FLAGS[:1], np.logical_not, ("bool",)),
    OpCase(BitwiseAnd, BITS, np.bitwise_and, INTEGERS),
    OpCase(BitwiseOr, BITS, np.bitwise_or, INTEGERS),
    OpCase(BitwiseXor, BITS, np.bitwise_xor, INTEGERS),
    OpCase(Invert, BITS[:1], np.invert, INTEGERS),
    OpCase(LeftShift, SHIFTS, np.left_shift, INTEGERS),
    OpCase(RightShift, SHIFTS, np.right_shift, INTEGERS),
    OpCase(
        LeftShift,
        (np.array([1, 1, 1], np.int32), np.array([31, 99, -5], np.int32)),
        lambda x, y: np.array([-(2**31), -(2**31), 1]),
        ("int32",),
        empty_shapes=(),
        label="distances_out_of_range",
    ),
    OpCase(PopulationCount, (Input(5, low=-50, high=50),), population_count, INTEGERS),
]
