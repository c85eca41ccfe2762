"""Signals cut into overlapping frames, and frames added up to a signal again."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.gather_ops import gather
from featherflow.ops.one_hot_ops import one_hot
from featherflow.ops.pack_ops import stack
from featherflow.ops.padding_ops import pad
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.transpose_ops import transpose


def integer_scalar(value: Any, name: str) -> Any:
    """`value` as an integer where it is known, else as a tensor; it must be a scalar."""
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    if not tensor.dtype.is_integer:
        raise ValueError(f"{name} must be an integer. Got {tensor.dtype!r}")
    known = constant_value(tensor)
    return tensor if known is None else int(known)


def _step(frame_step: Any) -> Any:
    step = integer_scalar(frame_step, "frame_step")
    if isinstance(step, int) and step == 0:
        raise ValueError("frame_step must not be 0.")
    return step


@export("signal.frame")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts a dimension into frames that may overlap.

    Args:
      signal: `[…, samples, …]`.
      frame_length: samples of a frame.
      frame_step: samples from the start of a frame to that of the next.
      pad_end: whether frames that begin in the signal and end behind it are made, too, filled up
        with `pad_value`.
      pad_value: a scalar.
      axis: the dimension.
      name: of the scope.
    Returns:
      `[…, frames, frame_length, …]`.
    Raises:
      ValueError: a length or step is not an integer scalar, or the step is 0.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.frame([1, 2, 3, 4, 5], 3, 2)).tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    with op_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        length = integer_scalar(frame_length, "frame_length")
        step = _step(frame_step)
        axis = integer_scalar(axis, "axis")
        signal.shape.with_rank_at_least(1)
        samples = size_of(signal, axis)
        if pad_end:
            count = -(-samples // step)
            missing = _at_least_0(length + step * (count - 1) - samples)
            signal = pad_dimension(signal, axis, missing, pad_value)
        else:
            count = _at_least_0(1 + (samples - length) // step)
        starts: Any = range_(count) * step
        places = expand_dims(starts, 1) + range_(length)
        return gather(signal, places, axis=axis)


def _at_least_0(value: Any) -> Any:
    return max(0, value) if isinstance(value, int) else maximum(0, value)


def size_of(tensor: Tensor, axis: Any) -> Any:
    """The size of a dimension: an integer where it is known, else a scalar."""
    dims = tensor.shape._dims
    if isinstance(axis, int) and dims is not None:
        known = dims[axis]
        if known is not None:
            return known
    sizes: Any = shape_of(tensor)
    return get_item(sizes, axis)


def pad_dimension(signal: Tensor, axis: Any, missing: Any, value: Any = 0) -> Tensor:
    """`signal` with `missing` more elements along a dimension."""
    dims = signal.shape._dims
    if dims is not None and isinstance(axis, int):
        known: list[Any] = [[0, 0] for _ in dims]
        known[axis] = [0, missing]
        return pad(signal, known, constant_values=value)
    rank: Any = rank_of(signal)
    counts: Any = stack([0, missing])
    paddings: Any = expand_dims(one_hot(axis % rank, rank, dtype=dtypes.int32), 1) * counts
    return pad(signal, paddings, constant_values=value)


@export("signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Adds up overlapping frames: the inverse of `frame`, where windows make up for the overlap.

        y[…, n] = Σₖ signal[…, k, n − k · frame_step]

    Args:
      signal: `[…, frames, frame_length]`.
      frame_step: samples from the start of a frame to that of the next.
      name: of the scope.
    Returns:
      `[…, (frames − 1) · frame_step + frame_length]`.
    Raises:
      ValueError: the rank is below 2, or `frame_step` is not an integer scalar.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.overlap_and_add([[1, 2, 3], [4, 5, 6]], 2)).tolist()
    [1, 2, 7, 5, 6]
    """
    with op_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = _step(frame_step)
        frames, length = size_of(signal, -2), size_of(signal, -1)
        sizes: Any = shape_of(signal)
        outer = get_item(sizes, slice(None, -2))
        parts = -(-length // step)
        signal = pad_dimension(signal, -1, parts * step - length, 0)
        cut = reshape(signal, _joined(outer, [frames, parts, step]))
        sums = reduce_sum(_skewed(cut, outer, frames, parts, step), -3)
        whole = reshape(sums, _joined(outer, [(frames + parts - 1) * step]))
        return get_item(whole, (..., slice(None, (frames - 1) * step + length)))


def _joined(outer: Any, sizes: list[Any]) -> Tensor:
    return concat([outer, stack(sizes)], 0)


def _skewed(cut: Tensor, outer: Any, frames: Any, parts: Any, step: Any) -> Tensor:
    """`[…, parts, frames + parts − 1, step]` with part p of a frame moved p places later.

    Rows of frames + parts places, written one behind the other and read in rows that are one place
    shorter, are shifted by one more place each.
    """
    rank: Any = rank_of(cut)
    order = concat([range_(rank - 3), stack([rank - 2, rank - 3, rank - 1])], 0)
    swapped = pad_dimension(transpose(cut, order), -2, parts, 0)
    flat = reshape(swapped, _joined(outer, [parts * (frames + parts), step]))
    kept = get_item(flat, (..., slice(None, parts * (frames + parts - 1)), slice(None)))
    return reshape(kept, _joined(outer, [parts, frames + parts - 1, step]))
