"""Factorisations of stacks of matrices: Cholesky, QR, LU, singular values, eigenvalues, Schur."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.allocation import check_allocation


def adjoint(matrices: np.ndarray) -> np.ndarray:
    """The conjugate transpose of each matrix, `[…, M, N]` to `[…, N, M]`."""
    swapped = matrices.swapaxes(-1, -2)
    return swapped.conj() if matrices.dtype.kind == "c" else swapped


def check_matrices(matrices: np.ndarray) -> None:
    """Refuses tensors of rank below 2."""
    if matrices.ndim < 2:
        raise InvalidArgumentError(
            None,
            None,
            "Input tensor must be a matrix or a stack of matrices",
            received=f"shape {list(matrices.shape)}",
            expected="rank 2 or more",
        )


def check_square(matrices: np.ndarray) -> None:
    """Refuses what is not a matrix as wide as it is high, or a stack of such."""
    check_matrices(matrices)
    if matrices.shape[-1] != matrices.shape[-2]:
        raise InvalidArgumentError(
            None,
            None,
            "Input matrix must be square",
            received=f"shape {list(matrices.shape)}",
            expected="equal sizes of the last two dimensions",
        )


# --- Cholesky -------------------------------------------------------------------------------------


def cholesky(matrices: np.ndarray) -> np.ndarray:
    """Lower triangular L with L Lᴴ = A, reading the lower triangle of A only.

    A matrix that is not positive definite has a triangle of NaN; the others of its stack are not
    touched by it.
    """
    check_square(matrices)
    try:
        return np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        flat = matrices.reshape(-1, *matrices.shape[-2:])
        return np.stack([_cholesky_or_nan(matrix) for matrix in flat]).reshape(matrices.shape)


def _cholesky_or_nan(matrix: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(matrix, np.nan))


# --- QR -------------------------------------------------------------------------------------------


def qr(matrices: np.ndarray, full_matrices: bool) -> tuple[np.ndarray, np.ndarray]:
    """Unitary Q and upper triangular R with Q R = A, by Householder reflections.

    Returns:
      Q `[…, M, K]` and R `[…, K, N]`, where K is M with `full_matrices`, else min(M, N).
    """
    check_matrices(matrices)
    if full_matrices:
        check_allocation((*matrices.shape[:-1], matrices.shape[-2]), matrices.dtype)
    if not matrices.size:
        return _qr_of_nothing(matrices, full_matrices)
    narrow = matrices.dtype == np.float16
    wide = matrices.astype(np.float32) if narrow else matrices
    q, r = np.linalg.qr(wide, "complete" if full_matrices else "reduced")
    q, r = (part.astype(matrices.dtype, copy=False) for part in (q, r))
    return np.ascontiguousarray(q), np.ascontiguousarray(r)


def _qr_of_nothing(matrices: np.ndarray, full_matrices: bool) -> tuple[np.ndarray, np.ndarray]:
    *batch, rows, columns = matrices.shape
    inner = rows if full_matrices else min(rows, columns)
    q = np.broadcast_to(np.eye(rows, inner, dtype=matrices.dtype), (*batch, rows, inner))
    return np.ascontiguousarray(q), np.zeros((*batch, inner, columns), matrices.dtype)


# --- LU -------------------------------------------------------------------------------------------


def lu(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L U = A[p]: A with its rows in the order p, by elimination with partial pivoting.

    All matrices of the stack are eliminated together, a column at a time.

    Returns:
      L below the diagonal (its own is 1) and U in one array `[…, M, M]`, and p `[…, M]`.
    Raises:
      InvalidArgumentError: a pivot is 0 or NaN.
    """
    check_square(matrices)
    size = matrices.shape[-1]
    packed = matrices.reshape(-1, size, size).copy()
    order = np.tile(np.arange(size), (len(packed), 1))
    stack = np.arange(len(packed))
    for step in range(size):
        pivot = step + np.argmax(np.abs(packed[:, step:, step]), axis=1)
        for rows in (packed, order):
            rows[stack, step], rows[stack, pivot] = rows[stack, pivot], rows[stack, step].copy()
        head = packed[:, step, step]
        if not np.all(np.abs(head) > 0):
            raise InvalidArgumentError(None, None, "Input is not invertible.")
        packed[:, step + 1 :, step] /= head[:, None]
        packed[:, step + 1 :, step + 1 :] -= (
            packed[:, step + 1 :, step, None] * packed[:, step, None, step + 1 :]
        )
    return packed.reshape(matrices.shape), order.reshape(matrices.shape[:-1])


# --- singular values ------------------------------------------------------------------------------


