"""Cells of tf.contrib.rnn whose step, or whole sequence, is one op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.layers.input_spec import InputSpec
from featherflow.layers.layer import Layer
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import zeros
from featherflow.ops.gru_block_ops import GRUBlockCell as GRUBlockCellOp
from featherflow.ops.init_ops import Constant, Zeros
from featherflow.ops.lstm_block_ops import BlockLSTM
from featherflow.ops.lstm_block_ops import LSTMBlockCell as LSTMBlockCellOp
from featherflow.ops.masking_ops import sequence_mask
from featherflow.ops.pack_ops import stack, unstack
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.scatter_nd_ops import gather_nd
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.transpose_ops import transpose
from featherflow.rnn.lstm_cells import LSTMStateTuple
from featherflow.rnn.rnn_cell import LayerRNNCell


def _make_lstm_weights(layer: Layer, depth: int, units: int, use_peephole: bool) -> list[Any]:
    """kernel, w_i_diag, w_f_diag, w_o_diag and bias; the peepholes are 0 where there are none."""
    kernel = layer.add_weight("kernel", [depth + units, 4 * units])
    bias = layer.add_weight("bias", [4 * units], initializer=Constant(0.0))
    if use_peephole:
        peepholes = [layer.add_weight(f"w_{gate}_diag", [units]) for gate in "ifo"]
    else:
        peepholes = [zeros([units], kernel.dtype.base_dtype)] * 3
    return [kernel, *peepholes, bias]


@export_v1("contrib.rnn.LSTMBlockCell")
class LSTMBlockCell(LayerRNNCell):
    """`LSTMCell` whose step is one op, LSTMBlockCell.

    Args:
      num_units: the size of c and of h.
      forget_bias: keeps the memory open at first.
      cell_clip: bound of c; None or a negative number is none.
      use_peephole: whether the gates see c.
      dtype: of the variables.
      reuse: whether to share existing variables of the same names.
      name: of the cell and its scope.

    >>> import featherflow as tf
    >>> cell = tf.contrib.rnn.LSTMBlockCell(4)
    >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    >>> output.shape.as_list(), output.op.type
    ([2, 4], 'LSTMBlockCell')
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str | None = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._form = {
            "forget_bias": forget_bias,
            "cell_clip": -1.0 if cell_clip is None else cell_clip,
            "use_peephole": use_peephole,
        }

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` `[inputs + units, 4 · units]`, `bias`, and the peepholes."""
        depth = self._input_depth(input_shape)
        self._weights = _make_lstm_weights(
            self, depth, self._num_units, bool(self._form["use_peephole"])
        )
        self.built = True

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        c, h = state
        states = LSTMBlockCellOp(inputs, c, h, *self._weights, **self._form)
        return states.h, LSTMStateTuple(states.cs, states.h)


class _GRUBlock(LayerRNNCell):
    """What GRUBlockCell and GRUBlockCellV2 share."""

    #: Names of the kernels and biases of the gates and of the candidate.
    _variable_names: tuple[str, str, str, str]

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: Any = None,
        name: str | None = "gru_cell",
        dtype: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        if (num_units is None) == (cell_size is None):
            raise ValueError("Exactly one of num_units and cell_size must be given.")
        self.input_spec = InputSpec(ndim=2)
        self._num_units = cell_size if num_units is None else num_units

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and biases of the gates and of the candidate."""
        depth, units = self._input_depth(input_shape), self.output_size
        gates, gate_bias, candidate, candidate_bias = self._variable_names
        self._weights = [
            self.add_weight(gates, [depth + units, 2 * units]),
            self.add_weight(candidate, [depth + units, units]),
            self.add_weight(gate_bias, [2 * units], initializer=Constant(1.0)),
            self.add_weight(candidate_bias, [units], initializer=Zeros()),
        ]
        self.built = True

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        """One step."""
        state = GRUBlockCellOp(inputs, state, *self._weights).h
        return state, state


@export_v1("contrib.rnn.GRUBlockCell")
class GRUBlockCell(_GRUBlock):
    """A gated recurrent unit, `tf.nn.rnn_cell.GRUCell`, whose step is one op, GRUBlockCell.

    Args:
      num_units: the size of the state.
      cell_size: another name of it.
      reuse: whether to share existing variables of the same names.
      name: of the cell and its scope.
    """

    _variable_names = ("w_ru", "b_ru", "w_c", "b_c")


@export_v1("contrib.rnn.GRUBlockCellV2")
class GRUBlockCellV2(_GRUBlock):
    """`GRUBlockCell` with the variables of `tf.nn.rnn_cell.GRUCell`."""

    _variable_names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


@export_v1("contrib.rnn.LSTMBlockFusedCell")
class LSTMBlockFusedCell(Layer):
    """An LSTM over a whole sequence, in one op, BlockLSTM.

    Args:
      num_units: the size of c and of h.
      forget_bias: keeps the memory open at first.
      cell_clip: bound of c; None or a negative number is none.
      use_peephole: whether the gates see c.
      reuse: whether to share existing variables of the same names.
      dtype: of the variables.
      name: of the cell and its scope.

    >>> import featherflow as tf
    >>> cell = tf.contrib.rnn.LSTMBlockFusedCell(4)
    >>> outputs, (c, h) = cell(tf.ones([5, 2, 3]), dtype=tf.float32)
    >>> outputs.shape.as_list(), h.shape.as_list()
    ([5, 2, 4], [2, 4])
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: Any = None,
        name: str | None = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._form = {
            "forget_bias": forget_bias,
            "cell_clip": -1.0 if cell_clip is None else cell_clip,
            "use_peephole": use_peephole,
        }

    @property
    def num_units(self) -> int:
        """The number of units."""
        return self._num_units

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> tuple[Any, LSTMStateTuple]:
        """Goes through a sequence.

        Args:
          inputs: `[time, batch, depth]`, or a list of `[batch, depth]`.
          initial_state: c and h, `[batch, units]` each; 0 by default.
          dtype: of the initial state; None takes that of the inputs.
          sequence_length: `[batch]`; what comes after a sequence's end is 0, and its last state is
            the one at its end.
          scope: a variable scope, or its name.
        Returns:
          Outputs `[time, batch, units]`, a list if the inputs are one, and the last state.
        """
        is_list = isinstance(inputs, (list, tuple))
        sequence = stack(inputs) if is_list else convert_to_tensor(inputs)
        outputs, state = super().__call__(
            sequence, initial_state, dtype or sequence.dtype, sequence_length, scope=scope
        )
        return (unstack(outputs) if is_list else outputs), state

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` `[inputs + units, 4 · units]`, `bias`, and the peepholes."""
        depth = input_shape[2]
        if getattr(depth, "value", depth) is None:
            raise ValueError(f"Expected the last dimension to be known, received {input_shape}.")
        self._weights = _make_lstm_weights(
            self, int(depth), self._num_units, bool(self._form["use_peephole"])
        )
        self.built = True

    def call(
        self, inputs: Any, initial_state: Any, dtype: Any, sequence_length: Any, **kwargs: Any
    ) -> tuple[Tensor, LSTMStateTuple]:
        """Goes through a sequence."""
        sizes: Any = shape_of(inputs)
        if initial_state is None:
            nothing = zeros(stack([get_item(sizes, 1), self._num_units]), dtype)
            nothing.set_shape([inputs.shape.as_list()[1], self._num_units])
            initial_state = (nothing, nothing)
        steps = get_item(sizes, 0)
        length = steps if sequence_length is None else reduce_max(sequence_length)
        states = BlockLSTM(
            cast(length, dtypes.int64), inputs, *initial_state, *self._weights, **self._form
        )
        if sequence_length is None:
            last = LSTMStateTuple(get_item(states.cs, -1), get_item(states.h, -1))
            return states.h, last
        lengths = cast(convert_to_tensor(sequence_length), dtypes.int32)
        is_step = transpose(sequence_mask(lengths, maxlen=steps, dtype=dtype), [1, 0])
        outputs = states.h * expand_dims(is_step, 2)
        last = LSTMStateTuple(*_at_ends(initial_state, (states.cs, outputs), lengths))
        return outputs, last


def _at_ends(starts: Sequence[Any], sequences: Sequence[Any], lengths: Tensor) -> list[Tensor]:
    """The states of each sequence after its last step; the one before the first for length 0."""
    sizes: Any = shape_of(lengths)
    rows = range_(constant(0), get_item(sizes, 0))
    places = stack([lengths, rows], axis=1)
    return [
        gather_nd(concat([expand_dims(start, 0), sequence], 0), places)
        for start, sequence in zip(starts, sequences, strict=True)
    ]
