"""SparseTensors through the public API: order, parts, forms, and what ops on them refuse."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_case, error_cases
from ..inputs import normal, sample

#: Dtypes that most ops on SparseTensors take.
MOVED = ("float32", "bfloat16", "int8", "uint64", "complex64", "bool", "string")
ADDED = ("float32", "float64", "int8", "int16", "int32", "int64", "complex64", "complex128")
REAL = ("float16", "bfloat16", "float32", "float64", "int8", "int32", "uint16", "uint64")

A_INDICES = [[0, 1], [1, 0], [1, 3], [2, 2]]
B_INDICES = [[0, 0], [0, 1], [1, 3]]
SHAPE = [3, 4]


def _a(tf, dtype="float32", values=None):
    given = sample(dtype, 4, seed=1) if values is None else values
    return tf.SparseTensor(A_INDICES, tf.constant(given, dtype), SHAPE)


def _b(tf, dtype="float32", values=None):
    given = sample(dtype, 3, seed=2) if values is None else values
    return tf.SparseTensor(B_INDICES, tf.constant(given, dtype), SHAPE)


def _unsorted(tf):
    return tf.SparseTensor([[2, 2], [0, 1], [1, 3], [1, 0]], [1.0, 2.0, 3.0, 4.0], SHAPE)


def _empty(tf, dtype="float32"):
    values = tf.zeros([0], dtype)
    return tf.SparseTensor(np.zeros((0, 2), np.int64), values, SHAPE)


def _parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _fed(tf, dtype="float32"):
    """A placeholder and what to feed it."""
    target = tf.sparse_placeholder(dtype)
    return target, {
        target.indices: np.array(A_INDICES),
        target.values: sample(dtype, 4, seed=1),
        target.dense_shape: np.array(SHAPE),
    }


# --- order and shape ------------------------------------------------------------------------------


@case
def reorder(tf):
    return {
        "unsorted": _parts(tf.sparse_reorder(_unsorted(tf))),
        "sorted": _parts(tf.sparse.reorder(_a(tf))),
        "empty": _parts(tf.sparse.reorder(_empty(tf))),
        "outside": tf.raw_ops.SparseReorder(
            input_indices=tf.constant([[9, 0], [-3, 1]], tf.int64),
            input_values=[1, 2],
            input_shape=tf.constant([2, 2], tf.int64),
        ),
    }


@case
def reorder_dtypes(tf):
    indices = [[1, 0], [0, 2]]
    return {
        dtype: _parts(
            tf.sparse.reorder(
                tf.SparseTensor(indices, tf.constant(sample(dtype, 2), dtype), [2, 3])
            )
        )
        for dtype in MOVED
    }


@case
def reorder_gradient(tf):
    values = tf.constant([1.0, 2.0, 3.0])
    sparse = tf.SparseTensor([[2, 2], [0, 1], [1, 3]], values, SHAPE)
    y = tf.sparse.reorder(sparse).values
    return tf.gradients(y, values, grad_ys=tf.constant([1.0, 10.0, 100.0]))


@case
def reorder_fed(tf):
    target, feeds = _fed(tf)
    return Case(_parts(tf.sparse.reorder(target)), feeds)


@case
def reshape(tf):
    return {
        str(shape): _parts(tf.sparse_reshape(_a(tf), shape))
        for shape in ([12], [2, 6], [-1, 3], [2, -1, 3], [1, 12], [3, 4])
    }


@case
def reshape_fed(tf):
    target, feeds = _fed(tf)
    return Case(_parts(tf.sparse.reshape(target, [2, -1])), feeds)


@case
def reshape_empty(tf):
    none = np.zeros((0, 2), np.int64)
    raw = tf.raw_ops.SparseReshape
    return [
        raw(input_indices=none, input_shape=np.int64([0, 6]), new_shape=np.int64(new))
        for new in ([-1, 3], [0, 7], [0])
    ]


@case
def reshape_static_shapes(tf):
    known = tf.SparseTensor([[0, 1]], [1.0], [3, 4])
    size = tf.placeholder_with_default(np.int64(3), [])
    return [
        str(tf.sparse.reshape(known, [2, -1]).shape),
        str(tf.sparse.reshape(known, [size, 4]).shape),
        tf.sparse.reshape(known, [size, 4]).values,
    ]


@case
def transpose(tf):
    cube = tf.SparseTensor([[0, 1, 2], [1, 0, 3]], [1.0, 2.0], [2, 3, 4])
    target, feeds = _fed(tf)
    fetches = {
        "default": _parts(tf.sparse_transpose(_a(tf))),
        "cube": _parts(tf.sparse.transpose(cube, [2, 0, 1])),
        "cube_default": _parts(tf.sparse.transpose(cube)),
        "same": _parts(tf.sparse.transpose(cube, [0, 1, 2])),
        "fed": _parts(tf.sparse.transpose(target, [1, 0])),
        "fed_default": _parts(tf.sparse.transpose(target)),
        "static": str(tf.sparse.transpose(cube, [2, 0, 1]).shape),
    }
    return Case(fetches, feeds)


@case
def expand_dims(tf):
    return {
        str(axis): _parts(tf.sparse.expand_dims(_a(tf), axis)) for axis in (0, 1, 2, -1, -2, -3)
    } | {"default": _parts(tf.sparse.expand_dims(_a(tf)))}


@case
def reset_shape(tf):
    return {
        "smallest": _parts(tf.sparse_reset_shape(_a(tf))),
        "larger": _parts(tf.sparse_reset_shape(_a(tf), [5, 6])),
        "same": _parts(tf.sparse.reset_shape(_a(tf), SHAPE)),
        "empty": _parts(tf.sparse.reset_shape(_empty(tf))),
    }


@case
def reset_shape_fed(tf):
    target, feeds = _fed(tf)
    fetches = [
        _parts(tf.sparse.reset_shape(target)),
        _parts(tf.sparse.reset_shape(target, [4, 4])),
    ]
    return Case(fetches, feeds)


# --- parts ----------------------------------------------------------------------------------------


@case
def slices(tf):
    windows = (
        ([0, 0], [2, 9]),
        ([1, 0], [2, 4]),
        ([7, 0], [2, 2]),
        ([-1, 0], [2, 2]),
        ([1, 1], [0, 2]),
        ([3, 0], [1, 1]),
    )
    return {f"{a}{b}": _parts(tf.sparse_slice(_a(tf), a, b)) for a, b in windows} | {
        "unsorted": _parts(tf.sparse.slice(_unsorted(tf), [1, 0], [2, 4]))
    }


@case
def slice_dtypes(tf):
    return {d: _parts(tf.sparse.slice(_a(tf, d), [1, 0], [2, 3])) for d in MOVED}


@case
def slice_gradient(tf):
    values = tf.constant([1.0, 2.0, 3.0, 4.0])
    sparse = tf.SparseTensor(A_INDICES, values, SHAPE)
    y = tf.sparse.slice(sparse, [1, 0], [2, 3]).values
    return tf.gradients(y, values, grad_ys=tf.constant([5.0, 7.0]))


@case
def splits(tf):
    return {
        f"{count} along {axis}": [
            _parts(part) for part in tf.sparse_split(sp_input=_a(tf), num_split=count, axis=axis)
        ]
        for count, axis in ((1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (4, 1), (2, -1), (3, -2))
    }


@case
def split_dtypes(tf):
    return {
        dtype: [
            _parts(part) for part in tf.sparse.split(sp_input=_a(tf, dtype), num_split=2, axis=1)
        ]
        for dtype in MOVED
    }


@case
def concat(tf):
    wide = tf.SparseTensor([[0, 5], [2, 0]], [7.0, 8.0], [3, 6])
    tall = tf.SparseTensor([[4, 1], [0, 0]], [7.0, 8.0], [5, 4])
    return {
        "rows": _parts(tf.sparse_concat(0, [_a(tf), tall])),
        "columns": _parts(tf.sparse_concat(1, [_a(tf), wide])),
        "last": _parts(tf.sparse_concat(-1, [_a(tf), wide, _unsorted(tf)])),
        "one": _parts(tf.sparse_concat(0, [_a(tf)])),
        "old_name": _parts(tf.sparse.concat(None, [_a(tf), tall], concat_dim=0)),
        "empty": _parts(tf.sparse.concat(0, [_empty(tf), _a(tf)])),
        "static": str(tf.sparse.concat(1, [_a(tf), wide]).shape),
    }


@case
def concat_of_other_sizes(tf):
    wide = tf.SparseTensor([[0, 5], [2, 0]], [7.0, 8.0], [3, 6])
    return {
        "rows": _parts(tf.sparse_concat(0, [_a(tf), wide], expand_nonconcat_dim=True)),
        "negative": _parts(tf.sparse_concat(-2, [_a(tf), wide], expand_nonconcat_dim=True)),
        "columns": _parts(tf.sparse_concat(1, [_a(tf), wide], expand_nonconcat_dim=True)),
        "last": _parts(tf.sparse_concat(-1, [_a(tf), wide], expand_nonconcat_dim=True)),
    }


@case
def concat_dtypes(tf):
    return {d: _parts(tf.sparse.concat(1, [_a(tf, d), _b(tf, d)])) for d in MOVED}


@case
def retain(tf):
    target, feeds = _fed(tf)
    fetches = [
        _parts(tf.sparse_retain(_a(tf), [True, False, False, True])),
        _parts(tf.sparse_retain(_a(tf), [False] * 4)),
        _parts(tf.sparse.retain(target, tf.greater(target.values, 0.0))),
    ]
    return Case(fetches, feeds)


@case
def fill_empty_rows(tf):
    shapes = {
        "unsorted": tf.SparseTensor([[3, 0], [0, 1], [3, 1]], [1.0, 2.0, 3.0], [5, 6]),
        "full": _a(tf),
        "empty": _empty(tf),
        "vector": tf.SparseTensor([[1]], [5.0], [3]),
        "cube": tf.SparseTensor([[1, 2, 3]], [5.0], [3, 4, 5]),
        "no_rows": tf.SparseTensor(np.zeros((0, 2), np.int64), tf.zeros([0]), [0, 4]),
    }
    results = {}
    for name, sparse in shapes.items():
        filled, is_empty = tf.sparse_fill_empty_rows(sparse, -1.0)
        results[name] = [*_parts(filled), is_empty]
    return results


@case
def fill_empty_rows_dtypes(tf):
    results = {}
    for dtype in MOVED:
        sparse = tf.SparseTensor([[2, 1]], tf.constant(sample(dtype, 1), dtype), [4, 2])
        default = {"string": "x", "bool": True}.get(dtype, 1)
        filled, is_empty = tf.sparse.fill_empty_rows(sparse, tf.constant(default, dtype))
        results[dtype] = [*_parts(filled), is_empty]
    return results


@case
def fill_empty_rows_gradient(tf):
    values, default = tf.constant([1.0, 2.0, 3.0]), tf.constant(-1.0)
    sparse = tf.SparseTensor([[3, 0], [0, 1], [3, 1]], values, [5, 6])
    filled, _ = tf.sparse.fill_empty_rows(sparse, default)
    upstream = tf.constant([1.0, 10.0, 100.0, 1000.0, 10000.0, 5.0])
    return tf.gradients(filled.values, [values, default], grad_ys=upstream)


# --- forms ----------------------------------------------------------------------------------------


@case
def from_dense(tf):
    return {
        "float32": _parts(tf.sparse.from_dense([[0.0, 2.0], [-3.0, 0.0]])),
        "int64": _parts(tf.sparse.from_dense(np.int64([0, 5, 0, 7]))),
        "string": _parts(tf.sparse.from_dense([["", "a"], ["b", ""]])),
        "bool": _parts(tf.sparse.from_dense([True, False, True])),
        "nan": _parts(tf.sparse.from_dense([0.0, np.nan])),
        "cube": _parts(tf.sparse.from_dense(np.float32(np.arange(8) % 3).reshape(2, 2, 2))),
        "empty": _parts(tf.sparse.from_dense(np.zeros((0, 3), np.float32))),
    }


@case
def from_dense_gradient(tf):
    x = tf.constant([[0.0, 2.0], [-3.0, 0.0]])
    return tf.gradients(tf.square(tf.sparse.from_dense(x).values), x)


@case
def eye(tf):
    return [
        _parts(tf.sparse.eye(3)),
        _parts(tf.sparse.eye(2, 4)),
        _parts(tf.sparse.eye(4, 2, dtype=tf.int32)),
        tf.sparse.to_dense(tf.sparse.eye(3, name="i")),
    ]


@case
def to_indicator(tf):
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([3, 1, 0], tf.int64), [3, 2])
    repeated = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([3, 3], tf.int32), [1, 2])
    return [tf.sparse_to_indicator(ids, 5), tf.sparse.to_indicator(repeated, 4)]


@case
def merge(tf):
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([3, 1, 0], tf.int64), [3, 2])
    other = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0, 1, 2], tf.int32), [3, 2])
    values = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, 3.0], [3, 2])
    return [
        _parts(tf.sparse_merge(ids, values, 5)),
        _parts(tf.sparse_merge([ids, other], values, [5, 3])),
        _parts(tf.sparse_merge(ids, values, 5, already_sorted=True)),
    ]


@case
def mask(tf):
    slices = tf.IndexedSlices(tf.constant(normal(3, 2)), tf.constant([1, 5, 7]))
    kept = tf.sparse_mask(slices, [5, 6])
    return [kept.values, kept.indices]


@case
def placeholders(tf):
    target, feeds = _fed(tf)
    known = tf.sparse_placeholder(tf.float32, [None, 4])
    value = tf.SparseTensorValue(np.array([[0, 1]]), np.float32([5]), np.array([2, 4]))
    fetches = [
        tf.sparse_tensor_to_dense(target),
        tf.sparse_tensor_to_dense(known),
        str(known.shape),
    ]
    return Case(fetches, feeds | {known: value})


@case
def embedding_like_program(tf):
    ids = tf.SparseTensor([[0, 0], [2, 1], [2, 0]], tf.constant([1, 2, 0], tf.int64), [4, 3])
    filled, is_empty = tf.sparse_fill_empty_rows(tf.sparse_reorder(ids), tf.constant(0, tf.int64))
    table = tf.constant(normal(3, 2))
    rows = tf.gather(table, filled.values)
    return [
        tf.segment_sum(rows, filled.indices[:, 0]),
        is_empty,
        tf.gradients(rows, table)[0].values,
    ]


# --- errors ---------------------------------------------------------------------------------------


@error_case
def reset_shape_fed_too_small(tf):
    target, feeds = _fed(tf)
    target = tf.SparseTensor(
        tf.reshape(target.indices, [-1, 2]), target.values, tf.reshape(target.dense_shape, [2])
    )
    return Case(_parts(tf.sparse.reset_shape(target, [2, 4])), feeds)


@error_case
def cwise_add_gradient(tf):
    a, dense = _a(tf), tf.ones([4])
    y = tf.raw_ops.SparseDenseCwiseAdd(
        sp_indices=a.indices, sp_values=a.values, sp_shape=a.dense_shape, dense=dense
    )
    return tf.gradients(y, dense)


def _st(tf, indices, values, shape):
    return tf.SparseTensor(
        tf.placeholder_with_default(np.array(indices, np.int64), None),
        tf.placeholder_with_default(np.float32(values), None),
        tf.placeholder_with_default(np.array(shape, np.int64), None),
    )


error_cases(
    not_a_sparse_tensor=lambda tf: tf.sparse_reorder(tf.ones([2])),
    reorder_of_wrong_sizes=lambda tf: tf.sparse.reorder(_st(tf, [[0, 1]], [1, 2], [2, 2])).values,
    reshape_two_unknown=lambda tf: tf.sparse.reshape(_a(tf), [-1, -1]),
    reshape_that_does_not_divide=lambda tf: tf.sparse.reshape(_a(tf), [5, -1]),
    reshape_of_another_size=lambda tf: tf.sparse.reshape(_a(tf), [5, 5]),
    reshape_to_scalar=lambda tf: tf.sparse.reshape(_a(tf), 12),
    reshape_fed_of_another_size=lambda tf: (
        tf.sparse.reshape(_st(tf, [[0, 1]], [1], [2, 2]), [3]).indices
    ),
    slice_of_short_start=lambda tf: tf.sparse.slice(_a(tf), [0], [1]).values,
    slice_of_negative_size=lambda tf: tf.sparse.slice(_a(tf), [0, 0], [-1, 2]).values,
    split_into_too_many=lambda tf: tf.sparse.split(sp_input=_a(tf), num_split=4, axis=0)[0].values,
    split_axis=lambda tf: tf.sparse.split(sp_input=_a(tf), num_split=2, axis=2)[0].values,
    split_by_position=lambda tf: tf.sparse_split(_a(tf), 2, 0),
    split_without_count=lambda tf: tf.sparse_split(sp_input=_a(tf), axis=0),
    concat_of_tensors=lambda tf: tf.sparse_concat(0, [tf.ones([2, 2]), _a(tf)]),
    concat_of_other_shape=lambda tf: (
        tf.sparse.concat(0, [_a(tf), tf.SparseTensor([[0, 0]], [1.0], [3, 5])]).values
    ),
    concat_of_other_rank=lambda tf: tf.sparse.concat(
        0, [_a(tf), tf.SparseTensor([[0]], [1.0], [3])]
    ),
    concat_of_other_dtype=lambda tf: tf.sparse.concat(0, [_a(tf), _a(tf, "int32")]),
    concat_of_none=lambda tf: tf.sparse.concat(0, []),
    retain_of_other_length=lambda tf: tf.sparse_retain(_a(tf), [True]),
    fill_empty_rows_outside=lambda tf: tf.sparse.fill_empty_rows(
        _st(tf, [[5, 1]], [1], [2, 2]), 0.0
    )[1],
    fill_empty_rows_of_a_tensor=lambda tf: tf.sparse_fill_empty_rows(tf.ones([2]), 0.0),
    fill_empty_rows_default=lambda tf: tf.sparse_fill_empty_rows(_a(tf), "x"),
    fill_empty_rows_default_vector=lambda tf: tf.sparse_fill_empty_rows(_a(tf), [0.0]),
    fill_no_rows_with_elements=lambda tf: tf.sparse.fill_empty_rows(
        _st(tf, [[0, 1]], [1], [0, 2]), 0.0
    )[1],
    add_of_tensors=lambda tf: tf.sparse_add(1.0, 2.0),
    add_both_thresholds=lambda tf: tf.sparse_add(_a(tf), _b(tf), threshold=1.0, thresh=1.0),
    add_of_known_other_shape=lambda tf: tf.sparse.add(
        _a(tf), tf.SparseTensor([[0, 1]], [1.0], [3, 5])
    ),
    add_of_other_shape=lambda tf: (
        tf.sparse.add(_st(tf, [[0, 1]], [1], [2, 2]), _st(tf, [[0, 1]], [1], [2, 3])).values
    ),
    add_of_other_dtype=lambda tf: tf.sparse.add(_a(tf), _b(tf, "float64")),
    add_dense_of_other_shape=lambda tf: tf.sparse.add(_a(tf), tf.ones([3, 5])),
    add_dense_outside=lambda tf: tf.sparse.add(_st(tf, [[0, 2]], [1], [2, 2]), tf.ones([2, 2])),
    multiply_that_does_not_broadcast=lambda tf: (_a(tf) * tf.ones([3])).values,
    multiply_larger=lambda tf: (_a(tf) * tf.ones([2, 3, 4])).values,
    divide_by_zero=lambda tf: (_a(tf) / tf.zeros([4])).values,
    maximum_of_other_shape=lambda tf: (
        tf.sparse.maximum(_a(tf), tf.SparseTensor([[0, 1]], [1.0], [3, 5])).values
    ),
    maximum_outside=lambda tf: (
        tf.sparse.maximum(_st(tf, [[0, 2]], [1], [2, 2]), _st(tf, [[0, 1]], [1], [2, 2])).values
    ),
    matmul_of_known_sizes=lambda tf: tf.sparse.matmul(_a(tf), tf.ones([3, 2])),
    matmul_of_sizes=lambda tf: tf.sparse.matmul(_st(tf, [[0, 1]], [1], [2, 2]), tf.ones([3, 2])),
    matmul_of_vector=lambda tf: tf.sparse.matmul(_a(tf), tf.ones([4])),
    matmul_outside=lambda tf: tf.sparse.matmul(_st(tf, [[0, 2]], [1], [2, 2]), tf.ones([2, 2])),
    matmul_of_tensors=lambda tf: tf.sparse.matmul(tf.ones([2, 2]), tf.ones([2, 2])),
    reduce_axis=lambda tf: tf.sparse.reduce_sum(_a(tf), 2),
    reduce_negative_axis=lambda tf: tf.sparse.reduce_max(_a(tf), -3),
    reduce_outside=lambda tf: tf.sparse.reduce_sum(_st(tf, [[5, 1]], [1], [2, 2]), 1),
    softmax_of_vector=lambda tf: tf.sparse.softmax(tf.SparseTensor([[0]], [1.0], [3])).values,
    reset_shape_too_small=lambda tf: tf.sparse.reset_shape(_a(tf), [2, 4]),
    reset_shape_of_other_rank=lambda tf: tf.sparse.reset_shape(_a(tf), [5, 6, 7]),
    merge_of_lists_of_other_length=lambda tf: tf.sparse_merge([_a(tf)], _a(tf), [4, 5]),
    merge_of_one_list=lambda tf: tf.sparse_merge(_a(tf), _a(tf), [4]),
    expand_dims_axis=lambda tf: tf.sparse.expand_dims(_a(tf), 4),
)
