"""Average precision: how early the true classes come among the k that are predicted first."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import name_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect, metric_variable
from featherflow.metrics.ranked_sets import expanded_labels, name_at_k, true_positives
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import greater_equal
from featherflow.ops.cond import cond
from featherflow.ops.core_array_ops import concat, slice_
from featherflow.ops.cumulative_ops import cumsum
from featherflow.ops.division_ops import divide, divide_no_nan
from featherflow.ops.extremum_ops import minimum
from featherflow.ops.fill_ops import ones_like, zeros_like
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.set_ops import set_size
from featherflow.ops.shape_ops import shape, size
from featherflow.ops.sparse_concat import sparse_concat
from featherflow.ops.sparse_order_ops import sparse_reshape
from featherflow.ops.sparse_tensor_ops import convert_to_tensor_or_sparse_tensor
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.tile_ops import tile
from featherflow.ops.top_k_ops import top_k
from featherflow.ops.weights_broadcast_ops import broadcast_weights
from featherflow.ops.where_ops import where_v2


@export_v1("metrics.average_precision_at_k", "metrics.sparse_average_precision_at_k")
def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean over all examples of Σᵢ precision@i · [the i-th class is true] / min(k, labels).

    Args:
      labels: [D₁ … Dₙ, num_labels] or [D₁ … Dₙ], int64, a Tensor or SparseTensor.
      predictions: [D₁ … Dₙ, num_classes], scores.
      k: how many classes are predicted, those with the greatest scores.
      weights: a scalar, or [D₁ … Dₙ] with each dimension 1 or as there; None is 1.
      metrics_collections: collections that the mean is added to.
      updates_collections: collections that the update is added to.
      name: of the scope of the nodes.
    Returns:
      (mean, update), scalars of float64.
    Raises:
      ValueError: shapes do not fit, or k < 1.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    default_name = name_at_k("average_precision", k)
    with name_scope(name, default_name, (predictions, labels, weights)) as scope:
        _, ranked = top_k(predictions, k)
        sizes: Any = shape(predictions)
        labels = _in_range(labels, cast(sizes[-1], dtypes.int64))
        value, update_op = _mean_over_steps(_average_precision(labels, ranked, k), weights, scope)
        return collect(value, update_op, metrics_collections, updates_collections)


def _in_range(labels: Any, num_classes: Tensor) -> Any:
    """Labels of classes that do not exist become −1."""
    is_sparse = isinstance(labels, SparseTensor)

    def cleaned(values: Any) -> Tensor:
        return where_v2(greater_equal(values, num_classes), -1 * ones_like(values), values)

    def all_cleaned() -> Any:
        if not is_sparse:
            return cleaned(labels)
        return SparseTensor(labels.indices, cleaned(labels.values), labels.dense_shape)

    greatest = reduce_max(labels.values if is_sparse else labels)
    return cond(greater_equal(greatest, num_classes), all_cleaned, lambda: labels)


def _average_precision(labels: Any, ranked: Any, k: int) -> Tensor:
    """Of each example: [D₁ … Dₙ]."""
    with name_scope(None, "average_precision", (ranked, labels)) as scope:
        ranked = cast(ranked, dtypes.int64, name="predictions_idx")
        labels = expanded_labels(labels, ranked)
        one_by_one = expand_dims(ranked, -1, name="predictions_idx_per_k")
        repeated = _repeated(labels, k)
        relevant = true_positives(repeated, one_by_one, None, None, name="relevant_per_k")
        hits = cumsum(relevant, axis=-1, name="tp_per_k")
        places = cumsum(ones_like(relevant), axis=-1, name="retrieved_per_k")
        precision = divide(hits, places, name="precision_per_k")
        precision = multiply(precision, relevant, name="relevant_precision_per_k")
        total = reduce_sum(precision, axis=(-1,), name="precision_sum")
        return divide(total, cast(_num_relevant(labels, k), dtypes.float64), name=scope)


def _repeated(labels: Any, k: int) -> Any:
    """[D₁ … Dₙ, k, num_labels], the labels k times."""
    with name_scope("labels_per_k", None, (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return _repeated_sparse(labels, k, scope)
        expanded = expand_dims(labels, -2, name="expand")
        if k == 1:
            return expanded
        ones: Any = ones_like(shape(labels))
        return tile(expanded, concat((ones[:-1], (k,), ones[-1:]), 0, name="multiples"), name=scope)


def _repeated_sparse(labels: SparseTensor, k: int, scope: str) -> SparseTensor:
    before = reshape(size(labels.dense_shape) + -1, [1])
    sizes = (
        slice_(labels.dense_shape, [0], before),
        [1],
        slice_(labels.dense_shape, before, [-1]),
    )
    expanded = sparse_reshape(labels, concat(sizes, 0, name="expanded_shape"), name="expand")
    return expanded if k == 1 else sparse_concat(-2, [expanded] * k, name=scope)


def _num_relevant(labels: Any, k: int) -> Tensor:
    """The number of labels of each example, k at most."""
    with name_scope(None, "num_relevant", (labels,)) as scope:
        if isinstance(labels, SparseTensor):
            return minimum(set_size(labels), k, name=scope)
        is_label = greater_equal(labels, 0)
        counted = where_v2(is_label, ones_like(labels), zeros_like(labels))
        return minimum(reduce_sum(counted, axis=-1), k, name=scope)


def _mean_over_steps(values: Tensor, weights: Any, scope: str) -> tuple[Tensor, Tensor]:
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float64), values)
        values = multiply(values, weights)
    with name_scope(None, "max", (values,)) as variable_name:
        greatest = metric_variable([], dtypes.float64, name=variable_name)
        if weights is None:
            of_batch = cast(size(values, name="batch_max"), dtypes.float64)
        else:
            of_batch = reduce_sum(weights, name="batch_max")
        update_greatest = assign_add(greatest, of_batch, name="update")
    with name_scope(None, "total", (values,)) as variable_name:
        total = metric_variable([], dtypes.float64, name=variable_name)
        update_total = assign_add(total, reduce_sum(values, name="batch_total"), name="update")
    value = divide_no_nan(total, greatest, name="mean")
    return value, divide_no_nan(update_total, update_greatest, name=scope)
