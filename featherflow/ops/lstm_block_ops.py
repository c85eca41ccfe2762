"""Fused LSTMs: LSTMBlockCell for one step, BlockLSTM and BlockLSTMV2 for a sequence.

The formulas and the arithmetic are in `kernels/lstm_block.py`. The gates lie in the weights'
columns as input, cell, forget, output (LSTMBlockCell, BlockLSTM) or input, forget, cell, output
(BlockLSTMV2, which has no forget bias: it is part of `b`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.lstm_block import (
    INPUT_CELL_FORGET_OUTPUT,
    INPUT_FORGET_CELL_OUTPUT,
    LSTMForm,
    LSTMStates,
    Peepholes,
    lstm_sequence,
    lstm_sequence_gradient,
    lstm_step,
    lstm_step_gradient,
    peephole_gradients,
)
from featherflow.kernels.precision import compute_dtype
from featherflow.kernels.recurrent_shapes import check_length, check_ranks, check_shapes
from featherflow.ops.core_array_ops import concat
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.sum_ops import reduce_sum

_TYPES = (dtypes.float32, dtypes.float16)
_T = "T: {half, float}"
_CLIPPED = (
    "forget_bias: float = 1.0",
    "cell_clip: float = 3.0",
    "use_peephole: bool = false",
    _T,
)
_WEIGHTS = ("w: T", "wci: T", "wcf: T", "wco: T", "b: T")
_STEP_INPUTS = ("x: T", "cs_prev: T", "h_prev: T", *_WEIGHTS)
_STATES = ("i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "h: T")


def _form(
    arrays: dict[str, np.ndarray],
    use_peephole: bool,
    forget_bias: float = 0.0,
    cell_clip: float = 0.0,
    places: tuple[int, ...] = INPUT_CELL_FORGET_OUTPUT,
) -> LSTMForm:
    """Checks the weights against each other and gathers what else sets the LSTM apart."""
    check_ranks({"cs_prev": (arrays["cs_prev"], 2)})
    batch, inputs = arrays["x"].shape[-2:]
    cells = arrays["cs_prev"].shape[1]
    expected = {
        "cs_prev": (batch, cells),
        "h_prev": (batch, cells),
        "w": (inputs + cells, 4 * cells),
        "b": (4 * cells,),
    }
    check_ranks({name: (arrays[name], 1) for name in ("wci", "wcf", "wco")})
    if use_peephole:
        expected |= dict.fromkeys(("wci", "wcf", "wco"), (cells,))
    check_shapes({name: (arrays[name], shape) for name, shape in expected.items()})
    wide = compute_dtype(arrays["x"].dtype)
    peepholes = [arrays[name].astype(wide, copy=False) for name in ("wci", "wcf", "wco")]
    return LSTMForm(forget_bias, cell_clip, places, Peepholes(*peepholes) if use_peephole else None)


# --- LSTMBlockCell --------------------------------------------------------------------------------

LSTMBlockCell = define_op("LSTMBlockCell", inputs=_STEP_INPUTS, outputs=_STATES, attrs=_CLIPPED)


@LSTMBlockCell.shape_fn
def _lstm_block_cell_shape(c: InferenceContext) -> list[TensorShape]:
    batch, cells = c.dims(0, 2)[0], c.dims(1, 2)[1]
    return [TensorShape._of((batch, cells))] * 7


@LSTMBlockCell.kernel("CPU", T=_TYPES)
def _lstm_block_cell_cpu(
    x: np.ndarray,
    cs_prev: np.ndarray,
    h_prev: np.ndarray,
    w: np.ndarray,
    wci: np.ndarray,
    wcf: np.ndarray,
    wco: np.ndarray,
    b: np.ndarray,
    *,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> tuple[np.ndarray, ...]:
    check_ranks({"x": (x, 2)})
    weights = {"w": w, "wci": wci, "wcf": wcf, "wco": wco, "b": b}
    arrays = {"x": x, "cs_prev": cs_prev, "h_prev": h_prev, **weights}
    form = _form(arrays, use_peephole, forget_bias, cell_clip)
    wide = compute_dtype(x.dtype)
    taken = np.concatenate([x, h_prev], axis=1).astype(wide, copy=False)
    gates = taken @ w.astype(wide, copy=False) + b.astype(wide, copy=False)
    states = lstm_step(gates, cs_prev.astype(wide, copy=False), form)
    return tuple(np.ascontiguousarray(values, x.dtype) for values in states)


@LSTMBlockCell.gradient
def _lstm_block_cell_grad(op: Any, *grads: Tensor) -> tuple[Tensor, ...]:
    """As tf.contrib.rnn registered it: from those of the cells' states and of the outputs."""
    x, _, h_prev, w = op.inputs[:4]
    cs_prev_grad, gates, *peepholes = LSTMBlockCellGrad(
        *op.inputs, *op.outputs[:6], grads[1], grads[6], use_peephole=op.attrs["use_peephole"]
    )
    inputs: Any = shape_of(x)
    width = get_item(inputs, 1)
    taken_grad = matmul(gates, w, transpose_b=True)
    x_grad = get_item(taken_grad, (slice(None), slice(None, width)))
    h_prev_grad = get_item(taken_grad, (slice(None), slice(width, None)))
    w_grad = matmul(concat([x, h_prev], 1), gates, transpose_a=True)
    x_grad.set_shape(x.shape)
    h_prev_grad.set_shape(h_prev.shape)
    return x_grad, cs_prev_grad, h_prev_grad, w_grad, *peepholes, reduce_sum(gates, 0)


