"""Lengths, letter case and parts of strings: StringLength, StringLower, StringStrip, Substr."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import (
    InferenceContext,
    broadcast_static,
    unchanged_shape,
)
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import string_arrays, utf8_text

# --- StringLength ---------------------------------------------------------------------------------

StringLength = define_op(
    "StringLength",
    inputs=("input: string",),
    outputs=("output: int32",),
    attrs=("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",),
)
StringLength.shape_fn(unchanged_shape)


@StringLength.kernel("CPU")
def _string_length_cpu(input: np.ndarray, *, unit: str) -> np.ndarray:
    size = len if unit == "BYTE" else utf8_text.character_count
    return string_arrays.mapped_to(np.int32, size, input)


StringLength.without_gradient("strings are not numbers")


@export("strings.length")
def string_length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """How long each string is.

    Args:
      input: strings.
      unit: "BYTE", or "UTF8_CHAR" to count the characters of UTF-8 text.
      name: of the node.
    Returns:
      int32, of the shape of `input`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.length(["naïve", ""], unit="UTF8_CHAR")).tolist()
    [5, 0]
    """
    return StringLength(input, unit=unit, name=name)


@export_v1("strings.length")
def string_length_v1(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """`tf.strings.length` with the order of arguments of TF1."""
    return string_length(input, unit, name)


# --- StringLower, StringUpper ---------------------------------------------------------------------


def _check_encoding(encoding: str) -> None:
    if encoding not in ("", "utf-8"):
        raise InvalidArgumentError(
            None,
            None,
            "only utf-8 or '' (no encoding) is supported for encoding",
            received=f"'{encoding}'",
        )


StringLower = define_op(
    "StringLower",
    inputs=("input: string",),
    outputs=("output: string",),
    attrs=("encoding: string = ''",),
)
StringLower.shape_fn(unchanged_shape)


@StringLower.kernel("CPU")
def _string_lower_cpu(input: np.ndarray, *, encoding: str) -> np.ndarray:
    _check_encoding(encoding)
    if not encoding:
        return string_arrays.mapped(bytes.lower, input)
    return string_arrays.mapped(
        lambda text: text.decode("utf-8", "replace").lower().encode(), input
    )


StringLower.without_gradient("strings are not numbers")


@export("strings.lower")
def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in lower case: the letters A to Z, or with encoding "utf-8" those of all scripts.

    Args:
      input: strings.
      encoding: "" or "utf-8"; bytes that are no UTF-8 become U+FFFD.
      name: of the node.
    Raises:
      InvalidArgumentError: another encoding.
    """
    return StringLower(input, encoding=encoding, name=name)


StringUpper = define_op(
    "StringUpper",
    inputs=("input: string",),
    outputs=("output: string",),
    attrs=("encoding: string = ''",),
)
StringUpper.shape_fn(unchanged_shape)


@StringUpper.kernel("CPU")
def _string_upper_cpu(input: np.ndarray, *, encoding: str) -> np.ndarray:
    _check_encoding(encoding)
    if not encoding:
        return string_arrays.mapped(bytes.upper, input)
    return string_arrays.mapped(
        lambda text: text.decode("utf-8", "replace").upper().encode(), input
    )


StringUpper.without_gradient("strings are not numbers")


@export("strings.upper")
def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in upper case; see `tf.strings.lower`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.upper(["abc"])).tolist()
    [b'ABC']
    """
    return StringUpper(input, encoding=encoding, name=name)


# --- StringStrip ----------------------------------------------------------------------------------

StringStrip = define_op("StringStrip", inputs=("input: string",), outputs=("output: string",))
StringStrip.shape_fn(unchanged_shape)


@StringStrip.kernel("CPU")
def _string_strip_cpu(input: np.ndarray) -> np.ndarray:
    return string_arrays.mapped(bytes.strip, input)


StringStrip.without_gradient("strings are not numbers")


@export("strings.strip")
@export_v1("string_strip")
def string_strip(input: Any, name: str | None = None) -> Tensor:
    """Strings without white space at either end: spaces, tabs, ends of lines and pages."""
    return StringStrip(input, name=name)


# --- Substr ---------------------------------------------------------------------------------------

Substr = define_op(
    "Substr",
    inputs=("input: string", "pos: T", "len: T"),
    outputs=("output: string",),
    attrs=("T: {int32, int64}", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"),
)


@Substr.shape_fn
def _substr_shape(c: InferenceContext) -> TensorShape:
    text, start = c.shapes[0], c.shapes[1]
    if start._dims is not None:
        length = c.with_rank(2, len(start._dims))
        if start._dims != length._dims:  # an unknown size is another one, as in TensorFlow
            c.fail(f"pos and len shapes must match: {start} vs. {length}", received=c.received())
    return UNKNOWN if start._dims is None else broadcast_static(c, text, start)


@Substr.kernel("CPU")
def _substr_cpu(input: np.ndarray, pos: np.ndarray, len: np.ndarray, *, unit: str) -> np.ndarray:
    if pos.shape != len.shape:
        raise InvalidArgumentError(
            None,
            None,
            "pos and len should have the same shape",
            received=f"{list(pos.shape)} and {list(len.shape)}",
        )
    text, start, length = _spread(input, pos, len)
    cut = utf8_text.byte_slice if unit == "BYTE" else utf8_text.character_slice
    parts = []
    rows = zip(string_arrays.flat(text), start.reshape(-1).tolist(), length.reshape(-1).tolist())
    for place, (item, first, count) in enumerate(rows):
        part = cut(item, first, count)
        if part is None:
            raise InvalidArgumentError(
                None,
                None,
                f"pos {first} out of range for string {item!r} at index {place}",
            )
        parts.append(part)
    return string_arrays.from_list(parts, text.shape)


def _spread(text: np.ndarray, pos: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, ...]:
    """The three as arrays of one shape; beyond two dimensions only scalars are spread."""
    if pos.ndim and pos.shape != text.shape and max(text.ndim, pos.ndim) > 2:
        raise UnimplementedError(
            None,
            None,
            "Substr broadcast not implemented",
            received=f"{text.ndim} and {pos.ndim} dimensions",
            expected="2 dimensions at most",
        )
    try:
        return np.broadcast_arrays(text, pos, length)
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            "Incompatible shapes: input and pos do not broadcast",
            received=f"{list(text.shape)} and {list(pos.shape)}",
        ) from None


Substr.without_gradient("strings are not numbers")


@export("strings.substr")
def substr_v2(
    input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """`input[pos : pos + len]` of each string.

    Args:
      input: strings.
      pos: int32 or int64, where to start; negative from the end.
      len: of the type and shape of `pos`, how much to take; less if the string ends before.
      unit: "BYTE", or "UTF8_CHAR" to count the characters of UTF-8 text.
      name: of the node.
    Returns:
      Strings of the shape to which `input` and `pos` broadcast.
    Raises:
      InvalidArgumentError: `pos` is outside of a string.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.substr(["feather", "flow"], -3, 2)).tolist()
    [b'he', b'lo']
    """
    return Substr(input, pos, len, unit=unit, name=name)


@export_v1("strings.substr", "substr")
def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """`tf.strings.substr` with the order of arguments of TF1."""
    return substr_v2(input, pos, len, unit, name)
