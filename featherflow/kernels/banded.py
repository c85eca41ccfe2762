"""Triangular systems whose matrices have few diagonals."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def solve(bands: np.ndarray, rhs: np.ndarray, lower: bool, is_adjoint: bool) -> np.ndarray:
    """X with A X = B, or Aᴴ X = B.

    Args:
      bands: [batch…, K, M], the diagonals of A. Of a lower triangle A[i, i − k] = bands[k, i], of
        an upper one A[i, i + k] = bands[K − 1 − k, i].
      rhs: B, [batch…, M, N]; leading dimensions broadcast.
    Raises:
      InvalidArgumentError: an element of the main diagonal is 0, or the sizes differ.
    """
    if bands.ndim < 2 or rhs.ndim < 2 or bands.shape[-1] != rhs.shape[-2] or not bands.shape[-2]:
        raise InvalidArgumentError(
            None,
            None,
            "Bands must be [..., K, M] with K >= 1, and the right side [..., M, N]",
            received=f"{list(bands.shape)} and {list(rhs.shape)}",
        )
    if not lower:  # an upper triangle, read backwards, is a lower one
        solution = solve(bands[..., ::-1, ::-1], rhs[..., ::-1, :], True, is_adjoint)
        return np.ascontiguousarray(solution[..., ::-1, :])
    if not bands[..., 0, :].all():
        raise InvalidArgumentError(None, None, "Input matrix is not invertible")
    if is_adjoint:
        return solve(_adjoint(bands), rhs, False, False)
    return _substitute(bands, rhs)


def _adjoint(bands: np.ndarray) -> np.ndarray:
    """The bands of the upper triangle Aᴴ, for those of the lower triangle A."""
    count, size = bands.shape[-2:]
    result = np.zeros_like(bands)
    for k in range(min(count, size)):
        result[..., count - 1 - k, : size - k] = bands[..., k, k:].conj()
    return result


def _substitute(bands: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    count, size = bands.shape[-2:]
    batch = np.broadcast_shapes(bands.shape[:-2], rhs.shape[:-2])
    result = np.array(np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])))
    for row in range(size):
        for k in range(1, min(count, row + 1)):
            result[..., row, :] -= bands[..., k, row, None] * result[..., row - k, :]
        result[..., row, :] /= bands[..., 0, row, None]
    return result
