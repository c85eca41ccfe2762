"""Rows of sums, differences, products, quotients and remainders."""

from __future__ import annotations

import numpy as np

from featherflow.ops.add_n_ops import AccumulateNV2, AddN
from featherflow.ops.arithmetic_ops import (
    Add,
    AddV2,
    Mul,
    MulNoNan,
    Neg,
    Square,
    SquaredDifference,
    Sub,
)
from featherflow.ops.division_ops import (
    Div,
    DivNoNan,
    FloorDiv,
    FloorMod,
    Inv,
    InvGrad,
    Mod,
    RealDiv,
    Reciprocal,
    ReciprocalGrad,
    TruncateDiv,
    TruncateMod,
)

from ..op_case import COMPLEX, FLOATS, INTEGERS, NUMBERS, REAL, SIGNED, Input, OpCase

WIDE_INTEGERS = ("int32", "int64")
SMALL = {"low": 0, "high": 4}
PAIR = (Input(2, 3), Input(3))
INTEGER_PAIR = (Input(2, 3, low=-9, high=9), Input(3, low=1, high=4))
#: Divisors that stay away from 0, where quotients leave every tolerance.
QUOTIENT = (Input(2, 3), Input(2, 1, low=0.5, high=3))
ZERO_DIVISOR = (Input(4), np.array([1.0, 0.0, 2.0, 0.0]))


def wrapped(function):
    """Integers wrap around in their own width, of which NumPy warns."""
    return lambda *arrays: function(*arrays).astype(arrays[0].dtype)


def truncated_quotient(x, y):
    return np.trunc(x.astype(np.float64) / y.astype(np.float64)).astype(x.dtype)


CASES = [
    OpCase(Neg, (Input(2, 3),), np.negative, FLOATS + SIGNED + COMPLEX),
    OpCase(AddV2, PAIR, wrapped(np.add), NUMBERS),
    OpCase(AddV2, (Input(), Input()), np.add, label="scalars"),
    OpCase(AddV2, (Input(2, 1), Input(1, 3)), np.add, label="both_broadcast"),
    OpCase(AddV2, (Input(1, 3), Input(2, 3)), np.add, label="empty", empty_shapes=((1, 3), (0, 3))),
    OpCase(Add, PAIR, wrapped(np.add), (*FLOATS, *SIGNED, "uint8", *COMPLEX)),
    OpCase(Sub, PAIR, wrapped(np.subtract), NUMBERS),
    OpCase(Mul, PAIR, wrapped(np.multiply), NUMBERS),
    OpCase(Mul, (Input(4, 1, 3), Input(2, 1)), np.multiply, label="ranks"),
    OpCase(MulNoNan, PAIR, np.multiply, FLOATS + COMPLEX),
    OpCase(Square, (Input(2, 3),), wrapped(np.square), NUMBERS),
    OpCase(
        SquaredDifference,
        PAIR,
        lambda x, y: (np.conj(x - y) * (x - y)).astype(x.dtype),
        (*FLOATS, *WIDE_INTEGERS, *COMPLEX),
    ),
    OpCase(RealDiv, QUOTIENT, np.divide, FLOATS + COMPLEX),
    OpCase(Div, QUOTIENT, np.divide, FLOATS + COMPLEX),
    OpCase(Div, INTEGER_PAIR, truncated_quotient, INTEGERS, label="integers"),
    OpCase(DivNoNan, QUOTIENT, np.divide, FLOATS + COMPLEX),
    OpCase(
        DivNoNan,
        ZERO_DIVISOR,
        lambda x, y: np.where(y == 0, 0, x / y),
        ("float64",),
        label="zeros",
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(FloorDiv, QUOTIENT, lambda x, y: np.floor(x / y), ("float32", "float64")),
    OpCase(FloorDiv, INTEGER_PAIR, np.floor_divide, INTEGERS, label="integers"),
    OpCase(TruncateDiv, QUOTIENT, lambda x, y: np.trunc(x / y), ("float32", "float64")),
    OpCase(TruncateDiv, INTEGER_PAIR, truncated_quotient, INTEGERS, label="integers"),
    OpCase(FloorMod, QUOTIENT, np.remainder, ("float32", "float64")),
    OpCase(FloorMod, INTEGER_PAIR, np.remainder, INTEGERS, label="integers"),
    OpCase(Mod, QUOTIENT, np.fmod, ("float32", "float64")),
    OpCase(Mod, INTEGER_PAIR, np.fmod, WIDE_INTEGERS, label="integers"),
    OpCase(TruncateMod, QUOTIENT, np.fmod, ("float32", "float64")),
    OpCase(TruncateMod, INTEGER_PAIR, np.fmod, WIDE_INTEGERS, label="integers"),
    OpCase(Reciprocal, (Input(5, low=0.5, high=3),), np.reciprocal, FLOATS + COMPLEX),
    OpCase(Inv, (Input(5, low=0.5, high=3),), np.reciprocal, FLOATS + COMPLEX),
    OpCase(
        ReciprocalGrad, (Input(5), Input(5)), lambda y, dy: -dy * np.conj(y) ** 2, FLOATS + COMPLEX
    ),
    OpCase(InvGrad, (Input(5), Input(5)), lambda y, dy: -dy * np.conj(y) ** 2, FLOATS + COMPLEX),
    OpCase(
        AddN,
        ([Input(2, 3, **SMALL), Input(2, 3, **SMALL), Input(2, 3, **SMALL)],),
        lambda *inputs: sum(inputs).astype(inputs[0].dtype),
        NUMBERS,
    ),
    OpCase(AddN, ([Input(2)],), lambda only: only, label="one"),
    OpCase(
        AccumulateNV2,
        ([Input(2, 3), Input(2, 3)],),
        np.add,
        REAL[:4],
        attrs={"shape": [2, 3]},
        empty_shapes=(),
    ),
]
