"""Programs of losses and metrics written by hand: cross entropies, penalties, accuracy."""

from __future__ import annotations

from . import runs


def softmax_losses(tf):
    """Softmax cross entropy: dense and sparse labels, both versions, another class axis."""
    logits = tf.placeholder(tf.float32, [None, 4], name="logits")
    labels = tf.placeholder(tf.float32, [None, 4], name="labels")
    classes = tf.placeholder(tf.int64, [None], name="classes")
    stopping = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    flowing = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)
    images = tf.ones([2, 3, 5])
    moved = tf.nn.softmax_cross_entropy_with_logits_v2(labels=images, logits=images, axis=1)
    loss = tf.reduce_mean(stopping) + tf.reduce_mean(flowing) + tf.reduce_mean(sparse, name="xent")
    return {"loss": loss, "moved": moved, "shapes": [sparse.shape, moved.shape]}


def sparse_losses_of_sequences(tf):
    """Sparse cross entropy over a batch of sequences, masked by length."""
    logits = tf.placeholder(tf.float32, [None, None, 6])
    targets = tf.placeholder(tf.int32, [None, None])
    lengths = tf.placeholder(tf.int32, [None])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
    mask = tf.sequence_mask(lengths, tf.shape(targets)[1])
    masked = tf.boolean_mask(losses, mask)
    mean = tf.reduce_sum(losses * tf.to_float(mask)) / tf.reduce_sum(tf.to_float(mask))
    return {"mean": mean, "masked": masked, "shape": losses.shape}


def sigmoid_losses(tf):
    """Sigmoid cross entropy, weighted too, and the same by logarithms with clipping."""
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.float32, [None, 3])
    stable = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    weighted = tf.nn.weighted_cross_entropy_with_logits(
        targets=labels, logits=logits, pos_weight=2.0
    )
    probabilities = tf.clip_by_value(tf.nn.sigmoid(logits), 1e-7, 1.0 - 1e-7)
    by_hand = -labels * tf.log(probabilities) - (1.0 - labels) * tf.log(1.0 - probabilities)
    return {
        "stable": tf.reduce_mean(stable),
        "weighted": tf.reduce_sum(weighted, axis=1),
        "by_hand": tf.reduce_mean(tf.reduce_sum(by_hand, reduction_indices=[1])),
    }


def regression_losses(tf):
    """Squared, absolute and Huber losses with an L2 penalty over trainable variables."""
    weights = tf.Variable(tf.zeros([3, 1]), name="weights")
    bias = tf.Variable(0.0, name="bias")
    inputs = tf.placeholder(tf.float32, [None, 3])
    targets = tf.placeholder(tf.float32, [None, 1])
    error = tf.matmul(inputs, weights) + bias - targets
    squared = tf.reduce_mean(tf.square(error))
    absolute = tf.reduce_mean(tf.abs(error))
    clipped = tf.minimum(tf.abs(error), 1.0)
    huber = tf.reduce_mean(0.5 * clipped**2 + (tf.abs(error) - clipped))
    penalty = tf.add_n([tf.nn.l2_loss(variable) for variable in tf.trainable_variables()])
    tf.add_to_collection("losses", squared)
    tf.add_to_collection("losses", 0.01 * penalty)
    total = tf.add_n(tf.get_collection("losses"), name="total_loss")
    return {"total": total, "absolute": absolute, "huber": huber}


@runs
def classification_metrics(tf):
    """Accuracy by argmax, top-k, and a confusion table by one-hot products."""
    logits = tf.constant([[0.1, 2.0, 0.3], [1.5, 0.2, 0.1], [0.0, 0.1, 0.2]])
    classes = tf.constant([1, 2, 2])
    correct = tf.equal(tf.cast(tf.argmax(logits, 1), tf.int32), classes)
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32), name="accuracy")
    top = tf.nn.in_top_k(logits, classes, 2)
    values, indices = tf.nn.top_k(logits, k=2)
    predicted = tf.one_hot(tf.argmax(logits, 1), 3, dtype=tf.int32)
    confusion = tf.matmul(tf.one_hot(classes, 3, dtype=tf.int32), predicted, transpose_a=True)
    points = {"accuracy": accuracy, "top": top, "values": values, "confusion": confusion}

    def steps(session):
        return {**session.run(points), "indices": session.run(indices)}

    return {**points, "indices": indices, "steps": steps}


def reductions_of_losses(tf):
    """Reductions over no, some and all axes, negative axes, kept dimensions and old keywords."""
    errors = tf.placeholder(tf.float32, [None, 3, 4], name="errors")
    unknown = tf.placeholder(tf.float32, name="unknown")
    points = {
        "all": tf.reduce_sum(errors),
        "last": tf.reduce_max(errors, axis=-1),
        "two": tf.reduce_prod(errors, [1, 2]),
        "kept": tf.reduce_min(errors, axis=1, keepdims=True),
        "old": tf.reduce_mean(errors, reduction_indices=0, keep_dims=True),
        "any": tf.reduce_any(errors > 0.0, axis=[0]),
        "every": tf.reduce_all(errors > 0.0),
        "unknown": tf.reduce_sum(unknown),
        "logsumexp": tf.reduce_logsumexp(errors, axis=-1),
        "spread": tf.math.reduce_std(errors, axis=1),
        "count": tf.count_nonzero(errors),
    }
    return {**points, "shapes": [point.shape for point in points.values()]}
