"""The score, normalisation and likelihood of tag sequences. Lafferty et al. 2001."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.layers.training_mode import smart_cond
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import fill, zeros_like
from featherflow.ops.gather_ops import batch_gather
from featherflow.ops.masking_ops import sequence_mask
from featherflow.ops.pack_ops import stack
from featherflow.ops.reduction_ops import reduce_sum
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.scatter_nd_ops import gather_nd
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.statistics_ops import reduce_logsumexp
from featherflow.ops.variable_scope import get_variable
from featherflow.ops.where_ops import where
from featherflow.rnn.dynamic_rnn import dynamic_rnn
from featherflow.rnn.rnn_cell import RNNCell


@export_v1("contrib.crf.crf_unary_score")
def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Tensor:
    """Σ_t inputs[t, tag_t]

    Args:
      tag_indices: integers `[batch, time]`.
      sequence_lengths: `[batch]`
      inputs: potentials `[batch, time, tags]`.
    Returns:
      `[batch]`
    """
    inputs = convert_to_tensor(inputs)
    tags = cast(tag_indices, dtypes.int32)
    chosen = squeeze(batch_gather(inputs, expand_dims(tags, 2)), [2])
    sizes: Any = shape_of(tags)
    mask = sequence_mask(sequence_lengths, maxlen=sizes[1], dtype=inputs.dtype)
    return reduce_sum(chosen * mask, 1)  # type: ignore[operator]


@export_v1("contrib.crf.crf_binary_score")
def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """Σ_t transition_params[tag_t, tag_{t+1}]

    Args:
      tag_indices: integers `[batch, time]`.
      sequence_lengths: `[batch]`
      transition_params: `[tags, tags]`, from the row's tag to the column's.
    Returns:
      `[batch]`
    """
    tags: Any = cast(tag_indices, dtypes.int32)
    transitions = convert_to_tensor(transition_params)
    chosen = gather_nd(transitions, stack([tags[:, :-1], tags[:, 1:]], axis=2))
    mask: Any = sequence_mask(
        sequence_lengths, maxlen=shape_of(tags)[1], dtype=transitions.dtype.base_dtype
    )
    return reduce_sum(chosen * mask[:, 1:], 1)  # type: ignore[operator]


@export_v1("contrib.crf.crf_sequence_score")
def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Tensor:
    """The unnormalised score of tag sequences: unary plus binary; 0 for empty ones.

    Args:
      inputs: potentials `[batch, time, tags]`.
      tag_indices: integers `[batch, time]`.
      sequence_lengths: `[batch]`
      transition_params: `[tags, tags]`
    Returns:
      `[batch]`
    """
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params
    )


class CrfForwardRnnCell(RNNCell):
    """One step of the forward algorithm, on logarithms.

    Args:
      transition_params: `[tags, tags]`
    """

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        self._transitions = expand_dims(transition_params, 0)
        self._tags = transition_params.shape.as_list()[0]

    @property
    def state_size(self) -> int:
        """The number of tags."""
        return self._tags

    @property
    def output_size(self) -> int:
        """The number of tags."""
        return self._tags

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The logarithms of the sums over all paths that end in each tag."""
        paths = expand_dims(state, 2) + self._transitions  # type: ignore[operator]
        alphas = inputs + reduce_logsumexp(paths, [1])
        return alphas, alphas


def has_one_step(inputs: Tensor) -> Any:
    """Whether sequences are one step long: a loop over the others would have no element to stack.

    Returns:
      A bool, or a tensor where the length is known in the run only.
    """
    steps = inputs.shape.as_list()[1]
    sizes: Any = shape_of(inputs)
    return equal(sizes[1], 1) if steps is None else steps == 1


@export_v1("contrib.crf.crf_log_norm")
def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """log Σ exp(score) over all tag sequences of the length; 0 for empty ones.

    Args:
      inputs: potentials `[batch, time, tags]`.
      sequence_lengths: `[batch]`
      transition_params: `[tags, tags]`
    Returns:
      `[batch]`
    """
    inputs = convert_to_tensor(inputs)
    lengths = cast(sequence_lengths, dtypes.int32)
    cell = CrfForwardRnnCell(convert_to_tensor(transition_params))

    def after_all_steps() -> Tensor:
        rest = maximum(0, lengths - 1)
        return dynamic_rnn(cell, inputs[:, 1:], rest, initial_state=inputs[:, 0])[1]

    alphas = smart_cond(has_one_step(inputs), lambda: inputs[:, 0], after_all_steps)
    norm = reduce_logsumexp(alphas, [1])
    return where(lengths <= 0, zeros_like(norm), norm)


@export_v1("contrib.crf.crf_log_likelihood")
def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Tensor, Any]:
    """log p(tags | inputs) of tag sequences in a linear-chain conditional random field.

    Args:
      inputs: potentials `[batch, time, tags]`.
      tag_indices: integers `[batch, time]`.
      sequence_lengths: `[batch]`
      transition_params: `[tags, tags]`; None makes the variable `transitions`.
    Returns:
      The logarithms `[batch]`, and the transitions.

    >>> import featherflow as tf
    >>> likelihood, transitions = tf.contrib.crf.crf_log_likelihood(
    ...     tf.zeros([1, 3, 2]), [[0, 1, 0]], [3], tf.zeros([2, 2]))
    >>> with tf.Session() as sess:
    ...     print(sess.run(tf.exp(likelihood)))
    [0.125]
    """
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape.as_list()[2]
        transition_params = get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


@export_v1("contrib.crf.crf_multitag_sequence_score")
def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Tensor:
    """log Σ exp(score) over the tag sequences that a bitmap allows.

    Args:
      inputs: potentials `[batch, time, tags]`.
      tag_bitmap: bools `[batch, time, tags]`.
      sequence_lengths: `[batch]`
      transition_params: `[tags, tags]`
    Returns:
      `[batch]`
    """
    inputs = convert_to_tensor(inputs)
    impossible = fill(shape_of(inputs), -np.inf)
    allowed = where(tag_bitmap, inputs, cast(impossible, inputs.dtype))
    return crf_log_norm(allowed, sequence_lengths, transition_params)
