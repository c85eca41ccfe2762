"""Unicode text: decoding to code points, encoding, changing the encoding, and scripts."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType, int32, int64
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import text_codecs
from featherflow.kernels.string_arrays import flat, from_list, mapped
from featherflow.kernels.text_codecs import INVALID, ErrorPolicy
from featherflow.kernels.unicode_scripts import script_table

_NO_GRADIENT = "strings are not numbers"
_DECODE_ATTRS = (
    "input_encoding: string",
    "errors: {'strict', 'replace', 'ignore'} = 'replace'",
    "replacement_char: int = 65533",
    "replace_control_characters: bool = false",
    "Tsplits: {int32, int64} = int64",
)

# --- UnicodeDecode, UnicodeDecodeWithOffsets ------------------------------------------------------


def _decode_shape(c: InferenceContext) -> list[TensorShape]:
    sizes = c.shapes[0].as_list() if c.shapes[0].is_fully_defined() else None
    count = None if sizes is None else math.prod(sizes) + 1
    vector = TensorShape((None,))
    return [TensorShape((count,)), *[vector] * (len(c.op.op_def.outputs) - 1)]


def _decode_cpu(
    input: np.ndarray,
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,
) -> tuple[np.ndarray, ...]:
    policy = ErrorPolicy(errors, replacement_char, replace_control_characters)
    codec = text_codecs.find_codec(input_encoding)
    points: list[int] = []
    places: list[int] = []
    splits = [0]
    for text in flat(input):
        row = policy.applied(*text_codecs.decoded(text, codec))
        points += row[0]
        places += row[1]
        splits.append(len(points))
    return (
        np.array(splits, Tsplits.numpy_dtype),
        np.array(points, np.int32),
        np.array(places, np.int64),
    )


def _define_decode(name: str, *offsets: str) -> Op:
    op = define_op(
        name,
        inputs=("input: string",),
        outputs=("row_splits: Tsplits", "char_values: int32", *offsets),
        attrs=_DECODE_ATTRS,
        location=caller_location(),
    )
    op.shape_fn(_decode_shape)
    op.without_gradient(_NO_GRADIENT)
    return op


UnicodeDecode = _define_decode("UnicodeDecode")
UnicodeDecodeWithOffsets = _define_decode("UnicodeDecodeWithOffsets", "char_to_byte_starts: int64")
UnicodeDecodeWithOffsets.kernel("CPU", Tsplits=(int32, int64))(_decode_cpu)


@UnicodeDecode.kernel("CPU", Tsplits=(int32, int64))
def _unicode_decode_cpu(
    input: np.ndarray,
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,
) -> tuple[np.ndarray, ...]:
    return _decode_cpu(
        input,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        Tsplits=Tsplits,
    )[:2]


# --- UnicodeEncode --------------------------------------------------------------------------------

UnicodeEncode = define_op(
    "UnicodeEncode",
    inputs=("input_values: int32", "input_splits: Tsplits"),
    outputs=("output: string",),
    attrs=(
        "errors: {'ignore', 'replace', 'strict'} = 'replace'",
        "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}",
        "replacement_char: int = 65533",
        "Tsplits: {int32, int64} = int64",
    ),
)


@UnicodeEncode.shape_fn
def _unicode_encode_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    (count,) = c.dims(1, 1)
    if count == 0:
        c.fail("Negative dimension size caused by subtracting 1 from 0", received=c.received())
    return TensorShape((None if count is None else count - 1,))


@UnicodeEncode.kernel("CPU", Tsplits=(int32, int64))
def _unicode_encode_cpu(
    input_values: np.ndarray,
    input_splits: np.ndarray,
    *,
    errors: str,
    output_encoding: str,
    replacement_char: int,
) -> np.ndarray:
    policy = ErrorPolicy(errors, replacement_char)
    splits = input_splits.tolist()
    rising = all(before <= after for before, after in itertools.pairwise(splits))
    if not splits or splits[0] != 0 or splits[-1] != input_values.size or not rising:
        raise InvalidArgumentError(
            None,
            None,
            "input_splits must begin with 0, not fall, and end with the number of values",
            received=f"{splits[:8]} for {input_values.size} values",
        )
    points = [
        point if text_codecs.is_character(point) else INVALID for point in input_values.tolist()
    ]
    rows = [points[begin:end] for begin, end in itertools.pairwise(splits)]
    strings = [
        text_codecs.encoded(policy.applied(row, range(len(row)))[0], output_encoding)
        for row in rows
    ]
    return from_list(strings, (len(strings),))


UnicodeEncode.without_gradient(_NO_GRADIENT)

# --- UnicodeTranscode -----------------------------------------------------------------------------

UnicodeTranscode = define_op(
    "UnicodeTranscode",
    inputs=("input: string",),
    outputs=("output: string",),
    attrs=(
        "input_encoding: string",
        "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}",
        "errors: {'strict', 'replace', 'ignore'} = 'replace'",
        "replacement_char: int = 65533",
        "replace_control_characters: bool = false",
    ),
)
UnicodeTranscode.shape_fn(unchanged_shape)


@UnicodeTranscode.kernel("CPU")
def _unicode_transcode_cpu(
    input: np.ndarray,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> np.ndarray:
    policy = ErrorPolicy(errors, replacement_char, replace_control_characters, True)
    codec = text_codecs.find_codec(input_encoding)

    def transcode(text: bytes) -> bytes:
        points, _ = policy.applied(*text_codecs.decoded(text, codec))
        return text_codecs.encoded(points, output_encoding)

    return mapped(transcode, input)


UnicodeTranscode.without_gradient(_NO_GRADIENT)


@export("strings.unicode_transcode")
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Text in another encoding.

    Args:
      input: strings.
      input_encoding: such as "UTF-8", "latin1" or "shift_jis".
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: "replace", "ignore" or "strict", for what encodes nothing.
      replacement_char: the code point that replaces it.
      replace_control_characters: whether characters below 0x20 count as errors.
      name: of the node.
    Returns:
      Strings of the shape of `input`.
    Raises:
      InvalidArgumentError: an encoding is not known, or `errors` is "strict" and there is one.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.unicode_transcode(["hi"], "UTF-8", "UTF-16-BE")).tolist()
    [b'\\x00h\\x00i']
    """
    return UnicodeTranscode(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


# --- UnicodeScript --------------------------------------------------------------------------------

UnicodeScript = define_op("UnicodeScript", inputs=("input: int32",), outputs=("output: int32",))
UnicodeScript.shape_fn(unchanged_shape)


@UnicodeScript.kernel("CPU")
def _unicode_script_cpu(input: np.ndarray) -> np.ndarray:
    table = script_table()
    inside = (input >= 0) & (input < len(table))
    return np.where(inside, table[np.where(inside, input, 0)], -1).astype(np.int32)


UnicodeScript.without_gradient("scripts are names")


@export("strings.unicode_script")
def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The script of each code point, by ICU's numbers; −1 for what is no code point.

    Args:
      input: int32.
      name: of the node.
    Returns:
      int32, of the shape of `input`.

    See: https://unicode-org.github.io/icu-docs/apidoc/dev/icu4c/uscript_8h.html

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.unicode_script([ord("a"), ord("б")])).tolist()
    [25, 8]
    """
    return UnicodeScript(input, name=name)
