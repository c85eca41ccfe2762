"""Gradients through conditionals and loops: values, second derivatives, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def central_difference(function, x, step=1e-5):
    """The derivatives of a scalar function of an array, from the values on both sides."""
    result = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        shift = np.zeros_like(x)
        shift[place] = step
        result[place] = (function(x + shift) - function(x - shift)) / (2 * step)
    return result


def check(build, value, feeds=None, order=2):
    """First derivatives, and second ones of their sum, against central differences."""
    x = tf.placeholder(tf.float64, np.shape(value))
    y = tf.reduce_sum(build(x))
    (first,) = tf.gradients(y, x)
    first = tf.convert_to_tensor(first)
    value = np.asarray(value, np.float64)
    with tf.Session() as session:
        fed = feeds or {}
        found = session.run(first, {**fed, x: value})
        expected = central_difference(lambda at: session.run(y, {**fed, x: at}), value)
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-6)
        if order < 2:
            return
        slope = tf.reduce_sum(first * first)
        (second,) = tf.gradients(slope, x, unconnected_gradients="zero")
        found = session.run(tf.convert_to_tensor(second), {**fed, x: value})
        expected = central_difference(lambda at: session.run(slope, {**fed, x: at}), value)
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-5)


# --- conditionals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize(
    "branches",
    [
        (lambda x: x * x, lambda x: tf.sin(x)),
        (lambda x: x * x, lambda x: tf.constant(5.0, tf.float64)),
        (lambda x: tf.sign(x) * 5.0, lambda x: x * 7.0),
        (lambda x: x, lambda x: -x),
    ],
    ids=["both", "one", "constant_gradient", "passed_through"],
)
def test_cond(branches, flag):
    pred = tf.placeholder(tf.bool, [])
    check(lambda x: tf.cond(pred, *[lambda f=f: f(x) for f in branches]), 1.3, {pred: flag})


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("inner", [True, False])
def test_cond_in_cond(outer, inner):
    first, second = tf.placeholder(tf.bool, []), tf.placeholder(tf.bool, [])

    def build(x):
        def taken():
            doubled = x * x
            return tf.cond(second, lambda: doubled * x, lambda: tf.exp(doubled))

        return tf.cond(first, taken, lambda: x * 3.0)

    check(build, 0.7, {first: outer, second: inner})


def test_cond_that_no_x_reaches():
    x = tf.constant(1.0)
    y = tf.cond(tf.constant(True), lambda: tf.constant(4.0), lambda: tf.constant(5.0))
    assert tf.gradients(y, x) == [None]


def test_cond_of_rows():
    pred = tf.placeholder(tf.bool, [])
    table = tf.constant([[1.0], [2.0]])
    y = tf.cond(pred, lambda: tf.reduce_sum(tf.gather(table, [1, 1])), lambda: tf.reduce_sum(table))
    (gradient,) = tf.gradients(y, table)
    assert run(gradient, {pred: True}).tolist() == [[0.0], [2.0]]
    assert run(gradient, {pred: False}).tolist() == [[1.0], [1.0]]


def test_case():
    index = tf.placeholder(tf.int32, [])
    x = tf.constant(3.0)
    y = tf.case(
        [(tf.equal(index, 0), lambda: x * x), (tf.equal(index, 1), lambda: x * 5.0)],
        default=lambda: -x,
    )
    gradient = tf.gradients(y, x)
    assert [run(gradient, {index: i}) for i in range(3)] == [[6.0], [5.0], [-1.0]]


# --- loops ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 4])
def test_power(count):
    n = tf.placeholder(tf.int32, [])

    def build(x):
        return tf.while_loop(lambda i, p: i < n, lambda i, p: (i + 1, p * x), [0, x * 1.0])[1]

    check(build, 1.2, {n: count})


def test_loop_variable_and_constant_from_one_tensor():
    check(
        lambda x: tf.while_loop(
            lambda i, p: i < 3, lambda i, p: (i + 1, tf.sin(p) * x + p), [0, x]
        )[1],
        [0.4, 1.1],
    )


def test_several_variables_that_mix():
    def build(x):
        def body(i, a, b, c):
            return i + 1, a * b, b + x, c

        _, a, b, c = tf.while_loop(
            lambda i, *_: i < 3, body, [0, x, tf.cos(x), tf.constant(7.0, tf.float64)]
        )
        return a + 2.0 * b + c

    check(build, 0.6)


def test_only_one_result_is_used():
    x = tf.constant(2.0)
    _, used, unused = tf.while_loop(
        lambda i, *_: i < 3, lambda i, a, b: (i + 1, a * x, b + a), [0, x, x]
    )
    assert run(tf.gradients(used, x)) == [32.0]
    assert run(tf.gradients(unused, x)) == [1.0 + 1 + 4 + 12]


def test_variables_without_gradient_are_left_alone():
    # `best` would refuse to be differentiated, but the result does not depend on it.
    x = tf.constant([2.0, 1.0])

    def body(i, a, best):
        return i + 1, a * x, tf.cast(tf.py_func(lambda v: v, [a[0]], tf.float32), tf.float32)

    _, a, _ = tf.while_loop(
        lambda i, *_: i < 2,
        body,
        [0, x, tf.constant(0.0)],
        shape_invariants=[tf.TensorShape([]), x.shape, tf.TensorShape(None)],
    )
    assert run(tf.gradients(a, x))[0].tolist() == [12.0, 3.0]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_loop_in_loop(count):
    n = tf.placeholder(tf.int32, [])

    def build(x):
        def outer(i, total):
            _, inner = tf.while_loop(
                lambda j, s: j < i + 1, lambda j, s: (j + 1, s * x + total), [0, x]
            )
            return i + 1, total + inner

        return tf.while_loop(lambda i, t: i < n, outer, [0, tf.zeros([], tf.float64)])[1]

    check(build, 0.8, {n: count})


def test_cond_in_loop():
    def build(x):
        def body(i, p):
            even = tf.equal(i % 2, 0)
            return i + 1, tf.cond(even, lambda: p * x, lambda: tf.sin(p) + x)

        return tf.while_loop(lambda i, p: i < 4, body, [0, x])[1]

    check(build, 0.9)


def test_cond_in_cond_in_loop():
    def build(x):
        def body(i, p):
            def odd():
                return tf.cond(p > 0.5, lambda: p * x * x, lambda: tf.exp(p))

            return i + 1, tf.cond(tf.equal(i % 2, 1), odd, lambda: p - x)

        return tf.while_loop(lambda i, p: i < 5, body, [0, 1.5 * x])[1]

    check(build, 0.7)


@pytest.mark.parametrize("flag", [True, False])
def test_loop_in_cond(flag):
    pred = tf.placeholder(tf.bool, [])

    def build(x):
        def loop():
            return tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p * x), [0, x])[1]

        return tf.cond(pred, loop, lambda: tf.exp(x))

    check(build, 1.1, {pred: flag})


def test_loop_in_cond_in_loop():
    def build(x):
        def body(i, p):
            def inner():
                return tf.while_loop(lambda j, s: j < 2, lambda j, s: (j + 1, s * p + x), [0, p])[1]

            return i + 1, tf.cond(tf.equal(i % 2, 0), inner, lambda: p * 0.5)

        return tf.while_loop(lambda i, p: i < 3, body, [0, x])[1]

    check(build, 0.6)


def test_shapes_that_grow():
    def build(x):
        return tf.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.concat([v, v[:1] * x[0]], 0)),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1]

    check(build, [0.5, 2.0])


def test_broadcasts_of_shapes_not_known():
    fed = tf.placeholder(tf.float64, [None, None])

    def build(x):
        return tf.while_loop(
            lambda i, v: i < 2, lambda i, v: (i + 1, v * x + tf.reduce_mean(v)), [0, fed]
        )[1]

    check(build, [0.5, 2.0, -1.0], {fed: np.ones((2, 3))})


def test_rows_of_a_table():
    def build(x):
        return tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: (i + 1, s * tf.reduce_sum(tf.gather(x, [i, 0]))),
            [0, tf.ones([], tf.float64)],
        )[1]

    check(build, [[1.0, 0.5], [0.3, 0.2], [0.7, 0.9]], order=1)
    x = tf.placeholder(tf.float64, [3, 2])
    assert isinstance(tf.gradients(build(x), x)[0], tf.IndexedSlices)


@pytest.mark.parametrize("use_resource", [True, False])
def test_variables_read_in_the_loop(use_resource):
    weight = tf.Variable(2.0, use_resource=use_resource)
    _, y = tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p * weight), [0, 1.0])
    assert run(tf.gradients(y, weight)) == [12.0]


def test_tensor_arrays():
    def build(x):
        source = tf.TensorArray(tf.float64, 3).unstack(x)
        target = tf.TensorArray(tf.float64, 3)

        def body(i, state, out):
            state = tf.tanh(state + source.read(i))
            return i + 1, state, out.write(i, state * state)

        _, _, out = tf.while_loop(lambda i, *_: i < 3, body, [0, tf.zeros([], tf.float64), target])
        return out.stack()

    check(build, [0.1, 0.5, -0.3])


def test_map_and_scan():
    check(lambda x: tf.map_fn(lambda v: v * v * v, x), [0.5, 1.5, -2.0])
    check(lambda x: tf.scan(lambda a, v: a * v, x), [0.5, 1.5, -2.0])
    check(lambda x: tf.foldr(lambda a, v: a * v + v, x), [0.5, 1.5, -2.0])


def test_gradient_of_a_session_that_has_run():
    x = tf.constant(3.0)
    _, y = tf.while_loop(lambda i, p: i < 2, lambda i, p: (i + 1, p * x), [0, 1.0])
    with tf.Session() as session:
        assert session.run(y) == 9.0
        gradient = tf.gradients(y, x)
        assert session.run(gradient) == [6.0]
        assert session.run([y, *tf.gradients(gradient, x)]) == [9.0, 2.0]


def test_third_derivative_of_a_loop():
    x = tf.constant(2.0)
    y = tf.while_loop(lambda i, p: i < 4, lambda i, p: (i + 1, p * x), [0, 1.0])[1]
    for expected in (32.0, 48.0, 48.0):
        (y,) = tf.gradients(y, x)
        assert run(y) == expected


# --- gradients inside of loops --------------------------------------------------------------------


def test_gradients_inside_a_loop():
    x = tf.constant(2.0)

    def body(i, y):
        by_y, by_x = tf.gradients(y * y * x, [y, x])
        return i + 1, by_y + by_x

    # 2·y·x + y²
    assert run(tf.while_loop(lambda i, y: i < 2, body, [0, 1.0])[1]) == 45.0


def test_newton_differentiated():
    # One step of Newton for y² = x from y = x, done in a loop with its own gradient.
    def build(x):
        def body(i, y):
            (slope,) = tf.gradients(y * y - x, y)
            return i + 1, y - (y * y - x) / slope

        return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]

    check(build, 1.7, order=1)


def test_initial_values_cannot_be_reached_from_inside():
    start = tf.constant(1.0)
    found = []

    def body(i, y):
        with pytest.raises(ValueError, match="initial value of a loop variable"):
            tf.gradients(y * y, start)
        found.append(i)
        return i + 1, y * 2.0

    tf.while_loop(lambda i, y: i < 2, body, [0, start])
    assert found


def test_tensors_inside_cannot_be_reached_from_outside():
    x = tf.constant(2.0)
    inside = []

    def body(i, y):
        inside.append(y * x)
        return i + 1, inside[0]

    _, y = tf.while_loop(lambda i, y: i < 2, body, [0, 1.0])
    with pytest.raises(ValueError, match="inside the loop 'while'"):
        tf.gradients(y, inside[0])
    with pytest.raises(ValueError, match="inside the loop 'while'"):
        tf.gradients(inside[0], x)


def test_loops_without_back_prop():
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p * x), [0, 1.0], back_prop=False)
    assert tf.gradients(y, x) == [None]
