"""AsString and StringToNumber."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import number_text
from featherflow.kernels.string_arrays import flat

# --- AsString -------------------------------------------------------------------------------------

AsString = define_op(
    "AsString",
    inputs=("input: T",),
    outputs=("output: string",),
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64, complex64, complex128, bool, variant, string}",
        "precision: int = -1",
        "scientific: bool = false",
        "shortest: bool = false",
        "width: int = -1",
        "fill: string = ''",
    ),
)
AsString.shape_fn(unchanged_shape)


@AsString.kernel("CPU")
def _as_string_cpu(
    input: np.ndarray,
    *,
    T: DType,
    precision: int,
    scientific: bool,
    shortest: bool,
    width: int,
    fill: str,
) -> np.ndarray:
    if T is dtypes.variant:
        raise InvalidArgumentError(None, None, "Variants have no text", received=T.name)
    if (T.is_integer or T.is_bool) and (precision > -1 or scientific or shortest):
        raise InvalidArgumentError(
            None,
            None,
            "scientific, shortest and precision are for floating point numbers",
            received=T.name,
        )
    layout = number_text.layout_of(width, fill, precision, scientific, shortest)
    return number_text.formatted(input, layout)


AsString.not_differentiable("strings are not numbers")


@export("strings.as_string", "as_string")
def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers as C's printf writes them.

    Args:
      input: numbers, booleans or strings.
      precision: digits after the point; −1 is 6.
      scientific: 1.5e+00 (%e).
      shortest: the shorter of both forms, with `precision` significant digits (%g).
      width: the least number of characters; −1 is no limit.
      fill: "" or one of printf's flags: "0", " ", "-", "+", "#".
      name: of the node.
    Returns:
      Strings of the shape of `input`.
    Raises:
      InvalidArgumentError: another fill, both forms, or a form for integers.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.as_string([3.14159, 2.0], precision=2)).tolist()
    [b'3.14', b'2.00']
    """
    return AsString(
        input,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
        name=name,
    )


# --- StringToNumber -------------------------------------------------------------------------------

StringToNumber = define_op(
    "StringToNumber",
    inputs=("string_tensor: string",),
    outputs=("output: out_type",),
    attrs=("out_type: {float, double, int32, int64, uint32, uint64} = float",),
)
StringToNumber.shape_fn(unchanged_shape)


@StringToNumber.kernel("CPU")
def _string_to_number_cpu(string_tensor: np.ndarray, *, out_type: DType) -> np.ndarray:
    parse = number_text.parser_for(out_type.numpy_dtype)
    numbers = []
    for text in flat(string_tensor):
        number = parse(text)
        if number is None:
            raise InvalidArgumentError(
                None,
                None,
                f"StringToNumberOp could not correctly convert string: {text!r}",
                expected=f"a number of {out_type.name}",
            )
        numbers.append(number)
    return np.array(numbers, out_type.numpy_dtype).reshape(string_tensor.shape)


StringToNumber.not_differentiable("strings are not numbers")


@export("strings.to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Strings as the numbers that they name, as C's strtod and strtol read them.

    Args:
      input: strings, with white space around the number or not.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: of the node.
    Returns:
      Numbers of the shape of `input`; a float that is too large is infinite.
    Raises:
      InvalidArgumentError: a string is no number, or an integer too large.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.to_number(["1.5", "-2"])).tolist()
    [1.5, -2.0]
    """
    return StringToNumber(input, out_type=out_type, name=name)


@export_v1("strings.to_number", "string_to_number")
def string_to_number(
    string_tensor: Any = None,
    out_type: Any = dtypes.float32,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """`tf.strings.to_number`; `string_tensor` is the older name of `input`."""
    if string_tensor is not None and input is not None:
        raise ValueError("An argument is given under its old and its new name.")
    return to_number(input if string_tensor is None else string_tensor, out_type, name)
