"""Batches of examples that threads put into a queue: TF1's `batch`, `shuffle_batch` and their kin.

Each function makes a queue, a QueueRunner that fills it, and the node that takes batches from it:

    examples → enqueue (num_threads times, or once for each list) → queue → dequeue_many
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.cond import cond
from featherflow.ops.dynamic_partition_ops import dynamic_partition
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.grouping_ops import no_op
from featherflow.ops.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from featherflow.ops.summary_ops import scalar_summary
from featherflow.train.queue_runner import QueueRunner, add_queue_runner
from featherflow.train.sparse_batches import SparseStore, restore, store

Examples = Any  # a list of tensors, or tensors by name


@dataclass(frozen=True)
class BatchSpec:
    """What the batches of a call are to be; see `batch` and `shuffle_batch`.

    Attributes:
      scope: the default name of the scope.
      num_threads: how often each enqueue runs at a time.
      min_after_dequeue, seed: of a shuffling queue; None for one in order.
    """

    scope: str
    batch_size: Any
    keep_input: Any = True
    num_threads: int = 1
    capacity: int = 32
    enqueue_many: bool = False
    shapes: Any = None
    dynamic_pad: bool = False
    allow_smaller_final_batch: bool = False
    shared_name: str | None = None
    name: str | None = None
    min_after_dequeue: int | None = None
    seed: int | None = None

    def make_queue(self, types: list[Any], shapes: list[Any]) -> QueueBase:
        """The queue between the threads and the batches."""
        if self.min_after_dequeue is not None:
            return RandomShuffleQueue(
                self.capacity,
                self.min_after_dequeue,
                types,
                shapes=shapes,
                seed=self.seed,
                shared_name=self.shared_name,
            )
        kind = PaddingFIFOQueue if self.dynamic_pad else FIFOQueue
        return kind(self.capacity, types, shapes=shapes, shared_name=self.shared_name)

    def summarize(self, queue: QueueBase) -> None:
        """Adds a summary of how full the queue is."""
        least = self.min_after_dequeue
        if least is None:
            fullness = cast(queue.size(), dtypes.float32) * (1.0 / self.capacity)
            scalar_summary(f"fraction_of_{self.capacity}_full", fullness)
            return
        room = self.capacity - least
        if room <= 0:
            raise ValueError(
                f"capacity {self.capacity} must be bigger than min_after_dequeue {least}."
            )
        surplus = maximum(0, queue.size() - least)  # type: ignore[operator]
        fullness = cast(surplus, dtypes.float32) * (1.0 / room)
        scalar_summary(f"fraction_over_{least}_of_{room}_full", fullness)


def batches(examples: Sequence[Examples], spec: BatchSpec) -> Any:
    """Batches of examples, which come from as many sources as there are in `examples`."""
    sources = [_in_order(example) for example in examples]
    flat = [tensor for source in sources for tensor in source]
    with name_scope(spec.name, spec.scope, [*flat, spec.keep_input]) as scope:
        tensors = _converted(sources)
        keep_input = _kept(spec.keep_input, spec.enqueue_many)
        tensors, stores = _without_sparse(tensors, keep_input, spec)
        types = _common_types(tensors)
        shapes = _row_shapes(tensors, spec)
        queue = spec.make_queue(types, shapes)
        enqueues = [_enqueue(queue, source, keep_input, spec) for source in tensors]
        add_queue_runner(QueueRunner(queue, enqueues * spec.num_threads))
        spec.summarize(queue)
        if spec.allow_smaller_final_batch:
            batch = queue.dequeue_up_to(spec.batch_size, name=scope)
        else:
            batch = queue.dequeue_many(spec.batch_size, name=scope)
        rows = restore(batch if isinstance(batch, list) else [batch], stores)
    return _as_given(examples[0], rows)


# --- examples -------------------------------------------------------------------------------------


def _in_order(examples: Examples) -> list[Any]:
    """Tensors by name in the order of their names."""
    if isinstance(examples, dict):
        return [examples[name] for name in sorted(examples)]
    return list(examples)


def _as_given(examples: Examples, rows: list[Any]) -> Any:
    if isinstance(examples, dict):
        return dict(zip(sorted(examples), rows))
    return rows[0] if len(rows) == 1 else rows


def _converted(sources: Sequence[Sequence[Any]]) -> list[list[Any]]:
    if not sources or not sources[0]:
        raise ValueError("Expected at least one tensor in batch().")
    return [
        [value if hasattr(value, "dense_shape") else convert_to_tensor(value) for value in source]
        for source in sources
    ]


def _kept(keep_input: Any, enqueue_many: bool) -> Tensor:
    tensor = convert_to_tensor(keep_input)
    rank = tensor.get_shape().rank
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if rank == 1 and not enqueue_many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return tensor


def _without_sparse(
    sources: list[list[Any]], keep_input: Tensor, spec: BatchSpec
) -> tuple[list[list[Tensor]], list[SparseStore | None]]:
    """Handles of stored SparseTensors in the place of these."""
    stores: list[SparseStore | None] = [None] * len(sources[0])
    plain = []
    for source in sources:
        tensors = []
        for index, value in enumerate(source):
            if not isinstance(value, Tensor):
                value, stores[index] = store(value, spec.enqueue_many, keep_input, stores[index])
            tensors.append(value)
        plain.append(tensors)
    return plain, stores


def _common_types(sources: Sequence[Sequence[Tensor]]) -> list[Any]:
    types = [[tensor.dtype.base_dtype for tensor in source] for source in sources]
    if any(other != types[0] for other in types):
        raise TypeError(
            f"Expected types to be consistent: {[[t.name for t in row] for row in types]}"
        )
    return types[0]


def _row_shapes(sources: Sequence[Sequence[Tensor]], spec: BatchSpec) -> list[Any]:
    if spec.shapes is not None:
        return spec.shapes
    return [
        _row_shape([tensor.get_shape() for tensor in position], spec.enqueue_many)
        for position in zip(*sources)
    ]


def _row_shape(shapes: list[TensorShape], enqueue_many: bool) -> Any:
    """The static shape of one example, which all sources must agree on."""
    if any(shape.rank is None for shape in shapes):
        raise ValueError(f"Cannot infer Tensor's rank: {shapes}")
    if enqueue_many:
        shapes = [shape.with_rank_at_least(1)[1:] for shape in shapes]
    merged = shapes[0]
    for shape in shapes[1:]:
        merged.merge_with(shape)
    return merged.as_list()


# --- enqueueing -----------------------------------------------------------------------------------


def _enqueue(queue: QueueBase, tensors: list[Tensor], keep_input: Tensor, spec: BatchSpec) -> Any:
    """The node that puts examples in, all of them or those to be kept."""
    enqueue = queue.enqueue_many if spec.enqueue_many else queue.enqueue
    if keep_input.get_shape().rank == 1:
        partitions = cast(keep_input, dtypes.int32)
        return enqueue([dynamic_partition(tensor, partitions, 2)[1] for tensor in tensors])
    known = constant_value(keep_input)
    if known is None:
        return cond(keep_input, lambda: enqueue(tensors), no_op).op
    return enqueue(tensors) if known else no_op()


# --- public functions -----------------------------------------------------------------------------


@export_v1("train.batch")
def batch(
    tensors: Examples,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the examples that `tensors` give, one in each run.

    Args:
      tensors: a list of tensors, or tensors by name: one example, or with `enqueue_many` several as
        rows.
      batch_size: how many examples a batch has.
      num_threads: how many threads fill the queue; with more than one the order may change.
      capacity: of the queue.
      enqueue_many: whether the tensors hold several examples.
      shapes: of an example's parts, where static shapes do not say them.
      dynamic_pad: whether parts may differ in size, and are filled up with zeros.
      allow_smaller_final_batch: whether the last batch may have fewer examples.
      shared_name: sessions with the same one share the queue.
      name: of the node.
    Returns:
      The batches in the form of `tensors`: each part `[batch_size, …]`.
    Raises:
      ValueError: a shape is not known.
      OutOfRangeError: (in the run) the examples have come to their end.
    """
    spec = BatchSpec(
        "batch",
        batch_size,
        True,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
    return batches([tensors], spec)


@export_v1("train.maybe_batch")
def maybe_batch(
    tensors: Examples,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` of the examples for which `keep_input` is true.

    Args:
      keep_input: a scalar of bool, or with `enqueue_many` a vector.
      tensors, batch_size, num_threads, capacity, enqueue_many, shapes: as for `batch`.
      dynamic_pad, allow_smaller_final_batch, shared_name, name: as for `batch`.
    """
    spec = BatchSpec(
        "batch",
        batch_size,
        keep_input,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
    return batches([tensors], spec)


@export_v1("train.batch_join")
def batch_join(
    tensors_list: Sequence[Examples],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` of examples from several sources, each of which gets a thread of its own.

    Args:
      tensors_list: examples as for `batch`, from each source.
      batch_size, capacity, enqueue_many, shapes, dynamic_pad: as for `batch`.
      allow_smaller_final_batch, shared_name, name: as for `batch`.
    """
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export_v1("train.maybe_batch_join")
def maybe_batch_join(
    tensors_list: Sequence[Examples],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch_join` of the examples for which `keep_input` is true.

    Args:
      keep_input: as for `maybe_batch`.
      tensors_list, batch_size, capacity, enqueue_many, shapes, dynamic_pad: as for `batch_join`.
      allow_smaller_final_batch, shared_name, name: as for `batch`.
    """
    spec = BatchSpec(
        "batch_join",
        batch_size,
        keep_input,
        1,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
    return batches(tensors_list, spec)
