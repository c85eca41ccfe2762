"""Losses over many classes that look at a few: sampled softmax and noise-contrastive estimation."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops import arithmetic_ops
from featherflow.ops.candidate_sampling_ops import (
    compute_accidental_hits,
    log_uniform_candidate_sampler,
)
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat, slice_
from featherflow.ops.cross_entropy_ops import softmax_cross_entropy_with_logits_v2
from featherflow.ops.embedding_ops import embedding_lookup
from featherflow.ops.exponential_ops import log
from featherflow.ops.fill_ops import ones, ones_like, zeros_like
from featherflow.ops.identity_ops import stop_gradient
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.pack_ops import stack
from featherflow.ops.pointwise_loss_ops import sigmoid_cross_entropy_with_logits
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_tensor_ops import sparse_to_dense


@export_v1("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The softmax cross-entropy over the true classes and a sample of the others, for training.

        loss = −log softmax(inputs · weightsᵀ + biases − log Q)        Q: expected counts

    Args:
      weights: `[num_classes, D]`, or a list of parts of it.
      biases: `[num_classes]`.
      labels: `[N, num_true]`, int64.
      inputs: `[N, D]`.
      num_sampled: how many classes are drawn for the whole batch.
      num_classes: how many there are.
      num_true: true classes of each example.
      sampled_values: what a candidate sampler has returned; None draws by Zipf's law.
      remove_accidental_hits: whether drawn classes that are true ones count as not drawn.
      partition_strategy: how `weights` were dealt to parts: "mod" or "div".
      name: of the scope.
      seed: of the sampler.
    Returns:
      `[N]`.

    See: Jean, Cho, Memisevic & Bengio 2015.
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
    )
    targets = stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss_v2(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """`sampled_softmax_loss` with parts of `weights` dealt by "div"."""
    return sampled_softmax_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        "div",
        name,
        seed,
    )


@export_v1("nn.nce_loss")
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: tells true classes from drawn ones, one by one.

    Args: as for `sampled_softmax_loss`, in which drawn true classes do not count by default.
    Returns:
      `[N]`.

    See: Gutmann & Hyvärinen 2010, "Noise-contrastive estimation".
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        None,
    )
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _sum_rows(losses)


@export("nn.nce_loss")
def nce_loss_v2(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """`nce_loss` with parts of `weights` dealt by "div"."""
    return nce_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        "div",
        name,
    )


# --- the logits -----------------------------------------------------------------------------------


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str,
    seed: int | None,
) -> tuple[Tensor, Tensor]:
    """Logits and probabilities of the true and the drawn classes, `[N, num_true + samples]`."""
    tables = weights if isinstance(weights, list) else [weights]
    with name_scope(name, "compute_sampled_logits", [*tables, biases, inputs, labels]):
        labels = convert_to_tensor(labels, name="labels")
        if labels.dtype is not dtypes.int64:
            labels = cast(labels, dtypes.int64)
        flat = reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                labels, num_true, num_sampled, True, num_classes, seed
            )
        sampled, true_counts, counts = (stop_gradient(value) for value in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        every = concat([flat, sampled], 0)
        inputs = convert_to_tensor(inputs, name="inputs")
        true_logits, logits = _logits(
            tables, biases, flat, every, inputs, num_true, partition_strategy
        )
        if remove_accidental_hits:
            logits = logits + _hit_mask(labels, sampled, num_true, logits, num_sampled)
        true_logits = true_logits - log(true_counts)
        logits = logits - log(counts)
        return _joined(true_logits, logits, num_true)


def _logits(
    tables: list[Any],
    biases: Any,
    labels: Tensor,
    every: Tensor,
    inputs: Tensor,
    num_true: int,
    strategy: str,
) -> tuple[Tensor, Tensor]:
    """`[N, num_true]` of the true classes and `[N, samples]` of the drawn ones."""
    rows: Any = embedding_lookup(tables, every, partition_strategy=strategy)
    rows = rows if rows.dtype is inputs.dtype else cast(rows, inputs.dtype)
    true_rows = slice_(rows, [0, 0], stack([shape_of(labels)[0], -1]))
    sampled_rows = slice_(rows, stack([shape_of(labels)[0], 0]), [-1, -1])
    sampled_logits: Any = matmul(inputs, sampled_rows, transpose_b=True)
    offsets: Any = embedding_lookup(biases, every, partition_strategy=strategy)
    offsets = offsets if offsets.dtype is inputs.dtype else cast(offsets, inputs.dtype)
    true_offsets: Any = slice_(offsets, [0], shape_of(labels))
    sampled_offsets: Any = slice_(offsets, shape_of(labels), [-1])
    width: Any = shape_of(true_rows)[1:2]
    sizes = concat([[-1, num_true], width], 0)
    wide_inputs = expand_dims(inputs, 1)
    products: Any = arithmetic_ops.multiply(wide_inputs, reshape(true_rows, sizes))
    dots: Any = reshape(_sum_rows(reshape(products, concat([[-1], width], 0))), [-1, num_true])
    true_logits = dots + reshape(true_offsets, [-1, num_true])
    return true_logits, sampled_logits + sampled_offsets


def _hit_mask(
    labels: Tensor, sampled: Tensor, num_true: int, logits: Any, num_sampled: int
) -> Tensor:
    """`[N, samples]`: −max where a drawn class is a true one, else 0."""
    rows, places, masks = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = reshape(rows, [-1, 1])
    columns = reshape(cast(places, dtypes.int32), [-1, 1])
    indices = concat([rows, columns], 1, "sparse_indices")
    size = concat([shape_of(labels)[:1], expand_dims(num_sampled, 0)], 0)
    if masks.dtype is not logits.dtype:
        masks = cast(masks, logits.dtype)
    return sparse_to_dense(indices, size, masks, default_value=0.0, validate_indices=False)


def _joined(true_logits: Tensor, sampled_logits: Tensor, num_true: int) -> tuple[Tensor, Tensor]:
    logits = concat([true_logits, sampled_logits], 1)
    shares: Any = ones_like(true_logits)
    return logits, concat([shares / num_true, zeros_like(sampled_logits)], 1)


def _sum_rows(x: Any) -> Tensor:
    """The sum of each row of a matrix, as a product with ones."""
    columns = shape_of(x)[1]
    dtype: DType = x.dtype
    return reshape(matmul(x, ones(stack([columns, 1]), dtype)), [-1])
