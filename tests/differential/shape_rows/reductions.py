"""Reductions, cumulative sums, arg-extremes, segments."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_AXES = (0, -1, 2, 3, -4, [0], [1, 2], [0, -1], [0, 0], [])
_NUMERIC = "Mean Prod Max Min EuclideanNorm"
_SEGMENTS = "SegmentMean SegmentProd SegmentMax SegmentMin"
_UNSORTED = "UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin"


def _reduce(op, axis, keep=False, dtype="float32", dims=(2, 3, 4)):
    inputs = {"input": Given(dims, dtype), "reduction_indices": Value(axis)}
    return Row(op, inputs, {"keep_dims": True} if keep else {})


ROWS = [
    *(_reduce("Sum", axis, keep) for axis in _AXES for keep in (False, True)),
    *(_reduce(op, [1], keep) for op in _NUMERIC.split() for keep in (False, True)),
    *(_reduce(op, [0, 2], dtype="bool") for op in ("All", "Any")),
    _reduce("Sum", [], dims=()),
    _reduce("Sum", 0, dims=()),
    _reduce("Max", [0], dims=(0, 3)),
    *(
        Row(op, {"input": Given((2, 3, 4)), "dimension": Value(axis)}, attrs)
        for op in ("ArgMax", "ArgMin")
        for axis, attrs in ((0, {}), (-1, {"output_type": "int32"}), (3, {}))
    ),
    Row("ArgMax", {"input": Given(()), "dimension": Value(0)}),
    *(
        Row(op, {"x": Given((2, 3)), "axis": Value(axis)})
        for op in ("Cumsum", "Cumprod", "CumulativeLogsumexp")
        for axis in (1, -3)
    ),
    Row("L2Loss", {"t": Given((2, 3))}),
    *(
        Row("SegmentSum", {"data": Given(data), "segment_ids": Given(ids, "int32")})
        for data, ids in (((4, 3), (4,)), ((4,), (4,)), ((4, 3), (5,)), ((4, 3), (4, 3)))
    ),
    *(
        Row(op, {"data": Given((4, 3)), "segment_ids": Given((4,), "int32")})
        for op in _SEGMENTS.split()
    ),
    *(
        Row(
            "UnsortedSegmentSum",
            {"data": Given(data), "segment_ids": Given(ids, "int32"), "num_segments": Value(count)},
        )
        for data, ids, count in (
            ((4, 3), (4,), 5),
            ((4, 3, 2), (4, 3), 5),
            ((4, 3), (3,), 5),
            ((4,), (4,), 0),
            ((4, 3), (), 5),
        )
    ),
    *(
        Row(
            op,
            {"data": Given((4, 3)), "segment_ids": Given((4,), "int32"), "num_segments": Value(2)},
        )
        for op in _UNSORTED.split()
    ),
    *(
        Row(
            op,
            {
                "data": Given((4, 3)),
                "indices": Given((5,), "int32"),
                "segment_ids": Given((5,), "int32"),
            },
        )
        for op in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")
    ),
    Row(
        "SparseSegmentSumWithNumSegments",
        {
            "data": Given((4, 3)),
            "indices": Given((5,), "int32"),
            "segment_ids": Given((5,), "int32"),
            "num_segments": Value(6),
        },
    ),
    Row("Bincount", {"arr": Given((4,), "int32"), "size": Value(7), "weights": Given((4,))}),
    Row(
        "HistogramFixedWidth",
        {"values": Given((4,)), "value_range": Given((2,)), "nbins": Value(7)},
    ),
]
