"""AttentionWrapper: a cell that looks at a memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from featherflow.contrib.seq2seq.attention import AttentionMechanism, weighted_sum
from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.layers.core_layers import Dense
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.identity_ops import identity
from featherflow.ops.tensor_array import TensorArray
from featherflow.rnn.rnn_cell import RNNCell, check_cell, initial_state_of
from featherflow.rnn.zero_states import zero_state_tensors


@export_v1("contrib.seq2seq.AttentionWrapperState")
class AttentionWrapperState(NamedTuple):
    """The state of a cell that looks at a memory.

    Attributes:
      cell_state: that of the cell.
      attention: what was last taken from the memory, `[batch, size]`.
      time: the number of the step.
      alignments: the last probabilities of the parts, `[batch, parts]`.
      alignment_history: those of all steps, a TensorArray; or ().
      attention_state: that of the mechanism.
    """

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with some parts replaced, which keep their static shapes."""

        def shaped(old: Any, new: Any) -> Any:
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                new.set_shape(old.shape)
            return new

        return nest.map_structure(shaped, self, self._replace(**kwargs))


@export_v1("contrib.seq2seq.AttentionWrapper")
class AttentionWrapper(RNNCell):
    """A cell whose input is joined by what it last took from a memory. Luong et al. 2015.

    Args:
      cell: the cell.
      attention_mechanism: one, or a list of several.
      attention_layer_size: the size of what is made of the cell's output and the context by a layer
        without bias; None takes the context alone. A list for several mechanisms.
      alignment_history: whether to keep the probabilities of all steps.
      cell_input_fn: makes the cell's input of inputs and attention; None puts them side by side.
      output_attention: whether the output is the attention, or the cell's.
      initial_cell_state: the state of the cell to start with; None takes zeros.
      name: of the cell and its scope.
      attention_layer: the layer, or a list, in the place of `attention_layer_size`.
    Raises:
      TypeError: a mechanism is none, or a function cannot be called.
      ValueError: both a layer and its size are given, or not as many as there are mechanisms.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
    ) -> None:
        super().__init__(name=name)
        check_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = list(attention_mechanism) if self._is_multi else [attention_mechanism]
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or list of these, not "
                    f"{type(mechanism).__name__}"
                )
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn)}")
        self._cell = cell
        self._cell_input_fn = cell_input_fn or _side_by_side
        self._layers = self._attention_layers(attention_layer_size, attention_layer)
        self._alignment_history, self._output_attention = alignment_history, output_attention
        self._initial_cell_state = initial_cell_state
        if initial_cell_state is not None:
            with name_scope(name, "AttentionWrapperInit"):
                self._initial_cell_state = nest.map_structure(
                    lambda part: identity(part, name="check_initial_cell_state"),
                    initial_cell_state,
                )

    def _attention_layers(self, sizes: Any, layers: Any) -> list[Any]:
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        given = layers if sizes is None else sizes
        if given is None:
            return [None] * len(self._mechanisms)
        found = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(found) != len(self._mechanisms):
            raise ValueError(
                "If provided, attention_layer_size must contain exactly one integer per "
                f"attention_mechanism, saw: {len(found)} vs {len(self._mechanisms)}"
            )
        if sizes is None:
            return found
        return [Dense(size, name="attention_layer", use_bias=False) for size in found]

    # --- sizes and states -------------------------------------------------------------------------

    @property
    def _attention_size(self) -> Any:
        sizes = [
            mechanism.values.shape.as_list()[-1] if layer is None else layer.units
            for mechanism, layer in zip(self._mechanisms, self._layers)
        ]
        return sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the attention, or the cell's."""
        return self._attention_size if self._output_attention else self._cell.output_size

    def _per_mechanism(self, parts: list[Any]) -> Any:
        """One part for one mechanism, else a tuple."""
        return tuple(parts) if self._is_multi else parts[0]

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the parts of the state."""
        sizes = [mechanism.alignments_size for mechanism in self._mechanisms]
        history: Any = sizes if self._alignment_history else [()] * len(sizes)
        return AttentionWrapperState(
            self._cell.state_size,
            self._attention_size,
            TensorShape([]),
            self._per_mechanism(sizes),
            self._per_mechanism(history) if self._alignment_history else (),
            self._per_mechanism([mechanism.state_size for mechanism in self._mechanisms]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = initial_state_of(self._cell, batch_size, dtype)
            alignments = [
                mechanism.initial_alignments(batch_size, dtype) for mechanism in self._mechanisms
            ]
            states = [mechanism.initial_state(batch_size, dtype) for mechanism in self._mechanisms]
            history: Any = ()
            if self._alignment_history:
                history = self._per_mechanism(
                    [
                        TensorArray(dtype, size=0, dynamic_size=True, element_shape=item.shape)
                        for item in alignments
                    ]
                )
            return AttentionWrapperState(
                cell_state,
                zero_state_tensors(self._attention_size, batch_size, dtype),
                constant(0, dtypes.int32),
                self._per_mechanism(alignments),
                history,
                self._per_mechanism(states),
            )

    # --- one step ---------------------------------------------------------------------------------

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step of the cell, and a look at the memory."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead."
            )
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        cell_output, cell_state = self._cell(cell_inputs, state.cell_state)
        attentions, alignments, states, histories = [], [], [], []
        for index, mechanism in enumerate(self._mechanisms):
            previous = state.attention_state[index] if self._is_multi else state.attention_state
            aligned, next_state = mechanism(cell_output, state=previous)
            attention = weighted_sum(aligned, mechanism.values)
            layer = self._layers[index]
            if layer is not None:
                attention = layer(concat([cell_output, attention], 1))
            attentions.append(attention)
            alignments.append(aligned)
            states.append(next_state)
            if self._alignment_history:
                history = state.alignment_history
                history = history[index] if self._is_multi else history
                histories.append(history.write(state.time, aligned))
        attention = concat(attentions, 1) if len(attentions) > 1 else attentions[0]
        new_state = AttentionWrapperState(
            cell_state,
            attention,
            state.time + 1,
            self._per_mechanism(alignments),
            self._per_mechanism(histories) if self._alignment_history else (),
            self._per_mechanism(states),
        )
        return (attention if self._output_attention else cell_output), new_state


def _side_by_side(inputs: Any, attention: Any) -> Tensor:
    return concat([inputs, attention], -1)
