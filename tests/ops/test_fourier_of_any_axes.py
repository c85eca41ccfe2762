"""tf.signal.fftnd and its kin, which TensorFlow has no CPU kernels for, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

RANDOM = np.random.default_rng(3)
REAL = RANDOM.standard_normal((2, 3, 4))
COMPLEX = REAL + 1j * RANDOM.standard_normal((2, 3, 4))
SETTINGS = [
    {},
    {"axes": [-1]},
    {"axes": [2, 0]},
    {"axes": [0, 2], "fft_length": [4, 3]},
    {"fft_length": [2, 2, 6]},
]


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_values(name, setting, norm):
    values = REAL if name == "rfftn" else COMPLEX
    axes = setting.get("axes", [0, 1, 2])
    expected = getattr(np.fft, name)(values, setting.get("fft_length"), axes, norm)
    known = tf.constant(values)
    transformed = getattr(tf.signal, f"{name}d")(known, norm=norm, **setting)
    fed = tf.placeholder(values.dtype, [None, None, None])
    of_fed = getattr(tf.signal, f"{name}d")(fed, norm=norm, **setting)
    with tf.Session() as sess:
        results = sess.run([transformed, of_fed], {fed: values})
    for tensor, result in zip((transformed, of_fed), results):
        np.testing.assert_allclose(result, expected, atol=1e-12)
        assert tensor.shape.is_compatible_with(expected.shape)


def test_mistakes_are_refused():
    with pytest.raises(ValueError, match="norm must be"):
        tf.signal.fftnd(COMPLEX, norm="x")
    with pytest.raises(ValueError, match="does not take"):
        tf.signal.fftnd(tf.constant(REAL))
    with pytest.raises(ValueError, match="axes must be given"):
        tf.signal.fftnd(tf.placeholder(tf.complex64))
    for lengths, axes in (([2, 2], [0, 0]), ([2], [3]), ([2, 2], [0]), ([-1], [0])):
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.fftnd(tf.constant(COMPLEX), lengths, axes))
