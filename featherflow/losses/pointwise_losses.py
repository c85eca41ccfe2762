"""Losses of predictions that are compared with labels one by one."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.losses.weighted_loss import Reduction, compute_weighted_loss
from featherflow.ops.activation_ops import relu
from featherflow.ops.arithmetic_ops import add, multiply, squared_difference, subtract
from featherflow.ops.cast_ops import cast
from featherflow.ops.exponential_ops import log
from featherflow.ops.extremum_ops import minimum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.magnitude_ops import abs
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.sum_ops import reduce_sum


def check_given(**arguments: Any) -> None:
    """Raises ValueError where an argument is None."""
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def as_floats(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """Both in float32.

    Raises:
      ValueError: their shapes are known to differ.
    """
    predictions, labels = cast(predictions, dtypes.float32), cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


@export_v1("losses.absolute_difference")
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of |prediction − label|.

    Args:
      labels: what the predictions should be.
      predictions: of the shape of `labels`.
      weights: a scalar, or of the rank of `labels` with each dimension 1 or as there; 0 leaves an
        example out.
      scope: the name of the scope of the nodes.
      loss_collection: the collection that the loss is added to; None adds it to none.
      reduction: one of `tf.losses.Reduction`.
    Returns:
      A scalar of float32; of the shape of `labels` if `reduction` is NONE.
    Raises:
      ValueError: shapes do not fit, or an argument is None.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     float(session.run(tf.losses.absolute_difference([1.0, 2.0], [1.5, 3.0])))
    0.75
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", (predictions, labels, weights)) as scope:
        predictions, labels = as_floats(predictions, labels)
        losses = abs(subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of (prediction − label)²; arguments as for `absolute_difference`."""
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", (predictions, labels, weights)) as scope:
        losses = squared_difference(*as_floats(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.huber_loss")
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of ½e² where |e| ≤ δ, else δ|e| − ½δ², of e = prediction − label.

    Huber 1964. The arguments are those of `absolute_difference`, and
      delta: δ, where the loss turns from quadratic to linear.
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", (predictions, labels, weights)) as scope:
        predictions, labels = as_floats(predictions, labels)
        magnitude = abs(subtract(predictions, labels))
        quadratic = minimum(magnitude, delta)
        linear = subtract(magnitude, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype)
        losses = add(multiply(half, multiply(quadratic, quadratic)), multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.log_loss")
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of −y·log(p + ε) − (1 − y)·log(1 − p + ε).

    The arguments are those of `absolute_difference` with probabilities p as predictions, and
      epsilon: ε, which keeps log 0 away.
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", (predictions, labels, weights)) as scope:
        predictions, labels = as_floats(predictions, labels)
        of_positives = -multiply(labels, log(predictions + epsilon))
        losses = of_positives - multiply((1 - labels), log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.hinge_loss")
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of max(0, 1 − (2y − 1)·x).

    The arguments are those of `absolute_difference`, with labels y of 0 and 1, and x, the signed
    distance from the boundary, as `logits`.
    """
    check_given(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", (logits, labels, weights)) as scope:
        logits, labels = as_floats(logits, labels)
        ones = ones_like(labels)
        signs = subtract(2 * labels, ones)
        losses = relu(subtract(ones, multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.cosine_distance")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """The weighted mean of 1 − Σ prediction·label along `axis`, both of length 1 there.

    The arguments are those of `absolute_difference`, and
      axis: the dimension along which they are vectors.
      dim: an older name of `axis`.
    """
    axis = renamed_argument("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", (predictions, labels, weights)) as scope:
        products = multiply(*as_floats(predictions, labels))
        losses = 1 - reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
