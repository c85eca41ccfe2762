"""Measures of several classes: intersection over union, and accuracy class by class."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect, metric_variable
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, greater, not_equal
from featherflow.ops.confusion_matrix_ops import confusion_matrix
from featherflow.ops.division_ops import divide, divide_no_nan
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones, ones_like
from featherflow.ops.reduction_ops import reduce_mean
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import size
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.tensor_diag_ops import tensor_diag_part
from featherflow.ops.variable_scatter_ops import scatter_add
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.where_ops import where


def _flat(value: Any) -> Any:
    rank = value.shape.rank
    return reshape(value, [-1]) if rank is not None and rank > 1 else value


@export_v1("metrics.mean_iou")
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The mean over classes of hits / (labels + predictions − hits) of the class.

    Args:
      labels: integers in [0, num_classes).
      predictions: of the shape of `labels`, integers in [0, num_classes).
      num_classes: the number of classes. Those that never occur do not count.
      weights: of the shape of `labels`; None is 1.
      metrics_collections: collections that the mean is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (mean, update): a scalar of float32; [num_classes, num_classes], the confusion matrix so far.
    Raises:
      ValueError: shapes do not fit.
    """
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions.shape.assert_is_compatible_with(labels.shape)
        total, update_op = _total_confusion_matrix(labels, predictions, num_classes, weights)
        return collect(_iou(total), update_op, metrics_collections, updates_collections)


def _total_confusion_matrix(
    labels: Any, predictions: Any, num_classes: int, weights: Any
) -> tuple[Any, Any]:
    """The confusion matrix of all steps: its variable and its update."""
    shape = [num_classes, num_classes]
    total = metric_variable(shape, dtypes.float64, name="total_confusion_matrix")
    predictions = cast(predictions, dtypes.int64)
    labels = cast(labels, dtypes.int64)
    classes = cast(num_classes, dtypes.int64)
    predictions, labels = _flat(predictions), _flat(labels)
    if weights is not None:
        weights = _flat(convert_to_tensor(weights))
    current = confusion_matrix(labels, predictions, classes, weights, dtypes.float64)
    return total, assign_add(total, current)


def _iou(matrix: Any) -> Tensor:
    predicted = cast(reduce_sum(matrix, 0), dtypes.float32)
    labelled = cast(reduce_sum(matrix, 1), dtypes.float32)
    hits = cast(tensor_diag_part(matrix), dtypes.float32)
    union = predicted + labelled - hits
    num_valid = reduce_sum(cast(not_equal(union, 0), dtypes.float32))
    union = where(greater(union, 0), union, ones_like(union))
    ratios = divide(hits, union)
    is_known = greater(num_valid, 0)
    return where(is_known, reduce_sum(ratios, name="mean_iou") / num_valid, 0)


@export_v1("metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean over classes of the fraction of their examples that is predicted right.

    Args:
      labels: integers in [0, num_classes).
      predictions: of the shape of `labels`.
      num_classes: the number of classes.
      weights: of the shape of `labels`; None is 1.
      metrics_collections: collections that the mean is added to.
      updates_collections: collections that the update is added to.
      name: of the variable scope.
    Returns:
      (mean, update): a scalar of float32; [num_classes], the fraction of each class so far.
    Raises:
      ValueError: shapes do not fit.
      InvalidArgumentError: (in the run) a label is out of range.
    """
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = _flat(cast(labels, dtypes.int64))
        predictions = _flat(convert_to_tensor(predictions))
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], name="total")
        count = metric_variable([num_classes], name="count")
        examples = ones([size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        is_correct = cast(equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = cast(_flat(convert_to_tensor(weights)), dtypes.float32)
            is_correct, examples = is_correct * weights, examples * weights
        update_total = scatter_add(total, labels, examples)
        update_count = scatter_add(count, labels, is_correct)
        of_classes = divide_no_nan(count, maximum(total, 0))
        value = reduce_mean(of_classes, name="mean_accuracy")
        update_op = divide_no_nan(update_count, maximum(update_total, 0), name="update_op")
        return collect(value, update_op, metrics_collections, updates_collections)
