"""Functions that bring their own gradient."""

from __future__ import annotations

import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def evaluate(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [float(value) for value in session.run(fetches)]


@tf.custom_gradient
def cubed_with_a_gradient_of_its_own(x):
    return x * x * x, lambda dy: dy * 10.0 * x


def test_the_gradient_is_the_functions_own():
    x = tf.constant(2.0)
    y = cubed_with_a_gradient_of_its_own(x)
    (first,) = tf.gradients(2 * y, x)
    assert evaluate(y, first, tf.gradients(first, x)[0]) == [8.0, 40.0, 20.0]


def test_results_and_arguments_come_in_lists():
    @tf.custom_gradient
    def swapped(x, y):
        return [y, x], lambda dy, dx: [dx * 3.0, dy * 5.0]

    x, y = tf.constant(2.0), tf.constant(7.0)
    first, second = swapped(x, y)
    assert evaluate(first, second, *tf.gradients([first, second], [x, y])) == [7.0, 2.0, 3.0, 5.0]


def test_variables_have_gradients_of_their_own():
    weight = tf.get_variable("weight", initializer=3.0, use_resource=True)

    @tf.custom_gradient
    def scaled(x):
        def gradient(dy, variables):
            assert variables == [weight]
            return dy * 100.0, [dy * 200.0]

        return x * weight, gradient

    x = tf.constant(2.0)
    y = scaled(x)
    assert evaluate(y, *tf.gradients(y, [x, weight])) == [6.0, 100.0, 200.0]


def test_variables_must_be_asked_for():
    weight = tf.get_variable("weight", initializer=3.0, use_resource=True)
    with pytest.raises(TypeError, match=r"must accept a 'variables' keyword argument.*weight"):
        tf.custom_gradient(lambda x: (x * weight, lambda dy: dy))(1.0)


def test_ref_variables_are_refused():
    weight = tf.get_variable("weight", initializer=3.0, use_resource=False)
    with pytest.raises(TypeError, match="resource variables; weight is not"):
        tf.custom_gradient(lambda x: (x * weight, lambda dy: dy))(1.0)


def test_keywords_are_refused():
    with pytest.raises(ValueError, match=r"\['x'\]"):
        cubed_with_a_gradient_of_its_own(x=1.0)


def test_a_wrong_number_of_gradients_is_refused():
    y = tf.custom_gradient(lambda x, y: (x + y, lambda dy: dy))(1.0, x := tf.constant(2.0))
    with pytest.raises(ValueError, match="returned 1 gradients for 2 arguments"):
        tf.gradients(y, x)
