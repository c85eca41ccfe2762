"""Ops of SparseTensors: their three parts, and dense tensors beside them."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value


def _parts(names, count=4, rank=2):
    """The indices, values and shape of a SparseTensor under `names`."""
    indices, values, shape = names.split()
    return {
        indices: Given((count, rank), "int64"),
        values: Given((count,)),
        shape: Value([5, 6, 7][:rank], "int64"),
    }


_INPUT = "input_indices input_values input_shape"
_SP = "sp_indices sp_values sp_shape"
_A = "a_indices a_values a_shape"
_B = "b_indices b_values b_shape"

ROWS = [
    Row(
        "SparseFillEmptyRows",
        {**_parts("indices values dense_shape"), "default_value": Given(())},
    ),
    Row(
        "SparseFillEmptyRowsGrad",
        {"reverse_index_map": Given((3,), "int64"), "grad_values": Given((5,))},
    ),
    *(
        Row(
            "SparseReshape",
            {
                "input_indices": Given((4, 2), "int64"),
                "input_shape": Value([5, 6], "int64"),
                "new_shape": Value(sizes, "int64"),
            },
        )
        for sizes in ([30], [-1, 3], [2, 3, 5], [7, 7], [-1, -1], [-1, 7])
    ),
    *(
        Row("SparseTensorDenseAdd", {**_parts(_A), "b": Given(dims)})
        for dims in ((5, 6), (5, 7), (5,), ())
    ),
    Row("SparseAdd", {**_parts(_A), **_parts(_B, 3), "thresh": Given(())}),
    Row("SparseAdd", {**_parts(_A), **_parts(_B, 3, 3), "thresh": Given((1,))}),
    Row(
        "SparseAddGrad",
        {
            "backprop_val_grad": Given((5,)),
            "a_indices": Given((4, 2), "int64"),
            "b_indices": Given((3, 2), "int64"),
            "sum_indices": Given((5, 2), "int64"),
        },
    ),
    *(
        Row("SparseTensorDenseMatMul", {**_parts(_A), "b": Given(dims)}, attrs)
        for dims, attrs in (
            ((6, 3), {}),
            ((5, 3), {}),
            ((5, 3), {"adjoint_a": True}),
            ((3, 6), {"adjoint_b": True}),
            ((3, 5), {"adjoint_a": True, "adjoint_b": True}),
            ((6,), {}),
        )
    ),
    Row("SparseReorder", _parts(_INPUT)),
    Row("SparseReorder", {**_parts(_INPUT), "input_values": Given((3,))}),
    *(
        Row(
            "SparseConcat",
            {
                "indices": [Given((4, 2), "int64"), Given((3, 2), "int64")],
                "values": [Given((4,)), Given((3,))],
                "shapes": [Value([5, 6], "int64"), Value(second, "int64")],
            },
            {"concat_dim": axis},
        )
        for axis, second in ((0, [2, 6]), (1, [5, 1]), (-1, [5, 1]), (2, [5, 6]), (0, [2, 7]))
    ),
    Row(
        "SparseSlice",
        {
            **_parts("indices values shape"),
            "start": Value([1, 2], "int64"),
            "size": Value([3, 9], "int64"),
        },
    ),
    Row(
        "SparseSliceGrad",
        {
            "backprop_val_grad": Given((2,)),
            "input_indices": Given((4, 2), "int64"),
            "input_start": Value([1, 2], "int64"),
            "output_indices": Given((2, 2), "int64"),
        },
    ),
    *(
        Row(
            "SparseSplit",
            {"split_dim": Value(axis, "int64"), **_parts("indices values shape")},
            {"num_split": 2},
        )
        for axis in (0, 1, -1, 2)
    ),
    Row("SparseSoftmax", _parts(_SP)),
    *(
        Row(op, {**_parts(_INPUT), "reduction_axes": Value(axes)}, attrs)
        for op in ("SparseReduceSum", "SparseReduceSumSparse", "SparseReduceMax")
        for axes in (0, [0], [0, -1], [2], [-3], [1, 1])
        for attrs in ({}, {"keep_dims": True})
    ),
    Row("SparseReduceMaxSparse", {**_parts(_INPUT), "reduction_axes": Value([0])}),
    *(
        Row(op, {**_parts(_SP), "dense": Given((5, 6))})
        for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
    ),
    *(
        Row(op, {**_parts(_A), **_parts(_B, 3)})
        for op in ("SparseSparseMaximum", "SparseSparseMinimum")
    ),
    Row("SparseSparseMaximum", {**_parts(_A), **_parts(_B, 3, 3)}),
    *(
        Row(op, _parts("sparse_indices sparse_values sparse_shape"))
        for op in ("SerializeSparse", "SerializeManySparse", "AddSparseToTensorsMap")
    ),
    Row("AddManySparseToTensorsMap", _parts("sparse_indices sparse_values sparse_shape")),
    *(
        Row("DeserializeSparse", {"serialized_sparse": Given(dims, "string")}, {"dtype": "float32"})
        for dims in ((3,), (2, 3), (2, 4), ())
    ),
    Row(
        "DeserializeManySparse",
        {"serialized_sparse": Given((2, 3), "string")},
        {"dtype": "float32"},
    ),
    Row(
        "TakeManySparseFromTensorsMap",
        {"sparse_handles": Given((2,), "int64")},
        {"dtype": "float32"},
    ),
    *(
        Row(
            op,
            {
                "grad": Given((3, 2)),
                "indices": Given((4,), "int32"),
                "segment_ids": Given((4,), "int32"),
                "dense_output_dim0": Value(5),
            },
        )
        for op in ("SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2")
    ),
    *(
        Row(
            op,
            {
                "data": Given((4, 2)),
                "segment_ids": Given((4,), "int32"),
                "num_segments": Value(size),
            },
        )
        for op in ("SegmentSumV2", "SegmentProdV2", "SegmentMinV2", "SegmentMaxV2")
        for size in (3, -1)
    ),
]
