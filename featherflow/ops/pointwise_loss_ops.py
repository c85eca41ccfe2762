"""Losses of each element by itself: logistic cross entropies, and that of Poisson rates."""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.activation_ops import relu
from featherflow.ops.arithmetic_ops import add
from featherflow.ops.comparison_ops import logical_and
from featherflow.ops.constant_ops import constant
from featherflow.ops.exponential_ops import exp, log, log1p
from featherflow.ops.fill_ops import ones_like, zeros_like
from featherflow.ops.magnitude_ops import abs
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.where_ops import where


def _tensors_of_one_shape(names: tuple[str, str], first: Any, second: Any) -> tuple[Any, Any]:
    """Both as tensors.

    Raises:
      ValueError: their static shapes differ.
    """
    first = convert_to_tensor(first, name=names[0])
    second = convert_to_tensor(second, name=names[1])
    if not first.shape.is_compatible_with(second.shape):
        raise ValueError(
            f"{names[0]} and {names[1]} must have the same shape, received {first.shape} and "
            f"{second.shape}."
        )
    return first, second


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """−p · log σ(x) − (1 − p) · log(1 − σ(x)), elementwise, where each class is independent.

    Computed as max(x, 0) − x·p + log(1 + e^−|x|), which does not overflow.

    Args:
      labels: p, probabilities; of the shape and dtype of `logits`.
      logits: x, unnormalised logarithms of probabilities.
      name: of the node.
    Returns:
      A tensor like `logits`.
    Raises:
      ValueError: the shapes are known to differ.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[1e4, 1e4])
    ...     sess.run(loss).tolist()
    [0.0, 10000.0]
    """
    if labels is None or logits is None:
        raise ValueError(
            "Both labels and logits must be provided for sigmoid_cross_entropy_with_logits, "
            f"received labels={labels!r} and logits={logits!r}."
        )
    with op_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits, labels = _tensors_of_one_shape(("logits", "labels"), logits, labels)
        zeros = zeros_like(logits, dtype=logits.dtype.base_dtype)
        is_positive = logits >= zeros
        # max(x, 0) and −|x| by choice, so that their derivatives at 0 add up to σ(0).
        positive_part = where(is_positive, logits, zeros)
        minus_magnitude = where(is_positive, -logits, logits)
        return add(positive_part - logits * labels, log1p(exp(minus_magnitude)), name=scope)


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """−w · p · log σ(x) − (1 − p) · log(1 − σ(x)), elementwise.

    A weight above 1 makes false negatives rarer, one below 1 false positives.

    Args:
      labels: p, probabilities; of the shape and dtype of `logits`.
      logits: x, unnormalised logarithms of probabilities.
      pos_weight: w, a number or tensor.
      name: of the node.
    Returns:
      A tensor like `logits`.
    Raises:
      ValueError: the shapes are known to differ.
    """
    with op_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits, labels = _tensors_of_one_shape(("logits", "labels"), logits, labels)
        weight = 1 + (pos_weight - 1) * labels
        negatives = (1 - labels) * logits
        softplus = log1p(exp(-abs(logits))) + relu(-logits)
        return add(negatives, weight * softplus, name=scope)


@export_v1("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """`weighted_cross_entropy_with_logits_v2`, which also takes `labels` as `targets`."""
    labels = renamed_argument("labels", labels, "targets", targets)
    return weighted_cross_entropy_with_logits_v2(labels, logits, pos_weight, name)


@export("nn.log_poisson_loss")
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """eᶜ − c·z, elementwise: the negative log-likelihood of z under a Poisson rate eᶜ.

    Args:
      targets: z, the numbers counted.
      log_input: c, of the shape and dtype of `targets`.
      compute_full_loss: whether to add log z! as Stirling gives it, z·log z − z + ½·log(2πz), or
        0 where 0 ≤ z ≤ 1.
      name: of the scope.
    Returns:
      A tensor like `log_input`.
    Raises:
      ValueError: the shapes are known to differ.
    """
    with op_scope(name, "log_poisson_loss", [log_input, targets]):
        rates, targets = _tensors_of_one_shape(("log_input", "targets"), log_input, targets)
        loss = exp(rates) - rates * targets
        if not compute_full_loss:
            return loss
        half = constant(0.5, targets.dtype.base_dtype)
        two_pi = constant(2 * math.pi, targets.dtype.base_dtype)
        stirling = (targets * log(targets)) - targets + (half * log(two_pi * targets))
        zeros, ones = zeros_like(targets), ones_like(targets)
        is_small = logical_and(targets >= zeros, targets <= ones)
        return loss + where(is_small, zeros, stirling)
