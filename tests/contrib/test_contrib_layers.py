"""tf.contrib.layers and tf.contrib.slim: values by closed forms, names, collections, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

layers, slim = tf.contrib.layers, tf.contrib.slim


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        yield


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def run(fetches):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches)


def variable_names() -> list[str]:
    return [variable.op.name for variable in tf.global_variables()]


def test_fully_connected() -> None:
    x = normal(2, 3)
    y = layers.fully_connected(tf.constant(x), 4)
    z = layers.fully_connected(
        y,
        2,
        activation_fn=None,
        weights_initializer=tf.constant_initializer(0.5),
        biases_initializer=tf.constant_initializer(1.0),
        scope="named",
    )
    assert variable_names() == [
        "fully_connected/weights",
        "fully_connected/biases",
        "named/weights",
        "named/biases",
    ]
    assert y.op.name == "fully_connected/Relu"
    weights, hidden, result = run([tf.global_variables()[0], y, z])
    np.testing.assert_allclose(hidden, np.maximum(x @ weights, 0), rtol=1e-5)
    np.testing.assert_allclose(result, hidden.sum(1, keepdims=True) * 0.5 + 1 + np.zeros(2), 1e-5)
    assert np.abs(weights).max() <= np.sqrt(6 / 7) and np.unique(weights).size == 12


def test_fully_connected_options() -> None:
    x = tf.constant(normal(2, 5, 3))
    y = layers.fully_connected(
        x,
        4,
        activation_fn=tf.nn.tanh,
        normalizer_fn=layers.batch_norm,
        normalizer_params={"is_training": False},
        weights_regularizer=layers.l2_regularizer(0.1),
        variables_collections={"weights": ["mine"]},
        outputs_collections="outputs",
        scope="fc",
    )
    assert y.shape.as_list() == [2, 5, 4] and tf.get_collection("outputs") == [y]
    assert [v.op.name for v in tf.get_collection("mine")] == ["fc/weights"]
    assert "fc/biases" not in variable_names() and "fc/BatchNorm/beta" in variable_names()
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    weights, value = run([tf.global_variables()[0], loss])
    assert value == pytest.approx(0.05 * np.sum(weights**2), rel=1e-5)
    again = layers.fully_connected(x, 4, scope="fc", reuse=True, biases_initializer=None)
    assert again.shape.as_list() == [2, 5, 4]
    assert len(tf.get_collection("mine")) == 1


def test_fully_connected_refuses() -> None:
    with pytest.raises(ValueError):
        layers.fully_connected(tf.zeros([2, 3]), 4.5)
    with pytest.raises(ValueError):
        layers.fully_connected(tf.placeholder(tf.float32, [2, None]), 4)
    with pytest.raises(ValueError):
        layers.fully_connected(tf.zeros([3]), 4)
    with pytest.raises(ValueError):
        layers.fully_connected(tf.zeros([2, 3]), 4, scope="nothing", reuse=True)


def test_convolutions_equal_the_layers_of_tf() -> None:
    x = tf.constant(normal(2, 6, 5, 3))
    ones = tf.ones_initializer()
    pairs = [
        (
            layers.conv2d(x, 4, [3, 2], 2, weights_initializer=ones),
            tf.layers.conv2d(x, 4, [3, 2], 2, "same", kernel_initializer=ones),
        ),
        (
            layers.conv2d(x, 4, 3, rate=2, weights_initializer=ones, padding="VALID"),
            tf.nn.convolution(x, tf.ones([3, 3, 3, 4]), "VALID", dilation_rate=[2, 2]),
        ),
        (
            layers.conv2d_transpose(x, 4, 3, 2, weights_initializer=ones),
            tf.layers.conv2d_transpose(x, 4, 3, 2, "same", kernel_initializer=ones),
        ),
        (
            layers.separable_conv2d(x, 4, 3, 2, weights_initializer=ones),
            tf.layers.separable_conv2d(
                x,
                4,
                3,
                padding="same",
                depth_multiplier=2,
                depthwise_initializer=ones,
                pointwise_initializer=ones,
            ),
        ),
        (
            layers.separable_conv2d(x, None, 3, 2, weights_initializer=ones),
            tf.nn.depthwise_conv2d(x, tf.ones([3, 3, 3, 2]), [1, 1, 1, 1], "SAME"),
        ),
    ]
    for own, wanted in run([(own, tf.nn.relu(wanted)) for own, wanted in pairs]):
        np.testing.assert_allclose(own, wanted, rtol=1e-5)
    assert variable_names()[:2] == ["Conv/weights", "Conv/biases"]
    assert "Conv_1/weights" in variable_names() and "Conv2d_transpose/weights" in variable_names()
    assert "SeparableConv2d/depthwise_weights" in variable_names()


def test_other_ranks_and_layouts() -> None:
    assert layers.conv1d(tf.zeros([2, 8, 3]), 4, 3).shape.as_list() == [2, 8, 4]
    assert layers.conv3d(tf.zeros([2, 4, 4, 4, 3]), 5, 2).shape.as_list() == [2, 4, 4, 4, 5]
    first = layers.conv2d(tf.placeholder(tf.float32, [2, 3, 8, 8]), 4, 3, data_format="NCHW")
    assert first.shape.as_list() == [2, 4, 8, 8]
    with pytest.raises(ValueError):
        layers.conv2d(tf.zeros([2, 8, 3]), 4, 3)
    with pytest.raises(ValueError):
        layers.conv2d(tf.zeros([2, 8, 8, 3]), 4, 3, data_format="HWC")
    with pytest.raises(ValueError):
        layers.conv2d(tf.placeholder(tf.float32, [2, 8, 8, None]), 4, 3)


def test_pooling_flatten_softmax() -> None:
    x = normal(2, 4, 4, 3)
    fetched = run(
        [
            layers.max_pool2d(tf.constant(x), 2),
            layers.avg_pool2d(tf.constant(x), [2, 2], 2, scope="mean"),
            layers.flatten(tf.constant(x)),
            layers.softmax(tf.constant(x)),
        ]
    )
    blocks = x.reshape(2, 2, 2, 2, 2, 3)
    np.testing.assert_allclose(fetched[0], blocks.max((2, 4)))
    np.testing.assert_allclose(fetched[1], blocks.mean((2, 4)), rtol=1e-4)
    np.testing.assert_allclose(fetched[2], x.reshape(2, -1))
    np.testing.assert_allclose(fetched[3], np.exp(x) / np.exp(x).sum(-1, keepdims=True), rtol=1e-5)


def test_dropout() -> None:
    x = tf.ones([1000])
    kept, same = run([layers.dropout(x, 0.25, seed=1), layers.dropout(x, is_training=False)])
    assert set(np.unique(kept)) == {0.0, 4.0} and 150 < np.count_nonzero(kept) < 350
    assert (same == 1).all()


def test_batch_norm_follows_the_batch() -> None:
    x = normal(8, 3) * 2 + 1
    training = tf.placeholder(tf.bool, [])
    y = layers.batch_norm(tf.constant(x), decay=0.5, scale=True, is_training=training)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert len(updates) == 2
    assert variable_names() == [
        f"BatchNorm/{name}" for name in ("gamma", "beta", "moving_mean", "moving_variance")
    ]
    assert len(layers_model_variables()) == 4
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        trained, *_ = sess.run([y, *updates], {training: True})
        averages = sess.run(tf.global_variables()[2:])
        used = sess.run(y, {training: False})
    np.testing.assert_allclose(trained, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3), rtol=1e-4)
    np.testing.assert_allclose(averages[0], 0.5 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(averages[1], 0.5 + 0.5 * x.var(0), rtol=1e-5)
    np.testing.assert_allclose(
        used, (x - averages[0]) / np.sqrt(averages[1] + 1e-3), rtol=1e-4, atol=1e-6
    )


def layers_model_variables():
    return tf.contrib.framework.get_model_variables()


def test_batch_norm_updates_in_place() -> None:
    x = normal(2, 4, 4, 3)
    y = layers.batch_norm(tf.constant(x), decay=0.5, updates_collections=None, center=False)
    assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(y)
        mean = sess.run(tf.global_variables()[0])
    np.testing.assert_allclose(mean, 0.5 * x.mean((0, 1, 2)), rtol=1e-4, atol=1e-6)
    assert layers.batch_norm(tf.zeros([2, 3]), renorm=True).shape.as_list() == [2, 3]
    with pytest.raises(ValueError):
        layers.batch_norm(tf.zeros([2, 3]), zero_debias_moving_mean=True)


def test_batch_norm_is_shared() -> None:
    for reuse in (None, True):
        layers.batch_norm(tf.zeros([4, 3]), scope="bn", reuse=reuse)
    assert variable_names() == ["bn/beta", "bn/moving_mean", "bn/moving_variance"]


def test_layer_norm_and_unit_norm() -> None:
    x = normal(4, 5, 3)
    normed = layers.layer_norm(tf.constant(x), activation_fn=tf.nn.relu)
    unit = layers.unit_norm(tf.constant(x), 1)
    assert variable_names() == ["LayerNorm/beta", "LayerNorm/gamma"]
    first, second = run([normed, unit])
    mean, variance = x.mean((1, 2), keepdims=True), x.var((1, 2), keepdims=True)
    np.testing.assert_allclose(first, np.maximum((x - mean) / np.sqrt(variance), 0), 1e-4, 1e-5)
    length = np.sqrt(np.sum(x**2, 1, keepdims=True))
    np.testing.assert_allclose(second, x / length, rtol=1e-5)
    with pytest.raises(ValueError):
        layers.layer_norm(tf.placeholder(tf.float32))
    with pytest.raises(ValueError):
        layers.unit_norm(tf.zeros([2, 3]), 2)


def test_regularizers() -> None:
    weights = normal(3, 2)
    tensor = tf.constant(weights)
    sums = [
        layers.l1_regularizer(0.5)(tensor),
        layers.l2_regularizer(0.5)(tensor),
        layers.l1_l2_regularizer(0.5, 0.25)(tensor),
        layers.sum_regularizer([layers.l1_regularizer(1.0), None])(tensor),
    ]
    total = layers.apply_regularization(layers.l2_regularizer(1.0), [tensor, tensor])
    l1, l2 = np.abs(weights).sum(), np.sum(weights**2) / 2
    wanted = [0.5 * l1, 0.5 * l2, 0.5 * l1 + 0.25 * l2, l1]
    np.testing.assert_allclose(run(sums), wanted, rtol=1e-5)
    assert run(total) == pytest.approx(2 * l2, rel=1e-5)
    assert tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == [total]
    assert layers.l1_regularizer(0.0)(tensor) is None
    for scale in (-1.0, 1):
        with pytest.raises(ValueError):
            layers.l2_regularizer(scale)


@pytest.mark.parametrize("mode, count", [("FAN_IN", 400), ("FAN_OUT", 100), ("FAN_AVG", 250)])
@pytest.mark.parametrize("uniform", [True, False])
def test_variance_scaling(mode: str, count: int, uniform: bool) -> None:
    make = layers.variance_scaling_initializer(2.0, mode, uniform, seed=3)
    values = run(make([400, 100]))
    assert np.var(values) == pytest.approx(2.0 / count, rel=0.05)
    assert layers.xavier_initializer()([2, 3]).shape.as_list() == [2, 3]
    with pytest.raises(TypeError):
        layers.variance_scaling_initializer(mode="FAN")
    with pytest.raises(TypeError):
        layers.xavier_initializer(dtype=tf.int32)


def test_repeat_and_stack() -> None:
    x = tf.zeros([2, 8, 8, 3])
    y = slim.repeat(x, 2, slim.conv2d, 4, [3, 3], scope="conv")
    z = slim.stack(slim.flatten(y), slim.fully_connected, [5, 6], scope="fc")
    assert z.shape.as_list() == [2, 6]
    assert variable_names()[::2] == [
        "conv/conv_1/weights",
        "conv/conv_2/weights",
        "fc/fc_1/weights",
        "fc/fc_2/weights",
    ]
    with pytest.raises(ValueError):
        slim.stack(x, slim.conv2d, 3)


def test_encodings() -> None:
    hot = layers.one_hot_encoding(tf.constant([0, 2]), 3)
    embedded = layers.embed_sequence(tf.constant([[1, 0]]), 4, 5, scope="words")
    again = layers.embed_sequence(tf.constant([[1, 0]]), scope="words", reuse=True)
    table = tf.global_variables()[0]
    assert variable_names() == ["words/embeddings"]
    first, second, third, rows = run([hot, embedded, again, table])
    np.testing.assert_array_equal(first, [[1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(second, rows[[[1, 0]]])
    np.testing.assert_array_equal(third, second)
    with pytest.raises(ValueError):
        layers.embed_sequence(tf.constant([0]), vocab_size=3)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "Momentum", "RMSProp", "Adagrad", "Ftrl"])
def test_optimize_loss(optimizer: str) -> None:
    w = tf.get_variable("w", initializer=[1.0, -2.0])
    loss = tf.reduce_sum(tf.square(w))
    step = tf.train.get_or_create_global_step()
    train = layers.optimize_loss(loss, step, 0.1, optimizer)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(train) == 5.0
        for _ in range(20):
            last = sess.run(train)
        assert last < 5.0 and sess.run(step) == 21


def test_optimize_loss_options() -> None:
    w = tf.get_variable("w", initializer=[3.0, 4.0])
    v = tf.get_variable("v", initializer=1.0)
    loss = tf.reduce_sum(tf.square(w)) / 2 + 0.0 * v
    updated = tf.get_variable("updated", initializer=0.0)
    train = layers.optimize_loss(
        loss,
        None,
        1.0,
        tf.train.GradientDescentOptimizer,
        clip_gradients=1.0,
        gradient_multipliers={"w": 2.0},
        update_ops=[updated.assign_add(1.0)],
        variables=[w],
    )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(w), [3.0 - 0.6, 4.0 - 0.8], rtol=1e-6)
        assert sess.run(updated) == 1.0
    for wrong in ("Nothing", 3, lambda rate: 3):
        with pytest.raises(ValueError):
            layers.optimize_loss(loss, None, 1.0, wrong)
    with pytest.raises(ValueError):
        layers.optimize_loss(loss, None, None, tf.train.GradientDescentOptimizer)


def test_a_slim_model() -> None:
    """A network as slim's models write it."""
    with (
        slim.arg_scope(
            [slim.conv2d, slim.fully_connected],
            weights_regularizer=slim.l2_regularizer(0.01),
            activation_fn=tf.nn.relu,
        ),
        slim.arg_scope([slim.conv2d], padding="SAME"),
    ):
        net = slim.repeat(tf.constant(normal(4, 8, 8, 3)), 2, slim.conv2d, 6, [3, 3], scope="conv1")
        net = slim.max_pool2d(net, [2, 2], scope="pool1")
        net = slim.dropout(slim.flatten(net), 0.5, is_training=True)
        logits = slim.fully_connected(net, 3, activation_fn=None, scope="logits")
    labels = slim.one_hot_encoding(tf.constant([0, 1, 2, 0]), 3)
    slim.losses.softmax_cross_entropy(logits, labels)
    total = slim.losses.get_total_loss()
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 3
    train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(total)
        for _ in range(30):
            sess.run(train)
        assert sess.run(total) < first
