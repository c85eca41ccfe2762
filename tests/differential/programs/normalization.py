"""Programs of normalisation and regularisation: batch norm by hand and fused, dropout, clipping."""

from __future__ import annotations


def batch_norm_by_hand(tf):
    """Moments, moving averages by assign_sub, and batch_normalization."""
    inputs = tf.placeholder(tf.float32, [None, 5, 5, 3], name="inputs")
    is_training = tf.placeholder(tf.bool, [], name="is_training")
    with tf.variable_scope("bn"):
        beta = tf.get_variable("beta", [3], initializer=tf.zeros_initializer())
        gamma = tf.get_variable("gamma", [3], initializer=tf.ones_initializer())
        moving_mean = tf.get_variable("moving_mean", [3], trainable=False)
        moving_variance = tf.get_variable(
            "moving_variance", [3], initializer=tf.ones_initializer(), trainable=False
        )
        mean, variance = tf.nn.moments(inputs, [0, 1, 2])
        for moving, batch in ((moving_mean, mean), (moving_variance, variance)):
            update = tf.assign_sub(moving, (moving - batch) * (1.0 - 0.9))
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        used_mean, used_variance = tf.cond(
            is_training, lambda: (mean, variance), lambda: (moving_mean, moving_variance)
        )
        outputs = tf.nn.batch_normalization(
            inputs, used_mean, used_variance, beta, gamma, variance_epsilon=1e-3
        )
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.no_op(name="train")
    return {"outputs": outputs, "train_op": train_op}


def batch_norm_variants(tf):
    """Without scale, without offset, over kept axes, and of float16 moments."""
    inputs = tf.ones([4, 6])
    mean, variance = tf.nn.moments(inputs, axes=[0], keep_dims=True)
    points = {
        "no_scale": tf.nn.batch_normalization(inputs, mean, variance, tf.zeros([6]), None, 1e-5),
        "no_offset": tf.nn.batch_normalization(inputs, mean, variance, None, tf.ones([6]), 1e-5),
        "neither": tf.nn.batch_normalization(inputs, mean, variance, None, None, 1e-5),
        "half": tf.nn.moments(tf.cast(inputs, tf.float16), axes=[1])[1],
        "sufficient": tf.nn.sufficient_statistics(inputs, [0])[:3],
        "weighted": tf.nn.weighted_moments(inputs, [0], tf.ones([4, 1])),
        "normalized": tf.nn.l2_normalize(inputs, axis=1),
    }
    return points


def fused_batch_norm(tf):
    """The fused op, in training and at inference, in both layouts."""
    images = tf.ones([2, 4, 4, 3])
    scale = tf.get_variable("scale", [3], initializer=tf.ones_initializer())
    offset = tf.get_variable("offset", [3], initializer=tf.zeros_initializer())
    trained = tf.nn.fused_batch_norm(images, scale, offset, epsilon=1e-3, is_training=True)
    frozen = tf.nn.fused_batch_norm(
        images,
        scale,
        offset,
        mean=tf.zeros([3]),
        variance=tf.ones([3]),
        is_training=False,
        name="frozen",
    )
    first = tf.nn.fused_batch_norm(tf.ones([2, 3, 4, 4]), scale, offset, data_format="NCHW")
    return {"trained": list(trained), "frozen": list(frozen), "first": first[0]}


def dropout_forms(tf):
    """Dropout by keep_prob and by rate, constant and fed, with noise shapes and seeds."""
    tf.set_random_seed(5)
    inputs = tf.placeholder(tf.float32, [None, 8], name="inputs")
    keep_prob = tf.placeholder_with_default(1.0, [], name="keep_prob")
    points = {
        "constant_keep": tf.nn.dropout(inputs, 0.75),
        "fed_keep": tf.nn.dropout(inputs, keep_prob=keep_prob, name="fed"),
        "rate": tf.nn.dropout(inputs, rate=0.25, seed=11),
        "fed_rate": tf.nn.dropout(inputs, rate=1.0 - keep_prob),
        "rows": tf.nn.dropout(inputs, rate=0.5, noise_shape=[tf.shape(inputs)[0], 1]),
        "nothing": tf.nn.dropout(inputs, rate=0.0),
    }
    return points


def layer_norm_by_hand(tf):
    """Layer normalisation and local response normalisation."""
    inputs = tf.placeholder(tf.float32, [None, 10, 6], name="inputs")
    with tf.variable_scope("layer_norm"):
        gain = tf.get_variable("gain", [6], initializer=tf.ones_initializer())
        bias = tf.get_variable("bias", [6], initializer=tf.zeros_initializer())
        mean = tf.reduce_mean(inputs, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.squared_difference(inputs, mean), axis=-1, keepdims=True)
        normalized = (inputs - mean) * tf.rsqrt(variance + 1e-6)
        outputs = normalized * gain + bias
    lrn = tf.nn.lrn(tf.ones([1, 2, 2, 8]), depth_radius=2, bias=1.0, alpha=1e-4, beta=0.75)
    return {"outputs": outputs, "lrn": lrn}


def clipping_by_hand(tf):
    """Clipping by value, norm, average norm and global norm."""
    vector = tf.constant([3.0, -4.0, 12.0])
    matrix = tf.placeholder(tf.float32, [2, 2])
    clipped, norm = tf.clip_by_global_norm([vector, None, matrix], 5.0)
    points = {
        "value": tf.clip_by_value(vector, -1.0, 10.0),
        "by_norm": tf.clip_by_norm(vector, 5.0),
        "axes": tf.clip_by_norm(matrix, 1.0, axes=[1]),
        "average": tf.clip_by_average_norm(vector, 2.0),
        "clipped": [clipped[0], clipped[2]],
        "norm": norm,
        "global": tf.global_norm([vector, vector]),
    }
    return points
