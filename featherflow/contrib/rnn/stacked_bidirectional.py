"""Bidirectional networks on top of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.ops.core_array_ops import concat
from featherflow.ops.variable_scope import variable_scope
from featherflow.rnn.bidirectional import bidirectional_dynamic_rnn, static_bidirectional_rnn


def _checked(
    cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any
) -> tuple[list[Any], list[Any]]:
    """Initial states for each layer, forwards and backwards.

    Raises:
      ValueError: cells or states are not lists of one length.
    """
    for name, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if not isinstance(cells, list):
            raise ValueError(f"{name} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    if not cells_fw:
        raise ValueError("Must specify at least one fw cell for BidirectionalRNN.")
    states = []
    for name, given in (("initial_states_fw", states_fw), ("initial_states_bw", states_bw)):
        if given is not None and (not isinstance(given, list) or len(given) != len(cells_fw)):
            raise ValueError(f"{name} must be a list of state tensors (one per layer).")
        states.append([None] * len(cells_fw) if given is None else given)
    return states[0], states[1]


@export_v1("contrib.rnn.stack_bidirectional_dynamic_rnn")
def stack_bidirectional_dynamic_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: Any,
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """`bidirectional_dynamic_rnn` layer by layer, each on the outputs of both directions.

    Args:
      cells_fw, cells_bw: a cell for each layer.
      initial_states_fw, initial_states_bw: a state for each; None takes zeros.
      scope: a variable scope or its name; None is "stack_bidirectional_rnn".
      inputs, dtype, sequence_length, parallel_iterations, time_major, swap_memory: see
        `dynamic_rnn`.
    Returns:
      The outputs of both directions of the last layer, side by side; the last states, forwards and
      backwards, of all layers.
    Raises:
      ValueError: cells or states are not lists of one length.
    """
    first_fw, first_bw = _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    last_fw, last_bw = [], []
    layer_inputs = inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for index, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope(f"cell_{index}"):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    cell_fw,
                    cell_bw,
                    layer_inputs,
                    initial_state_fw=first_fw[index],
                    initial_state_bw=first_bw[index],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                layer_inputs = concat(outputs, 2)
            last_fw.append(state_fw)
            last_bw.append(state_bw)
    return layer_inputs, tuple(last_fw), tuple(last_bw)


@export_v1("contrib.rnn.stack_bidirectional_rnn")
def stack_bidirectional_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: Sequence[Any],
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """`static_bidirectional_rnn` layer by layer; see `stack_bidirectional_dynamic_rnn`."""
    first_fw, first_bw = _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    last_fw, last_bw = [], []
    layer_inputs = inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for index, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope(f"cell_{index}"):
                layer_inputs, state_fw, state_bw = static_bidirectional_rnn(
                    cell_fw,
                    cell_bw,
                    layer_inputs,
                    first_fw[index],
                    first_bw[index],
                    dtype,
                    sequence_length,
                )
            last_fw.append(state_fw)
            last_bw.append(state_bw)
    return layer_inputs, tuple(last_fw), tuple(last_bw)
