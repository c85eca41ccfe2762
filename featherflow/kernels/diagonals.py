"""Bands of diagonals of matrices: taken out, put in, and laid out as rows.

Diagonal d of a matrix [M, N] has the elements (row, row + d): 0 is the main one, positive ones are
above it. A band k₀ … k₁ is laid out with k₁ first; shorter diagonals are aligned at the left or
right end of their rows, as `align` says for those above and below the main one: "RIGHT_LEFT".
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


class BandIndex(NamedTuple):
    """Where the elements of a band are: in the matrix, and in the band laid out as rows."""

    rows: np.ndarray
    columns: np.ndarray
    places: tuple[np.ndarray, ...]
    shape: tuple[int, ...]


def band_of(k: np.ndarray) -> tuple[int, int]:
    """The lowest and highest diagonal that `k` means, one number or two.

    Raises:
      InvalidArgumentError: `k` has another shape, or the highest is below the lowest.
    """
    limits = k.reshape(-1).tolist()
    if k.ndim > 1 or len(limits) not in (1, 2) or limits[0] > limits[-1]:
        raise InvalidArgumentError(
            None,
            None,
            "diag_index must be a scalar, or two numbers that do not descend",
            received=f"k = {k.tolist()}",
        )
    return limits[0], limits[-1]


def check_band(rows: int, columns: int, low: int, high: int) -> None:
    """Raises InvalidArgumentError unless the band is inside an [rows, columns] matrix."""
    for limit, name in ((low, "lower"), (high, "upper")):
        # The main diagonal is inside even of an empty matrix.
        if limit != 0 and not -rows < limit < columns:
            raise InvalidArgumentError(
                None,
                None,
                f"{name}_diag_index is out of bound: {limit}",
                expected=f"between {-rows + 1} and {columns - 1}",
            )


def longest(rows: int, columns: int, low: int, high: int) -> int:
    """The length of the longest diagonal of a band."""
    return min(rows + min(high, 0), columns - max(low, 0))


@lru_cache(maxsize=128)
def band_index(rows: int, columns: int, low: int, high: int, align: str) -> BandIndex:
    """Where the elements of a band of an [rows, columns] matrix are."""
    width = longest(rows, columns, low, high)
    above, below = align.split("_")
    matrix_rows, band_rows, band_columns = [], [], []
    diagonals = np.arange(high, low - 1, -1)
    for position, diagonal in enumerate(diagonals.tolist()):
        length = min(rows + min(diagonal, 0), columns - max(diagonal, 0))
        steps = np.arange(length)
        at_right = (above if diagonal >= 0 else below) == "RIGHT"
        matrix_rows.append(steps - min(diagonal, 0))
        band_rows.append(np.full(length, position))
        band_columns.append(steps + (width - length if at_right else 0))
    first = np.concatenate(matrix_rows)
    position_of = np.concatenate(band_rows)
    second = first + diagonals[position_of]
    if low == high:
        return BandIndex(first, second, (np.concatenate(band_columns),), (width,))
    places = (position_of, np.concatenate(band_columns))
    return BandIndex(first, second, places, (len(diagonals), width))


def take_band(
    matrices: np.ndarray, low: int, high: int, padding: np.ndarray, align: str
) -> np.ndarray:
    """The band k₀ … k₁ of [..., M, N] as [..., k₁ − k₀ + 1, longest], or [..., longest] of one.

    Raises:
      InvalidArgumentError: the band is not inside the matrices.
    """
    rows, columns = matrices.shape[-2:]
    check_band(rows, columns, low, high)
    index = band_index(rows, columns, low, high, align)
    result = np.full(matrices.shape[:-2] + index.shape, padding, dtype=matrices.dtype)
    result[(..., *index.places)] = matrices[..., index.rows, index.columns]
    return result


def put_band(matrices: np.ndarray, band: np.ndarray, low: int, high: int, align: str) -> np.ndarray:
    """Writes a band, laid out as `take_band` does, into [..., M, N], in place.

    Raises:
      InvalidArgumentError: the band has another shape.
    """
    index = band_index(*matrices.shape[-2:], low, high, align)
    if band.shape != matrices.shape[:-2] + index.shape:
        raise InvalidArgumentError(
            None,
            None,
            "The diagonals have not the shape of the band",
            received=f"diagonal of shape {list(band.shape)}",
            expected=f"shape {list(matrices.shape[:-2] + index.shape)}",
        )
    matrices[..., index.rows, index.columns] = band[(..., *index.places)]
    return matrices


def matrix_size(num_rows: int, num_cols: int, low: int, high: int, length: int) -> tuple[int, int]:
    """The size of the matrix for a band whose longest diagonal has `length`; −1 is worked out.

    Raises:
      InvalidArgumentError: the diagonals do not fit the size that is given.
    """
    least_rows, least_columns = length - min(high, 0), length + max(low, 0)
    rows, columns = num_rows, num_cols
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    elif rows == -1:
        rows = least_rows
    elif columns == -1:
        columns = least_columns
    if rows < least_rows or columns < least_columns or (rows, columns) == (-1, -1):
        raise InvalidArgumentError(
            None,
            None,
            "The number of rows or columns is too small",
            received=f"{rows} × {columns}",
            expected=f"at least {least_rows} × {least_columns}",
        )
    if rows != least_rows and columns != least_columns:
        raise InvalidArgumentError(
            None,
            None,
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal",
            received=f"{rows} × {columns}",
            expected=f"{least_rows} rows or {least_columns} columns",
        )
    return rows, columns
