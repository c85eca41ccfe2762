"""Labels of connectionist temporal classification: from a SparseTensor's parts to padded rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featherflow.framework.errors import FailedPreconditionError, InvalidArgumentError
from featherflow.kernels.sparse import check_bounds


@dataclass(frozen=True)
class Labels:
    """Label sequences of a batch.

    Attributes:
      values: `[batch, longest]`, −1 behind the end of a sequence.
      lengths: `[batch]`.
    """

    values: np.ndarray
    lengths: np.ndarray


def check_logits(inputs: np.ndarray, sequence_length: np.ndarray, rank_message: str) -> None:
    """Refuses logits that are not `[time, batch, classes]` with a length for each sequence."""
    if inputs.ndim != 3:
        raise InvalidArgumentError(None, None, rank_message, received=f"shape {list(inputs.shape)}")
    if sequence_length.ndim != 1:
        raise InvalidArgumentError(
            None,
            None,
            "sequence_length is not a vector",
            received=f"shape {list(sequence_length.shape)}",
        )
    if 0 in inputs.shape[:2]:
        raise InvalidArgumentError(
            None, None, "time and batch_size must not be 0", received=list(inputs.shape)
        )


def check_lengths(inputs: np.ndarray, sequence_length: np.ndarray) -> None:
    """Refuses lengths of another count than the batch's, or longer than the time."""
    steps, batch = inputs.shape[:2]
    if len(sequence_length) != batch or (sequence_length > steps).any():
        raise FailedPreconditionError(
            None,
            None,
            "sequence_length must hold one length for each sequence, at most the time steps",
            received=sequence_length.tolist(),
            expected=f"{batch} lengths of at most {steps}",
        )


def labels_of(indices: np.ndarray, values: np.ndarray, batch: int) -> Labels:
    """The label sequences that a SparseTensor holds in its rows.

    Raises:
      InvalidArgumentError: its parts do not fit, or its indices are out of bounds or of order.
    """
    if indices.ndim != 2 or indices.shape[1] != 2 or values.shape != (len(indices),):
        raise InvalidArgumentError(
            None,
            None,
            "labels_indices and labels_values are not those of a matrix",
            received=f"shapes {list(indices.shape)} and {list(values.shape)}",
            expected="[N, 2] and [N]",
        )
    columns = int(indices[:, 1].max(initial=0)) + 1
    check_bounds(indices, np.array([batch, columns], np.int64))
    rows = indices[:, 0]
    keys = rows * columns + indices[:, 1]
    if (keys[1:] <= keys[:-1]).any():
        raise InvalidArgumentError(
            None,
            None,
            "labels_indices are out of order, or hold a place twice",
            remedy="Reorder the SparseTensor with tf.sparse.reorder.",
        )
    lengths = np.bincount(rows, minlength=batch)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    padded = np.full((batch, int(lengths.max(initial=0))), -1, np.int64)
    padded[rows, places] = values
    return Labels(padded, lengths)


def without_blanks(labels: Labels, classes: int) -> Labels:
    """The sequences up to their first null label, one of `classes` − 1 or more.

    Raises:
      InvalidArgumentError: a label is negative, or one follows a null label.
    """
    is_given = np.arange(labels.values.shape[1]) < labels.lengths[:, np.newaxis]
    is_null = (labels.values >= classes - 1) & is_given
    follows = np.logical_or.accumulate(is_null, axis=1)[:, :-1] & ~is_null[:, 1:] & is_given[:, 1:]
    _refuse_rows(follows, labels, "A label follows a null label (num_classes - 1 or more)")
    _refuse_rows((labels.values < 0) & is_given, labels, "All labels must be nonnegative")
    values = np.where(is_null, -1, labels.values)
    return Labels(values, labels.lengths - is_null.sum(axis=1))


def _refuse_rows(is_wrong: np.ndarray, labels: Labels, message: str) -> None:
    wrong = np.flatnonzero(is_wrong.any(axis=1))
    if len(wrong):
        row = labels.values[wrong[0], : labels.lengths[wrong[0]]]
        raise InvalidArgumentError(
            None, None, message, received=f"labels {row.tolist()} in batch {wrong[0]}"
        )


def collapsed(labels: Labels) -> Labels:
    """The sequences with each run of equal labels made one label."""
    values = labels.values
    if not values.shape[1]:
        return labels
    is_kept = np.ones(values.shape, bool)
    is_kept[:, 1:] = values[:, 1:] != values[:, :-1]
    is_kept &= values >= 0
    lengths = is_kept.sum(axis=1)
    result = np.full((len(values), int(lengths.max(initial=0))), -1, values.dtype)
    result[np.arange(result.shape[1]) < lengths[:, np.newaxis]] = values[is_kept]
    return Labels(result, lengths)
