"""dynamic_decode: a decoder in a loop of the graph, until its sequences have ended."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_ops import logical_not, logical_or
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import fill, zeros, zeros_like
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.variable_caching import read_locally
from featherflow.ops.variable_scope import variable_scope
from featherflow.ops.where_ops import where
from featherflow.ops.while_loop import while_loop
from featherflow.rnn.time_step import kept_where
from featherflow.rnn.zero_states import joined_sizes


@export_v1("contrib.seq2seq.Decoder")
class Decoder:
    """Makes outputs step by step.

    Attributes:
      batch_size: the number of sequences, a scalar.
      output_size, output_dtype: nests of sizes and dtypes of an output.
      tracks_own_finished: whether sequences that ended may go on.
    """

    batch_size: Any
    output_size: Any
    output_dtype: Any
    tracks_own_finished = False

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """(which sequences have ended, the first inputs, the first state)"""
        raise NotImplementedError(type(self).__name__)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, the next state, the next inputs, which sequences have ended)"""
        raise NotImplementedError(type(self).__name__)

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """What is made of all outputs, and of the last state."""
        return outputs, final_state


@export_v1("contrib.seq2seq.dynamic_decode")
def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any, Tensor]:
    """Runs the steps of a decoder until all its sequences have ended.

    Args:
      decoder: a `Decoder`.
      output_time_major: whether the outputs are `[time, batch, …]`, not `[batch, time, …]`.
      impute_finished: whether sequences that ended put out zeros and keep their state.
      maximum_iterations: how many steps there are at most; None has no limit.
      parallel_iterations, swap_memory: see `tf.while_loop`.
      scope: a variable scope or its name; None is "decoder".
      **kwargs: not used.
    Returns:
      The outputs of all steps; the last state; how many steps each sequence took, `[batch]`.
    Raises:
      TypeError: `decoder` is none.
      ValueError: `maximum_iterations` is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope or "decoder") as opened:
        read_locally(opened)
        loop = _Loop(decoder, impute_finished)
        limit = _limit(maximum_iterations)
        ended, inputs, state = decoder.initialize()
        if limit is not None:
            ended = logical_or(ended, limit <= 0)
        lengths = zeros_like(ended, dtype=dtypes.int32)
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, ended, lengths: logical_not(reduce_all(ended)),
            loop.step,
            (constant(0, dtypes.int32), loop.arrays, state, inputs, ended, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=limit,
            swap_memory=swap_memory,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(_batch_first, outputs)
        return outputs, state, lengths


def _limit(maximum_iterations: Any) -> Tensor | None:
    if maximum_iterations is None:
        return None
    limit = convert_to_tensor(maximum_iterations, dtypes.int32, name="maximum_iterations")
    if limit.shape.rank != 0:
        raise ValueError("maximum_iterations must be a scalar")
    return limit


def _batch_first(tensor: Tensor) -> Tensor:
    return transpose(tensor, [1, 0, *range(2, tensor.shape.rank or 2)])


class _Loop:
    """The step of the loop, and what it collects."""

    def __init__(self, decoder: Decoder, impute_finished: bool) -> None:
        self._decoder, self._impute = decoder, impute_finished
        batch_size = decoder.batch_size
        static = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
        batch = TensorShape([None if static is None else int(static)])

        def array(size: Any, dtype: Any) -> TensorArray:
            return TensorArray(
                dtype,
                size=0,
                dynamic_size=True,
                element_shape=batch.concatenate(_static(size)),
            )

        self.arrays = nest.map_structure(array, decoder.output_size, decoder.output_dtype)
        self._zero_outputs = nest.map_structure(
            lambda size, dtype: zeros(joined_sizes(batch_size, _static(size)), dtype),
            decoder.output_size,
            decoder.output_dtype,
        )

    def step(
        self, time: Any, arrays: Any, state: Any, inputs: Any, ended: Any, lengths: Any
    ) -> tuple[Any, ...]:
        """One step of the decoder."""
        outputs, next_state, next_inputs, now_ended = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            now_ended = logical_or(now_ended, ended)
        now = fill(shape_of(lengths), time + 1)
        lengths = where(logical_not(ended), now, lengths)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(inputs, next_inputs)
        if self._impute:
            outputs = _kept(ended, self._zero_outputs, outputs)
            next_state = _kept(ended, state, next_state)
        arrays = nest.map_structure(lambda array, item: array.write(time, item), arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, now_ended, lengths


def _kept(ended: Tensor, old: Any, new: Any) -> Any:
    return nest.map_structure(lambda first, second: kept_where(ended, first, second), old, new)


def _static(size: Any) -> TensorShape:
    return TensorShape([size] if isinstance(size, int) else size)
