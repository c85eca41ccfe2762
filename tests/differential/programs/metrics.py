"""Programs with tf.metrics: the variables, the value and the update of each."""

from __future__ import annotations


def _operands(tf):
    return tf.placeholder(tf.float32, [3], name="labels"), tf.placeholder(tf.float32, [3])


def means(tf):
    """Means, with weights, names and collections."""
    labels, predictions = _operands(tf)
    weights = tf.placeholder(tf.float32, [3, 1])
    return {
        "mean": tf.metrics.mean(predictions),
        "again": tf.metrics.mean(predictions),
        "weighted": tf.metrics.mean(
            tf.placeholder(tf.int32, [3, 2]), weights, ["values"], ["updates"], name="mine"
        ),
        "unknown": tf.metrics.mean(tf.placeholder(tf.float32), tf.placeholder(tf.float32)),
        "tensor": tf.metrics.mean_tensor(tf.placeholder(tf.float32, [3, 2]), weights),
        "accuracy": tf.metrics.accuracy(tf.placeholder(tf.int64, [3, 1]), predictions, weights),
        "below": tf.metrics.percentage_below(predictions, 0.5),
        "absolute": tf.metrics.mean_absolute_error(labels, predictions),
        "root": tf.metrics.root_mean_squared_error(labels, predictions, updates_collections="u"),
        "relative": tf.metrics.mean_relative_error(labels, predictions, [1.0, 0.0, 2.0]),
        "cosine": tf.metrics.mean_cosine_distance(labels, predictions, dim=0),
    }


def counts(tf):
    """Counts of answers, and the ratios of them."""
    labels, predictions = _operands(tf)
    column, weights = tf.placeholder(tf.int32, [3, 1]), tf.placeholder(tf.float32, [3])
    return {
        "true_positives": tf.metrics.true_positives(labels, predictions),
        "false_positives": tf.metrics.false_positives(column, predictions, weights),
        "true_negatives": tf.metrics.true_negatives(labels, predictions),
        "false_negatives": tf.metrics.false_negatives(labels, predictions),
        "precision": tf.metrics.precision(column, predictions, weights),
        "recall": tf.metrics.recall(labels, predictions),
    }


def thresholds(tf):
    """Counts, ratios and areas at thresholds."""
    labels, predictions = _operands(tf)
    limits = [0.2, 0.7]
    return {
        "counts": tf.metrics.true_positives_at_thresholds(labels, predictions, limits),
        "precision": tf.metrics.precision_at_thresholds(labels, predictions, limits),
        "recall": tf.metrics.recall_at_thresholds(
            labels, predictions, limits, tf.placeholder(tf.float32, [1])
        ),
        "sensitivity": tf.metrics.sensitivity_at_specificity(labels, predictions, 0.5, None, 4),
        "specificity": tf.metrics.specificity_at_sensitivity(labels, predictions, 0.5, None, 4),
    }


def areas(tf):
    """Areas under both curves."""
    labels, predictions = _operands(tf)
    return {
        "thresholds": tf.metrics.auc(labels, predictions, thresholds=[0.0, 0.5]),
        "precision": tf.metrics.auc(
            labels,
            predictions,
            num_thresholds=5,
            curve="PR",
            summation_method="careful_interpolation",
        ),
        "upper": tf.metrics.auc(
            labels, predictions, num_thresholds=5, curve="PR", summation_method="majoring"
        ),
    }


def classes(tf):
    """Measures of several classes, and of the ranked ones among them."""
    labels = tf.placeholder(tf.int64, [3, 2])
    scores = tf.placeholder(tf.float32, [3, 4])
    return {
        "iou": tf.metrics.mean_iou(tf.placeholder(tf.int32, [3]), tf.placeholder(tf.int64, [3]), 4),
        "accuracy": tf.metrics.mean_per_class_accuracy(labels, labels, 4, weights=labels),
        "precision": tf.metrics.precision_at_k(labels, scores, 2),
        "recall": tf.metrics.recall_at_k(labels, scores, 2, class_id=1),
        "top": tf.metrics.precision_at_top_k(labels, labels),
        "average": tf.metrics.average_precision_at_k(labels, scores, 2),
        "sparse": tf.metrics.recall_at_k(tf.sparse_placeholder(tf.int64, [3, 2]), scores, 2),
    }
