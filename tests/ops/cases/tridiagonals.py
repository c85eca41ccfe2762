"""Rows of ops of tridiagonal matrices."""

from __future__ import annotations

import numpy as np

from featherflow.ops.tridiagonal_ops import TridiagonalMatMul, TridiagonalSolve

from ..op_case import COMPLEX, WIDE_FLOATS, Input, OpCase

TYPES = (*WIDE_FLOATS, *COMPLEX)


def dense(above, middle, below):
    """The matrices of diagonals `[…, M]`, each element in the row where it stands."""
    size = middle.shape[-1]
    matrices = np.zeros((*middle.shape, size), middle.dtype)
    rows = np.arange(size)
    matrices[..., rows, rows] = middle
    matrices[..., rows[:-1], rows[1:]] = above[..., :-1]
    matrices[..., rows[1:], rows[:-1]] = below[..., 1:]
    return matrices


def product(above, middle, below, rhs):
    return dense(*(part[..., 0, :] for part in (above, middle, below))) @ rhs


def solution(diagonals, rhs):
    return np.linalg.solve(dense(*np.moveaxis(diagonals, -2, 0)), rhs)


CASES = [
    OpCase(
        TridiagonalMatMul,
        (*(Input(2, 1, 5) for _ in range(3)), Input(2, 5, 3)),
        product,
        TYPES,
        empty_shapes=(*((0, 1, 5) for _ in range(3)), (0, 5, 3)),
    ),
    *(
        OpCase(
            TridiagonalSolve,
            (Input(4, 3, size), Input(4, size, 2)),
            solution,
            TYPES if pivoting else ("float64",),
            attrs={"partial_pivoting": pivoting},
            tolerances={"float32": 1e-3, "complex64": 1e-3, "float64": 1e-10, "complex128": 1e-10},
            reason="errors grow with the condition of the random matrices",
            empty_shapes=((0, 3, size), (0, size, 2)),
            label=f"{'pivots' if pivoting else 'as_is'}_{size}",
        )
        for pivoting in (True, False)
        for size in (1, 2, 6)
    ),
]
