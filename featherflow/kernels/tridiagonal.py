"""Products and solutions of systems of tridiagonal matrices, over stacks of them."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def check_tridiagonal(parts: list[np.ndarray], rhs: np.ndarray, height: int) -> None:
    """Refuses diagonals `[…, height, M]` that do not fit a right side `[…, M, K]`."""
    if rhs.ndim >= 2 and all(
        part.shape == (*rhs.shape[:-2], height, rhs.shape[-2]) for part in parts
    ):
        return
    raise InvalidArgumentError(
        None,
        None,
        "Diagonals and rhs are incompatible",
        received=f"diagonals {[list(part.shape) for part in parts]} and rhs {list(rhs.shape)}",
        expected=f"diagonals […, {height}, M] and rhs […, M, K]",
    )


def tridiagonal_product(
    superdiag: np.ndarray, maindiag: np.ndarray, subdiag: np.ndarray, rhs: np.ndarray
) -> np.ndarray:
    """A · B; the diagonals are `[…, 1, M]`, each element in the row of A where it stands."""
    check_tridiagonal([superdiag, maindiag, subdiag], rhs, 1)
    above, middle, below = (part[..., 0, :, None] for part in (superdiag, maindiag, subdiag))
    product = middle * rhs
    product[..., :-1, :] += above[..., :-1, :] * rhs[..., 1:, :]
    product[..., 1:, :] += below[..., 1:, :] * rhs[..., :-1, :]
    return product


def tridiagonal_solve(
    diagonals: np.ndarray, rhs: np.ndarray, partial_pivoting: bool, perturb_singular: bool
) -> np.ndarray:
    """X with A X = B, by elimination; all systems of the stack go down together.

    Args:
      diagonals: `[…, 3, M]`: above, on and below the main diagonal of A, each element in the row
        of A where it stands.
      rhs: B, `[…, M, K]`.
      partial_pivoting: exchanges neighbouring rows so that no factor is above 1.
      perturb_singular: takes a tiny number for a pivot that is 0; else the solution is NaN or
        infinite.
    """
    check_tridiagonal([diagonals], rhs, 3)
    least_pivot = float(np.finfo(rhs.dtype).tiny) if perturb_singular else 0.0
    upper, right = _eliminated(diagonals, rhs, partial_pivoting, least_pivot)
    size = rhs.shape[-2]
    solution = np.zeros((*rhs.shape[:-2], size + 2, rhs.shape[-1]), rhs.dtype)
    for row in range(size - 1, -1, -1):
        known = (
            upper[..., row, 1, None] * solution[..., row + 1, :]
            + upper[..., row, 2, None] * solution[..., row + 2, :]
        )
        solution[..., row, :] = (right[..., row, :] - known) / upper[..., row, 0, None]
    return np.ascontiguousarray(solution[..., :size, :])


def _eliminated(
    diagonals: np.ndarray, rhs: np.ndarray, partial_pivoting: bool, least_pivot: float
) -> tuple[np.ndarray, np.ndarray]:
    """The upper triangle, `[…, M, 3]` from the diagonal to the right, and the right side."""
    above, middle, below = (diagonals[..., part, :] for part in range(3))
    upper = np.stack([middle, above, np.zeros_like(above)], axis=-1)
    upper[..., -1:, 1] = 0
    right = rhs.copy()
    for row in range(1, rhs.shape[-2]):
        first = upper[..., row - 1, :]
        second = np.stack(
            [below[..., row], upper[..., row, 0], upper[..., row, 1]],
            axis=-1,
        )
        first_right, second_right = right[..., row - 1, :], right[..., row, :]
        if partial_pivoting:
            swap = (np.abs(second[..., 0]) > np.abs(first[..., 0]))[..., None]
            first, second = np.where(swap, second, first), np.where(swap, first, second)
            first_right, second_right = (
                np.where(swap, second_right, first_right),
                np.where(swap, first_right, second_right),
            )
        first[np.abs(first[..., 0]) < least_pivot, 0] = least_pivot
        factor = (second[..., 0] / first[..., 0])[..., None]
        upper[..., row - 1, :], right[..., row - 1, :] = first, first_right
        upper[..., row, :2] = second[..., 1:] - factor * first[..., 1:]
        right[..., row, :] = second_right - factor * first_right
    last = upper[..., -1:, 0]
    last[np.abs(last) < least_pivot] = least_pivot
    return upper, right
