"""gather_tree: the sequences that tokens and former beams of all steps tell."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cumulative_ops import cumsum
from featherflow.ops.element_loops import scan
from featherflow.ops.fill_ops import fill
from featherflow.ops.gather_ops import batch_gather
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tile_ops import tile
from featherflow.ops.where_ops import where


@export_v1("contrib.seq2seq.gather_tree")
def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: Any = None
) -> Tensor:
    """Follows each beam of the last step back to the first.

    Args:
      step_ids: the tokens, int32 `[time, batch, beams]`.
      parent_ids: the beam of the step before that each goes on from, int32 `[time, batch, beams]`.
      max_sequence_lengths: the length of the longest beam of each example, `[batch]`.
      end_token: what there is after the first end, and past the longest.
      name: of the scope.
    Returns:
      The sequences, int32 `[time, batch, beams]`.

    >>> import featherflow as tf
    >>> ids, parents = [[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]]
    >>> with tf.Session() as sess:
    ...     sess.run(tf.contrib.seq2seq.gather_tree(ids, parents, [2], 9))[:, 0, :].tolist()
    [[2, 1], [3, 4]]
    """
    with name_scope(name, "GatherTree", [step_ids, parent_ids]):
        ids = convert_to_tensor(step_ids, dtypes.int32, name="step_ids")
        parents = convert_to_tensor(parent_ids, dtypes.int32, name="parent_ids")
        sizes: Any = shape_of(ids)
        # Before the last step of an example its beams are still in their own places.
        start = tile(expand_dims(range_(sizes[2]), 0), [sizes[1], 1])
        longest = tile(expand_dims(max_sequence_lengths, 1), [1, sizes[2]])
        ended = fill(sizes[1:], cast(end_token, dtypes.int32))

        def back(previous: Any, step: Any) -> Any:
            time, tokens, parent = step
            _, beams = previous
            is_past = time >= longest
            token = where(is_past, ended, batch_gather(tokens, beams))
            return token, where(is_past, beams, batch_gather(parent, beams))

        found, _ = scan(back, (range_(sizes[0]), ids, parents), (ended, start), reverse=True)
        ends_before = cumsum(cast(equal(found, end_token), dtypes.int32), 0, exclusive=True)
        all_ended = fill(sizes, cast(end_token, dtypes.int32))
        result = where(ends_before > 0, all_ended, found)  # type: ignore[operator]
        result.set_shape(ids.shape)
        return result
