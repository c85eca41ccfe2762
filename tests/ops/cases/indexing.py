"""Rows of gathers, scatters, segments, partitions, sorting and distinct elements."""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.ops.dynamic_partition_ops import (
    DynamicPartition,
    DynamicStitch,
    ParallelDynamicStitch,
)
from featherflow.ops.gather_ops import Gather, GatherV2, UnsortedSegmentSum
from featherflow.ops.grid_ops import UnravelIndex
from featherflow.ops.one_hot_ops import OneHot
from featherflow.ops.scatter_nd_ops import (
    GatherNd,
    ScatterNd,
    ScatterNdNonAliasingAdd,
    TensorScatterAdd,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterSub,
    TensorScatterUpdate,
)
from featherflow.ops.segment_ops import (
    SegmentMax,
    SegmentMean,
    SegmentMin,
    SegmentProd,
    SegmentSum,
    UnsortedSegmentMax,
    UnsortedSegmentMin,
    UnsortedSegmentProd,
)
from featherflow.ops.sort_ops import LowerBound, UpperBound
from featherflow.ops.sparse_segment_ops import (
    SparseSegmentMean,
    SparseSegmentMeanGrad,
    SparseSegmentMeanWithNumSegments,
    SparseSegmentSqrtN,
    SparseSegmentSqrtNGrad,
    SparseSegmentSqrtNWithNumSegments,
    SparseSegmentSum,
    SparseSegmentSumGrad,
    SparseSegmentSumWithNumSegments,
)
from featherflow.ops.sparse_tensor_ops import SparseToDense
from featherflow.ops.top_k_ops import NthElement, TopK, TopKV2
from featherflow.ops.unique_ops import (
    ListDiff,
    Unique,
    UniqueV2,
    UniqueWithCounts,
    UniqueWithCountsV2,
)
from featherflow.ops.where_ops import Where

from ..op_case import FLOATS, NUMBERS, REAL, Input, OpCase

ANY = (*NUMBERS, "bool")
CUBE = Input(2, 3, 4)
MATRIX = Input(4, 2)
DISTINCT = Input(4, 2, low=-9, high=9, distinct=True)
WORDS = np.array([b"a", b"", b"bc", b"a\x00"], dtype=object)


def ints(*values):
    return np.array(values, np.int32)


PLACES = np.array([[3, 0], [1, 1]], np.int32)

GATHERS = [
    OpCase(
        GatherV2,
        (MATRIX, PLACES, np.array(0, np.int32)),
        lambda x, *_: x[PLACES],
        ANY,
        empty_shapes=((4, 0),),
    ),
    OpCase(
        GatherV2,
        (CUBE, np.array([2, 0, 2, 1]), np.array(-2, np.int64)),
        lambda x, *_: x[:, [2, 0, 2, 1]],
        label="middle",
    ),
    OpCase(
        GatherV2,
        (CUBE, np.array([[3, 0], [1, 1]]), np.array(2, np.int32)),
        lambda x, indices, _: np.stack([x[0][:, [3, 0]], x[1][:, [1, 1]]]),
        ANY,
        {"batch_dims": 1},
        empty_shapes=(),
        label="batch",
    ),
    OpCase(
        GatherV2,
        (WORDS, ints(2, 2), np.array(0, np.int32)),
        lambda x, *_: x[[2, 2]],
        ("string",),
        label="strings",
    ),
    OpCase(
        Gather,
        (MATRIX, PLACES),
        lambda x, _: x[PLACES],
        ANY,
        {"validate_indices": False},
        empty_shapes=((4, 0),),
    ),
    OpCase(
        GatherNd,
        (CUBE, np.array([[1, 2], [0, 0], [1, 2]])),
        lambda x, _: x[[1, 0, 1], [2, 0, 2]],
        ANY,
        empty_shapes=(),
    ),
    OpCase(
        GatherNd,
        (CUBE, np.array([[1], [1]])),
        lambda x, _: x[[1, 1]],
        empty_shapes=(),
        label="rows",
    ),
    OpCase(
        GatherNd, (CUBE, ints(1, 2, 3)), lambda x, _: x[1, 2, 3], empty_shapes=(), label="scalar"
    ),
    OpCase(
        GatherNd,
        (CUBE, np.array([[1, 3], [0, 0]])),
        lambda x, _: np.stack([np.zeros(4, x.dtype), x[0, 0]]),
        attrs={"bad_indices_policy": "IGNORE"},
        empty_shapes=(),
        label="ignore",
    ),
]


