"""tf.strings.unicode_decode, unicode_split and unicode_encode: text as vectors of characters."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.errors import UnimplementedError
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.unicode_ops import UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode


def _as_single_string(input: Any) -> Tensor:
    """The string as a vector of one.

    Raises:
      ValueError: the rank is not known.
      UnimplementedError: it is not 0, so that the result is ragged.
    """
    input = convert_to_tensor(input, name="input")
    if input.shape.rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if input.shape.rank != 0:
        raise UnimplementedError(
            None,
            None,
            "Characters of several strings are ragged, and there are no RaggedTensors",
            remedy="Call it for each string, after tf.unstack.",
        )
    return reshape(input, [1])


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """The code points of a string.

    Args:
      input: a string.
      input_encoding: such as "UTF-8", "latin1" or "shift_jis".
      errors: "replace", "ignore" or "strict", for what encodes nothing.
      replacement_char: the code point that replaces it.
      replace_control_characters: whether characters below 0x20 count as errors.
      name: of the nodes.
    Returns:
      int32, a vector.
    Raises:
      InvalidArgumentError: the encoding is not known, or `errors` is "strict" and there is one.
      UnimplementedError: `input` is not a scalar, so that the result is ragged.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.unicode_decode("né", "UTF-8")).tolist()
    [110, 233]
    """
    with name_scope(name, "UnicodeDecode", [input]):
        _, points = UnicodeDecode(
            _as_single_string(input),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return points


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(code points, the byte at which each starts); see `tf.strings.unicode_decode`."""
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        _, points, starts = UnicodeDecodeWithOffsets(
            _as_single_string(input),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return points, starts


@export("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """The characters of a string, each as a string of its own.

    Args:
      input: a string.
      input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE"; the characters keep it.
      errors, replacement_char: as of `tf.strings.unicode_decode`.
      name: of the nodes.
    Returns:
      Strings, a vector.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.unicode_split("né", "UTF-8")).tolist()
    [b'n', b'\\xc3\\xa9']
    """
    with name_scope(name, "UnicodeSplit", [input]):
        points = unicode_decode(input, input_encoding, errors, replacement_char)
        return _single_characters(points, input_encoding, errors, replacement_char)


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(characters, the byte at which each starts); see `tf.strings.unicode_split`."""
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        points, starts = unicode_decode_with_offsets(
            input, input_encoding, errors, replacement_char
        )
        return _single_characters(points, input_encoding, errors, replacement_char), starts


def _single_characters(points: Tensor, encoding: str, errors: str, replacement_char: int) -> Tensor:
    ends = range_(shape(points, out_type=dtypes.int64)[0] + 1)
    return UnicodeEncode(
        points,
        ends,
        output_encoding=encoding,
        errors=errors,
        replacement_char=replacement_char,
    )


@export("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """Strings of the code points along the last dimension.

    Args:
      input: int32, [..., characters].
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: "replace", "ignore" or "strict", for numbers that are no characters.
      replacement_char: the code point that replaces them.
      name: of the nodes.
    Returns:
      Strings, of the shape of `input` without its last dimension.
    Raises:
      ValueError: the rank of `input` is 0 or not known.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.unicode_encode([110, 233], "UTF-8")).decode()
    'né'
    """
    with name_scope(name, "UnicodeEncode", [input]):
        input = convert_to_tensor(input)
        if input.shape.rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if input.shape.rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        sizes = shape(input, out_type=dtypes.int64)
        ends = range_(reduce_prod(sizes[:-1]) + 1) * sizes[-1]
        strings = UnicodeEncode(
            reshape(input, [-1]),
            ends,
            output_encoding=output_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        result = reshape(strings, sizes[:-1])
        result.set_shape(input.shape[:-1])
        return result
