"""Splitting strings: StringSplit and StringSplitV2, whose parts are the rows of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import string_splits
from featherflow.ops.reshape_ops import expand_dims

_SPARSE_SHAPES = (TensorShape((None, 2)), TensorShape((None,)), TensorShape((2,)))


def _split_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    c.with_rank(1, 0)
    return list(_SPARSE_SHAPES)


def _check_ranks(strings: np.ndarray, separator: np.ndarray) -> None:
    if strings.ndim != 1 or separator.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "input must be a vector, and what splits it a scalar",
            received=f"shapes {list(strings.shape)} and {list(separator.shape)}",
        )


# --- StringSplit ----------------------------------------------------------------------------------

StringSplit = define_op(
    "StringSplit",
    inputs=("input: string", "delimiter: string"),
    outputs=("indices: int64", "values: string", "shape: int64"),
    attrs=("skip_empty: bool = true",),
)
StringSplit.shape_fn(_split_shape)


@StringSplit.kernel("CPU")
def _string_split_cpu(
    input: np.ndarray, delimiter: np.ndarray, *, skip_empty: bool
) -> tuple[np.ndarray, ...]:
    _check_ranks(input, delimiter)
    split = string_splits.splitter_at_bytes(delimiter.item(), skip_empty)
    return string_splits.split_rows(input, split)


StringSplit.not_differentiable("strings are not numbers")


@export_v1("string_split")
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """Splits each string at every character of `sep`.

    Args:
      source: a vector of strings.
      sep: a scalar; each byte of it splits. "" splits into bytes; None is a space.
      skip_empty: leaves out parts that are empty.
      delimiter: the older name of `sep`.
      result_type: "SparseTensor".
      name: of the nodes.
    Returns:
      A SparseTensor [strings, most parts of one]: row i holds the parts of `source[i]`.
    Raises:
      ValueError: `source` is no vector, or `sep` no scalar.
      UnimplementedError: `result_type` is "RaggedTensor".

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
        return SparseTensor(*StringSplit(source, separator, skip_empty=skip_empty))


# --- StringSplitV2 --------------------------------------------------------------------------------

StringSplitV2 = define_op(
    "StringSplitV2",
    inputs=("input: string", "sep: string"),
    outputs=("indices: int64", "values: string", "shape: int64"),
    attrs=("maxsplit: int = -1",),
)
StringSplitV2.shape_fn(_split_shape)


@StringSplitV2.kernel("CPU")
def _string_split_v2_cpu(
    input: np.ndarray, sep: np.ndarray, *, maxsplit: int
) -> tuple[np.ndarray, ...]:
    _check_ranks(input, sep)
    split = string_splits.splitter_at_text(sep.item(), maxsplit)
    return string_splits.split_rows(input, split)


StringSplitV2.without_gradient("strings are not numbers")


@export("strings.split")
def split_v2(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Tensor:
    """Splits a string at `sep`, or at white space.

    Args:
      input: a string.
      sep: a scalar that splits as a whole; None and "" split at white space and leave out what is
        empty.
      maxsplit: splits so many times at most; negative is no limit.
      name: of the nodes.
    Returns:
      The parts, a vector.
    Raises:
      UnimplementedError: `input` is not a scalar, so that the result is ragged.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.compat.v2.strings.split("a, b, c", sep=", ", maxsplit=1)).tolist()
    [b'a', b'b, c']
    """
    with name_scope(name, "StringSplit", [input]):
        input = convert_to_tensor(input)
        if input.shape.rank != 0:
            raise _no_ragged_tensors("tf.strings.split")
        return StringSplitV2(expand_dims(input, 0), "" if sep is None else sep, maxsplit=maxsplit)[
            1
        ]


@export_v1("strings.split")
def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """Splits each string at `sep`, or at white space, into a row of a sparse matrix.

    Args:
      input: a vector of strings, or one string.
      sep: a scalar that splits as a whole; None and "" split at white space and leave out what is
        empty.
      maxsplit: splits so many times at most; negative is no limit.
      result_type: "SparseTensor".
      source: the older name of `input`.
      name: of the nodes.
    Returns:
      A SparseTensor [strings, most parts of one].
    Raises:
      UnimplementedError: `result_type` is "RaggedTensor".
    """
    if input is not None and source is not None:
        raise ValueError("An argument is given under its old and its new name.")
    input = source if input is None else input
    with name_scope(name, "StringSplit", [input]):
        input = convert_to_tensor(input, name="input")
        if input.shape.rank == 0:
            input = expand_dims(input, 0)
        _check_result_type(result_type)
        sep = convert_to_tensor("" if sep is None else sep)
        return SparseTensor(*StringSplitV2(input, sep, maxsplit=maxsplit))


def _check_result_type(result_type: str) -> None:
    if result_type == "RaggedTensor":
        raise _no_ragged_tensors("Splitting into a RaggedTensor")
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def _no_ragged_tensors(what: str) -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        f"{what}: the result is ragged, and there are no RaggedTensors",
        remedy="Use tf.strings.split(…, result_type='SparseTensor') on a vector.",
    )


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Tensor:
    """The bytes of a string, each as a string of its own.

    Args:
      input: a string.
      name: of the nodes.
    Returns:
      A vector of strings of one byte.
    Raises:
      UnimplementedError: `input` is not a scalar, so that the result is ragged.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.bytes_split("abc")).tolist()
    [b'a', b'b', b'c']
    """
    with name_scope(name, "StringsByteSplit", [input]):
        input = convert_to_tensor(input)
        if input.shape.rank != 0:
            raise _no_ragged_tensors("tf.strings.bytes_split")
        return StringSplit(expand_dims(input, 0), "", skip_empty=False)[1]
