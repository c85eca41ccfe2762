"""Strings as bytes: base64, raw numbers, and what is compressed."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import byte_codecs, string_arrays

_NO_GRADIENT = "strings are not numbers"

# --- EncodeBase64, DecodeBase64 -------------------------------------------------------------------

EncodeBase64 = define_op(
    "EncodeBase64",
    inputs=("input: string",),
    outputs=("output: string",),
    attrs=("pad: bool = false",),
)
EncodeBase64.shape_fn(unchanged_shape)


@EncodeBase64.kernel("CPU")
def _encode_base64_cpu(input: np.ndarray, *, pad: bool) -> np.ndarray:
    return string_arrays.mapped(lambda text: byte_codecs.encode_base64(text, pad), input)


EncodeBase64.not_differentiable(_NO_GRADIENT)


@export("io.encode_base64")
@export_v1("encode_base64")
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Each string in base64 with the digits for URLs.

    Args:
      input: strings.
      pad: fills up with "=" to a multiple of four.
      name: of the node.
    Returns:
      Strings of the shape of `input`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.io.encode_base64(["flow"], pad=True)).tolist()
    [b'Zmxvdw==']
    """
    return EncodeBase64(input, pad=pad, name=name)


DecodeBase64 = define_op("DecodeBase64", inputs=("input: string",), outputs=("output: string",))
DecodeBase64.shape_fn(unchanged_shape)


@DecodeBase64.kernel("CPU")
def _decode_base64_cpu(input: np.ndarray) -> np.ndarray:
    return string_arrays.mapped(byte_codecs.decode_base64, input)


DecodeBase64.not_differentiable(_NO_GRADIENT)


@export("io.decode_base64")
@export_v1("decode_base64")
def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """What `tf.io.encode_base64` encoded, with padding or without.

    Raises:
      InvalidArgumentError: a string is no base64 with the digits for URLs.
    """
    return DecodeBase64(input, name=name)


# --- DecodeRaw ------------------------------------------------------------------------------------

DecodeRaw = define_op(
    "DecodeRaw",
    inputs=("bytes: string",),
    outputs=("output: out_type",),
    attrs=(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, "
        "complex128, bool, bfloat16}",
        "little_endian: bool = true",
    ),
)


@DecodeRaw.shape_fn
def _decode_raw_shape(c: InferenceContext) -> TensorShape:
    dims = c.shapes[0]._dims
    return UNKNOWN if dims is None else TensorShape._of((*dims, None))


@DecodeRaw.kernel("CPU")
def _decode_raw_cpu(bytes: np.ndarray, *, out_type: DType, little_endian: bool) -> np.ndarray:
    return byte_codecs.decode_raw(bytes, out_type.numpy_dtype, little_endian)


DecodeRaw.not_differentiable(_NO_GRADIENT)

# --- DecodePaddedRaw ------------------------------------------------------------------------------

DecodePaddedRaw = define_op(
    "DecodePaddedRaw",
    inputs=("input_bytes: string", "fixed_length: int32"),
    outputs=("output: out_type",),
    attrs=(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}",
        "little_endian: bool = true",
    ),
)


@DecodePaddedRaw.shape_fn
def _decode_padded_raw_shape(c: InferenceContext) -> TensorShape:
    dims, length = c.shapes[0]._dims, c.constant(1)
    size = c.attrs["out_type"].size
    if length is not None and length.ndim:
        c.fail("fixed_length must be a scalar", received=f"shape {list(length.shape)}")
    count = None if length is None else int(length)
    if count is not None and (count < 0 or count % size):
        c.fail(
            "fixed_length must be a multiple of the size of a number, and not negative",
            received=count,
            expected=f"a multiple of {size}",
        )
    if dims is None:
        return UNKNOWN
    return TensorShape._of((*dims, None if count is None else count // size))


@DecodePaddedRaw.kernel(
    "CPU",
    out_type=(
        *(dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint16, dtypes.uint8),
        *(dtypes.int16, dtypes.int8, dtypes.int64, dtypes.bfloat16),
    ),
)
def _decode_padded_raw_cpu(
    input_bytes: np.ndarray, fixed_length: np.ndarray, *, out_type: DType, little_endian: bool
) -> np.ndarray:
    size = out_type.size
    if fixed_length.ndim or fixed_length <= 0 or fixed_length % size:
        raise InvalidArgumentError(
            None,
            None,
            "fixed_length must be a positive multiple of the size of a number",
            received=fixed_length.tolist(),
            expected=f"a multiple of {size}",
        )
    return byte_codecs.decode_padded_raw(
        input_bytes, int(fixed_length), out_type.numpy_dtype, little_endian
    )


DecodePaddedRaw.not_differentiable(_NO_GRADIENT)


@export("io.decode_raw")
def decode_raw_v2(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Tensor:
    """The bytes of each string as numbers.

    Args:
      input_bytes: strings, all of one length unless `fixed_length` is given.
      out_type: of the numbers.
      little_endian: whether the lowest byte of a number comes first.
      fixed_length: None, or how many bytes of each string count; short ones are filled up with
        zeros.
      name: of the node.
    Returns:
      Numbers of `out_type`, [..., numbers].
    Raises:
      InvalidArgumentError: the lengths differ, or are no multiple of the size of a number.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.io.decode_raw([b"\\x01\\x00\\x02\\x00"], tf.int16)).tolist()
    [[1, 2]]
    """
    if fixed_length is not None:
        return DecodePaddedRaw(
            input_bytes, fixed_length, out_type=out_type, little_endian=little_endian, name=name
        )
    return DecodeRaw(input_bytes, out_type=out_type, little_endian=little_endian, name=name)


@export_v1("io.decode_raw", "decode_raw")
def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """The bytes of each string as numbers; `bytes` is the older name of `input_bytes`.

    Raises:
      ValueError: there is no `out_type`.
      InvalidArgumentError: the lengths differ, or are no multiple of the size of a number.
    """
    if input_bytes is not None and bytes is not None:
        raise ValueError("An argument is given under its old and its new name.")
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return decode_raw_v2(
        bytes if input_bytes is None else input_bytes, out_type, little_endian, name=name
    )


# --- DecodeCompressed -----------------------------------------------------------------------------

DecodeCompressed = define_op(
    "DecodeCompressed",
    inputs=("bytes: string",),
    outputs=("output: string",),
    attrs=("compression_type: string = ''",),
)
DecodeCompressed.shape_fn(unchanged_shape)


@DecodeCompressed.kernel("CPU")
def _decode_compressed_cpu(bytes: np.ndarray, *, compression_type: str) -> np.ndarray:
    return string_arrays.mapped(byte_codecs.decompressor(compression_type), bytes)


DecodeCompressed.without_gradient(_NO_GRADIENT)


@export("io.decode_compressed")
@export_v1("decode_compressed")
def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Each string decompressed.

    Args:
      bytes: strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.
      name: of the node.
    Returns:
      Strings of the shape of `bytes`.
    Raises:
      DataLossError: a string was not compressed in this way.
    """
    return DecodeCompressed(bytes, compression_type=compression_type, name=name)
