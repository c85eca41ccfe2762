"""Two cells, one from the first step to the last, one from the last to the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.pack_ops import stack, unstack
from featherflow.ops.reverse_ops import reverse, reverse_sequence
from featherflow.ops.variable_scope import variable_scope
from featherflow.rnn.dynamic_rnn import dynamic_rnn
from featherflow.rnn.rnn_cell import check_cell
from featherflow.rnn.static_rnn import static_rnn


@export_v1("nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """`dynamic_rnn` forwards with one cell, and backwards with another.

    Args:
      cell_fw, cell_bw: the cells.
      inputs, sequence_length, dtype, parallel_iterations, swap_memory, time_major: see
        `dynamic_rnn`.
      initial_state_fw, initial_state_bw: the states to start with; None takes zeros.
      scope: a variable scope or its name; None is "bidirectional_rnn".
    Returns:
      `(outputs_fw, outputs_bw), (state_fw, state_bw)`; both outputs are in the order of the inputs.

    >>> import featherflow as tf
    >>> cells = tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(5)
    >>> outputs, states = tf.nn.bidirectional_dynamic_rnn(
    ...     *cells, tf.ones([2, 6, 3]), dtype=tf.float32)
    >>> tf.concat(outputs, 2).shape.as_list()
    [2, 6, 9]
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)
    options: dict[str, Any] = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }

    def reversed_in_time(tensor: Any) -> Tensor:
        if sequence_length is None:
            return reverse(tensor, [time_axis])
        return reverse_sequence(tensor, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            outputs_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=forward, **options
            )
        with variable_scope("bw") as backward:
            reversed_inputs = nest.map_structure(reversed_in_time, inputs)
            reversed_outputs, state_bw = dynamic_rnn(
                cell_bw, reversed_inputs, initial_state=initial_state_bw, scope=backward, **options
            )
    outputs_bw = nest.map_structure(reversed_in_time, reversed_outputs)
    return (outputs_fw, outputs_bw), (state_fw, state_bw)


@export_v1("nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """`static_rnn` forwards with one cell, and backwards with another.

    Args:
      cell_fw, cell_bw: the cells.
      inputs, dtype, sequence_length: see `static_rnn`.
      initial_state_fw, initial_state_bw: the states to start with; None takes zeros.
      scope: a variable scope or its name; None is "bidirectional_rnn".
    Returns:
      The outputs of both cells side by side, one for each step; the last state of each.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a sequence, received {inputs!r}.")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            outputs_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward
            )
        with variable_scope("bw") as backward:
            reversed_inputs = _reversed_steps(inputs, sequence_length)
            reversed_outputs, state_bw = static_rnn(
                cell_bw, reversed_inputs, initial_state_bw, dtype, sequence_length, scope=backward
            )
    outputs_bw = _reversed_steps(reversed_outputs, sequence_length)
    outputs = [
        nest.map_structure(lambda first, second: concat([first, second], 1), *pair)
        for pair in zip(outputs_fw, outputs_bw)
    ]
    return outputs, state_fw, state_bw


def _reversed_steps(steps: Sequence[Any], lengths: Any) -> list[Any]:
    """The steps in reverse; of sequences of different lengths each within its own."""
    if lengths is None:
        return list(reversed(steps))
    columns = zip(*(nest.flatten(step) for step in steps))
    reversed_columns = [_reversed_column(column, lengths) for column in columns]
    return [
        nest.pack_sequence_as(step, list(leaves))
        for step, leaves in zip(steps, zip(*reversed_columns))
    ]


def _reversed_column(column: Sequence[Tensor], lengths: Any) -> list[Tensor]:
    shape = TensorShape([None] * (column[0].shape.rank or 0))
    for tensor in column:
        shape = shape.merge_with(tensor.shape)
    for tensor in column:
        tensor.set_shape(shape)
    joined = reverse_sequence(stack(list(column)), lengths, 0, 1)
    results = unstack(joined)
    for tensor in results:
        tensor.set_shape(shape)
    return results
