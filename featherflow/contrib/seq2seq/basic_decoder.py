"""BasicDecoder: a cell whose inputs and choices a helper decides."""

from __future__ import annotations

from typing import Any, NamedTuple

from featherflow.contrib.seq2seq.decoder import Decoder
from featherflow.contrib.seq2seq.decoding_helpers import Helper
from featherflow.framework import nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.layers.layer import Layer
from featherflow.rnn.rnn_cell import check_cell


@export_v1("contrib.seq2seq.BasicDecoderOutput")
class BasicDecoderOutput(NamedTuple):
    """What a step puts out.

    Attributes:
      rnn_output: the outputs of the cell, or of the layer behind it.
      sample_id: what the helper chose by them.
    """

    rnn_output: Any
    sample_id: Any


@export_v1("contrib.seq2seq.BasicDecoder")
class BasicDecoder(Decoder):
    """A cell, and a helper that samples from its outputs and gives it its inputs.

    Args:
      cell: an `RNNCell`.
      helper: a `Helper`.
      initial_state: the state to start with.
      output_layer: a layer behind the cell, such as `tf.layers.Dense`.
    Raises:
      TypeError: an argument is of another type.

    >>> import featherflow as tf
    >>> seq2seq = tf.contrib.seq2seq
    >>> cell = tf.nn.rnn_cell.GRUCell(4)
    >>> helper = seq2seq.TrainingHelper(tf.ones([2, 5, 3]), [5, 4])
    >>> decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    >>> outputs, state, lengths = seq2seq.dynamic_decode(decoder)
    >>> outputs.rnn_output.shape.as_list()
    [2, None, 4]
    """

    def __init__(
        self, cell: Any, helper: Helper, initial_state: Any, output_layer: Layer | None = None
    ) -> None:
        check_cell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:  # type: ignore[override]
        """That of the helper."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:  # type: ignore[override]
        """The sizes of outputs and choices."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    def _rnn_output_size(self) -> Any:
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        layer = self._output_layer

        def behind(part: Any) -> TensorShape:
            shape = TensorShape([part] if isinstance(part, int) else part)
            return layer.compute_output_shape(TensorShape([None]).concatenate(shape))[1:]

        return nest.map_structure(behind, size)

    @property
    def output_dtype(self) -> BasicDecoderOutput:  # type: ignore[override]
        """The dtypes of outputs, that of the state, and of choices."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._rnn_output_size()),
            self._helper.sample_ids_dtype,
        )

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """(which sequences have ended, the first inputs, the initial state)"""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, the next state, the next inputs, which sequences have ended)"""
        output, cell_state = self._cell(inputs, state)
        if self._output_layer is not None:
            output = self._output_layer(output)
        chosen = self._helper.sample(time=time, outputs=output, state=cell_state)
        ended, next_inputs, next_state = self._helper.next_inputs(
            time=time, outputs=output, state=cell_state, sample_ids=chosen
        )
        return BasicDecoderOutput(output, chosen), next_state, next_inputs, ended
