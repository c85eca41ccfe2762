"""BeamSearchDecoder: the likeliest sequences, several at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from featherflow.contrib.seq2seq.beam_paths import gather_tree
from featherflow.contrib.seq2seq.decoder import Decoder
from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.layers.layer import Layer
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, logical_not, logical_or
from featherflow.ops.cond import cond
from featherflow.ops.core_array_ops import concat
from featherflow.ops.embedding_ops import embedding_lookup
from featherflow.ops.exponential_ops import pow as power
from featherflow.ops.fill_ops import fill, zeros
from featherflow.ops.gather_ops import batch_gather
from featherflow.ops.one_hot_ops import one_hot
from featherflow.ops.reduction_ops import reduce_all, reduce_max
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.softmax_ops import log_softmax
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.tile_ops import tile
from featherflow.ops.top_k_ops import top_k
from featherflow.ops.where_ops import where
from featherflow.rnn.rnn_cell import check_cell


@export_v1("contrib.seq2seq.BeamSearchDecoderState")
class BeamSearchDecoderState(NamedTuple):
    """Of `[batch, beams]`: the cells' states, the log probabilities, which ended, the lengths."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any


@export_v1("contrib.seq2seq.BeamSearchDecoderOutput")
class BeamSearchDecoderOutput(NamedTuple):
    """Of a step, `[batch, beams]`: the scores, the tokens, and the beams that these go on from."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


@export_v1("contrib.seq2seq.FinalBeamSearchDecoderOutput")
class FinalBeamSearchDecoderOutput(NamedTuple):
    """The sequences `[batch, time, beams]`, the likeliest first, and the outputs of all steps."""

    predicted_ids: Any
    beam_search_decoder_output: BeamSearchDecoderOutput


@export_v1("contrib.seq2seq.tile_batch")
def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """`[batch, …]` → `[batch · multiplier, …]`, each example repeated.

    Args:
      t: a tensor, or a nest of tensors.
      multiplier: how often.
      name: of the scope.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.contrib.seq2seq.tile_batch(tf.constant([1, 2]), 2)).tolist()
    [1, 1, 2, 2]
    """

    def repeated(tensor: Any) -> Tensor:
        tensor = convert_to_tensor(tensor, name="t")
        if tensor.shape.rank is None:
            raise ValueError("t must have statically known rank")
        rest = tensor.shape.as_list()[1:]
        widened = tile(expand_dims(tensor, 1), [1, multiplier, *[1] * len(rest)])
        sizes: Any = shape_of(tensor)
        result = reshape(widened, concat([[sizes[0] * multiplier], sizes[1:]], 0))
        first = tensor.shape.as_list()[0]
        result.set_shape([None if first is None else first * multiplier, *rest])
        return result

    with name_scope(name, "tile_batch", nest.flatten(t)):
        return nest.map_structure(repeated, t)


@export_v1("contrib.seq2seq.BeamSearchDecoder")
class BeamSearchDecoder(Decoder):
    """Keeps the `beam_width` likeliest beginnings of each sequence, and goes on from all of them.

    Args:
      cell: an `RNNCell`; its state and memory are of `[batch · beam_width]`, see `tile_batch`.
      embedding: a table `[vocabulary, size]`, or a function of integers.
      start_tokens: integers `[batch]`.
      end_token: an integer.
      initial_state: of the cell, `[batch · beam_width, …]`.
      beam_width: how many beginnings.
      output_layer: a layer behind the cell that gives the logits of the vocabulary.
      length_penalty_weight: w of the scores log p / ((5 + length) / 6)^w. Wu et al. 2016.
      coverage_penalty_weight: not offered but 0.
      reorder_tensor_arrays: accepted for compatibility: TensorArrays of the state stay as they are.
    """

    tracks_own_finished = True

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Layer | None = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        check_cell("cell", cell)
        if coverage_penalty_weight:
            raise ValueError("A coverage penalty is not offered.")
        table = embedding
        self._embed: Callable[[Any], Any] = (
            embedding if callable(embedding) else lambda ids: embedding_lookup(table, ids)
        )
        self._cell, self._output_layer = cell, output_layer
        tokens = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if tokens.shape.rank != 1 or self._end_token.shape.rank != 0:
            raise ValueError("start_tokens must be a vector, and end_token a scalar")
        self.batch_size = size_of(tokens)
        self._width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._initial_state = nest.map_structure(self._split, initial_state)
        self._start_inputs = self._embed(tile(expand_dims(tokens, 1), [1, beam_width]))

    @property
    def output_size(self) -> BeamSearchDecoderOutput:  # type: ignore[override]
        """A number for each beam."""
        size = TensorShape([self._width])
        return BeamSearchDecoderOutput(size, size, size)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:  # type: ignore[override]
        """The dtypes of scores, tokens and beams."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BeamSearchDecoderOutput(dtype, dtypes.int32, dtypes.int32)

    # --- beams and examples -----------------------------------------------------------------------

    def _split(self, tensor: Any) -> Any:
        """`[batch · beams, …]` → `[batch, beams, …]`; scalars and TensorArrays as they are."""
        if isinstance(tensor, TensorArray) or tensor.shape.rank == 0:
            return tensor
        sizes: Any = shape_of(tensor)
        result = reshape(tensor, concat([[self.batch_size, self._width], sizes[1:]], 0))
        result.set_shape([None, self._width, *tensor.shape.as_list()[1:]])
        return result

    def _merge(self, tensor: Any) -> Any:
        """`[batch, beams, …]` → `[batch · beams, …]`"""
        if isinstance(tensor, TensorArray) or tensor.shape.rank == 0:
            return tensor
        sizes: Any = shape_of(tensor)
        result = reshape(tensor, concat([[sizes[0] * self._width], sizes[2:]], 0))
        result.set_shape([None, *tensor.shape.as_list()[2:]])
        return result

    def _of_beams(self, tensor: Any, beams: Any) -> Any:
        """The values of the beams chosen, `[batch, beams, …]`."""
        if isinstance(tensor, TensorArray) or tensor.shape.rank == 0:
            return tensor
        result = batch_gather(tensor, beams)
        result.set_shape(tensor.shape)
        return result

    # --- steps ------------------------------------------------------------------------------------

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """Only the first beam is possible at first, since all are alike."""
        ended = fill([self.batch_size, self._width], False)
        dtype = nest.flatten(self._initial_state)[0].dtype
        log_probs = one_hot(
            zeros([self.batch_size], dtypes.int32),
            self._width,
            on_value=cast(0.0, dtype),
            off_value=cast(-np.inf, dtype),
        )
        lengths = zeros([self.batch_size, self._width], dtypes.int64)
        state = BeamSearchDecoderState(self._initial_state, log_probs, ended, lengths)
        return ended, self._start_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, the next state, the next inputs, which beams have ended)"""
        merged_state = nest.map_structure(self._merge, state.cell_state)
        output, cell_state = self._cell(nest.map_structure(self._merge, inputs), merged_state)
        if self._output_layer is not None:
            output = self._output_layer(output)
        logits = self._split(output)
        cell_state = nest.map_structure(self._split, cell_state)
        outputs, next_state = self._best(logits, cell_state, state)
        next_inputs = cond(
            reduce_all(next_state.finished),
            lambda: self._start_inputs,
            lambda: self._embed(outputs.predicted_ids),
        )
        return outputs, next_state, next_inputs, next_state.finished

    def _best(
        self, logits: Any, cell_state: Any, state: Any
    ) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
        """The likeliest continuations of all beams."""
        vocabulary = logits.shape.as_list()[-1]
        totals = expand_dims(state.log_probs, 2) + self._step_log_probs(  # type: ignore[operator]
            logits, state.finished, vocabulary
        )
        goes_on = cast(logical_not(state.finished), dtypes.int64)
        is_token = one_hot(
            self._end_token,
            vocabulary,
            on_value=cast(0, dtypes.int64),
            off_value=cast(1, dtypes.int64),
        )
        lengths: Any = expand_dims(state.lengths, 2)
        lengths = lengths + expand_dims(goes_on, 2) * is_token
        scores, flat = top_k(
            reshape(totals / self._penalty(lengths, totals.dtype), [-1, self._width * vocabulary]),
            self._width,
        )
        scores.set_shape([None, self._width])
        tokens, beams = flat % vocabulary, flat // vocabulary

        def chosen(values: Any) -> Any:
            return batch_gather(reshape(values, [-1, self._width * vocabulary]), flat)

        was_finished = self._of_beams(state.finished, beams)
        next_state = BeamSearchDecoderState(
            nest.map_structure(lambda part: self._of_beams(part, beams), cell_state),
            _shaped(chosen(totals), state.log_probs),
            logical_or(was_finished, equal(tokens, self._end_token)),
            _shaped(chosen(lengths), state.lengths),
        )
        return BeamSearchDecoderOutput(scores, tokens, beams), next_state

    def _step_log_probs(self, logits: Any, finished: Any, vocabulary: int) -> Tensor:
        """Log probabilities of the tokens; beams that ended go on with the end token alone."""
        probabilities = log_softmax(logits)
        only_end = one_hot(
            self._end_token,
            vocabulary,
            on_value=cast(0.0, logits.dtype),
            off_value=cast(logits.dtype.min, logits.dtype),
        )
        is_finished = tile(expand_dims(finished, 2), [1, 1, vocabulary])
        sizes = shape_of(probabilities)
        return where(is_finished, only_end + zeros(sizes, logits.dtype), probabilities)

    def _penalty(self, lengths: Any, dtype: Any) -> Any:
        if not self._length_penalty_weight:
            return cast(1.0, dtype)
        return power((5.0 + cast(lengths, dtype)) / 6.0, self._length_penalty_weight)

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The sequences that the tokens and former beams tell."""
        longest = cast(reduce_max(final_state.lengths, 1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        merged = final_state._replace(
            cell_state=nest.map_structure(self._merge, final_state.cell_state)
        )
        return FinalBeamSearchDecoderOutput(ids, outputs), merged


def _shaped(tensor: Any, like: Any) -> Any:
    tensor.set_shape(like.shape)
    return tensor
