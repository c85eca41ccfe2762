"""Inverses, determinants and solutions of linear systems, over stacks of matrices."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.factorizations import adjoint, check_matrices, check_square

# Triangles up to this size are solved a row at a time; above it, most work is matrix products.
_SMALL_TRIANGLE = 16


def _not_invertible() -> InvalidArgumentError:
    return InvalidArgumentError(None, None, "Input is not invertible.")


def inverse(matrices: np.ndarray, is_adjoint: bool) -> np.ndarray:
    """A⁻¹, or A⁻ᴴ.

    Raises:
      InvalidArgumentError: a matrix is singular, or has NaN.
    """
    check_square(matrices)
    _refuse_nan(matrices)
    wide = matrices.astype(np.float32) if matrices.dtype == np.float16 else matrices
    try:
        result = np.linalg.inv(adjoint(wide) if is_adjoint else wide)
    except np.linalg.LinAlgError:
        raise _not_invertible() from None
    return np.ascontiguousarray(result.astype(matrices.dtype, copy=False))


def _refuse_nan(matrices: np.ndarray) -> None:
    if np.isnan(matrices).any():
        raise _not_invertible()


def determinant(matrices: np.ndarray) -> np.ndarray:
    """The determinant of each matrix, `[…]`."""
    check_square(matrices)
    return np.asarray(np.linalg.det(matrices))


def log_determinant(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """det A = sign · exp(logarithm), with both `[…]` and of the dtype of A.

    The sign is ±1, of absolute value 1 if A is complex, and 0 with the logarithm −∞ if A is
    singular.
    """
    check_square(matrices)
    sign, logarithm = np.linalg.slogdet(matrices)
    sign = np.where(np.isnan(logarithm), logarithm, sign)
    return np.asarray(sign), np.asarray(logarithm).astype(matrices.dtype, copy=False)


def solve(matrix: np.ndarray, rhs: np.ndarray, is_adjoint: bool) -> np.ndarray:
    """X with A X = B, or Aᴴ X = B.

    Args:
      matrix: A, `[…, M, M]`.
      rhs: B, `[…, M, K]`.
    Raises:
      InvalidArgumentError: sizes do not fit, or a matrix is singular or has NaN.
    """
    check_square(matrix)
    _check_right_side(matrix, rhs)
    _refuse_nan(matrix)
    try:
        return np.linalg.solve(adjoint(matrix) if is_adjoint else matrix, rhs)
    except np.linalg.LinAlgError:
        raise _not_invertible() from None


def _check_right_side(matrix: np.ndarray, rhs: np.ndarray, broadcast: bool = False) -> None:
    fits = rhs.ndim >= 2 and matrix.shape[-2] == rhs.shape[-2]
    if not fits or not (broadcast or matrix.shape[:-2] == rhs.shape[:-2]):
        raise InvalidArgumentError(
            None,
            None,
            "Input matrix and rhs are incompatible",
            received=f"matrix {list(matrix.shape)} and rhs {list(rhs.shape)}",
            expected="as many rows of rhs as of matrix, and leading sizes that fit",
        )


# --- triangles ------------------------------------------------------------------------------------


def triangular_solve(
    matrix: np.ndarray, rhs: np.ndarray, lower: bool, is_adjoint: bool
) -> np.ndarray:
    """X with A X = B, or Aᴴ X = B, where only one triangle of A is read.

    Args:
      matrix: A, `[…, M, M]`.
      rhs: B, `[…, M, K]`; leading dimensions broadcast.
    Raises:
      InvalidArgumentError: sizes do not fit.
    """
    check_square(matrix)
    _check_right_side(matrix, rhs, broadcast=True)
    if is_adjoint:
        matrix, lower = adjoint(matrix), not lower
    try:
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            "Leading dimensions of matrix and rhs do not broadcast",
            received=f"matrix {list(matrix.shape)} and rhs {list(rhs.shape)}",
        ) from None
    solution = np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])).copy()
    if lower:
        _substitute(matrix, solution)
    else:  # An upper triangle read backwards is a lower one.
        _substitute(matrix[..., ::-1, ::-1], solution[..., ::-1, :])
    return solution


def _substitute(lower: np.ndarray, solution: np.ndarray) -> None:
    """Turns the right side in `solution` into L⁻¹ of it, halves first."""
    size = lower.shape[-1]
    if size > _SMALL_TRIANGLE:
        half = size // 2
        _substitute(lower[..., :half, :half], solution[..., :half, :])
        solution[..., half:, :] -= lower[..., half:, :half] @ solution[..., :half, :]
        _substitute(lower[..., half:, half:], solution[..., half:, :])
        return
    for row in range(size):
        known = lower[..., row, None, :row] @ solution[..., :row, :]
        solution[..., row, :] -= known[..., 0, :]
        solution[..., row, :] /= lower[..., row, row, None]


# --- least squares --------------------------------------------------------------------------------


def least_squares(
    matrix: np.ndarray, rhs: np.ndarray, l2_regularizer: np.ndarray, fast: bool
) -> np.ndarray:
    """X that makes ‖A X − B‖² + λ ‖X‖² least; the one of least norm where there are several.

    Args:
      matrix: A, `[…, M, N]`.
      rhs: B, `[…, M, K]`.
      l2_regularizer: λ ≥ 0, a scalar.
      fast: by the normal equations; else by an orthogonal factorisation that also solves matrices
        of deficient rank, without λ.
    Returns:
      `[…, N, K]`.
    Raises:
      InvalidArgumentError: sizes do not fit, λ < 0, or (if fast) the rank is deficient.
    """
    check_matrices(matrix)
    _check_right_side(matrix, rhs)
    if l2_regularizer.ndim or not l2_regularizer >= 0:
        raise InvalidArgumentError(
            None,
            None,
            "l2_regularizer must be a scalar of 0 or more",
            received=f"{l2_regularizer.tolist()}",
        )
    rows, columns = matrix.shape[-2:]
    shape = (*matrix.shape[:-2], columns, rhs.shape[-1])
    if 0 in (rows, columns, *shape):
        return np.zeros(shape, matrix.dtype)
    if fast:
        return _by_normal_equations(matrix, rhs, float(l2_regularizer))
    flat = zip(matrix.reshape(-1, rows, columns), rhs.reshape(-1, *rhs.shape[-2:]))
    return np.stack([np.linalg.lstsq(a, b, rcond=None)[0] for a, b in flat]).reshape(shape)


def _by_normal_equations(matrix: np.ndarray, rhs: np.ndarray, weight: float) -> np.ndarray:
    is_tall = matrix.shape[-2] >= matrix.shape[-1]
    conjugate = adjoint(matrix)
    gram = conjugate @ matrix if is_tall else matrix @ conjugate
    gram = gram + matrix.dtype.type(weight) * np.eye(gram.shape[-1], dtype=matrix.dtype)
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        raise InvalidArgumentError(
            None,
            None,
            "Input matrix was rank deficient or ill-conditioned",
            remedy="Set fast=False, or give a larger l2_regularizer > 0.",
        ) from None
    half = triangular_solve(factor, conjugate @ rhs if is_tall else rhs, True, False)
    whole = triangular_solve(factor, half, True, True)
    return whole if is_tall else np.matmul(conjugate, whole)
