"""Comparisons and logic."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import REAL, sample

ORDERINGS = ("less", "less_equal", "greater", "greater_equal")


def _program(name, dtypes):
    def program(tf):
        function = getattr(tf, name)
        return {
            dtype: function(
                tf.constant(sample(dtype, 3, 4, seed=1)), tf.constant(sample(dtype, 4, seed=2))
            )
            for dtype in dtypes
        }

    return program


for _name in ORDERINGS:
    case(_name)(_program(_name, REAL))
for _name in ("equal", "not_equal"):
    case(_name)(_program(_name, [*REAL, "bool", "string", "complex64", "complex128"]))


@case
def equality_finds_equal_values(tf):
    return [
        tf.equal(tf.constant([[1, 2], [3, 4]]), [1, 4]),
        tf.equal(tf.constant(["a", "b\x00", ""]), tf.constant(["a", "b", ""])),
        tf.not_equal([True, False], [True, True]),
        tf.equal([1 + 1j], [1 - 1j]),
        tf.equal([0.0, np.nan], [-0.0, np.nan]),
        tf.not_equal([np.nan], [np.nan]),
    ]


@case
def comparisons_with_nan_and_infinity(tf):
    x, y = [np.nan, np.inf, 1.0, -np.inf], [1.0, np.inf, np.nan, np.inf]
    return [getattr(tf, name)(x, y) for name in ORDERINGS]


@case
def incompatible_shapes_may_compare_unequal(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    fetches = [
        tf.raw_ops.Equal(x=x, y=y, incompatible_shape_error=False),
        tf.raw_ops.NotEqual(x=x, y=y, incompatible_shape_error=False),
    ]
    return Case(fetches, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})


@case
def operators(tf):
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([3.0, 2.0, 1.0])
    results = [x < y, x <= y, x > y, x >= y, x < 2, x <= 2]
    return {
        "values": results,
        "types": [result.op.type for result in results],
        "tensors_compare_by_identity": [x == y, x != y, x == x],
    }


@case
def logic(tf):
    x, y = tf.constant([True, True, False, False]), tf.constant([True, False, True, False])
    return {
        "functions": [tf.logical_and(x, y), tf.logical_or(x, y), tf.logical_xor(x, y)],
        "operators": [x & y, x | y, x ^ y, ~x, x & True, False | y],
        "broadcast": tf.logical_and([[True], [False]], [True, False]),
        "empty": tf.logical_or(tf.zeros([0], tf.bool), [True]),
    }


@case
def approximate_equal(tf):
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.000001, 2.1, 3.0])
    return [
        tf.raw_ops.ApproximateEqual(x=x, y=y, tolerance=1e-5),
        tf.raw_ops.ApproximateEqual(x=x, y=y, tolerance=0.2),
        tf.raw_ops.ApproximateEqual(x=tf.to_double(x), y=tf.to_double(y), tolerance=0.2),
    ]


@case
def static_shapes(tf):
    partial, unknown = tf.placeholder(tf.int32, [None, 3]), tf.placeholder(tf.int32)
    fetches = [tf.less(partial, [1, 2, 3]), tf.greater(unknown, 0), tf.equal(partial, unknown)]
    return Case(fetches, {partial: [[1, 1, 5]], unknown: [[2]]})


@case
def bounds_and_sets(tf):
    predictions = tf.constant([[0.1, 0.8, 0.3], [0.5, 0.2, 0.5]])
    return [
        tf.nn.in_top_k(predictions, [1, 2], 1),
        tf.nn.in_top_k(predictions, [0, 1], 2),
        tf.nn.in_top_k(predictions, tf.constant([2, 0], tf.int64), 3),
        tf.reduce_all(tf.is_finite(predictions)),
    ]


error_cases(
    less_of_strings=lambda tf: tf.less(tf.constant("a"), tf.constant("b")),
    less_of_booleans=lambda tf: tf.less([True], [False]),
    less_of_complex=lambda tf: tf.less([1j], [1j]),
    equal_of_mixed_dtypes=lambda tf: tf.equal(tf.constant(1), tf.constant(1.0)),
    equal_of_incompatible_shapes=lambda tf: tf.equal(tf.zeros([2]), tf.zeros([3])),
    and_of_integers=lambda tf: tf.logical_and([1], [0]),
    chained_comparison=lambda tf: 0.0 < tf.constant(1.0) < 2.0,
)
