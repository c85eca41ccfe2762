"""Programs with tf.losses: every loss, with weights of known and unknown shapes."""

from __future__ import annotations


def _operands(tf, dtype="float32"):
    return tf.placeholder(dtype, [3, 2], name="labels"), tf.placeholder(tf.float32, [3, 2])


def regressions(tf):
    """Losses of numbers, of integer labels too."""
    labels, predictions = _operands(tf)
    whole = tf.placeholder(tf.int32, [3, 2])
    return {
        "absolute": tf.losses.absolute_difference(labels, predictions),
        "squared": tf.losses.mean_squared_error(whole, predictions, weights=2.0, scope="mine"),
        "huber": tf.losses.huber_loss(labels, predictions, delta=0.5),
        "pairwise": tf.losses.mean_pairwise_squared_error(labels, predictions),
        "pairwise_weighted": tf.losses.mean_pairwise_squared_error(
            labels, predictions, weights=tf.placeholder(tf.float32, [3, 1])
        ),
    }


def classifications(tf):
    """Losses of classes, smoothed too."""
    labels, logits = _operands(tf)
    classes = tf.placeholder(tf.int64, [3, 1])
    return {
        "log": tf.losses.log_loss(labels, logits),
        "hinge": tf.losses.hinge_loss(labels, logits),
        "cosine": tf.losses.cosine_distance(labels, logits, axis=1),
        "sigmoid": tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.1),
        "softmax": tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=0.1),
        "sparse": tf.losses.sparse_softmax_cross_entropy(
            classes, logits, weights=tf.placeholder(tf.float32, [3, 1])
        ),
    }


def unknown_shapes(tf):
    """Weights and losses whose shapes only the run knows."""
    labels = tf.placeholder(tf.float32)
    weights = tf.placeholder(tf.float32, [None, 1])
    return {
        "sizes": tf.losses.compute_weighted_loss(tf.placeholder("float", [None, 3]), weights),
        "number": tf.losses.compute_weighted_loss(labels, 3.0, loss_collection=None),
        "sparse": tf.losses.sparse_softmax_cross_entropy(
            tf.placeholder(tf.int64), tf.placeholder("float"), weights=tf.placeholder("float")
        ),
    }


def reductions(tf):
    """Each way to one number, and what the collections hold."""
    losses, weights = tf.placeholder(tf.float32, [3, 2]), tf.placeholder(tf.float32, [3, 1])
    for reduction in tf.losses.Reduction.all():
        tf.losses.compute_weighted_loss(losses, weights, reduction=reduction)
    tf.losses.compute_weighted_loss(tf.placeholder(tf.float16, [3]), 2, scope="half")
    tf.get_variable("v", [2], regularizer=lambda v: tf.reduce_sum(v, name="penalty"))
    tf.get_collection_ref(tf.GraphKeys.LOSSES).pop(0)
    return {
        "regularization": tf.losses.get_regularization_loss(),
        "none": tf.losses.get_regularization_loss(scope="nowhere"),
    }


def total(tf):
    """The loss of a model: what is collected, added up."""
    with tf.name_scope("model"):
        labels, predictions = _operands(tf)
        tf.losses.mean_squared_error(labels, predictions)
    tf.losses.add_loss(tf.constant(1.0, name="extra"))
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(2.0))
    return {
        "total": tf.losses.get_total_loss(),
        "data": tf.losses.get_total_loss(add_regularization_losses=False, name="data_loss"),
        "model": tf.losses.get_total_loss(scope="model"),
    }
