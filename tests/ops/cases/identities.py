"""Rows of ops that pass their input on, of constants and of shapes."""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.tensor_shape import TensorShape
from featherflow.ops.check_numerics_ops import CheckNumerics, CheckNumericsV2
from featherflow.ops.constant_ops import Const
from featherflow.ops.fill_ops import Empty, Fill, OnesLike, ZerosLike
from featherflow.ops.identity_ops import (
    DeepCopy,
    EnsureShape,
    GuaranteeConst,
    Identity,
    IdentityN,
    PreventGradient,
    Snapshot,
    StopGradient,
)
from featherflow.ops.placeholder_ops import PlaceholderWithDefault
from featherflow.ops.range_ops import Range
from featherflow.ops.shape_ops import BroadcastGradientArgs, Rank, Shape, ShapeN, Size

from ..op_case import FLOATS, INTEGERS, NUMBERS, WIDE_FLOATS, Input, OpCase

MATRIX = Input(2, 3)
WORDS = np.array([[b"a", b""], [b"\x00", "naïve".encode()]], dtype=object)
ANY = (*NUMBERS, "bool")


def same(x):
    return x


def sizes(*arrays):
    return tuple(np.array(array.shape) for array in arrays)


CASES = [
    *(
        OpCase(op, (MATRIX,), same, ANY)
        for op in (Identity, Snapshot, DeepCopy, GuaranteeConst, StopGradient)
    ),
    *(
        OpCase(op, (WORDS,), same, ("string",), label="strings")
        for op in (Identity, Snapshot, DeepCopy)
    ),
    # That it refuses gradients is tested in test_array_api.py.
    OpCase(PreventGradient, (MATRIX,), same, ANY, {"message": "no"}, differentiable=False),
    OpCase(IdentityN, ([MATRIX, Input(3, dtype="int32")],), lambda x, y: (x, y)),
    OpCase(EnsureShape, (MATRIX,), same, ANY, {"shape": TensorShape([None, 3])}),
    OpCase(CheckNumerics, (MATRIX,), same, FLOATS, {"message": "x"}),
    OpCase(CheckNumericsV2, (MATRIX,), same, FLOATS, {"message": "x"}),
    OpCase(PlaceholderWithDefault, (MATRIX,), same, ANY, {"shape": TensorShape([None, 3])}),
    OpCase(
        Const,
        (),
        lambda: np.array([[1.5, 2]]),
        ("float32",),
        {"value": np.array([[1.5, 2]], np.float32), "dtype": dtypes.float32},
        empty_shapes=(),
    ),
    # --- shapes -------------------------------------------------------------------------------
    OpCase(Shape, (MATRIX,), lambda x: np.array(x.shape), ANY),
    OpCase(
        Shape,
        (Input(),),
        lambda x: np.array([], np.int64),
        attrs={"out_type": dtypes.int64},
        label="scalar",
    ),
    OpCase(ShapeN, ([MATRIX, Input(4)],), sizes, ANY, {"out_type": dtypes.int64}),
    OpCase(Size, (MATRIX,), lambda x: np.array(x.size), ANY),
    OpCase(
        Size, (MATRIX,), lambda x: np.array(x.size), attrs={"out_type": dtypes.int64}, label="64"
    ),
    OpCase(Rank, (MATRIX,), lambda x: np.array(x.ndim), ANY),
    *(
        OpCase(
            BroadcastGradientArgs,
            (np.array(left, np.int32), np.array(right, np.int32)),
            lambda *_, expected=expected: tuple(np.array(axes, np.int32) for axes in expected),
            ("int32",),
            label=f"{left}{right}",
        )
        for left, right, expected in (
            ([2, 3], [2, 3], ([], [])),
            ([2, 3], [3], ([], [0])),
            ([1, 3], [2, 1], ([0], [1])),
            ([1, 1], [1, 3], ([0, 1], [0])),
            ([], [2], ([0], [])),
        )
    ),
    # --- tensors of one value -----------------------------------------------------------------
    OpCase(ZerosLike, (MATRIX,), np.zeros_like, ANY),
    OpCase(ZerosLike, (WORDS,), lambda x: np.full((2, 2), b"", object), ("string",), label="text"),
    OpCase(OnesLike, (MATRIX,), np.ones_like, ANY),
    OpCase(Fill, (np.array([2, 3], np.int32), Input()), lambda dims, x: np.full((2, 3), x), ANY),
    OpCase(Fill, (np.array([], np.int64), Input()), lambda dims, x: x, label="scalar"),
    OpCase(
        Empty,
        (np.array([2, 0], np.int32),),
        lambda dims: np.zeros((2, 0)),
        ("float32",),
        {"dtype": dtypes.float32, "init": True},
    ),
    # --- ranges -------------------------------------------------------------------------------
    *(
        OpCase(
            Range,
            tuple(np.array(end, np.int64) for end in ends),
            lambda *ends: np.arange(*(end.item() for end in ends)),
            ("int64",),
            label=str(ends),
        )
        for ends in ((0, 5, 1), (3, 18, 4), (5, -3, -2), (2, 2, 1))
    ),
    *(
        OpCase(
            Range,
            (
                np.array(0, np.dtype(kind)),
                np.array(7, np.dtype(kind)),
                np.array(2, np.dtype(kind)),
            ),
            lambda *_: np.arange(0, 7, 2),
            (kind,),
            label=kind,
        )
        for kind in (*INTEGERS, *WIDE_FLOATS)
        if kind not in ("int64", "uint8")
    ),
]
