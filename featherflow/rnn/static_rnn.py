"""tf.nn.static_rnn: a cell applied to a list of inputs, with nodes of its own for each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.fill_ops import zeros
from featherflow.ops.identity_ops import identity
from featherflow.ops.reduction_ops import reduce_max, reduce_min
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.variable_caching import read_locally
from featherflow.ops.variable_scope import variable_scope
from featherflow.rnn.rnn_cell import check_cell, initial_state_of
from featherflow.rnn.time_step import skipping_step
from featherflow.rnn.zero_states import joined_sizes, joined_static_shape, state_dtype


@export_v1("nn.static_rnn")
def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """outputs[t], state = cell(inputs[t], state), for all t.

    Args:
      cell: an `RNNCell`.
      inputs: a list of tensors `[batch, size]`, or of nests of these, one for each step.
      initial_state: in the form of the cell's state; None takes zeros.
      dtype: of the initial state and outputs; needed where there is no initial state.
      sequence_length: of each sequence, `[batch]`; past the end outputs are zeros, and the state is
        that of the last step.
      scope: a variable scope or its name; None is "rnn".
    Returns:
      The list of outputs, and the last state.
    Raises:
      TypeError: `cell` is no cell, or `inputs` is no list.
      ValueError: there are no inputs, sizes are not known or do not fit, or neither an initial
        state nor a dtype is given.
    """
    check_cell("cell", cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a sequence, received {inputs!r}.")
    if not inputs:
        raise ValueError("inputs must not be empty")
    outputs = []
    with variable_scope(scope or "rnn") as opened:
        read_locally(opened)
        fixed_batch_size = _static_batch_size(inputs)
        batch_size: Any = fixed_batch_size
        if batch_size is None:
            sizes: Any = shape_of(nest.flatten(inputs[0])[0])
            batch_size = sizes[0]
        if initial_state is not None:
            state = initial_state
        elif dtype is None:
            raise ValueError("If no initial_state is provided, dtype must be specified")
        else:
            state = initial_state_of(cell, batch_size, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = _Lengths(
                sequence_length,
                lambda: _zero_output(cell, batch_size, fixed_batch_size, dtype, state),
            )
        for time, step_input in enumerate(inputs):
            if time > 0:
                opened.reuse_variables()
            if lengths is None:
                output, state = cell(step_input, state)
            else:
                output, state = lengths.step(cell, time, step_input, state)
            outputs.append(output)
    return outputs, state


def _static_batch_size(inputs: Sequence[Any]) -> int | None:
    """The first dimension of all inputs, if it is known.

    Raises:
      ValueError: inputs differ in it, or another dimension is not known.
    """
    batch = TensorShape([None])
    for step_input in nest.flatten(list(inputs)):
        shape = step_input.shape.with_rank_at_least(1)
        batch = batch.merge_with(shape[:1])
        for axis, size in enumerate(shape.as_list()[1:], 1):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {axis} of input {step_input}) must be accessible via "
                    "shape inference, but saw value None."
                )
    return batch.as_list()[0]


def _zero_output(
    cell: Any, batch_size: Any, fixed_batch_size: int | None, dtype: Any, state: Any
) -> Any:
    """Zeros in the form of the cell's output."""

    def zero_tensor(size: Any) -> Tensor:
        result = zeros(joined_sizes(batch_size, size), state_dtype(dtype, state))
        result.set_shape(joined_static_shape(fixed_batch_size, size))
        return result

    return nest.map_structure(zero_tensor, cell.output_size)


class _Lengths:
    """The lengths of the sequences, and the zeros that come after their ends."""

    def __init__(self, sequence_length: Any, make_zero_output: Callable[[], Any]) -> None:
        lengths = convert_to_tensor(sequence_length, name="sequence_length")
        if lengths.shape.rank not in (None, 1):
            raise ValueError("sequence_length must be a vector of length batch_size")
        self.zero_output = make_zero_output()
        self.lengths = cast(lengths, dtypes.int32)
        self.shortest = reduce_min(self.lengths)
        self.longest = reduce_max(self.lengths)

    def step(self, cell: Any, time: int, step_input: Any, state: Any) -> tuple[Any, Any]:
        """One step of the cell, for the sequences that have not ended."""
        return skipping_step(
            time,
            self.lengths,
            self.shortest,
            self.longest,
            self.zero_output,
            state,
            lambda: cell(step_input, state),
        )


@export_v1("nn.static_state_saving_rnn")
def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_rnn` that takes its first state from an object, and gives it the last.

    Args:
      cell, inputs, sequence_length, scope: see `static_rnn`.
      state_saver: has the methods `state(name)` and `save_state(name, value)`.
      state_name: the name, or nest of names in the form of the cell's state.
    Returns:
      The list of outputs, and the last state. The last output waits for the state to be saved.
    Raises:
      ValueError: the names are not in the form of the state.
    """
    names = nest.flatten(state_name)
    sizes = nest.flatten(cell.state_size)
    if nest.is_nested(state_name) != nest.is_nested(cell.state_size):
        raise ValueError(
            "state_name should be the same type as cell.state_size. "
            f"state_name: {state_name}, cell.state_size: {cell.state_size}"
        )
    if len(names) != len(sizes):
        raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(sizes)}")
    first = [state_saver.state(name) for name in names]
    outputs, state = static_rnn(
        cell,
        inputs,
        initial_state=nest.pack_sequence_as(cell.state_size, first),
        sequence_length=sequence_length,
        scope=scope,
    )
    last = nest.flatten(state)
    saving = [state_saver.save_state(name, part) for name, part in zip(names, last)]
    with control_dependencies(saving):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
        if nest.is_nested(cell.state_size):
            state = nest.pack_sequence_as(state, [identity(part) for part in last])
        else:
            state = identity(state)
    return outputs, state
