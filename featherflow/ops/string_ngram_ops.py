"""StringNGrams: runs of n words joined into one string."""

from __future__ import annotations

import itertools

import numpy as np

from featherflow.framework.dtypes import int32, int64
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels.string_arrays import flat, from_list, text_bytes
from featherflow.kernels.string_splits import row_ngrams

StringNGrams = define_op(
    "StringNGrams",
    inputs=("data: string", "data_splits: Tsplits"),
    outputs=("ngrams: string", "ngrams_splits: Tsplits"),
    attrs=(
        "separator: string",
        "ngram_widths: list(int) >= 0",
        "left_pad: string",
        "right_pad: string",
        "pad_width: int",
        "preserve_short_sequences: bool",
        "Tsplits: {int32, int64} = int64",
    ),
)


@StringNGrams.shape_fn
def _string_ngrams_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    c.with_rank(1, 1)
    return [TensorShape((None,)), c.with_rank(1, 1)]


@StringNGrams.kernel("CPU", Tsplits=(int32, int64))
def _string_ngrams_cpu(
    data: np.ndarray,
    data_splits: np.ndarray,
    *,
    separator: str,
    ngram_widths: tuple[int, ...],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[np.ndarray, np.ndarray]:
    _check_splits(data, data_splits)
    if any(width <= 0 for width in ngram_widths):
        raise InvalidArgumentError(
            None, None, "ngram_widths must be positive", received=list(ngram_widths)
        )
    if not data_splits.size:  # as TensorFlow has it: no rows, and a string for each word
        return from_list([b""] * data.size, data.shape), data_splits
    words, ends = flat(data), data_splits.tolist()
    pads = text_bytes(left_pad), text_bytes(right_pad)
    ngrams: list[bytes] = []
    splits = [0]
    for begin, end in itertools.pairwise(ends):
        row = words[begin:end]
        ngrams += row_ngrams(
            row, ngram_widths, text_bytes(separator), pads, pad_width, preserve_short_sequences
        )
        splits.append(len(ngrams))
    return from_list(ngrams, (len(ngrams),)), np.array(splits, data_splits.dtype)


def _check_splits(data: np.ndarray, splits: np.ndarray) -> None:
    valid = data.ndim == splits.ndim == 1
    if valid and splits.size:
        valid = splits[0] == 0 and splits[-1] == data.size and (np.diff(splits) >= 0).all()
    if not valid:
        raise InvalidArgumentError(
            None,
            None,
            "data_splits must begin with 0, not fall, and end with the number of words",
            received=f"{splits.reshape(-1).tolist()[:8]} for data of shape {list(data.shape)}",
        )


StringNGrams.without_gradient("strings are not numbers")
