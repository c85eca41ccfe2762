"""tf.nn.dynamic_rnn: a cell applied to sequences, in a loop of the graph."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import control_dependencies, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.fill_ops import zeros
from featherflow.ops.identity_ops import identity
from featherflow.ops.pack_ops import stack
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_all, reduce_max, reduce_min
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.variable_caching import read_locally
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.while_loop import while_loop
from featherflow.rnn.rnn_cell import check_cell, initial_state_of
from featherflow.rnn.time_step import masked_step
from featherflow.rnn.zero_states import joined_sizes, joined_static_shape, state_dtype


@export_v1("nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """outputs[:, t], state = cell(inputs[:, t], state), for all t.

    Args:
      cell: an `RNNCell`.
      inputs: `[batch, time, …]`, or a nest of these; `[time, batch, …]` with `time_major`.
      sequence_length: of each sequence, `[batch]`; past the end outputs are zeros, and the state is
        that of the last step. None: all are as long as the inputs.
      initial_state: in the form of the cell's state; None takes zeros.
      dtype: of the initial state and outputs; needed where there is no initial state.
      parallel_iterations: how many steps may be under way at once; None means 32.
      swap_memory: accepted for compatibility: all memory is the host's.
      time_major: whether the time comes before the batch; that spares two transpositions.
      scope: a variable scope or its name; None is "rnn".
    Returns:
      The outputs in the layout of the inputs, in the form of the cell's; and the last state.
    Raises:
      TypeError: `cell` is no cell.
      ValueError: neither an initial state nor a dtype is given, or sizes do not fit.

    >>> import featherflow as tf
    >>> cell = tf.nn.rnn_cell.GRUCell(4)
    >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
    >>> outputs.shape.as_list(), state.shape.as_list()
    ([2, 5, 4], [2, 4])
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn") as opened:
        read_locally(opened)
        if not time_major:
            flat = [convert_to_tensor(item) for item in nest.flatten(inputs)]
            inputs = nest.pack_sequence_as(inputs, [_batch_and_time_swapped(item) for item in flat])
        else:
            inputs = nest.map_structure(convert_to_tensor, inputs)
        lengths = None if sequence_length is None else _vector_of_lengths(sequence_length)
        batch_size = batch_size_of(nest.flatten(inputs))
        if initial_state is not None:
            state = initial_state
        elif dtype is None:
            raise ValueError("If there is no initial_state, you must give a dtype.")
        else:
            state = initial_state_of(cell, batch_size, dtype)
        if lengths is not None:
            lengths = _checked_lengths(lengths, batch_size)
        loop = _Loop(cell, inputs, state, lengths, dtype)
        outputs, final_state = loop.run(parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(_batch_and_time_swapped, outputs)
        return outputs, final_state


def _batch_and_time_swapped(tensor: Tensor) -> Tensor:
    """`[a, b, …]` → `[b, a, …]`.

    Raises:
      ValueError: there are less than two dimensions.
    """
    shape = tensor.shape
    if shape.rank is not None and shape.rank < 2:
        raise ValueError(
            f"Expected tensor {tensor.name} to have rank at least 2, but saw shape: {shape}"
        )
    order = concat([[1, 0], range_(2, rank_of(tensor))], 0)
    result = transpose(tensor, order)
    if shape.rank is not None:
        sizes = shape.as_list()
        result.set_shape([sizes[1], sizes[0], *sizes[2:]])
    return result


def batch_size_of(flat_inputs: list[Tensor]) -> Any:
    """The second dimension of inputs: a number if one of them tells, else a scalar tensor."""
    for tensor in flat_inputs:
        if tensor.shape.rank is not None and tensor.shape.rank >= 2:
            size = tensor.shape.as_list()[1]
            if size is not None:
                return size
    sizes: Any = shape_of(flat_inputs[0])
    return sizes[1]


def _vector_of_lengths(sequence_length: Any) -> Tensor:
    """The lengths as a tensor of int32.

    Raises:
      ValueError: they are not a vector.
    """
    lengths = cast(sequence_length, dtypes.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"sequence_length must be a vector of length batch_size, but saw shape: {lengths.shape}"
        )
    return identity(lengths, name="sequence_length")


def _checked_lengths(lengths: Tensor, batch_size: Any) -> Tensor:
    """The lengths, which in the run must be as many as there are sequences."""
    found, wanted = shape_of(lengths), stack([batch_size])
    check = assert_(
        reduce_all(equal(found, wanted)),
        [f"Expected shape for Tensor {lengths.name} is ", wanted, " but saw shape: ", found],
    )
    with control_dependencies([check]):
        return identity(lengths, name="CheckSeqLen")


class _Loop:
    """The loop over the time of inputs `[time, batch, …]`."""

    def __init__(
        self, cell: Any, inputs: Any, state: Any, lengths: Tensor | None, dtype: Any
    ) -> None:
        self.cell, self.inputs, self.state, self.lengths = cell, inputs, state, lengths
        self.dtype = dtype
        self.flat_inputs = nest.flatten(inputs)
        self.output_sizes = nest.flatten(cell.output_size)
        sizes: Any = shape_of(self.flat_inputs[0])
        self.steps: Any = sizes[0]
        self.batch_size = batch_size_of(self.flat_inputs)
        self.static_steps, self.static_batch = _common_sizes(self.flat_inputs)

    def run(self, parallel_iterations: int, swap_memory: bool) -> tuple[Any, Any]:
        """The outputs `[time, batch, …]` and the last state."""
        zero_outputs = [
            zeros(joined_sizes(self.batch_size, size), state_dtype(self.dtype, self.state))
            for size in self.output_sizes
        ]
        bound = self.steps
        if self.lengths is not None:
            reduce_min(
                self.lengths
            )  # not needed, but TensorFlow makes it: later names are the same
            bound = reduce_max(self.lengths)
        time = constant(0, dtypes.int32, name="time")
        outputs, inputs = self._arrays()
        bound = minimum(self.steps, maximum(1, bound))

        def step(time: Any, outputs: list[TensorArray], state: Any) -> Any:
            current = [array.read(time) for array in inputs]
            for tensor, whole in zip(current, self.flat_inputs):
                tensor.set_shape(whole.shape[1:])
            output, state = self._step(time, current, state, zero_outputs)
            written = [
                array.write(time, item) for array, item in zip(outputs, nest.flatten(output))
            ]
            return time + 1, tuple(written), state

        _, outputs, final_state = while_loop(
            lambda time, *_: time < bound,
            step,
            (time, tuple(outputs), self.state),
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            maximum_iterations=self.steps,
        )
        return self._stacked(outputs), final_state

    def _arrays(self) -> tuple[list[TensorArray], list[TensorArray]]:
        """Empty arrays for the outputs, and the inputs by step."""
        with name_scope("dynamic_rnn") as base_name:
            pass

        def array(name: str, shape: TensorShape, dtype: Any) -> TensorArray:
            return TensorArray(
                dtype, self.steps, element_shape=shape, tensor_array_name=f"{base_name}{name}"
            )

        own_dtype = state_dtype(self.dtype, self.state)
        batch = TensorShape([self.static_batch])
        outputs = [
            array(f"output_{index}", batch.concatenate(_static_size(size)), own_dtype)
            for index, size in enumerate(self.output_sizes)
        ]
        inputs = [
            array(f"input_{index}", tensor.shape[1:], tensor.dtype)
            for index, tensor in enumerate(self.flat_inputs)
        ]
        return outputs, [item.unstack(whole) for item, whole in zip(inputs, self.flat_inputs)]

    def _step(
        self, time: Any, current: list[Tensor], state: Any, zero_outputs: list[Tensor]
    ) -> tuple[Any, Any]:
        arguments = nest.pack_sequence_as(self.inputs, current)

        def call_cell() -> tuple[Any, Any]:
            return self.cell(arguments, state)

        if self.lengths is None:
            return call_cell()
        zero_output = nest.pack_sequence_as(self.cell.output_size, zero_outputs)
        return masked_step(time, self.lengths, zero_output, state, call_cell)

    def _stacked(self, arrays: Any) -> Any:
        """The outputs of all steps, in the form of the cell's output."""
        tensors = [array.stack() for array in arrays]
        for tensor, size in zip(tensors, self.output_sizes):
            tensor.set_shape(joined_static_shape([self.static_steps, self.static_batch], size))
        return nest.pack_sequence_as(self.cell.output_size, tensors)


def _static_size(size: Any) -> TensorShape:
    return TensorShape([size] if isinstance(size, int) else size)


def _common_sizes(flat_inputs: list[Tensor]) -> tuple[int | None, int | None]:
    """The static number of steps and sequences.

    Raises:
      ValueError: inputs have less than three dimensions or an unknown rank, differ in steps or
        sequences, or the size of their elements is not known.
    """
    for tensor in flat_inputs:
        if tensor.shape.rank is None:
            raise ValueError(f"The rank of inputs must be known, but that of {tensor!r} is not.")
    shapes = [tensor.shape.with_rank_at_least(3).as_list() for tensor in flat_inputs]
    steps, batch = shapes[0][:2]
    for sizes in shapes:
        if any(size is None for size in sizes[2:]):
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                "value None."
            )
        if sizes[0] != steps:
            raise ValueError(
                "Time steps is not the same for all the elements in the input in a batch."
            )
        if sizes[1] != batch:
            raise ValueError("Batch_size is not the same for all the elements in the input.")
    return steps, batch
