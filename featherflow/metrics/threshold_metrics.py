"""Counts, precision and recall at thresholds; sensitivity at a specificity, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect
from featherflow.metrics.threshold_counts import EPSILON, counts_at_thresholds, even_thresholds
from featherflow.ops.arg_extremum_ops import argmax, argmin
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cumulative_ops import cumsum
from featherflow.ops.division_ops import divide
from featherflow.ops.identity_ops import identity
from featherflow.ops.magnitude_ops import abs
from featherflow.ops.reduction_ops import reduce_min
from featherflow.ops.variable_scope import variable_scope


def _one_count(
    kind: str,
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> tuple[Tensor, Tensor]:
    with variable_scope(name, kind, (predictions, labels, weights)):
        variables, updates = counts_at_thresholds(
            labels, predictions, thresholds, weights, included=(kind,)
        )
        value = identity(variables[kind])
        return collect(value, updates[kind], metrics_collections, updates_collections)


@export_v1("metrics.true_positives_at_thresholds")
def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Σ of the weights where labels are true and predictions above each threshold.

    Args:
      labels: cast to bool; of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: in [0, 1].
      thresholds: n numbers in [0, 1].
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; None is 1.
      metrics_collections: collections that the counts are added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (counts, update), each [n] of float32.
    Raises:
      ValueError: shapes do not fit.
      InvalidArgumentError: (in the run) predictions are not in [0, 1].
    """
    operands = (labels, predictions, thresholds, weights)
    return _one_count("true_positives", *operands, metrics_collections, updates_collections, name)


@export_v1("metrics.false_positives_at_thresholds")
def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `true_positives_at_thresholds`, where labels are false and predictions above."""
    operands = (labels, predictions, thresholds, weights)
    return _one_count("false_positives", *operands, metrics_collections, updates_collections, name)


@export_v1("metrics.true_negatives_at_thresholds")
def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `true_positives_at_thresholds`, where labels are false and predictions not above."""
    operands = (labels, predictions, thresholds, weights)
    return _one_count("true_negatives", *operands, metrics_collections, updates_collections, name)


@export_v1("metrics.false_negatives_at_thresholds")
def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `true_positives_at_thresholds`, where labels are true and predictions not above."""
    operands = (labels, predictions, thresholds, weights)
    return _one_count("false_negatives", *operands, metrics_collections, updates_collections, name)


# --- precision and recall -------------------------------------------------------------------------


def _ratios(
    kind: str,
    others: str,
    operands: tuple[Any, Any, Sequence[float], Any],
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> tuple[Tensor, Tensor]:
    """true positives / (true positives + others) at each threshold."""
    labels, predictions, thresholds, weights = operands
    with variable_scope(name, f"{kind}_at_thresholds", (predictions, labels, weights)):
        included = ("true_positives", others)
        variables, updates = counts_at_thresholds(
            labels, predictions, thresholds, weights, included
        )
        ratios = [
            divide(
                counts["true_positives"],
                EPSILON + counts["true_positives"] + counts[others],
                name=f"{kind}_{role}",
            )
            for counts, role in ((variables, "value"), (updates, "update_op"))
        ]
        return collect(ratios[0], ratios[1], metrics_collections, updates_collections)


@export_v1("metrics.precision_at_thresholds")
def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`tf.metrics.precision` at each threshold.

    The arguments and what is returned are those of `true_positives_at_thresholds`.
    """
    operands = (labels, predictions, thresholds, weights)
    return _ratios(
        "precision", "false_positives", operands, metrics_collections, updates_collections, name
    )


@export_v1("metrics.recall_at_thresholds")
def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`tf.metrics.recall` at each threshold; as `precision_at_thresholds` otherwise."""
    operands = (labels, predictions, thresholds, weights)
    return _ratios(
        "recall", "false_negatives", operands, metrics_collections, updates_collections, name
    )


# --- one rate at a value of the other -------------------------------------------------------------


@export_v1("metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """true positives / positives, at the threshold where specificity is nearest to a given one.

    Specificity is true negatives / negatives.

    Args:
      labels: cast to bool; of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: in [0, 1].
      specificity: in [0, 1].
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; None is 1.
      num_thresholds: the number of thresholds that are tried.
      metrics_collections: collections that the sensitivity is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (sensitivity, update), scalars of float32.
    Raises:
      ValueError: shapes do not fit, or `specificity` is out of range.
      InvalidArgumentError: (in the run) predictions are not in [0, 1].
    """
    if not 0 <= specificity <= 1:
        raise ValueError(
            "`specificity` must be in the range [0, 1]. Currently, `specificity` got "
            f"{specificity}."
        )
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        thresholds = even_thresholds(num_thresholds, 1.0 + EPSILON)
        variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights)
        return collect(
            _sensitivity(variables, specificity, "value"),
            _sensitivity(updates, specificity, "update_op"),
            metrics_collections,
            updates_collections,
        )


def _sensitivity(counts: dict[str, Any], specificity: float, name: str) -> Tensor:
    negatives, positives = counts["true_negatives"], counts["true_positives"]
    specificities = divide(negatives, negatives + counts["false_positives"] + EPSILON)
    index = cast(argmin(abs(specificities - specificity), 0), dtypes.int32)
    hits = positives[index]
    return divide(hits, positives[index] + counts["false_negatives"][index] + EPSILON, name)


@export_v1("metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """true negatives / negatives, at the threshold where sensitivity is nearest to a given one.

    Of several such thresholds it is the greatest. The arguments are those of
    `tf.metrics.sensitivity_at_specificity`, with `sensitivity` in place of `specificity`.
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError(
            f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}."
        )
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        thresholds = even_thresholds(num_thresholds, 1.0 - EPSILON)
        variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights)
        return collect(
            _specificity(variables, sensitivity, "value"),
            _specificity(updates, sensitivity, "update_op"),
            metrics_collections,
            updates_collections,
        )


def _specificity(counts: dict[str, Any], sensitivity: float, name: str) -> Tensor:
    negatives, positives = counts["true_negatives"], counts["true_positives"]
    sensitivities = divide(positives, positives + counts["false_negatives"] + EPSILON)
    least = reduce_min(abs(sensitivities - sensitivity))
    is_least = equal(abs(sensitivities - sensitivity), least)
    # The running count is greatest from the last of them on, and argmax takes the first of equals.
    index = cast(argmax(cumsum(cast(is_least, dtypes.int64)), 0), dtypes.int32)
    hits = negatives[index]
    return divide(hits, negatives[index] + counts["false_positives"][index] + EPSILON, name)
