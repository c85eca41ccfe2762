"""Dropout: what is kept, how it is scaled, and which elements share a draw."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


def test_the_mean_stays():
    kept = run(tf.nn.dropout(tf.ones([20000]), rate=0.25))
    assert set(np.unique(kept)) == {0.0, np.float32(1 / 0.75)}
    assert abs(kept.mean() - 1) < 0.02


def test_steps_draw_anew_and_sessions_alike():
    y = tf.nn.dropout(tf.ones([50]), 0.5, seed=3)
    with tf.Session() as session:
        first, second = session.run(y), session.run(y)
    assert (first != second).any()
    np.testing.assert_array_equal(run(y), first)


def test_a_rate_may_be_fed():
    rate = tf.placeholder(tf.float32, [])
    y = tf.nn.dropout(tf.ones([1000]), rate=rate)
    assert run(y, {rate: 0.0}).tolist() == [1.0] * 1000
    assert abs((run(y, {rate: 0.9}) == 0).mean() - 0.9) < 0.05


def test_elements_share_draws_as_noise_shape_says():
    y = run(tf.nn.dropout(tf.ones([40, 6]), 0.5, noise_shape=[None, 1]))
    assert all(len(set(row)) == 1 for row in y.tolist())
    assert 0 < y.mean() < 2


def test_the_gradient_drops_the_same_elements():
    x = tf.ones([100])
    y = tf.nn.dropout(x, 0.5)
    value, slope = run([y, tf.gradients(y, x)[0]])
    np.testing.assert_array_equal(value, slope)


def test_nothing_is_dropped_at_rate_0():
    x = tf.ones([3])
    assert tf.nn.dropout(x, rate=0) is x
    assert tf.nn.dropout(x, keep_prob=1.0) is x


def test_samplers_of_ones_own():
    def sample(shape, dtype):
        return tf.range(4, dtype=dtype) / 4

    y = tf.nn.experimental.general_dropout(tf.ones([4]), 0.5, sample)
    assert run(y).tolist() == [0.0, 0.0, 2.0, 2.0]


@pytest.mark.parametrize("rate", [1.0, -0.1, 2])
def test_rates_are_probabilities(rate):
    with pytest.raises(ValueError, match=r"range \[0, 1\)"):
        tf.nn.dropout(tf.ones([3]), rate=rate)


def test_what_cannot_be_scaled_is_refused():
    with pytest.raises(ValueError, match=r"floating.*int32"):
        tf.nn.dropout(tf.ones([3], tf.int32), 0.5)
    with pytest.raises(ValueError, match="one dtype"):
        tf.nn.dropout(tf.ones([3], tf.float16), rate=tf.constant(0.5))
    with pytest.raises(ValueError, match="both 'keep_prob' and 'rate'"):
        tf.nn.dropout(tf.ones([3]), 0.5, rate=0.5)
