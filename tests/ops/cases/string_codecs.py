"""Rows of Unicode text, base64, raw and compressed bytes, and tensors in messages."""

from __future__ import annotations

import base64
import gzip
import zlib

import numpy as np

from featherflow.framework.dtypes import as_dtype
from featherflow.ops.byte_ops import (
    DecodeBase64,
    DecodeCompressed,
    DecodePaddedRaw,
    DecodeRaw,
    EncodeBase64,
)
from featherflow.ops.tensor_message_ops import ParseTensor, SerializeTensor
from featherflow.ops.unicode_ops import (
    UnicodeDecode,
    UnicodeDecodeWithOffsets,
    UnicodeEncode,
    UnicodeScript,
    UnicodeTranscode,
)

from ..op_case import Input, OpCase
from .strings import each, of_bytes, row, texts

TEXTS = texts("aé", "", "😀b")
BROKEN = of_bytes([b"a\xffb", b"\xe2\x82"])
BYTES = of_bytes([bytes(range(16)), bytes(range(1, 17))])
UTF_8 = {"input_encoding": "UTF-8"}
RAW_TYPES = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16"),
)

UNICODE = [
    row(
        UnicodeDecode,
        (TEXTS,),
        lambda _: (np.array([0, 2, 2, 4]), np.array([97, 233, 0x1F600, 98])),
        attrs=UTF_8,
    ),
    row(
        UnicodeDecode,
        (BROKEN,),
        lambda _: (np.array([0, 2, 2]), np.array([97, 98])),
        attrs={**UTF_8, "errors": "ignore", "Tsplits": "int32"},
        label="ignores",
    ),
    row(
        UnicodeDecodeWithOffsets,
        (BROKEN,),
        lambda _: (np.array([0, 3, 4]), np.array([97, 63, 98, 63]), np.array([0, 1, 2, 0])),
        attrs={**UTF_8, "replacement_char": 63},
    ),
    row(
        UnicodeDecodeWithOffsets,
        (np.empty(0, object),),
        lambda _: (np.array([0]), np.empty(0), np.empty(0)),
        attrs={"input_encoding": "UTF-16-BE"},
        label="nothing",
    ),
    *(
        row(
            UnicodeEncode,
            (np.array([97, 0x1F600, 233], np.int32), np.array([0, 0, 2, 3])),
            lambda *_, encoding=encoding: of_bytes(
                [text.encode(encoding) for text in ("", "a😀", "é")]
            ),
            attrs={"output_encoding": encoding},
            label=encoding,
        )
        for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
    ),
    row(
        UnicodeTranscode,
        (TEXTS,),
        each(lambda text: text.decode().encode("utf-16-be")),
        attrs={**UTF_8, "output_encoding": "UTF-16-BE"},
    ),
    row(
        UnicodeTranscode,
        (of_bytes([b"\xe9\n"]),),
        lambda _: texts("é?"),
        attrs={
            "input_encoding": "latin1",
            "output_encoding": "UTF-8",
            "replacement_char": 63,
            "replace_control_characters": True,
        },
        label="latin",
    ),
    row(
        UnicodeScript,
        (np.array([[65, 0x431], [0x3B1, -1]], np.int32),),
        lambda _: np.array([[25, 8], [14, -1]]),
    ),
]

ENCODINGS = [
    row(EncodeBase64, (BYTES,), each(lambda text: base64.urlsafe_b64encode(text).rstrip(b"="))),
    row(
        EncodeBase64,
        (BYTES,),
        each(base64.urlsafe_b64encode),
        attrs={"pad": True},
        label="padded",
    ),
    row(
        DecodeBase64,
        (texts("", "YQ", "YWI=", "_-8"),),
        lambda _: of_bytes([b"", b"a", b"ab", b"\xff\xef"]),
    ),
    *(
        row(
            DecodeRaw,
            (BYTES,),
            lambda x, dtype=dtype: _raw(b"".join(x), dtype).reshape(2, -1),
            attrs={"out_type": dtype},
            label=dtype,
        )
        for dtype in RAW_TYPES
    ),
    row(
        DecodeRaw,
        (of_bytes([b"\x01\x00\x00\x02"], ()),),
        lambda _: np.array([256, 2]),
        attrs={"out_type": "int16", "little_endian": False},
        label="big_endian",
    ),
    row(
        DecodeRaw,
        (of_bytes([b"\x01\x00"], ()),),
        lambda _: np.array([True, False]),
        attrs={"out_type": "bool"},
        label="bool",
    ),
    *(
        row(
            DecodePaddedRaw,
            (BYTES, np.array(24, np.int32)),
            lambda x, _, dtype=dtype: _raw(b"".join(text + bytes(8) for text in x), dtype).reshape(
                2, -1
            ),
            attrs={"out_type": dtype},
            label=dtype,
        )
        for dtype in RAW_TYPES
        if dtype not in ("float16", "complex64", "complex128")
    ),
    row(DecodeCompressed, (BYTES,), lambda x: x),
    row(
        DecodeCompressed,
        (of_bytes([zlib.compress(b"abc" * 9), b""]),),
        lambda _: of_bytes([b"abc" * 9, b""]),
        attrs={"compression_type": "ZLIB"},
        label="zlib",
    ),
    row(
        DecodeCompressed,
        (of_bytes([gzip.compress(b"abc", mtime=0)]),),
        lambda _: of_bytes([b"abc"]),
        attrs={"compression_type": "GZIP"},
        label="gzip",
    ),
]


def _raw(content, dtype):
    values = np.frombuffer(content, as_dtype(dtype).numpy_dtype)
    return values.astype(np.float64) if dtype in ("float16", "bfloat16") else values


#: The message of [1, 2] in each type: type number, shape and bytes.
MESSAGE_TYPES = {
    **{"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8},
    **{"int64": 9, "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22},
    **{"uint64": 23},
}


def message(dtype):
    content = one_and_two(dtype).tobytes()
    return bytes([8, MESSAGE_TYPES[dtype], 18, 4, 18, 2, 8, 2, 34, len(content)]) + content


def one_and_two(dtype):
    return np.array([1, 2]).astype(as_dtype(dtype).numpy_dtype)


MESSAGES = [
    *(
        row(
            SerializeTensor,
            (one_and_two(dtype),),
            lambda _, dtype=dtype: of_bytes([message(dtype)], ()),
            label=dtype,
        )
        for dtype in MESSAGE_TYPES
    ),
    row(
        SerializeTensor,
        (texts("a", "b"),),
        lambda _: of_bytes([b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x01b"], ()),
        label="string",
    ),
    *(
        row(
            ParseTensor,
            (of_bytes([message(dtype)], ()),),
            lambda _: np.array([1, 2]),
            attrs={"out_type": dtype},
            label=dtype,
        )
        for dtype in MESSAGE_TYPES
    ),
    OpCase(
        SerializeTensor,
        (Input(1, 1, dtype="bool"),),
        lambda x: of_bytes(
            [b'\x08\n\x12\x08\x12\x02\x08\x01\x12\x02\x08\x01"\x01' + x.tobytes()], ()
        ),
        ("bool",),
        differentiable=False,
        empty_shapes=(),
        label="bool",
    ),
]

CASES = [*UNICODE, *ENCODINGS, *MESSAGES]