# --- LSTMBlockCellGrad ----------------------------------------------------------------------------

LSTMBlockCellGrad = define_op(
    "LSTMBlockCellGrad",
    inputs=(*_STEP_INPUTS, *_STATES[:-1], "cs_grad: T", "h_grad: T"),
    outputs=("cs_prev_grad: T", "dicfo: T", "wci_grad: T", "wcf_grad: T", "wco_grad: T"),
    attrs=("use_peephole: bool", _T),
)


@LSTMBlockCellGrad.shape_fn
def _lstm_block_cell_grad_shape(c: InferenceContext) -> list[TensorShape]:
    batch, cells = c.dims(0, 2)[0], c.dims(1, 2)[1]
    of_gates = TensorShape._of((batch, None if cells is None else 4 * cells))
    return [TensorShape._of((batch, cells)), of_gates, *[TensorShape._of((cells,))] * 3]


@LSTMBlockCellGrad.kernel("CPU", T=_TYPES)
def _lstm_block_cell_grad_cpu(
    x: np.ndarray,
    cs_prev: np.ndarray,
    h_prev: np.ndarray,
    w: np.ndarray,
    wci: np.ndarray,
    wcf: np.ndarray,
    wco: np.ndarray,
    b: np.ndarray,
    i: np.ndarray,
    cs: np.ndarray,
    f: np.ndarray,
    o: np.ndarray,
    ci: np.ndarray,
    co: np.ndarray,
    cs_grad: np.ndarray,
    h_grad: np.ndarray,
    *,
    use_peephole: bool,
) -> tuple[np.ndarray, ...]:
    check_ranks({"x": (x, 2)})
    weights = {"w": w, "wci": wci, "wcf": wcf, "wco": wco, "b": b}
    form = _form({"x": x, "cs_prev": cs_prev, "h_prev": h_prev, **weights}, use_peephole)
    given = LSTMStates(i, cs, f, o, ci, co, h_grad)
    named = {**given._asdict(), "h_grad": h_grad, "cs_grad": cs_grad}
    del named["h"]
    check_shapes({name: (values, cs_prev.shape) for name, values in named.items()})
    wide = compute_dtype(x.dtype)
    states = LSTMStates(*(values.astype(wide, copy=False) for values in given))
    before = cs_prev.astype(wide, copy=False)
    gradient = lstm_step_gradient(states, before, cs_grad.astype(wide), states.h, form)
    peepholes = peephole_gradients(gradient.gates, before, states.cs, form)
    return tuple(values.astype(x.dtype, copy=False) for values in (*gradient, *peepholes))


LSTMBlockCellGrad.without_gradient("TensorFlow gives it no gradient")


# --- BlockLSTM, BlockLSTMV2 -----------------------------------------------------------------------

_SEQUENCE_INPUTS = ("seq_len_max: int64", *_STEP_INPUTS)
BlockLSTM = define_op("BlockLSTM", inputs=_SEQUENCE_INPUTS, outputs=_STATES, attrs=_CLIPPED)
BlockLSTMV2 = define_op(
    "BlockLSTMV2",
    inputs=_SEQUENCE_INPUTS,
    outputs=_STATES,
    attrs=("cell_clip: float = 0.0", "use_peephole: bool = false", _T),
)


