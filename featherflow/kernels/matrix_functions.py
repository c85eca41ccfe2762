"""Square roots and logarithms of matrices, by their Schur decompositions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.kernels.factorizations import adjoint, check_square, schur

# Nodes and weights of a quadrature of ∫₀¹ dt on which the logarithm near 1 rests.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


def matrix_square_root(matrices: np.ndarray) -> np.ndarray:
    """X with X X = A, the principal root; NaN for real matrices that have no real one."""
    return _of_each(matrices, _root_of_triangle)


def matrix_logarithm(matrices: np.ndarray) -> np.ndarray:
    """X with eˣ = A, the principal logarithm; NaN for singular matrices."""
    return _of_each(matrices, _logarithm_of_triangle)


def _of_each(matrices: np.ndarray, of_triangle: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    check_square(matrices)
    flat = matrices.reshape(-1, *matrices.shape[-2:])
    result = np.empty_like(flat)
    with np.errstate(all="ignore"):
        for place, matrix in enumerate(flat):
            result[place] = _through_schur(matrix, of_triangle)
    return result.reshape(matrices.shape)


def _through_schur(
    matrix: np.ndarray, of_triangle: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray | float:
    if not np.isfinite(matrix).all():
        return np.nan
    unitary, triangle = schur(matrix)
    value = unitary @ of_triangle(triangle) @ adjoint(unitary)
    if matrix.dtype.kind == "c":
        return value
    real, imaginary = np.real(value), np.imag(value)
    is_real = np.abs(imaginary).max(initial=0) <= 1e-6 * np.abs(real).max(initial=0)
    return real if is_real else np.nan


def _root_of_triangle(triangle: np.ndarray) -> np.ndarray:
    """The root of an upper triangle, a column at a time. Björck & Hammarling 1983."""
    root = np.diag(np.sqrt(np.diag(triangle)))
    for column in range(1, len(root)):
        for row in range(column - 1, -1, -1):
            between = root[row, row + 1 : column] @ root[row + 1 : column, column]
            rest = triangle[row, column] - between
            # Two zeros on the diagonal and nothing beside them: the root is 0 there as well.
            root[row, column] = rest / (root[row, row] + root[column, column]) if rest else 0
    return root


def _logarithm_of_triangle(triangle: np.ndarray) -> np.ndarray:
    """log T = 2ᵏ log T^(1/2ᵏ), with roots taken until T is near 1.

    There log(1 + X) = ∫₀¹ X (1 + t X)⁻¹ dt, by Gauss and Legendre's quadrature, which is the
    diagonal Padé approximant. Higham, Functions of Matrices, 11.
    """
    identity = np.eye(len(triangle))
    if not np.diag(triangle).all():
        return np.full_like(triangle, np.nan)
    halvings = 0
    while np.linalg.norm(triangle - identity) > 0.25:
        triangle = _root_of_triangle(triangle)
        halvings += 1
    rest = triangle - identity
    logarithm = np.zeros_like(rest)
    for node, weight in zip(_NODES, _WEIGHTS):
        place = (node + 1) / 2
        logarithm += weight / 2 * np.linalg.solve(identity + place * rest, rest)
    return 2.0**halvings * logarithm
