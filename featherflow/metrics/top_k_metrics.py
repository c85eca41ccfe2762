"""Precision and recall of the k classes that are predicted first."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect
from featherflow.metrics.ranked_sets import expanded_labels, name_at_k, total_at_k
from featherflow.ops.arithmetic_ops import add
from featherflow.ops.cast_ops import cast
from featherflow.ops.division_ops import divide
from featherflow.ops.top_k_ops import top_k


def _at_top_k(
    kind: str,
    others: str,
    operands: tuple[Any, Any, Any],
    k: int | None,
    class_id: int | None,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> tuple[Tensor, Tensor]:
    """true positives / (true positives + others), over all steps."""
    labels, predictions, weights = operands
    default_name = name_at_k(kind, k, class_id)
    with name_scope(name, default_name, (predictions, labels, weights)) as scope:
        labels = expanded_labels(labels, predictions)
        ranked = cast(predictions, dtypes.int64)
        hits, update_hits = total_at_k("true_positive", labels, ranked, k, class_id, weights)
        misses, update_misses = total_at_k(others, labels, ranked, k, class_id, weights)
        value = divide(hits, add(hits, misses), name=scope)
        update_op = divide(update_hits, add(update_hits, update_misses), name="update")
        return collect(value, update_op, metrics_collections, updates_collections)


@export_v1("metrics.precision_at_top_k")
def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The fraction of ranked classes that are among the true ones, over all steps.

    Args:
      labels: [D₁ … Dₙ, num_labels] or [D₁ … Dₙ], int64, a Tensor or SparseTensor.
      predictions_idx: [D₁ … Dₙ, k], integers: the classes that are predicted first.
      k: their number; it is part of names only.
      class_id: the class that alone counts; None counts all.
      weights: a scalar, or [D₁ … Dₙ] with each dimension 1 or as there; None is 1.
      metrics_collections: collections that the precision is added to.
      updates_collections: collections that the update is added to.
      name: of the scope of the nodes.
    Returns:
      (precision, update), scalars of float64; NaN where nothing was predicted.
    Raises:
      ValueError: shapes do not fit.
    """
    operands, kind = (labels, predictions_idx, weights), "precision"
    collections = (metrics_collections, updates_collections)
    return _at_top_k(kind, "false_positive", operands, k, class_id, *collections, name)


@export_v1("metrics.precision_at_k", "metrics.sparse_precision_at_k")
def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The fraction of the k classes with the greatest scores that are among the true ones.

    The arguments and what is returned are those of `tf.metrics.precision_at_top_k`, but
      predictions: [D₁ … Dₙ, num_classes], scores.
      k: how many classes are predicted.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     scores = tf.constant([[0.1, 0.5, 0.4], [0.6, 0.3, 0.1]])
    ...     labels = tf.constant([[1], [2]], tf.int64)
    ...     _, update = tf.metrics.precision_at_k(labels, scores, k=2)
    ...     session.run(tf.local_variables_initializer())
    ...     float(session.run(update))
    0.25
    """
    default_name = name_at_k("precision", k, class_id)
    with name_scope(name, default_name, (predictions, labels, weights)) as scope:
        _, ranked = top_k(predictions, k)
        operands = (labels, ranked, weights)
        collections = (metrics_collections, updates_collections)
        return _at_top_k("precision", "false_positive", operands, k, class_id, *collections, scope)


@export_v1("metrics.recall_at_top_k")
def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The fraction of true classes that are among the ranked ones; as `precision_at_top_k`."""
    operands, kind = (labels, predictions_idx, weights), "recall"
    collections = (metrics_collections, updates_collections)
    return _at_top_k(kind, "false_negative", operands, k, class_id, *collections, name)


@export_v1("metrics.recall_at_k")
def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The fraction of true classes that are among the k with the greatest scores; arguments as
    for `tf.metrics.precision_at_k`."""
    default_name = name_at_k("recall", k, class_id)
    with name_scope(name, default_name, (predictions, labels, weights)) as scope:
        _, ranked = top_k(predictions, k)
        operands = (labels, ranked, weights)
        collections = (metrics_collections, updates_collections)
        return _at_top_k("recall", "false_negative", operands, k, class_id, *collections, scope)
