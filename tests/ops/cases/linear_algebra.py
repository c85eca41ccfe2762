"""Rows of factorisations, solves, determinants, eigenvalues and functions of matrices."""

from __future__ import annotations

import numpy as np

from featherflow.ops.cholesky_ops import Cholesky, CholeskyGrad
from featherflow.ops.determinant_ops import LogMatrixDeterminant, MatrixDeterminant
from featherflow.ops.eigen_ops import Eig, SelfAdjointEigV2
from featherflow.ops.least_squares_ops import MatrixSolveLs
from featherflow.ops.lu_ops import Lu
from featherflow.ops.matrix_function_ops import MatrixLogarithm, MatrixSquareRoot
from featherflow.ops.qr_ops import Qr
from featherflow.ops.solve_ops import MatrixInverse, MatrixSolve, MatrixTriangularSolve
from featherflow.ops.svd_ops import Svd

from ..op_case import COMPLEX, WIDE_FLOATS, Input, OpCase

TYPES = (*WIDE_FLOATS, *COMPLEX)
MATRICES = Input(2, 3, 3)
CONDITION = "errors grow with the condition of the random matrices"
LOOSE = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-11, "complex128": 1e-11}


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def spectrum(low, high):
    """Matrices with real eigenvalues between the bounds, the same ones in every run."""
    random = np.random.default_rng(11)
    vectors = random.uniform(-1, 1, (2, 3, 3)) + 2 * np.eye(3)
    values = random.uniform(low, high, (2, 1, 3))
    return vectors * values @ np.linalg.inv(vectors)


def square_roots(matrices):
    values, vectors = np.linalg.eig(matrices)
    return (vectors * np.sqrt(values)[..., None, :]) @ np.linalg.inv(vectors)


def logarithms(matrices):
    values, vectors = np.linalg.eig(matrices)
    return (vectors * np.log(values)[..., None, :]) @ np.linalg.inv(vectors)


def least_squares(matrix, rhs, weight):
    rows, columns = matrix.shape[-2:]
    if rows < columns:
        gram = matrix @ adjoint(matrix) + weight * np.eye(rows)
        return adjoint(matrix) @ np.linalg.solve(gram, rhs)
    gram = adjoint(matrix) @ matrix + weight * np.eye(columns)
    return np.linalg.solve(gram, adjoint(matrix) @ rhs)


def svd(matrices, full):
    u, s, vh = np.linalg.svd(matrices, full)
    return s, u, adjoint(vh)


def symmetric_gradient(factor, grad):
    """L⁻ᵀ φ(Lᵀ ∂L) L⁻¹ made symmetric, with φ the lower triangle and half its diagonal."""
    inner = np.tril(factor.T @ np.tril(grad))
    inner -= np.diag(np.diag(inner)) / 2
    inverse = np.linalg.inv(factor)
    whole = inverse.T @ inner @ inverse
    return (whole + whole.T) / 2


def triangle_rows():
    for lower in (False, True):
        for is_adjoint in (False, True):
            part = np.tril if lower else np.triu

            def reference(matrix, rhs, part=part, is_adjoint=is_adjoint):
                triangle = part(matrix)
                return np.linalg.solve(adjoint(triangle) if is_adjoint else triangle, rhs)

            yield OpCase(
                MatrixTriangularSolve,
                (Input(2, 1, 3, 3, low=0.5, high=2), Input(4, 3, 2)),
                reference,
                TYPES,
                attrs={"lower": lower, "adjoint": is_adjoint},
                tolerances=LOOSE,
                reason=CONDITION,
                empty_shapes=((0, 3, 3), (3, 2)),
                label=f"{int(lower)}{int(is_adjoint)}",
            )


def least_squares_rows():
    for label, rows, columns in (("tall", 4, 2), ("wide", 2, 4), ("square", 3, 3)):
        for fast in (True, False):
            weight = 0.5 if fast else 0.0
            yield OpCase(
                MatrixSolveLs,
                (Input(2, rows, columns), Input(2, rows, 2), np.array(weight)),
                least_squares,
                TYPES,
                attrs={"fast": fast},
                tolerances=LOOSE,
                reason=CONDITION,
                differentiable=False,  # along the regulariser; test_linear_algebra.py has the rest
                empty_shapes=((0, rows, columns), (0, rows, 2)),
                label=f"{label}_{'fast' if fast else 'slow'}",
            )


