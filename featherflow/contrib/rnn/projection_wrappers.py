"""Cells whose inputs or outputs are projected or looked up."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.embedding_ops import embedding_lookup
from featherflow.ops.init_ops import RandomUniform, Zeros
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.variable_scope import get_variable, get_variable_scope
from featherflow.rnn.rnn_cell import RNNCell, check_cell, initial_state_of


class _Wrapper(RNNCell):
    """A cell with variables of its own around another."""

    def __init__(self, cell: Any, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        check_cell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """That of the other cell."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the other cell."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """That of the other cell."""
        return initial_state_of(self._cell, batch_size, dtype)


def linear(value: Any, size: int) -> Any:
    """value · kernel + bias, with variables of the current scope."""
    depth = value.shape.as_list()[1]
    kernel = get_variable("kernel", [depth, size], dtype=value.dtype)
    bias = get_variable("bias", [size], dtype=value.dtype, initializer=Zeros(dtype=value.dtype))
    return bias_add(matmul(value, kernel), bias)


@export_v1("contrib.rnn.OutputProjectionWrapper")
class OutputProjectionWrapper(_Wrapper):
    """activation(output · kernel + bias)

    Args:
      cell: the cell.
      output_size: the size of the projected output.
      activation: a function of it; None leaves it linear.
      reuse: whether to share existing variables.
    """

    def __init__(
        self,
        cell: Any,
        output_size: int,
        activation: Callable[[Any], Any] | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation

    @property
    def output_size(self) -> int:
        """The size of the projection."""
        return self._output_size

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        output, state = self._cell(inputs, state)
        projected = linear(output, self._output_size)
        return projected if self._activation is None else self._activation(projected), state


@export_v1("contrib.rnn.InputProjectionWrapper")
class InputProjectionWrapper(_Wrapper):
    """A cell of activation(inputs · kernel + bias).

    Args:
      cell: the cell.
      num_proj: the size of the projected inputs.
      activation: a function of them; None leaves them linear.
      input_size: no longer used.
      reuse: whether to share existing variables.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Callable[[Any], Any] | None = None,
        input_size: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj = num_proj
        self._activation = activation

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        projected = linear(inputs, self._num_proj)
        if self._activation is not None:
            projected = self._activation(projected)
        return self._cell(projected, state)


@export_v1("contrib.rnn.EmbeddingWrapper")
class EmbeddingWrapper(_Wrapper):
    """A cell of inputs that are looked up in a table.

    Args:
      cell: the cell.
      embedding_classes: the number of rows of the table.
      embedding_size: their length.
      initializer: of the table; None takes the scope's, else uniform numbers of ±√3.
      reuse: whether to share an existing table.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step; the inputs are integers `[batch]` or `[batch, 1]`."""
        initializer = self._initializer or get_variable_scope()._initializer
        if initializer is None:  # of variance 1
            initializer = RandomUniform(-math.sqrt(3), math.sqrt(3))
        first = state[0] if isinstance(state, tuple) else state
        table = get_variable("embedding", self._shape, initializer=initializer, dtype=first.dtype)
        return self._cell(embedding_lookup(table, reshape(inputs, [-1])), state)
