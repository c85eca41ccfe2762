"""A fused gated recurrent unit: GRUBlockCell and GRUBlockCellGrad.

The formulas and the arithmetic are in `kernels/gru_block.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.gru_block import GRUGradient, GRUStates, gru_step, gru_step_gradient
from featherflow.kernels.recurrent_shapes import check_ranks, check_shapes
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.core_array_ops import concat
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.sum_ops import reduce_sum

_INPUTS = ("x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T", "b_c: T")


def _check(
    x: np.ndarray,
    h_prev: np.ndarray,
    w_ru: np.ndarray,
    w_c: np.ndarray,
    b_ru: np.ndarray,
    b_c: np.ndarray,
) -> None:
    check_ranks({"x": (x, 2), "h_prev": (h_prev, 2)})
    (batch, inputs), cells = x.shape, h_prev.shape[1]
    check_shapes(
        {
            "h_prev": (h_prev, (batch, cells)),
            "w_ru": (w_ru, (inputs + cells, 2 * cells)),
            "w_c": (w_c, (inputs + cells, cells)),
            "b_ru": (b_ru, (2 * cells,)),
            "b_c": (b_c, (cells,)),
        }
    )


# --- GRUBlockCell ---------------------------------------------------------------------------------

GRUBlockCell = define_op(
    "GRUBlockCell",
    inputs=_INPUTS,
    outputs=("r: T", "u: T", "c: T", "h: T"),
    attrs=("T: {float}",),
)


@GRUBlockCell.shape_fn
def _gru_block_cell_shape(c: InferenceContext) -> list[TensorShape]:
    batch, cells = c.dims(0, 2)[0], c.dims(1, 2)[1]
    return [TensorShape._of((batch, cells))] * 4


@GRUBlockCell.kernel("CPU", T=dtypes.float32)
def _gru_block_cell_cpu(
    x: np.ndarray,
    h_prev: np.ndarray,
    w_ru: np.ndarray,
    w_c: np.ndarray,
    b_ru: np.ndarray,
    b_c: np.ndarray,
) -> GRUStates:
    _check(x, h_prev, w_ru, w_c, b_ru, b_c)
    return gru_step(x, h_prev, w_ru, w_c, b_ru, b_c)


@GRUBlockCell.gradient
def _gru_block_cell_grad(op: Any, *grads: Tensor) -> tuple[Tensor, ...]:
    """As tf.contrib.rnn registered it: from that of the new states."""
    x, h_prev = op.inputs[:2]
    r = op.outputs[0]
    x_grad, h_prev_grad, c_sum, ru_sum = GRUBlockCellGrad(*op.inputs, *op.outputs[:3], grads[3])
    w_ru_grad = matmul(concat([x, h_prev], 1), ru_sum, transpose_a=True)
    w_c_grad = matmul(concat([x, multiply(h_prev, r)], 1), c_sum, transpose_a=True)
    return (
        x_grad,
        h_prev_grad,
        w_ru_grad,
        w_c_grad,
        reduce_sum(ru_sum, 0),
        reduce_sum(c_sum, 0),
    )


# --- GRUBlockCellGrad -----------------------------------------------------------------------------

GRUBlockCellGrad = define_op(
    "GRUBlockCellGrad",
    inputs=(*_INPUTS, "r: T", "u: T", "c: T", "d_h: T"),
    outputs=("d_x: T", "d_h_prev: T", "d_c_bar: T", "d_r_bar_u_bar: T"),
    attrs=("T: {float}",),
)


@GRUBlockCellGrad.shape_fn
def _gru_block_cell_grad_shape(c: InferenceContext) -> list[TensorShape]:
    x, cells, sums = c.with_rank(0, 2), c.dims(1, 2)[1], c.dims(2, 2)[1]
    batch = c.dims(0, 2)[0]
    of_state = TensorShape._of((batch, cells))
    return [x, of_state, of_state, TensorShape._of((batch, sums))]


@GRUBlockCellGrad.kernel("CPU", T=dtypes.float32)
def _gru_block_cell_grad_cpu(
    x: np.ndarray,
    h_prev: np.ndarray,
    w_ru: np.ndarray,
    w_c: np.ndarray,
    b_ru: np.ndarray,
    b_c: np.ndarray,
    r: np.ndarray,
    u: np.ndarray,
    c: np.ndarray,
    d_h: np.ndarray,
) -> GRUGradient:
    _check(x, h_prev, w_ru, w_c, b_ru, b_c)
    states = {"r": r, "u": u, "c": c, "d_h": d_h}
    check_shapes({name: (values, h_prev.shape) for name, values in states.items()})
    return gru_step_gradient(h_prev, w_ru, w_c, r, u, c, d_h)


GRUBlockCellGrad.without_gradient("TensorFlow gives it no gradient")
