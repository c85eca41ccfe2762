"""tf.strings.unicode_decode, unicode_split and unicode_encode: text as rows of characters."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.ops.ragged_operators import RaggedTensor
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.string_rows import as_vector
from featherflow.ops.unicode_ops import UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode


def _with_known_rank(input: Any) -> Any:
    """`input` as a tensor or RaggedTensor.

    Raises:
      ValueError: the rank is not known.
    """
    if not isinstance(input, RaggedTensor):
        input = convert_to_tensor(input, name="input")
    if input.shape.rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    return input


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string.

    Args:
      input: strings: a tensor or RaggedTensor.
      input_encoding: such as "UTF-8", "latin1" or "shift_jis".
      errors: "replace", "ignore" or "strict", for what encodes nothing.
      replacement_char: the code point that replaces it.
      replace_control_characters: whether characters below 0x20 count as errors.
      name: of the nodes.
    Returns:
      int32, a RaggedTensor with a dimension more than `input`; a vector for a scalar.
    Raises:
      ValueError: the rank of `input` is not known.
      InvalidArgumentError: the encoding is not known, or `errors` is "strict" and there is one.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.unicode_decode("né", "UTF-8")).tolist()
    [110, 233]
    """
    with name_scope(name, "UnicodeDecode", [input]):
        vector, arrange = as_vector(_with_known_rank(input))
        splits, points = UnicodeDecode(
            vector,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return arrange(RaggedTensor.from_row_splits(points, splits, validate=False))


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """(code points, the byte at which each starts); see `tf.strings.unicode_decode`."""
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        vector, arrange = as_vector(_with_known_rank(input))
        splits, points, starts = UnicodeDecodeWithOffsets(
            vector,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        rows = RaggedTensor.from_row_splits(points, splits, validate=False)
        return arrange(rows), arrange(rows.with_values(starts))


@export("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """The characters of each string, each as a string of its own.

    Args:
      input: strings: a tensor or RaggedTensor.
      input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE"; the characters keep it.
      errors, replacement_char: as of `tf.strings.unicode_decode`.
      name: of the nodes.
    Returns:
      Strings, a RaggedTensor with a dimension more than `input`; a vector for a scalar.

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
) -> tuple[Any, Any]:
    """(characters, the byte at which each starts); see `tf.strings.unicode_split`."""
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        points, starts = unicode_decode_with_offsets(
            input, input_encoding, errors, replacement_char
        )
        return _single_characters(points, input_encoding, errors, replacement_char), starts


def _single_characters(points: Any, encoding: str, errors: str, replacement_char: int) -> Any:
    if isinstance(points, RaggedTensor):
        return points.with_flat_values(
            _single_characters(points.flat_values, encoding, errors, replacement_char)
        )
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
) -> Any:
    """Strings of the code points along the last dimension.

    Args:
      input: int32, [..., characters]: a tensor or RaggedTensor.
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
        if isinstance(input, RaggedTensor):
            return _encode_rows(input, output_encoding, errors, replacement_char)
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


def _encode_rows(rows: RaggedTensor, encoding: str, errors: str, replacement_char: int) -> Any:
    """The strings of the innermost rows of a RaggedTensor."""
    values = rows.values
    if isinstance(values, RaggedTensor) or values.shape.rank != 1:
        return rows.with_values(unicode_encode(values, encoding, errors, replacement_char))
    return UnicodeEncode(
        values,
        rows.row_splits,
        output_encoding=encoding,
        errors=errors,
        replacement_char=replacement_char,
    )
