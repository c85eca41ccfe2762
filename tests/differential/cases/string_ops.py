"""Joining, splitting and cutting strings, numbers as text and back, hashes and n-grams."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases

NAN, INF = float("nan"), float("inf")
FLOATS = [1.5, -2.25, 0.0, -0.0, NAN, INF, -INF, 1e10, 3.14159, 1e-5, 123456.789]
WORDS = [["a", "b", "c"], ["d", "e", "f"]]


def _strings(*items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


def _fed(tf, value, dtype=None):
    """A tensor of which nothing is known while the graph is built."""
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


# --- numbers as text ------------------------------------------------------------------------------

_LAYOUTS = {
    "plain": {},
    "precision": {"precision": 2},
    "no_digits": {"precision": 0},
    "many_digits": {"precision": 40},
    "shortest": {"shortest": True},
    "shortest_precision": {"shortest": True, "precision": 3},
    "scientific": {"scientific": True},
    "scientific_precision": {"scientific": True, "precision": 3},
    "width": {"width": 12},
    "narrow": {"width": 1},
    "zeros": {"width": 12, "fill": "0"},
    "left": {"width": 12, "fill": "-", "precision": 1},
    "sign": {"width": 12, "fill": "+"},
    "sign_only": {"fill": "+"},
    "space": {"width": 12, "fill": " "},
    "alternate": {"width": 12, "fill": "#", "precision": 0},
    "negative_options": {"width": -5, "precision": -5},
}
for _name, _options in _LAYOUTS.items():

    @case(f"floats_as_text_{_name}")
    def _floats_as_text(tf, options=_options):
        return {
            dtype: tf.as_string(tf.constant(FLOATS, dtype), **options)
            for dtype in ("float32", "float64", "float16", "bfloat16")
        }

    if "precision" not in _options and "shortest" not in _options and "scientific" not in _options:

        @case(f"others_as_text_{_name}")
        def _others_as_text(tf, options=_options):
            integers = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
            return [
                *(tf.as_string(tf.constant([7, 0, 100], dtype), **options) for dtype in integers),
                tf.as_string([-7, 5], **options),
                tf.as_string([True, False], **options),
                tf.as_string(["abc", "", "abcdefghijklmno"], **options),
                tf.as_string(tf.constant([1 + 2j, 1.5 - 2j], tf.complex64), **options),
                tf.as_string(tf.constant([1 + 2j, NAN], tf.complex128), **options),
            ]


@case
def extremes_as_text(tf):
    return [
        tf.as_string(tf.constant(-(2**63), tf.int64)),
        tf.as_string(tf.constant(2**64 - 1, tf.uint64)),
        tf.as_string(tf.constant([], tf.float64)),
        tf.as_string(["a"], precision=2, scientific=True, shortest=False),
        tf.strings.as_string(tf.constant([1 + 2j]), shortest=True),
    ]


for _dtype, _texts in {
    "float32": ["1.5", "3e2 ", "inf", "-INF", "NaN", "nan(abc)", "+5", "0x10", "0X1p3", "1e39"],
    "float64": ["1e400", "1e-400", "1.", ".5", "Infinity", "-nan", "\t7\n", "00012", "1e-320"],
    "int32": ["-2", "\t7\n", "+5", "-2147483648", "00012"],
    "int64": ["9223372036854775807", "-9223372036854775808", " 3 "],
    "uint32": ["4294967295", "+5", "\x0b1"],
    "uint64": ["18446744073709551615", "0"],
}.items():

    @case(f"numbers_of_{_dtype}")
    def _numbers(tf, dtype=_dtype, texts=_texts):
        return tf.string_to_number(texts, dtype)


@case
def nearest_float32(tf):
    texts = ["16777217.0000001", "16777217", "8.5e-46", "7.1e-46", "3.4028236e38", "1.17549435e-38"]
    return tf.strings.to_number(texts)


_NO_FLOATS = ["", "  ", "1 2", "1_000", "+-1", ".", "1e", "12abc", "1\x00", "- 1", "1f", "infinit"]
error_cases(
    **{
        f"no_float_{place}": lambda tf, text=text: tf.string_to_number([text])
        for place, text in enumerate(_NO_FLOATS)
    },
    **{
        f"no_{dtype}_{place}": lambda tf, dtype=dtype, text=text: tf.string_to_number([text], dtype)
        for dtype, texts in {
            "int32": ["1.5", "0x10", "2147483648", "", "1e3"],
            "int64": ["9223372036854775808", "inf"],
            "uint32": ["-1", "4294967296"],
            "uint64": ["-1", "18446744073709551616"],
        }.items()
        for place, text in enumerate(texts)
    },
    text_of_two_kinds=lambda tf: tf.as_string([1.0], scientific=True, shortest=True),
    text_with_another_fill=lambda tf: tf.as_string([1], width=5, fill="x"),
    text_with_two_fills=lambda tf: tf.as_string([1], width=5, fill="0-"),
    precise_integers=lambda tf: tf.as_string([1], precision=2),
    scientific_integers=lambda tf: tf.as_string([1], scientific=True),
    shortest_booleans=lambda tf: tf.as_string([True], shortest=True),
    number_of_another_type=lambda tf: tf.string_to_number(["1"], tf.int8),
)

# --- joining --------------------------------------------------------------------------------------


@case
def joins(tf):
    return {
        "scalars": tf.strings.join(["a", "b"], "-"),
        "mixed": tf.string_join([["a", "b"], "x", ["c", "d"]], separator="/"),
        "nothing": tf.raw_ops.StringJoin(inputs=[]),
        "unknown": tf.strings.join([_fed(tf, ["a", "b"]), "c"]),
        "named": tf.strings.join([["a"]], name="joined").name,
    }


@case
def reductions(tf):
    return [
        tf.reduce_join(WORDS),
        tf.reduce_join(WORDS, [1, 0], separator="-"),
        tf.reduce_join(WORDS, [0, 1], separator="-"),
        tf.reduce_join(WORDS, [-1], keep_dims=True),
        tf.reduce_join(WORDS, keepdims=True),
        tf.reduce_join(WORDS, reduction_indices=0),
        tf.reduce_join(WORDS, []),
        tf.reduce_join("a", []),
        tf.reduce_join(_fed(tf, WORDS)),
        tf.reduce_join(_fed(tf, WORDS), 1, separator=","),
        tf.reduce_join(tf.zeros([2, 0], tf.string), 1),
        tf.reduce_join(tf.zeros([0, 2], tf.string), 0),
        tf.reduce_join(WORDS, name="all").name,
    ]


@case
def joins_by_segments(tf):
    join = tf.strings.unsorted_segment_join
    return [
        join([["a", "b"], ["c", "d"], ["e", "f"]], [0, 2, 0], 3, separator="-"),
        join(["a", "b"], tf.constant([1, 1], tf.int64), tf.constant(2, tf.int64)),
        join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2),
        join(tf.constant([], tf.string), tf.constant([], tf.int32), 2),
        join(["a", "b"], _fed(tf, [0, 1]), _fed(tf, 2)),
    ]


error_cases(
    join_of_ranks=lambda tf: tf.strings.join([["a"], [["b"]]]),
    join_of_fed_shapes=lambda tf: tf.strings.join([_fed(tf, ["a"]), _fed(tf, ["b", "c"])]),
    reduction_beyond_the_rank=lambda tf: tf.reduce_join(WORDS, 2),
    reduction_beyond_the_fed_rank=lambda tf: tf.reduce_join(_fed(tf, WORDS), 2),
    reduction_twice=lambda tf: tf.reduce_join(_fed(tf, WORDS), [1, -1]),
    reduction_by_both_names=lambda tf: tf.reduce_join(WORDS, 0, reduction_indices=1),
    segment_negative=lambda tf: tf.strings.unsorted_segment_join(["a"], [-1], 2),
    segment_too_large=lambda tf: tf.strings.unsorted_segment_join(["a"], [2], 2),
    segments_of_scalars=lambda tf: tf.strings.unsorted_segment_join("a", 0, 2),
    segments_of_other_shape=lambda tf: tf.strings.unsorted_segment_join(["a", "b"], [0], 2),
    segments_negative_count=lambda tf: tf.strings.unsorted_segment_join(["a"], [0], -1),
    segments_fed_count=lambda tf: tf.strings.unsorted_segment_join(["a"], [0], _fed(tf, -1)),
    segments_vector_count=lambda tf: tf.strings.unsorted_segment_join(["a"], [0], [2]),
)

# --- splitting ------------------------------------------------------------------------------------

_LINES = ["a.b,c", ".,", "", " x  y ", "a"]
for _separator in (" ", "", ".,", ","):
    for _skips in (True, False):

        @case(f"split_at_bytes_{_separator!r}_{_skips}")
        def _split(tf, separator=_separator, skips=_skips):
            return tf.string_split(_LINES, separator, skip_empty=skips)


for _limit in (-1, 0, 1, 2, -2):
    for _separator in ("", ",", "<>"):

        @case(f"split_at_text_{_separator!r}_{_limit}")
        def _split_v2(tf, separator=_separator, limit=_limit):
            lines = [
                "  a b\tc\n d ",
                "",
                " ",
                "\x0b\x0ca",
                "a,,b,c,",
                ",",
                "a<>b<><>c",
                "<><",
                "a ",
            ]
            return tf.strings.split(lines, separator, limit, result_type="SparseTensor")


@case
def split_options(tf):
    return [
        tf.string_split(["a-b"], delimiter="-"),
        tf.strings.split("a b c", result_type="SparseTensor"),
        tf.strings.split(source=["a b"], sep="a"),
        tf.strings.split(_fed(tf, ["a b"])),
        tf.string_split(_fed(tf, ["a b"]), _fed(tf, " ")),
        tf.string_split(tf.constant([], tf.string)),
        tf.string_split(["aé"], ""),
        tf.strings.bytes_split("ab\x00"),
        [node.name for node in tf.get_default_graph().as_graph_def().node][:9],
    ]


error_cases(
    split_of_a_matrix=lambda tf: tf.string_split([["a"]]),
    split_of_a_scalar=lambda tf: tf.string_split("a"),
    split_of_a_fed_matrix=lambda tf: tf.string_split(_fed(tf, [["a"]])),
    split_at_a_vector=lambda tf: tf.string_split(["a"], [" "]),
    split_at_a_fed_vector=lambda tf: tf.string_split(["a"], _fed(tf, [" "])),
    split_v2_of_a_fed_matrix=lambda tf: tf.strings.split(_fed(tf, [["a"]])),
    split_into_what=lambda tf: tf.string_split(["a"], result_type="list"),
)

# --- n-grams --------------------------------------------------------------------------------------

_ROWS = np.array([0, 3, 3, 5], np.int64)
_NGRAMS = {
    "pairs": {},
    "two_widths": {"ngram_widths": [3, 2]},
    "padded": {"ngram_widths": [2, 3], "pad_width": -1},
    "padded_once": {"ngram_widths": [1, 3], "pad_width": 1},
    "padded_much": {"pad_width": 5},
    "left_only": {"right_pad": "", "pad_width": 1},
    "short": {"ngram_widths": [4], "preserve_short_sequences": True},
    "short_of_several": {"ngram_widths": [4, 3, 1], "preserve_short_sequences": True},
    "short_padded": {"ngram_widths": [9], "pad_width": 2, "preserve_short_sequences": True},
    "none": {"ngram_widths": []},
    "none_preserved": {"ngram_widths": [], "preserve_short_sequences": True},
    "rows_of_int32": {"data_splits": _ROWS.astype(np.int32)},
    "no_splits": {"data_splits": np.array([], np.int64)},
}
_BASE = {
    "data": ["a", "b", "c", "d", "e"],
    "data_splits": _ROWS,
    "separator": " ",
    "ngram_widths": [2],
    "left_pad": "L",
    "right_pad": "R",
    "pad_width": 0,
    "preserve_short_sequences": False,
}
for _name, _changes in _NGRAMS.items():

    @case(f"ngrams_{_name}")
    def _ngrams(tf, changes=_changes):
        return tuple(tf.raw_ops.StringNGrams(**{**_BASE, **changes}))


@case
def ngrams_of_tensors(tf):
    ngrams = tf.strings.ngrams
    return [
        ngrams(["a", "b", "c"], 2),
        ngrams([["a", "b", "c"], ["d", "e", "f"]], 2),
        ngrams([[["a", "b", "c"]]], (2, 3), separator=""),
        ngrams(["a", "b"], [1, 2], pad_values="x", padding_width=1),
        ngrams(["a", "b"], 3, pad_values=("<", ">")),
        ngrams(["a"], 3, preserve_short_sequences=True),
    ]


error_cases(
    **{
        f"ngrams_of_splits_{place}": lambda tf, splits=splits: tf.raw_ops.StringNGrams(
            **{**_BASE, "data_splits": np.array(splits, np.int64)}
        )[0]
        for place, splits in enumerate([[0, 7], [1, 5], [0, 4, 3, 5], [0, 3]])
    },
    ngrams_of_width_0=lambda tf: tf.raw_ops.StringNGrams(**{**_BASE, "ngram_widths": [0]})[0],
    ngrams_of_a_scalar=lambda tf: tf.strings.ngrams("a", 2),
    ngrams_of_unknown_rank=lambda tf: tf.strings.ngrams(_fed(tf, ["a"]), 2),
    ngrams_of_no_width=lambda tf: tf.strings.ngrams(["a"], 0),
    ngrams_with_padding_of_nothing=lambda tf: tf.strings.ngrams(["a"], 2, padding_width=1),
    ngrams_with_negative_padding=lambda tf: tf.strings.ngrams(
        ["a"], 2, pad_values="x", padding_width=-1
    ),
    ngrams_with_a_number=lambda tf: tf.strings.ngrams(["a"], 2, pad_values=1),
)

# --- parts ----------------------------------------------------------------------------------------


@case
def lengths(tf):
    odd = _strings(b"a\xff", b"\xc3", b"\xe2\x82", b"\x80\x80", "é€😀".encode())
    return [
        tf.strings.length(odd),
        tf.strings.length(odd, unit="UTF8_CHAR"),
        tf.strings.length(_fed(tf, [["a", "bc"]])),
        tf.strings.length(tf.constant([], tf.string)),
    ]


@case
def letter_case(tf):
    words = _strings("ÀÉI ΑΣ".encode(), b"A\xffb", "ß ﬁ".encode(), "ẞ".encode())
    return [
        function(words, encoding=encoding)
        for function in (tf.strings.lower, tf.strings.upper)
        for encoding in ("", "utf-8")
    ]


@case
def white_space(tf):
    return tf.strings.strip(_strings(b" a b\t\n\r\x0b\x0c", b"\xc2\xa0a", b"\x00 a \x00", b""))


@case
def parts_of_text(tf):
    words = _strings("aé€😀".encode(), b"a\xff\xc3b", "été".encode())
    return [
        tf.strings.substr(words, [1, 0, -3], [2, 2, 2], unit="UTF8_CHAR"),
        tf.strings.substr(words, [1, 0, -3], [2, 2, 2]),
        tf.substr(_strings(b"\x80\x80ab", b"\xc3\xc3ab"), 1, 1, unit="UTF8_CHAR"),
        tf.substr("aé", [-2], [9], unit="UTF8_CHAR"),
    ]


@case
def parts_that_are_broadcast(tf):
    words = tf.constant([["abcd"], ["efgh"]])
    return [
        tf.substr(words, [0, 1, 2], [2, 2, 1]),
        tf.substr(["abcd", "efgh", "ijkl"], [[0], [1]], [[1], [2]]),
        tf.substr(tf.reshape(words, [2, 1, 1]), 1, 2),
        tf.substr(tf.reshape(words, [2, 1, 1]), [[[0]], [[1]]], [[[1]], [[2]]]),
        tf.substr(_fed(tf, "abcd"), [1, 2], [1, 1]),
        tf.substr(["abcd"], tf.constant(-4, tf.int64), tf.constant(2, tf.int64)),
        tf.substr(["abcd", ""], [4, 0], [-1, -1]),
        tf.substr(["abcd"], 1, -1),
        tf.substr(["abcd"], 1, -1, unit="UTF8_CHAR"),
        tf.substr(tf.constant([], tf.string), 0, 1),
    ]


error_cases(
    lower_of_another_encoding=lambda tf: tf.strings.lower(["A"], encoding="latin1"),
    upper_of_an_upper_encoding=lambda tf: tf.strings.upper(["A"], encoding="UTF-8"),
    length_of_words=lambda tf: tf.strings.length(["a"], unit="WORD"),
    part_after_the_end=lambda tf: tf.substr(["abcd"], 5, 1),
    part_before_the_beginning=lambda tf: tf.substr(["abcd"], -5, 1),
    part_after_the_last_character=lambda tf: tf.substr(["é"], 2, 1, unit="UTF8_CHAR"),
    parts_of_other_shapes=lambda tf: tf.substr(["ab"], [0, 1], [1]),
    parts_of_fed_shapes=lambda tf: tf.substr(["ab"], _fed(tf, [0, 1]), _fed(tf, [1])),
    parts_that_do_not_broadcast=lambda tf: tf.substr(["a", "b"], [0, 0, 0], [1, 1, 1]),
    fed_parts_that_do_not_broadcast=lambda tf: tf.substr(
        _fed(tf, ["a", "b"]), _fed(tf, [0, 0, 0]), _fed(tf, [1, 1, 1])
    ),
    parts_of_three_dimensions=lambda tf: tf.substr([[["ab"]], [["cd"]]], [[0], [1]], [[1], [1]]),
)

# --- hashes ---------------------------------------------------------------------------------------


def _random_words():
    state = np.random.RandomState(3)
    sizes = [*range(70), 96, 127, 128, 129, 192, 193, 500]
    return _strings(*(state.bytes(size) for size in sizes))


@case
def hashes_of_all_lengths(tf):
    words, buckets = _random_words(), 2**63 - 1
    return [
        tf.string_to_hash_bucket_fast(words, buckets),
        tf.string_to_hash_bucket(words, buckets),
        tf.strings.to_hash_bucket_strong(words, buckets, [123, 456]),
        tf.strings.to_hash_bucket_strong(words, buckets, [-5, 2**63 - 1]),
        tf.fingerprint(words),
    ]


@case
def fingerprints(tf):
    return [
        tf.fingerprint([[1, 2], [3, 4]]),
        tf.fingerprint([1.5, 2.0]),
        tf.fingerprint([True, False]),
        tf.fingerprint([["ab", "c"], ["a", "bc"]]),
        tf.fingerprint([[["ab"], ["c"]]]),
        tf.fingerprint(tf.zeros([0, 3], tf.int32)),
        tf.fingerprint(tf.zeros([2, 0], tf.int32)),
        tf.fingerprint(_fed(tf, ["a"])),
    ]


@case
def hashes_by_name(tf):
    fed = tf.placeholder(tf.string, [None, 2])
    bucket = tf.strings.to_hash_bucket(string_tensor=fed, num_buckets=5)
    return Case([bucket, tf.string_to_hash_bucket(input=fed, num_buckets=5)], {fed: [["a", "b"]]})


error_cases(
    no_buckets=lambda tf: tf.strings.to_hash_bucket_fast(["a"], 0),
    a_short_key=lambda tf: tf.strings.to_hash_bucket_strong(["a"], 10, [1]),
    a_long_key=lambda tf: tf.strings.to_hash_bucket_strong(["a"], 10, [1, 2, 3]),
    fingerprint_of_a_scalar=lambda tf: tf.fingerprint("a"),
    fingerprint_of_a_fed_scalar=lambda tf: tf.fingerprint(_fed(tf, "a")),
    fingerprint_by_another_method=lambda tf: tf.fingerprint(["a"], method="md5"),
)
