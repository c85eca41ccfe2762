"""The ops under ragged tensors, whose row splits and values are given and taken apart."""

from __future__ import annotations

import numpy as np

from ..case import case, error_case, error_cases
from ..inputs import normal, sample

SPLITS = np.int64([0, 2, 2, 3])
DEEP = [np.int64([0, 2, 2, 3]), np.int64([0, 1, 1, 4])]
MOVED = ("float16", "bfloat16", "float64", "int8", "int32", "uint64", "complex64", "bool", "string")


def _flat(named_tuple):
    return [item for part in named_tuple for item in (part if isinstance(part, list) else [part])]


# --- RaggedRange ----------------------------------------------------------------------------------


@case
def ranges(tf):
    op = tf.raw_ops.RaggedRange
    return {
        "vectors": list(op(starts=[0, 5, 8], limits=[3, 3, 12], deltas=[1, -1, 2])),
        "scalars": list(op(starts=0, limits=4, deltas=1)),
        "mixed": list(op(starts=[0, 5], limits=10, deltas=3)),
        "backwards": list(op(starts=[0, 3], limits=[-3, 0], deltas=[1, -2])),
        "none": list(op(starts=tf.constant([], tf.int32), limits=3, deltas=1)),
        "int32_splits": list(op(starts=[0, 5], limits=[2, 7], deltas=1, Tsplits=tf.int32)),
        "same": list(op(starts=[2], limits=[2], deltas=[5])),
    }


@case
def ranges_dtypes(tf):
    results = {}
    for dtype in ("int32", "int64", "float32", "float64"):
        parts = [tf.constant(x, dtype) for x in ([0, 5, 1], [3, 1, 1], [1, -2, 1])]
        results[dtype] = list(
            tf.raw_ops.RaggedRange(starts=parts[0], limits=parts[1], deltas=parts[2])
        )
    return results


@case
def ranges_of_floats(tf):
    op = tf.raw_ops.RaggedRange
    return [
        *op(starts=[0.0, 1.0], limits=[1.0, 2.05], deltas=[0.3, 0.5]),
        *op(starts=[0.0], limits=[2.0], deltas=[0.1]),
        *op(starts=tf.constant([1.0], tf.float64), limits=[-1.0], deltas=[-0.3]),
    ]


# --- RaggedGather ---------------------------------------------------------------------------------


def _gather(tf, splits, values, indices, rank=None):
    depth = len(splits) + np.ndim(indices) - 1 if rank is None else rank
    return tf.raw_ops.RaggedGather(
        params_nested_splits=splits,
        params_dense_values=values,
        indices=indices,
        OUTPUT_RAGGED_RANK=depth,
    )


@case
def gather(tf):
    values, more = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]
    return {
        "vector": _flat(_gather(tf, [SPLITS], values, [2, 0, 1])),
        "scalar": _flat(_gather(tf, [SPLITS], values, 0)),
        "matrix": _flat(_gather(tf, [SPLITS], values, [[2, 0], [1, 1]])),
        "deep": _flat(_gather(tf, DEEP, more, [2, 0])),
        "deep_scalar": _flat(_gather(tf, DEEP, more, 0)),
        "deep_matrix": _flat(_gather(tf, DEEP, more, [[2], [0]])),
        "inner": _flat(_gather(tf, [np.int64([0, 1, 3])], normal(3, 2), [1, 0, 1])),
        "none": _flat(_gather(tf, [SPLITS], values, tf.constant([], tf.int32))),
        "none_matrix": _flat(_gather(tf, [SPLITS], values, tf.zeros([2, 0], tf.int64), 2)),
        "int32": _flat(_gather(tf, [SPLITS.astype(np.int32)], values, np.int64([1, 2]))),
    }


@case
def gather_dtypes(tf):
    return {
        dtype: _flat(_gather(tf, [SPLITS], tf.constant(sample(dtype, 3), dtype), [2, 0]))
        for dtype in MOVED
    }


@case
def gather_gradient(tf):
    results = []
    for splits, count, indices in (([SPLITS], 3, [2, 0, 0]), (DEEP, 4, [[2], [0]])):
        values = tf.constant(normal(count, 2))
        output = _gather(tf, splits, values, indices)[-1]
        grad = tf.gradients(output * output, values)[0]
        results.append(tf.convert_to_tensor(grad))
    return results


# --- RaggedTensorToTensor -------------------------------------------------------------------------


def _to_tensor(tf, shape, values, default, partitions, types=("ROW_SPLITS",)):
    return tf.raw_ops.RaggedTensorToTensor(
        shape=tf.constant(shape, tf.int64),
        values=values,
        default_value=default,
        row_partition_tensors=[tf.constant(item, tf.int64) for item in partitions],
        row_partition_types=list(types),
    )


