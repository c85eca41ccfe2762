"""Rows of counts, crosses and the ops under ragged tensors, against loops over their rows."""

from __future__ import annotations

import itertools

import numpy as np

from featherflow.ops.ragged_conversion_ops import RaggedTensorToSparse, RaggedTensorToTensor
from featherflow.ops.ragged_cross_ops import RaggedCross
from featherflow.ops.ragged_gather_ops import RaggedGather, RaggedRange
from featherflow.ops.sparse_count_ops import (
    DenseCountSparseOutput,
    RaggedBincount,
    RaggedCountSparseOutput,
    SparseBincount,
    SparseCountSparseOutput,
)
from featherflow.ops.sparse_cross_ops import SparseCross, SparseCrossHashed, SparseCrossV2

from ..op_case import NUMBERS, Input, OpCase

COUNTED = ("int32", "int64", "float32", "float64")
MATRIX = np.array([[1, 2, 2], [3, 0, 3]], np.int32)
INDICES = np.array([[0, 1], [1, 0], [1, 3]])
VALUES = np.array([3, 1, 1], np.int32)
SHAPE = np.array([2, 4])
SPLITS = np.array([0, 1, 3])
SIZE = np.array(5, np.int32)


def counted(rows, values, weights, width):
    """[rows, width] counts or sums, and which of them are of numbers that are there."""
    totals = np.zeros((2, width), weights.dtype)
    there = np.zeros((2, width), bool)
    for place, (row, value) in enumerate(zip(rows, values)):
        totals[row, value] += weights[place]
        there[row, value] = True
    return totals, there


def as_sparse(totals, there):
    return np.argwhere(there), totals[there], np.array(totals.shape)


def dense_counts(values, weights):
    rows = np.repeat([0, 1], 3)
    return as_sparse(*counted(rows, values.ravel(), weights.ravel(), 4))


def words(*texts):
    array = np.empty(len(texts), object)
    array[:] = [text.encode() for text in texts]
    return array


def crossed(*columns):
    """The crosses of rows of features as strings, and their splits."""
    found, splits = [], [0]
    for features in zip(*columns):
        choices = itertools.product(*features)
        found.extend(b"_X_".join(choice) for choice in choices)
        splits.append(len(found))
    return words(*(text.decode() for text in found)), np.array(splits)


LETTERS = [[b"a"], [b"b", b"c"]]
NAMES = np.array([["x", "y"], ["z", "w"]], object)
for _place in np.ndindex(2, 2):
    NAMES[_place] = NAMES[_place].encode()


def rows_of(splits, values):
    return [values[start:end] for start, end in itertools.pairwise(splits)]


def padded(shape, values, default, splits):
    result = np.full((2, 3), default, values.dtype)
    for row, part in zip(result, rows_of(splits, values)):
        row[: len(part)] = part
    return result


def ragged_as_sparse(splits, values):
    rows = rows_of(splits, values)
    places = [[row, place] for row, part in enumerate(rows) for place in range(len(part))]
    return np.array(places), values, np.array([2, 2])


_COUNT = {"binary_output": False}

CASES = [
    OpCase(
        DenseCountSparseOutput,
        (MATRIX, Input(2, 3)),
        dense_counts,
        COUNTED,
        _COUNT,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseCountSparseOutput,
        (INDICES, VALUES, SHAPE, Input(3)),
        lambda i, v, s, w: as_sparse(*counted(i[:, 0], v, w, 4)),
        COUNTED,
        _COUNT,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        RaggedCountSparseOutput,
        (SPLITS, VALUES, Input(3)),
        lambda s, v, w: as_sparse(*counted([0, 1, 1], v, w, 4)),
        COUNTED,
        _COUNT,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseBincount,
        (INDICES, VALUES, SHAPE, SIZE, Input(3)),
        lambda i, v, s, n, w: counted(i[:, 0], v, w, 5)[0],
        COUNTED,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        RaggedBincount,
        (SPLITS, VALUES, SIZE, Input(3)),
        lambda s, v, n, w: counted([0, 1, 1], v, w, 5)[0],
        COUNTED,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        RaggedRange,
        (np.array([0, 5, 8]), np.array([3, 3, 12]), np.array([1, -1, 2])),
        lambda *_: (np.array([0, 3, 5, 7]), np.array([0, 1, 2, 5, 4, 8, 10])),
        ("int64",),
        differentiable=False,
    ),
    OpCase(
        RaggedGather,
        ([SPLITS], Input(3, 2), np.array([1, 0])),
        lambda s, v, i: (np.array([0, 2, 3]), v[[1, 2, 0]]),
        NUMBERS,
        {"OUTPUT_RAGGED_RANK": 1},
        empty_shapes=(),
    ),
    OpCase(
        RaggedTensorToTensor,
        (np.array([-1, 3]), Input(3), Input(), [SPLITS]),
        padded,
        NUMBERS,
        {"row_partition_types": ["ROW_SPLITS"]},
        empty_shapes=(),
    ),
    OpCase(
        RaggedTensorToSparse,
        ([SPLITS], Input(3)),
        ragged_as_sparse,
        NUMBERS,
        empty_shapes=(),
    ),
    OpCase(
        SparseCrossV2,
        ([], [], [], [words("p")[:, None].repeat(2, 0), NAMES], words("_X_").reshape(())),
        lambda *_: (
            np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
            words("p_X_x", "p_X_y", "p_X_z", "p_X_w"),
            np.array([2, 2]),
        ),
        ("string",),
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseCross,
        ([], [], [], [NAMES]),
        lambda *_: (np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), NAMES.reshape(-1), SHAPE // [1, 2]),
        ("string",),
        {
            "hashed_output": False,
            "num_buckets": 0,
            "hash_key": 0,
            "out_type": "string",
            "internal_type": "string",
        },
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseCrossHashed,
        (
            *([], [], [], [np.array([[1, 2], [3, 4]])]),
            *(np.array(0), np.array(False), np.array([0, 0])),
        ),
        lambda *_: (np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([1, 2, 3, 4]), [2, 2]),
        ("int64",),
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        RaggedCross,
        ([words("a", "b", "c")], [SPLITS], [], [], [], [NAMES]),
        lambda *_: crossed(LETTERS, NAMES.tolist()),
        ("string",),
        {
            "input_order": "RD",
            "hashed_output": False,
            "num_buckets": 0,
            "hash_key": 0,
            "out_values_type": "string",
            "out_row_splits_type": "int64",
        },
        differentiable=False,
        empty_shapes=(),
    ),
]
