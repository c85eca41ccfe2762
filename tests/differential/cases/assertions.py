"""tf.assert_*: what is checked when the graph is built, what in the run, in both APIs."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_case

COMPARISONS = ("equal", "none_equal", "less", "less_equal", "greater", "greater_equal")
SIGNS = ("positive", "negative", "non_negative", "non_positive")
#: Operands for which each comparison holds or does not, with broadcasting.
PAIRS = {
    "same": ([1, 2], [1, 2]),
    "below": ([1, 2], [3, 4]),
    "above": ([5, 6], [3, 4]),
    "mixed": ([1, 6], [3, 4]),
    "scalar": ([1, 2], 2),
    "column": ([[1], [2]], [1, 2]),
    "empty": (np.zeros([0]), np.zeros([0])),
    "empty_and_scalar": (np.zeros([0]), 1.0),
}
NUMPY = {
    "equal": np.equal,
    "none_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}


def _fed(tf, value, dtype=None):
    """A tensor whose value only the run knows."""
    array = np.asarray(value, dtype)
    return tf.placeholder_with_default(array, [None] * array.ndim)


def _behind(tf, check):
    with tf.control_dependencies([check] if check is not None else []):
        return tf.constant(1)


def _comparison(name, pair, fed):
    def program(tf):
        x, y = (np.asarray(item, np.float32) for item in PAIRS[pair])
        x = _fed(tf, x) if fed else tf.constant(x)
        return _behind(tf, getattr(tf, f"assert_{name}")(x, y, message="told"))

    return program


for _name in COMPARISONS:
    for _pair, (_x, _y) in PAIRS.items():
        _holds = bool(NUMPY[_name](_x, _y).all())
        for _fed_in in (False, True):
            _register = case if _holds else error_case
            _label = f"{_name}_{_pair}_{'in_the_run' if _fed_in else 'at_once'}"
            _register(_label)(_comparison(_name, _pair, _fed_in))


def _sign(name, value, fed):
    def program(tf):
        x = _fed(tf, value, np.int32) if fed else tf.constant(value)
        return _behind(tf, getattr(tf, f"assert_{name}")(x))

    return program


for _name in SIGNS:
    for _value in ([1, 2], [-1, -2], [0, 1], [0, -1]):
        _array = np.array(_value)
        _holds = {
            "positive": _array > 0,
            "negative": _array < 0,
            "non_negative": _array >= 0,
            "non_positive": _array <= 0,
        }[_name].all()
        for _fed_in in (False, True):
            _register = case if _holds else error_case
            _text = "_".join(map(str, _value)).replace("-", "minus_")
            _label = f"{_name}_{_text}_{'in_the_run' if _fed_in else 'at_once'}"
            _register(_label)(_sign(_name, _value, _fed_in))


@case
def dtypes_of_comparisons(tf):
    types = ["float16", "bfloat16", "float32", "float64", "uint8", "int8", "int16", "int32"]
    types += ["int64", "uint16", "uint32", "uint64"]
    checks = [tf.assert_less(tf.zeros([2], t), tf.ones([2], t)) for t in types]
    checks += [tf.assert_positive(tf.ones([2], t)) for t in types]
    checks += [tf.assert_equal(tf.constant(a), tf.constant(a)) for a in ("a", True, 1j)]
    with tf.control_dependencies(checks):
        return tf.constant(1)


@case
def assert_near_holds(tf):
    checks = [
        tf.assert_near(_fed(tf, [1.0]), [1.0]),
        tf.assert_near(_fed(tf, [1.0]), [1.1], rtol=0.2),
        tf.assert_near(_fed(tf, [1.0]), [1.1], atol=0.2),
        tf.assert_near(_fed(tf, [1.0], np.float16), tf.constant([1.001], tf.float16)),
        tf.assert_near(_fed(tf, [1.0], np.float64), tf.constant([1.0], tf.float64)),
        tf.assert_near(
            _fed(tf, [1.0 + 1.0j], np.complex64), tf.constant([1.0 + 1.0j], tf.complex64)
        ),
        tf.debugging.assert_near(_fed(tf, []), []),
    ]
    with tf.control_dependencies(checks):
        return tf.constant(1)


@case
def ranks_that_hold(tf):
    known, unknown = tf.zeros([2, 3]), tf.placeholder_with_default(np.zeros([2, 3]), None)
    rank = tf.placeholder_with_default(np.int32(2), [])
    checks = [
        tf.assert_rank(known, 2),
        tf.assert_rank(unknown, 2),
        tf.assert_rank(unknown, rank),
        tf.assert_rank(known, rank),
        tf.assert_rank_at_least(known, 1),
        tf.assert_rank_at_least(unknown, 0),
        tf.assert_rank_in(known, (1, 2)),
        tf.assert_rank_in(unknown, [2]),
        tf.assert_rank_in(unknown, [1, rank]),
        tf.assert_rank(tf.SparseTensor([[0, 1]], [1.0], [2, 2]), 2),
    ]
    with tf.control_dependencies(checks):
        return tf.constant(1)


@case
def shapes_that_hold(tf):
    x = tf.placeholder_with_default(np.zeros([2, 3]), None)
    y = tf.placeholder_with_default(np.zeros([3, 2]), [3, None])
    scalar = tf.placeholder_with_default(np.float32(1), None)
    checks = [
        tf.debugging.assert_shapes([(x, ("N", "M")), (y, ("M", "N"))]),
        tf.debugging.assert_shapes([(x, (2, None)), (y, "MN")]),
        tf.debugging.assert_shapes([(x, (..., 3)), (y, "*N")]),
        tf.debugging.assert_shapes([(x, (".", 3))]),
        tf.debugging.assert_shapes([(scalar, ())]),
        tf.debugging.assert_shapes([(scalar, (1,)), (tf.zeros([1]), ())]),
        tf.debugging.assert_shapes({y: ("A", 2)}),
        tf.debugging.assert_shapes([]),
    ]
    with tf.control_dependencies(checks):
        return tf.constant(1)


@case
def monotonic(tf):
    values = ([1, 2, 3], [1, 1, 2], [2, 1], [], [5], [[1, 2], [3, 4]], [[1, 2], [2, 4]])
    results = {}
    for index, value in enumerate(values):
        for fed in (False, True):
            x = _fed(tf, value, np.int32) if fed else tf.constant(value, tf.int32)
            results[f"non_decreasing_{index}_{fed}"] = tf.is_non_decreasing(x)
            results[f"increasing_{index}_{fed}"] = tf.is_strictly_increasing(x)
    return results


@case
def monotonic_dtypes(tf):
    return [
        tf.math.is_non_decreasing(tf.constant([1, 2, 2], dtype))
        for dtype in ("float16", "float32", "float64", "int8", "int64", "uint8", "bfloat16")
    ]


@case
def dtypes_and_iterables(tf):
    return [
        tf.assert_same_float_dtype([tf.constant(1.0), None]).name,
        tf.assert_same_float_dtype(dtype=tf.float64).name,
        tf.assert_same_float_dtype().name,
        tf.assert_same_float_dtype([tf.constant(1.0, tf.float16)], tf.float16).name,
        tf.assert_proper_iterable([1]) is None,
        tf.assert_proper_iterable({1: 2}) is None,
        tf.is_numeric_tensor(tf.constant(1)),
        tf.is_numeric_tensor(tf.constant(1j)),
        tf.is_numeric_tensor(tf.constant(True)),
        tf.is_numeric_tensor(1),
        tf.assert_type(tf.constant(1), tf.int32).type,
        tf.assert_integer(tf.constant(1)).type,
        tf.assert_scalar(2.5),
    ]


@case
def confusion_matrices(tf):
    return {
        "plain": tf.confusion_matrix([0, 1, 2, 1], [0, 2, 2, 1]),
        "classes": tf.confusion_matrix([0, 1], [1, 1], num_classes=4),
        "weights": tf.confusion_matrix([0, 1, 1], [0, 1, 1], weights=[0.5, 1.0, 2.0]),
        "weights_dtype": tf.confusion_matrix(
            [0, 1, 1], [0, 1, 1], weights=[0.5, 1.0, 2.0], dtype=tf.float32
        ),
        "dtype": tf.math.confusion_matrix([0, 1], [0, 1], dtype=tf.float64),
        "column": tf.confusion_matrix([[0], [1]], [1, 1]),
        "fed": tf.confusion_matrix(_fed(tf, [0, 1], np.int64), _fed(tf, [1, 1], np.int32)),
        "fed_classes": tf.confusion_matrix([0], [1], num_classes=_fed(tf, 3, np.int32)),
        "empty": tf.confusion_matrix(tf.zeros([0], tf.int32), tf.zeros([0], tf.int32), 2),
        "integer_labels": tf.confusion_matrix(tf.constant([1], tf.uint8), [0], 2),
    }


ERRORS = {
    "near": lambda tf: _behind(tf, tf.assert_near(_fed(tf, [1.0]), [1.1])),
    "near_static": lambda tf: _behind(tf, tf.assert_near([1.0], [2.0])),
    "near_bound_is_open": lambda tf: _behind(tf, tf.assert_near(_fed(tf, [1.0]), [2.0], 0.0, 1.0)),
    "near_integers": lambda tf: tf.assert_near(tf.constant(1), 1),
    "near_dtypes": lambda tf: tf.assert_near(tf.constant(1.0), tf.constant(1.0, tf.float64)),
    "shapes_differ": lambda tf: tf.assert_less(tf.zeros([2]), tf.ones([3])),
    "shapes_differ_in_the_run": lambda tf: _behind(
        tf, tf.assert_less(_fed(tf, [1.0, 2.0]), tf.ones([3]))
    ),
    "dtypes_differ": lambda tf: tf.assert_less(tf.zeros([2]), tf.ones([2], tf.int32)),
    "less_of_text": lambda tf: tf.assert_less("a", "b"),
    "less_of_bools": lambda tf: tf.assert_less(tf.constant(True), True),
    "less_of_complex": lambda tf: tf.assert_less(tf.constant(1j), 2j),
    "positive_text": lambda tf: tf.assert_positive(["a"]),
    "none": lambda tf: tf.assert_equal(None, 1),
    "nan": lambda tf: _behind(tf, tf.assert_equal(_fed(tf, [np.nan]), [np.nan])),
    "rank": lambda tf: tf.assert_rank(tf.zeros([2, 3]), 1),
    "rank_in_the_run": lambda tf: _behind(
        tf, tf.assert_rank(tf.placeholder_with_default(np.zeros([2]), None), 2)
    ),
    "rank_is_a_vector": lambda tf: tf.assert_rank(tf.zeros([2]), [1]),
    "rank_is_a_vector_in_the_run": lambda tf: _behind(
        tf, tf.assert_rank(tf.zeros([2]), tf.placeholder_with_default(np.int32([1]), None))
    ),
    "rank_is_a_float": lambda tf: tf.assert_rank(tf.zeros([2]), 1.0),
    "rank_is_long": lambda tf: tf.assert_rank(tf.zeros([2]), tf.constant(1, tf.int64)),
    "rank_at_least": lambda tf: tf.assert_rank_at_least(tf.zeros([2]), 2),
    "rank_at_least_in_the_run": lambda tf: _behind(
        tf, tf.assert_rank_at_least(tf.placeholder_with_default(np.zeros([2]), None), 2)
    ),
    "rank_in": lambda tf: tf.assert_rank_in(tf.zeros([2]), [0, 2]),
    "rank_in_in_the_run": lambda tf: _behind(
        tf, tf.assert_rank_in(tf.placeholder_with_default(np.zeros([2]), None), [0, 2])
    ),
    "rank_in_of_vectors": lambda tf: tf.assert_rank_in(tf.zeros([2]), [[1], 2]),
    "rank_of_sparse": lambda tf: tf.assert_rank(tf.SparseTensor([[0, 1]], [1.0], [2, 2]), 1),
    "type": lambda tf: tf.assert_type(tf.constant(1), tf.float32),
    "integer": lambda tf: tf.assert_integer(tf.constant(1.0)),
    "integer_bool": lambda tf: tf.assert_integer(tf.constant(True)),
    "scalar": lambda tf: tf.assert_scalar([1.0]),
    "scalar_of_unknown_rank": lambda tf: tf.assert_scalar(tf.placeholder(tf.float32)),
    "iterable_text": lambda tf: tf.assert_proper_iterable("ab"),
    "iterable_tensor": lambda tf: tf.assert_proper_iterable(tf.constant([1])),
    "iterable_array": lambda tf: tf.assert_proper_iterable(np.ones(2)),
    "iterable_number": lambda tf: tf.assert_proper_iterable(1),
    "float_dtypes_differ": lambda tf: tf.assert_same_float_dtype(
        [tf.constant(1.0), tf.constant(1.0, tf.float64)]
    ),
    "float_dtype_given": lambda tf: tf.assert_same_float_dtype([tf.constant(1.0)], tf.float64),
    "float_dtype_of_integers": lambda tf: tf.assert_same_float_dtype([tf.constant(1)]),
    "monotonic_text": lambda tf: tf.is_non_decreasing(["a", "b"]),
    "monotonic_bools": lambda tf: tf.is_strictly_increasing(tf.constant([True])),
    "sizes": lambda tf: tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", "N"))]),
    "size_given": lambda tf: tf.debugging.assert_shapes([(tf.zeros([2, 3]), (2, 4))]),
    "sizes_in_the_run": lambda tf: _behind(
        tf, tf.debugging.assert_shapes([(_fed(tf, [[1.0, 2.0]]), ("N", "N"))])
    ),
    "size_given_in_the_run": lambda tf: _behind(
        tf, tf.debugging.assert_shapes([(_fed(tf, [[1.0, 2.0]]), (1, 3))])
    ),
    "sizes_of_unknown_rank": lambda tf: _behind(
        tf,
        tf.debugging.assert_shapes([(tf.placeholder_with_default([1.0], None), ("N", "M"))]),
    ),
    "sizes_of_other_rank": lambda tf: tf.debugging.assert_shapes([(tf.zeros([2]), ("N", "M"))]),
    "sizes_rest_in_the_middle": lambda tf: tf.debugging.assert_shapes(
        [(tf.zeros([2, 3]), ("N", ..., "M"))]
    ),
    "sizes_no_sequence": lambda tf: tf.debugging.assert_shapes([(tf.zeros([2]), 2)]),
    "confusion_shapes": lambda tf: tf.confusion_matrix([0], [1, 0]),
    "confusion_classes": lambda tf: tf.confusion_matrix([0], [2], num_classes=2),
    "confusion_classes_in_the_run": lambda tf: tf.confusion_matrix(
        _fed(tf, [2], np.int32), [0], num_classes=2
    ),
    "confusion_negative": lambda tf: tf.confusion_matrix([-1], [0]),
    "confusion_negative_in_the_run": lambda tf: tf.confusion_matrix(_fed(tf, [-1], np.int32), [0]),
    "confusion_weights": lambda tf: tf.confusion_matrix([1], [0], weights=[1.0, 2.0]),
    "confusion_scalars": lambda tf: tf.confusion_matrix(1, 1),
    "ensured_shape": lambda tf: tf.ensure_shape(tf.zeros([2]), [3]),
    "ensured_shape_in_the_run": lambda tf: tf.ensure_shape(_fed(tf, [1.0, 2.0]), [3]),
}
for _name, _program in ERRORS.items():
    error_case(f"error_{_name}")(_program)


@case
def weighted_moments(tf):
    x = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    weights = tf.placeholder_with_default(np.float32([[1.0], [3.0]]), [None, 1])
    return Case(
        [
            *tf.nn.weighted_moments(x, [0], weights),
            *tf.nn.weighted_moments(x, [0, 1], weights, keep_dims=True),
            *tf.nn.weighted_moments(x, [1], 2.0),
        ]
    )
