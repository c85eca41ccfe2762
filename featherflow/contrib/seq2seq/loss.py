"""sequence_loss: the weighted cross entropy of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cross_entropy_ops import sparse_softmax_cross_entropy_with_logits
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.reduction_ops import reduce_sum
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.statistics_ops import count_nonzero


@export_v1("contrib.seq2seq.sequence_loss")
def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """weights · cross entropy of logits and targets, averaged or summed as asked.

    Args:
      logits: `[batch, time, classes]`
      targets: integers `[batch, time]`.
      weights: `[batch, time]`; 0 leaves a step out.
      average_across_timesteps, average_across_batch: whether to divide by the sums of the weights.
      sum_over_timesteps, sum_over_batch: whether to divide by the number of weights that are not 0.
      softmax_loss_function: takes `labels` `[n]` and `logits` `[n, classes]`, in the place of the
        cross entropy.
      name: of the scope.
    Returns:
      A scalar, `[batch]`, `[time]` or `[batch, time]`.
    Raises:
      ValueError: ranks do not fit, or an axis is both averaged and summed.

    >>> import featherflow as tf
    >>> loss = tf.contrib.seq2seq.sequence_loss(
    ...     tf.zeros([1, 2, 4]), tf.zeros([1, 2], tf.int32), tf.constant([[1.0, 0.0]]))
    >>> with tf.Session() as sess:
    ...     print(round(float(sess.run(loss)), 4))
    1.3863
    """
    logits, targets = convert_to_tensor(logits), convert_to_tensor(targets)
    weights = convert_to_tensor(weights)
    for argument, tensor, rank in (
        ("Logits", logits, 3),
        ("Targets", targets, 2),
        ("Weights", weights, 2),
    ):
        if tensor.shape.rank != rank:
            raise ValueError(f"{argument} must be a {rank}-dimensional tensor: {tensor.shape}")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError(
            "average_across_timesteps and sum_over_timesteps cannot be set to True at same time."
        )
    if average_across_batch and sum_over_batch:
        raise ValueError(
            "average_across_batch and sum_over_batch cannot be set to True at same time."
        )
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        sizes: Any = shape_of(logits)
        compute = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
        losses: Any = compute(labels=reshape(targets, [-1]), logits=reshape(logits, [-1, sizes[2]]))
        losses = reshape(losses * reshape(weights, [-1]), shape_of(weights))
        if average_across_timesteps or average_across_batch:
            axes = _axes(average_across_batch, average_across_timesteps)
            return divide_no_nan(reduce_sum(losses, axes), reduce_sum(weights, axes))
        if sum_over_timesteps or sum_over_batch:
            axes = _axes(sum_over_batch, sum_over_timesteps)
            counted = count_nonzero(weights, axes, dtype=losses.dtype)
            return divide_no_nan(reduce_sum(losses, axes), counted)
        return losses


def _axes(over_batch: bool, over_time: bool) -> list[int]:
    return [axis for axis, chosen in ((0, over_batch), (1, over_time)) if chosen]
