"""Reductions over axes, arg-reductions, cumulative sums, segments and norms."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import COMPLEX, FLOATS, INTEGERS, booleans, normal, sample, uniform

NUMERIC_REDUCTIONS = {
    "reduce_sum": (*FLOATS, *INTEGERS, *COMPLEX),
    "reduce_mean": (*FLOATS, "int32", "int64", "uint8", *COMPLEX),
    "reduce_prod": (*FLOATS, *INTEGERS, *COMPLEX),
    "reduce_max": (*FLOATS, *INTEGERS),
    "reduce_min": (*FLOATS, *INTEGERS),
}


def _dtypes_program(name, dtypes):
    def program(tf):
        function = getattr(tf, name)
        values = [tf.constant(sample(dtype, 3, 4, seed=1)) for dtype in dtypes]
        return {
            dtype: [function(value), function(value, axis=0), function(value, axis=1)]
            for dtype, value in zip(dtypes, values, strict=True)
        }

    return program


for _name, _dtypes in NUMERIC_REDUCTIONS.items():
    for _group in ("float", "int", "complex"):
        if _chosen := [dtype for dtype in _dtypes if _group in dtype]:
            case(f"{_name}_{_group}")(_dtypes_program(_name, _chosen))

AXES = (None, 0, 1, 2, -1, -3, [0, 1], [0, 2], [-1, 0], [2, 1, 0], [], [1])


def _axes_program(name, keepdims):
    def program(tf):
        function = getattr(tf, name)
        value = booleans(2, 3, 4) if name in ("reduce_any", "reduce_all") else normal(2, 3, 4)
        tensor = tf.constant(value)
        return {str(axis): function(tensor, axis=axis, keepdims=keepdims) for axis in AXES}

    return program


for _name in (*NUMERIC_REDUCTIONS, "reduce_any", "reduce_all", "reduce_logsumexp"):
    case(f"{_name}_axes")(_axes_program(_name, False))
    case(f"{_name}_axes_kept")(_axes_program(_name, True))


@case
def empty_reductions(tf):
    empty, flags = tf.zeros([2, 0, 3]), tf.zeros([0], tf.bool)
    return {
        "sum": [tf.reduce_sum(empty), tf.reduce_sum(empty, 1), tf.reduce_sum(empty, 0)],
        "prod": [tf.reduce_prod(empty), tf.reduce_prod(empty, 1)],
        "mean": [tf.reduce_mean(empty), tf.reduce_mean(empty, 1), tf.reduce_mean(empty, 2)],
        "max": [tf.reduce_max(empty), tf.reduce_max(empty, 1)],
        "min": [tf.reduce_min(empty), tf.reduce_min(empty, 1)],
        "int_max": tf.reduce_max(tf.zeros([0], tf.int32)),
        "int_min": tf.reduce_min(tf.zeros([0], tf.int8)),
        "any": tf.reduce_any(flags),
        "all": tf.reduce_all(flags),
        "logsumexp": tf.reduce_logsumexp(tf.zeros([0])),
    }


@case
def scalars(tf):
    return [tf.reduce_sum(3.0), tf.reduce_max(2), tf.reduce_mean(1.5, axis=[]), tf.reduce_all(True)]


@case
def non_finite_values(tf):
    values = tf.constant([[np.nan, 1.0], [np.inf, -np.inf], [-np.inf, -np.inf]])
    return {
        "sum": tf.reduce_sum(values, 1),
        "max": tf.reduce_max(values, 1),
        "min": tf.reduce_min(values, 1),
        "mean": tf.reduce_mean(values, 1),
        "logsumexp": tf.reduce_logsumexp(values, 1),
    }


@case
def logsumexp_is_stable(tf):
    values = tf.constant([[1000.0, 1000.0], [-1000.0, -1001.0], [0.0, 700.0]])
    return [tf.reduce_logsumexp(values, 1), tf.reduce_logsumexp(values)]


@case
def integer_mean_truncates(tf):
    values = tf.constant([[7, 8], [-7, -8], [1, 2]])
    return [tf.reduce_mean(values, 1), tf.reduce_mean(values), tf.reduce_mean(values, 0)]


@case
def static_shapes_of_partial_inputs(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32)
    axis = tf.placeholder(tf.int32, [])
    fetches = {
        "first": tf.reduce_sum(partial, 0),
        "last": tf.reduce_sum(partial, -1),
        "kept": tf.reduce_sum(partial, -1, keepdims=True),
        "all": tf.reduce_sum(partial),
        "unknown": tf.reduce_sum(unknown, 0),
        "unknown_all": tf.reduce_sum(unknown),
        "fed_axis": tf.reduce_sum(partial, axis),
        "fed_axis_kept": tf.reduce_sum(partial, axis, keepdims=True),
    }
    return Case(fetches, {partial: normal(2, 3), unknown: normal(2, 2), axis: 1})


@case
def old_keyword_spellings(tf):
    values = tf.constant(normal(2, 3))
    return [
        tf.reduce_sum(values, reduction_indices=1),
        tf.reduce_max(values, 1, keep_dims=True),
        tf.argmax(values, dimension=1),
    ]


@case
def statistics(tf):
    values = tf.constant(normal(3, 4))
    return {
        "variance": tf.math.reduce_variance(values, 0),
        "std": tf.math.reduce_std(values, 1, keepdims=True),
        "euclidean": tf.math.reduce_euclidean_norm(values, 1),
        "euclidean_int": tf.math.reduce_euclidean_norm([3, 4]),
        "zero_fraction": tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0]),
        "count_nonzero": [
            tf.count_nonzero([[0, 1], [2, 0]]),
            tf.count_nonzero([[0.0, 1.0], [2.0, 3.0]], axis=1),
            tf.count_nonzero([[0, 1], [2, 0]], axis=0, keepdims=True, dtype=tf.int32),
            tf.count_nonzero(tf.constant(["", "a", " "])),
        ],
    }


@case
def norms(tf):
    values = tf.constant(normal(3, 4))
    return {
        "euclidean": tf.norm(values),
        "one": tf.norm(values, 1, axis=1),
        "infinity": tf.norm(values, np.inf, axis=0),
        "three": tf.norm(values, 3, axis=1, keepdims=True),
        "frobenius": tf.norm(values, "fro", axis=[0, 1]),
        "complex": tf.norm(tf.constant(sample("complex64", 4))),
    }


def _arg_program(name):
    def program(tf):
        function, results = getattr(tf, name), {}
        for dtype in (*FLOATS, *INTEGERS, "bool"):
            values = tf.constant(sample(dtype, 3, 5, seed=4))
            results[dtype] = [function(values, 0), function(values, -1, output_type=tf.int32)]
        results["default_axis"] = function(tf.constant(normal(4, 2)))
        results["ties"] = function([[3, 1, 3, 1], [2, 2, 2, 2]], axis=1)
        results["nan"] = function([1.0, np.nan, 3.0])
        results["tensor_axis"] = function(tf.constant(normal(2, 3)), axis=tf.constant(1))
        if name == "argmax":
            results["uint16"] = function(tf.constant(normal(2, 3)), 1, output_type=tf.uint16)
        return results

    return program


case("argmax")(_arg_program("argmax"))
case("argmin")(_arg_program("argmin"))


@case
def argmax_shapes(tf):
    partial = tf.placeholder(tf.float32, [None, 3, None])
    fetches = [
        tf.argmax(partial, 0),
        tf.argmax(partial, 1),
        tf.argmin(partial, -1),
        tf.argmax(tf.zeros([0, 3]), 1),
        tf.argmax(tf.zeros([3]), 0),
    ]
    return Case(fetches, {partial: normal(2, 3, 4)})


@case
def cumulative(tf):
    values = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    results = {}
    for name in ("cumsum", "cumprod"):
        function = getattr(tf, name)
        results[name] = [
            function(values, 0),
            function(values, 1),
            function(values, -1, exclusive=True),
            function(values, 1, reverse=True),
            function(values, 1, exclusive=True, reverse=True),
            function(tf.constant([1, 2, 3], tf.int64)),
            function(tf.constant([2, 3], tf.uint8)),
            function(tf.zeros([0, 2])),
        ]
    results["logsumexp"] = tf.math.cumulative_logsumexp(values, 1)
    return results


@case
def segments(tf):
    values = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    ids = tf.constant([0, 0, 1, 3])
    names = ("segment_sum", "segment_mean", "segment_prod", "segment_max", "segment_min")
    results = {name: getattr(tf, name)(values, ids) for name in names}
    results["int64_ids"] = tf.segment_sum([1, 2, 3], tf.constant([0, 0, 2], tf.int64))
    results["empty"] = tf.segment_sum(tf.zeros([0, 2]), tf.zeros([0], tf.int32))
    return results


@case
def unsorted_segments(tf):
    values = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    ids = tf.constant([2, 0, 2, -1])
    names = ("sum", "mean", "prod", "max", "min", "sqrt_n")
    results = {name: getattr(tf, f"unsorted_segment_{name}")(values, ids, 4) for name in names}
    results["integers"] = tf.unsorted_segment_max([5, 6], [1, 1], 3)
    results["matrix_ids"] = tf.unsorted_segment_sum(values, [[0, 1], [1, 0], [2, 2], [0, 0]], 3)
    return results


@case
def sparse_segments(tf):
    values, rows, ids = tf.constant(normal(4, 3)), [0, 2, 3, 1], [0, 0, 2, 3]
    names = ("sparse_segment_sum", "sparse_segment_mean", "sparse_segment_sqrt_n")
    results = {name: getattr(tf, name)(values, rows, ids) for name in names}
    results["with_count"] = tf.sparse_segment_sum(values, rows, ids, num_segments=6)
    return results


@case
def bincount_and_confusion_matrix(tf):
    return [
        tf.bincount([1, 2, 2, 5]),
        tf.bincount([1, 2, 2], minlength=5),
        tf.bincount([1, 2, 7], maxlength=3),
        tf.bincount([1, 2, 2], weights=[0.5, 1.0, 2.0]),
        tf.confusion_matrix([0, 1, 2, 1], [0, 2, 2, 1]),
        tf.confusion_matrix([0, 1], [1, 1], num_classes=3, dtype=tf.float32, weights=[0.5, 2.0]),
        tf.histogram_fixed_width([0.1, 0.5, 0.9, 2.0, -1.0], [0.0, 1.0], nbins=4),
    ]


@case
def l2_loss(tf):
    return [tf.nn.l2_loss(tf.constant(uniform(-1, 1, (3, 2), dtype))) for dtype in FLOATS]


error_cases(
    axis_out_of_range=lambda tf: tf.reduce_sum(tf.zeros([2, 3]), axis=2),
    negative_axis_out_of_range=lambda tf: tf.reduce_sum(tf.zeros([2, 3]), axis=-3),
    fed_axis_out_of_range=lambda tf: Case(
        tf.reduce_sum(tf.zeros([2]), axis=(axis := tf.placeholder(tf.int32))), {axis: 5}
    ),
    repeated_axis=lambda tf: tf.reduce_sum(tf.zeros([2, 3]), axis=[0, 0]),
    float_axis=lambda tf: tf.reduce_sum(tf.zeros([2, 3]), axis=0.5),
    sum_of_strings=lambda tf: tf.reduce_sum(tf.constant(["a"])),
    any_of_integers=lambda tf: tf.reduce_any([1, 0]),
    argmax_axis=lambda tf: tf.argmax(tf.zeros([2]), axis=1),
    argmax_of_empty_axis=lambda tf: tf.argmax(tf.zeros([2, 0]), axis=1),
    argmax_output_type=lambda tf: tf.argmax(tf.zeros([2]), output_type=tf.float32),
    unsorted_segment_ids=lambda tf: tf.segment_sum([1.0, 2.0], [1, 0]),
    segment_ids_shape=lambda tf: tf.segment_sum([1.0, 2.0], [0, 0, 1]),
    unsorted_segment_too_large=lambda tf: tf.unsorted_segment_sum([1.0, 2.0], [0, 5], 3),
    cumsum_axis=lambda tf: tf.cumsum([1.0], axis=1),
)