_ROW_IDS = ("FIRST_DIM_SIZE", "VALUE_ROWIDS")


@case
def to_tensor(tf):
    flat, rows = [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    one = [SPLITS]
    two = [[0, 2], [0, 2, 3]]
    return {
        "free": _to_tensor(tf, [-1, -1], flat, 0.0, one),
        "larger": _to_tensor(tf, [4, 3], flat, -1.0, one),
        "smaller": _to_tensor(tf, [2, 1], flat, -1.0, one),
        "scalar_shape": _to_tensor(tf, -1, flat, -1.0, one),
        "inner": _to_tensor(tf, [-1, -1, 2], rows, 0.0, one),
        "inner_default": _to_tensor(tf, [-1, -1, -1], rows, [8.0, 9.0], one),
        "inner_default_1": _to_tensor(tf, [-1, -1, 2], rows, [8.0], one),
        "cube": _to_tensor(tf, [-1, -1, -1], flat, 0.0, two, ("ROW_SPLITS",) * 2),
        "cube_cut": _to_tensor(tf, [2, 3, 1], flat, -1.0, two, ("ROW_SPLITS",) * 2),
        "row_ids": _to_tensor(tf, [-1, -1], flat, 0.0, [4, [0, 0, 2]], _ROW_IDS),
        "row_ids_cube": _to_tensor(
            tf, [-1, -1, -1], flat, 0.0, [2, [0, 1], [0, 1, 1]], (*_ROW_IDS, "VALUE_ROWIDS")
        ),
        "no_values": _to_tensor(tf, [2, 2], tf.zeros([0]), 7.0, [[0, 0, 0]]),
        "no_rows": _to_tensor(tf, [-1, -1], tf.zeros([0]), 7.0, [[0]]),
        "size_0": _to_tensor(tf, [0, 0], [1.0], 7.0, [[0, 1]]),
        "inner_0": _to_tensor(tf, [-1, -1, 0], tf.zeros([3, 0]), 0.0, [[0, 2, 3]]),
    }


@case
def to_tensor_dtypes(tf):
    defaults = {"string": "x", "bool": True}
    return {
        dtype: _to_tensor(
            tf,
            [-1, 3],
            tf.constant(sample(dtype, 3), dtype),
            tf.constant(defaults.get(dtype, 1), dtype),
            [SPLITS],
        )
        for dtype in MOVED
    }


def _dense_gradients(tf, y, sources):
    return [tf.convert_to_tensor(grad) for grad in tf.gradients(y, sources)]


@case
def to_tensor_gradients(tf):
    results = {}
    for name, shape, default in (
        ("free", [-1, -1, 2], [8.0, 9.0]),
        ("cut", [2, 1, 2], [8.0, 9.0]),
        ("larger", [4, 4, 2], [8.0, 9.0]),
    ):
        values, filler = tf.constant(normal(3, 2)), tf.constant(default)
        y = _to_tensor(tf, shape, values, filler, [SPLITS])
        weights = tf.reshape(tf.range(tf.cast(tf.size(y), tf.float32)), tf.shape(y))
        results[name] = _dense_gradients(tf, y * weights, [values, filler])
    flat, zero = tf.constant(normal(3)), tf.constant(0.5)
    y = _to_tensor(tf, [-1, -1, -1], flat, zero, [[0, 2], [0, 2, 3]], ("ROW_SPLITS",) * 2)
    results["cube"] = _dense_gradients(tf, y * y, [flat, zero])
    return results


# --- RaggedTensorToSparse -------------------------------------------------------------------------


@case
def to_sparse(tf):
    op = tf.raw_ops.RaggedTensorToSparse
    return {
        "flat": list(op(rt_nested_splits=[SPLITS], rt_dense_values=[1.0, 2.0, 3.0])),
        "inner": list(op(rt_nested_splits=[SPLITS], rt_dense_values=normal(3, 2))),
        "deep": list(op(rt_nested_splits=DEEP, rt_dense_values=["a", "b", "c", "d"])),
        "empty": list(op(rt_nested_splits=[np.int64([0])], rt_dense_values=tf.zeros([0]))),
        "inner_0": list(op(rt_nested_splits=[np.int64([0, 2])], rt_dense_values=tf.zeros([2, 0]))),
        "int32": list(op(rt_nested_splits=[np.int32([0, 1, 3])], rt_dense_values=[1, 2, 3])),
    }


@case
def to_sparse_gradient(tf):
    values = tf.constant(normal(3, 2))
    sparse = tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[SPLITS], rt_dense_values=values)
    return tf.gradients(sparse.sparse_values, values, grad_ys=tf.constant(normal(6)))


# --- variants -------------------------------------------------------------------------------------


def _encode(tf, splits, values, batched=True):
    return tf.raw_ops.RaggedTensorToVariant(
        rt_nested_splits=splits, rt_dense_values=values, batched_input=batched
    )


