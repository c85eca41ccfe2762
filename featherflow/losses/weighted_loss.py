"""Losses of examples, weighed and reduced to one number."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import GraphKeys, control_dependencies, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.losses.loss_collections import add_loss
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.fill_ops import ones_like, zeros_like
from featherflow.ops.range_ops import range_
from featherflow.ops.shape_ops import rank, size
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.weights_broadcast_ops import assert_broadcastable, broadcast_weights
from featherflow.ops.where_ops import where


@export_v1("losses.Reduction")
class Reduction:
    """How the losses of examples become one.

    NONE keeps one for each example, SUM adds them up, MEAN divides that by the sum of the weights,
    SUM_OVER_BATCH_SIZE by the number of losses, SUM_BY_NONZERO_WEIGHTS by the number of those
    whose weights are not 0.
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    #: An old name.
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every way there is."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raises ValueError unless `key` is one of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


@export_v1("losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Σ wᵢ·lᵢ / (number of wᵢ ≠ 0), or as `reduction` says.

    Args:
      losses: [batch_size, D₁ … Dₙ], computed with in float32.
      weights: a scalar, or of the rank of `losses` with each dimension 1 or as there.
      scope: the name of the scope of the nodes.
      loss_collection: the collection that the loss is added to; None adds it to none.
      reduction: one of `tf.losses.Reduction`.
    Returns:
      A scalar of the dtype of `losses`; of their shape if `reduction` is NONE.
    Raises:
      ValueError: the weights do not fit, or `reduction` is none.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.losses.compute_weighted_loss([1.0, 2.0, 3.0], weights=[0.0, 1.0, 1.0])
    ...     float(session.run(loss))
    2.5
    """
    Reduction.validate(reduction)
    with (
        name_scope(scope, "weighted_loss", (losses, weights)),
        control_dependencies((assert_broadcastable(weights, losses),)),
    ):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype.base_dtype
        losses, weights = cast(losses, dtypes.float32), cast(weights, dtypes.float32)
        loss = cast(_reduced(losses, weights, reduction), dtype)
        add_loss(loss, loss_collection)
        return loss


def _reduced(losses: Tensor, weights: Tensor, reduction: str) -> Tensor:
    weighed = multiply(losses, weights)
    if reduction == Reduction.NONE:
        return weighed
    total = reduce_sum(weighed)
    match reduction:
        case Reduction.MEAN:
            return _mean(total, reduce_sum(ones_like(losses) * weights))
        case Reduction.SUM_BY_NONZERO_WEIGHTS:
            return _mean(total, num_present(losses, weights))
        case Reduction.SUM_OVER_BATCH_SIZE:
            return _mean(total, _num_elements(losses))
    return total


def _mean(losses: Tensor, count: Tensor) -> Tensor:
    """Σ losses / count; 0 where the count is."""
    return divide_no_nan(reduce_sum(losses), count, name="value")


def num_present(losses: Tensor, weights: Any, per_batch: bool = False) -> Tensor:
    """The number of losses whose weights are not 0.

    Args:
      losses: [batch_size, D₁ … Dₙ].
      weights: as `compute_weighted_loss` takes them.
      per_batch: whether to count for each example.
    Returns:
      A scalar of float32, or [batch_size, 1 … 1].
    """
    with name_scope(None, "num_present", (losses, weights)) as scope:
        weights = cast(weights, dtypes.float32)
        present = where(equal(weights, 0.0), zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = range_(1, rank(present))
            return reduce_sum(present, axis=axes, keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def _num_elements(losses: Tensor) -> Tensor:
    with name_scope(None, "num_elements", (losses,)) as scope:
        return cast(size(losses, name=scope), dtypes.float32)
