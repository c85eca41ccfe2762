"""Rows of strings: joining, splitting, parts, numbers as text, regular expressions, hashes."""

from __future__ import annotations

import re

import numpy as np

from featherflow.ops.regex_ops import (
    RegexFullMatch,
    RegexReplace,
    StaticRegexFullMatch,
    StaticRegexReplace,
)
from featherflow.ops.string_hash_ops import (
    Fingerprint,
    StringToHashBucket,
    StringToHashBucketFast,
    StringToHashBucketStrong,
    _TensorToHashBucketFast,
)
from featherflow.ops.string_join_ops import ReduceJoin, StringJoin, UnsortedSegmentJoin
from featherflow.ops.string_ngram_ops import StringNGrams
from featherflow.ops.string_number_ops import AsString, StringToNumber
from featherflow.ops.string_ops import StringLength, StringLower, StringStrip, StringUpper, Substr
from featherflow.ops.string_split_ops import StringSplit, StringSplitV2

from ..op_case import COMPLEX, FLOATS, INTEGERS, Input, OpCase


def texts(*items):
    """A vector of strings."""
    return of_bytes([item.encode() for item in items])


def of_bytes(items, shape=(-1,)):
    """The items as an array of strings."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


def each(function):
    """A reference that applies a function to each string of its first input."""
    return lambda x, *_: np.vectorize(function, otypes=[object])(x)


def row(op, arguments, reference, **options):
    """A row of an op that knows no dtype but string."""
    return OpCase(op, arguments, reference, ("string",), differentiable=False, **options)


WORDS = of_bytes([b"naive", "naïve".encode(), b"", b" Tab\t", b"\x00\xff", b"abc"], (2, 3))
SENTENCES = texts("a b  c", "", " d", "x,y b")
LETTERS = texts("a", "b", "c", "d")
EMPTY = np.empty((0,), object)


def sparse(rows):
    """(indices, values, shape) of rows of strings."""
    places = [(i, j) for i, parts in enumerate(rows) for j in range(len(parts))]
    values = [part for parts in rows for part in parts]
    widest = max(map(len, rows), default=0)
    return np.array(places).reshape(-1, 2), of_bytes(values), np.array([len(rows), widest])


def format_c(value):
    """A number as C's %d, %f or a pair of them."""
    if isinstance(value, complex):
        return b"(%f,%f)" % (value.real, value.imag)
    return (b"%f" if isinstance(value, float) else b"%d") % value


JOINING = [
    row(
        StringJoin,
        ([LETTERS, of_bytes([b"-"], ()), LETTERS[::-1].copy()],),
        lambda x, y, z: of_bytes([a + b"/" + y.item() + b"/" + b for a, b in zip(x, z)]),
        attrs={"separator": "/"},
    ),
    row(StringJoin, ([],), lambda: of_bytes([b""], ()), label="nothing"),
    row(
        ReduceJoin,
        (WORDS, np.array([-1], np.int32)),
        lambda x, _: of_bytes([b".".join(words) for words in x], (2, 1)),
        attrs={"separator": ".", "keep_dims": True},
    ),
    row(
        ReduceJoin,
        (WORDS, np.array([0, 1], np.int32)),
        lambda x, _: of_bytes([b"".join(x.T.reshape(-1))], ()),
        label="two_axes",
    ),
    row(
        ReduceJoin,
        (np.empty((2, 0), object), np.array([1], np.int32)),
        lambda x, _: of_bytes([b"", b""]),
        label="nothing",
    ),
    OpCase(
        UnsortedSegmentJoin,
        (WORDS, np.array([1, 1]), np.array(3)),
        lambda x, *_: of_bytes(
            [*[b""] * 3, *(a + b"+" + b if a else b for a, b in zip(*x)), *[b""] * 3], (3, 3)
        ),
        ("string",),
        attrs={"separator": "+"},
        differentiable=False,
    ),
    OpCase(
        UnsortedSegmentJoin,
        (EMPTY, np.empty(0, np.int32), np.array(2, np.int32)),
        lambda *_: of_bytes([b"", b""]),
        ("string",),
        differentiable=False,
        label="nothing",
    ),
]

