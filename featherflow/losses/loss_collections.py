"""The losses of a graph: collected as they are made, and added up."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import GraphKeys, add_to_collection, get_collection
from featherflow.graph.tensor import Tensor
from featherflow.ops.add_n_ops import add_n
from featherflow.ops.constant_ops import constant


@export_v1("losses.add_loss")
def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Adds a loss of one's own to those of the graph.

    Args:
      loss: a tensor.
      loss_collection: a collection; None or "" adds it to none.
    """
    if loss_collection:
        add_to_collection(loss_collection, loss)


@export_v1("losses.get_losses")
def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection; with `scope`, those whose names match it as a regex."""
    return get_collection(loss_collection, scope)


@export_v1("losses.get_regularization_losses")
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses that regularizers of variables gave; with `scope`, those that match it."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export_v1("losses.get_regularization_loss")
def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Σ of the losses that regularizers gave; 0 where there are none.

    Args:
      scope: a regex that their names match; None takes all.
      name: of the node.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


@export_v1("losses.get_total_loss")
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Σ of the losses of the graph.

    Args:
      add_regularization_losses: whether those of regularizers count.
      name: of the node.
      scope: a regex that their names match; None takes all.
    Raises:
      ValueError: there are none.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])
    ...     tf.losses.add_loss(tf.constant(0.5))
    ...     float(session.run(tf.losses.get_total_loss()))
    2.5
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return add_n(losses, name=name)