def added(shape, places, updates):
    result = np.zeros(shape, updates.dtype)
    np.add.at(result, tuple(np.moveaxis(places, -1, 0)), updates)
    return result


SCATTER_PLACES = np.array([[2], [0], [2]])


def scatter_with(ufunc):
    def reference(tensor, places, updates):
        result = tensor.copy()
        if ufunc is None:
            for place, update in zip(places[:, 0], updates):
                result[place] = update
        else:
            ufunc.at(result, places[:, 0], updates)
        return result

    return reference


SCATTERS = [
    OpCase(
        ScatterNd,
        (SCATTER_PLACES, Input(3, 2), np.array([4, 2])),
        lambda places, updates, _: added((4, 2), places, updates),
        ANY,
        empty_shapes=(),
    ),
    OpCase(
        ScatterNd,
        (np.array([[0, 1], [3, 0]]), Input(2), np.array([3, 2])),
        lambda places, updates, _: added((3, 2), places[:1], updates[:1]),
        attrs={"bad_indices_policy": "IGNORE"},
        differentiable=False,  # GatherNd of places out of range is refused
        empty_shapes=(),
        label="ignore",
    ),
    *(
        OpCase(
            op,
            (MATRIX, SCATTER_PLACES, Input(3, 2)),
            scatter_with(ufunc),
            kinds,
            # Of updates that overwrite each other TensorFlow counts each.
            differentiable=ufunc is not None,
            empty_shapes=(),  # there is no place for an update
            tolerances={"float16": 4e-3, "bfloat16": 3e-2},
            reason="updates of one place are rounded one by one in the reference's order",
        )
        for op, ufunc, kinds in (
            (TensorScatterUpdate, None, ANY),
            (TensorScatterAdd, np.add, NUMBERS),
            (ScatterNdNonAliasingAdd, np.add, NUMBERS),
            (TensorScatterSub, np.subtract, NUMBERS),
        )
    ),
    OpCase(
        TensorScatterUpdate,
        (MATRIX, np.array([[2], [0]]), Input(2, 2)),
        scatter_with(None),
        label="apart",
    ),
    *(
        OpCase(
            op,
            (DISTINCT, SCATTER_PLACES, Input(3, 2, low=-8.9, high=8.7, distinct=True)),
            scatter_with(ufunc),
            REAL,
            twice=False,
            empty_shapes=(),
        )
        for op, ufunc in ((TensorScatterMax, np.maximum), (TensorScatterMin, np.minimum))
    ),
    OpCase(
        SparseToDense,
        (np.array([[0, 1], [2, 0]]), np.array([3, 2]), Input(2), Input()),
        lambda places, _, values, default: np.array(
            [[default, values[0]], [default, default], [values[1], default]]
        ),
        ANY,
        empty_shapes=(),
    ),
    OpCase(
        OneHot,
        (np.array([[1, 5], [0, -1]]), np.array(3, np.int32), Input(), Input()),
        lambda places, _, on, off: np.where(places[..., None] == np.arange(3), on, off),
        ANY,
        empty_shapes=(),
    ),
    OpCase(
        OneHot,
        (np.array([[1, 5], [0, -1]], np.int8), np.array(3, np.int32), Input(), Input()),
        lambda places, _, on, off: np.where(places[:, None] == np.arange(3)[:, None], on, off),
        attrs={"axis": 1},
        label="middle",
    ),
]

# --- segments -------------------------------------------------------------------------------------

SORTED_IDS = ints(0, 0, 2, 2)
SORTED_NUMBERS = Input(4, 2, low=0.5, high=2)


def by_segment(function, empty, count=3):
    def reference(data, ids, *_):
        rows = [
            function(data[ids == j]) if (ids == j).any() else np.full(data.shape[1:], empty(data))
            for j in range(count)
        ]
        return np.array(rows).astype(data.dtype)

    return reference


def mean(rows):
    total = rows.sum(0)
    return np.trunc(total / len(rows)) if rows.dtype.kind in "iu" else total / len(rows)


def nothing(data):
    return 0


def one(data):
    return 1


# Ids fit whole rows only: the empty input has no columns.
NO_COLUMNS = ((4, 0),)


def segment_row(op, data, ids, function, empty, kinds, count=None, **fields):
    sizes = () if count is None else (np.array(count, np.int32),)
    reference = by_segment(function, empty, count or 3)
    return OpCase(op, (data, ids, *sizes), reference, kinds, empty_shapes=NO_COLUMNS, **fields)


def total(rows):
    return rows.sum(0)


def product(rows):
    return rows.prod(0)


