"""Counts of right and wrong answers to yes-or-no questions, and the ratios made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect, fitted, metric_variable
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, greater, logical_and
from featherflow.ops.division_ops import divide
from featherflow.ops.identity_ops import identity
from featherflow.ops.rank_assertions import assert_rank_in
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.shape_ops import rank
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.type_assertions import assert_type
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.where_ops import where


def _count(
    scope: str,
    label: bool,
    prediction: bool,
    operands: tuple[Any, Any, Any],
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> tuple[Tensor, Tensor]:
    """How often labels and predictions have been the given ones, and the update of that."""
    labels, predictions, weights = operands
    with variable_scope(name, scope, (predictions, labels, weights)):
        predictions, labels, weights = fitted(
            cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights
        )
        hits = logical_and(equal(labels, label), equal(predictions, prediction))
        assert_type(hits, dtypes.bool)
        count = metric_variable([], name="count")
        values = cast(hits, dtypes.float32)
        if weights is not None:
            with control_dependencies((assert_rank_in(weights, (0, rank(values))),)):
                values = multiply(values, cast(weights, dtypes.float32))
        value = identity(count)
        update_op = assign_add(count, reduce_sum(values))
        return collect(value, update_op, metrics_collections, updates_collections)


@export_v1("metrics.true_positives")
def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Σ of the weights where prediction and label are true, over all steps.

    Args:
      labels: cast to bool; of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: cast to bool.
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; None is 1.
      metrics_collections: collections that the count is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (count, update), scalars of float32.
    Raises:
      ValueError: shapes do not fit.
    """
    operands, scope = (labels, predictions, weights), "true_positives"
    return _count(scope, True, True, operands, metrics_collections, updates_collections, name)


@export_v1("metrics.false_positives")
def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Σ of the weights where predictions are true and labels false; as `true_positives`."""
    operands, scope = (labels, predictions, weights), "false_positives"
    return _count(scope, False, True, operands, metrics_collections, updates_collections, name)


@export_v1("metrics.true_negatives")
def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Σ of the weights where predictions and labels are false; as `true_positives`."""
    operands, scope = (labels, predictions, weights), "true_negatives"
    return _count(scope, False, False, operands, metrics_collections, updates_collections, name)


@export_v1("metrics.false_negatives")
def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Σ of the weights where predictions are false and labels true; as `true_positives`."""
    operands, scope = (labels, predictions, weights), "false_negatives"
    return _count(scope, True, False, operands, metrics_collections, updates_collections, name)


# --- ratios ---------------------------------------------------------------------------------------


def _ratio(
    scope: str,
    others: Callable[..., tuple[Tensor, Tensor]],
    operands: tuple[Any, Any, Any],
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> tuple[Tensor, Tensor]:
    """True positives by those and `others`; 0 where there are neither."""
    labels, predictions, weights = operands
    with variable_scope(name, scope, (predictions, labels, weights)):
        predictions, labels, weights = fitted(
            cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights
        )
        hits, update_hits = true_positives(labels, predictions, weights)
        misses, update_misses = others(labels, predictions, weights)
        value = _ratio_of(hits, misses, "value")
        update_op = _ratio_of(update_hits, update_misses, "update_op")
        return collect(value, update_op, metrics_collections, updates_collections)


def _ratio_of(hits: Tensor, others: Tensor, name: str) -> Tensor:
    is_known = greater(hits + others, 0)
    return where(is_known, divide(hits, hits + others), 0, name)


@export_v1("metrics.precision")
def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """true positives / (true positives + false positives), over all steps.

    Args:
      labels: cast to bool; of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: cast to bool.
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; None is 1.
      metrics_collections: collections that the precision is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (precision, update), scalars of float32; 0 where nothing was predicted.
    Raises:
      ValueError: shapes do not fit.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     _, update = tf.metrics.precision(labels=[1, 0, 1, 0], predictions=[1, 1, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     float(session.run(update))
    0.5
    """
    operands, scope = (labels, predictions, weights), "precision"
    return _ratio(scope, false_positives, operands, metrics_collections, updates_collections, name)


@export_v1("metrics.recall")
def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """true positives / (true positives + false negatives); as `precision` otherwise."""
    operands, scope = (labels, predictions, weights), "recall"
    return _ratio(scope, false_negatives, operands, metrics_collections, updates_collections, name)
