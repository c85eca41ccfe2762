"""The four counts of a yes-or-no question at several thresholds of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import fitted, metric_variable
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_assertions import assert_greater_equal, assert_less_equal
from featherflow.ops.comparison_ops import greater, logical_and, logical_not
from featherflow.ops.constant_ops import constant
from featherflow.ops.pack_ops import stack
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.tile_ops import tile
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.weights_broadcast_ops import broadcast_weights

#: What is counted → whether the label and the prediction are positive.
COUNTS = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}
_MESSAGE = "predictions must be in [0, 1]"
#: What the outermost thresholds lie beyond 0 and 1 by, so that they count all and none.
EPSILON = 1e-7


def even_thresholds(num_thresholds: int, last: float) -> list[float]:
    """Thresholds at even distances, the first just below 0 and the last `last`."""
    inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [0.0 - EPSILON, *inner, last]


def counts_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    included: Sequence[str] = tuple(COUNTS),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts how often predictions are above each threshold, and whether they should be.

    Args:
      labels: cast to bool.
      predictions: of the shape of `labels`, in [0, 1].
      thresholds: n numbers in ascending order.
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; None is 1.
      included: the keys of `COUNTS` that are asked for.
    Returns:
      (variables, updates), by key of `COUNTS`, each [n].
    Raises:
      ValueError: shapes do not fit.
      InvalidArgumentError: (in the run) predictions are not in [0, 1].
    """
    predictions, labels, weights = _checked(predictions, labels, weights)
    rows = reshape(predictions, [-1, 1])
    columns = reshape(cast(labels, dtypes.bool), [1, -1])
    bounds = _repeated(thresholds, rows)
    repeats = [len(thresholds), 1]
    positive = {"prediction": greater(tile(transpose(rows), repeats), bounds)}
    signs = [COUNTS[key] for key in COUNTS if key in included]
    negative = {}
    if not all(prediction for _, prediction in signs):
        negative["prediction"] = logical_not(positive["prediction"])
    positive["label"] = tile(columns, repeats)
    if not all(label for label, _ in signs):
        negative["label"] = logical_not(positive["label"])
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        weights = tile(reshape(weights, [1, -1]), repeats)
        bounds.shape.assert_is_compatible_with(weights.shape)
    variables, updates = {}, {}
    for key, (label, prediction) in COUNTS.items():
        if key in included:
            variables[key] = metric_variable([len(thresholds)], name=key)
            of_label = (positive if label else negative)["label"]
            of_prediction = (positive if prediction else negative)["prediction"]
            hits = cast(logical_and(of_label, of_prediction), dtypes.float32)
            if weights is not None:
                hits = hits * weights
            updates[key] = assign_add(variables[key], reduce_sum(hits, 1))
    return variables, updates


def _checked(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    dtype = predictions.dtype
    bounds = [
        assert_greater_equal(predictions, cast(0.0, dtype), message=_MESSAGE),
        assert_less_equal(predictions, cast(1.0, dtype), message=_MESSAGE),
    ]
    with control_dependencies(bounds):
        predictions = cast(predictions, dtypes.float32)
        return fitted(predictions, cast(labels, dtypes.bool), weights)


def _repeated(thresholds: Sequence[float], rows: Tensor) -> Tensor:
    """[n, number of rows], each threshold along its row."""
    count = rows.shape.as_list()[0]
    if count is None:
        sizes: Any = shape(rows)
        count = sizes[0]
    column = expand_dims(constant(thresholds), [1])
    return tile(column, stack([1, count]))
