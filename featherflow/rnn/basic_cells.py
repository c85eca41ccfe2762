"""BasicRNNCell and GRUCell."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.layers.input_spec import InputSpec
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import sigmoid, tanh
from featherflow.ops.init_ops import Constant, Zeros
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.splitting_ops import split
from featherflow.rnn.rnn_cell import LayerRNNCell, activation_of


@export_v1("nn.rnn_cell.BasicRNNCell")
class BasicRNNCell(LayerRNNCell):
    """h = activation([x, h] · kernel + bias); the output is the new state.

    Args:
      num_units: the size of the state.
      activation: a function, or its name; None takes tanh.
      reuse: whether to share existing variables of the same names.
      name: of the cell and its scope.
      dtype: of the variables.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation, tanh)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` `[inputs + units, units]` and `bias` `[units]`."""
        depth = self._input_depth(input_shape)
        self._kernel = self.add_weight("kernel", [depth + self._num_units, self._num_units])
        self._bias = self.add_weight(
            "bias", [self._num_units], initializer=Zeros(dtype=self._cast_dtype())
        )
        self.built = True

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        gates = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output


@export_v1("nn.rnn_cell.GRUCell")
class GRUCell(LayerRNNCell):
    """A gated recurrent unit. Cho et al. 2014.

        r, u = σ([x, h] · gates/kernel + gates/bias)
        c = activation([x, r h] · candidate/kernel + candidate/bias)
        h = u h + (1 − u) c

    Args:
      num_units: the size of the state.
      activation: a function, or its name; None takes tanh.
      reuse: whether to share existing variables of the same names.
      kernel_initializer: of the kernels; None takes the scope's.
      bias_initializer: of the biases; None takes 1 for the gates and 0 for the candidate.
      name: of the cell and its scope.
      dtype: of the variables.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation, tanh)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and biases of the gates and of the candidate."""
        depth, units = self._input_depth(input_shape), self._num_units
        dtype, given = self._cast_dtype(), self._bias_initializer

        def linear(name: str, outputs: int, bias_initializer: Any) -> tuple[Any, Any]:
            shape = [depth + units, outputs]
            initializer = self._kernel_initializer
            kernel = self.add_weight(f"{name}/kernel", shape, initializer=initializer)
            bias_initializer = bias_initializer if given is None else given
            bias = self.add_weight(f"{name}/bias", [outputs], initializer=bias_initializer)
            return kernel, bias

        self._gate_kernel, self._gate_bias = linear("gates", 2 * units, Constant(1.0, dtype=dtype))
        self._candidate_kernel, self._candidate_bias = linear(
            "candidate", units, Zeros(dtype=dtype)
        )
        self.built = True

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        gates = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        reset, update = split(sigmoid(gates), 2, axis=1)
        kept = concat([inputs, reset * state], 1)
        candidate = self._activation(
            bias_add(matmul(kept, self._candidate_kernel), self._candidate_bias)
        )
        state = update * state + (1 - update) * candidate
        return state, state
