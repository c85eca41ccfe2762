"""RNNCell: one step of a recurrent network, (input, state) → (output, state)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.layers.layer import Layer
from featherflow.ops import activation_ops
from featherflow.ops.exponential_ops import sigmoid, tanh
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_scope import get_variable_scope, variable_scope
from featherflow.ops.variable_slices import PartitionedVariable
from featherflow.rnn.zero_states import zero_state_tensors

#: Activations by the names that cells take.
_ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "elu": activation_ops.elu,
    "linear": lambda x: x,
    "relu": activation_ops.relu,
    "selu": activation_ops.selu,
    "sigmoid": sigmoid,
    "softplus": activation_ops.softplus,
    "softsign": activation_ops.softsign,
    "tanh": tanh,
}


@export_v1("nn.rnn_cell.RNNCell")
class RNNCell(Layer):
    """One step of a recurrent network.

    A subclass has the properties `state_size` and `output_size`, an integer, TensorShape, or a nest
    of these, and computes `(output, new_state)` in `call(inputs, state)`. Variables that it takes
    from `tf.get_variable` there are counted among its own.

    Args:
      trainable, name, dtype: see `tf.layers.Layer`.
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable, name, dtype, **kwargs)
        self._cell_scope: Any = None

    def __deepcopy__(self, memo: dict[int, Any]) -> RNNCell:
        """A cell like this, which counts what it takes from `tf.get_variable` for itself."""
        scope, self._cell_scope = self._cell_scope, None
        try:
            result: Any = super().__deepcopy__(memo)
        finally:
            self._cell_scope = scope
        return result

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """`(output, new_state)` for an input and a state.

        Args:
          inputs: `[batch, …]`
          state: in the form of `state_size`, each `[batch, *size]`.
          scope: a variable scope, or its name, for the variables; None takes the current one and
            the cell's name.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._own_variable) as opened:
                return super().__call__(inputs, state, scope=opened)
        if getattr(self, "_cell_scope", None) is None:
            current = get_variable_scope()
            self._cell_scope = variable_scope(current, custom_getter=self._own_variable)
        with self._cell_scope:
            return super().__call__(inputs, state)

    def _own_variable(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Counts what `tf.get_variable` gives among the cell's variables."""
        variable = getter(*args, **kwargs)
        parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
        for part in parts:
            if isinstance(part, Variable):
                self._keep(part, part.trainable)
        return variable

    @property
    def state_size(self) -> Any:
        """The size, or nest of sizes, of the state."""
        raise NotImplementedError(f"{type(self).__name__} does not say the size of its state.")

    @property
    def output_size(self) -> Any:
        """The size, or nest of sizes, of the output."""
        raise NotImplementedError(f"{type(self).__name__} does not say the size of its output.")

    def build(self, input_shape: Any) -> None:
        """Makes nothing: a cell may make its variables in `call`."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The state to start with, zeros.

        Args:
          inputs: gives the batch size and dtype, where there are none.
          batch_size: an integer, or a scalar of int32.
          dtype: of the state.
        Raises:
          ValueError: neither inputs, nor a batch size and dtype, are given, or they differ.
        """
        if inputs is not None:
            batch_size, dtype = _from_inputs(inputs, batch_size, dtype)
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros in the form of `state_size`, `[batch_size, *size]`."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return zero_state_tensors(self.state_size, batch_size, dtype)


def _from_inputs(inputs: Any, batch_size: Any, dtype: Any) -> tuple[Any, Any]:
    inputs = convert_to_tensor(inputs, name="inputs")
    if dtype is not None and inputs.dtype.base_dtype is not dtype:
        raise ValueError(
            f"dtype from input tensor is different from the value of dtype: {inputs.dtype.name}, "
            f"{dtype}"
        )
    static = inputs.shape.as_list()[0] if inputs.shape.rank else None
    if isinstance(batch_size, int) and static not in (None, batch_size):
        raise ValueError(
            "batch size from input tensor is different from the value of batch_size: "
            f"{static}, {batch_size}"
        )
    sizes: Any = shape_of(inputs)
    return sizes[0], inputs.dtype


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as other layers do, and in no other scope."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """`(output, new_state)` for an input and a state; see `RNNCell`."""
        return Layer.__call__(self, inputs, state, scope=scope)

    def _input_depth(self, input_shape: Any) -> int:
        """The last dimension of the inputs.

        Raises:
          ValueError: it is not known.
        """
        shape = TensorShape(input_shape)
        depth = shape.as_list()[-1] if shape.rank else None
        if depth is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, received shape: {shape}")
        return depth


def check_cell(argument: str, cell: Any) -> None:
    """Refuses what cannot be applied like a cell.

    Raises:
      TypeError: a property is missing, or it cannot be called.
    """
    conditions = {
        "'output_size' property is missing": hasattr(cell, "output_size"),
        "'state_size' property is missing": hasattr(cell, "state_size"),
        "either 'zero_state' or 'get_initial_state' method is required": (
            hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")
        ),
        "is not callable": callable(cell),
    }
    missing = [text for text, holds in conditions.items() if not holds]
    if missing:
        raise TypeError(
            f"The argument {argument!r} ({cell}) is not an RNNCell: {', '.join(missing)}."
        )


def initial_state_of(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """The state that a cell starts with."""
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def activation_of(activation: Any, default: Any) -> Any:
    """A function of one tensor: as given, or the one that a string names.

    Raises:
      ValueError: there is none of that name.
    """
    if activation is None:
        return default
    if not isinstance(activation, str):
        return activation
    if activation not in _ACTIVATIONS:
        raise ValueError(
            f"Unknown activation function: {activation}. Known: {', '.join(_ACTIVATIONS)}"
        )
    return _ACTIVATIONS[activation]
