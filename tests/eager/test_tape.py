"""GradientTape."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

pytestmark = pytest.mark.usefixtures("eagerly")


def test_watching() -> None:
    x, w = tf.constant(3.0), tf.Variable(2.0)
    fixed = tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        y = x * w * fixed
    assert tape.watched_variables()[0] is w and len(tape.watched_variables()) == 1
    grads = tape.gradient(y, [x, w, fixed])
    assert grads[0] is None and float(grads[1]) == 15.0 and grads[2] is None
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = x * w
    assert [None if g is None else float(g) for g in tape.gradient(y, [x, w])] == [2.0, None]


def test_once_or_persistent() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tape.gradient(y, x)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    assert float(tape.gradient(y, x)) == 6.0 and float(tape.gradient(z, x)) == 108.0


def test_higher_orders() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as third, tf.GradientTape() as second, tf.GradientTape() as first:
        y = x**4
        one = first.gradient(y, x)
        two = second.gradient(one, x)
    assert (float(one), float(two), float(third.gradient(two, x))) == (32.0, 48.0, 48.0)


def test_stop_and_reset() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            y = y + x * 100.0
    assert tape.gradient(y, x) is None  # the sum was not recorded
    with tf.GradientTape() as tape:
        y = x * x
        tape.reset()
        z = x * 2.0
    assert float(tape.gradient([z], x)) == 2.0


def test_unconnected_and_structures() -> None:
    x, z = tf.Variable(3.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = {"a": x * 2.0, "b": x * x}
    grads = tape.gradient(y, {"x": x, "z": z}, unconnected_gradients="zero")
    assert float(grads["x"]) == 8.0
    np.testing.assert_array_equal(grads["z"], [0, 0])


def test_rows_stay_rows() -> None:
    table = tf.Variable(np.ones((4, 2), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1, 3]))
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient)[:, 0], [0, 2, 0, 1])


def test_jacobians() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    jacobian = tape.jacobian(y, x)
    assert jacobian.shape == (2, 2, 2, 2)
    np.testing.assert_array_equal(tf.reshape(jacobian, [4, 4]), np.diag([2.0, 4.0, 6.0, 8.0]))
    rows = tape.batch_jacobian(y, x)
    np.testing.assert_array_equal(rows[1], np.diag([6.0, 8.0]))


def test_custom_gradients() -> None:
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x: tf.Tensor):
        def gradient(dy: tf.Tensor, variables=None):
            return dy * 7.0, [dy * 11.0]

        return x * w, gradient

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    assert [float(g) for g in tape.gradient(y, [x, w])] == [7.0, 11.0]


def test_in_a_graph() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            z = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, y])[1]
        assert session.run(tape.gradient(z, x), {x: 2.0}) == 5 * 2.0**4


def test_what_python_calls_is_differentiated() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32)
    assert float(tape.gradient(y, x)) == 6.0

    @tf.function
    def call(v: tf.Tensor):
        return tf.py_function(lambda u: u * u * u, [v], tf.float32)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    assert float(tape.gradient(y, x)) == 27.0
