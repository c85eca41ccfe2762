"""What all metrics share: local variables that hold sums, operands made to fit, collections."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import GraphKeys, add_to_collections
from featherflow.graph.tensor import Tensor
from featherflow.ops import variables
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.confusion_matrix_ops import remove_squeezable_dimensions
from featherflow.ops.fill_ops import zeros
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.shape_ops import rank
from featherflow.ops.variable_scope import get_variable_scope

_COLLECTIONS = (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES)


def metric_variable(
    shape: Any, dtype: DType = dtypes.float32, validate_shape: bool = True, name: str | None = None
) -> Any:
    """A variable of zeros that is local to the process, and that `tf.metrics` sums up in."""
    scope: Any = get_variable_scope()
    return variables.create(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=list(_COLLECTIONS),
        validate_shape=validate_shape,
        name=name,
        use_resource=scope.use_resource,
    )


def collect(
    value: Any, update_op: Any, metrics_collections: Any, updates_collections: Any
) -> tuple[Any, Any]:
    """`(value, update_op)`, after adding each to its collections."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update_op)
    return value, update_op


def fitted(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The three, without or with a last dimension of size 1 where one of them differs by that.

    Args:
      predictions: a tensor.
      labels: of the shape of the predictions, give or take that dimension.
      weights: a scalar, or as `labels`; None stays None.
    Raises:
      ValueError: labels and predictions are known not to fit.
    """
    predictions = convert_to_tensor(predictions)
    labels, predictions = remove_squeezable_dimensions(labels, predictions)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels, fitted_weights(predictions, weights)


def fitted_weights(values: Tensor, weights: Any) -> Any:
    """Weights whose rank is that of `values`, or 0; None stays None."""
    if weights is None:
        return None
    weights = convert_to_tensor(weights)
    ranks = weights.shape.rank, values.shape.rank
    if ranks[0] == 0:
        return weights
    if None in ranks:
        return _fitted_in_the_run(values, weights)
    surplus = weights.shape.rank - values.shape.rank
    if surplus == 1:
        return squeeze(weights, [-1])
    return expand_dims(weights, [-1]) if surplus == -1 else weights


def _fitted_in_the_run(values: Tensor, weights: Tensor) -> Any:
    weights_rank = rank(weights)
    surplus = weights_rank - rank(values)
    dims = weights.shape.dims
    may_squeeze = dims is None or dims[-1].is_compatible_with(1)

    def squeezed() -> Tensor:
        return squeeze(weights, [-1]) if may_squeeze else weights

    def expanded() -> Any:
        return cond(equal(surplus, -1), lambda: expand_dims(weights, [-1]), lambda: weights)

    def adjusted() -> Any:
        return cond(equal(surplus, 1), squeezed, expanded)

    return cond(equal(weights_rank, 0), lambda: weights, adjusted)
