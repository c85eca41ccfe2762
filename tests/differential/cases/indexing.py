"""Gathering, scattering, selecting and finding."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import ALL_DTYPES, booleans, integers, normal, sample


@case
def gather(tf):
    values = tf.constant(integers(0, 99, (4, 3)))
    return [
        tf.gather(values, 2),
        tf.gather(values, [3, 0, 3]),
        tf.gather(values, [[0, 1], [2, 3]]),
        tf.gather(values, [2, 0], axis=1),
        tf.gather(values, [[2], [0]], axis=-1),
        tf.gather(values, tf.constant([1], tf.int64)),
        tf.gather(values, tf.zeros([0], tf.int32)),
        tf.gather(tf.zeros([3, 0]), [0, 2]),
        tf.gather([1, 2, 3], 1).op.type,
        tf.gather(values, [1], axis=tf.constant(1)),
        tf.raw_ops.Gather(params=values, indices=[1, 0]),
    ]


@case
def gather_dtypes(tf):
    return {dtype: tf.gather(tf.constant(sample(dtype, 3, 2)), [2, 0]) for dtype in ALL_DTYPES}


@case
def gather_batch_dims(tf):
    values = tf.constant(integers(0, 99, (2, 3, 4)))
    return [
        tf.gather(values, [[0, 2], [1, 1]], axis=1, batch_dims=1),
        tf.gather(values, [[0, 2], [1, 1]], axis=2, batch_dims=1),
        tf.gather(values, [[0], [3]], axis=-1, batch_dims=-1),
        tf.gather(values, integers(0, 4, (2, 3, 2)), axis=2, batch_dims=2),
        tf.batch_gather(values, [[0, 2], [1, 1]]),
    ]


@case
def gather_of_partial_shapes(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32)
    indices, axis = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [])
    fetches = [
        tf.gather(partial, indices),
        tf.gather(partial, indices, axis=1),
        tf.gather(unknown, indices),
        tf.gather(partial, [0, 1], axis=axis),
        tf.gather(partial, tf.placeholder_with_default(1, None)),
    ]
    feeds = {partial: normal(2, 3), unknown: normal(2, 2), indices: [1, 0], axis: 1}
    return Case(fetches, feeds)


@case
def gather_nd(tf):
    values = tf.constant(integers(0, 99, (2, 3, 4)))
    return [
        tf.gather_nd(values, [1, 2, 3]),
        tf.gather_nd(values, [[0, 1], [1, 2]]),
        tf.gather_nd(values, [[[0], [1]]]),
        tf.gather_nd(values, [[1, 0, 3], [0, 2, 1]]),
        tf.gather_nd(values, tf.zeros([2, 0], tf.int32)),
        tf.gather_nd(values, tf.zeros([0, 2], tf.int32)),
        tf.gather_nd(tf.constant(["a", "b"]), tf.constant([[1]], tf.int64)),
        tf.gather_nd(values, [[[1]], [[2]]], batch_dims=1),
    ]


@case
def scatter_nd(tf):
    return [
        tf.scatter_nd([[4], [3], [1], [4]], [9, 10, 11, 12], [6]),
        tf.scatter_nd([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]),
        tf.scatter_nd([[1]], [[5, 6, 7]], [3, 3]),
        tf.scatter_nd(tf.constant([[0]], tf.int64), tf.constant([1], tf.int64), [2]),
        tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [3]),
        tf.scatter_nd([[0], [1]], tf.constant(["a", "b"]), [3]),
        tf.scatter_nd([[0]], tf.constant([True]), [2]),
    ]


@case
def tensor_scatter(tf):
    values = tf.constant([[1, 2], [3, 4], [5, 6]])
    names = ("update", "add", "sub", "max", "min")
    results = {
        name: getattr(tf, f"tensor_scatter_nd_{name}")(values, [[0, 1], [2, 0]], [9, 4])
        for name in names
    }
    results["rows"] = tf.tensor_scatter_nd_update(values, [[1]], [[0, 0]])
    results["repeated"] = tf.tensor_scatter_nd_add(values, [[0, 0], [0, 0]], [1, 2])
    return results


@case
def where_one_argument(tf):
    partial = tf.placeholder(tf.bool, [None, 2])
    fetches = [
        tf.where(tf.constant([True, False, True])),
        tf.where([[True, False], [False, True]]),
        tf.where(tf.constant(booleans(2, 2, 3))),
        tf.where([0, 3, 0, 4]),
        tf.where([0.0, np.nan, -1.0]),
        tf.where(tf.zeros([0], tf.bool)),
        tf.where(partial),
    ]
    return Case(fetches, {partial: [[True, True]]})


@case
def where_three_arguments(tf):
    x, y = tf.constant([[1, 2], [3, 4]]), tf.constant([[10, 20], [30, 40]])
    partial = tf.placeholder(tf.int32, [None, 2])
    fetches = [
        tf.where([[True, False], [False, True]], x, y),
        tf.where([True, False], x, y),
        tf.where(True, x, y),
        tf.where(tf.constant(False), "a", "b"),
        tf.where(x > 2, x, y),
        tf.where(partial > 2, partial, y),
        tf.where([True, False], x, y).op.type,
    ]
    return Case(fetches, {partial: [[1, 5], [6, 2]]})


@case
def where_v2_broadcasts(tf):
    x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([10.0, 20.0])
    return [
        tf.where_v2([[True], [False]], x, y),
        tf.where_v2(True, x, 0.0),
        tf.where_v2([True, False, True], 1, [5, 6, 7]),
        tf.where_v2(x > 2.0, x, y).op.type,
        tf.where_v2([False, True]),
    ]


@case
def select_dtypes(tf):
    condition = tf.constant([True, False, True])
    return {
        dtype: tf.where(
            condition, tf.constant(sample(dtype, 3, seed=1)), tf.constant(sample(dtype, 3, seed=2))
        )
        for dtype in ALL_DTYPES
    }


@case
def one_hot(tf):
    fed = tf.placeholder(tf.int32, [None])
    depth = tf.placeholder(tf.int32, [])
    fetches = [
        tf.one_hot([0, 2, -1, 5], 3),
        tf.one_hot([0, 1], 3, on_value=5, off_value=-1),
        tf.one_hot([0, 1], 3, on_value=5.0, off_value=-1.0, axis=0),
        tf.one_hot([[0, 1], [2, 0]], 3, axis=1),
        tf.one_hot([[0, 1], [2, 0]], 3, axis=0, dtype=tf.int32),
        tf.one_hot(1, 4),
        tf.one_hot([1], 2, on_value=True, off_value=False, dtype=tf.bool),
        tf.one_hot(tf.constant([1], tf.uint8), 2, dtype=tf.float64),
        tf.one_hot(tf.constant([1], tf.int64), 0),
        tf.one_hot([0], 2, on_value="y", off_value="n", dtype=tf.string),
        tf.one_hot(fed, 3),
        tf.one_hot(fed, depth, axis=0),
    ]
    return Case(fetches, {fed: [1, 0], depth: 2})


@case
def boolean_mask(tf):
    values = tf.constant(integers(0, 99, (3, 2)))
    fed = tf.placeholder(tf.bool, [None])
    fetches = [
        tf.boolean_mask(values, [True, False, True]),
        tf.boolean_mask(values, [[True, False], [False, True], [True, True]]),
        tf.boolean_mask(values, [False, True], axis=1),
        tf.boolean_mask([1, 2, 3], [False, False, False]),
        tf.boolean_mask(values, fed),
    ]
    return Case(fetches, {fed: [False, True, False]})


@case
def sequence_mask(tf):
    fed = tf.placeholder(tf.int32, [None])
    fetches = [
        tf.sequence_mask([1, 3, 2], 5),
        tf.sequence_mask([[1, 3], [2, 0]]),
        tf.sequence_mask(2, 4, dtype=tf.float32),
        tf.sequence_mask(fed, 3),
        tf.sequence_mask(fed),
    ]
    return Case(fetches, {fed: [2, 1]})


@case
def ranges(tf):
    limit = tf.placeholder(tf.int32, [])
    fetches = [
        tf.range(5),
        tf.range(3, 18, 3),
        tf.range(3, 1, -0.5),
        tf.range(0),
        tf.range(tf.constant(3, tf.int64)),
        tf.range(0.0, 1.0, 0.25),
        tf.range(3, dtype=tf.float64),
        tf.range(limit),
        tf.range(1, limit, 2),
        tf.range(-1, -7, -2),
        tf.linspace(0.0, 1.0, 5),
        tf.linspace(10.0, 12.0, 3, name="named"),
        tf.linspace(2.0, 3.0, 1),
        tf.lin_space(tf.constant(0.0, tf.float64), 1.0, 4),
    ]
    return Case(fetches, {limit: 4})


@case
def permutations(tf):
    return [
        tf.invert_permutation([3, 4, 0, 2, 1]),
        tf.invert_permutation(tf.constant([1, 0], tf.int64)),
        tf.invert_permutation(tf.zeros([0], tf.int32)),
    ]


@case
def unique(tf):
    values = [1, 1, 2, 4, 4, 4, 7, 8, 8, 1]
    return {
        "unique": list(tf.unique(values)),
        "strings": list(tf.unique(["b", "a", "b"])),
        "int64_index": list(tf.unique([2.0, 1.0, 2.0], out_idx=tf.int64)),
        "counts": list(tf.unique_with_counts(values)),
        "difference": list(tf.setdiff1d([1, 2, 3, 4, 5, 6], [1, 3, 5])),
        "empty": list(tf.unique(tf.zeros([0], tf.int32))),
    }


@case
def top_k_and_sorting(tf):
    values = tf.constant([[3.0, 1.0, 4.0, 1.0, 5.0], [2.0, 7.0, 1.0, 8.0, 2.0]])
    return {
        "top_k": list(tf.nn.top_k(values, 3)),
        "default": list(tf.nn.top_k(values)),
        "integers": list(tf.nn.top_k([1, 9, 9, 3], k=4)),
        "fed_count": list(tf.nn.top_k(values, tf.placeholder_with_default(2, []))),
        "sort": tf.sort(values, axis=-1),
        "sort_down": tf.sort(values, axis=0, direction="DESCENDING"),
        "argsort": tf.argsort(values, axis=1, stable=True),
        "nth": tf.raw_ops.NthElement(input=values, n=1, reverse=True),
        "search_left": tf.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 6.0]),
        "search_right": tf.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 6.0], side="right"),
    }


@case
def embedding_lookup(tf):
    table, ids = tf.constant(normal(5, 2)), tf.constant([[4, 0], [1, 1]])
    shards = [tf.constant(normal(3, 2, seed=1)), tf.constant(normal(2, 2, seed=2))]
    sparse_ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 2], [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, 1.0], [2, 2])
    return {
        "one": tf.nn.embedding_lookup(table, ids),
        "mod": tf.nn.embedding_lookup(shards, [0, 1, 2, 3, 4]),
        "div": tf.nn.embedding_lookup(shards, [0, 1, 2, 3, 4], partition_strategy="div"),
        "max_norm": tf.nn.embedding_lookup(table, ids, max_norm=0.5),
        "sparse": [
            tf.nn.embedding_lookup_sparse(table, sparse_ids, weights, combiner=combiner)
            for combiner in ("sum", "mean", "sqrtn")
        ],
    }


error_cases(
    gather_out_of_range=lambda tf: tf.gather([1, 2], [2]),
    gather_negative=lambda tf: tf.gather([1, 2], [-1]),
    gather_axis=lambda tf: tf.gather(tf.zeros([2, 2]), [0], axis=2),
    gather_scalar=lambda tf: tf.gather(tf.constant(1), 0),
    gather_float_indices=lambda tf: tf.gather([1, 2], [0.0]),
    gather_batch_dims_too_large=lambda tf: tf.gather(tf.zeros([2, 2]), [0, 1], batch_dims=2),
    gather_nd_out_of_range=lambda tf: tf.gather_nd([[1, 2]], [[1, 0]]),
    gather_nd_too_deep=lambda tf: tf.gather_nd([1, 2], [[0, 0]]),
    scatter_nd_out_of_range=lambda tf: tf.scatter_nd([[3]], [1], [3]),
    scatter_nd_shapes=lambda tf: tf.scatter_nd([[0], [1]], [1, 2, 3], [4]),
    where_other_shapes=lambda tf: tf.where([True, False], [1, 2, 3], [1, 2, 3]),
    where_needs_both=lambda tf: tf.where([True], [1]),
    where_other_dtypes=lambda tf: tf.where([True], [1], [1.0]),
    where_does_not_broadcast=lambda tf: tf.where(
        [[True], [False]], tf.zeros([2, 2]), tf.zeros([2])
    ),
    one_hot_other_dtypes=lambda tf: tf.one_hot([0], 2, on_value=1, off_value=0.5),
    one_hot_float_indices=lambda tf: tf.one_hot([0.0], 2),
    one_hot_negative_depth=lambda tf: tf.one_hot([0], -1),
    mask_shape=lambda tf: tf.boolean_mask([1, 2, 3], [True, False]),
    mask_scalar=lambda tf: tf.boolean_mask([1, 2, 3], True),
    range_zero_step=lambda tf: tf.range(0, 5, 0),
    range_of_vectors=lambda tf: tf.range([1, 2]),
    not_a_permutation=lambda tf: tf.invert_permutation([0, 0]),
    unique_of_matrix=lambda tf: tf.unique([[1, 2]])[0],
    top_k_too_many=lambda tf: tf.nn.top_k([1, 2], 3),
    range_upwards_to_less=lambda tf: tf.range(5, 0),
    range_fed_upwards_to_less=lambda tf: Case(
        tf.range(5, limit := tf.placeholder(tf.int32, [])), {limit: 0}
    ),
    where_of_a_scalar=lambda tf: tf.where(tf.constant(True)),
)


@case
def unsorted_segments_of_long_counts(tf):
    data, ids = tf.constant(normal(3, 2)), tf.constant([0, 2, 0])
    count = tf.constant(4, tf.int64)
    return [
        tf.math.unsorted_segment_mean(data, ids, count),
        tf.math.unsorted_segment_sqrt_n(data, ids, count),
        tf.math.unsorted_segment_sum(data, ids, count),
    ]
