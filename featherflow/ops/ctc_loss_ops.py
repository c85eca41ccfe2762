"""Connectionist temporal classification: CTCLoss, CTCLossV2 and `tf.nn.ctc_loss`.

The formulas and the arithmetic are in `kernels/ctc_loss.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import ctc_labels, ctc_loss
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.identity_ops import PreventGradient
from featherflow.ops.reshape_ops import ExpandDims, renamed_argument
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.type_groups import WIDE_FLOATS

_FLAGS = (
    "preprocess_collapse_repeated: bool = false",
    "ctc_merge_repeated: bool = true",
    "ignore_longer_outputs_than_inputs: bool = false",
)
_LABELS = ("labels_indices: int64", "labels_values: int32", "sequence_length: int32")


def _loss_shape(c: InferenceContext) -> list[TensorShape]:
    time, batch, classes = c.dims(0, 3)
    (count,), (rows, _) = c.dims(2, 1), c.dims(1, 2)
    c.merge_dim(rows, count)
    batch = c.merge_dim(batch, c.dims(3, 1)[0])
    return [TensorShape._of((batch,)), TensorShape._of((time, batch, classes))]


def _losses(
    inputs: np.ndarray,
    labels_indices: np.ndarray,
    labels_values: np.ndarray,
    sequence_length: np.ndarray,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Losses and gradients where the blank is the last class."""
    ctc_labels.check_logits(inputs, sequence_length, "inputs is not a 3-Tensor")
    steps, batch, classes = inputs.shape
    if sequence_length.shape != (batch,) or not _are_lengths(sequence_length, steps):
        raise InvalidArgumentError(
            None,
            None,
            "sequence_length must hold a length for each sequence",
            received=sequence_length.tolist(),
            expected=f"{batch} lengths of 0 to {steps}",
        )
    labels = ctc_labels.labels_of(labels_indices, labels_values, batch)
    _refuse_first(labels.lengths == 0, labels.lengths, "Labels length is zero")
    labels = ctc_labels.without_blanks(labels, classes)
    is_too_long = labels.lengths > sequence_length
    if not ignore_longer_outputs_than_inputs:
        _refuse_first(is_too_long, labels.lengths, "Not enough time for target transition sequence")
    if preprocess_collapse_repeated:
        labels = ctc_labels.collapsed(labels)
    lattice = ctc_loss.make_lattice(labels, classes - 1, ctc_merge_repeated)
    loss, gradient = ctc_loss.ctc_loss(inputs, sequence_length, lattice)
    loss[is_too_long], gradient[:, is_too_long] = 0, 0
    return loss, gradient


def _are_lengths(sequence_length: np.ndarray, steps: int) -> bool:
    return bool(((sequence_length >= 0) & (sequence_length <= steps)).all())


def _refuse_first(is_wrong: np.ndarray, lengths: np.ndarray, message: str) -> None:
    if is_wrong.any():
        first = int(np.argmax(is_wrong))
        raise InvalidArgumentError(
            None, None, message, received=f"{lengths[first]} labels in batch {first}"
        )


# --- CTCLoss --------------------------------------------------------------------------------------

CTCLoss = define_op(
    "CTCLoss",
    inputs=("inputs: T", *_LABELS),
    outputs=("loss: T", "gradient: T"),
    attrs=(*_FLAGS, "T: {float, double} = float"),
)
CTCLoss.shape_fn(_loss_shape)


@CTCLoss.kernel("CPU", T=WIDE_FLOATS)
def _ctc_loss_cpu(
    inputs: np.ndarray,
    labels_indices: np.ndarray,
    labels_values: np.ndarray,
    sequence_length: np.ndarray,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[np.ndarray, np.ndarray]:
    return _losses(
        inputs,
        labels_indices,
        labels_values,
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )


@CTCLoss.gradient
def _ctc_loss_grad(op: Any, grad: Tensor, _: Any) -> tuple[Any, ...]:
    return _gradient_of_loss(op, grad), None, None, None


def _gradient_of_loss(op: Any, grad: Tensor) -> Tensor:
    """The gradient that the op has computed, times that of the losses."""
    computed = PreventGradient(
        op.outputs[1],
        message="The second derivative of ctc_loss is not available: its op computes the first.",
    )
    return multiply(ExpandDims(grad, -1), computed)


# --- CTCLossV2 ------------------------------------------------------------------------------------

CTCLossV2 = define_op(
    "CTCLossV2",  # the blank is the first class; TensorFlow has no CPU kernel of it
    inputs=("inputs: float", *_LABELS),
    outputs=("loss: float", "gradient: float"),
    attrs=_FLAGS,
)
CTCLossV2.shape_fn(_loss_shape)


@CTCLossV2.kernel("CPU")
def _ctc_loss_v2_cpu(
    inputs: np.ndarray,
    labels_indices: np.ndarray,
    labels_values: np.ndarray,
    sequence_length: np.ndarray,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[np.ndarray, np.ndarray]:
    loss, gradient = _losses(
        np.roll(inputs, -1, axis=-1),
        labels_indices,
        labels_values - 1,
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )
    return loss, np.roll(gradient, 1, axis=-1)


@CTCLossV2.gradient
def _ctc_loss_v2_grad(op: Any, grad: Tensor, _: Any) -> tuple[Any, ...]:
    return _gradient_of_loss(op, grad), None, None, None


# --- tf.nn.ctc_loss of TF1 ------------------------------------------------------------------------


@export_v1("nn.ctc_loss")
def ctc_loss_v1(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """−log of the probability that the paths through the logits become the labels.

    Args:
      labels: an int32 SparseTensor `[batch, …]`, labels from 0 to `num_classes` − 2.
      inputs: logits, `[time, batch, num_classes]`; the last class is the blank.
      sequence_length: int32 `[batch]`, the time steps of each sequence.
      preprocess_collapse_repeated: whether runs of equal labels are made one before.
      ctc_merge_repeated: whether repeated symbols of a path are merged; without it a path has each
        label at one time only.
      ignore_longer_outputs_than_inputs: whether sequences with more labels than time steps have
        loss 0, rather than raise.
      time_major: whether the logits are not `[batch, time, num_classes]`.
      logits: another name of `inputs`.
    Returns:
      `[batch]`, the dtype of the logits.
    Raises:
      TypeError: `labels` is not a SparseTensor.
      InvalidArgumentError: labels or lengths do not fit the logits.

    See: Graves et al. 2006.
    """
    logits = renamed_argument("logits", logits, "inputs", inputs)
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of "
            f"type: {type(labels).__name__}"
        )
    return sparse_ctc_loss(
        labels,
        logits,
        sequence_length,
        time_major,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )


def sparse_ctc_loss(
    labels: SparseTensor, logits: Any, sequence_length: Any, time_major: bool, **flags: Any
) -> Tensor:
    """The loss of a SparseTensor of labels; see `ctc_loss_v1`."""
    if not time_major:
        logits = transpose(logits, [1, 0, 2])
    return CTCLoss(logits, labels.indices, labels.values, sequence_length, **flags)[0]
