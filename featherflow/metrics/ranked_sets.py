"""Predicted classes, ranked, beside the set of true ones: what the metrics at k compare."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.graph.graph_api import control_dependencies, name_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import metric_variable
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.core_array_ops import concat
from featherflow.ops.dynamic_partition_ops import dynamic_stitch
from featherflow.ops.fill_ops import fill, ones
from featherflow.ops.range_ops import range_
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.set_ops import set_difference, set_intersection, set_size
from featherflow.ops.shape_ops import rank, shape, size
from featherflow.ops.sparse_forms import retain
from featherflow.ops.sparse_order_ops import sparse_reshape
from featherflow.ops.sparse_tensor_ops import convert_to_tensor_or_sparse_tensor
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.weights_broadcast_ops import assert_broadcastable


def name_at_k(name: str, k: int | None = None, class_id: int | None = None) -> str:
    """`precision_at_2_class1`, or `precision_at_k` where k is not known."""
    name = f"{name}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def expanded_labels(labels: Any, predictions: Any) -> Any:
    """Labels with a last dimension of size 1 where they lack one that predictions have.

    Raises:
      ValueError: the ranks are known to differ otherwise.
    """
    with name_scope(None, "expand_labels", (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return cond(
                equal(rank(predictions), size(labels.dense_shape) + 1),
                lambda: sparse_reshape(labels, concat((labels.dense_shape, (1,)), 0), name=scope),
                lambda: labels,
            )
        ranks = labels.shape.rank, predictions.shape.rank
        if None in ranks:
            return cond(
                equal(rank(predictions), rank(labels) + 1),
                lambda: expand_dims(labels, -1, name=scope),
                lambda: labels,
            )
        if ranks[0] == ranks[1]:
            return labels
        if ranks[1] == ranks[0] + 1:
            return expand_dims(labels, -1, name=scope)
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}."
        )


def _of_class(ids: Any, class_id: int | None) -> Any:
    """Of each set of ids the part that is `class_id`; all of it where that is None."""
    if class_id is None:
        return ids
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return retain(ids, equal(ids.values, class_id))
    ids_shape = shape(ids, out_type=dtypes.int64)
    last = reshape(size(ids_shape) - 1, [1])
    wanted = fill(_with_size_one(ids_shape, last), cast(class_id, dtypes.int64))
    found = set_intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, ids_shape)


def _with_size_one(sizes: Tensor, axes: Tensor) -> Tensor:
    """A shape in which the sizes of some axes are 1."""
    count = size(sizes)
    axes = (axes + count) % count
    axes_shape = shape(axes)
    indices = [range_(count), axes]
    return dynamic_stitch(indices, [sizes, ones(axes_shape, dtype=sizes.dtype)])


# --- counts ---------------------------------------------------------------------------------------


def true_positives(
    labels: Any, predictions: Any, class_id: int | None, weights: Any, name: str = "true_positives"
) -> Tensor:
    """The number of predictions that are labels; [D₁ … Dₙ] for [D₁ … Dₙ, k] predictions."""
    with name_scope(name, None, (predictions, labels, weights)):
        labels, predictions = _of_class(labels, class_id), _of_class(predictions, class_id)
        return _sizes(set_intersection(predictions, labels), weights)


def false_positives(labels: Any, predictions: Any, class_id: int | None, weights: Any) -> Tensor:
    """The number of predictions that are not labels."""
    with name_scope(None, "false_positives", (predictions, labels, weights)):
        labels, predictions = _of_class(labels, class_id), _of_class(predictions, class_id)
        return _sizes(set_difference(predictions, labels, aminusb=True), weights)


def false_negatives(labels: Any, predictions: Any, class_id: int | None, weights: Any) -> Tensor:
    """The number of labels that are not predicted."""
    with name_scope(None, "false_negatives", (predictions, labels, weights)):
        labels, predictions = _of_class(labels, class_id), _of_class(predictions, class_id)
        return _sizes(set_difference(predictions, labels, aminusb=False), weights)


def _sizes(found: SparseTensor, weights: Any) -> Tensor:
    count = cast(set_size(found), dtypes.float64)
    if weights is None:
        return count
    with control_dependencies((assert_broadcastable(weights, count),)):
        return multiply(count, cast(weights, dtypes.float64))


#: Name of a sum over all steps → what it adds up.
_COUNTS = {
    "true_positive": true_positives,
    "false_positive": false_positives,
    "false_negative": false_negatives,
}


def total_at_k(
    kind: str, labels: Any, predictions: Any, k: int | None, class_id: int | None, weights: Any
) -> tuple[Any, Any]:
    """A variable that holds a count over all steps, and its update."""
    operands = (predictions, labels, weights)
    with name_scope(None, name_at_k(kind, k, class_id), operands) as scope:
        count = _COUNTS[kind](labels, predictions, class_id, weights)
        total = cast(reduce_sum(count), dtypes.float64)
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, assign_add(variable, total, name="update")
