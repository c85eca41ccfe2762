"""Rows of ops that few programs use."""

from __future__ import annotations

import numpy as np

from featherflow.ops.approximate_top_k_ops import ApproxTopK
from featherflow.ops.banded_solve_ops import BandedTriangularSolve
from featherflow.ops.data_format_ops import DataFormatDimMap, DataFormatVecPermute
from featherflow.ops.inplace_ops import InplaceAdd, InplaceSub, InplaceUpdate
from featherflow.ops.isotonic_ops import IsotonicRegression
from featherflow.ops.neighbor_ops import NearestNeighbors
from featherflow.ops.to_bool_ops import ToBool

from ..op_case import COMPLEX, NUMBERS, WIDE_FLOATS, Input, OpCase

ROWS = np.array([2, 0], np.int32)


def solved(bands, rhs):
    size = bands.shape[-1]
    matrix = np.zeros((size, size), bands.dtype)
    for k, band in enumerate(bands):
        for row in range(k, size):
            matrix[row, row - k] = band[row]
    return np.linalg.solve(matrix, rhs)


def changed(combine):
    def reference(x, rows, v):
        result = x.copy()
        for row, values in zip(rows, v):
            result[row] = combine(result[row], values)
        return result

    return reference


def isotonic(rows):
    values, blocks = zip(*map(isotonic_row, rows))
    return np.stack(values), np.stack(blocks)


def isotonic_row(x):
    """Each element is the least of the largest means: max over ends of min over starts."""
    size = len(x)
    means = [[x[a : b + 1].mean() if a <= b else 0 for b in range(size)] for a in range(size)]
    y = [min(max(means[a][b] for b in range(i, size)) for a in range(i + 1)) for i in range(size)]
    return np.array(y), np.cumsum(np.abs(np.diff(y, prepend=y[0])) > 1e-9)


def nearest(points, centers, k):
    distances = ((points[:, None] - centers) ** 2).sum(-1)
    places = np.argsort(distances, 1)[:, : int(k)]
    return places, np.take_along_axis(distances, places, 1)


def greatest(x):
    places = np.argsort(-x, 1)[:, :2]
    return np.take_along_axis(x, places, 1), places


CASES = [
    OpCase(
        BandedTriangularSolve,
        (Input(2, 3, low=1.0), Input(3, 2)),
        solved,
        WIDE_FLOATS + COMPLEX,
        empty_shapes=(),
    ),
    OpCase(
        DataFormatDimMap,
        (np.array([0, 1, -1]),),
        lambda x: np.array([0, 2, 1]),
        ("int64",),
        differentiable=False,
    ),
    OpCase(
        DataFormatVecPermute,
        (np.array([5, 6, 7, 8]),),
        lambda x: x[[0, 3, 1, 2]],
        ("int64",),
        differentiable=False,
    ),
    *(
        OpCase(
            op,
            (Input(3, 2), ROWS, Input(2, 2)),
            changed(combine),
            NUMBERS,
            differentiable=False,
            empty_shapes=(),
        )
        for op, combine in (
            (InplaceAdd, np.add),
            (InplaceSub, np.subtract),
            (InplaceUpdate, lambda _, values: values),
        )
    ),
    OpCase(
        IsotonicRegression,
        (Input(2, 6, distinct=True),),
        isotonic,
        attrs_of=lambda dtype: {"output_dtype": dtype},
        twice=False,
        empty_shapes=(),
    ),
    OpCase(
        ApproxTopK,
        (Input(2, 5, distinct=True),),
        greatest,
        ("float16", "bfloat16", "float32"),
        {"k": 2},
        empty_shapes=(),
    ),
    OpCase(
        NearestNeighbors,
        (Input(4, 3), Input(5, 3), np.array(2)),
        nearest,
        ("float32",),
        differentiable=False,
        empty_shapes=(),
        tolerances={"float32": 1e-5},
        reason="distances are differences of squares",
    ),
    OpCase(
        ToBool,
        (Input(2),),
        lambda x: np.array(True),
        NUMBERS,
        differentiable=False,
        empty_shapes=(),
    ),
]
