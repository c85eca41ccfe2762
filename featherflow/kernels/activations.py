"""Activations and their gradients, elementwise; each returns a new array.

Gradients come as TensorFlow's ops take them: of the features, or of the outputs where those tell
the derivative.
"""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

# Klambauer et al. 2017: the fixed point of mean 0 and variance 1.
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _check_same_shape(gradients: np.ndarray, values: np.ndarray) -> None:
    if gradients.shape != values.shape:
        raise InvalidArgumentError(
            None,
            None,
            "Gradients and features must have the same shape",
            received=f"{list(gradients.shape)} and {list(values.shape)}",
        )


def relu(features: np.ndarray) -> np.ndarray:
    """max(x, 0); NaN stays."""
    return np.maximum(features, features.dtype.type(0), out=...)


def relu_grad(gradients: np.ndarray, features: np.ndarray) -> np.ndarray:
    """g where x > 0, else 0."""
    _check_same_shape(gradients, features)
    return np.where(features > 0, gradients, gradients.dtype.type(0))


def relu6(features: np.ndarray) -> np.ndarray:
    """min(max(x, 0), 6); NaN stays."""
    number = features.dtype.type
    return np.minimum(np.maximum(features, number(0)), number(6), out=...)


def relu6_grad(gradients: np.ndarray, features: np.ndarray) -> np.ndarray:
    """g where 0 < x < 6, else 0."""
    _check_same_shape(gradients, features)
    return gradients * ((features > 0) & (features < 6))


def leaky_relu(features: np.ndarray, *, alpha: float) -> np.ndarray:
    """x where x > 0, else α·x; like all float attributes α is a float32."""
    return np.where(features > 0, features, features * features.dtype.type(np.float32(alpha)))


def leaky_relu_grad(gradients: np.ndarray, features: np.ndarray, *, alpha: float) -> np.ndarray:
    """g where x > 0, else α·g."""
    _check_same_shape(gradients, features)
    return np.where(features > 0, gradients, gradients * gradients.dtype.type(np.float32(alpha)))


def elu(features: np.ndarray) -> np.ndarray:
    """x where x ≥ 0, else eˣ − 1."""
    # The exponential of what is above 0 is not used: it must not overflow.
    return np.where(features < 0, np.expm1(np.minimum(features, 0)), features)


def elu_grad(gradients: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """g · (y + 1) where y < 0, else g."""
    _check_same_shape(gradients, outputs)
    return np.where(outputs < 0, gradients * (outputs + 1), gradients)


def selu(features: np.ndarray) -> np.ndarray:
    """λ·x where x ≥ 0, else λ·α·(eˣ − 1)."""
    number = features.dtype.type
    negative = np.expm1(np.minimum(features, 0)) * number(_SELU_SCALE_ALPHA)
    return np.where(features < 0, negative, features * number(_SELU_SCALE))


def selu_grad(gradients: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """g · (y + λ·α) where y < 0, else λ·g."""
    _check_same_shape(gradients, outputs)
    number = gradients.dtype.type
    negative = gradients * (outputs + number(_SELU_SCALE_ALPHA))
    return np.where(outputs < 0, negative, gradients * number(_SELU_SCALE))


def softplus(features: np.ndarray) -> np.ndarray:
    """log(eˣ + 1), as max(x, 0) + log1p(e^−|x|)."""
    tail = np.log1p(np.exp(-np.abs(features)))
    return np.add(np.maximum(features, 0), tail, out=...)


def softplus_grad(gradients: np.ndarray, features: np.ndarray) -> np.ndarray:
    """g / (e^−x + 1)"""
    _check_same_shape(gradients, features)
    return np.divide(gradients, np.exp(-features) + 1, out=...)


def softsign(features: np.ndarray) -> np.ndarray:
    """x / (|x| + 1)"""
    return np.divide(features, np.abs(features) + 1, out=...)


def softsign_grad(gradients: np.ndarray, features: np.ndarray) -> np.ndarray:
    """g / (|x| + 1)²"""
    _check_same_shape(gradients, features)
    return np.divide(gradients, np.square(np.abs(features) + 1), out=...)
