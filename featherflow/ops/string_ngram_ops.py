"""StringNGrams and `tf.strings.ngrams`: runs of n words joined into one string."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import int32, int64
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.string_arrays import flat, from_list, text_bytes
from featherflow.kernels.string_splits import row_ngrams
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape

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


@export("strings.ngrams")
def ngrams(
    data: Any,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Tensor:
    """All runs of n words along the last dimension, each joined into one string.

    Args:
      data: [..., words], strings.
      ngram_width: n, or several of them, which follow each other.
      separator: stands between the words.
      pad_values: None, or what is put before and after each row: a string or a pair.
      padding_width: how often it is put there; n − 1 at most and by default.
      preserve_short_sequences: a row too short for any n-gram is one by itself.
      name: of the nodes.
    Returns:
      [..., n-grams], strings.
    Raises:
      ValueError: a width is not positive, or the rank of `data` is 0 or not known.
      TypeError: `pad_values` is neither a string nor a tuple.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.ngrams(["a", "b", "c"], 2)).tolist()
    [b'a b', b'b c']
    """
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    left, right, pad = _padding(widths, pad_values, padding_width)
    with name_scope(name, "StringNGrams", [data]):
        data = convert_to_tensor(data, name="data")
        if data.shape.rank is None:
            raise ValueError("Rank of data must be known.")
        if data.shape.rank == 0:
            raise ValueError("Data must have rank>0")
        sizes = shape(data, out_type=int64)
        rows = reduce_prod(sizes[:-1])
        grams, _ = StringNGrams(
            reshape(data, [-1]),
            range_(rows + 1) * sizes[-1],
            separator=separator,
            ngram_widths=widths,
            left_pad=left,
            right_pad=right,
            pad_width=pad,
            preserve_short_sequences=preserve_short_sequences,
        )
        if data.shape.rank == 1:
            return grams
        return reshape(grams, concat([sizes[:-1], constant([-1], int64)], 0))


def _padding(
    widths: Sequence[int], pad_values: Any, padding_width: int | None
) -> tuple[Any, Any, int]:
    """(before, after, how often) after checking all arguments."""
    if pad_values is None:
        left, right = "", ""
    elif isinstance(pad_values, (list, tuple)):
        if not all(isinstance(value, (str, bytes)) for value in pad_values):
            raise TypeError("pad_values must be a string, tuple of strings, or None.")
        left, right = pad_values[0], pad_values[1]
    elif isinstance(pad_values, (str, bytes)):
        left = right = pad_values
    else:
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    if padding_width is not None and padding_width <= 0:
        raise ValueError("padding_width must be greater than 0.")
    for width in widths:
        if width < 1:
            raise ValueError(f"All ngram_widths must be greater than 0. Got {width}")
    if padding_width is None:
        padding_width = 0 if pad_values is None else -1
    return left, right, padding_width
