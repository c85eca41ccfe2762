"""The area under a curve of rates at thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.metrics.metric_variables import collect
from featherflow.metrics.threshold_counts import EPSILON, counts_at_thresholds, even_thresholds
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.comparison_ops import logical_and
from featherflow.ops.division_ops import divide, divide_no_nan
from featherflow.ops.exponential_ops import log
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.where_ops import where
from featherflow.platform import logging

#: Keeps the rates defined where nothing was counted.
_RATE_EPSILON = 1e-6
_METHODS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")


@export_v1("metrics.auc")
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> tuple[Tensor, Tensor]:
    """The area under the ROC curve, or that of precision over recall, by a Riemann sum.

    Args:
      labels: cast to bool; of the shape of `predictions`, give or take a last dimension of size 1.
      predictions: in [0, 1].
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; None is 1.
      num_thresholds: the number of thresholds, at even distances.
      metrics_collections: collections that the area is added to.
      updates_collections: collections that the update is added to.
      curve: "ROC" for true positives over false positives, "PR" for precision over recall.
      name: of the variable scope.
      summation_method: "trapezoidal"; "minoring" or "majoring" for the lower or upper sum;
        "careful_interpolation" for a curve of precision that is right between thresholds, Davis &
        Goadrich 2006.
      thresholds: thresholds in [0, 1], instead of even ones.
    Returns:
      (area, update), scalars of float32.
    Raises:
      ValueError: shapes do not fit, or the curve or the method is none of these.
      InvalidArgumentError: (in the run) predictions are not in [0, 1].

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     _, update = tf.metrics.auc([0, 0, 1, 1], tf.constant([0.1, 0.2, 0.8, 0.9]))
    ...     session.run(tf.local_variables_initializer())
    ...     print(round(float(session.run(update)), 4))
    1.0
    """
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if thresholds is None:
            thresholds = even_thresholds(num_thresholds, 1.0 + EPSILON)
        else:
            thresholds = [0.0 - EPSILON, *sorted(thresholds), 1.0 + EPSILON]
        variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights)
        return collect(
            _area(variables, len(thresholds), curve, summation_method, "value"),
            _area(updates, len(thresholds), curve, summation_method, "update_op"),
            metrics_collections,
            updates_collections,
        )


def _area(counts: dict[str, Any], size: int, curve: str, method: str, name: str) -> Tensor:
    if curve == "PR" and method == "trapezoidal":
        logging.warning(
            "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
            '"careful_interpolation" instead.'
        )
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_area(counts, size)
    hits = counts["true_positives"]
    recall = divide(hits + _RATE_EPSILON, hits + counts["false_negatives"] + _RATE_EPSILON)
    wrong = counts["false_positives"]
    if curve == "ROC":
        x, y = divide(wrong, wrong + counts["true_negatives"] + _RATE_EPSILON), recall
    else:
        x, y = recall, divide(hits + _RATE_EPSILON, hits + wrong + _RATE_EPSILON)
    width = x[: size - 1] - x[1:]
    return reduce_sum(multiply(width, _heights(y, size, method)), name=name)


def _heights(y: Any, size: int, method: str) -> Tensor:
    match method:
        case "trapezoidal" | "careful_interpolation":
            return (y[: size - 1] + y[1:]) / 2.0
        case "minoring":
            return minimum(y[: size - 1], y[1:])
        case "majoring":
            return maximum(y[: size - 1], y[1:])
    raise ValueError(f"Invalid summation_method: {method}. It should be one of {_METHODS}.")


def _interpolated_area(counts: dict[str, Any], size: int) -> Tensor:
    """∫ precision d recall, where true positives t change with all positives p on straight lines.

    Between two thresholds t = a + s·p, so that ∫ t/p dt = s·(Δt + a·log(p₁/p₂)) / positives.
    """
    hits = counts["true_positives"]
    gained = hits[: size - 1] - hits[1:]
    chosen: Any = hits + counts["false_positives"]
    spread = maximum(chosen[: size - 1] - chosen[1:], 0)
    slope = divide_no_nan(gained, spread, name="prec_slope")
    intercept = hits[1:] - multiply(slope, chosen[1:])
    is_known = logical_and(chosen[: size - 1] > 0, chosen[1:] > 0)
    ratio = divide_no_nan(chosen[: size - 1], maximum(chosen[1:], 0), name="recall_relative_ratio")
    ratio = where(is_known, ratio, ones_like(chosen[1:]))
    area = slope * (gained + intercept * log(ratio))
    positives = maximum(hits[1:] + counts["false_negatives"][1:], 0)
    areas = divide_no_nan(area, positives, name="pr_auc_increment")
    return reduce_sum(areas, name="interpolate_pr_auc")
