"""Errors of predictions, as means over all steps."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.metrics.mean_metrics import mean
from featherflow.metrics.metric_variables import collect, fitted
from featherflow.ops.arithmetic_ops import multiply, squared_difference, subtract
from featherflow.ops.comparison_ops import equal
from featherflow.ops.confusion_matrix_ops import remove_squeezable_dimensions
from featherflow.ops.division_ops import divide
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.magnitude_ops import abs
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.where_ops import where


@export_v1("metrics.mean_absolute_error")
def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of |prediction − label| over all steps.

    Args:
      labels: of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: a tensor.
      weights: as `tf.metrics.mean` takes them, for the labels.
      metrics_collections: collections that the mean is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (mean, update), as of `tf.metrics.mean`.
    Raises:
      ValueError: shapes do not fit.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    errors = abs(predictions - labels)
    name = name or "mean_absolute_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


@export_v1("metrics.mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of (prediction − label)²; the rest as for `tf.metrics.mean_absolute_error`."""
    predictions, labels, weights = fitted(predictions, labels, weights)
    errors = squared_difference(labels, predictions)
    name = name or "mean_squared_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


@export_v1("metrics.root_mean_squared_error")
def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """√ of `tf.metrics.mean_squared_error`, with the same arguments."""
    predictions, labels, weights = fitted(predictions, labels, weights)
    name = name or "root_mean_squared_error"
    value, update_op = mean_squared_error(labels, predictions, weights, None, None, name)
    return collect(sqrt(value), sqrt(update_op), metrics_collections, updates_collections)


@export_v1("metrics.mean_relative_error")
def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of |prediction − label| / normalizer, of 0 where that is 0.

    The arguments are those of `tf.metrics.mean_absolute_error`, and
      normalizer: of the shape of `predictions`.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = where(
        equal(normalizer, 0.0),
        zeros_like(labels),
        divide(abs(labels - predictions), normalizer),
    )
    name = name or "mean_relative_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


@export_v1("metrics.mean_cosine_distance")
def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """1 − the mean of Σ prediction·label along `dim`, both of length 1 there.

    The arguments are those of `tf.metrics.mean_absolute_error`, and
      dim: the dimension along which they are vectors.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    products = reduce_sum(multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update_op = mean(products, weights, None, None, name or "mean_cosine_distance")
    value, update_op = subtract(1.0, value), subtract(1.0, update_op)
    return collect(value, update_op, metrics_collections, updates_collections)
