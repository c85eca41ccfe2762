"""tf.nn.raw_rnn: a cell in a loop of which a function decides each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_ops import logical_not, logical_or
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import zeros
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.variable_caching import read_locally
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.while_loop import while_loop
from featherflow.rnn.rnn_cell import check_cell
from featherflow.rnn.time_step import kept_where
from featherflow.rnn.zero_states import joined_sizes


@export_v1("nn.raw_rnn")
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Applies a cell as long as a function says that a sequence has not ended.

    The function is called once before the first step, with None for output, state and loop state,
    and after each step. It takes `(time, cell_output, cell_state, loop_state)` and returns
    `(elements_finished, next_input, next_cell_state, emit_output, next_loop_state)`.

    Args:
      cell: an `RNNCell`.
      loop_fn: the function. Its first call returns the first input and state, and as `emit_output`
        tensors without the batch dimension that tell shape and dtype of what is put out, or None
        for the cell's; `next_loop_state` may be None.
      parallel_iterations: how many steps may be under way at once; None means 32.
      swap_memory: accepted for compatibility: all memory is the host's.
      scope: a variable scope or its name; None is "rnn".
    Returns:
      A TensorArray, or nest of these, of what was put out, the last state, and the last loop state.
      Sequences that ended put out zeros and keep their state.
    Raises:
      TypeError: `cell` is no cell, or `loop_fn` cannot be called.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn") as opened:
        read_locally(opened)
        time = constant(0, dtypes.int32)
        finished, inputs, state, emit, loop_state = loop_fn(time, None, None, None)
        nest.assert_same_structure(state, cell.state_size)
        has_loop_state = loop_state is not None
        if not has_loop_state:
            loop_state = constant(0, dtypes.int32)
        loop = _Loop(cell, loop_fn, inputs, state, emit)
        results = while_loop(
            lambda time, finished, *_: logical_not(reduce_all(finished)),
            loop.step,
            [time, finished, inputs, loop.arrays, loop.state, loop_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        arrays, final_state, final_loop_state = results[-3:]
        return arrays, final_state, final_loop_state if has_loop_state else None


class _Loop:
    """The form of what the loop puts out, and its step."""

    def __init__(
        self, cell: Any, loop_fn: Callable[..., Any], inputs: Any, state: Any, emit: Any
    ) -> None:
        self._cell, self._loop_fn = cell, loop_fn
        flat_inputs = nest.flatten(inputs)
        batch = TensorShape([None])
        for tensor in flat_inputs:
            batch = batch.merge_with(tensor.shape[:1] if tensor.shape.rank else batch)
        batch_size: Any = batch.as_list()[0]
        if batch_size is None:
            sizes: Any = shape_of(flat_inputs[0])
            batch_size = sizes[0]
        flat_state = [convert_to_tensor(item) for item in nest.flatten(state)]
        self.state = nest.pack_sequence_as(state, flat_state)
        form, emitted = self._emitted(emit, flat_state[0].dtype)
        arrays = [
            TensorArray(
                dtype,
                size=0,
                dynamic_size=True,
                element_shape=batch.concatenate(_static(size)),
                name=f"rnn_output_{index}",
            )
            for index, (size, dtype) in enumerate(emitted)
        ]
        zero_outputs = [zeros(joined_sizes(batch_size, size), dtype) for size, dtype in emitted]
        self.arrays = nest.pack_sequence_as(form, arrays)
        self.zero_output = nest.pack_sequence_as(form, zero_outputs)

    def _emitted(self, emit: Any, dtype: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        """The form of what is put out, and (size, dtype) of each leaf."""
        if emit is None:
            form = self._cell.output_size
            return form, [(size, dtype) for size in nest.flatten(form)]
        tensors = [convert_to_tensor(item) for item in nest.flatten(emit)]
        return emit, [
            (item.shape if item.shape.is_fully_defined() else shape_of(item), item.dtype)
            for item in tensors
        ]

    def step(
        self, time: Any, finished: Any, inputs: Any, arrays: Any, state: Any, loop_state: Any
    ) -> tuple[Any, ...]:
        """One step of the cell, and what the function makes of it."""
        output, cell_state = self._cell(inputs, state)
        nest.assert_same_structure(state, cell_state)
        nest.assert_same_structure(self._cell.output_size, output)
        next_time = time + 1
        next_finished, next_inputs, next_state, emit, next_loop_state = self._loop_fn(
            next_time, output, cell_state, loop_state
        )
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(inputs, next_inputs)
        nest.assert_same_structure(arrays, emit)
        if next_loop_state is None:
            next_loop_state = loop_state
        emit = _kept(finished, self.zero_output, emit)
        next_state = _kept(finished, state, next_state)
        arrays = nest.map_structure(lambda array, item: array.write(time, item), arrays, emit)
        finished = logical_or(finished, next_finished)
        return next_time, finished, next_inputs, arrays, next_state, next_loop_state


def _kept(finished: Tensor, old: Any, new: Any) -> Any:
    return nest.map_structure(lambda first, second: kept_where(finished, first, second), old, new)


def _static(size: Any) -> TensorShape:
    """The static shape of a size: its length alone where it is a tensor."""
    if isinstance(size, Tensor):
        return TensorShape([None] * (size.shape.as_list()[0] or 0))
    return TensorShape([size] if isinstance(size, int) else size)
