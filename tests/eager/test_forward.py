"""ForwardAccumulator: forward mode equals reverse mode."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

pytestmark = pytest.mark.usefixtures("eagerly")


def network(x: tf.Tensor, w: tf.Variable) -> tf.Tensor:
    hidden = tf.tanh(tf.matmul(x, w))
    return tf.reduce_sum(hidden * tf.nn.softmax(hidden), axis=1)


def test_equals_the_tape() -> None:
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(4, 3)).astype(np.float32))
    w = tf.Variable(rng.normal(size=(3, 2)).astype(np.float32))
    directions = [tf.constant(rng.normal(size=v.shape).astype(np.float32)) for v in (x, w)]
    with tf.autodiff.ForwardAccumulator([x, w], directions) as accumulator:
        y = network(x, w)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y2 = network(x, w)
    jacobians = tape.jacobian(y2, [x, w])
    expected = sum(
        np.tensordot(j.numpy(), d.numpy(), axes=d.ndim) for j, d in zip(jacobians, directions)
    )
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-5, atol=1e-6)


def test_unconnected_and_wrong_shapes() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as accumulator:
        other = tf.constant(5.0) * 2.0
    assert accumulator.jvp(other) is None
    assert float(accumulator.jvp(other, unconnected_gradients="zero")) == 0.0
    with pytest.raises(ValueError, match="shape"):
        tf.autodiff.ForwardAccumulator(x, tf.ones([3]))


def test_second_derivatives_forward_over_reverse() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    direction = tf.constant([1.0, 0.0, -1.0])
    with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        gradient = tape.gradient(y, x)
    np.testing.assert_allclose(accumulator.jvp(gradient), 6.0 * x * direction, rtol=1e-6)
