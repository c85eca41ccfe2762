"""Accumulators: what raw operations on them refuse, where TensorFlow ends its process."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.fixture
def handle(session):
    return tf.ConditionalAccumulator(tf.float32, [2]).accumulator_ref


def test_gradients_of_another_dtype_are_refused(session, handle):
    gradient = np.array([1.0, 2.0])
    apply = tf.raw_ops.ResourceAccumulatorApplyGradient(
        handle=handle, local_step=0, gradient=gradient
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        session.run(apply)


@pytest.mark.parametrize("is_filled", [False, True])
def test_another_dtype_cannot_be_taken(session, handle, is_filled):
    if is_filled:
        gradient = np.array([1, 2], np.float32)
        session.run(
            tf.raw_ops.ResourceAccumulatorApplyGradient(
                handle=handle, local_step=0, gradient=gradient
            )
        )
    take = tf.raw_ops.ResourceAccumulatorTakeGradient(
        handle=handle, num_required=1, dtype=tf.float64
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        session.run(take)
