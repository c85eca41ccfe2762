"""Rows of the fused LSTM and GRU steps and sequences."""

from __future__ import annotations

import numpy as np

from featherflow.ops.gru_block_ops import GRUBlockCell, GRUBlockCellGrad
from featherflow.ops.lstm_block_ops import (
    BlockLSTM,
    BlockLSTMGrad,
    BlockLSTMGradV2,
    BlockLSTMV2,
    LSTMBlockCell,
    LSTMBlockCellGrad,
)

from ..op_case import Input, OpCase

TYPES = ("float32", "float16")
FORGET_BIAS, CLIP = 0.5, 0.75
STEP = (Input(2, 3), Input(2, 2), Input(2, 2), Input(5, 8))
PEEPHOLES, BIAS = (Input(2), Input(2), Input(2)), Input(8)
SEQUENCE = (np.int64(3), Input(3, 2, 3), *STEP[1:], *PEEPHOLES, BIAS)
GATE = Input(2, 2, low=0.1, high=0.9)
GATES = Input(3, 2, 2, low=0.1, high=0.9)
TOLERANCES = {"float16": 1e-2, "float32": 1e-5}
REASON = "sums of products in another order, through several steps"
NO_BATCH = ((0, 3), (0, 2), (0, 2), (5, 8), (2,), (2,), (2,), (8,))
NO_STEPS = ((0, 2, 3), (2, 2), (2, 2), (5, 8), (2,), (2,), (2,), (8,))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, cs_prev, h_prev, w, wci, wcf, wco, b, order, forget_bias, clip):
    sums = np.concatenate([x, h_prev], 1) @ w + b
    blocks = dict(zip(order, np.split(sums, 4, axis=1)))
    i = sigmoid(blocks["i"] + wci * cs_prev)
    f = sigmoid(blocks["f"] + forget_bias + wcf * cs_prev)
    ci = np.tanh(blocks["c"])
    cs = ci * i + cs_prev * f
    if clip > 0:
        cs = np.minimum(np.maximum(cs, -clip), clip)
    o = sigmoid(blocks["o"] + wco * cs)
    co = np.tanh(cs)
    return i, cs, f, o, ci, co, co * o


def cell(*inputs):
    return lstm_step(*inputs, "icfo", FORGET_BIAS, CLIP)


def sequence(order, forget_bias):
    def reference(_, x, cs_prev, h_prev, w, wci, wcf, wco, b):
        steps = []
        for taken in x:
            step = lstm_step(taken, cs_prev, h_prev, w, wci, wcf, wco, b, order, forget_bias, 0)
            cs_prev, h_prev = step[1], step[6]
            steps.append(step)
        if not steps:
            return (np.zeros((0, *cs_prev.shape)),) * 7
        return tuple(np.stack(values) for values in zip(*steps))

    return reference


def step_gradient(cs_prev, i, cs, f, o, ci, co, cs_grad, h_grad):
    """Without peepholes: of the state before, and of the sums by gate."""
    d_o = h_grad * co * o * (1 - o)
    d_cs = cs_grad + h_grad * o * (1 - co * co)
    gates = {
        "i": d_cs * ci * i * (1 - i),
        "c": d_cs * i * (1 - ci * ci),
        "f": d_cs * cs_prev * f * (1 - f),
        "o": d_o,
    }
    return d_cs * f, gates


def cell_gradient(x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, cs_grad, h_grad):
    before, gates = step_gradient(cs_prev, i, cs, f, o, ci, co, cs_grad, h_grad)
    nothing = np.zeros(2)
    return before, np.concatenate([gates[gate] for gate in "icfo"], 1), nothing, nothing, nothing