SPLITTING = [
    row(
        StringSplit,
        (SENTENCES, of_bytes([b" ,"], ())),
        lambda x, _: sparse([[part for part in re.split(b"[ ,]", text) if part] for text in x]),
    ),
    row(
        StringSplit,
        (SENTENCES, of_bytes([b""], ())),
        lambda x, _: sparse([[text[i : i + 1] for i in range(len(text))] for text in x]),
        label="bytes",
    ),
    row(
        StringSplit,
        (LETTERS, of_bytes([b"b"], ())),
        lambda *_: sparse([[b"a"], [b"", b""], [b"c"], [b"d"]]),
        attrs={"skip_empty": False},
        label="keeps_empty",
    ),
    row(
        StringSplitV2, (SENTENCES, of_bytes([b""], ())), lambda x, _: sparse([t.split() for t in x])
    ),
    row(
        StringSplitV2,
        (SENTENCES, of_bytes([b" "], ())),
        lambda x, _: sparse([text.split(b" ", 1) for text in x]),
        attrs={"maxsplit": 1},
        label="once",
    ),
    row(
        StringSplitV2,
        (EMPTY, of_bytes([b" "], ())),
        lambda *_: sparse([]),
        label="nothing",
    ),
    row(
        StringNGrams,
        (LETTERS, np.array([0, 3, 3, 4])),
        lambda *_: (
            texts("<-a", "a-b", "b-c", "c->", "<->", "<-d", "d->"),
            np.array([0, 4, 5, 7]),
        ),
        attrs={
            "separator": "-",
            "ngram_widths": [2],
            "left_pad": "<",
            "right_pad": ">",
            "pad_width": -1,
            "preserve_short_sequences": False,
        },
    ),
    row(
        StringNGrams,
        (LETTERS, np.array([0, 4], np.int32)),
        lambda *_: (texts("a b c d"), np.array([0, 1])),
        attrs={
            "separator": " ",
            "ngram_widths": [9],
            "left_pad": "",
            "right_pad": "",
            "pad_width": 0,
            "preserve_short_sequences": True,
        },
        label="short",
    ),
]

PARTS = [
    row(StringLength, (WORDS,), lambda x: np.vectorize(len)(x)),
    row(
        StringLength,
        (texts("naïve", "😀é", ""),),
        lambda x: np.array([len(text.decode()) for text in x]),
        attrs={"unit": "UTF8_CHAR"},
        label="characters",
    ),
    row(StringLower, (WORDS,), each(bytes.lower)),
    row(
        StringLower,
        (texts("ÀÉ", "ΑΣ"),),
        lambda x: texts("àé", "ας"),
        attrs={"encoding": "utf-8"},
        label="utf8",
    ),
    row(StringUpper, (WORDS,), each(bytes.upper)),
    row(
        StringUpper,
        (texts("straße", "é"),),
        lambda x: texts("STRASSE", "É"),
        attrs={"encoding": "utf-8"},
        label="utf8",
    ),
    row(StringStrip, (WORDS,), each(bytes.strip)),
    row(
        Substr,
        (LETTERS, np.array([0, -1, 1, 0]), np.array([5, 1, 1, 0])),
        lambda *_: texts("a", "b", "", ""),
    ),
    row(
        Substr,
        (texts("naïve", "été"), np.array(1, np.int32), np.array(2, np.int32)),
        lambda x, *_: of_bytes([text.decode()[1:3].encode() for text in x]),
        attrs={"unit": "UTF8_CHAR"},
        label="characters",
    ),
    row(
        Substr,
        (texts("abc", "def"), np.array([[0], [1]]), np.array([[1], [2]])),
        lambda *_: of_bytes([b"a", b"d", b"bc", b"ef"], (2, 2)),
        label="broadcast",
    ),
]

