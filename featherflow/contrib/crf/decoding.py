"""The best tag sequences: Viterbi's algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.contrib.crf.scores import has_one_step
from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.layers.training_mode import smart_cond
from featherflow.ops.arg_extremum_ops import argmax
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.gather_ops import batch_gather
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.reverse_ops import reverse_sequence
from featherflow.rnn.dynamic_rnn import dynamic_rnn
from featherflow.rnn.rnn_cell import RNNCell


@export_v1("contrib.crf.viterbi_decode")
def viterbi_decode(score: np.ndarray, transition_params: np.ndarray) -> tuple[list[int], Any]:
    """The best tag sequence of one example, outside of the graph.

    Args:
      score: potentials `[time, tags]`.
      transition_params: `[tags, tags]`
    Returns:
      The tags, and the score of the sequence.
    """
    score, transitions = np.asarray(score), np.asarray(transition_params)
    best = score[0]
    pointers = []
    for potentials in score[1:]:
        paths = best[:, np.newaxis] + transitions
        pointers.append(np.argmax(paths, 0))
        best = potentials + np.max(paths, 0)
    tags = [int(np.argmax(best))]
    for back in reversed(pointers):
        tags.append(int(back[tags[-1]]))
    return tags[::-1], np.max(best)


class _Forward(RNNCell):
    """Keeps the best score of the paths to each tag; puts out which tag they come from."""

    def __init__(self, transition_params: Tensor) -> None:
        super().__init__()
        self._transitions = expand_dims(transition_params, 0)
        self._tags = transition_params.shape.as_list()[0]

    @property
    def state_size(self) -> Any:
        """The number of tags."""
        return self._tags

    @property
    def output_size(self) -> Any:
        """The number of tags."""
        return self._tags

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """One step."""
        paths = expand_dims(state, 2) + self._transitions  # type: ignore[operator]
        pointers = cast(argmax(paths, 1), dtypes.int32)
        return pointers, inputs + reduce_max(paths, [1])


class _Backward(RNNCell):
    """Follows the pointers of one step."""

    @property
    def state_size(self) -> Any:
        """One tag."""
        return 1

    @property
    def output_size(self) -> Any:
        """One tag."""
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """One step."""
        tags = batch_gather(inputs, state)
        return tags, tags


@export_v1("contrib.crf.crf_decode")
def crf_decode(
    potentials: Any, transition_params: Any, sequence_length: Any
) -> tuple[Tensor, Tensor]:
    """The best tag sequences.

    Args:
      potentials: `[batch, time, tags]`
      transition_params: `[tags, tags]`
      sequence_length: `[batch]`
    Returns:
      The tags `[batch, time]`, int32, 0 past the end; their scores `[batch]`.

    >>> import featherflow as tf
    >>> tags, score = tf.contrib.crf.crf_decode(
    ...     tf.constant([[[1.0, 0.0], [0.0, 3.0]]]), tf.zeros([2, 2]), [2])
    >>> with tf.Session() as sess:
    ...     print(sess.run(tags).tolist(), sess.run(score))
    [[0, 1]] [4.]
    """
    potentials = convert_to_tensor(potentials)
    transitions = convert_to_tensor(transition_params)
    lengths = cast(sequence_length, dtypes.int32)

    def of_one_step() -> list[Tensor]:
        scores: Any = squeeze(potentials, [1])
        return [expand_dims(cast(argmax(scores, 1), dtypes.int32), 1), reduce_max(scores, [1])]

    def of_more() -> list[Tensor]:
        return _decoded(potentials, transitions, lengths)

    tags, score = smart_cond(has_one_step(potentials), of_one_step, of_more)
    tags.set_shape(potentials.shape[:2])
    return tags, score


def _decoded(potentials: Any, transitions: Tensor, lengths: Any) -> list[Tensor]:
    """The best tags and their scores, of two steps or more."""
    rest = maximum(0, lengths - 1)
    pointers, last = dynamic_rnn(
        _Forward(transitions),
        potentials[:, 1:],
        sequence_length=rest,
        initial_state=potentials[:, 0],
        dtype=dtypes.int32,
    )
    final = expand_dims(cast(argmax(last, 1), dtypes.int32), 1)
    earlier, _ = dynamic_rnn(
        _Backward(),
        reverse_sequence(pointers, rest, seq_axis=1, batch_axis=0),
        sequence_length=rest,
        initial_state=final,
        dtype=dtypes.int32,
    )
    tags = concat([final, squeeze(earlier, [2])], 1)
    return [reverse_sequence(tags, lengths, seq_axis=1, batch_axis=0), reduce_max(last, [1])]
