"""Indexing ops: slices, gathers, scatters, one-hot, where, unique, partitions, top-k.

Left out is what TensorFlow builds and then always refuses to run: a one-hot axis beyond the rank,
`batch_dims` beyond `axis`, indices deeper than the tensor. Refusing to build those is no difference
that a program could want otherwise.
"""

from __future__ import annotations

from ..static_shapes import Given, Row, Value


def _slice(dims, begin, size):
    return Row("Slice", {"input": Given(dims), "begin": Value(begin), "size": Value(size)})


def _strided(dims, begin, end, strides, **masks):
    inputs = {
        "input": Given(dims),
        "begin": Value(begin),
        "end": Value(end),
        "strides": Value(strides),
    }
    return Row("StridedSlice", inputs, masks)


def _gather(params, indices, axis, batch_dims=0):
    inputs = {"params": Given(params), "indices": Given(indices, "int32"), "axis": Value(axis)}
    return Row("GatherV2", inputs, {"batch_dims": batch_dims} if batch_dims else {})


def _scatter(op, tensor, indices, updates):
    inputs = {
        "tensor": Given(tensor),
        "indices": Given(indices, "int32"),
        "updates": Given(updates),
    }
    return Row(op, inputs)


def _scatter_nd(indices, updates, shape):
    inputs = {
        "indices": Given(indices, "int32"),
        "updates": Given(updates),
        "shape": Value(shape),
    }
    return Row("ScatterNd", inputs)


_SLICES = [
    _slice((4, 5), [1, 0], [2, 3]),
    _slice((4, 5), [1, 2], [-1, -1]),
    _slice((4, 5), [1, 0], [4, 1]),
    _slice((4, 5), [0], [1]),
    _slice((4, 5), [5, 0], [0, 1]),
    _slice((), [], []),
    _strided((4, 5), [1, 0], [3, 5], [1, 2]),
    _strided((4, 5), [1], [2], [1], shrink_axis_mask=1),
    _strided((4, 5), [-1], [0], [1], shrink_axis_mask=1),
    _strided((4, 5), [4], [5], [1], shrink_axis_mask=1),
    _strided((4, 5), [0, 0], [0, 0], [1, 1], begin_mask=3, end_mask=3),
    _strided((4, 5), [0, 0], [0, 0], [-1, -2], begin_mask=3, end_mask=3),
    _strided((4, 5), [0, 1], [0, 3], [1, 1], ellipsis_mask=1),
    _strided((4, 5), [0, 1], [0, 3], [1, 1], new_axis_mask=1),
    _strided((4, 5, 6), [0, 1, 0], [0, 2, 0], [1, 1, 1], ellipsis_mask=1, shrink_axis_mask=2),
    _strided((4, 5), [3, 0], [1, 5], [1, 1]),
    _strided((4, 5), [0, 0], [4, 5], [0, 1]),
    _strided((4,), [0, 0], [1, 1], [1, 1]),
    _strided((4, 5), [-3, -2], [-1, 9], [1, 1]),
    Row(
        "StridedSliceGrad",
        {
            "shape": Value([4, 5]),
            "begin": Value([1, 0]),
            "end": Value([3, 5]),
            "strides": Value([1, 1]),
            "dy": Given((2, 5)),
        },
    ),
]

_GATHERS = [
    _gather((4, 5), (3,), 0),
    _gather((4, 5), (), 0),
    _gather((4, 5), (2, 3), 1),
    _gather((4, 5), (2, 3), -1),
    _gather((4, 5), (3,), 2),
    _gather((4, 5, 6), (4, 3), 1, batch_dims=1),
    _gather((4, 5, 6), (7, 3), 1, batch_dims=1),
    _gather((), (3,), 0),
    Row("Gather", {"params": Given((4, 5)), "indices": Given((2, 3), "int32")}),
    *(
        Row("GatherNd", {"params": Given(params), "indices": Given(indices, "int32")})
        for params, indices in (
            ((4, 5), (3, 2)),
            ((4, 5), (3, 1)),
            ((4, 5), (2,)),
            ((4, 5), (3, 0)),
            ((4, 5), (3, 3)),
            ((4, 5), ()),
        )
    ),
]

_SCATTERS = [
    _scatter_nd((2, 1), (2,), [5]),
    _scatter_nd((2, 1), (2, 3), [5, 3]),
    _scatter_nd((2, 2), (2,), [5, 3]),
    _scatter_nd((2, 1), (2, 4), [5, 3]),
    *(
        _scatter(op, (4, 5), (2, 1), (2, 5))
        for op in (
            "TensorScatterUpdate",
            "TensorScatterAdd",
            "TensorScatterSub",
            "TensorScatterMax",
        )
    ),
    _scatter("TensorScatterUpdate", (4, 5), (2, 2), (3,)),
    Row(
        "DynamicStitch",
        {
            "indices": [Value([0, 2]), Value([1, 4])],
            "data": [Given((2, 3)), Given((2, 3))],
        },
    ),
    Row(
        "DynamicStitch",
        {
            "indices": [Given((2,), "int32"), Given((), "int32")],
            "data": [Given((2, 3)), Given((3,))],
        },
    ),
    Row(
        "DynamicPartition",
        {"data": Given((4, 3)), "partitions": Given((4,), "int32")},
        {"num_partitions": 2},
    ),
    Row(
        "DynamicPartition",
        {"data": Given((4, 3)), "partitions": Given((5,), "int32")},
        {"num_partitions": 2},
    ),
]

_FINDING = [
    *(
        Row(
            "OneHot",
            {
                "indices": Given(dims, "int32"),
                "depth": Value(depth),
                "on_value": Given(()),
                "off_value": Given(()),
            },
            attrs,
        )
        for dims, depth, attrs in (
            ((2, 3), 5, {}),
            ((2, 3), 5, {"axis": 0}),
            ((2, 3), 5, {"axis": 1}),
            ((), 4, {}),
            ((2,), -1, {}),
        )
    ),
    *(Row("Where", {"input": Given(dims, "bool")}) for dims in ((3,), (2, 3), ())),
    Row("Unique", {"x": Given((4,))}),
    Row("Unique", {"x": Given((4, 2))}),
    Row("UniqueV2", {"x": Given((4, 2)), "axis": Value([0])}),
    Row("UniqueWithCounts", {"x": Given((4,))}),
    Row("ListDiff", {"x": Given((4,)), "y": Given((2,))}),
    *(
        Row("TopKV2", {"input": Given(dims), "k": Value(k)})
        for dims, k in (((2, 5), 3), ((5,), 0), ((2, 5), 6), ((), 1))
    ),
    Row(
        "InTopKV2",
        {"predictions": Given((2, 5)), "targets": Given((2,), "int32"), "k": Value(2)},
    ),
    Row(
        "InTopKV2",
        {"predictions": Given((2, 5)), "targets": Given((3,), "int32"), "k": Value(2)},
    ),
    Row("LowerBound", {"sorted_inputs": Given((2, 5)), "values": Given((2, 3))}),
    Row("UpperBound", {"sorted_inputs": Given((2, 5)), "values": Given((4, 3))}),
]

ROWS = [*_SLICES, *_GATHERS, *_SCATTERS, *_FINDING]