NUMBERS = [
    OpCase(
        AsString,
        (Input(2, 3, low=-9, high=9),),
        lambda x: of_bytes([format_c(value) for value in x.reshape(-1).tolist()], x.shape),
        (*INTEGERS, *FLOATS, *COMPLEX),
        differentiable=False,
    ),
    row(AsString, (np.array([True, False]),), lambda _: texts("true", "false"), label="booleans"),
    row(
        AsString,
        (LETTERS,),
        lambda x: of_bytes([b"   " + text for text in x]),
        attrs={"width": 4},
        label="strings",
    ),
    row(
        AsString,
        (np.array([1.5, -np.inf, np.nan, 1e10]),),
        lambda _: texts("001.50", "  -inf", "   nan", "10000000000.00"),
        attrs={"width": 6, "fill": "0", "precision": 2},
        label="filled",
    ),
    row(
        AsString,
        (np.array([1.5, 1e-10, 123456789.0], np.float32),),
        lambda _: texts("1.500000e+00", "1.000000e-10", "1.234568e+08"),
        attrs={"scientific": True},
        label="scientific",
    ),
    row(
        AsString,
        (np.array([1.5, 1e-10, 123456789.0]),),
        lambda _: texts("+1.5", "+1e-10", "+1.23457e+08"),
        attrs={"shortest": True, "fill": "+"},
        label="shortest",
    ),
    *(
        row(
            StringToNumber,
            (texts(" 7", "12\n", "+0"),),
            lambda _: np.array([7, 12, 0]),
            attrs={"out_type": dtype},
            label=dtype,
        )
        for dtype in ("float32", "float64", "int32", "int64", "uint32", "uint64")
    ),
    row(
        StringToNumber,
        (texts("1e-3", "-inf", "0x1p4", ".5", "nan"),),
        lambda _: np.array([1e-3, -np.inf, 16, 0.5, np.nan]),
        attrs={"out_type": "float64"},
        label="floats",
    ),
]

PATTERN, REWRITE = rb"([a-z])([a-z]*)", rb"\2[\1]"


def rewritten(text):
    return re.sub(PATTERN, lambda match: match[2] + b"[" + match[1] + b"]", text)


EXPRESSIONS = [
    row(
        RegexReplace,
        (WORDS, of_bytes([PATTERN], ()), of_bytes([REWRITE], ())),
        each(rewritten),
    ),
    row(
        StaticRegexReplace,
        (WORDS,),
        each(rewritten),
        attrs={"pattern": PATTERN.decode(), "rewrite": REWRITE.decode()},
    ),
    row(
        StaticRegexReplace,
        (WORDS,),
        each(lambda text: text.replace(b"a", b"", 1)),
        attrs={"pattern": "a", "rewrite": "", "replace_global": False},
        label="first",
    ),
    row(
        RegexFullMatch,
        (WORDS, of_bytes([b"[a-z]+"], ())),
        lambda x, _: np.vectorize(lambda text: text.isalpha() and text.islower())(x),
    ),
    row(
        StaticRegexFullMatch,
        (texts("naïve", "naive", "n1"),),
        lambda _: np.array([True, True, False]),
        attrs={"pattern": r"\pL+"},
    ),
]

HASHES = [
    row(
        StringToHashBucketFast,
        (texts("Hello", "TensorFlow", "2.x", ""),),
        lambda _: np.array([0, 2, 2, 2]),
        attrs={"num_buckets": 3},
    ),
    row(
        StringToHashBucketStrong,
        (texts("Hello", "TF"),),
        lambda _: np.array([2, 0]),
        attrs={"num_buckets": 3, "key": [1, 2]},
    ),
    row(
        StringToHashBucket,
        (texts("Hello", "TensorFlow", "2.x"),),
        lambda _: np.array([2, 0, 1]),
        attrs={"num_buckets": 3},
    ),
    OpCase(
        _TensorToHashBucketFast,
        (Input(3, low=5, high=5),),
        lambda _: np.full(3, 1),
        INTEGERS,
        attrs={"num_buckets": 7},
        differentiable=False,
        empty_shapes=(),
    ),
    row(
        Fingerprint,
        (texts("a", ""), of_bytes([b"farmhash64"], ())),
        lambda *_: np.array(
            [
                [227, 117, 223, 182, 101, 66, 69, 179],
                [79, 64, 144, 47, 59, 106, 225, 154],
            ]
        ),
    ),
]

CASES = [*JOINING, *SPLITTING, *PARTS, *NUMBERS, *EXPRESSIONS, *HASHES]
