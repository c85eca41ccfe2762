"""LayerNormBasicLSTMCell: an LSTM with normalised gates and recurrent dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.core_array_ops import concat
from featherflow.ops.dropout_ops import dropout
from featherflow.ops.exponential_ops import sigmoid, tanh
from featherflow.ops.init_ops import Constant
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.moments_ops import moments
from featherflow.ops.normalization_ops import batch_normalization
from featherflow.ops.splitting_ops import split
from featherflow.ops.variable_scope import get_variable, variable_scope
from featherflow.rnn.lstm_cells import LSTMStateTuple
from featherflow.rnn.rnn_cell import RNNCell

_EPSILON = 1e-12


@export_v1("contrib.rnn.LayerNormBasicLSTMCell")
class LayerNormBasicLSTMCell(RNNCell):
    """The LSTM with layer normalisation (Ba et al. 2016) and recurrent dropout (Semeniuta 2016).

        i, j, f, o = the quarters of [x, h] · kernel, each normalised
        c = norm(c σ(f + forget_bias) + σ(i) dropout(activation(j)))
        h = activation(c) σ(o)

    Args:
      num_units: the size of c and of h.
      forget_bias: keeps the memory open at first.
      input_size: no longer used.
      activation: a function.
      layer_norm: whether to normalise; otherwise there is a bias.
      norm_gain, norm_shift: initial values of `gamma` and `beta` of each normalisation.
      dropout_keep_prob: the probability that an element of the candidate is kept.
      dropout_prob_seed: of its random numbers.
      reuse: whether to share existing variables of the same names.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Callable[[Any], Any] = tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._layer_norm = layer_norm
        self._norm_gain, self._norm_shift = norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def _normalized(self, value: Tensor, scope: str) -> Tensor:
        """γ (x − mean) / σ + β of each row."""
        if not self._layer_norm:
            return value
        shape = value.shape.as_list()[-1:]
        with variable_scope(scope):
            gamma = get_variable("gamma", shape, value.dtype, initializer=Constant(self._norm_gain))
            beta = get_variable("beta", shape, value.dtype, initializer=Constant(self._norm_shift))
        mean, variance = moments(value, [1], keep_dims=True)
        return batch_normalization(value, mean, variance, beta, gamma, _EPSILON)

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        c, h = state
        value = concat([inputs, h], 1)
        shape = [value.shape.as_list()[1], 4 * self._num_units]
        joined = matmul(value, get_variable("kernel", shape, dtype=value.dtype))
        if not self._layer_norm:
            joined = bias_add(joined, get_variable("bias", shape[1:], dtype=value.dtype))
        parts = split(joined, 4, axis=1)
        names = ("input", "transform", "forget", "output")
        i, j, f, o = (self._normalized(part, name) for part, name in zip(parts, names))
        candidate = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            candidate = dropout(candidate, self._keep_prob, seed=self._seed)
        c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * candidate
        c = self._normalized(c, "state")
        h = self._activation(c) * sigmoid(o)
        return h, LSTMStateTuple(c, h)
