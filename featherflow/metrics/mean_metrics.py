"""Means over all steps: of values, and of whether predictions are right."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect, fitted, fitted_weights, metric_variable
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, less
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.shape_ops import size
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.weights_broadcast_ops import broadcast_weights


@export_v1("metrics.mean")
def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Σ w·v / Σ w over all values of all steps.

    Args:
      values: a tensor of any shape.
      weights: a scalar, or of the rank of `values` with each dimension 1 or as there; None is 1.
      metrics_collections: collections that the mean is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (mean, update): both scalars of float32. Evaluating the mean changes nothing; evaluating the
      update takes the values of this step in, and gives the mean with them.
    Raises:
      ValueError: the weights do not fit.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [None])
    ...     mean, update = tf.metrics.mean(x)
    ...     session.run(tf.local_variables_initializer())
    ...     for batch in ([1.0, 3.0], [5.0]):
    ...         print(session.run(update, {x: batch}))
    ...     print(session.run(mean))
    2.0
    3.0
    3.0
    """
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total, count = metric_variable([], name="total"), metric_variable([], name="count")
        if weights is None:
            num_values = cast(size(values), dtypes.float32)
        else:
            weights = fitted_weights(values, weights)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            values = multiply(values, weights)
            num_values = reduce_sum(weights)
        update_total = assign_add(total, reduce_sum(values))
        with control_dependencies([values]):
            update_count = assign_add(count, num_values)
        return _quotient(
            total, count, update_total, update_count, metrics_collections, updates_collections
        )


def _quotient(
    total: Any,
    count: Any,
    update_total: Any,
    update_count: Any,
    metrics_collections: Any,
    updates_collections: Any,
) -> tuple[Tensor, Tensor]:
    value = divide_no_nan(total, maximum(count, 0), name="value")
    update_op = divide_no_nan(update_total, maximum(update_count, 0), name="update_op")
    return collect(value, update_op, metrics_collections, updates_collections)


@export_v1("metrics.mean_tensor")
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean over all steps of each element: as `mean`, but of the shape of `values`."""
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable(values.shape, name="total_tensor")
        count = metric_variable(values.shape, name="count_tensor")
        num_values = ones_like(values)
        if weights is not None:
            weights = fitted_weights(values, weights)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            values = multiply(values, weights)
            num_values = multiply(num_values, weights)
        update_total = assign_add(total, values)
        with control_dependencies([values]):
            update_count = assign_add(count, num_values)
        return _quotient(
            total, count, update_total, update_count, metrics_collections, updates_collections
        )


@export_v1("metrics.accuracy")
def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The fraction of predictions that equal their labels.

    Args:
      labels: of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: a tensor.
      weights: as `tf.metrics.mean` takes them, for the labels.
      metrics_collections: collections that the accuracy is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (accuracy, update), as of `tf.metrics.mean`.
    Raises:
      ValueError: shapes do not fit.
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    is_correct = cast(equal(predictions, labels), dtypes.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections, name or "accuracy")


@export_v1("metrics.percentage_below")
def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The fraction of values below `threshold`; the rest as for `tf.metrics.mean`."""
    is_below = cast(less(values, threshold), dtypes.float32)
    name = name or "percentage_below_threshold"
    return mean(is_below, weights, metrics_collections, updates_collections, name)
