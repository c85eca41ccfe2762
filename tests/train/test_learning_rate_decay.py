"""Schedules against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

STEPS = [0, 1, 5, 9, 10, 11, 25, 30, 31, 100]


def cosine(fraction):
    return 0.5 * (1 + np.cos(np.pi * fraction))


def piecewise(step):
    return 1.0 if step <= 5 else 0.5 if step <= 25 else 0.1


def cycled(step):
    periods = max(1.0, np.ceil(step / 10))
    return (0.1 - 0.01) * (1 - step / (10 * periods)) ** 2 + 0.01


def restarted(step, longer, higher):
    start, length, height = 0, 10, 1.0
    while step >= start + length:
        start, length, height = start + length, length * longer, height * higher
    return 0.1 * (0.9 * height * cosine((step - start) / length) + 0.1)


def linear_cosine(step):
    time = min(step, 30) / 30
    return 0.1 * ((0.2 + 1 - time) * cosine(2 * 0.7 * time) + 0.01)


train = tf.train
SCHEDULES = {
    "exponential": (
        lambda step: train.exponential_decay(0.1, step, 10, 0.5),
        lambda step: 0.1 * 0.5 ** (step / 10),
    ),
    "staircase": (
        lambda step: train.exponential_decay(0.1, step, 10, 0.5, staircase=True),
        lambda step: 0.1 * 0.5 ** (step // 10),
    ),
    "natural": (
        lambda step: train.natural_exp_decay(0.1, step, 10, 0.5),
        lambda step: 0.1 * np.exp(-0.5 * step / 10),
    ),
    "inverse": (
        lambda step: train.inverse_time_decay(0.1, step, 10, 0.5),
        lambda step: 0.1 / (1 + 0.5 * step / 10),
    ),
    "inverse_staircase": (
        lambda step: train.inverse_time_decay(0.1, step, 10, 0.5, staircase=True),
        lambda step: 0.1 / (1 + 0.5 * (step // 10)),
    ),
    "polynomial": (
        lambda step: train.polynomial_decay(0.1, step, 30, 0.01, power=2.0),
        lambda step: (0.1 - 0.01) * (1 - min(step, 30) / 30) ** 2 + 0.01,
    ),
    "cycle": (
        lambda step: train.polynomial_decay(0.1, step, 10, 0.01, power=2.0, cycle=True),
        cycled,
    ),
    "piecewise": (
        lambda step: train.piecewise_constant(step, [5, 25], [1.0, 0.5, 0.1]),
        piecewise,
    ),
    "cosine": (
        lambda step: train.cosine_decay(0.1, step, 30, alpha=0.1),
        lambda step: 0.1 * (0.9 * cosine(min(step, 30) / 30) + 0.1),
    ),
    "restarts": (
        lambda step: train.cosine_decay_restarts(0.1, step, 10, 2.0, 0.5, 0.1),
        lambda step: restarted(step, 2, 0.5),
    ),
    "equal_restarts": (
        lambda step: train.cosine_decay_restarts(0.1, step, 10, 1.0, 0.5, 0.1),
        lambda step: restarted(step, 1, 0.5),
    ),
    "linear_cosine": (
        lambda step: train.linear_cosine_decay(0.1, step, 30, 0.7, 0.2, 0.01),
        linear_cosine,
    ),
    "no_noise": (
        lambda step: train.noisy_linear_cosine_decay(
            0.1, step, 30, initial_variance=0.0, num_periods=0.7, alpha=0.2, beta=0.01
        ),
        linear_cosine,
    ),
}


@pytest.mark.parametrize("step_type", ["int32", "int64"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name, step_type):
    make, formula = SCHEDULES[name]
    with tf.Graph().as_default():
        step = tf.placeholder(step_type, [])
        rate = make(step)
        assert rate.dtype is tf.float32
        with tf.Session() as session:
            found = [session.run(rate, {step: number}) for number in STEPS]
    np.testing.assert_allclose(found, [formula(number) for number in STEPS], rtol=2e-5, atol=1e-8)


def test_noise_fades():
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        step = tf.placeholder(tf.int32, [])
        rate = train.noisy_linear_cosine_decay(1.0, step, 1000, num_periods=0.0, beta=0.0)
        with tf.Session() as session:
            early = np.std([session.run(rate, {step: 0}) for _ in range(300)])
            late = np.std([session.run(rate, {step: 500}) for _ in range(300)])
    assert early == pytest.approx(1, rel=0.2)
    assert late == pytest.approx(np.sqrt(501**-0.55), rel=0.2)


def test_rates_of_variables_drive_optimizers():
    with tf.Graph().as_default():
        w, step = tf.Variable(1.0), tf.train.get_or_create_global_step()
        rate = train.exponential_decay(1.0, step, 1, 0.5)
        update = train.GradientDescentOptimizer(rate).minimize(w + 0.0, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(update)
            assert session.run(w) == 1 - 1 - 0.5 - 0.25


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: train.piecewise_constant(1, [5], [1.0]), "1 less than the length"),
        (lambda: train.piecewise_constant(1, [], []), "1 less than the length"),
        (lambda: train.piecewise_constant(1, [5.0], [1.0, 2.0]), "same dtype as x"),
        (lambda: train.piecewise_constant(1, [5], [1.0, 2]), "one dtype"),
        (lambda: train.exponential_decay(0.1, None, 10, 0.5), "None"),
    ],
)
def test_what_does_not_fit_is_refused(make, words):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        make()
