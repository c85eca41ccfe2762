"""The loss of differences between the predictions of one example."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import GraphKeys, control_dependencies, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.losses.loss_collections import add_loss
from featherflow.losses.pointwise_losses import as_floats, check_given
from featherflow.losses.weighted_loss import num_present
from featherflow.ops.arithmetic_ops import multiply, square, subtract
from featherflow.ops.cast_ops import cast
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.range_ops import range_
from featherflow.ops.shape_ops import rank
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.weights_broadcast_ops import assert_broadcastable
from featherflow.ops.where_ops import where


@export_v1("losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Tensor:
    """Σ over examples of the mean over pairs i ≠ j of (eᵢ − eⱼ)², where e = prediction − label.

    With n elements to an example it is 2·Σe²/(n − 1) − 2·(Σe)²/(n·(n − 1)): what moves all of
    them alike costs nothing.

    Args:
      labels: [batch_size, D₁ … Dₙ].
      predictions: of the shape of `labels`.
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there.
      scope: the name of the scope of the nodes.
      loss_collection: the collection that the loss is added to; None adds it to none.
    Returns:
      A scalar of float32.
    Raises:
      ValueError: shapes do not fit, or an argument is None.
    """
    check_given(labels=labels, predictions=predictions)
    scope_name = "mean_pairwise_squared_error"
    with name_scope(scope, scope_name, (predictions, labels, weights)) as scope:
        weights = cast(weights, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        with control_dependencies((assert_broadcastable(weights, labels),)):
            errors = subtract(*as_floats(predictions, labels))
            of_examples, count = _of_pairs(errors, weights)
            total = reduce_sum(multiply(of_examples, weights))
            loss = where(reduce_sum(count) > 0, total, zeros_like(total), name="value")
            add_loss(loss, loss_collection)
            return loss


def _of_pairs(errors: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """The mean over pairs for each example, and the number of elements of each that count."""
    axes = range_(1, rank(errors))
    squares = reduce_sum(square(errors), axis=axes, keepdims=True)
    count = num_present(errors, weights, per_batch=True)
    of_squares = 2.0 * divide_no_nan(squares, maximum(count - 1, 0), name="value")
    squared_sums = square(reduce_sum(errors, axis=axes, keepdims=True))
    pairs = maximum(multiply(count, count - 1), 0)
    of_sums = 2.0 * divide_no_nan(squared_sums, pairs, name="value")
    return of_squares - of_sums, count
