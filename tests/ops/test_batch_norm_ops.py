"""Derivatives of fused batch normalization against those of the same formula made of small ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf

EPSILON = 0.125


def composed(x: Any, scale: Any, offset: Any, mean: Any, variance: Any, layout: str) -> Any:
    """Batch normalization of float64 images; statistics that are None are the batch's."""
    channels_first = layout == "NCHW"
    axes = [0, 2, 3] if channels_first else [0, 1, 2]
    sizes = [1, -1, 1, 1] if channels_first else [1, 1, 1, -1]
    if mean is None:
        mean = tf.reduce_mean(x, axes)
        variance = tf.reduce_mean(tf.square(x - tf.reshape(mean, sizes)), axes)
    vectors = [tf.reshape(vector, sizes) for vector in (mean, variance, offset, scale)]
    return tf.nn.batch_normalization(x, *vectors, EPSILON)


def derivatives(y: Any, x: Any, scale: Any, offset: Any, weights: Any) -> list[Any]:
    """First derivatives of a function of y, and those of a sum of the first."""
    first = tf.gradients(y * y * weights, [x, scale, offset])
    upstream = [tf.cos(tf.cast(tf.range(tf.size(item)), item.dtype)) for item in first]
    upstream = [tf.reshape(item, tf.shape(like)) for item, like in zip(upstream, first)]
    second = tf.gradients(first, [x, scale, offset, weights], grad_ys=upstream)
    return [*first, *second]


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("is_training", [True, False])
def test_derivatives(layout: str, is_training: bool) -> None:
    random = np.random.default_rng(5)
    image, weights = random.normal(size=(2, 2, 3, 4, 2))
    if layout == "NCHW":
        image, weights = np.moveaxis(image, -1, 1), np.moveaxis(weights, -1, 1)
    scale, offset, mean = random.normal(size=(3, 2))
    variance = np.array([0.5, 2.0])
    with tf.Graph().as_default():
        wide = [tf.constant(item) for item in (image, scale, offset, weights)]
        narrow = [tf.cast(item, tf.float32) for item in wide]
        given = (None, None) if is_training else (tf.constant(mean), tf.constant(variance))
        fused, _, _ = tf.nn.fused_batch_norm(
            *narrow[:3],
            *(None if item is None else tf.cast(item, tf.float32) for item in given),
            epsilon=EPSILON,
            data_format=layout,
            is_training=is_training,
        )
        expected = derivatives(composed(*wide[:3], *given, layout), *wide)
        actual = derivatives(fused, *narrow)
        with tf.Session() as session:
            for ours, theirs in zip(*session.run([actual, expected])):
                scale_of_all = np.abs(theirs).max()
                np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5 * scale_of_all)
