"""tf.string_split, tf.strings.split and bytes_split: strings as rows of parts."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.ops.ragged_operators import RaggedTensor
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.string_rows import as_vector
from featherflow.ops.string_split_ops import StringSplit, StringSplitV2


def _as_ragged(parts: SparseTensor) -> RaggedTensor:
    """The parts of each string as a row."""
    return RaggedTensor.from_value_rowids(
        parts.values, parts.indices[:, 0], nrows=parts.dense_shape[0], validate=False
    )


def _check_result_type(result_type: str) -> None:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


@export_v1("string_split")
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits each string at every character of `sep`.

    Args:
      source: a vector of strings.
      sep: a scalar; each byte of it splits. "" splits into bytes; None is a space.
      skip_empty: leaves out parts that are empty.
      delimiter: the older name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: of the nodes.
    Returns:
      A SparseTensor or RaggedTensor [strings, parts of each]: row i holds the parts of
      `source[i]`.
    Raises:
      ValueError: `source` is no vector, or `sep` no scalar.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.string_split(["a b", "c"])).values.tolist()
    [b'a', b'b', b'c']
    """
    if delimiter is not None and sep is not None:
        raise ValueError("An argument is given under its old and its new name.")
    separator = delimiter if sep is None else sep
    with name_scope(name, "StringSplit", [source]):
        separator = convert_to_tensor(" " if separator is None else separator)
        source = convert_to_tensor(source)
        _check_result_type(result_type)
        parts = SparseTensor(*StringSplit(source, separator, skip_empty=skip_empty))
        return _as_ragged(parts) if result_type == "RaggedTensor" else parts


@export("strings.split")
def split_v2(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Splits each string at `sep`, or at white space.

    Args:
      input: strings: a tensor or RaggedTensor.
      sep: a scalar that splits as a whole; None and "" split at white space and leave out what is
        empty.
      maxsplit: splits so many times at most; negative is no limit.
      name: of the nodes.
    Returns:
      A RaggedTensor with a dimension more than `input`; a vector for a scalar.

    >>> import featherflow as tf
    >>> split = tf.compat.v2.strings.split
    >>> with tf.Session() as sess:
    ...     sess.run(split("a, b, c", sep=", ", maxsplit=1)).tolist()
    ...     sess.run(split(["a b", "c"])).to_list()
    [b'a', b'b, c']
    [[b'a', b'b'], [b'c']]
    """
    with name_scope(name, "StringSplit", [input]):
        vector, arrange = as_vector(input)
        separator = convert_to_tensor("" if sep is None else sep)
        parts = SparseTensor(*StringSplitV2(vector, separator, maxsplit=maxsplit))
        return arrange(_as_ragged(parts))


@export_v1("strings.split")
def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """`tf.strings.split` of TF2, whose result is a SparseTensor unless something else is asked for.

    Args:
      input: strings: a tensor or RaggedTensor; a scalar counts as a vector of one.
      sep: a scalar that splits as a whole; None and "" split at white space and leave out what is
        empty.
      maxsplit: splits so many times at most; negative is no limit.
      result_type: "SparseTensor" or "RaggedTensor".
      source: the older name of `input`.
      name: of the nodes.
    Returns:
      A SparseTensor or RaggedTensor with a dimension more than `input`.
    """
    if input is not None and source is not None:
        raise ValueError("An argument is given under its old and its new name.")
    input = source if input is None else input
    with name_scope(name, "StringSplit", [input]):
        if not isinstance(input, RaggedTensor):
            input = convert_to_tensor(input, name="input")
            if input.shape.rank == 0:
                input = expand_dims(input, 0)
        _check_result_type(result_type)
        if result_type == "SparseTensor" and input.shape.rank == 1:
            sep = convert_to_tensor("" if sep is None else sep)
            return SparseTensor(*StringSplitV2(input, sep, maxsplit=maxsplit))
        rows = split_v2(input, sep, maxsplit)
        return rows if result_type == "RaggedTensor" else rows.to_sparse()


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of each string, each as a string of its own.

    Args:
      input: strings: a tensor or RaggedTensor.
      name: of the nodes.
    Returns:
      A RaggedTensor with a dimension more than `input`; a vector for a scalar.
    Raises:
      ValueError: the rank of `input` is not known.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.bytes_split(["abc", "d"])).to_list()
    [[b'a', b'b', b'c'], [b'd']]
    """
    with name_scope(name, "StringsByteSplit", [input]):
        if not isinstance(input, RaggedTensor):
            input = convert_to_tensor(input)
            if input.shape.rank is None:
                raise ValueError("input must have a statically-known rank.")
        vector, arrange = as_vector(input)
        parts = SparseTensor(*StringSplit(vector, "", skip_empty=False))
        return arrange(_as_ragged(parts))
