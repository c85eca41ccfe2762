"""`tf.nn.ctc_loss` of TF2, of dense labels or a SparseTensor.

The paths to dense labels are summed over by a loop over time, in logarithms. A path that ends
before the labels do counts with the factor 10⁻³⁰⁷: losses and gradients are finite where labels do
not fit into the time, the losses about 707 then.
"""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import negative
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, less, logical_and, logical_or, not_equal
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.ctc_loss_ops import sparse_ctc_loss
from featherflow.ops.element_loops import foldl
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.masking_ops import sequence_mask
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.one_hot_ops import one_hot
from featherflow.ops.pack_ops import stack
from featherflow.ops.padding_ops import pad
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.softmax_ops import log_softmax
from featherflow.ops.statistics_ops import reduce_logsumexp
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.type_groups import HALVES
from featherflow.ops.where_ops import where_v2

_LOG_ZERO = math.log(1e-307)
#: Logarithm of what no path can reach; finite, so that derivatives are.
_FORBIDDEN = -1e30
_ALL = slice(None)


@export_v1("nn.ctc_loss_v2")
@export("nn.ctc_loss")
def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """−log of the probability that the paths through the logits become the labels.

    Args:
      labels: a tensor `[batch, longest]`, or an int32 SparseTensor of that shape.
      logits: `[time, batch, num_classes]`.
      label_length: `[batch]`, how many labels of each row count; None with a SparseTensor.
      logit_length: `[batch]`, the time steps of each sequence.
      logits_time_major: whether the logits are not `[batch, time, num_classes]`.
      unique: what `tf.nn.ctc_unique_labels` makes of dense labels; the result is the same.
      blank_index: class of the blank, 0 by default; negative ones count from the last. A
        SparseTensor needs it.
      name: of the scope.
    Returns:
      `[batch]`, the dtype of the logits.
    Raises:
      ValueError: no `blank_index` with a SparseTensor, or a length is None.

    See: Graves et al. 2006.
    """
    if not isinstance(labels, SparseTensor):
        return _dense_loss(
            labels, logits, label_length, logit_length, logits_time_major, blank_index or 0, name
        )
    if blank_index is None:
        raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
    logits = convert_to_tensor(logits, name="logits")
    classes = _known_size(logits, 2)
    blank = blank_index + classes if blank_index < 0 else blank_index
    if blank < classes - 1:
        before, after = slice(None, blank), slice(blank + 1, None)
        parts = [get_item(logits, (_ALL, _ALL, part)) for part in (before, after)]
        logits = concat([*parts, get_item(logits, (_ALL, _ALL, slice(blank, blank + 1)))], 2)
        values: Any = labels.values
        values = where_v2(less(values, blank), values, values - 1)
        labels = SparseTensor(labels.indices, values, labels.dense_shape)
    return sparse_ctc_loss(labels, logits, logit_length, logits_time_major)


def _known_size(tensor: Tensor, axis: int) -> int:
    size = tensor.shape.as_list()[axis]
    if size is None:
        raise ValueError(f"Dimension {axis} of the logits must be known, received {tensor.shape}.")
    return size


def _dense_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool,
    blank_index: int,
    name: str | None,
) -> Tensor:
    inputs = [logits, labels, label_length, logit_length]
    with op_scope(name, "ctc_loss_dense", inputs):
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        label_length = convert_to_tensor(label_length, name="label_length")
        logit_length = convert_to_tensor(logit_length, name="logit_length")
        if not logits_time_major:
            logits = transpose(logits, [1, 0, 2])
        if blank_index:
            logits, labels = _with_blank_first(logits, labels, blank_index)
        # Half precision has no room for the logarithms of impossible paths.
        is_half = logits.dtype in HALVES
        logs = log_softmax(cast(logits, dtypes.float32) if is_half else logits)
        loss = _path_loss(logs, _with_blanks(labels), label_length, logit_length)
        return cast(loss, logits.dtype)


def _with_blank_first(logits: Tensor, labels: Tensor, blank_index: int) -> tuple[Tensor, Tensor]:
    if blank_index < 0:
        blank_index += _known_size(logits, 2)
    places = (slice(blank_index, blank_index + 1), slice(None, blank_index))
    parts = [get_item(logits, (_ALL, _ALL, part)) for part in places]
    parts.append(get_item(logits, (_ALL, _ALL, slice(blank_index + 1, None))))
    moved: Any = labels
    return concat(parts, 2), where_v2(less(labels, blank_index), moved + 1, labels)


def _with_blanks(labels: Tensor) -> Tensor:
    """[blank, l₁, blank, l₂, … blank] of each row, `[batch, 2 · longest + 1]`; the blank is 0."""
    sizes: Any = shape_of(labels)
    pairs = stack([zeros_like(labels), labels], axis=2)
    rows = reshape(pairs, stack([get_item(sizes, 0), get_item(sizes, 1) * 2]))
    return pad(rows, [[0, 0], [0, 1]])


def _path_loss(logs: Tensor, symbols: Tensor, label_length: Tensor, logit_length: Tensor) -> Tensor:
    """The loss from log-probabilities `[time, batch, classes]`, along the places of `symbols`."""
    sizes: Any = shape_of(symbols)
    places: Any = range_(get_item(sizes, 1))
    at_places = transpose(matmul(_one_hot(symbols, logs), transpose(logs, [1, 2, 0])), [2, 0, 1])
    skips = _penalty(_may_skip(symbols, places), _FORBIDDEN, logs.dtype)
    start = zeros_like(symbols, logs.dtype) + _penalty(equal(places, 0), _FORBIDDEN, logs.dtype)
    ends: Any = expand_dims(cast(label_length, dtypes.int32), 1) * 2
    is_end = logical_or(equal(places, ends), equal(places, ends - 1))
    steps: Any = shape_of(logs)
    is_step = transpose(sequence_mask(logit_length, maxlen=get_item(steps, 0)), [1, 0])

    def advance(last: Any, step: tuple[Tensor, Tensor]) -> Tensor:
        at_place, goes_on = step
        arrivals = stack([last, _moved(last, 1), _moved(last, 2) + skips])
        return where_v2(goes_on, reduce_logsumexp(arrivals, 0) + at_place, last)

    final: Any = foldl(advance, (at_places, expand_dims(is_step, 2)), start)
    return negative(reduce_logsumexp(final + _penalty(is_end, _LOG_ZERO, logs.dtype), 1))


def _one_hot(symbols: Tensor, logs: Tensor) -> Tensor:
    sizes: Any = shape_of(logs)
    return one_hot(symbols, get_item(sizes, 2), dtype=logs.dtype)


def _may_skip(symbols: Tensor, places: Any) -> Tensor:
    """Whether paths may leave out the blank before a place: if the labels around it differ."""
    before = get_item(pad(symbols, [[0, 0], [2, 0]]), (_ALL, slice(None, -2)))
    return logical_and(equal(places % 2, 1), not_equal(symbols, before))


def _penalty(is_allowed: Tensor, otherwise: float, dtype: Any) -> Any:
    return where_v2(is_allowed, constant(0, dtype), constant(otherwise, dtype))


def _moved(values: Tensor, by: int) -> Any:
    """`values` moved to later places; no path comes to the first ones."""
    filled = pad(values, [[0, 0], [by, 0]], constant_values=_FORBIDDEN)
    return get_item(filled, (_ALL, slice(None, -by)))
