"""Exponential moving averages of variables and tensors."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def averaged(values, decay, start=0.0, debias=False):
    average = start
    for value in values:
        average = decay * average + (1 - decay) * value
    return average / (1 - decay ** len(values)) if debias else average


@KINDS
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_averages_of_variables_start_at_their_values(use_resource, dtype):
    weight = tf.Variable(np.array([1.0, 2.0], dtype), use_resource=use_resource)
    averages = tf.train.ExponentialMovingAverage(0.75)
    follow = averages.apply([weight])
    grow = tf.assign_add(weight, [1.0, -1.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(grow)
            session.run(follow)
        found = session.run(averages.average(weight))
    steps = [np.array([1 + i, 2 - i]) for i in (1, 2, 3)]
    expected = averaged(steps, 0.75, np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, expected, rtol=1e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("debias", [False, True])
def test_averages_of_tensors_start_at_zero(debias):
    x = tf.placeholder(tf.float32, [])
    doubled = x * 2.0
    averages = tf.train.ExponentialMovingAverage(0.9, zero_debias=debias)
    follow = averages.apply([doubled])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (1.0, 5.0, 3.0):
            session.run(follow, {x: value})
        found = session.run(averages.average(doubled))
    assert found == pytest.approx(averaged([2.0, 10.0, 6.0], 0.9, debias=debias), rel=1e-5)


def test_few_updates_let_averages_follow_faster():
    count = tf.placeholder(tf.int32, [])
    weight = tf.Variable(0.0)
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=count)
    follow = averages.apply([weight])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(weight, 1.0))
        session.run(follow, {count: 0})
        assert session.run(averages.average(weight)) == pytest.approx(0.9)
        session.run(follow, {count: 10000})
        assert session.run(averages.average(weight)) == pytest.approx(0.91)


def test_names():
    weight, scalar = tf.Variable([1.0], name="w"), tf.Variable(1.0, name="scalar")
    averages = tf.train.ExponentialMovingAverage(0.9, name="Mean")
    assert averages.average(weight) is None
    assert averages.average_name(weight) == "w/Mean"
    averages.apply([weight])
    assert averages.average(weight).name == "w/Mean:0"
    assert averages.average_name(weight) == "w/Mean"
    assert not averages.average(weight).trainable
    assert tf.moving_average_variables() == [weight]
    assert averages.variables_to_restore() == {"w/Mean": weight, "scalar/Mean": scalar}
    assert averages.variables_to_restore([weight]) == {"w/Mean": weight, "scalar": scalar}


def test_all_trainable_variables_are_followed():
    weights = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0, trainable=False)]
    averages = tf.train.ExponentialMovingAverage(0.9)
    operation = averages.apply()
    assert operation.type == "NoOp"
    assert [averages.average(weight) is None for weight in weights] == [False, False, True]


def test_averages_are_made_once():
    weight = tf.Variable(1.0)
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply([weight])
    first = averages.average(weight)
    averages.apply([weight])
    assert averages.average(weight) is first


def test_averages_run_after_what_they_wait_for():
    weight = tf.Variable(1.0)
    averages = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([tf.assign(weight, 3.0)]):
        follow = averages.apply([weight])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(follow)
        assert session.run(averages.average(weight)) == 2.0


def test_integers_have_no_average():
    with pytest.raises(TypeError, match="half, float, or double"):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1)])
