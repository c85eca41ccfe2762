"""Counts of equal numbers in each row of sparse, ragged and dense tensors."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import sparse


def rows_of_splits(splits: np.ndarray, count: int) -> np.ndarray:
    """The row of each of `count` values of a ragged tensor.

    Raises:
      InvalidArgumentError: the splits do not start with 0 or do not end with `count`.
    """
    splits = splits.reshape(-1)
    if not splits.size or splits[0] != 0 or splits[-1] != count:
        raise InvalidArgumentError(
            None,
            None,
            "Splits must be a vector that starts with 0 and ends with the number of values",
            received=f"{splits.tolist()} for {count} values",
        )
    # Splits that decrease make empty rows.
    return np.searchsorted(np.maximum.accumulate(splits[1:]), np.arange(count), side="right")


def check_weights(weights: np.ndarray, values: np.ndarray) -> None:
    """Raises InvalidArgumentError unless there is a weight for each value, or none at all."""
    if weights.size and weights.shape != values.shape:
        raise InvalidArgumentError(
            None,
            None,
            "Weights and values must have the same shape",
            received=f"{list(weights.shape)} and {list(values.shape)}",
        )


def bin_rows(
    rows: np.ndarray, values: np.ndarray, weights: np.ndarray, output: np.ndarray, binary: bool
) -> None:
    """Adds the weights, or 1s, to output[row, value], in place; values beyond it are left out.

    Args:
      binary: writes 1 instead.
    """
    is_in = (values >= 0) & (values < output.shape[1])
    places = (rows[is_in], values[is_in])
    if binary:
        output[places] = 1
    else:
        np.add.at(output, places, weights[: len(values)][is_in] if weights.size else 1)


def count_rows(
    rows: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    *,
    num_rows: int | None,
    bounds: tuple[int, int],
    binary: bool,
    dtype: np.dtype,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often each number occurs in each row, or the sum of its weights, as a sparse matrix.

    Args:
      rows, values: [N].
      weights: [N], or empty.
      num_rows: of the matrix; None for a vector.
      bounds: `minlength`, which the number of columns is at least, and `maxlength`, from which on
        numbers are left out; −1 for no bound.
      binary: counts presence.
      dtype: of the counts.
    Raises:
      InvalidArgumentError: a number is negative, or there are no rows.
    """
    if values.size and values.min() < 0:
        raise InvalidArgumentError(
            None, None, "Input values must all be non-negative", received=str(values.min())
        )
    if num_rows is not None and num_rows < 1:
        raise InvalidArgumentError(None, None, "There must be at least one row")
    least, most = bounds
    width = most if most >= 0 else max(least, int(values.max(initial=0)) + 1)
    if most >= 0:
        is_in = values < most
        rows, values = rows[is_in], values[is_in]
        weights = weights[is_in] if weights.size else weights
    pairs = np.stack([rows, values.astype(np.int64)], axis=1)
    terms = weights if weights.size and not binary else np.ones(len(pairs), dtype)
    combine = np.maximum if binary else np.add
    places, counts = sparse.reduce_groups(pairs, terms.astype(dtype, copy=False), [0, 1], combine)
    if num_rows is None:
        return places[:, 1:].copy(), counts, np.array([width], np.int64)
    return places, counts, np.array([num_rows, width], np.int64)
