"""Rows of rounding, signs, extrema, clipping and choices."""

from __future__ import annotations

import numpy as np

from featherflow.ops.clip_ops import ClipByValue
from featherflow.ops.extremum_ops import Maximum, Minimum
from featherflow.ops.magnitude_ops import Abs, Sign
from featherflow.ops.rounding_ops import Ceil, Floor, NextAfter, Rint, Round
from featherflow.ops.select_ops import Select, SelectV2

from ..op_case import COMPLEX, FLOATS, NUMBERS, REAL, SIGNED, WIDE_FLOATS, Input, OpCase

WIDE = Input(2, 3, low=-9, high=9)
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
SPREAD = Input(3, 4, low=-20, high=20, distinct=True)
FLAGS = Input(3, 1, dtype="bool")


def sign(x):
    return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))


CASES = [
    OpCase(Floor, (WIDE,), np.floor, FLOATS),
    OpCase(Ceil, (WIDE,), np.ceil, FLOATS),
    OpCase(Rint, (WIDE,), np.rint, FLOATS),
    OpCase(Round, (WIDE,), np.round, FLOATS + SIGNED),
    OpCase(
        Round,
        (HALVES,),
        lambda x: np.array([-2.0, -2, -0.0, 0, 2, 2]),
        ("float64",),
        differentiable=False,
        empty_shapes=(),
        label="halves",
    ),
    OpCase(
        NextAfter,
        (Input(2, 3), Input(3)),
        # The reference gets doubles: only the test's own dtype steps as far.
        np.nextafter,
        ("float64",),
    ),
    OpCase(Abs, (SPREAD,), np.abs, FLOATS + SIGNED),
    OpCase(Sign, (SPREAD,), np.sign, FLOATS + SIGNED),
    OpCase(Sign, (Input(4),), sign, COMPLEX, differentiable=False, label="complex"),
    OpCase(Maximum, (SPREAD, Input(4, low=-15, high=15, distinct=True)), np.maximum, REAL),
    OpCase(Minimum, (SPREAD, Input(4, low=-15, high=15, distinct=True)), np.minimum, REAL),
    OpCase(
        Maximum,
        (np.array([np.nan, 1.0, np.inf]), np.array([1.0, np.nan, -np.inf])),
        np.maximum,
        differentiable=False,
        empty_shapes=(),
        label="nan",
    ),
    OpCase(
        ClipByValue,
        (SPREAD, Input(low=-12, high=-8), Input(low=8, high=12)),
        lambda x, low, high: np.maximum(np.minimum(x, high), low),
        FLOATS + SIGNED,
        empty_shapes=((0, 4), (), ()),
    ),
    OpCase(
        ClipByValue,
        (SPREAD, Input(3, 4, low=-12, high=-8), Input(3, 4, low=8, high=12)),
        lambda x, low, high: np.maximum(np.minimum(x, high), low),
        label="bounds_per_element",
    ),
    OpCase(SelectV2, (FLAGS, Input(3, 4), Input(4)), np.where, (*NUMBERS, "bool")),
    OpCase(
        SelectV2, (Input(dtype="bool"), Input(), Input()), np.where, WIDE_FLOATS, label="scalars"
    ),
    OpCase(Select, (Input(3, 4, dtype="bool"), Input(3, 4), Input(3, 4)), np.where, NUMBERS),
    OpCase(
        Select,
        (Input(3, dtype="bool"), Input(3, 4), Input(3, 4)),
        lambda c, t, e: np.where(c[:, None], t, e),
        empty_shapes=((0,), (0, 4), (0, 4)),
        label="rows",
    ),
    OpCase(
        Select,
        (Input(dtype="bool"), Input(3, 4), Input(3, 4)),
        np.where,
        empty_shapes=((), (0, 4), (0, 4)),
        label="scalar_condition",
    ),
]
