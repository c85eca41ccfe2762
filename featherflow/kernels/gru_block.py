"""A gated recurrent unit's step and its gradient, as the fused ops compute them.

    [r, u] = σ([x, h′] · w_ru + b_ru)      c = tanh([x, r ⊙ h′] · w_c + b_c)
    h = u ⊙ h′ + (1 − u) ⊙ c

See: Cho et al. 2014.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from featherflow.kernels.elementwise import sigmoid


class GRUStates(NamedTuple):
    """The values of a step, `[batch, cells]` each."""

    r: np.ndarray
    u: np.ndarray
    c: np.ndarray
    h: np.ndarray


def gru_step(
    x: np.ndarray,
    h_prev: np.ndarray,
    w_ru: np.ndarray,
    w_c: np.ndarray,
    b_ru: np.ndarray,
    b_c: np.ndarray,
) -> GRUStates:
    """One step from inputs `[batch, inputs]` and the states before it, `[batch, cells]`."""
    gates = sigmoid(np.concatenate([x, h_prev], axis=1) @ w_ru + b_ru)
    r, u = (np.ascontiguousarray(gate) for gate in np.split(gates, 2, axis=1))
    c = np.tanh(np.concatenate([x, h_prev * r], axis=1) @ w_c + b_c)
    return GRUStates(r, u, c, u * h_prev + (1 - u) * c)


class GRUGradient(NamedTuple):
    """Gradients of a step: of its inputs, the states before, and the sums of c and of [r, u]."""

    x: np.ndarray
    h_prev: np.ndarray
    c_sum: np.ndarray
    ru_sum: np.ndarray


def gru_step_gradient(
    h_prev: np.ndarray,
    w_ru: np.ndarray,
    w_c: np.ndarray,
    r: np.ndarray,
    u: np.ndarray,
    c: np.ndarray,
    h_grad: np.ndarray,
) -> GRUGradient:
    """The gradient of a step, given that of h."""
    inputs = w_ru.shape[0] - h_prev.shape[1]
    c_sum = h_grad * (1 - u) * (1 - c * c)
    u_sum = h_grad * (h_prev - c) * u * (1 - u)
    through_c = c_sum @ w_c.T
    reset = through_c[:, inputs:]
    ru_sum = np.concatenate([reset * h_prev * r * (1 - r), u_sum], axis=1)
    through_gates = ru_sum @ w_ru.T
    return GRUGradient(
        through_gates[:, :inputs] + through_c[:, :inputs],
        through_gates[:, inputs:] + reset * r + h_grad * u,
        c_sum,
        ru_sum,
    )
