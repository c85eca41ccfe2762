"""BasicLSTMCell and LSTMCell: long short-term memory. Hochreiter & Schmidhuber 1997."""

from __future__ import annotations

from typing import Any, NamedTuple

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export_v1
from featherflow.layers.input_spec import InputSpec
from featherflow.ops.arithmetic_ops import add, multiply
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.clip_ops import clip_by_value
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat, slice_
from featherflow.ops.exponential_ops import sigmoid, tanh
from featherflow.ops.init_ops import Zeros
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.partitioners import fixed_size_partitioner
from featherflow.ops.splitting_ops import split
from featherflow.rnn.rnn_cell import LayerRNNCell, activation_of


@export_v1("nn.rnn_cell.LSTMStateTuple")
class LSTMStateTuple(NamedTuple):
    """The state of an LSTM cell.

    Attributes:
      c: what it remembers.
      h: its last output.
    """

    c: Any
    h: Any

    @property
    def dtype(self) -> DType:
        """The dtype of both.

        Raises:
          TypeError: they have different ones.
        """
        if self.c.dtype is not self.h.dtype:
            raise TypeError(
                f"Inconsistent dtypes for internal state: {self.c.dtype} vs {self.h.dtype}"
            )
        return self.c.dtype


@export_v1("nn.rnn_cell.BasicLSTMCell")
class BasicLSTMCell(LayerRNNCell):
    """The plain LSTM, without peepholes, clipping or projection.

        i, j, f, o = the quarters of [x, h] · kernel + bias
        c = σ(f + forget_bias) c + σ(i) activation(j)
        h = σ(o) activation(c)

    Args:
      num_units: the size of c and of h.
      forget_bias: keeps the memory open at first.
      state_is_tuple: whether the state is an LSTMStateTuple, or c and h side by side.
      activation: a function, or its name; None takes tanh.
      reuse: whether to share existing variables of the same names.
      name: of the cell and its scope.
      dtype: of the variables.

    >>> import featherflow as tf
    >>> cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    >>> output.shape.as_list(), [v.name for v in cell.variables]
    ([2, 4], ['basic_lstm_cell/kernel:0', 'basic_lstm_cell/bias:0'])
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation, tanh)

    @property
    def state_size(self) -> Any:
        """The sizes of c and h, or their sum."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` `[inputs + units, 4 · units]` and `bias` `[4 · units]`."""
        depth, units = self._input_depth(input_shape), self._num_units
        self._kernel = self.add_weight("kernel", [depth + units, 4 * units])
        self._bias = self.add_weight(
            "bias", [4 * units], initializer=Zeros(dtype=self._cast_dtype())
        )
        self.built = True

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        axis = constant(1, dtypes.int32)
        c, h = state if self._state_is_tuple else split(state, 2, axis=axis)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, axis=axis)
        kept = multiply(c, sigmoid(add(f, constant(self._forget_bias, f.dtype))))
        c = add(kept, multiply(sigmoid(i), self._activation(j)))
        h = multiply(self._activation(c), sigmoid(o))
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)


@export_v1("nn.rnn_cell.LSTMCell")
class LSTMCell(LayerRNNCell):
    """The LSTM with peepholes, clipping and a projection of the output. Sak et al. 2014.

        i, j, f, o = the quarters of [x, h] · kernel + bias
        c = σ(f + forget_bias + w_f c) c + σ(i + w_i c) activation(j)
        h = σ(o + w_o c) activation(c) · projection/kernel

    Args:
      num_units: the size of c.
      use_peepholes: whether there are the weights `w_f_diag`, `w_i_diag` and `w_o_diag`.
      cell_clip: the bound of |c|; None has none.
      initializer: of the weights; None takes the scope's.
      num_proj: the size of h; None has no projection, and the size of c.
      proj_clip: the bound of |h| after the projection; None has none.
      num_unit_shards, num_proj_shards: how many parts the kernel and the projection are kept in;
        better give the scope a partitioner.
      forget_bias: keeps the memory open at first.
      state_is_tuple: whether the state is an LSTMStateTuple, or c and h side by side.
      activation: a function, or its name; None takes tanh.
      reuse: whether to share existing variables of the same names.
      name: of the cell and its scope.
      dtype: of the variables.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._num_proj = num_units, num_proj
        self._use_peepholes = use_peepholes
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._initializer = initializer
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation, tanh)
        self._peepholes: list[Any] = []
        self._projection: Any = None

    @property
    def state_size(self) -> Any:
        """The sizes of c and h, or their sum."""
        sizes = (self._num_units, self.output_size)
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The number of units, or the size of the projection."""
        return self._num_proj or self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` `[inputs + size of h, 4 · units]`, `bias`, and what else there is."""
        depth, units = self._input_depth(input_shape), self._num_units

        def weight(name: str, shape: list[int], shards: int | None = None) -> Any:
            partitioner = None if shards is None else fixed_size_partitioner(shards)
            return self.add_weight(
                name, shape, initializer=self._initializer, partitioner=partitioner
            )

        rows = depth + self.output_size
        self._kernel = weight("kernel", [rows, 4 * units], self._num_unit_shards)
        self._bias = self.add_weight(
            "bias", [4 * units], initializer=Zeros(dtype=self._cast_dtype())
        )
        if self._use_peepholes:
            self._peepholes = [weight(f"w_{gate}_diag", [units]) for gate in "fio"]
        if self._num_proj is not None:
            shape = [units, self._num_proj]
            self._projection = weight("projection/kernel", shape, self._num_proj_shards)
        self.built = True

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        c, h = state if self._state_is_tuple else self._parts_of(state)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, axis=1)
        c = self._remembered(c, i, j, f)
        if self._use_peepholes:
            o = o + self._peepholes[2] * c
        h = sigmoid(o) * self._activation(c)
        if self._projection is not None:
            h = matmul(h, self._projection)
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)

    def _parts_of(self, state: Any) -> tuple[Any, Any]:
        """c and h, where they are side by side."""
        units, outputs = self._num_units, self.output_size
        return slice_(state, [0, 0], [-1, units]), slice_(state, [0, units], [-1, outputs])

    def _remembered(self, c: Any, i: Any, j: Any, f: Any) -> Any:
        """The new c."""
        f = f + self._forget_bias
        if self._use_peepholes:
            kept = sigmoid(f + self._peepholes[0] * c) * c
            c = kept + sigmoid(i + self._peepholes[1] * c) * self._activation(j)
        else:
            c = sigmoid(f) * c + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        return c
