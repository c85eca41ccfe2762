"""Rows of matrix products and other ops of vectors."""

from __future__ import annotations

import numpy as np

from featherflow.ops.l2_loss_ops import L2Loss
from featherflow.ops.matmul_ops import (
    BatchMatMul,
    BatchMatMulV2,
    BatchMatMulV3,
    MatMul,
    SparseMatMul,
)
from featherflow.ops.vector_ops import Cross, LinSpace

from ..op_case import COMPLEX, FLOATS, REAL, WIDE_FLOATS, Input, OpCase

MATRIX_TYPES = (*FLOATS, "int32", "int64", *COMPLEX)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def matmul_rows():
    for a in (False, True):
        for b in (False, True):
            yield OpCase(
                MatMul,
                (Input(3, 2) if a else Input(2, 3), Input(4, 3) if b else Input(3, 4)),
                lambda x, y, a=a, b=b: (x.T if a else x) @ (y.T if b else y),
                MATRIX_TYPES if a == b else WIDE_FLOATS,
                attrs={"transpose_a": a, "transpose_b": b},
                empty_shapes=((3, 0) if a else (0, 3), (4, 3) if b else (3, 4)),
                label=f"{int(a)}{int(b)}",
            )


def batch_rows(op, left, right, types):
    for adj_x in (False, True):
        for adj_y in (False, True):
            x = (*left, 3, 2) if adj_x else (*left, 2, 3)
            y = (*right, 4, 3) if adj_y else (*right, 3, 4)
            yield OpCase(
                op,
                (Input(*x), Input(*y)),
                lambda x, y, a=adj_x, b=adj_y: (adjoint(x) if a else x) @ (adjoint(y) if b else y),
                types if adj_x == adj_y else ("float64", "complex128"),
                attrs={"adj_x": adj_x, "adj_y": adj_y},
                empty_shapes=((0, *x[1:]), (0, *y[1:])),
                label=f"{int(adj_x)}{int(adj_y)}",
            )


CASES = [
    *matmul_rows(),
    OpCase(
        MatMul,
        (Input(2, 0), Input(0, 3)),
        lambda a, b: np.zeros((2, 3)),
        empty_shapes=(),
        label="inner_size_0",
    ),
    *batch_rows(BatchMatMul, (5,), (5,), MATRIX_TYPES),
    *batch_rows(BatchMatMulV2, (5, 1), (1, 2), MATRIX_TYPES),
    OpCase(
        BatchMatMulV3,
        (Input(2, 3, low=-9, high=9, dtype="int8"), Input(3, 4, low=0, high=9, dtype="uint8")),
        lambda x, y: x.astype(np.int32) @ y.astype(np.int32),
        ("int32",),
        attrs={"Tout": "int32"},
        empty_shapes=((0, 3), (3, 4)),
    ),
    OpCase(
        BatchMatMulV3,
        (Input(5, 2, 3), Input(3, 4)),
        np.matmul,
        ("float64",),
        attrs={"Tout": "float64"},
        empty_shapes=((0, 2, 3), (3, 4)),
        label="floats",
    ),
    OpCase(
        SparseMatMul,
        (Input(2, 3), Input(3, 4)),
        np.matmul,
        ("float32", "bfloat16"),
        attrs={"a_is_sparse": True},
        empty_shapes=((0, 3), (3, 4)),
    ),
    OpCase(
        Cross,
        (Input(4, 3, low=0, high=9), Input(4, 3, low=0, high=9)),
        lambda a, b: np.cross(a, b).astype(a.dtype),
        REAL,
    ),
    OpCase(
        LinSpace,
        (Input(), Input(), np.array(5, np.int32)),
        lambda start, stop, num: np.linspace(start, stop, num),
        FLOATS,
        empty_shapes=(),
    ),
    OpCase(L2Loss, (Input(2, 3),), lambda t: np.sum(t * t) / 2, FLOATS),
]