@BlockLSTM.shape_fn
@BlockLSTMV2.shape_fn
def _block_lstm_shape(c: InferenceContext) -> list[TensorShape]:
    steps, batch, _ = c.dims(1, 3)
    (sums,) = c.dims(8, 1)
    if sums is not None and sums % 4:
        c.fail("The size of b must be a multiple of 4", received=sums)
    return [TensorShape._of((steps, batch, None if sums is None else sums // 4))] * 7


@BlockLSTM.kernel("CPU", T=_TYPES)
def _block_lstm_cpu(
    seq_len_max: np.ndarray,
    x: np.ndarray,
    cs_prev: np.ndarray,
    h_prev: np.ndarray,
    w: np.ndarray,
    wci: np.ndarray,
    wcf: np.ndarray,
    wco: np.ndarray,
    b: np.ndarray,
    *,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> LSTMStates:
    weights = {"w": w, "wci": wci, "wcf": wcf, "wco": wco, "b": b}
    arrays = {"x": x, "cs_prev": cs_prev, "h_prev": h_prev, **weights}
    check_ranks({"x": (x, 3)})
    form = _form(arrays, use_peephole, forget_bias, cell_clip)
    return lstm_sequence(x, cs_prev, h_prev, w, b, check_length(seq_len_max, len(x)), form)


@BlockLSTMV2.kernel("CPU", T=_TYPES)
def _block_lstm_v2_cpu(
    seq_len_max: np.ndarray,
    x: np.ndarray,
    cs_prev: np.ndarray,
    h_prev: np.ndarray,
    w: np.ndarray,
    wci: np.ndarray,
    wcf: np.ndarray,
    wco: np.ndarray,
    b: np.ndarray,
    *,
    cell_clip: float,
    use_peephole: bool,
) -> LSTMStates:
    weights = {"w": w, "wci": wci, "wcf": wcf, "wco": wco, "b": b}
    arrays = {"x": x, "cs_prev": cs_prev, "h_prev": h_prev, **weights}
    check_ranks({"x": (x, 3)})
    form = _form(arrays, use_peephole, cell_clip=cell_clip, places=INPUT_FORGET_CELL_OUTPUT)
    return lstm_sequence(x, cs_prev, h_prev, w, b, check_length(seq_len_max, len(x)), form)


@BlockLSTM.gradient
def _block_lstm_grad(op: Any, *grads: Tensor) -> tuple[Any, ...]:
    return None, *_sequence_gradient(BlockLSTMGrad, op, grads)


@BlockLSTMV2.gradient
def _block_lstm_v2_grad(op: Any, *grads: Tensor) -> tuple[Any, ...]:
    return None, *_sequence_gradient(BlockLSTMGradV2, op, grads)


def _sequence_gradient(gradient_op: Op, op: Any, grads: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The gradient from those of the cells' states and of the outputs; others are not passed on."""
    return gradient_op(
        *op.inputs, *op.outputs, grads[1], grads[6], use_peephole=op.attrs["use_peephole"]
    )


# --- BlockLSTMGrad, BlockLSTMGradV2 ---------------------------------------------------------------


def _define_sequence_grad(name: str) -> Op:
    op = define_op(
        name,
        inputs=(*_SEQUENCE_INPUTS, *_STATES, "cs_grad: T", "h_grad: T"),
        outputs=tuple(
            f"{of}_grad: T" for of in ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")
        ),
        attrs=("use_peephole: bool", _T),
    )
    op.shape_fn(_sequence_grad_shape)
    op.without_gradient("TensorFlow gives it no gradient")
    return op


def _sequence_grad_shape(c: InferenceContext) -> list[TensorShape]:
    """Each gradient has the shape of its input."""
    ranks = (3, 2, 2, 2, 1, 1, 1, 1)
    return [c.with_rank(index, rank) for index, rank in enumerate(ranks, 1)]


BlockLSTMGrad = _define_sequence_grad("BlockLSTMGrad")
BlockLSTMGradV2 = _define_sequence_grad("BlockLSTMGradV2")


@BlockLSTMGrad.kernel("CPU", T=_TYPES)
def _block_lstm_grad_cpu(*inputs: np.ndarray, use_peephole: bool) -> tuple[np.ndarray, ...]:
    return _sequence_gradients(inputs, use_peephole, INPUT_CELL_FORGET_OUTPUT)


@BlockLSTMGradV2.kernel("CPU", T=_TYPES)
def _block_lstm_grad_v2_cpu(*inputs: np.ndarray, use_peephole: bool) -> tuple[np.ndarray, ...]:
    return _sequence_gradients(inputs, use_peephole, INPUT_FORGET_CELL_OUTPUT)


def _sequence_gradients(
    inputs: tuple[np.ndarray, ...], use_peephole: bool, places: tuple[int, ...]
) -> tuple[np.ndarray, ...]:
    arrays = dict(zip(BlockLSTMGrad.input_names, inputs, strict=True))
    x, cs_prev, h_prev = (arrays[name] for name in ("x", "cs_prev", "h_prev"))
    check_ranks({"x": (x, 3)})
    form = _form(arrays, use_peephole, places=places)
    shape = (len(x), *cs_prev.shape)
    sequences = {name: arrays[name] for name in (*LSTMStates._fields, "cs_grad", "h_grad")}
    check_shapes({name: (values, shape) for name, values in sequences.items()})
    cs_grad, h_grad = sequences.pop("cs_grad"), sequences.pop("h_grad")
    gradient = lstm_sequence_gradient(
        x,
        cs_prev,
        h_prev,
        arrays["w"],
        LSTMStates(**sequences),
        cs_grad,
        h_grad,
        check_length(arrays["seq_len_max"], len(x)),
        form,
    )
    return tuple(np.ascontiguousarray(values, x.dtype) for values in gradient)