def _decode(tf, encoded, input_rank, output_rank, dtype="float32"):
    return tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=encoded,
        input_ragged_rank=input_rank,
        output_ragged_rank=output_rank,
        Tvalues=dtype,
        Tsplits=tf.int64,
    )


@case
def variants(tf):
    flat, four = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]
    pairs = _encode(tf, [np.int64([0, 2, 2, 3, 4])], four)
    return {
        "rows": _flat(_decode(tf, _encode(tf, [SPLITS], flat), 0, 1)),
        "count": tf.shape(_encode(tf, [SPLITS], flat)),
        "deep": _flat(_decode(tf, _encode(tf, DEEP, four), 1, 2)),
        "inferred": _flat(_decode(tf, _encode(tf, [SPLITS], flat), -1, 1)),
        "some": _flat(_decode(tf, _encode(tf, [SPLITS], flat)[1:], 0, 1)),
        "one": _flat(_decode(tf, _encode(tf, DEEP, four)[0], 1, 1)),
        "whole": _flat(_decode(tf, _encode(tf, [SPLITS], flat, batched=False), 1, 1)),
        "matrix": _flat(_decode(tf, tf.reshape(pairs, [2, 2]), 0, 2)),
        "inner": _flat(_decode(tf, _encode(tf, [np.int64([0, 1, 3])], normal(3, 2)), 0, 1)),
        "words": _flat(_decode(tf, _encode(tf, [SPLITS], ["a", "b", "c"]), 0, 1, tf.string)),
    }


@case
def variant_gradients(tf):
    values = tf.constant([1.0, 2.0, 3.0])
    decoded = _decode(tf, _encode(tf, [SPLITS], values), 0, 1)[-1]
    whole = _decode(tf, _encode(tf, [SPLITS], values, batched=False), 1, 1)[-1]
    weights = tf.constant([1.0, 10.0, 100.0])
    return [tf.gradients(y, values, grad_ys=weights) for y in (decoded, whole)]


# --- rows without values, crosses -----------------------------------------------------------------


@case
def fill_empty_rows(tf):
    op = tf.ragged_fill_empty_rows
    none = tf.constant([], tf.int64)
    return [
        *op(np.int64([0, 2, 2]), [1.0, 2.0, 3.0], np.int64(4), -1.0),
        *op(np.int64([2, 0, 2]), ["a", "b", "c"], np.int64(3), "z"),
        *op(none, tf.zeros([0]), np.int64(2), 5.0),
        *tf.ragged_fill_empty_rows_grad(np.int64([0, 2]), [1.0, 2.0, 4.0]),
    ]


@case
def fill_empty_rows_gradient(tf):
    values, default = tf.constant([1.0, 2.0, 3.0]), tf.constant(-1.0)
    filled = tf.ragged_fill_empty_rows(np.int64([0, 2, 2]), values, np.int64(5), default)
    weights = tf.constant([1.0, 10.0, 100.0, 1000.0, 5.0, 7.0])
    return tf.gradients(filled.output_values, [values, default], grad_ys=weights)


def _cross(tf, order, hashed, **given):
    lists = {
        "ragged_values": [],
        "ragged_row_splits": [],
        "sparse_indices": [],
        "sparse_values": [],
        "sparse_shape": [],
        "dense_inputs": [],
        **given,
    }
    return tf.raw_ops.RaggedCross(
        **lists,
        input_order=order,
        hashed_output=hashed,
        num_buckets=100 if hashed else 0,
        hash_key=7,
        out_values_type="int64" if hashed else "string",
        out_row_splits_type="int64",
    )


@case
def crosses(tf):
    ragged = {"ragged_values": [tf.constant(["a", "b", "c"])], "ragged_row_splits": [SPLITS]}
    dense = {"dense_inputs": [tf.constant([["x", "y"], ["z", "w"], ["u", "v"]])]}
    sparse = {
        "sparse_indices": [np.int64([[0, 0], [2, 0], [2, 1]])],
        "sparse_values": [np.int64([5, 6, 7])],
        "sparse_shape": [np.int64([3, 2])],
    }
    return {
        "ragged": list(_cross(tf, "R", False, **ragged)),
        "mixed": list(_cross(tf, "RD", False, **ragged, **dense)),
        "order": list(_cross(tf, "DR", False, **ragged, **dense)),
        "all": list(_cross(tf, "SDR", False, **ragged, **dense, **sparse)),
        "hashed": list(_cross(tf, "SDR", True, **ragged, **dense, **sparse)),
        "hashed_one": list(_cross(tf, "R", True, **ragged)),
    }


# --- errors ---------------------------------------------------------------------------------------


def _fed(tf, value):
    return tf.placeholder_with_default(value, None)


