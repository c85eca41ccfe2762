"""Reversals and rotations: Reverse, ReverseV2, ReverseSequence, Roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.axes import normalize_axes, normalize_axis
from featherflow.ops.arithmetic_ops import Neg
from featherflow.ops.reshape_ops import renamed_argument

# --- ReverseV2 ------------------------------------------------------------------------------------

ReverseV2 = define_op(
    "ReverseV2",
    inputs=("tensor: T", "axis: Tidx"),
    outputs=("output: T",),
    attrs=(
        "Tidx: {int32, int64} = int32",
        "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, "
        "float, double, complex64, complex128, string}",
    ),
)


@ReverseV2.shape_fn
def _reverse_v2_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 1)
    axes = c.constant(1)
    rank = c.shapes[0].rank
    if axes is not None and rank is not None:
        normalize_axes(axes.tolist(), rank)
    return c.shapes[0]


@ReverseV2.kernel("CPU")
def _reverse_v2_cpu(tensor: np.ndarray, axis: np.ndarray) -> np.ndarray:
    axes = normalize_axes(axis.reshape(-1).tolist(), tensor.ndim)
    return np.flip(tensor, axes).copy()


@ReverseV2.gradient
def _reverse_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return ReverseV2(grad, op.inputs[1]), None


@export("reverse")
@export_v1("reverse", "reverse_v2", "manip.reverse")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """`tensor` with the order of its elements reversed along some dimensions.

    Args:
      tensor: a tensor.
      axis: a vector of dimensions, none of them twice.
      name: of the node.
    Returns:
      A tensor like `tensor`.
    """
    return ReverseV2(tensor, axis, name=name)


# --- Reverse --------------------------------------------------------------------------------------

# The first version, which old graphs hold: a bool for each dimension.
Reverse = define_op(
    "Reverse",
    inputs=("tensor: T", "dims: bool"),
    outputs=("output: T",),
    attrs=(
        "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, "
        "float, double, complex64, complex128, string}",
    ),
)


@Reverse.shape_fn
def _reverse_shape(c: InferenceContext) -> TensorShape:
    (count,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    c.merge_dim(count, c.shapes[0].rank)
    return c.shapes[0]


@Reverse.kernel("CPU")
def _reverse_cpu(tensor: np.ndarray, dims: np.ndarray) -> np.ndarray:
    if dims.shape != (tensor.ndim,):
        raise InvalidArgumentError(
            None,
            None,
            "dims must hold one bool for each dimension of tensor",
            received=f"{dims.size} for a tensor of rank {tensor.ndim}",
        )
    return np.flip(tensor, tuple(np.flatnonzero(dims).tolist())).copy()


@Reverse.gradient
def _reverse_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return Reverse(grad, op.inputs[1]), None


# --- ReverseSequence ------------------------------------------------------------------------------

ReverseSequence = define_op(
    "ReverseSequence",
    inputs=("input: T", "seq_lengths: Tlen"),
    outputs=("output: T",),
    attrs=("seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = int64"),
)


@ReverseSequence.shape_fn
def _reverse_sequence_shape(c: InferenceContext) -> TensorShape:
    (count,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    dims = c.shapes[0]._dims
    if dims is None:
        return c.shapes[0]
    normalize_axis(c.attrs["seq_dim"], len(dims), "seq_dim")
    place = normalize_axis(c.attrs["batch_dim"], len(dims), "batch_dim")
    batch = c.merge_dim(dims[place], count)
    return TensorShape._of((*dims[:place], batch, *dims[place + 1 :]))


@ReverseSequence.kernel("CPU")
def _reverse_sequence_cpu(
    input: np.ndarray, seq_lengths: np.ndarray, *, seq_dim: int, batch_dim: int
) -> np.ndarray:
    sequence = normalize_axis(seq_dim, input.ndim, "seq_dim")
    batch = normalize_axis(batch_dim, input.ndim, "batch_dim")
    steps = input.shape[sequence]
    if sequence == batch or seq_lengths.shape != (input.shape[batch],):
        raise InvalidArgumentError(
            None,
            None,
            "batch_dim must differ from seq_dim, and there must be a length for each element of it",
            received=f"batch_dim {batch}, seq_dim {sequence}, seq_lengths of shape "
            f"{list(seq_lengths.shape)}, input of shape {list(input.shape)}",
        )
    if seq_lengths.size and (seq_lengths.min() < 0 or seq_lengths.max() > steps):
        raise InvalidArgumentError(
            None, None, f"seq_lengths must be in [0, {steps}]", received=str(seq_lengths.tolist())
        )
    lengths = seq_lengths[:, None]
    places = np.arange(steps)[None, :]
    places = np.where(places < lengths, lengths - 1 - places, places)
    rows = np.moveaxis(input, (batch, sequence), (0, 1))
    reversed_rows = rows[np.arange(len(lengths))[:, None], places]
    return np.moveaxis(reversed_rows, (0, 1), (batch, sequence)).copy(order="C")


@ReverseSequence.gradient
def _reverse_sequence_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    attrs = {name: op.attrs[name] for name in ("seq_dim", "batch_dim")}
    return ReverseSequence(grad, op.inputs[1], **attrs), None


@export("reverse_sequence")
def reverse_sequence_v2(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input` with the first `seq_lengths[i]` elements of each sequence i reversed.

    Args:
      input: a tensor.
      seq_lengths: a vector of one length for each element of the batch dimension.
      seq_axis: the dimension along which elements are reversed.
      batch_axis: the dimension of the sequences; None takes 0.
      name: of the node.
    Returns:
      A tensor like `input`.
    """
    return ReverseSequence(
        input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name
    )


