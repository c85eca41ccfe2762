"""Strings whose parts are ragged: split, decoded, encoded, joined into n-grams."""

from __future__ import annotations

import numpy as np

from ..case import Script, case, error_cases


def _lists(**fetches):
    """A script that fetches RaggedTensors as lists, with their static shapes."""
    shapes = {name: str(fetch.shape) for name, fetch in fetches.items()}

    def body(session):
        values = session.run(fetches)
        return [
            shapes,
            {
                name: value.to_list() if hasattr(value, "to_list") else value
                for name, value in values.items()
            },
        ]

    return Script(body)


def _fed(tf, value):
    return tf.placeholder_with_default(tf.constant(value), None)


def _words(tf):
    return tf.ragged.constant([["a b", ""], [], [" c  d e"]])


@case
def splits(tf):
    ragged = {"result_type": "RaggedTensor"}
    return _lists(
        scalar=tf.strings.split("a b", **ragged),
        vector=tf.strings.split(["a b", "", "c"], **ragged),
        matrix=tf.strings.split([["a b", "c"], ["", "d e f"]], **ragged),
        at_text=tf.strings.split(["a,,b", ","], ",", **ragged),
        limited=tf.strings.split(["a b c"], maxsplit=1, **ragged),
        ragged=tf.strings.split(_words(tf), **ragged),
        bytes=tf.string_split(["a,b", ",c"], ",", skip_empty=False, **ragged),
        nothing=tf.strings.split(tf.constant([], tf.string), **ragged),
    )


@case
def splits_into_sparse(tf):
    return [
        tf.strings.split([["a b", "c"], ["", "d e f"]]),
        tf.strings.split(_words(tf)),
        tf.strings.split("a b"),
    ]


@case
def splits_into_bytes(tf):
    return _lists(
        vector=tf.strings.bytes_split(["ab", "", "c"]),
        matrix=tf.strings.bytes_split([["ab"], ["c"]]),
        ragged=tf.strings.bytes_split(_words(tf)),
    )


@case
def characters(tf):
    strings = tf.strings
    words = tf.constant([["né".encode(), b""], [b"a\xff", b"b"]])
    return _lists(
        vector=strings.unicode_decode(words[0], "UTF-8"),
        matrix=strings.unicode_decode(words, "UTF-8", errors="ignore"),
        ragged=strings.unicode_decode(_words(tf), "UTF-8"),
        split=strings.unicode_split(words, "UTF-8"),
        split_ragged=strings.unicode_split(_words(tf), "UTF-8"),
        offsets=strings.unicode_decode_with_offsets(words, "UTF-8")[1],
        points=strings.unicode_decode_with_offsets(words[1], "UTF-8")[0],
        starts=strings.unicode_split_with_offsets(_words(tf), "UTF-8")[1],
        parts=strings.unicode_split_with_offsets(words[0], "UTF-8")[0],
    )


@case
def encodings(tf):
    points = tf.ragged.constant([[97, 0x1F600], [], [233, -1]])
    deep = tf.ragged.constant([[[97, 98], [99]], []], dtype=tf.int32)
    inner = tf.ragged.constant([[[97, 98], [99, 100]], []], ragged_rank=1, inner_shape=(2,))
    encode = tf.strings.unicode_encode
    return _lists(
        vector=encode(points, "UTF-8"),
        ignore=encode(points, "UTF-16-BE", errors="ignore"),
        deep=encode(deep, "UTF-8"),
        inner=encode(inner, "UTF-8"),
        again=encode(tf.strings.unicode_decode([["aé"], ["b"]], "UTF-8"), "UTF-8"),
    )


@case
def ngrams(tf):
    words = tf.ragged.constant([["a", "b", "c"], [], ["d"]])
    deep = tf.ragged.constant([[["a", "b"], ["c"]], [], [["d", "e", "f"]]])
    return _lists(
        pairs=tf.strings.ngrams(words, 2),
        padded=tf.strings.ngrams(words, 2, pad_values=("<", ">")),
        deep=tf.strings.ngrams(deep, [1, 2], separator="-"),
        short=tf.strings.ngrams(words, 3, preserve_short_sequences=True),
        of_split=tf.strings.ngrams(tf.strings.split(["a b c"], result_type="RaggedTensor"), 2),
    )


error_cases(
    bytes_of_unknown_rank=lambda tf: tf.strings.bytes_split(_fed(tf, ["a"])),
    decode_strictly=lambda tf: (
        tf.strings.unicode_decode(
            np.array([b"a\xff"], object), "UTF-8", errors="strict"
        ).flat_values
    ),
)