CASES = [
    OpCase(
        Cholesky,
        (spectrum(1, 2) @ adjoint(spectrum(1, 2)),),
        np.linalg.cholesky,
        ("float64",),
        differentiable=False,  # along self-adjoint directions only: test_linear_algebra.py
    ),
    OpCase(
        CholeskyGrad,
        (np.linalg.cholesky(np.eye(3) + 1), np.arange(9.0).reshape(3, 3)),
        symmetric_gradient,
        ("float64",),
    ),
    *(
        OpCase(
            MatrixInverse,
            (MATRICES,),
            lambda x, a=is_adjoint: np.linalg.inv(adjoint(x) if a else x),
            TYPES,
            attrs={"adjoint": is_adjoint},
            tolerances=LOOSE,
            reason=CONDITION,
            label="adjoint" if is_adjoint else "",
        )
        for is_adjoint in (False, True)
    ),
    *(
        OpCase(
            MatrixSolve,
            (MATRICES, Input(2, 3, 2)),
            lambda a, b, is_adjoint=is_adjoint: np.linalg.solve(adjoint(a) if is_adjoint else a, b),
            TYPES,
            attrs={"adjoint": is_adjoint},
            tolerances=LOOSE,
            reason=CONDITION,
            empty_shapes=((0, 3, 3), (0, 3, 2)),
            label="adjoint" if is_adjoint else "",
        )
        for is_adjoint in (False, True)
    ),
    *triangle_rows(),
    *least_squares_rows(),
    OpCase(
        MatrixDeterminant,
        (MATRICES,),
        np.linalg.det,
        TYPES,
        tolerances=LOOSE,
        reason=CONDITION,
    ),
    OpCase(
        LogMatrixDeterminant,
        (MATRICES,),
        lambda x: tuple(np.linalg.slogdet(x)),
        TYPES,
        tolerances=LOOSE,
        reason=CONDITION,
    ),
    *(
        OpCase(
            Qr,
            (Input(2, rows, columns),),
            lambda x, mode=mode: tuple(np.linalg.qr(x, mode)),
            TYPES,
            attrs={"full_matrices": mode == "complete"},
            tolerances=LOOSE,
            reason=CONDITION,
            differentiable=mode == "reduced",
            label=f"{mode}_{rows}{columns}",
        )
        for mode in ("reduced", "complete")
        for rows, columns in ((3, 3), (4, 2), (2, 4))
    ),
    OpCase(
        Svd,
        (Input(2, 4, 3),),
        lambda x: (np.linalg.svd(x, compute_uv=False), np.empty(0), np.empty(0)),
        TYPES,
        attrs={"compute_uv": False},
        tolerances=LOOSE,
        reason=CONDITION,
        label="values",
    ),
    *(
        OpCase(
            Svd,
            (Input(2, rows, columns),),
            lambda x, full=full: svd(x, full),
            ("float64",),
            attrs={"full_matrices": full},
            tolerances=LOOSE,
            reason=CONDITION,
            differentiable=not full,
            label=f"{'full' if full else 'thin'}_{rows}{columns}",
        )
        for full in (False, True)
        for rows, columns in ((3, 3), (4, 2), (2, 4))
    ),
    OpCase(
        SelfAdjointEigV2,
        (MATRICES,),
        lambda x: tuple(np.linalg.eigh(x)),
        ("float64",),
        tolerances=LOOSE,
        reason=CONDITION,
    ),
    OpCase(
        SelfAdjointEigV2,
        (MATRICES,),
        lambda x: (np.linalg.eigvalsh(x), np.empty(0)),
        TYPES,
        attrs={"compute_v": False},
        tolerances=LOOSE,
        reason=CONDITION,
        label="values",
    ),
    OpCase(
        Eig,
        (spectrum(1, 4),),
        lambda x: tuple(np.linalg.eig(x)),
        ("float64",),
        attrs={"Tout": "complex128"},
        tolerances=LOOSE,
        reason=CONDITION,
    ),
    OpCase(
        Eig,
        (MATRICES,),
        lambda x: (np.linalg.eigvals(x), np.empty(0)),
        ("float64", "complex128"),
        attrs={"Tout": "complex128", "compute_v": False},
        tolerances=LOOSE,
        reason=CONDITION,
        label="values",
    ),
    OpCase(
        Lu,
        (np.array([[[1.0, 2.0], [4.0, 2.0]], [[2.0, 1.0], [0.0, 3.0]]]),),
        lambda x: (
            np.array([[[4.0, 2.0], [0.25, 1.5]], [[2.0, 1.0], [0.0, 3.0]]]),
            np.array([[1, 0], [0, 1]], np.int64),
        ),
        ("float64",),
        attrs={"output_idx_type": "int64"},
    ),
    OpCase(
        MatrixSquareRoot,
        (spectrum(0.5, 4),),
        square_roots,
        ("float64",),
        tolerances=LOOSE,
        reason=CONDITION,
    ),
    OpCase(
        MatrixSquareRoot,
        (Input(2, 3, 3),),
        square_roots,
        COMPLEX,
        tolerances=LOOSE,
        reason=CONDITION,
        label="complex",
    ),
    OpCase(
        MatrixLogarithm,
        (Input(2, 3, 3),),
        logarithms,
        COMPLEX,
        tolerances=LOOSE,
        reason=CONDITION,
    ),
]
