"""Regularisers: losses of weights."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.add_n_ops import add_n
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.constant_ops import constant
from featherflow.ops.l2_loss_ops import l2_loss
from featherflow.ops.magnitude_ops import abs as absolute
from featherflow.ops.reduction_ops import reduce_sum

Regularizer = Callable[[Any], Tensor | None]


def _checked_scale(scale: Any) -> Any:
    """A scale that is a tensor, or a number that is not negative.

    Raises:
      ValueError: it is an integer, or negative.
    """
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
    return scale


def _none(_: Any) -> None:
    """A regularizer that adds nothing."""


@export_v1("contrib.layers.l1_regularizer", "contrib.slim.l1_regularizer")
def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """scale · Σ |w|

    Args:
      scale: a number or scalar tensor; 0.0 turns the regularizer off.
      scope: a name scope.
    Raises:
      ValueError: the scale is negative, or an integer.
    """
    if _checked_scale(scale) == 0.0:
        return _none

    def l1(weights: Any, name: str | None = None) -> Tensor:
        with name_scope(scope, "l1_regularizer", [weights]) as opened:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, reduce_sum(absolute(weights)), name=name or opened)

    return l1


@export_v1("contrib.layers.l2_regularizer", "contrib.slim.l2_regularizer")
def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """scale · ½ Σ w²; the arguments are those of `l1_regularizer`."""
    if _checked_scale(scale) == 0.0:
        return _none

    def l2(weights: Any, name: str | None = None) -> Tensor:
        with name_scope(scope, "l2_regularizer", [weights]) as opened:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, l2_loss(weights), name=name or opened)

    return l2


@export_v1("contrib.layers.l1_l2_regularizer", "contrib.slim.l1_l2_regularizer")
def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer:
    """scale_l1 · Σ |w| + scale_l2 · ½ Σ w²; the arguments are those of `l1_regularizer`."""
    scope = scope or "l1_l2_regularizer"
    if _checked_scale(scale_l1) == 0.0:
        return l2_regularizer(scale_l2, scope)
    if _checked_scale(scale_l2) == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


@export_v1("contrib.layers.sum_regularizer", "contrib.slim.sum_regularizer")
def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer:
    """The sum of regularizers; Nones among them count nothing."""
    parts = [part for part in regularizer_list if part is not None]
    if not parts:
        return _none

    def total(weights: Any) -> Tensor | None:
        with name_scope(scope, "sum_regularizer", [weights]) as opened:
            losses = [loss for loss in (part(weights) for part in parts) if loss is not None]
            return add_n(losses, name=opened) if losses else None

    return total


@export_v1("contrib.layers.apply_regularization", "contrib.slim.apply_regularization")
def apply_regularization(
    regularizer: Regularizer, weights_list: Sequence[Any] | None = None
) -> Tensor:
    """The sum of a regularizer's losses, which is also added to REGULARIZATION_LOSSES.

    Args:
      regularizer: makes a scalar of one of the weights, or None.
      weights_list: variables or tensors; None takes the collection WEIGHTS.
    Returns:
      A scalar, 0 where there is nothing to add.
    Raises:
      ValueError: a loss is not a scalar, or there are no weights.
    """
    graph = get_default_graph()
    weights = graph.get_collection(GraphKeys.WEIGHTS) if weights_list is None else weights_list
    if not weights:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=list(weights)) as scope:
        losses = [constant(0.0) if (loss := regularizer(w)) is None else loss for w in weights]
        for item, loss in zip(weights, losses):
            if loss.shape.rank != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.shape.rank} for {item.name}."
                )
        total = add_n(losses, name=scope)
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
