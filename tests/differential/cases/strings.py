"""Strings and bytes: joining, splitting, parsing, hashing, regular expressions, encodings."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases


@case
def join_and_concat(tf):
    x, y = tf.constant(["a", "b"]), tf.constant(["c", "d"])
    return [
        tf.string_join([x, y]),
        tf.string_join([x, "-", y], separator="/"),
        tf.strings.join([x]),
        x + y,
        tf.reduce_join([["a", "b"], ["c", "d"]], 0),
        tf.reduce_join([["a", "b"], ["c", "d"]], -1, separator=" "),
        tf.reduce_join([["a", "b"], ["c", "d"]], [0, 1]),
        tf.reduce_join([["a", "b"], ["c", "d"]], 1, keep_dims=True),
    ]


@case
def as_string(tf):
    return [
        tf.as_string([1, -2, 30]),
        tf.as_string([1.5, -2.25]),
        tf.as_string([1.5, np.nan, np.inf]),
        tf.as_string([True, False]),
        tf.as_string([3.14159], precision=2),
        tf.as_string([3.14159, 1e10], shortest=True),
        tf.as_string([3.14159], scientific=True),
        tf.as_string([7], width=4, fill="0"),
        tf.as_string([7], width=4),
        tf.as_string([1 + 2j]),
        tf.as_string(tf.constant([2**40], tf.int64)),
    ]


@case
def parse_numbers(tf):
    return [
        tf.string_to_number(["1.5", "-2", " 3e2"]),
        tf.string_to_number(["12", "-7"], tf.int32),
        tf.string_to_number(["12345678901"], tf.int64),
        tf.string_to_number(["0.1"], tf.float64),
        tf.string_to_number(["inf", "nan"]),
    ]


@case
def hashing(tf):
    words = ["Hello", "TensorFlow", "2.x", ""]
    return [
        tf.string_to_hash_bucket_fast(words, 100),
        tf.string_to_hash_bucket(words, 100),
        tf.string_to_hash_bucket_strong(words, 100, [1, 2]),
        tf.strings.to_hash_bucket_fast(tf.constant([["a"], ["b"]]), 7),
    ]


@case
def case_length_and_substrings(tf):
    words = tf.constant(["Hello", "Wörld", ""])
    return [
        tf.strings.lower(words),
        tf.strings.upper(words),
        tf.strings.lower(words, encoding="utf-8"),
        tf.strings.upper(words, encoding="utf-8"),
        tf.strings.length(words),
        tf.strings.length(words, unit="UTF8_CHAR"),
        tf.strings.strip(["  a b ", "\t\n"]),
        tf.substr(["Hello", "World"], 1, 3),
        tf.substr(["Hello", "World"], [1, -2], [2, 2]),
        tf.strings.substr(["Wörld"], 1, 2, unit="UTF8_CHAR"),
        tf.substr("Hello", 3, 100),
    ]


@case
def regular_expressions(tf):
    words = ["abc123", "x9", "none"]
    return [
        tf.regex_replace(words, "[0-9]+", "#"),
        tf.regex_replace(words, "[a-z]", "-", replace_global=False),
        tf.strings.regex_replace(words, "([a-z]+)([0-9]*)", "\\2\\1"),
        tf.strings.regex_full_match(words, "[a-z]+[0-9]+"),
    ]


@case
def splitting(tf):
    return {
        "spaces": tf.string_split(["a b c", "", " d  e"]),
        "delimiter": tf.string_split(["a,b", ",c,"], ",", skip_empty=False),
        "characters": tf.string_split(["ab", "c"], ""),
        "sparse": tf.strings.split(["a b", "c"], result_type="SparseTensor"),
    }


@case
def base64_and_raw_bytes(tf):
    words = tf.constant(["Hello", "\x00\x01", ""])
    return [
        tf.encode_base64(words),
        tf.encode_base64(words, pad=True),
        tf.decode_base64(tf.encode_base64(words)),
        tf.decode_raw([b"\x01\x00\x02\x00"], tf.int16),
        tf.decode_raw([b"\x01\x00\x02\x00"], tf.int16, little_endian=False),
        tf.decode_raw([[b"ab"], [b"cd"]], tf.uint8),
        tf.decode_raw(b"\x00\x00\x80\x3f", tf.float32),
    ]


@case
def unicode(tf):
    return [
        tf.strings.unicode_encode([104, 246, 8364], "UTF-8"),
        tf.strings.unicode_script([65, 1041]),
        tf.strings.unicode_transcode(["a\xffb"], "UTF-8", "UTF-8"),
        tf.strings.ngrams(["a", "b", "c"], 2),
        tf.strings.ngrams(["a", "b", "c"], (1, 2), separator="-", pad_values=("<", ">")),
    ]


@case
def format_and_compare(tf):
    x = tf.constant([[1, 2], [3, 4]])
    return [
        tf.strings.format("x: {}", x),
        tf.strings.format("{} and {}", [x[0], tf.constant("s")]),
        tf.equal(tf.constant(["a", "b"]), "a"),
        tf.edit_distance(
            tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2]),
            tf.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2]),
        ),
    ]


@case
def decode_csv_and_json(tf):
    records = ["1,2.5,a", "3,,b"]
    columns = tf.decode_csv(records, [[0], [7.0], [""]])
    fed = tf.placeholder(tf.string, [None])
    return Case(
        [columns, tf.decode_csv(fed, [[1], [2]], field_delim=";", select_cols=[0, 2])],
        {fed: ["5;6;7", ";8;9"]},
    )


error_cases(
    join_shapes=lambda tf: tf.string_join([tf.constant(["a", "b"]), tf.constant(["c"])]),
    not_a_number=lambda tf: tf.string_to_number(["abc"]),
    number_out_of_range=lambda tf: tf.string_to_number(["99999999999"], tf.int32),
    substring_out_of_range=lambda tf: tf.substr("ab", 3, 1),
    bad_expression=lambda tf: tf.regex_replace(["a"], "(", "b"),
    bad_base64=lambda tf: tf.decode_base64(["a"]),
    raw_length=lambda tf: tf.decode_raw([b"abc"], tf.int16),
    missing_csv_field=lambda tf: tf.decode_csv(["1"], [[1], [2]]),
    required_csv_field=lambda tf: tf.decode_csv([","], [[1], tf.constant([], tf.int32)]),
    hash_of_numbers=lambda tf: tf.string_to_hash_bucket_fast([1], 10),
    lower_of_numbers=lambda tf: tf.strings.lower([1]),
)
