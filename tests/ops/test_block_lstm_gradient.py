"""BlockLSTMV2's gradient, which TensorFlow gets wrong, against that of BlockLSTM."""

from __future__ import annotations

import numpy as np

import featherflow as tf


def _outputs_and_gradients(op, arguments, **attrs):
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs = {name: tf.constant(value, tf.float32) for name, value in arguments.items()}
        outputs = op(seq_len_max=tf.constant(3, tf.int64), use_peephole=True, **inputs, **attrs)
        loss = tf.reduce_sum(tf.square(outputs.h)) + tf.reduce_sum(outputs.cs)
        gradients = dict(zip(inputs, tf.gradients(loss, list(inputs.values()))))
        return sess.run([outputs.h, gradients])


def _reordered(gates):
    """Columns for input, forget, cell, output from those for input, cell, forget, output."""
    i, c, f, o = np.split(gates, 4, axis=-1)
    return np.concatenate([i, f, c, o], axis=-1)


def test_the_order_of_the_gates_changes_nothing_else():
    random = np.random.default_rng(5)
    shapes = {
        "x": (3, 2, 4),
        "cs_prev": (2, 5),
        "h_prev": (2, 5),
        "w": (9, 20),
        "wci": (5,),
        "wcf": (5,),
        "wco": (5,),
        "b": (20,),
    }
    arguments = {name: random.standard_normal(shape) for name, shape in shapes.items()}
    first = _outputs_and_gradients(tf.raw_ops.BlockLSTM, arguments, forget_bias=0.0, cell_clip=0.0)
    for name in ("w", "b"):
        arguments[name] = _reordered(arguments[name])
        first[1][name] = _reordered(first[1][name])
    second = _outputs_and_gradients(tf.raw_ops.BlockLSTMV2, arguments)
    np.testing.assert_allclose(second[0], first[0], rtol=1e-6)
    for name, expected in first[1].items():
        np.testing.assert_allclose(second[1][name], expected, rtol=2e-5, atol=1e-6)