@export_v1("reverse_sequence")
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """`reverse_sequence_v2`, which also takes the axes as `seq_dim` and `batch_dim`."""
    seq_axis = renamed_argument("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = renamed_argument("batch_axis", batch_axis, "batch_dim", batch_dim)
    return reverse_sequence_v2(input, seq_lengths, seq_axis, batch_axis, name)


# --- Roll -----------------------------------------------------------------------------------------

Roll = define_op(
    "Roll",
    inputs=("input: T", "shift: Tshift", "axis: Taxis"),
    outputs=("output: T",),
    attrs=("T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"),
)


@Roll.shape_fn
def _roll_shape(c: InferenceContext) -> TensorShape:
    c.with_rank_at_most(1, 1)
    c.merge(c.shapes[1], c.shapes[2])
    return c.with_rank_at_least(0, 1)


@Roll.kernel("CPU")
def _roll_cpu(input: np.ndarray, shift: np.ndarray, axis: np.ndarray) -> np.ndarray:
    if input.ndim < 1 or shift.shape != axis.shape:
        raise InvalidArgumentError(
            None,
            None,
            "input must be at least a vector, and there must be one shift for each axis",
            received=f"input of rank {input.ndim}, shift {list(shift.shape)}, axis "
            f"{list(axis.shape)}",
        )
    # An axis may be given twice: its shifts add up.
    axes = [normalize_axis(item, input.ndim) for item in axis.reshape(-1).tolist()]
    return np.roll(input, shift.reshape(-1).tolist(), axes)


@Roll.gradient
def _roll_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    _, shift, axis = op.inputs
    return Roll(grad, Neg(shift), axis), None, None


@export("roll")
@export_v1("manip.roll")
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` rotated along some dimensions: elements that leave at the end come in at the start.

    Args:
      input: a tensor.
      shift: by how many places, an integer or one for each axis.
      axis: a dimension, or a vector of them.
      name: of the node.
    Returns:
      A tensor like `input`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.roll([0, 1, 2, 3], shift=1, axis=0)).tolist()
    [3, 0, 1, 2]
    """
    return Roll(input, shift, axis, name=name)