error_cases(
    range_step_0=lambda tf: (
        tf.raw_ops.RaggedRange(starts=[0], limits=[3], deltas=[0]).rt_dense_values
    ),
    range_of_other_sizes=lambda tf: tf.raw_ops.RaggedRange(
        starts=[0, 1], limits=[1, 2, 3], deltas=1
    ),
    range_of_matrix=lambda tf: tf.raw_ops.RaggedRange(starts=[[0]], limits=3, deltas=1),
    range_of_fed_matrix=lambda tf: (
        tf.raw_ops.RaggedRange(starts=_fed(tf, [[0]]), limits=3, deltas=1).rt_dense_values
    ),
    gather_outside=lambda tf: _gather(tf, [SPLITS], [1.0, 2.0, 3.0], [3])[-1],
    gather_negative=lambda tf: _gather(tf, [SPLITS], [1.0, 2.0, 3.0], [-1])[-1],
    gather_splits_descend=lambda tf: _gather(tf, [np.int64([0, 2, 1, 3])], [1.0, 2.0, 3.0], [0])[
        -1
    ],
    gather_splits_end=lambda tf: _gather(tf, [np.int64([0, 5])], [1.0, 2.0, 3.0], [0])[-1],
    gather_no_splits=lambda tf: _gather(tf, [np.zeros(0, np.int64)], tf.zeros([0]), [0])[-1],
    to_tensor_splits_descend=lambda tf: _to_tensor(tf, [-1, -1], [1.0], 0.0, [[0, 2, 1]]),
    to_tensor_splits_start=lambda tf: _to_tensor(tf, [-1, -1], [1.0, 2.0], 0.0, [[1, 2]]),
    to_tensor_type=lambda tf: _to_tensor(tf, [-1, -1], [1.0], 0.0, [[0, 1]], ["ROWS"]),
    to_tensor_first_row_ids=lambda tf: _to_tensor(
        tf, [-1, -1], [1.0], 0.0, [[0]], ["VALUE_ROWIDS"]
    ),
    to_tensor_only_size=lambda tf: _to_tensor(tf, [-1], [1.0], 0.0, [1], ["FIRST_DIM_SIZE"]),
    to_tensor_shape_rank=lambda tf: _to_tensor(tf, [-1], [1.0], 0.0, [[0, 1]]),
    to_tensor_inner=lambda tf: _to_tensor(tf, [-1, -1, 3], [[1.0, 2.0]], 0.0, [[0, 1]]),
    to_tensor_default=lambda tf: _to_tensor(tf, [-1, -1, 2], [[1.0, 2.0]], [1.0] * 3, [[0, 1]]),
    to_tensor_row_ids=lambda tf: _to_tensor(tf, [-1, -1], [1.0], 0.0, [2, [5]], _ROW_IDS),
    to_sparse_splits_start=lambda tf: (
        tf.raw_ops.RaggedTensorToSparse(
            rt_nested_splits=[np.int64([1, 3])], rt_dense_values=[1, 2, 3]
        ).sparse_values
    ),
    to_sparse_splits_end=lambda tf: (
        tf.raw_ops.RaggedTensorToSparse(
            rt_nested_splits=[np.int64([0, 2])], rt_dense_values=[1, 2, 3]
        ).sparse_values
    ),
    to_sparse_scalar=lambda tf: tf.raw_ops.RaggedTensorToSparse(
        rt_nested_splits=[np.int64([0, 1])], rt_dense_values=1.0
    ),
    variant_of_other_rank=lambda tf: _decode(tf, _encode(tf, [SPLITS], [1.0, 2.0, 3.0]), 1, 2)[-1],
    variant_ranks=lambda tf: _decode(tf, _encode(tf, [SPLITS], [1.0, 2.0, 3.0]), 0, 2),
    variant_of_other_dtype=lambda tf: _decode(
        tf, _encode(tf, [SPLITS], [1.0, 2.0, 3.0]), 0, 1, tf.int32
    )[-1],
    fill_outside=lambda tf: (
        tf.ragged_fill_empty_rows(np.int64([5]), [1.0], np.int64(2), 0.0).output_values
    ),
    fill_default_vector=lambda tf: tf.ragged_fill_empty_rows(
        np.int64([0]), [1.0], np.int64(2), [0.0]
    ),
    cross_of_other_rows=lambda tf: (
        _cross(
            tf, "DD", False, dense_inputs=[_fed(tf, [["a"]]), _fed(tf, [["b"], ["c"]])]
        ).output_values
    ),
    cross_order=lambda tf: (
        _cross(tf, "R", False, dense_inputs=[tf.constant([["a"]])]).output_values
    ),
)


@error_case
def cross_splits(tf):
    return _cross(
        tf,
        "R",
        False,
        ragged_values=[tf.constant(["a", "b"])],
        ragged_row_splits=[np.int64([0, 5])],
    ).output_values