def svd(matrices: np.ndarray, full_matrices: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U diag(s) Vᴴ = A, with s descending and real, though of the dtype of A.

    Returns:
      s `[…, P]`, U `[…, M, P]` and V `[…, N, P]` with P = min(M, N); with `full_matrices` U is
      `[…, M, M]` and V `[…, N, N]`. All are NaN for a matrix with numbers that are not finite.
    """
    check_matrices(matrices)
    if full_matrices:
        *batch, rows, columns = matrices.shape
        check_allocation((*batch, rows, rows), matrices.dtype)
        check_allocation((*batch, columns, columns), matrices.dtype)
    finite, is_broken = _finite_only(matrices)
    u, s, vh = np.linalg.svd(finite, full_matrices)
    v = np.ascontiguousarray(adjoint(vh))
    for part, inner in ((s, 1), (u, 2), (v, 2)):
        _spoil(part, is_broken, inner)
    return s.astype(matrices.dtype, copy=False), np.ascontiguousarray(u), v


def singular_values(matrices: np.ndarray) -> np.ndarray:
    """The singular values of each matrix, descending, `[…, min(M, N)]`, of the dtype of A."""
    check_matrices(matrices)
    finite, is_broken = _finite_only(matrices)
    s = np.asarray(np.linalg.svd(finite, compute_uv=False))
    _spoil(s, is_broken, 1)
    return s.astype(matrices.dtype, copy=False)


def _finite_only(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matrices, zeros for those that are not finite (LAPACK refuses them), and which are."""
    is_broken = np.asarray(~np.isfinite(matrices).all(axis=(-2, -1)))
    if not is_broken.any():
        return matrices, is_broken
    return np.where(is_broken[..., None, None], matrices.dtype.type(0), matrices), is_broken


def _spoil(part: np.ndarray, is_broken: np.ndarray, inner: int) -> None:
    if is_broken.any():
        part[is_broken.reshape(is_broken.shape + (1,) * inner) & np.ones(part.shape, bool)] = np.nan


# --- eigenvalues ----------------------------------------------------------------------------------


def self_adjoint_eigen(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A v = e v for self-adjoint matrices, of which the lower triangle is read.

    Returns:
      e `[…, M]`, ascending and real, though of the dtype of A, and v `[…, M, M]`, in columns.
    Raises:
      InvalidArgumentError: a matrix has numbers that are not finite.
    """
    check_square(matrices)
    _check_finite(np.tril(matrices))
    values, vectors = np.linalg.eigh(matrices, "L")
    return values.astype(matrices.dtype, copy=False), np.ascontiguousarray(vectors)


def eigen(matrices: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """A v = e v for any square matrices; e and the columns of v are complex, of `dtype`.

    Raises:
      InvalidArgumentError: a matrix has numbers that are not finite.
    """
    check_square(matrices)
    _check_finite(matrices)
    values, vectors = np.linalg.eig(matrices)
    return values.astype(dtype, copy=False), np.ascontiguousarray(vectors.astype(dtype, copy=False))


def _check_finite(matrices: np.ndarray) -> None:
    if not np.isfinite(matrices).all():
        raise InvalidArgumentError(
            None,
            None,
            "Eigen decomposition was not successful. The input might not be valid",
            received="numbers that are not finite",
        )


# --- Schur ----------------------------------------------------------------------------------------


def schur(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q T Qᴴ = A with unitary Q and upper triangular T, both complex128, of one matrix.

    QR steps with Wilkinson's shift; where the last row of the active block is split off, the block
    shrinks by one. Golub & Van Loan, Matrix Computations, 7.5.

    Raises:
      InvalidArgumentError: no convergence.
    """
    triangle = np.array(matrix, np.complex128)
    unitary = np.eye(len(triangle), dtype=np.complex128)
    tolerance = np.finfo(np.float64).eps * np.linalg.norm(triangle)
    last = len(triangle) - 1
    for step in range(100 * (len(triangle) + 1)):
        while last > 0 and np.linalg.norm(triangle[last, :last]) <= tolerance:
            triangle[last, :last] = 0
            last -= 1
        if last <= 0:
            return unitary, triangle
        active = slice(0, last + 1)
        shift = _wilkinson_shift(triangle[last - 1 : last + 1, last - 1 : last + 1], step)
        q, _ = np.linalg.qr(triangle[active, active] - shift * np.eye(last + 1))
        triangle[active, :] = adjoint(q) @ triangle[active, :]
        triangle[:, active] = triangle[:, active] @ q
        unitary[:, active] = unitary[:, active] @ q
    raise InvalidArgumentError(None, None, "The Schur decomposition did not converge")


def _wilkinson_shift(corner: np.ndarray, step: int) -> complex:
    """The eigenvalue of the last 2 × 2 block that is nearest to its last element.

    Every tenth step takes another number, for matrices that a step maps to themselves.
    """
    (a, b), (c, d) = corner
    if step % 10 == 9:
        return d + 1.5 * abs(c) + 0.5 * abs(b)
    middle, half = (a + d) / 2, (a - d) / 2
    root = np.sqrt(half * half + b * c)
    return min(middle - root, middle + root, key=lambda value: abs(value - d))
