"""Cross entropies and other losses, their gradients, and what wrong labels raise."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import FLOATS, normal, uniform


def _distribution(*shape, seed=0):
    weights = uniform(0.1, 1.0, shape, "float64", seed)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


@case
def softmax_cross_entropy(tf):
    labels, logits = tf.constant(_distribution(3, 4)), tf.constant(normal(3, 4))
    return [
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels, logits, axis=0),
        tf.nn.softmax_cross_entropy_with_logits(labels=labels[0], logits=logits[0]),
        tf.nn.softmax_cross_entropy_with_logits(
            labels=tf.constant(_distribution(2, 2, 3)), logits=tf.constant(normal(2, 2, 3))
        ),
        *tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels),
        *tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels[:1]),
    ]


@case
def softmax_cross_entropy_dtypes(tf):
    labels = _distribution(2, 3)
    return [
        tf.nn.softmax_cross_entropy_with_logits_v2(
            tf.constant(labels.astype(np.float64), dtype), tf.constant(normal(2, 3), dtype)
        )
        for dtype in FLOATS
    ]


@case
def softmax_cross_entropy_gradients(tf):
    labels, logits = tf.constant(_distribution(3, 4)), tf.constant(normal(3, 4))
    first = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    second = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    upstream = tf.constant([1.0, -2.0, 0.5])
    (dx,) = tf.gradients(second, logits)
    return {
        "v1": tf.gradients(first, [logits, labels], grad_ys=upstream),
        "v2": tf.gradients(second, [logits, labels], grad_ys=upstream),
        "second_order": tf.gradients(tf.square(dx), logits),
    }


@case
def sparse_softmax_cross_entropy(tf):
    logits = tf.constant(normal(3, 4))
    results = {
        label_type: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.constant([0, 3, 1], label_type), logits=logits
        )
        for label_type in ("int32", "int64")
    }
    for dtype in FLOATS:
        results[dtype] = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[1, 2], logits=tf.constant(normal(2, 3), dtype)
        )
    results["scalar"] = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=2, logits=tf.constant(normal(4))
    )
    results["matrix"] = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[[0, 1], [2, 0]], logits=tf.constant(normal(2, 2, 3))
    )
    results["empty"] = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.zeros([0], tf.int32), logits=tf.zeros([0, 3])
    )
    return results


@case
def sparse_softmax_cross_entropy_gradients(tf):
    logits = tf.constant(normal(3, 4))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 3, 1], logits=logits)
    upstream = tf.constant([1.0, -2.0, 0.5])
    return [tf.gradients(loss, logits), tf.gradients(loss, logits, grad_ys=upstream)]


@case
def sparse_cross_entropy_with_fed_shapes(tf):
    logits, labels = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int64, [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    mean = tf.reduce_mean(loss)
    fetches = [loss, mean, tf.gradients(mean, logits)[0]]
    return Case(fetches, {logits: normal(2, 3), labels: [2, 0]})


@case
def sigmoid_cross_entropy(tf):
    labels, logits = tf.constant(uniform(0, 1, (2, 3))), tf.constant(normal(2, 3) * 5)
    extreme = tf.constant([-1000.0, 1000.0, 0.0])
    return {
        "loss": tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
        "extreme": tf.nn.sigmoid_cross_entropy_with_logits(labels=[0.0, 1.0, 0.5], logits=extreme),
        "weighted": tf.nn.weighted_cross_entropy_with_logits(labels, logits, 2.5),
        "gradients": tf.gradients(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), [logits, labels]
        ),
        "weighted_gradient": tf.gradients(
            tf.nn.weighted_cross_entropy_with_logits(labels, logits, 2.5), logits
        ),
    }


@case
def cross_entropy_by_hand(tf):
    x, y = tf.constant(normal(4, 3)), tf.constant(np.eye(3, dtype=np.float32)[[0, 2, 1, 1]])
    probabilities = tf.nn.softmax(x)
    loss = -tf.reduce_sum(y * tf.log(probabilities + 1e-10), 1)
    accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(x, 1), tf.argmax(y, 1))))
    return [tf.reduce_mean(loss), accuracy, tf.gradients(tf.reduce_mean(loss), x)[0]]


@case
def poisson_and_others(tf):
    targets, inputs = tf.constant([1.0, 2.0, 0.5]), tf.constant([0.1, 0.7, -0.2])
    return [
        tf.nn.log_poisson_loss(targets, inputs),
        tf.nn.log_poisson_loss(targets, inputs, compute_full_loss=True),
        tf.nn.l2_loss(inputs),
        tf.gradients(tf.nn.l2_loss(inputs), inputs)[0],
    ]


LOSSES = {
    "absolute_difference": {},
    "cosine_distance": {"axis": 1},
    "hinge_loss": {},
    "huber_loss": {"delta": 0.5},
    "log_loss": {"epsilon": 1e-5},
    "mean_squared_error": {},
    "mean_pairwise_squared_error": {},
}


def _loss_program(name, arguments):
    def program(tf):
        loss = getattr(tf.losses, name)
        labels = tf.constant(uniform(0, 1, (3, 2), seed=1).round())
        predictions = tf.constant(uniform(0.1, 0.9, (3, 2)))
        results = [loss(labels, predictions, **arguments)]
        if name != "mean_pairwise_squared_error":
            weights = tf.constant([[1.0], [0.0], [2.0]])
            results += [
                loss(labels, predictions, weights=weights, **arguments),
                _reduced(loss, tf.losses.Reduction.NONE, labels, predictions, arguments),
                _reduced(loss, tf.losses.Reduction.SUM, labels, predictions, arguments),
                _reduced(loss, tf.losses.Reduction.MEAN, labels, predictions, arguments),
                _reduced(loss, "weighted_sum_over_batch_size", labels, predictions, arguments),
            ]
        return [*results, tf.losses.get_total_loss(), len(tf.losses.get_losses())]

    return program


def _reduced(loss, reduction, labels, predictions, arguments):
    return loss(labels, predictions, reduction=reduction, loss_collection=None, **arguments)


for _name, _arguments in LOSSES.items():
    case(f"losses_{_name}")(_loss_program(_name, _arguments))


@case
def losses_of_logits(tf):
    logits = tf.constant(normal(3, 4))
    one_hot = tf.constant(np.eye(4, dtype=np.float32)[[1, 0, 3]])
    return [
        tf.losses.softmax_cross_entropy(one_hot, logits),
        tf.losses.softmax_cross_entropy(one_hot, logits, label_smoothing=0.1),
        tf.losses.sparse_softmax_cross_entropy([1, 0, 3], logits, weights=[1.0, 2.0, 0.0]),
        tf.losses.sigmoid_cross_entropy(one_hot, logits, label_smoothing=0.2),
        tf.losses.compute_weighted_loss([1.0, 2.0, 3.0], weights=0.5),
    ]


def _sparse(tf, labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


error_cases(
    labels_shape=lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=tf.zeros([2, 3]), logits=tf.zeros([2, 4])
    ),
    sparse_labels_shape=lambda tf: _sparse(tf, [0, 1, 2], tf.zeros([2, 3])),
    sparse_labels_rank=lambda tf: _sparse(tf, [[0, 1]], tf.zeros([2, 3])),
    sparse_labels_are_floats=lambda tf: _sparse(tf, [0.0, 1.0], tf.zeros([2, 3])),
    sparse_scalar_logits=lambda tf: _sparse(tf, 0, tf.constant(1.0)),
    sparse_label_too_large=lambda tf: _sparse(tf, [0, 3], tf.zeros([2, 3])),
    sparse_label_negative=lambda tf: _sparse(tf, [0, -1], tf.zeros([2, 3])),
    sparse_fed_labels=lambda tf: Case(
        _sparse(tf, labels := tf.placeholder(tf.int32), tf.zeros([2, 3])), {labels: [0]}
    ),
    sigmoid_shapes=lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.zeros([2]), logits=tf.zeros([3])
    ),
    sigmoid_dtypes=lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.zeros([2], tf.int32), logits=tf.zeros([2])
    ),
    loss_shapes=lambda tf: tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([3])),
    loss_weights=lambda tf: tf.losses.mean_squared_error(
        tf.zeros([2]), tf.zeros([2]), weights=tf.zeros([3])
    ),
    loss_of_nothing=lambda tf: tf.losses.mean_squared_error(None, tf.zeros([2])),
    loss_reduction=lambda tf: tf.losses.mean_squared_error(
        tf.zeros([2]), tf.zeros([2]), reduction="median"
    ),
)
