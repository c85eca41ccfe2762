"""Softmax over the last dimension, and cross entropy with its gradient.

    softmax(x)ᵢ = exp(xᵢ − m) / Σⱼ exp(xⱼ − m)        m = max x, against overflow
    cross_entropy(x, p) = Σᵢ pᵢ · (log Σⱼ exp(xⱼ − m) − (xᵢ − m))

Float16 and bfloat16 are computed in float32. Rows that hold +∞ or NaN give NaN.
"""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.precision import compute_dtype


def _shifted(logits: np.ndarray) -> np.ndarray:
    """Subtracts each row's maximum, into a new array of the dtype to compute in."""
    values = logits.astype(compute_dtype(logits.dtype), copy=False)
    return values - values.max(axis=-1, keepdims=True, initial=-np.inf)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Returns exp(x) scaled to a sum of 1 along the last dimension.

    Args:
      logits: `[…, K]`, any float dtype.

    >>> softmax(np.array([[0.0, 0.0, -np.inf]]))
    array([[0.5, 0.5, 0. ]])
    """
    _check_has_classes(logits)
    values = _shifted(logits)
    np.exp(values, out=values)
    values /= values.sum(axis=-1, keepdims=True)
    return values.astype(logits.dtype, copy=False)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Returns the logarithm of `softmax` without computing it, so that no term underflows.

    Args:
      logits: `[…, K]`, any float dtype.
    """
    _check_has_classes(logits)
    values = _shifted(logits)
    values -= np.log(np.exp(values).sum(axis=-1, keepdims=True))
    return values.astype(logits.dtype, copy=False)


def _check_has_classes(logits: np.ndarray) -> None:
    if not logits.ndim:
        raise InvalidArgumentError(
            None, None, "logits must have >= 1 dimension", received="a scalar"
        )


def softmax_cross_entropy(
    features: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns each row's cross entropy with `labels`, and its gradient.

        backprop = softmax(features) − labels

    Args:
      features: `[N, K]`, logits.
      labels: `[N, K]`, probabilities; both broadcast against each other.

    Returns:
      loss `[N]` and backprop `[N, K]`, dtype of `features`.

    Raises:
      InvalidArgumentError: shapes are not matrices that broadcast.
    """
    features, labels = _broadcast_matrices(features, labels)
    values = _shifted(features)
    labels = labels.astype(values.dtype, copy=False)
    exponents = np.exp(values)
    total = exponents.sum(axis=-1, keepdims=True)
    np.subtract(np.log(total), values, out=values)
    values *= labels
    loss = values.sum(axis=-1)
    exponents /= total
    exponents -= labels
    return loss.astype(features.dtype, copy=False), exponents.astype(features.dtype, copy=False)


def _broadcast_matrices(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    shapes = f"{list(features.shape)} and {list(labels.shape)}"
    try:
        shape = np.broadcast_shapes(features.shape, labels.shape)
    except ValueError:
        raise InvalidArgumentError(
            None, None, "logits and labels must be broadcastable", received=shapes
        ) from None
    if len(shape) != 2:
        raise InvalidArgumentError(
            None, None, "logits and labels must be 2-dimensional", received=shapes
        )
    return np.broadcast_to(features, shape), np.broadcast_to(labels, shape)


def sparse_softmax_cross_entropy(
    features: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns each row's cross entropy with the class that `labels` names, and its gradient.

        backprop = softmax(features), less 1 at the label

    Args:
      features: `[N, K]`, logits.
      labels: `[N]`, int32 or int64 in [0, K).

    Returns:
      loss `[N]` and backprop `[N, K]`, dtype of `features`.

    Raises:
      InvalidArgumentError: shapes do not fit, there is no class, or a label is out of range.
    """
    _check_sparse_labels(features, labels)
    values = _shifted(features)
    at_label = (np.arange(len(labels)), labels)
    label_values = values[at_label]
    np.exp(values, out=values)
    total = values.sum(axis=-1)
    loss = np.log(total) - label_values
    values /= total[:, np.newaxis]
    values[at_label] -= 1
    return loss.astype(features.dtype, copy=False), values.astype(features.dtype, copy=False)


def _check_sparse_labels(features: np.ndarray, labels: np.ndarray) -> None:
    def refuse(message: str, received: object) -> InvalidArgumentError:
        return InvalidArgumentError(None, None, message, received=received)

    if features.ndim != 2:
        raise refuse("logits must be 2-D", f"shape {list(features.shape)}")
    if labels.ndim != 1:
        raise refuse("labels must be 1-D", f"shape {list(labels.shape)}")
    if len(features) != len(labels):
        shapes = f"logits shape {list(features.shape)} and labels shape {list(labels.shape)}"
        raise refuse("logits and labels must have the same first dimension", shapes)
    if features.size == 0 and len(features):
        raise refuse("Must have at least one class", f"logits shape {list(features.shape)}")
    classes = features.shape[1]
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        first = int(labels[wrong.argmax()])
        raise refuse(
            f"Received a label value of {first} which is outside the valid range of [0, {classes})",
            f"labels {labels[:20].tolist()}",
        )