def largest(rows):
    return rows.max(0)


def least(rows):
    return rows.min(0)


UNSORTED_IDS = ints(2, 0, -1, 2)
ALL_IDS = ints(2, 0, 1, 2)

SEGMENTS = [
    segment_row(SegmentSum, MATRIX, SORTED_IDS, total, nothing, NUMBERS),
    segment_row(SegmentMean, MATRIX, SORTED_IDS, mean, nothing, NUMBERS),
    segment_row(SegmentProd, SORTED_NUMBERS, SORTED_IDS, product, one, NUMBERS),
    segment_row(SegmentMax, DISTINCT, SORTED_IDS, largest, nothing, REAL, twice=False),
    segment_row(SegmentMin, DISTINCT, SORTED_IDS, least, nothing, REAL, twice=False),
    segment_row(UnsortedSegmentSum, MATRIX, UNSORTED_IDS, total, nothing, NUMBERS, 4),
    segment_row(UnsortedSegmentProd, SORTED_NUMBERS, UNSORTED_IDS, product, one, NUMBERS, 4),
    # Segments without rows are tested against NumPy's limits in test_array_api.py.
    segment_row(UnsortedSegmentMax, DISTINCT, ALL_IDS, largest, nothing, REAL, 3, twice=False),
    segment_row(UnsortedSegmentMin, DISTINCT, ALL_IDS, least, nothing, REAL, 3, twice=False),
    OpCase(
        SegmentSum,
        (Input(0, 2), np.zeros(0, np.int64)),
        lambda data, _: np.zeros((0, 2)),
        label="nothing",
    ),
    OpCase(
        UnsortedSegmentSum,
        (Input(2, 2, 3), np.array([[1, 0], [1, 1]]), np.array(2, np.int64)),
        lambda data, *_: np.stack([data[0, 1], data[0, 0] + data[1, 0] + data[1, 1]]),
        empty_shapes=((2, 2, 0),),
        label="matrix",
    ),
]

GATHERED = ints(3, 0, 1)
GATHERED_IDS = ints(0, 0, 2)


def sparse_segments(power, count):
    def reference(data, indices, ids, *_):
        result = np.zeros((count, *data.shape[1:]), data.dtype)
        for j in range(count):
            rows = data[indices[ids == j]]
            if len(rows):
                result[j] = rows.sum(0) / len(rows) ** power
        return result

    return reference


def sparse_segment_grads(power):
    def reference(grad, indices, ids, _):
        result = np.zeros((5, *grad.shape[1:]), grad.dtype)
        for index, j in zip(indices, ids):
            result[index] += grad[j] / np.count_nonzero(ids == j) ** power
        return result

    return reference


SPARSE_SEGMENTS = [
    *(
        OpCase(
            op,
            (MATRIX, GATHERED, GATHERED_IDS),
            sparse_segments(power, 3),
            kinds,
            empty_shapes=NO_COLUMNS,
        )
        for op, power, kinds in (
            (SparseSegmentSum, 0, REAL),
            (SparseSegmentMean, 1, FLOATS),
            (SparseSegmentSqrtN, 0.5, FLOATS),
        )
    ),
    *(
        OpCase(
            op,
            (MATRIX, GATHERED, GATHERED_IDS, np.array(5, np.int32)),
            sparse_segments(power, 5),
            kinds,
            attrs,
            empty_shapes=NO_COLUMNS,
        )
        for op, power, kinds, attrs in (
            (SparseSegmentSumWithNumSegments, 0, REAL, {"sparse_gradient": True}),
            (SparseSegmentMeanWithNumSegments, 1, FLOATS, {}),
            (SparseSegmentSqrtNWithNumSegments, 0.5, FLOATS, {}),
        )
    ),
    *(
        OpCase(
            op,
            (Input(3, 2), GATHERED, GATHERED_IDS, np.array(5, np.int32)),
            sparse_segment_grads(power),
            FLOATS,
            empty_shapes=((3, 0),),
        )
        for op, power in (
            (SparseSegmentSumGrad, 0),
            (SparseSegmentMeanGrad, 1),
            (SparseSegmentSqrtNGrad, 0.5),
        )
    ),
]

# --- partitions, order, distinct elements ---------------------------------------------------------

PARTITIONS = ints(1, 0, 1, 0)


def stitched(*indices_and_data):
    return np.stack([indices_and_data[2][1], indices_and_data[3], indices_and_data[2][0]])


def top(x, k):
    order = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1), order


