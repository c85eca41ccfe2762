"""Ops of strings, bytes, sets and edit distances."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

TEXT = "string"


def _text(*shapes):
    return [Given(dims, TEXT) for dims in shapes]


def _join(*shapes):
    return Row("StringJoin", {"inputs": _text(*shapes)})


def _reduce(dims, axes, keep_dims=False):
    inputs = {"inputs": Given(dims, TEXT), "reduction_indices": Value(axes)}
    return Row("ReduceJoin", inputs, {"keep_dims": keep_dims})


def _part(text, pos, length):
    inputs = {
        "input": Given(text, TEXT),
        "pos": Given(pos, "int32"),
        "len": Given(length, "int32"),
    }
    return Row("Substr", inputs)


def _segments(text, ids, count):
    inputs = {
        "inputs": Given(text, TEXT),
        "segment_ids": Given(ids, "int32"),
        "num_segments": Value(count),
    }
    return Row("UnsortedSegmentJoin", inputs)


def _distance(hypothesis, truth):
    rank = len(hypothesis)
    inputs = {
        "hypothesis_indices": Given((3, rank), "int64"),
        "hypothesis_values": Given((3,), "int32"),
        "hypothesis_shape": Value(hypothesis, "int64"),
        "truth_indices": Given((2, len(truth)), "int64"),
        "truth_values": Given((2,), "int32"),
        "truth_shape": Value(truth, "int64"),
    }
    return Row("EditDistance", inputs)


def _sparse(prefix, count, rank):
    """The three inputs of a sparse tensor."""
    return {
        f"{prefix}_indices": Given((count, rank), "int64"),
        f"{prefix}_values": Given((count,), "int64"),
        f"{prefix}_shape": Given((rank,), "int64"),
    }


_UNION = {"set_operation": "union"}

ROWS = [
    _join((2, 3), (), (2, 3)),
    _join((), ()),
    _join((2, 3), (3,)),
    _reduce((2, 3, 4), [0, -1]),
    _reduce((2, 3, 4), [1], keep_dims=True),
    _reduce((2, 3), [2]),
    _reduce((2, 3), []),
    _segments((3, 4), (3,), 5),
    _segments((3, 4), (3, 4), 0),
    _segments((3,), (4,), 5),
    _segments((3,), (3, 4), 5),
    _part((2, 3), (), ()),
    _part((2, 3), (3,), (3,)),
    _part((3,), (2, 3), (2, 3)),
    _part((2, 3), (2,), (2,)),
    _part((2, 3), (3,), (1,)),
    Row("StringSplit", {"input": Given((3,), TEXT), "delimiter": Given((), TEXT)}),
    Row("StringSplitV2", {"input": Given((3,), TEXT), "sep": Given((), TEXT)}),
    Row(
        "RegexReplace",
        {
            "input": Given((2, 3), TEXT),
            "pattern": Given((), TEXT),
            "rewrite": Given((), TEXT),
        },
    ),
    Row("RegexFullMatch", {"input": Given((2, 3), TEXT), "pattern": Given((), TEXT)}),
    Row("StringLength", {"input": Given((2, 3), TEXT)}),
    Row("UnicodeDecode", {"input": Given((2, 3), TEXT)}, {"input_encoding": "UTF-8"}),
    Row("UnicodeDecodeWithOffsets", {"input": Given((2,), TEXT)}, {"input_encoding": "UTF-8"}),
    Row(
        "UnicodeEncode",
        {"input_values": Given((5,), "int32"), "input_splits": Given((3,), "int64")},
        {"output_encoding": "UTF-8"},
    ),
    Row(
        "StringNGrams",
        {"data": Given((5,), TEXT), "data_splits": Given((3,), "int64")},
        {
            "separator": "",
            "ngram_widths": [2],
            "left_pad": "",
            "right_pad": "",
            "pad_width": 0,
            "preserve_short_sequences": False,
        },
    ),
    Row(
        "Fingerprint",
        {"data": Given((2, 3), "int32"), "method": Value("farmhash64", TEXT)},
    ),
    Row("DecodeRaw", {"bytes": Given((2, 3), TEXT)}, {"out_type": "int16"}),
    Row(
        "DecodePaddedRaw",
        {"input_bytes": Given((2, 3), TEXT), "fixed_length": Value(6)},
        {"out_type": "int16"},
    ),
    Row(
        "DecodePaddedRaw",
        {"input_bytes": Given((2,), TEXT), "fixed_length": Value(5)},
        {"out_type": "int16"},
    ),
    Row("ReadFile", {"filename": Given((), TEXT)}),
    Row("MatchingFiles", {"pattern": Given((2,), TEXT)}),
    Row("SerializeTensor", {"tensor": Given((2, 3))}),
    Row("ParseTensor", {"serialized": Given((), TEXT)}, {"out_type": "int32"}),
    _distance([2, 3, 4], [2, 5, 4]),
    _distance([2, 3], [2, 3, 4]),
    _distance([3], [3]),
    Row(
        "DenseToDenseSetOperation",
        {"set1": Given((2, 3), "int64"), "set2": Given((2, 4), "int64")},
        _UNION,
    ),
    Row(
        "DenseToDenseSetOperation",
        {"set1": Given((2, 3), "int64"), "set2": Given((3, 4), "int64")},
        _UNION,
    ),
    Row(
        "DenseToSparseSetOperation",
        {"set1": Given((2, 3), "int64"), **_sparse("set2", 5, 2)},
        _UNION,
    ),
    Row(
        "SparseToSparseSetOperation",
        {**_sparse("set1", 4, 3), **_sparse("set2", 5, 3)},
        _UNION,
    ),
    Row("SetSize", _sparse("set", 4, 3)),
]
