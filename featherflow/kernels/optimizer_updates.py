"""The arithmetic of optimisers that keep momentum or moments: arrays are changed in place.

The arguments of an update are the variable, its slots, then the other inputs of the op in its
order; what comes after `*` is an attribute.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def gradient_descent(var: Array, alpha: Array, delta: Array) -> None:
    """var ← var − α · δ"""
    var -= alpha * delta


def proximal_gradient_descent(var: Array, alpha: Array, l1: Array, l2: Array, delta: Array) -> None:
    """var ← shrink(var − α · δ) for steps of size α. Duchi & Singer 2009 (FOBOS)."""
    var[...] = shrunk(var - alpha * delta, alpha, l1, l2)


def shrunk(point: Array, rate: Array, l1: Array, l2: Array) -> Array:
    """sign(point) max(|point| − η l₁, 0) / (1 + η l₂)

    That is the x which makes ½ (x − point)² + η (l₁ |x| + ½ l₂ x²) least.
    """
    one = point.dtype.type(1)
    if l1 > 0:
        point = np.sign(point) * np.maximum(np.abs(point) - rate * l1, point.dtype.type(0))
    return point / (one + l2 * rate)


def momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array, *, use_nesterov: bool
) -> None:
    """a ← μ · a + g;  var ← var − η · a, or with Nesterov's momentum var − η · (g + μ · a)."""
    accum *= momentum
    accum += grad
    if use_nesterov:
        var -= grad * lr + accum * momentum * lr
    else:
        var -= accum * lr


def keras_momentum(
    var: Array, accum: Array, lr: Array, grad: Array, momentum: Array, *, use_nesterov: bool
) -> None:
    """a ← μ · a − η · g;  var ← var + a, or with Nesterov's momentum var + μ · a − η · g."""
    accum *= momentum
    accum -= grad * lr
    if use_nesterov:
        var += accum * momentum - grad * lr
    else:
        var += accum


def adam(
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
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


def adam_with_amsgrad(
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
) -> None:
    """Adam with v̂ ← max(v̂, v) in place of v under the root. Reddi et al. 2018."""
    one = var.dtype.type(1)
    alpha = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    m += (grad - m) * (one - beta1)
    v += (grad * grad - v) * (one - beta2)
    np.maximum(vhat, v, out=vhat)
    var -= (m * alpha) / (np.sqrt(vhat) + epsilon)


def ada_max(
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
) -> None:
    """m ← m + (1 − β₁)(g − m);  v ← max(β₂ v, |g|);  var ← var − η / (1 − β₁ᵗ) · m / (v + ε)

    Kingma & Ba 2015, algorithm 2.
    """
    one = var.dtype.type(1)
    m += (grad - m) * (one - beta1)
    np.maximum(beta2 * v, np.abs(grad), out=v)
    var -= lr / (one - beta1_power) * (m / (v + epsilon))


def add_sign(
    var: Array,
    m: Array,
    lr: Array,
    alpha: Array,
    sign_decay: Array,
    beta: Array,
    grad: Array,
) -> None:
    """m ← β m + (1 − β) g;  var ← var − η (α + d · sign(g) sign(m)) g.  Bello et al. 2017."""
    _follow(m, beta, grad)
    var -= lr * (alpha + sign_decay * np.sign(grad) * np.sign(m)) * grad


def power_sign(
    var: Array,
    m: Array,
    lr: Array,
    logbase: Array,
    sign_decay: Array,
    beta: Array,
    grad: Array,
) -> None:
    """m ← β m + (1 − β) g;  var ← var − η exp(b d · sign(g) sign(m)) g.  Bello et al. 2017."""
    _follow(m, beta, grad)
    var -= lr * np.exp(logbase * sign_decay * np.sign(grad) * np.sign(m)) * grad


def _follow(m: Array, beta: Array, grad: Array) -> None:
    m *= beta
    m += grad * (m.dtype.type(1) - beta)
