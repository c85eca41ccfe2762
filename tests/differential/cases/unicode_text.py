"""Unicode: decoding with every way of treating errors, encodings, encoding, scripts."""

from __future__ import annotations

import numpy as np

from ..case import case, error_cases

POLICIES = ("replace", "ignore", "strict")
_UTF_8 = {
    "invalid_byte": b"a\xffb",
    "broken_pair": b"\xc3(",
    "cut_off": b"\xe2\x82",
    "surrogate": b"\xed\xa0\x80",
    "too_large": b"\xf4\x90\x80\x80",
    "overlong": b"\xc0\x80",
    "overlong_three": b"\xe0\x80\x80",
    "overlong_four": b"\xf0\x80\x80\x80",
    "cut_off_four": b"\xf0\x9f\x98",
    "cut_off_inside": b"a\xe2\x82b",
    "continuations": b"\x80\x80",
    "five_bytes": b"\xf8\x88\x80\x80\x80",
    "controls": b"\x00\x01\x1f \x7f\xc2\x80\xc2\x9f",
    "nothing": b"",
    "valid": "😀é€a".encode(),
    "mark": b"\xef\xbb\xbfa",
}
_OTHERS = {
    "UTF-16-BE": ["aé😀".encode("utf-16-be"), b"\xd8\x00\x00a", b"\x00a\x00", b"\xdc\x00\x00a"],
    "UTF-16-LE": ["aé".encode("utf-16-le")],
    "UTF-16": [b"\xff\xfea\x00\xe9\x00"],
    "utf-16": [b"\xfe\xff\x00a"],
    "UTF-32-BE": ["a😀".encode("utf-32-be"), b"\x00\x11\x00\x00\x00\x00\x00a", b"\x00\x00\xd8\x00"],
    "latin1": [b"a\xe9\x80"],
    "ISO-8859-1": [b"a\xe9"],
    "US-ASCII": [b"a\x80"],
    "windows-1252": [b"\x80\x81a"],
    "shift_jis": [b"\x83\x41a"],
    "gb18030": [b"\xc4\xe3"],
    "EUC-JP": [b"\xa4\xa2"],
    "big5": [b"\xa7\x41"],
    "koi8-r": [b"\xc1"],
    "utf8": [b"a"],
    "ibm037": [b"\xc1"],
    "cp437": [b"\x82"],
}


def _strings(*items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


def _decode(tf, texts, encoding, **options):
    return tuple(
        tf.raw_ops.UnicodeDecodeWithOffsets(
            input=_strings(*texts), input_encoding=encoding, **options
        )
    )


for _name, _text in _UTF_8.items():

    @case(f"decode_{_name}")
    def _decode_utf_8(tf, text=_text):
        return [_decode(tf, [text, b"z"], "UTF-8", errors=policy) for policy in POLICIES[:2]]

    @case(f"transcode_{_name}")
    def _transcode(tf, text=_text):
        return [
            tf.strings.unicode_transcode(_strings(text), "UTF-8", target, errors=policy)
            for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
            for policy in POLICIES[:2]
        ]

    if _name not in ("controls", "nothing", "valid", "mark"):
        error_cases(
            **{
                f"strict_{_name}": lambda tf, text=_text: _decode(
                    tf, [text], "UTF-8", errors="strict"
                )
            }
        )

for _encoding, _texts in _OTHERS.items():

    @case(f"decode_{_encoding}")
    def _decode_other(tf, encoding=_encoding, texts=_texts):
        return [
            _decode(tf, texts, encoding),
            tf.strings.unicode_transcode(_strings(*texts), encoding, "UTF-8", errors="ignore"),
        ]


@case
def control_characters(tf):
    text = b"\x00\x09\x0a\x1f \x7f\xc2\x80"
    return [
        _decode(tf, [text], "UTF-8", replace_control_characters=True),
        _decode(tf, [text], "UTF-8", replace_control_characters=True, errors="ignore"),
        _decode(tf, [text], "UTF-8", replace_control_characters=True, replacement_char=33),
        _decode(tf, [text], "UTF-8", replace_control_characters=True, errors="strict"),
    ]


@case
def decode_shapes(tf):
    fed = tf.placeholder_with_default(tf.constant([["a", "bc"], ["", "d"]]), [2, None])
    texts = tf.constant([["a", "bc"], ["", "d"]])
    return [
        tuple(tf.raw_ops.UnicodeDecode(input=texts, input_encoding="UTF-8")),
        tuple(tf.raw_ops.UnicodeDecode(input=fed, input_encoding="UTF-8", Tsplits=tf.int32)),
        tuple(tf.raw_ops.UnicodeDecode(input="a", input_encoding="UTF-8")),
        _decode(tf, [], "UTF-8"),
    ]


@case
def one_text(tf):
    strings = tf.strings
    text = tf.constant("aé😀".encode())
    return [
        strings.unicode_decode(text, "UTF-8"),
        strings.unicode_decode_with_offsets(text, "UTF-8"),
        strings.unicode_split(text, "UTF-8"),
        strings.unicode_split_with_offsets("aé".encode("utf-16-be"), "UTF-16-BE"),
        strings.unicode_decode(b"a\xff", "UTF-8", errors="ignore"),
        strings.unicode_decode(b"a\n", "UTF-8", replace_control_characters=True),
        strings.unicode_decode(b"a\xff", "UTF-8", replacement_char=63),
    ]


_POINTS = [97, 0xD800, 0x110000, -1, 0x1F600, 0xFFFE, 0xFFFF, 0]
for _encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):

    @case(f"encode_{_encoding}")
    def _encode(tf, encoding=_encoding):
        encode = tf.strings.unicode_encode
        return [
            encode(_POINTS, encoding),
            encode(_POINTS, encoding, errors="ignore"),
            encode(_POINTS, encoding, replacement_char=33),
            encode([0xFFFE, 0xFDD0, 0x1FFFF], encoding, errors="strict"),
            encode([[97, 98], [0x1F600, 233]], encoding),
            encode([[[97, 98], [99, 100]]], encoding),
            encode(tf.zeros([0], tf.int32), encoding),
            encode(tf.placeholder_with_default(tf.constant([97]), [None]), encoding),
        ]

    error_cases(
        **{
            f"encode_strictly_{_encoding}": lambda tf, encoding=_encoding: (
                tf.strings.unicode_encode(_POINTS, encoding, errors="strict")
            )
        }
    )


