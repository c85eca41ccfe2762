"""tf.strings.ngrams: runs of n words joined into one string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.dtypes import int64
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.ragged_operators import RaggedTensor
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.string_ngram_ops import StringNGrams


@export("strings.ngrams")
def ngrams(
    data: Any,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """All runs of n words along the last dimension, each joined into one string.

    Args:
      data: [..., words], strings: a tensor or RaggedTensor.
      ngram_width: n, or several of them, which follow each other.
      separator: stands between the words.
      pad_values: None, or what is put before and after each row: a string or a pair.
      padding_width: how often it is put there; n − 1 at most and by default.
      preserve_short_sequences: a row too short for any n-gram is one by itself.
      name: of the nodes.
    Returns:
      [..., n-grams], strings: ragged if `data` is.
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
    attrs = {
        "separator": separator,
        "ngram_widths": widths,
        "left_pad": left,
        "right_pad": right,
        "pad_width": pad,
        "preserve_short_sequences": preserve_short_sequences,
    }
    with name_scope(name, "StringNGrams", [data]):
        if isinstance(data, RaggedTensor):
            *outer, inner = data.nested_row_splits
            grams, splits = StringNGrams(data.flat_values, inner, **attrs)
            return RaggedTensor.from_nested_row_splits(grams, [*outer, splits], validate=False)
        return _dense_ngrams(data, attrs)


def _dense_ngrams(data: Any, attrs: dict[str, Any]) -> Tensor:
    """The n-grams of rows of one length."""
    data = convert_to_tensor(data, name="data")
    if data.shape.rank is None:
        raise ValueError("Rank of data must be known.")
    if data.shape.rank == 0:
        raise ValueError("Data must have rank>0")
    sizes = shape(data, out_type=int64)
    ends = range_(reduce_prod(sizes[:-1]) + 1) * sizes[-1]
    grams, _ = StringNGrams(reshape(data, [-1]), ends, **attrs)
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
