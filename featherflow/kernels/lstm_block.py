"""A long short-term memory step by step, with its gradient, as the fused ops compute it.

    i = σ(gᵢ + wcᵢ ⊙ cs′)    ci = tanh g_c    f = σ(g_f + wc_f ⊙ cs′ + forget bias)
    cs = clip(ci ⊙ i + cs′ ⊙ f)      o = σ(g_o + wc_o ⊙ cs)      co = tanh cs      h = co ⊙ o

with g = [x, h′] · w + b, and the states cs′ and h′ of the step before. Clipping has no part in the
gradient.

See: Gers & Schmidhuber 2000; Zaremba, Sutskever & Vinyals 2014 for the form without peepholes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from featherflow.kernels.elementwise import sigmoid
from featherflow.kernels.precision import compute_dtype

#: Places of the input gate, the new cell, the forget gate and the output gate in `w` and `b`.
INPUT_CELL_FORGET_OUTPUT = (0, 1, 2, 3)
INPUT_FORGET_CELL_OUTPUT = (0, 2, 1, 3)


class Peepholes(NamedTuple):
    """Weights `[cells]` from the cells' states to the input, forget and output gates."""

    wci: np.ndarray
    wcf: np.ndarray
    wco: np.ndarray


@dataclass(frozen=True)
class LSTMForm:
    """What sets one LSTM apart from another.

    Attributes:
      forget_bias: added to the forget gate.
      cell_clip: bound of the cells' states, where it is positive.
      places: of the gates in the weights' columns.
      peepholes: None for an LSTM without.
    """

    forget_bias: float
    cell_clip: float
    places: tuple[int, ...]
    peepholes: Peepholes | None


class LSTMStates(NamedTuple):
    """The values of one step, `[batch, cells]` each, or of a sequence of them."""

    i: np.ndarray
    cs: np.ndarray
    f: np.ndarray
    o: np.ndarray
    ci: np.ndarray
    co: np.ndarray
    h: np.ndarray


class StepGradient(NamedTuple):
    """Gradients of a step: of the cells' states before it, and of the four gates' sums."""

    cs_prev: np.ndarray
    gates: np.ndarray


def lstm_step(gates: np.ndarray, cs_prev: np.ndarray, form: LSTMForm) -> LSTMStates:
    """One step from the sums g = [x, h′] · w + b, `[batch, 4 · cells]`."""
    blocks = np.split(gates, 4, axis=-1)
    input_sum, cell_sum, forget_sum, output_sum = (blocks[place] for place in form.places)
    forget_sum = forget_sum + gates.dtype.type(form.forget_bias)
    if form.peepholes is not None:
        input_sum = input_sum + form.peepholes.wci * cs_prev
        forget_sum = forget_sum + form.peepholes.wcf * cs_prev
    i, ci, f = sigmoid(input_sum), np.tanh(cell_sum), sigmoid(forget_sum)
    cs = ci * i + cs_prev * f
    if form.cell_clip > 0:
        bound = gates.dtype.type(form.cell_clip)
        cs = np.clip(cs, -bound, bound)
    if form.peepholes is not None:
        output_sum = output_sum + form.peepholes.wco * cs
    o, co = sigmoid(output_sum), np.tanh(cs)
    return LSTMStates(i, cs, f, o, ci, co, co * o)


def lstm_step_gradient(
    states: LSTMStates,
    cs_prev: np.ndarray,
    cs_grad: np.ndarray,
    h_grad: np.ndarray,
    form: LSTMForm,
) -> StepGradient:
    """The gradient of a step, given those of its cells and outputs; `states.h` has no part."""
    i, cs, f, o, ci, co, _ = states
    output_sum = o * (1 - o) * h_grad * co
    cells = (1 - co * co) * h_grad * o + cs_grad
    if form.peepholes is not None:
        cells = cells + output_sum * form.peepholes.wco
    cell_sum = (1 - ci * ci) * cells * i
    forget_sum = f * (1 - f) * cells * cs_prev
    input_sum = i * (1 - i) * cells * ci
    before = cells * f
    if form.peepholes is not None:
        before = before + input_sum * form.peepholes.wci + forget_sum * form.peepholes.wcf
    blocks = [cs] * 4
    for place, block in zip(form.places, (input_sum, cell_sum, forget_sum, output_sum)):
        blocks[place] = block
    return StepGradient(before, np.concatenate(blocks, axis=-1))


