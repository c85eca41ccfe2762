"""Counts of equal numbers, and of numbers in intervals."""

from __future__ import annotations

import itertools

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def bin_counts(
    values: np.ndarray,
    size: np.ndarray,
    weights: np.ndarray,
    dtype: np.dtype,
    binary_output: bool = False,
) -> np.ndarray:
    """output[n] = how often n < size occurs in `values`, or the sum of its weights.

    Args:
      values: integers ≥ 0, a matrix or of any other rank; each row of a matrix is counted alone.
      size: a scalar.
      weights: of the shape of `values`, or empty.
      dtype: of the output.
      binary_output: counts presence: 1 or 0, whatever the weights.
    Raises:
      InvalidArgumentError: an argument has another shape, or there is a negative number.
    """
    _check_counted(values, size, weights)
    rows = values if values.ndim == 2 else values.reshape(1, -1)
    output = np.zeros((len(rows), int(size)), dtype)
    is_in = rows < size
    places = (np.nonzero(is_in)[0], rows[is_in])
    if binary_output:
        output[places] = 1
    else:
        np.add.at(output, places, weights.reshape(rows.shape)[is_in] if weights.size else 1)
    return output if values.ndim == 2 else output[0]


def _check_counted(values: np.ndarray, size: np.ndarray, weights: np.ndarray) -> None:
    if size.ndim or size < 0:
        raise InvalidArgumentError(
            None, None, "size must be a scalar of 0 or more", received=f"{size.tolist()}"
        )
    if weights.size and weights.shape != values.shape:
        raise InvalidArgumentError(
            None,
            None,
            "weights must have the shape of the input, or no elements",
            received=f"weights {list(weights.shape)} and input {list(values.shape)}",
        )
    if (values < 0).any():
        raise InvalidArgumentError(
            None, None, "Input must be non-negative", received=f"{values.min()}"
        )


def histogram(values: np.ndarray, value_range: np.ndarray, nbins: np.ndarray) -> np.ndarray:
    """How many values fall into each of `nbins` intervals of equal width, int64.

    Values outside of the range count in the first or the last interval.

    Raises:
      InvalidArgumentError: the range is empty, there are no intervals, or a value is NaN.
    """
    if value_range.shape != (2,) or not value_range[0] < value_range[1]:
        raise InvalidArgumentError(
            None,
            None,
            "value_range must be two numbers that increase",
            received=f"{value_range.tolist()}",
        )
    if nbins.ndim or nbins <= 0:
        raise InvalidArgumentError(
            None, None, "nbins must be a scalar above 0", received=f"{nbins.tolist()}"
        )
    if np.isnan(values).any():
        raise InvalidArgumentError(None, None, "values must be numbers", received="NaN")
    low, high = value_range.astype(np.float64)
    count = int(nbins)
    scaled = (values.ravel().astype(np.float64) - low) / ((high - low) / count)
    places = np.clip(np.floor(scaled), 0, count - 1).astype(np.int64)
    return np.bincount(places, minlength=count)


def bucket_numbers(values: np.ndarray, boundaries: tuple[float, ...]) -> np.ndarray:
    """How many of the boundaries, which ascend, are at or below each value, int32.

    Raises:
      InvalidArgumentError: the boundaries are not sorted.
    """
    if any(left > right for left, right in itertools.pairwise(boundaries)):
        raise InvalidArgumentError(
            None, None, "Expected sorted boundaries", received=f"{list(boundaries)}"
        )
    edges = np.asarray(boundaries, np.float64)
    return np.asarray(np.searchsorted(edges, values, side="right")).astype(np.int32)