def sequence_gradient(order):
    def reference(_, x, cs_prev, h_prev, w, wci, wcf, wco, b, *states):
        *states, cs_grads, h_grads = states
        i, cs, f, o, ci, co, h = states
        d_x, d_w, d_b = np.zeros_like(x), np.zeros_like(w), np.zeros_like(b)
        d_cs, d_h = np.zeros_like(cs_prev), np.zeros_like(h_prev)
        for t in reversed(range(len(x))):
            cs_before, h_before = (cs[t - 1], h[t - 1]) if t else (cs_prev, h_prev)
            step = [values[t] for values in (i, cs, f, o, ci, co)]
            d_cs, gates = step_gradient(cs_before, *step, cs_grads[t] + d_cs, h_grads[t] + d_h)
            sums = np.concatenate([gates[gate] for gate in order], 1)
            d_x[t], d_h = np.split(sums @ w.T, [x.shape[2]], axis=1)
            d_w += np.concatenate([x[t], h_before], 1).T @ sums
            d_b += sums.sum(0)
        return d_x, d_cs, d_h, d_w, np.zeros(2), np.zeros(2), np.zeros(2), d_b

    return reference


def gru(x, h_prev, w_ru, w_c, b_ru, b_c):
    r, u = np.split(sigmoid(np.concatenate([x, h_prev], 1) @ w_ru + b_ru), 2, axis=1)
    c = np.tanh(np.concatenate([x, r * h_prev], 1) @ w_c + b_c)
    return r, u, c, u * h_prev + (1 - u) * c


def gru_gradient(x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h):
    d_c = d_h * (1 - u) * (1 - c * c)
    from_x, from_h = np.split(d_c @ w_c.T, [x.shape[1]], axis=1)
    d_gates = np.concatenate([from_h * h_prev * r * (1 - r), d_h * (h_prev - c) * u * (1 - u)], 1)
    gates_x, gates_h = np.split(d_gates @ w_ru.T, [x.shape[1]], axis=1)
    return from_x + gates_x, from_h * r + gates_h + d_h * u, d_c, d_gates


def _case(op, arguments, reference, dtypes=TYPES, **more):
    more = {"tolerances": TOLERANCES, "reason": REASON, "differentiable": False, **more}
    return OpCase(op, arguments, reference, dtypes, **more)


GRU = (Input(2, 3), Input(2, 2), Input(5, 4), Input(5, 2), Input(4), Input(2))
NO_GRU_BATCH = ((0, 3), (0, 2), (5, 4), (5, 2), (4,), (2,))
STATES = (GATES,) * 7 + (Input(3, 2, 2), Input(3, 2, 2))
CASES = [
    _case(
        LSTMBlockCell,
        (*STEP, *PEEPHOLES, BIAS),
        cell,
        attrs={"forget_bias": FORGET_BIAS, "cell_clip": CLIP, "use_peephole": True},
        empty_shapes=NO_BATCH,
    ),
    _case(
        LSTMBlockCellGrad,
        (*STEP, *PEEPHOLES, BIAS, *(GATE,) * 6, Input(2, 2), Input(2, 2)),
        cell_gradient,
        attrs={"use_peephole": False},
        empty_shapes=(*NO_BATCH, *((0, 2),) * 8),
    ),
    _case(
        BlockLSTM,
        SEQUENCE,
        sequence("icfo", FORGET_BIAS),
        attrs={"forget_bias": FORGET_BIAS, "cell_clip": 0.0, "use_peephole": True},
        empty_shapes=(),
    ),
    _case(
        BlockLSTM,
        (np.int64(0), *SEQUENCE[1:]),
        lambda _, x, *others: (np.zeros((len(x), 2, 2)),) * 7,
        empty_shapes=NO_STEPS,
        label="no_steps",
    ),
    _case(
        BlockLSTMV2,
        SEQUENCE,
        sequence("ifco", 0.0),
        attrs={"use_peephole": True},
        empty_shapes=(),
    ),
    *(
        _case(
            op,
            (*SEQUENCE, *STATES),
            sequence_gradient(order),
            attrs={"use_peephole": False},
            empty_shapes=(),
        )
        for op, order in ((BlockLSTMGrad, "icfo"), (BlockLSTMGradV2, "ifco"))
    ),
    _case(GRUBlockCell, GRU, gru, ("float32",), empty_shapes=NO_GRU_BATCH),
    _case(
        GRUBlockCellGrad,
        (*GRU, GATE, GATE, Input(2, 2), Input(2, 2)),
        gru_gradient,
        ("float32",),
        empty_shapes=(*NO_GRU_BATCH, *((0, 2),) * 4),
    ),
]
