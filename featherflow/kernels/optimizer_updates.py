"""The arithmetic of optimisers: each function changes its arrays in place."""

from __future__ import annotations

import numpy as np


def gradient_descent(var: np.ndarray, alpha: np.ndarray, delta: np.ndarray) -> None:
    """var ← var − α · δ"""
    var -= alpha * delta


def momentum(
    var: np.ndarray,
    accum: np.ndarray,
    lr: np.ndarray,
    grad: np.ndarray,
    momentum: np.ndarray,
    *,
    use_nesterov: bool,
) -> None:
    """a ← μ · a + g;  var ← var − η · a, or with Nesterov's momentum var − η · (g + μ · a)."""
    accum *= momentum
    accum += grad
    if use_nesterov:
        var -= grad * lr + accum * momentum * lr
    else:
        var -= accum * lr


def adam(
    var: np.ndarray,
    m: np.ndarray,
    v: np.ndarray,
    beta1_power: np.ndarray,
    beta2_power: np.ndarray,
    lr: np.ndarray,
    beta1: np.ndarray,
    beta2: np.ndarray,
    epsilon: np.ndarray,
    grad: np.ndarray,
    *,
    use_nesterov: bool,
) -> None:
    """m ← m + (1 − β₁)(g − m);  v ← v + (1 − β₂)(g² − v);  var ← var − α · m / (√v + ε)

    with α = η · √(1 − β₂ᵗ) / (1 − β₁ᵗ); Nesterov's form takes β₁ · m + (1 − β₁) · g for m.
    Kingma & Ba 2015, algorithm 1, in the order of the last paragraph of section 2.
    """
    one = var.dtype.type(1)
    alpha = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    m += (grad - m) * (one - beta1)
    v += (grad * grad - v) * (one - beta2)
    direction = grad * (one - beta1) + beta1 * m if use_nesterov else m
    var -= (direction * alpha) / (np.sqrt(v) + epsilon)


def sparse_momentum(
    var: np.ndarray,
    accum: np.ndarray,
    lr: np.ndarray,
    grad: np.ndarray,
    indices: np.ndarray,
    momentum: np.ndarray,
    *,
    use_nesterov: bool,
) -> None:
    """`momentum` for the rows `indices`, one after the other; the other rows stay as they are."""
    if len(np.unique(indices)) == len(indices):
        accum[indices] = accum[indices] * momentum + grad
        step = accum[indices]
        if use_nesterov:
            var[indices] -= grad * lr + step * momentum * lr
        else:
            var[indices] -= step * lr
        return
    for row, row_grad in zip(indices.tolist(), grad):
        accum[row] = accum[row] * momentum + row_grad
        if use_nesterov:
            var[row] -= row_grad * lr + accum[row] * momentum * lr
        else:
            var[row] -= accum[row] * lr
