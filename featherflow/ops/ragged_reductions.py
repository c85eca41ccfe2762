"""Reductions of RaggedTensors along their rows, and over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.gather_ops import gather, unsorted_segment_sum
from featherflow.ops.ragged_splits import row_ids
from featherflow.ops.ragged_tensor import RaggedTensor
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.segment_ops import (
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.sum_ops import reduce as reduce_tensor

_SEGMENTS: dict[str, Callable[..., Tensor]] = {
    "Sum": unsorted_segment_sum,
    "Mean": unsorted_segment_mean,
    "Prod": unsorted_segment_prod,
    "Max": unsorted_segment_max,
    "Min": unsorted_segment_min,
}


def reduce_ragged(
    ragged: RaggedTensor, op: Any, axis: Any, keepdims: bool | None, name: str | None
) -> Any:
    """The reduction of `ragged` that the op of tensors `op` names, over `axis`.

    Raises:
      ValueError: the axis is out of range.
      NotImplementedError: no such reduction of RaggedTensors exists.
    """
    if op.name not in _SEGMENTS:
        raise NotImplementedError(f"There is no {op.name} of RaggedTensors.")
    with op_scope(name, f"RaggedReduce{op.name}"):
        if axis is None:
            return reduce_tensor(op, ragged.flat_values, None, keepdims, None)
        axes = sorted({_positive(item, ragged) for item in _as_list(axis)}, reverse=True)
        result: Any = ragged
        for place in axes:
            result = _reduced(result, op, place, keepdims)
        return result


def _as_list(axis: Any) -> list[int]:
    return list(axis) if isinstance(axis, (list, tuple)) else [int(axis)]


def _positive(axis: int, ragged: RaggedTensor) -> int:
    rank = ragged.shape.rank
    if axis < 0 and rank is None:
        raise ValueError("A negative axis needs a RaggedTensor of known rank.")
    place = axis if axis >= 0 else axis + (rank or 0)
    if place < 0 or (rank is not None and place >= rank):
        raise ValueError(f"axis={axis} is out of range for a RaggedTensor of rank {rank}.")
    return place


def _reduced(value: Any, op: Any, axis: int, keepdims: bool | None) -> Any:
    if not isinstance(value, RaggedTensor):
        return reduce_tensor(op, value, axis, keepdims, None)
    if axis >= 2:
        return value.with_values(_reduced(value.values, op, axis - 1, keepdims))
    if isinstance(value.values, RaggedTensor):
        raise NotImplementedError("Rows of ragged rows are reduced along the innermost ones only.")
    combine = _SEGMENTS[op.name]
    ids = row_ids(value.row_splits)
    if axis == 1:
        result = combine(value.values, ids, value.nrows(dtypes.int32))
    else:
        # The place of each value in its row says which of the results it belongs to.
        places: Any = cast(range_(size_of(ids)), ids.dtype)
        within = places - gather(value.row_starts(), ids)
        result = combine(value.values, within, cast(reduce_max(value.row_lengths()), dtypes.int32))
    return expand_dims(result, axis) if keepdims else result
