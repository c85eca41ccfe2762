"""The arithmetic of optimisers with a rate of each element's own: arrays are changed in place."""

from __future__ import annotations

import numpy as np

from featherflow.kernels.optimizer_updates import shrunk

Array = np.ndarray

# --- Adagrad: Duchi, Hazan & Singer 2011 ----------------------------------------------------------


def adagrad(var: Array, accum: Array, lr: Array, grad: Array, *, update_slots: bool) -> None:
    """a ← a + g²;  var ← var − η g / √a"""
    if update_slots:
        accum += grad * grad
    var -= grad * lr / np.sqrt(accum)


def adagrad_v2(
    var: Array, accum: Array, lr: Array, epsilon: Array, grad: Array, *, update_slots: bool
) -> None:
    """a ← a + g²;  var ← var − η g / (√a + ε)"""
    if update_slots:
        accum += grad * grad
    var -= grad * lr / (np.sqrt(accum) + epsilon)


def proximal_adagrad(
    var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array
) -> None:
    """a ← a + g²;  var ← shrink(var − ηₐ g) for steps of size ηₐ = η / √a"""
    accum += grad * grad
    rate = lr / np.sqrt(accum)
    var[...] = shrunk(var - grad * rate, rate, l1, l2)


def adagrad_da(
    var: Array,
    gradient_accumulator: Array,
    gradient_squared_accumulator: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    global_step: Array,
) -> None:
    """s ← s + g;  a ← a + g²;  var ← −η sign(s) max(|s| − t l₁, 0) / (t η l₂ + √a)"""
    gradient_accumulator += grad
    gradient_squared_accumulator += grad * grad
    step = var.dtype.type(global_step)
    total = gradient_accumulator
    if l1 > 0:
        total = np.sign(total) * np.maximum(np.abs(total) - l1 * step, var.dtype.type(0))
    var[...] = _averaged(total, gradient_squared_accumulator, lr, l2, step)


def adagrad_da_rows(
    var: Array,
    gradient_accumulator: Array,
    gradient_squared_accumulator: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    global_step: Array,
) -> None:
    """`adagrad_da`, which at t ≤ 0 differs: |s| / t − l₁ is cut off, then multiplied by t."""
    gradient_accumulator += grad
    gradient_squared_accumulator += grad * grad
    step = var.dtype.type(global_step)
    total = gradient_accumulator
    if l1 > 0:
        total = np.sign(total) * step * np.maximum(np.abs(total) / step - l1, var.dtype.type(0))
    var[...] = _averaged(total, gradient_squared_accumulator, lr, l2, step)


def _averaged(total: Array, squares: Array, lr: Array, l2: Array, step: np.generic) -> Array:
    return -lr * total / (l2 * step * lr + np.sqrt(squares))


# --- decaying averages ----------------------------------------------------------------------------


def adadelta(
    var: Array,
    accum: Array,
    accum_update: Array,
    lr: Array,
    rho: Array,
    epsilon: Array,
    grad: Array,
) -> None:
    """a ← ρ a + (1 − ρ) g²;  u = √(b + ε) / √(a + ε) · g;  var ← var − η u;  b ← ρ b + (1 − ρ) u²

    Zeiler 2012, algorithm 1.
    """
    rest = var.dtype.type(1) - rho
    accum *= rho
    accum += grad * grad * rest
    update = np.sqrt(accum_update + epsilon) / np.sqrt(accum + epsilon) * grad
    var -= update * lr
    accum_update *= rho
    accum_update += update * update * rest


def rms_prop(
    var: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
) -> None:
    """s ← s + (1 − ρ)(g² − s);  m ← μ m + η g / √(s + ε);  var ← var − m

    Tieleman & Hinton 2012, lecture 6.5.
    """
    ms += (grad * grad - ms) * (var.dtype.type(1) - rho)
    mom *= momentum
    mom += grad * lr / np.sqrt(ms + epsilon)
    var -= mom


def centered_rms_prop(
    var: Array,
    mg: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
) -> None:
    """RMSProp with the variance s − ḡ² under the root; ḡ ← ḡ + (1 − ρ)(g − ḡ).  Graves 2013."""
    rest = var.dtype.type(1) - rho
    ms += (grad * grad - ms) * rest
    mg += (grad - mg) * rest
    mom *= momentum
    mom += grad * lr / np.sqrt(ms - mg * mg + epsilon)
    var -= mom


# --- FTRL-Proximal: McMahan et al. 2013, algorithm 1 ----------------------------------------------


def ftrl(
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    lr_power: Array,
    *,
    multiply_linear_by_lr: bool,
) -> None:
    """n' = n + g²;  z ← z + g − (n'⁻ᵖ − n⁻ᵖ) / η · var;  n ← n'

    var ← (clip(z, −l₁, l₁) − z) / (n⁻ᵖ / η + 2 l₂); `multiply_linear_by_lr` keeps η z for z.
    """
    _follow_the_leader(var, accum, linear, grad, grad, lr, l1, l2, lr_power, multiply_linear_by_lr)


def ftrl_v2(
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    l2_shrinkage: Array,
    lr_power: Array,
    *,
    multiply_linear_by_lr: bool,
) -> None:
    """`ftrl` whose z takes g + 2 l₂ₛ var, a penalty of size, in place of g."""
    shrinking = grad + var.dtype.type(2) * l2_shrinkage * var
    _follow_the_leader(
        var, accum, linear, grad, shrinking, lr, l1, l2, lr_power, multiply_linear_by_lr
    )


def _follow_the_leader(
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    added: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    lr_power: Array,
    multiply_linear_by_lr: bool,
) -> None:
    two = var.dtype.type(2)
    power_before = _power(accum, lr_power)
    accum += grad * grad
    power = _power(accum, lr_power)
    if multiply_linear_by_lr:
        linear += added * lr - (power - power_before) * var
        bound, curvature = l1 * lr, power + two * l2 * lr
    else:
        linear += added - (power - power_before) / lr * var
        bound, curvature = l1, power / lr + two * l2
    var[...] = (np.maximum(np.minimum(linear, bound), -bound) - linear) / curvature


def _power(accum: Array, lr_power: Array) -> Array:
    """n⁻ᵖ, by a root where that is what it is."""
    return np.sqrt(accum) if lr_power == -0.5 else accum ** (-lr_power)