def peephole_gradients(
    gates: np.ndarray, cs_prev: np.ndarray, cs: np.ndarray, form: LSTMForm
) -> Peepholes:
    """Gradients of the peepholes' weights from those of the gates, over all leading dimensions."""
    cells = cs.shape[-1]
    if form.peepholes is None:
        zeros = np.zeros(cells, cs.dtype)
        return Peepholes(zeros, zeros.copy(), zeros.copy())
    blocks = np.split(gates, 4, axis=-1)
    input_sum, _, forget_sum, output_sum = (blocks[place] for place in form.places)
    leading = tuple(range(cs.ndim - 1))
    return Peepholes(
        (input_sum * cs_prev).sum(leading),
        (forget_sum * cs_prev).sum(leading),
        (output_sum * cs).sum(leading),
    )


def lstm_sequence(
    x: np.ndarray,
    cs_prev: np.ndarray,
    h_prev: np.ndarray,
    w: np.ndarray,
    b: np.ndarray,
    length: int,
    form: LSTMForm,
) -> LSTMStates:
    """`length` steps over `x`, `[time, batch, inputs]`; what comes after them is 0.

    Args:
      cs_prev, h_prev: `[batch, cells]`, the states before the first step.
      w, b: `[inputs + cells, 4 · cells]` and `[4 · cells]`.
    """
    steps, batch, inputs = x.shape
    shape = (steps, batch, cs_prev.shape[1])
    states = LSTMStates(*(np.zeros(shape, x.dtype) for _ in LSTMStates._fields))
    wide = compute_dtype(x.dtype)
    cs, h, w, b = (array.astype(wide, copy=False) for array in (cs_prev, h_prev, w, b))
    from_inputs = x[:length].astype(wide, copy=False) @ w[:inputs] + b
    for time in range(length):
        step = lstm_step(from_inputs[time] + h @ w[inputs:], cs, form)
        for sequence, values in zip(states, step):
            sequence[time] = values
        cs, h = states.cs[time].astype(wide), states.h[time].astype(wide)
    return states


class SequenceGradient(NamedTuple):
    """Gradients of the inputs of `lstm_sequence` and of the peepholes' weights."""

    x: np.ndarray
    cs_prev: np.ndarray
    h_prev: np.ndarray
    w: np.ndarray
    wci: np.ndarray
    wcf: np.ndarray
    wco: np.ndarray
    b: np.ndarray


def lstm_sequence_gradient(
    x: np.ndarray,
    cs_prev: np.ndarray,
    h_prev: np.ndarray,
    w: np.ndarray,
    states: LSTMStates,
    cs_grad: np.ndarray,
    h_grad: np.ndarray,
    length: int,
    form: LSTMForm,
) -> SequenceGradient:
    """The gradient of `lstm_sequence`, given those of all cells' states and outputs."""
    inputs, wide = x.shape[2], compute_dtype(x.dtype)
    w = w.astype(wide, copy=False)
    states = LSTMStates(*(array[:length].astype(wide, copy=False) for array in states))
    cs_before = np.concatenate([cs_prev[np.newaxis].astype(wide), states.cs])[:length]
    h_before = np.concatenate([h_prev[np.newaxis].astype(wide), states.h])[:length]
    gates = np.zeros((*states.cs.shape[:2], w.shape[1]), wide)
    cs_later, h_later = np.zeros(cs_prev.shape, wide), np.zeros(h_prev.shape, wide)
    for time in reversed(range(length)):
        cs_later, gates[time] = lstm_step_gradient(
            LSTMStates(*(sequence[time] for sequence in states)),
            cs_before[time],
            cs_grad[time] + cs_later,
            h_grad[time] + h_later,
            form,
        )
        h_later = gates[time] @ w[inputs:].T
    x_grad = np.zeros(x.shape, wide)
    x_grad[:length] = gates @ w[:inputs].T
    taken = np.concatenate([x[:length].astype(wide, copy=False), h_before], axis=2)
    w_grad = np.tensordot(taken, gates, axes=((0, 1), (0, 1)))
    peepholes = peephole_gradients(gates, cs_before, states.cs, form)
    return SequenceGradient(
        x_grad, cs_later, h_later, w_grad, *peepholes, gates.sum((0, 1), dtype=wide)
    )
