"""Counts, crosses and ragged tensors."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value


def _splits(size, dtype="int64"):
    return Given((size,), dtype)


_SPARSE = {
    "indices": Given((4, 2), "int64"),
    "values": Given((4,), "int32"),
    "dense_shape": Value([5, 6], "int64"),
}
_COUNT = {"binary_output": False}

ROWS = [
    Row("SparseBincount", {**_SPARSE, "size": Value(7), "weights": Given((4,))}),
    Row("SparseBincount", {**_SPARSE, "size": Value(-7), "weights": Given((0,))}),
    Row(
        "SparseBincount",
        {
            **_SPARSE,
            "indices": Given((4, 1), "int64"),
            "dense_shape": Value([5], "int64"),
            "size": Value(7),
            "weights": Given((4,)),
        },
    ),
    *(
        Row(
            "DenseCountSparseOutput",
            {"values": Given(dims, "int32"), "weights": Given(dims)},
            {"binary_output": False},
        )
        for dims in ((4,), (4, 3), (4, 3, 2), ())
    ),
    Row("SparseCountSparseOutput", {**_SPARSE, "weights": Given((4,))}, _COUNT),
    Row(
        "RaggedCountSparseOutput",
        {"splits": _splits(4), "values": Given((5,), "int32"), "weights": Given((5,))},
        _COUNT,
    ),
    Row(
        "RaggedBincount",
        {
            "splits": _splits(4),
            "values": Given((5,), "int32"),
            "size": Value(7),
            "weights": Given((5,)),
        },
    ),
    Row(
        "SparseCross",
        {
            "indices": [Given((4, 2), "int64")],
            "values": [Given((4,), "int64")],
            "shapes": [Value([5, 6], "int64")],
            "dense_inputs": [Given((5, 2), "int64")],
        },
        {
            "hashed_output": True,
            "num_buckets": 9,
            "hash_key": 1,
            "out_type": "int64",
            "internal_type": "int64",
        },
    ),
    Row(
        "SparseCrossV2",
        {
            "indices": [Given((4, 2), "int64")],
            "values": [Given((4,), "string")],
            "shapes": [Value([5, 6], "int64")],
            "dense_inputs": [Given((5, 2), "string")],
            "sep": Given((), "string"),
        },
    ),
    Row(
        "SparseCrossHashed",
        {
            "indices": [Given((4, 2), "int64")],
            "values": [Given((4,), "string")],
            "shapes": [Value([5, 6], "int64")],
            "dense_inputs": [Given((5, 2), "string")],
            "num_buckets": Given((), "int64"),
            "strong_hash": Given((), "bool"),
            "salt": Given((2,), "int64"),
        },
    ),
    *(
        Row(
            "RaggedRange",
            {
                "starts": Given(dims[0], "int32"),
                "limits": Given(dims[1], "int32"),
                "deltas": Given(dims[2], "int32"),
            },
        )
        for dims in (
            ((3,), (3,), (3,)),
            ((3,), (), ()),
            ((), (), ()),
            ((3,), (4,), ()),
            ((2, 2), (), ()),
        )
    ),
    Row(
        "RaggedGather",
        {
            "params_nested_splits": [_splits(4)],
            "params_dense_values": Given((5, 2)),
            "indices": Given((3,), "int32"),
        },
        {"OUTPUT_RAGGED_RANK": 1},
    ),
    Row(
        "RaggedGather",
        {
            "params_nested_splits": [_splits(4), _splits(6)],
            "params_dense_values": Given((5, 2)),
            "indices": Given((3, 2), "int32"),
        },
        {"OUTPUT_RAGGED_RANK": 3},
    ),
    *(
        Row(
            "RaggedTensorToTensor",
            {
                "shape": Value(shape, "int64"),
                "values": Given(values),
                "default_value": Given(default),
                "row_partition_tensors": [_splits(4)],
            },
            {"row_partition_types": ["ROW_SPLITS"]},
        )
        for shape, values, default in (
            ([-1, -1], (5,), ()),
            ([3, 4], (5,), ()),
            (-1, (5,), ()),
            ([-1, -1, 2], (5, 2), ()),
            ([-1, -1, 2], (5, 2), (2,)),
            ([-1, -1, 3], (5, 2), (2,)),
            ([-1, -1], (5, 2), (2,)),
        )
    ),
    Row(
        "RaggedTensorToTensor",
        {
            "shape": Value([-1, -1], "int64"),
            "values": Given((5,)),
            "default_value": Given(()),
            "row_partition_tensors": [Value(6, "int64"), Given((5,), "int64")],
        },
        {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]},
    ),
    Row(
        "RaggedTensorToSparse",
        {"rt_nested_splits": [_splits(4)], "rt_dense_values": Given((5, 2))},
    ),
    Row(
        "RaggedTensorToSparse",
        {"rt_nested_splits": [_splits(4), _splits(6)], "rt_dense_values": Given((5,))},
    ),
    *(
        Row(
            "RaggedTensorToVariant",
            {"rt_nested_splits": [_splits(4)], "rt_dense_values": Given((5, 2))},
            {"batched_input": batched},
        )
        for batched in (True, False)
    ),
    *(
        Row(
            "RaggedTensorFromVariant",
            {"encoded_ragged": Given(dims, "variant")},
            {
                "input_ragged_rank": ranks[0],
                "output_ragged_rank": ranks[1],
                "Tvalues": "float32",
                "Tsplits": "int64",
            },
        )
        for dims, ranks in (((3,), (0, 1)), ((3,), (-1, 1)), ((3, 2), (1, 3)), ((), (1, 1)))
    ),
    Row(
        "RaggedTensorToVariantGradient",
        {
            "encoded_ragged_grad": Given((3,), "variant"),
            "row_splits": _splits(4),
            "dense_values_shape": Value([5, 2]),
        },
        {"Tvalues": "float32"},
    ),
    Row(
        "RaggedFillEmptyRows",
        {
            "value_rowids": Given((4,), "int64"),
            "values": Given((4,)),
            "nrows": Given((), "int64"),
            "default_value": Given(()),
        },
    ),
    Row(
        "RaggedFillEmptyRowsGrad",
        {"reverse_index_map": Given((3,), "int64"), "grad_values": Given((5,))},
    ),
]
