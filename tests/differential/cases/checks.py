"""Assertions, prints, numeric checks, Python functions and other operations with effects."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_case, error_cases
from ..inputs import normal


@case
def assertions_that_hold(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    checks = [
        tf.Assert(True, ["fine"]),
        tf.Assert(tf.reduce_all(x > 0.0), [x], summarize=2),
        tf.assert_equal(x, [1.0, 2.0, 3.0]),
        tf.assert_none_equal(x, 9.0),
        tf.assert_less(x, 5.0),
        tf.assert_less_equal(x, 3.0),
        tf.assert_greater(x, 0.0),
        tf.assert_greater_equal(x, 1.0),
        tf.assert_positive(x),
        tf.assert_non_negative(x),
        tf.assert_negative(-x),
        tf.assert_non_positive(-x),
        tf.assert_near(x, x + 1e-7),
        tf.assert_rank(x, 1),
        tf.assert_rank_at_least(x, 1),
        tf.assert_rank_in(x, [0, 1]),
        tf.assert_integer(tf.constant(1)),
    ]
    with tf.control_dependencies([check for check in checks if check is not None]):
        return tf.identity(x)


@case
def static_checks(tf):
    x = tf.placeholder(tf.float32, [2, None])
    return [
        tf.is_numeric_tensor(x),
        tf.is_numeric_tensor(tf.constant("a")),
        tf.assert_type(x, tf.float32) is None,
        tf.assert_scalar(tf.constant(1)).shape.as_list(),
        tf.is_strictly_increasing([1, 2, 3]),
        tf.is_non_decreasing([1, 1, 3]),
        tf.is_strictly_increasing([1, 1]),
        tf.assert_same_float_dtype([x, tf.constant(1.0)]).name,
    ]


@case
def check_numerics(tf):
    x = tf.constant([1.0, -2.0])
    return [
        tf.check_numerics(x, "fine"),
        tf.verify_tensor_all_finite(x, "fine"),
        tf.check_numerics(tf.constant([1.0], tf.float64), "fine"),
        tf.gradients(tf.check_numerics(x, "fine") * 2.0, x)[0],
    ]


@case
def prints(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    printed = tf.Print(x, [x, "text", tf.shape(x)], message="values: ", first_n=1, summarize=3)
    operation = tf.print("x:", x, "end", summarize=1)
    with tf.control_dependencies([operation]):
        return [printed, tf.identity(x), tf.gradients(printed * 2.0, x)[0]]


@case
def py_func(tf):
    x = tf.placeholder(tf.float32, [None])
    fetches = [
        tf.py_func(lambda a: a + 1.0, [x], tf.float32),
        tf.py_func(
            lambda a, b: (a.sum(), (b * 2).astype(np.int64)), [x, [1, 2]], [tf.float32, tf.int64]
        ),
        tf.py_func(lambda: "text", [], tf.string),
        tf.py_func(lambda text: text.upper(), ["word"], tf.string),
        tf.py_func(lambda a: [a * 2.0], [x], tf.float32, stateful=False),
        tf.py_func(lambda a: np.bool_(a.size > 1), [x], tf.bool),
        tf.numpy_function(lambda a: a * 3, [tf.constant([1, 2])], tf.int32),
    ]
    return Case(fetches, {x: [1.0, 2.0]})


@case
def py_func_receives_arrays(tf):
    seen = []

    def note(*arguments):
        seen.append([f"{type(item).__name__} {getattr(item, 'dtype', None)}" for item in arguments])
        return np.int32(len(arguments))

    noted = tf.py_func(
        note, [tf.constant(1), tf.constant([1.0]), tf.constant("a"), tf.constant(["b"])], tf.int32
    )
    return Script(lambda session: [session.run(noted), str(seen)])


@case
def py_func_keeps_state(tf):
    calls = []
    counted = tf.py_func(lambda: calls.append(1) or np.int64(len(calls)), [], tf.int64)
    return Case(counted, runs=3)


@case
def stateful_py_func_runs_when_needed_only(tf):
    calls = []
    tf.py_func(lambda: calls.append(1) or np.int64(1), [], tf.int64)
    other = tf.constant(5)
    return Script(lambda session: [session.run(other), len(calls)])


@case
def timestamps_and_no_ops(tf):
    stamp = tf.timestamp()
    grouped = tf.group(tf.no_op(), tf.constant(1).op)
    return [stamp > 1e9, stamp.dtype.name, grouped.type, tf.group(name="empty").type]


@error_case
def py_func_raises_value_error(tf):
    def fail():
        raise ValueError("bad value")

    return tf.py_func(fail, [], tf.float32)


@error_case
def py_func_raises_type_error(tf):
    def fail():
        raise TypeError("bad type")

    return tf.py_func(fail, [], tf.float32)


@error_case
def py_func_raises_stop_iteration(tf):
    def fail():
        raise StopIteration

    return tf.py_func(fail, [], tf.float32)


@error_case
def py_func_raises_key_error(tf):
    return tf.py_func(lambda: {}["missing"], [], tf.float32)


@error_case
def py_func_runs_out_of_memory(tf):
    def fail():
        raise MemoryError("none left")

    return tf.py_func(fail, [], tf.float32)


@error_case
def py_func_not_implemented(tf):
    def fail():
        raise NotImplementedError("later")

    return tf.py_func(fail, [], tf.float32)


def _guarded(tf, check):
    with tf.control_dependencies([check]):
        return tf.constant(1)


error_cases(
    assert_false=lambda tf: _guarded(
        tf, tf.Assert(tf.placeholder_with_default(False, []), ["told", tf.constant(1)])
    ),
    assert_false_statically=lambda tf: tf.Assert(tf.constant(False), ["told"]),
    assert_python_false=lambda tf: tf.Assert(False, ["told"]),
    assert_equal_statically=lambda tf: tf.assert_equal(tf.constant(1), tf.constant(2)),
    assert_equal=lambda tf: _guarded(
        tf, tf.assert_equal(tf.placeholder_with_default(1, []), 2, message="differs")
    ),
    assert_positive=lambda tf: _guarded(
        tf, tf.assert_positive(tf.placeholder_with_default([1.0, -1.0], [2]))
    ),
    assert_rank_statically=lambda tf: tf.assert_rank(tf.zeros([2]), 2),
    assert_rank=lambda tf: _guarded(tf, tf.assert_rank(tf.placeholder_with_default([1], None), 2)),
    assert_type=lambda tf: tf.assert_type(tf.constant(1), tf.float32),
    assert_integer=lambda tf: tf.assert_integer(tf.constant(1.0)),
    assert_scalar=lambda tf: tf.assert_scalar(tf.zeros([2])),
    check_nan=lambda tf: tf.check_numerics(tf.constant([1.0, np.nan]), "found"),
    check_infinity=lambda tf: tf.check_numerics(tf.log([0.0]), "found"),
    check_integers=lambda tf: tf.check_numerics(tf.constant([1]), "found"),
    py_func_returns_other_dtype=lambda tf: tf.py_func(lambda: np.float64(1.0), [], tf.float32),
    py_func_returns_too_many=lambda tf: tf.py_func(
        lambda: (np.float32(1), np.float32(2)), [], [tf.float32]
    ),
    py_func_returns_nothing=lambda tf: tf.py_func(lambda: None, [], tf.float32),
    py_func_divides_by_zero=lambda tf: tf.py_func(lambda: 1 // 0, [], tf.float32),
    add_check_operations_of_text=lambda tf: tf.assert_less(tf.constant("a"), tf.constant("b")),
    nested_shapes_of_checks=lambda tf: tf.assert_equal(tf.zeros([2]), tf.zeros([3])),
    stop_iteration_of_normal_use=lambda tf: tf.check_numerics(
        tf.constant(normal(2)) / tf.constant(0.0), "found"
    ),
)
