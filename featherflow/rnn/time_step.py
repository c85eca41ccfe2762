"""One step of a loop over sequences of different lengths: the ones that ended keep their state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import nest
from featherflow.graph.graph_api import colocate_with
from featherflow.graph.tensor import Tensor
from featherflow.ops.cond import cond
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.where_ops import where

CallCell = Callable[[], tuple[Any, Any]]


def kept_where(ended: Tensor, old: Any, new: Any) -> Any:
    """`old` for the sequences that ended, else `new`; scalars and TensorArrays are always new."""
    if isinstance(old, TensorArray) or new.shape.rank == 0:
        return new
    with colocate_with(new):
        return where(ended, old, new)


def masked_step(
    time: Any, lengths: Tensor, zero_output: Any, state: Any, call_cell: CallCell
) -> tuple[Any, Any]:
    """A step of the cell; sequences shorter than `time` put out zeros and keep their state.

    Args:
      time: the index of the step.
      lengths: of the sequences, `[batch]`.
      zero_output: in the form of the output.
      state: before the step.
      call_cell: gives the output and the new state.
    """
    ended = time >= lengths
    output, new_state = call_cell()
    nest.assert_same_structure(state, new_state)
    return _kept(ended, zero_output, output), _kept(ended, state, new_state)


def _kept(ended: Tensor, old: Any, new: Any) -> Any:
    leaves = [
        kept_where(ended, first, second)
        for first, second in zip(nest.flatten(old), nest.flatten(new))
    ]
    result = nest.pack_sequence_as(new, leaves)
    for before, after in zip(nest.flatten(new), leaves):
        if isinstance(after, Tensor):
            after.set_shape(before.shape)
    return result


def skipping_step(
    time: int,
    lengths: Tensor,
    shortest: Tensor,
    longest: Tensor,
    zero_output: Any,
    state: Any,
    call_cell: CallCell,
) -> tuple[Any, Any]:
    """`masked_step` that does not run the cell at all once every sequence has ended.

    Args:
      shortest, longest: the extremes of `lengths`.
      time, lengths, zero_output, state, call_cell: see `masked_step`.
    """
    old = nest.flatten(zero_output) + nest.flatten(state)
    ended = time >= lengths

    def run() -> list[Any]:
        output, new_state = call_cell()
        nest.assert_same_structure(state, new_state)
        new = nest.flatten(output) + nest.flatten(new_state)
        return _as_list(
            cond(
                time < shortest,
                lambda: new,
                lambda: [kept_where(ended, first, second) for first, second in zip(old, new)],
            )
        )

    results = _as_list(cond(time >= longest, lambda: old, run))
    for before, value in zip(old, results):
        if isinstance(before, Tensor):
            value.set_shape(before.shape)
    count = len(nest.flatten(zero_output))
    return (
        nest.pack_sequence_as(zero_output, results[:count]),
        nest.pack_sequence_as(state, results[count:]),
    )


def _as_list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]
