"""tf.compat.v2.test.compute_gradient: functions of several arguments."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

compute = tf.compat.v2.test.compute_gradient


def test_of_several_arguments() -> None:
    theory, number = compute(lambda a, b: a * b, [np.float64([1.0, 2.0]), np.float64([3.0, 5.0])])
    np.testing.assert_allclose(theory[0], np.diag([3.0, 5.0]))
    np.testing.assert_allclose(theory[1], np.diag([1.0, 2.0]))
    for first, second in zip(theory, number):
        np.testing.assert_allclose(first, second, atol=1e-6)


def test_rows_are_elements_of_the_result() -> None:
    (theory,), (number,) = compute(lambda x: tf.reduce_sum(x), [np.float64([[1.0, 2.0, 3.0]])])
    assert theory.shape == number.shape == (1, 3)


def test_a_wrong_gradient_shows() -> None:
    @tf.custom_gradient
    def wrong(x):
        return tf.square(x), lambda upstream: upstream * x

    (theory,), (number,) = compute(wrong, [np.float64([2.0])], delta=1e-3)
    assert theory.item() == 2.0
    assert number.item() == pytest.approx(4.0)


def test_complex_elements_count_twice() -> None:
    (theory,), (number,) = compute(lambda z: z * z, [np.complex128([1.0 + 2.0j])])
    assert theory.shape == (2, 2)
    np.testing.assert_allclose(theory, number, atol=1e-6)


def test_arguments_must_be_a_list() -> None:
    with pytest.raises(ValueError, match="must be a list or tuple"):
        compute(tf.square, np.float64([2.0]))


def test_integers_have_no_gradient() -> None:
    with pytest.raises(TypeError, match="int32"):
        compute(tf.square, [np.int32([2])])


def test_a_session_is_needed() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1])
        with pytest.raises(ValueError, match="default session"):
            tf.test.compute_gradient_error(x, [1], tf.square(x), [1])


def test_without_a_path_the_gradient_is_zero() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.float32, [2])
        y = tf.placeholder_with_default([1.0], [1])
        theory, number = tf.test.compute_gradient(x, [2], y, [1], extra_feed_dict={y: [5.0]})
    assert not theory.any() and not number.any()