ROWS_TO_SORT = Input(2, 5, low=-30, high=30, distinct=True)
REPEATED = ints(5, 3, 5, 5, 1, 3)
ROWS = np.array([[1, 2], [3, 4], [1, 2], [0, 0]])

ORDER = [
    OpCase(
        DynamicPartition,
        (MATRIX, PARTITIONS),
        lambda data, parts: tuple(data[parts == part] for part in range(3)),
        ANY,
        {"num_partitions": 3},
        empty_shapes=((4, 0),),
    ),
    OpCase(
        DynamicPartition,
        (WORDS, PARTITIONS),
        lambda data, parts: tuple(data[parts == part] for part in range(2)),
        ("string",),
        {"num_partitions": 2},
        label="strings",
    ),
    *(
        OpCase(
            op,
            ([ints(2, 0), np.array(1, np.int32)], [Input(2, 3), Input(3)]),
            stitched,
            ANY,
            empty_shapes=((2, 0), (0,)),
        )
        for op in (DynamicStitch, ParallelDynamicStitch)
    ),
    OpCase(
        TopKV2, (ROWS_TO_SORT, np.array(3, np.int32)), lambda x, _: top(x, 3), REAL, twice=False
    ),
    OpCase(
        TopKV2,
        (ints(2, 7, 7, 1), np.array(3, np.int16)),
        lambda x, _: (np.array([7, 7, 2]), np.array([1, 2, 0])),
        ("int32",),
        {"index_type": dtypes.int64, "sorted": False},
        label="ties",
    ),
    OpCase(TopK, (ROWS_TO_SORT,), lambda x: top(x, 2), REAL, {"k": 2}, twice=False),
    OpCase(
        NthElement,
        (ROWS_TO_SORT, np.array(1, np.int32)),
        lambda x, _: np.sort(x, -1)[..., 1],
        REAL,
        twice=False,
        empty_shapes=((0, 5),),
    ),
    OpCase(
        NthElement,
        (ROWS_TO_SORT, np.array(1, np.int32)),
        lambda x, _: np.sort(x, -1)[..., -2],
        attrs={"reverse": True},
        twice=False,
        label="reverse",
    ),
    *(
        OpCase(
            op,
            (np.array([[1.0, 2, 2, 5]]), np.array([[2.0, 0, 6]])),
            lambda rows, values, side=side: np.searchsorted(rows[0], values, side),
            ("float64",),
            {"out_type": dtypes.int64},
        )
        for op, side in ((LowerBound, "left"), (UpperBound, "right"))
    ),
    OpCase(Unique, (REPEATED,), lambda x: (ints(5, 3, 1), ints(0, 1, 0, 0, 2, 1)), ("int32",)),
    OpCase(
        Unique,
        (np.array([b"b", b"a", b"b"], object),),
        lambda x: (np.array([b"b", b"a"], object), ints(0, 1, 0)),
        ("string",),
        {"out_idx": dtypes.int64},
        label="strings",
    ),
    OpCase(
        UniqueWithCounts,
        (REPEATED,),
        lambda x: (ints(5, 3, 1), ints(0, 1, 0, 0, 2, 1), ints(3, 2, 1)),
        ("int32",),
    ),
    OpCase(
        UniqueV2,
        (ROWS, np.array([0])),
        lambda x, _: (ROWS[[0, 1, 3]], ints(0, 1, 0, 2)),
        ("int64",),
    ),
    OpCase(
        UniqueWithCountsV2,
        (ROWS.T.copy(), np.array([-1])),
        lambda x, _: (ROWS[[0, 1, 3]].T, ints(0, 1, 0, 2), ints(2, 1, 1)),
        ("int64",),
    ),
    OpCase(
        ListDiff,
        (REPEATED, ints(5, 9)),
        lambda x, y: (ints(3, 1, 3), ints(1, 4, 5)),
        ("int32",),
    ),
    OpCase(
        ListDiff,
        (WORDS, np.array([b"a"], object)),
        lambda x, y: (WORDS[1:], ints(1, 2, 3)),
        ("string",),
        label="strings",
    ),
    OpCase(Where, (Input(2, 3, dtype="bool"),), np.argwhere, ("bool",)),
    OpCase(Where, (Input(2, 3, low=-1, high=1),), np.argwhere, NUMBERS, label="numbers"),
    OpCase(
        UnravelIndex,
        (ints(5, 0, 11), ints(3, 4)),
        lambda x, _: np.array(np.unravel_index(x, (3, 4))),
        ("int32",),
    ),
]

CASES = GATHERS + SCATTERS + SEGMENTS + SPARSE_SEGMENTS + ORDER
