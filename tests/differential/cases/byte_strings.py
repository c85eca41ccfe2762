"""Bytes: base64, raw numbers, compressed strings, tensors in messages, and files."""

from __future__ import annotations

import gzip
import pathlib
import tempfile
import zlib

import numpy as np

from ..case import Script, case, error_case, error_cases

TYPES = {
    **{"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16},
    **{"int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2},
}


def _strings(*items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


def _fed(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


# --- base64 ---------------------------------------------------------------------------------------


@case
def encode(tf):
    texts = _strings(b"", b"a", b"ab", b"abc", b"\xff\xfe\xfb", bytes(range(256)))
    return [
        tf.encode_base64(texts),
        tf.io.encode_base64(texts, pad=True),
        tf.decode_base64(tf.encode_base64(texts)),
        tf.decode_base64(tf.encode_base64(texts, pad=True)),
        tf.io.decode_base64(["YQ", "YW", "YWI", "YWI=", "YWJj", "_-8", "YR", ""]),
    ]


_NO_BASE64 = ["YQ=", "+/8", "Y", "YQ=a", "Y Q", "YQ\n", "=", "====", "YWJjYQ==YQ==", "YWJjZ"]
error_cases(
    **{
        f"no_base64_{place}": lambda tf, text=text: tf.decode_base64([text])
        for place, text in enumerate(_NO_BASE64)
    }
)

# --- raw numbers ----------------------------------------------------------------------------------

for _dtype, _size in TYPES.items():

    @case(f"raw_{_dtype}")
    def _raw(tf, dtype=_dtype, size=_size):
        texts = _strings(bytes(range(1, 2 * size + 1)), bytes(range(2, 2 * size + 2)))
        return [
            tf.decode_raw(texts, dtype),
            tf.decode_raw(texts, dtype, little_endian=False),
            tf.decode_raw(texts[0], dtype),
            tf.decode_raw(_strings(b"", b""), dtype),
        ]

    if _dtype not in ("float16", "complex64", "complex128"):

        @case(f"padded_raw_{_dtype}")
        def _padded(tf, dtype=_dtype, size=_size):
            texts = _strings(bytes(range(1, size + 2)), b"", bytes(range(40)))
            return [
                tf.raw_ops.DecodePaddedRaw(
                    input_bytes=texts, fixed_length=length, out_type=dtype, little_endian=little
                )
                for length in (size, 2 * size, _fed(tf, 3 * size))
                for little in (True, False)
            ]


@case
def raw_of_other_shapes(tf):
    return [
        tf.decode_raw(_strings(b"\x01\x00"), tf.bool),
        tf.decode_raw(tf.constant([], tf.string), tf.int16),
        tf.decode_raw(tf.zeros([2, 0], tf.string), tf.int16),
        tf.decode_raw(_fed(tf, [["ab"], ["cd"]]), tf.uint8),
        tf.decode_raw(bytes=["ab"], out_type=tf.int8),
    ]


def _pad(tf, length, dtype):
    return tf.raw_ops.DecodePaddedRaw(input_bytes=["ab"], fixed_length=length, out_type=dtype)


error_cases(
    raw_of_a_part=lambda tf: tf.decode_raw(["abc"], tf.int16),
    raw_of_two_lengths=lambda tf: tf.decode_raw(["ab", "abcd"], tf.int16),
    raw_of_no_type=lambda tf: tf.decode_raw(["ab"]),
    raw_of_strings=lambda tf: tf.decode_raw(["ab"], tf.string),
    padded_by_a_part=lambda tf: _pad(tf, 5, tf.int16),
    padded_by_less=lambda tf: _pad(tf, -2, tf.int16),
    padded_by_a_fed_part=lambda tf: _pad(tf, _fed(tf, 5), tf.int16),
    padded_by_fed_nothing=lambda tf: _pad(tf, _fed(tf, 0), tf.int16),
    padded_by_fed_less=lambda tf: _pad(tf, _fed(tf, -2), tf.int16),
    padded_by_a_fed_vector=lambda tf: _pad(tf, _fed(tf, [2]), tf.int16),
)

# --- compression ----------------------------------------------------------------------------------

_ZLIB, _GZIP = zlib.compress(b"hello" * 10), gzip.compress(b"hello" * 10, mtime=0)


@case
def decompress(tf):
    decode = tf.io.decode_compressed
    return [
        decode(_strings(b"raw")),
        decode(_strings(_ZLIB, _ZLIB), "ZLIB"),
        decode(_strings(_GZIP), "GZIP"),
        decode(_strings(b""), "ZLIB"),
        decode(_strings(b""), "GZIP"),
        decode(_strings(_ZLIB + b"xx"), "ZLIB"),
        decode(_strings(_ZLIB + _ZLIB), "ZLIB"),
        decode(_strings(_GZIP + _GZIP), "GZIP"),
        decode(_strings(_ZLIB[:-1]), "ZLIB"),
    ]


error_cases(
    zlib_of_junk=lambda tf: tf.io.decode_compressed(["junk"], "ZLIB"),
    gzip_of_junk=lambda tf: tf.io.decode_compressed(["junk"], "GZIP"),
    zlib_of_gzip=lambda tf: tf.io.decode_compressed(_strings(_GZIP), "ZLIB"),
    another_compression=lambda tf: tf.io.decode_compressed(["a"], "LZ4"),
    another_compression_of_nothing=lambda tf: tf.io.decode_compressed([], "LZ4"),
)

# --- messages -------------------------------------------------------------------------------------

for _dtype in (*TYPES, "bool", "string", "uint32", "uint64"):

    @case(f"message_of_{_dtype}")
    def _message(tf, dtype=_dtype):
        if dtype == "string":
            values = [tf.constant(item) for item in (["a", "bc"], "x", [[""]])]
        else:
            values = [tf.cast(item, dtype) for item in ([1, 0, 2], 1, [[1], [1]])]
        values.append(tf.zeros([2, 0], dtype))
        messages = [tf.serialize_tensor(value) for value in values]
        return [messages, [tf.parse_tensor(message, dtype) for message in messages]]


error_cases(
    message_of_junk=lambda tf: tf.parse_tensor("junk", tf.int32),
    message_of_nothing=lambda tf: tf.parse_tensor("", tf.int32),
    message_of_another_type=lambda tf: tf.parse_tensor(tf.serialize_tensor([1]), tf.float32),
    message_in_a_vector=lambda tf: tf.parse_tensor(["a"], tf.int32),
    message_in_a_fed_vector=lambda tf: tf.parse_tensor(_fed(tf, ["a"]), tf.int32),
)

# --- files ----------------------------------------------------------------------------------------


def _in_folder(program):
    """A case that gets a session's run, a placeholder for a name, and a folder."""

    def build(tf):
        name = tf.placeholder(tf.string)
        fetch = program(tf, name)

        def body(session):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder)
                (path / "a.txt").write_bytes(b"x\x00y")
                (path / "b.txt").write_bytes(b"")
                (path / ".hidden").write_bytes(b"h")
                return fetch(lambda ops, text: session.run(ops, {name: f"{folder}{text}"}), path)

        return Script(body)

    build.__name__ = program.__name__
    return build


@case
@_in_folder
def read(tf, name):
    contents = tf.io.read_file(name)
    return lambda run, _: [run(contents, "/a.txt"), run(contents, "/b.txt"), str(contents.shape)]


@case
@_in_folder
def write(tf, name):
    operation = tf.io.write_file(name, "new\x00")

    def body(run, path):
        run(operation, "/a.txt")
        run(operation, "/sub/folder/c")
        return [path.joinpath(part).read_bytes() for part in ("a.txt", "sub/folder/c")]

    return body


@case
@_in_folder
def match(tf, name):
    found = tf.io.matching_files(name)

    def body(run, path):
        patterns = [
            "/*",
            "/*.txt",
            "/?.txt",
            "/[b-z].txt",
            "/{a,b}.txt",
            "/.*",
            "/a.txt",
            "/no",
            "",
        ]
        names = [run(found, pattern).tolist() for pattern in patterns]
        return [[item.decode().removeprefix(str(path)) for item in row] for row in names]

    return body


@case
def match_several(tf):
    several = tf.io.matching_files(["/nonexistent/*", "/nonexistent/b"])
    return [several, tf.matching_files("")]


@error_case
@_in_folder
def read_a_folder(tf, name):
    contents = tf.read_file(name)
    return lambda run, _: run(contents, "")


@error_case
@_in_folder
def write_a_folder(tf, name):
    operation = tf.write_file(name, "x")
    return lambda run, _: run(operation, "")


error_cases(
    read_what_is_missing=lambda tf: tf.read_file("/nonexistent/file"),
    read_a_vector=lambda tf: tf.read_file(["a"]),
    read_a_fed_vector=lambda tf: tf.read_file(_fed(tf, ["a"])),
    write_a_vector=lambda tf: tf.write_file(["a"], "x"),
    write_to_a_fed_vector=lambda tf: tf.write_file(_fed(tf, ["a"]), "x"),
    write_fed_contents=lambda tf: tf.write_file("/nonexistent", _fed(tf, ["x"])),
    match_a_matrix=lambda tf: tf.matching_files([["a"]]),
)
