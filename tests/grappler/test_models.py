"""Small convolutional models, made by a seed: folding and layout change them by rounding alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf

from .running import all_but, assert_same, ops_of, optimized, plan_of, run, run_both


class RandomModel:
    """Convolutions, products, and what stands behind them."""

    def __init__(self, seed: int, data_format: str) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.format = data_format
        self.first = data_format == "NCHW"
        self.x = tf.placeholder(tf.float32, [None, *self.sizes(8, 8, 3)], "x")

    def sizes(self, height: Any, width: Any, channels: Any) -> list[Any]:
        return [channels, height, width] if self.first else [height, width, channels]

    def weights(self, *shape: int) -> np.ndarray:
        return self.numbers.normal(size=shape).astype(np.float32)

    def channels(self, y: Any) -> int:
        return int(y.shape[1 if self.first else 3])

    def vector(self, y: Any, positive: bool = False) -> np.ndarray:
        values = self.weights(self.channels(y))
        return np.abs(values) + np.float32(0.5) if positive else values

    def build(self, steps: int = 12) -> Any:
        y = self.x
        for _ in range(steps):
            name = self.random.choice(self.STEPS)
            y = getattr(self, name)(y)
        return y

    STEPS = (
        "conv", "conv", "depthwise", "bias", "norm", "norm", "scaled", "shifted", "relu", "pooled",
        "joined", "residual", "padded",
    )  # fmt: skip

    def conv(self, y: Any) -> Any:
        filters = self.weights(2, 2, self.channels(y), self.random.randrange(1, 5))
        padding = self.random.choice(["SAME", "VALID"]) if self.is_large(y) else "SAME"
        return tf.nn.conv2d(y, filters, 1, padding, data_format=self.format)

    def is_large(self, y: Any) -> bool:
        return (
            min(size for size in y.shape.as_list()[1:] if size != self.channels(y) or size > 3) > 3
        )

    def depthwise(self, y: Any) -> Any:
        filters = self.weights(2, 2, self.channels(y), 2 if self.channels(y) < 4 else 1)
        return tf.nn.depthwise_conv2d_native(
            y, filters, [1, 1, 1, 1], "SAME", data_format=self.format
        )

    def bias(self, y: Any) -> Any:
        return tf.nn.bias_add(y, self.vector(y), self.format)

    def norm(self, y: Any) -> Any:
        vectors = [self.vector(y), self.vector(y), self.vector(y), self.vector(y, True)]
        return tf.nn.fused_batch_norm(
            y, *vectors, is_training=False, data_format=self.format, epsilon=0.01
        )[0]

    def spread(self, vector: np.ndarray) -> np.ndarray:
        return vector.reshape(-1, 1, 1) if self.first else vector

    def scaled(self, y: Any) -> Any:
        vector = self.spread(self.vector(y, True))
        if self.random.random() < 0.3:
            return y / vector
        return tf.multiply(*self.random.sample([y, tf.constant(vector)], 2))

    def shifted(self, y: Any) -> Any:
        vector = self.spread(self.vector(y))
        return y - vector if self.random.random() < 0.5 else vector + y

    def relu(self, y: Any) -> Any:
        return tf.nn.relu(y)

    def pooled(self, y: Any) -> Any:
        pool = self.random.choice([tf.nn.max_pool, tf.nn.avg_pool])
        return pool(y, 2, 1, "SAME", data_format=self.format)

    def joined(self, y: Any) -> Any:
        return tf.concat([y, self.relu(y)], 1 if self.first else 3) if self.channels(y) < 5 else y

    def residual(self, y: Any) -> Any:
        return y + self.pooled(y)

    def padded(self, y: Any) -> Any:
        return tf.pad(y, [[0, 0], *self.sizes([1, 0], [2, 1], [0, 0])])


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("seed", range(25))
def test_random_models(seed: int, data_format: str) -> None:
    with tf.Graph().as_default() as graph:
        model = RandomModel(seed, data_format)
        y = model.build()
        mean = tf.reduce_mean(y, [2, 3] if model.first else [1, 2])
        flat = tf.reshape(y, tf.stack([tf.shape(y)[0], -1]))
    fed = model.numbers.normal(size=(2, *model.sizes(8, 8, 3)))
    plain, results, step = run_both(graph, [y, mean, flat], {model.x: fed})
    scale = max(1.0, float(np.abs(plain[0]).max()))
    assert_same([item / scale for item in plain], [item / scale for item in results], exact=False)
    assert "FusedBatchNormV3" not in ops_of(step)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_everything_behind_a_convolution_is_folded(data_format: str) -> None:
    with tf.Graph().as_default() as graph:
        model = RandomModel(0, data_format)
        y = model.conv(model.x)
        for step in (model.bias, model.norm, model.scaled, model.shifted, model.shifted):
            y = step(y)
    fed = model.numbers.normal(size=(2, *model.sizes(8, 8, 3)))
    plain, results, optimised = run_both(graph, [y], {model.x: fed}, disabled=["layout"])
    assert_same(plain, results, exact=False)
    assert ops_of(optimised) == ["Const", "Conv2D", "Const", "BiasAdd"]


def test_a_filter_that_others_read_is_not_changed_for_them() -> None:
    with tf.Graph().as_default() as graph:
        model = RandomModel(0, "NHWC")
        filters = tf.constant(model.weights(1, 1, 3, 2))
        conv = [tf.nn.conv2d(model.x, filters, stride, "SAME") for stride in (1, 2)]
        y = model.scaled(conv[0])
    fed = model.numbers.normal(size=(1, 8, 8, 3))
    plain, results, _ = run_both(graph, [y, conv[1], filters], {model.x: fed})
    assert_same(plain, results, exact=False)


@pytest.mark.parametrize("read", ["fetched", "used twice"])
def test_a_convolution_that_others_read_is_not_folded(read: str) -> None:
    with tf.Graph().as_default() as graph:
        model = RandomModel(0, "NHWC")
        conv = model.conv(model.x)
        y = model.scaled(conv)
        fetches = [y, conv if read == "fetched" else tf.nn.relu(conv)]
    fed = model.numbers.normal(size=(1, 8, 8, 3))
    plain, results, step = run_both(graph, fetches, {model.x: fed})
    assert_same(plain, results)
    assert {"Mul", "RealDiv"} & set(ops_of(step))


def test_statistics_that_are_read_or_fed_keep_the_batch_norm() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 4, 4, 2])
        mean = tf.constant([1.0, 2.0])
        y, kept, _ = tf.nn.fused_batch_norm(
            x, [1.0, 1.0], [0.0, 0.0], mean, [1.0, 4.0], is_training=False
        )
    fed = np.random.default_rng(0).normal(size=(2, 4, 4, 2))
    for fetches, feeds in (([y, kept], {x: fed}), ([y], {x: fed, mean: [3.0, 3.0]})):
        plain, results, step = run_both(graph, fetches, feeds)
        assert_same(plain, results)
        assert "FusedBatchNormV3" in ops_of(step)


def test_a_mean_far_from_zero_keeps_its_digits() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 1, 1, 1])
        y = tf.nn.fused_batch_norm(
            x, [1.0], [0.0], [10000.0], [1.0], epsilon=0.0, is_training=False
        )[0]
    fed = np.float32([10000.0, 10001.0]).reshape(2, 1, 1, 1)
    plain, results, _ = run_both(graph, [y], {x: fed})
    assert_same(plain, results)


@pytest.mark.parametrize("factor", [0.0, -2.0, 1e-30, np.inf, np.nan])
def test_odd_factors(factor: float) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2, 2, 1])
        conv = tf.nn.conv2d(x, np.ones((1, 1, 1, 2), np.float32), 1, "VALID")
        y = conv * np.float32([factor, 1.0])
        matrix = tf.matmul(tf.reshape(x, [-1, 4]), tf.ones([3, 4]), transpose_b=True)
        z = matrix * np.float32([factor, 1.0, 2.0])
    fed = np.float32([1.0, -0.0, np.inf, 2.0]).reshape(1, 2, 2, 1)
    plain, results, _ = run_both(graph, [y, z], {x: fed})
    for one, other in zip(plain, results):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_integers_and_half_precision_are_left_alone() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float16, [None, 2, 2, 1])
        y = tf.nn.conv2d(x, tf.ones([1, 1, 1, 2], tf.float16), 1, "VALID") * np.float16(3)
        i = tf.placeholder(tf.int32, [None, 2])
        z = tf.matmul(i, tf.ones([2, 2], tf.int32)) * 2
    step, _ = optimized(graph, [y, z], [x, i], disabled=all_but("batch_norm_folding"))
    assert ops_of(step).count("Mul") == 2


def test_pads_of_other_axes_and_of_other_numbers_stay() -> None:
    filters = np.ones((2, 2, 3, 2), np.float32)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4, 4, 2])
        sides = [[0, 0], [1, 1], [1, 1], [0, 1]]
        y = tf.nn.conv2d(tf.pad(x, sides), filters, 1, "VALID")
        sides[3] = [0, 0]
        ones = tf.pad(x, sides, constant_values=1.0)
        z = tf.nn.conv2d(ones, filters[:, :, :2], 1, "VALID")
        shared = tf.pad(x, sides)
        w = tf.nn.conv2d(shared, filters[:, :, :2], 1, "VALID")
        same = tf.nn.conv2d(tf.pad(x, sides), filters[:, :, :2], 1, "SAME")
        fetches = [y, z, w, same, tf.nn.relu(shared)]
    fed = np.random.default_rng(0).normal(size=(2, 4, 4, 2))
    plain, results, step = run_both(graph, fetches, {x: fed}, disabled=all_but("pad_folding"))
    assert_same(plain, results)
    assert [name for name in ops_of(step) if name.startswith("Pad")] == [
        "Pad", "PadV2", "Pad", "Pad"
    ]  # fmt: skip


def test_gradients_keep_the_layout() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 2, 4, 4])
        y = tf.nn.conv2d(x, np.ones((2, 2, 2, 2), np.float32), 1, "SAME", data_format="NCHW")
        (gradient,) = tf.gradients(tf.reduce_sum(y * y), [x])
    fed = np.random.default_rng(0).normal(size=(1, 2, 4, 4)).astype(np.float32)
    step, _ = optimized(graph, [gradient], [x])
    assert "Transpose" not in ops_of(step)
    run(plan_of(step), [fed])
