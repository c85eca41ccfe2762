"""Cells around a cell: ResidualWrapper and DeviceWrapper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import nest
from featherflow.framework.exports import export_v1
from featherflow.graph.graph_api import device as device_scope
from featherflow.graph.graph_api import name_scope
from featherflow.rnn.rnn_cell import RNNCell, check_cell, initial_state_of


class CellWrapper(RNNCell):
    """A cell that applies another; it has no scope or variables of its own.

    Args:
      cell: the other.
    """

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The other cell."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """That of the other cell."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the other cell."""
        return self.cell.output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of the other cell."""
        return getattr(self.cell, "trainable_weights", [])

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of the other cell."""
        return getattr(self.cell, "non_trainable_weights", [])

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """That of the other cell."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return initial_state_of(self.cell, batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """One step."""
        return self._step(inputs, state, scope)

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        """What the wrapper makes of a step of the other cell."""
        raise NotImplementedError(type(self).__name__)

    def _inner_step(self, inputs: Any, state: Any, scope: Any) -> Any:
        return self.cell(inputs, state) if scope is None else self.cell(inputs, state, scope=scope)


@export_v1("nn.rnn_cell.ResidualWrapper")
class ResidualWrapper(CellWrapper):
    """output = inputs + cell's output. He et al. 2015; Wu et al. 2016.

    Args:
      cell: the cell.
      residual_fn: a function of inputs and outputs in the place of the sum.
    """

    def __init__(
        self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn or _sums

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, new_state = self._inner_step(inputs, state, scope)
        results = self._residual_fn(inputs, outputs)
        nest.assert_same_structure(outputs, results)
        return results, new_state


def _sums(inputs: Any, outputs: Any) -> Any:
    """The sums of inputs and outputs of equal shapes.

    Raises:
      ValueError: the shapes differ.
    """
    nest.assert_same_structure(inputs, outputs)

    def added(given: Any, computed: Any) -> Any:
        given.shape.assert_is_compatible_with(computed.shape)
        return given + computed

    return nest.map_structure(added, inputs, outputs)


@export_v1("nn.rnn_cell.DeviceWrapper")
class DeviceWrapper(CellWrapper):
    """A cell whose nodes are placed on a device.

    Args:
      cell: the cell.
      device: a device, or a function of a node; see `tf.device`.
    """

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """That of the cell, on the device."""
        with (
            name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]),
            device_scope(self._device),
        ):
            return self.cell.zero_state(batch_size, dtype)

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        with device_scope(self._device):
            return self._inner_step(inputs, state, scope)
