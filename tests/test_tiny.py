"""The whole system in a few seconds: build, run, differentiate, train, split, write, read."""

from __future__ import annotations

import numpy as np

import featherflow as tf


def test_the_program_of_whoever_asks_where_conv2d_executes() -> None:
    with tf.Graph().as_default():
        input = tf.placeholder(tf.float32)
        filter = tf.Variable(tf.truncated_normal([5, 5, 3, 32], stddev=0.1))
        conv = tf.nn.conv2d(input, filter, strides=[1, 1, 1, 1], padding="SAME")
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        image = np.ones((1, 28, 28, 3), np.float32)
        result = sess.run(conv, feed_dict={input: image})
        assert result.shape == (1, 28, 28, 32)
        # Inside, where nothing is padded, each output is the sum of a filter.
        sums = sess.run(filter).sum(axis=(0, 1, 2))
        np.testing.assert_allclose(result[0, 14, 14], sums, rtol=1e-4, atol=1e-4)


def fit_line(devices: tuple[str, str] = ("/cpu:0", "/cpu:0")) -> np.ndarray:
    """Learns w = [2, −3] from noiseless data; returns it."""
    rng = np.random.RandomState(0)
    data = rng.randn(64, 2).astype(np.float32)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        t = tf.placeholder(tf.float32, [None, 1])
        with tf.device(devices[0]):
            w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        with tf.device(devices[1]):
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - t))
        step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(60):
                sess.run(step, {x: data, t: data @ [[2.0], [-3.0]]})
            return sess.run(w)


def test_training_on_one_device_and_on_two() -> None:
    whole, split = fit_line(), fit_line(("/cpu:0", "/cpu:1"))
    np.testing.assert_allclose(whole, [[2.0], [-3.0]], atol=1e-3)
    np.testing.assert_array_equal(whole, split)


def test_a_loop_and_its_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        _, power = tf.while_loop(lambda i, p: i < 5, lambda i, p: (i + 1, p * x), [0, 1.0])
        (gradient,) = tf.gradients(power, x)
        assert sess.run([power, gradient], {x: 2.0}) == [32.0, 80.0]


def test_a_graph_written_and_read() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.nn.softmax(tf.matmul(x, tf.eye(3)), name="y")
    data = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as read, tf.Session() as sess:
        tf.import_graph_def(tf.GraphDef.FromString(data), name="")
        value = sess.run("y:0", {"x:0": [[0.0, 0.0, 0.0]]})
        np.testing.assert_allclose(value, [[1 / 3] * 3], rtol=1e-6)
        assert read.as_graph_def() == graph.as_graph_def()
