"""MultiRNNCell: cells on top of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import nest
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import name_scope
from featherflow.ops.core_array_ops import concat, slice_
from featherflow.ops.variable_scope import variable_scope
from featherflow.rnn.rnn_cell import RNNCell, check_cell


@export_v1("nn.rnn_cell.MultiRNNCell")
class MultiRNNCell(RNNCell):
    """Cells on top of each other: the output of each is the input of the next.

    Args:
      cells: a list of cells, the lowest first.
      state_is_tuple: whether the state is a tuple of theirs, or these side by side.
    Raises:
      ValueError: there are no cells, or a state that is a tuple cannot be put beside others.
      TypeError: `cells` is not a list, or holds something else than cells.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells and isinstance(cells, (list, tuple)):
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but received: {cells}.")
        for cell in cells:
            check_cell("cells", cell)
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple
        sizes = [cell.state_size for cell in cells]
        if not state_is_tuple and any(nest.is_nested(size) for size in sizes):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. "
                f"State sizes are: {sizes}"
            )

    @property
    def state_size(self) -> Any:
        """The sizes of the cells' states, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        return self._cells[-1].output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of all cells that optimisers change."""
        return self._collected("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The others."""
        others = self._collected("non_trainable_weights")
        return others if self.trainable else [*self._collected("trainable_weights"), *others]

    def _collected(self, kind: str) -> list[Any]:
        return [weight for cell in self._cells for weight in getattr(cell, kind, ())]

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The zero states of the cells, or zeros for all side by side."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step of all cells.

        Raises:
          ValueError: the state is not a tuple of as many as there are cells.
        """
        if self._state_is_tuple and not (nest.is_nested(state) and len(state) == len(self._cells)):
            raise ValueError(
                f"Expected state to be a tuple of length {len(self._cells)}, but received: {state}"
            )
        position, new_states = 0, []
        for index, cell in enumerate(self._cells):
            with variable_scope(f"cell_{index}"):
                if self._state_is_tuple:
                    own = state[index]
                else:
                    own = slice_(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                inputs, new_state = cell(inputs, own)
                new_states.append(new_state)
        return inputs, tuple(new_states) if self._state_is_tuple else concat(new_states, 1)
