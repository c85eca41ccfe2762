"""Batches of examples in random order: TF1's `shuffle_batch` and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.train.batches import BatchSpec, Examples, batches


@export_v1("train.shuffle_batch")
def shuffle_batch(
    tensors: Examples,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples drawn at random from those that wait in a queue.

    Args:
      tensors: a list of tensors, or tensors by name: one example, or with `enqueue_many` several as
        rows.
      batch_size: how many examples a batch has.
      capacity: of the queue; above `min_after_dequeue`.
      min_after_dequeue: how many examples stay in the queue: the more, the better they are mixed.
      num_threads: how many threads fill the queue.
      seed: of the order.
      enqueue_many: whether the tensors hold several examples.
      shapes: of an example's parts, where static shapes do not say them.
      allow_smaller_final_batch: whether the last batch may have fewer examples.
      shared_name: sessions with the same one share the queue.
      name: of the node.
    Returns:
      The batches in the form of `tensors`: each part `[batch_size, …]`.
    Raises:
      ValueError: a shape is not known, or the queue is too small.
    """
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export_v1("train.maybe_shuffle_batch")
def maybe_shuffle_batch(
    tensors: Examples,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of the examples for which `keep_input` is true.

    Args:
      keep_input: a scalar of bool, or with `enqueue_many` a vector.
      tensors, batch_size, capacity, min_after_dequeue, num_threads: as for `shuffle_batch`.
      seed, enqueue_many, shapes, allow_smaller_final_batch: as for `shuffle_batch`.
      shared_name, name: as for `shuffle_batch`.
    """
    spec = BatchSpec(
        "shuffle_batch",
        batch_size,
        keep_input,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        False,
        allow_smaller_final_batch,
        shared_name,
        name,
        min_after_dequeue,
        seed,
    )
    return batches([tensors], spec)


@export_v1("train.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list: Sequence[Examples],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of examples from several sources, each of which gets a thread of its own.

    Args:
      tensors_list: examples as for `shuffle_batch`, from each source.
      batch_size, capacity, min_after_dequeue, seed, enqueue_many: as for `shuffle_batch`.
      shapes, allow_smaller_final_batch, shared_name, name: as for `shuffle_batch`.
    """
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export_v1("train.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list: Sequence[Examples],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch_join` of the examples for which `keep_input` is true.

    Args:
      keep_input: as for `maybe_shuffle_batch`.
      tensors_list, batch_size, capacity, min_after_dequeue, seed: as for `shuffle_batch_join`.
      enqueue_many, shapes, allow_smaller_final_batch: as for `shuffle_batch`.
      shared_name, name: as for `shuffle_batch`.
    """
    spec = BatchSpec(
        "shuffle_batch_join",
        batch_size,
        keep_input,
        1,
        capacity,
        enqueue_many,
        shapes,
        False,
        allow_smaller_final_batch,
        shared_name,
        name,
        min_after_dequeue,
        seed,
    )
    return batches(tensors_list, spec)
