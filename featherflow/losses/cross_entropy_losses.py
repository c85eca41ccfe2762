"""Cross entropies of classes as weighted losses."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.losses.pointwise_losses import check_given
from featherflow.losses.weighted_loss import Reduction, compute_weighted_loss
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.confusion_matrix_ops import remove_squeezable_dimensions
from featherflow.ops.cross_entropy_ops import (
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from featherflow.ops.identity_ops import stop_gradient
from featherflow.ops.pointwise_loss_ops import sigmoid_cross_entropy_with_logits
from featherflow.ops.reshape_ops import squeeze
from featherflow.ops.shape_ops import rank, shape


@export_v1("losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of −y·log σ(x) − (1 − y)·log(1 − σ(x)), where each class is independent.

    Args:
      multi_class_labels: y, [batch_size, num_classes], in [0, 1].
      logits: x, [batch_size, num_classes], unnormalised logarithms of probabilities.
      weights: a scalar, or of the rank of the labels with each dimension 1 or as there.
      label_smoothing: s: y moves towards ½, to y·(1 − s) + s/2.
      scope: the name of the scope of the nodes.
      loss_collection: the collection that the loss is added to; None adds it to none.
      reduction: one of `tf.losses.Reduction`.
    Returns:
      A scalar of the dtype of `logits`; of their shape if `reduction` is NONE.
    Raises:
      ValueError: shapes do not fit, or an argument is None.
    """
    check_given(multi_class_labels=multi_class_labels, logits=logits)
    operands = (logits, multi_class_labels, weights)
    with name_scope(scope, "sigmoid_cross_entropy_loss", operands) as scope:
        logits = convert_to_tensor(logits)
        labels = cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of −Σ y·log softmax(x), where classes exclude each other.

    Args:
      onehot_labels: y, [batch_size, num_classes]; no gradient flows to them.
      logits: x, [batch_size, num_classes], unnormalised logarithms of probabilities.
      weights: a scalar, or [batch_size].
      label_smoothing: s: y moves towards even odds, to y·(1 − s) + s/num_classes.
      scope: the name of the scope of the nodes.
      loss_collection: the collection that the loss is added to; None adds it to none.
      reduction: one of `tf.losses.Reduction`.
    Returns:
      A scalar of the dtype of `logits`; [batch_size] if `reduction` is NONE.
    Raises:
      ValueError: shapes do not fit, or an argument is None.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     loss = tf.losses.softmax_cross_entropy([[0.0, 1.0]], [[0.0, 0.0]])
    ...     print(round(float(session.run(loss)), 4))
    0.6931
    """
    check_given(onehot_labels=onehot_labels, logits=logits)
    operands = (logits, onehot_labels, weights)
    with name_scope(scope, "softmax_cross_entropy_loss", operands) as scope:
        logits = convert_to_tensor(logits)
        labels = cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            sizes: Any = shape(labels)
            num_classes = cast(sizes[-1], logits.dtype)
            positives, negatives = 1 - label_smoothing, label_smoothing / num_classes
            labels = labels * positives + negatives
        labels = stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export_v1("losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The weighted mean of −log softmax(x)[label].

    Args:
      labels: [batch_size] or [batch_size, 1], integers in [0, num_classes).
      logits: x, [batch_size, num_classes], unnormalised logarithms of probabilities.
      weights: a scalar, [batch_size], or [batch_size, 1].
      scope: the name of the scope of the nodes.
      loss_collection: the collection that the loss is added to; None adds it to none.
      reduction: one of `tf.losses.Reduction`.
    Returns:
      A scalar of the dtype of `logits`; of the shape of `labels` if `reduction` is NONE.
    Raises:
      ValueError: shapes do not fit, or an argument is None.
      InvalidArgumentError: (in the run) a label is out of range.
    """
    check_given(labels=labels, logits=logits)
    operands = (logits, labels, weights)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", operands) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        weights = _squeezed_weights(labels, convert_to_tensor(weights))
        losses = sparse_softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _squeezed_weights(labels: Tensor, weights: Tensor) -> Tensor:
    """Weights without a last dimension of size 1 that labels lack."""
    dims = weights.shape.dims
    if dims is not None and labels.shape.rank is not None:
        return squeeze(weights, [-1]) if len(dims) - labels.shape.rank == 1 else weights
    difference = rank(weights) - rank(labels)
    if dims is None or (dims and dims[-1].is_compatible_with(1)):
        return cond(equal(1, difference), lambda: squeeze(weights, [-1]), lambda: weights)
    return weights