def _encode_rows(tf, splits, **options):
    return tf.raw_ops.UnicodeEncode(
        input_values=[97, 98],
        input_splits=np.array(splits, np.int64),
        output_encoding="UTF-8",
        **options,
    )


@case
def encode_rows(tf):
    return [_encode_rows(tf, splits) for splits in ([0, 0, 1, 2], [0, 2], [0, 2, 2])]


@case
def scripts(tf):
    state = np.random.RandomState(5)
    points = np.concatenate(
        [state.randint(0, 0x300, 200), state.randint(0, 0x110000, 400), [-1, 0x110000, 0xD800]]
    )
    return tf.strings.unicode_script(points.astype(np.int32).reshape(3, -1))


error_cases(
    strict_controls=lambda tf: tf.strings.unicode_transcode(
        ["a\n"], "UTF-8", "UTF-8", errors="strict", replace_control_characters=True
    ),
    replacement_too_large=lambda tf: _decode(tf, [b"a"], "UTF-8", replacement_char=0x110000),
    replacement_negative=lambda tf: _decode(tf, [b"a"], "UTF-8", replacement_char=-1),
    unknown_encoding=lambda tf: _decode(tf, [b"a"], "bogus"),
    no_encoding=lambda tf: _decode(tf, [b"a"], ""),
    unknown_encoding_of_nothing=lambda tf: tf.strings.unicode_transcode([], "bogus", "UTF-8"),
    unknown_policy=lambda tf: _decode(tf, [b"a"], "UTF-8", errors="keep"),
    unknown_target=lambda tf: tf.strings.unicode_transcode(["a"], "UTF-8", "latin1"),
    decode_unknown_rank=lambda tf: tf.strings.unicode_decode(
        tf.placeholder_with_default(tf.constant("a"), None), "UTF-8"
    ),
    encode_a_scalar=lambda tf: tf.strings.unicode_encode(97, "UTF-8"),
    encode_unknown_rank=lambda tf: tf.strings.unicode_encode(
        tf.placeholder_with_default(tf.constant([97]), None), "UTF-8"
    ),
    encode_replacement=lambda tf: _encode_rows(tf, [0, 2], replacement_char=0x110000),
    **{
        f"encode_splits_{place}": lambda tf, splits=splits: _encode_rows(tf, splits)
        for place, splits in enumerate([[1, 2], [0, 3], [0, 1], [0, 2, 1], [], [0]])
    },
    script_of_text=lambda tf: tf.strings.unicode_script(["a"]),
)
