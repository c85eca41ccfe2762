"""Crosses of features: for each row, every choice of one feature of each column.

A column holds the features of all rows one after the other, and how many each row has. Choices
are counted with the last column fastest. Hashes of choices fold the fingerprints of the features,
mixed as MurmurHash64A mixes words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.farm_hash import fingerprint64
from featherflow.kernels.keyed_hash import sip_hash

_MULTIPLIER = np.uint64(0xC6A4A7935BD1E995)
_SHIFT = np.uint64(47)
#: Hashes without buckets are those below this.
_LARGEST = np.uint64(2**63 - 1)


@dataclass(frozen=True)
class Column:
    """The features of a column: int64 or strings, row after row, and their number in each row."""

    features: np.ndarray
    counts: np.ndarray


# --- columns --------------------------------------------------------------------------------------


def sparse_column(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> Column:
    """The column of a SparseTensor [rows, features] in row-major order."""
    fits = indices.ndim == 2 and indices.shape == (len(values), 2) and shape.shape == (2,)
    if not fits or values.ndim != 1:
        raise InvalidArgumentError(
            None,
            None,
            "Input indices, values and shape should be those of a SparseTensor of rank 2",
            received=f"shapes {list(indices.shape)}, {list(values.shape)}, {list(shape.shape)}",
        )
    rows = indices[:, 0]
    if rows.size and not (rows.min() >= 0 and rows.max() < shape[0]):
        raise InvalidArgumentError(
            None, None, "A row is out of range", received=f"shape {shape.tolist()}"
        )
    return Column(values, np.bincount(rows, minlength=max(int(shape[0]), 0)))


def dense_column(values: np.ndarray) -> Column:
    """The column of a matrix [rows, features]."""
    if values.ndim != 2:
        raise InvalidArgumentError(
            None,
            None,
            "Dense inputs should be matrices",
            received=f"shape {list(values.shape)}",
        )
    return Column(values.reshape(-1), np.full(len(values), values.shape[1], np.int64))


def ragged_column(values: np.ndarray, splits: np.ndarray) -> Column:
    """The column of a ragged tensor of rank 2."""
    is_partition = splits.ndim == 1 and splits.size and values.ndim == 1 and splits[0] == 0
    if not is_partition or (splits[1:] < splits[:-1]).any() or splits[-1] != len(values):
        raise InvalidArgumentError(
            None,
            None,
            "Invalid values and row_splits of a ragged tensor",
            received=f"{len(values)} values, row_splits {splits.tolist()}",
        )
    return Column(values, np.diff(splits))


# --- choices --------------------------------------------------------------------------------------


def choices(columns: list[Column]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Every choice of each row.

    Returns:
      How many choices each row has, and for each column the place of the feature of each.
    Raises:
      InvalidArgumentError: the columns differ in their number of rows.
    """
    if not columns:
        return np.zeros(0, np.int64), []
    if len({len(column.counts) for column in columns}) > 1:
        raise InvalidArgumentError(
            None,
            None,
            "Inputs must have the same number of rows",
            received=str([len(column.counts) for column in columns]),
        )
    totals = np.prod([column.counts for column in columns], axis=0, dtype=np.int64)
    rows = np.repeat(np.arange(len(totals)), totals)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(totals) - totals, totals)
    places: list[np.ndarray] = []
    for column in reversed(columns):
        counts = column.counts[rows]
        starts = (np.cumsum(column.counts) - column.counts)[rows]
        places.append(starts + number % counts)
        number = number // counts
    return totals, places[::-1]


def joined(columns: list[Column], places: list[np.ndarray], separator: bytes) -> np.ndarray:
    """The features of each choice as one string."""
    texts = [_texts(column.features)[place].tolist() for column, place in zip(columns, places)]
    result = np.empty(len(places[0]) if places else 0, object)
    result[:] = [separator.join(parts) for parts in zip(*texts)]
    return result


def _texts(features: np.ndarray) -> np.ndarray:
    if features.dtype == object:
        return features
    result = np.empty(len(features), object)
    result[:] = [str(number).encode() for number in features.tolist()]
    return result


# --- hashes ---------------------------------------------------------------------------------------


def hashed(
    columns: list[Column],
    places: list[np.ndarray],
    buckets: int,
    *,
    seed: int | None = None,
    key: tuple[int, int] | None = None,
) -> np.ndarray:
    """A hash of each choice in [0, buckets), or any if `buckets` is 0.

    Args:
      seed: the hash before the first feature; None starts with that of the first.
      key: strings are hashed with this key instead of their fingerprints.
    """
    if not columns:
        return np.zeros(0, np.int64)
    state: np.ndarray | None = None if seed is None else np.array([seed % 2**64], np.uint64)
    for column, place in zip(columns, places):
        prints = _fingerprints(column.features, key)[place]
        state = prints if state is None else _mixed(state, prints)
    assert state is not None
    return (state % (np.uint64(buckets) if buckets > 0 else _LARGEST)).astype(np.int64)


def _fingerprints(features: np.ndarray, key: tuple[int, int] | None) -> np.ndarray:
    if features.dtype != object:
        if key is not None:
            raise InvalidArgumentError(None, None, "A strong hash takes strings, not integers")
        return features.astype(np.uint64)
    texts = features.tolist()
    if key is not None:
        return np.array([sip_hash(text, key) for text in texts], np.uint64)
    return np.array([fingerprint64(text) for text in texts], np.uint64)


def _mixed(state: np.ndarray, word: np.ndarray) -> np.ndarray:
    """The hash `state` with one more word; products wrap around."""
    mixed = (state ^ _MULTIPLIER) ^ (_shift_mixed(word * _MULTIPLIER) * _MULTIPLIER)
    mixed = mixed * _MULTIPLIER
    return _shift_mixed(_shift_mixed(mixed) * _MULTIPLIER)


def _shift_mixed(word: np.ndarray) -> np.ndarray:
    return word ^ (word >> _SHIFT)
