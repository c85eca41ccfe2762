"""Queues: what one step puts in, another takes out, in the same thread or not."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from types import NoneType
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dimension import Dimension
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import control_dependencies, device, get_seed, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor, name_of_handle
from featherflow.ops import gather_ops, handle_selection_ops, pack_ops, queue_ops  # noqa: F401

Values = Any  # a tensor, a list of tensors, or tensors by name


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _component_types(types: Any) -> list[DType]:
    return [dtypes.as_dtype(item) for item in _as_list(types)]


def _component_shapes(shapes: Any, count: int, needed: str = "known") -> list[TensorShape] | None:
    """The shapes of `count` components.

    Args:
      needed: "known" where all dimensions must be known, "rank" where only their number must.
    """
    if shapes is None:
        return None
    if not isinstance(shapes, (TensorShape, list, tuple)):
        raise TypeError(
            "Shapes must be a TensorShape or a list or tuple of TensorShapes, got "
            f"{type(shapes)} instead."
        )
    if not _is_one_shape(shapes):
        found = [TensorShape(shape) for shape in shapes]
    elif needed == "known":
        found = [TensorShape(shapes)]
    else:
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if len(found) != count:
        raise ValueError(
            "Queue shapes must have the same length as dtypes, received "
            f"len(shapes)={len(found)}, len(dtypes)={count}"
        )
    if needed == "rank" and any(shape.rank is None for shape in found):
        raise ValueError(f"All shapes must have a defined rank: {found}")
    if needed == "known" and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    return found


def _is_one_shape(shapes: Any) -> bool:
    """Whether this is the shape of the only component: no list, or one of sizes."""
    if isinstance(shapes, TensorShape):
        return True
    return all(isinstance(size, (int, Dimension, NoneType)) for size in shapes)


def _component_names(names: Any, count: int) -> list[str] | None:
    if names is None:
        return None
    found = _as_list(names)
    if len(found) != count:
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(found)},len(dtypes)={count}"
        )
    return found


@export("queue.QueueBase")
@export_v1("QueueBase", "io.QueueBase")
class QueueBase:
    """A queue: elements of one or several components.

    `enqueue` waits while the queue is full, `dequeue` while it is empty. A step that waits ends
    when its session is closed or its time is up.

    Args:
      dtypes: of the components.
      shapes: of the components; None if they are not known.
      names: of the components; None for tuples.
      queue_ref: the handle of the queue.
    """

    def __init__(
        self,
        dtypes: Sequence[DType],
        shapes: Sequence[TensorShape] | None,
        names: Sequence[str] | None,
        queue_ref: Tensor,
    ) -> None:
        self._dtypes = list(dtypes)
        self._shapes = [UNKNOWN] * len(self._dtypes) if shapes is None else _shapes(shapes)
        if len(self._shapes) != len(self._dtypes):
            raise ValueError(
                "Queue shapes must have the same length as dtypes, received "
                f"len(shapes)={len(self._shapes)}, len(dtypes)={len(self._dtypes)}"
            )
        self._names = _component_names(names, len(self._dtypes))
        self._queue_ref = queue_ref
        self._name = name_of_handle(queue_ref, "queue")

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue `queues[index]`, where `index` is a tensor.

        Raises:
          TypeError: these are no queues, or their components differ.
        """
        if not queues or not isinstance(queues, list):
            raise TypeError("A list of queues expected")
        if not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common_shape(of_all) for of_all in zip(*(queue.shapes for queue in queues))]
        handles = pack_ops.stack([queue.queue_ref for queue in queues])
        handle = gather_ops.gather(handles, index)
        return QueueBase(first.dtypes, shapes, first.names, handle)

    @property
    def queue_ref(self) -> Tensor:
        """The handle of the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the node that makes the queue."""
        return self._queue_ref.op.name if self._queue_ref.__class__ is Tensor else self._name

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    # --- elements -------------------------------------------------------------------------

    def enqueue(self, vals: Values, name: str | None = None) -> Operation:
        """A node that puts one element in.

        Args:
          vals: a tensor, a list of tensors, or tensors by name if the components have names.
          name: of the node.
        Raises:
          TypeError, ValueError: they do not fit the queue.
        """
        values = self._in_order(vals)
        with name_scope(name, f"{self._name}_enqueue", values) as scope:
            tensors = self._convert(values)
            for tensor, shape in zip(tensors, self._shapes):
                tensor.get_shape().assert_is_compatible_with(shape)
            return queue_ops.QueueEnqueueV2(self._queue_ref, tensors, name=scope)

    def enqueue_many(self, vals: Values, name: str | None = None) -> Operation:
        """A node that puts in the rows of its tensors as elements, one after the other.

        Args:
          vals: as for `enqueue`, with one more dimension at the front.
          name: of the node.
        Raises:
          TypeError, ValueError: they do not fit the queue.
        """
        values = self._in_order(vals)
        with name_scope(name, f"{self._name}_EnqueueMany", values) as scope:
            tensors = self._convert(values)
            count = UNKNOWN.with_rank(1)
            for tensor, shape in zip(tensors, self._shapes):
                found = tensor.get_shape().with_rank_at_least(1)
                if found.rank is not None:
                    count = count.merge_with(found[:1])
                    found[1:].assert_is_compatible_with(shape)
            return queue_ops.QueueEnqueueManyV2(self._queue_ref, tensors, name=scope)

    def dequeue(self, name: str | None = None) -> Any:
        """Takes an element: a tensor, a list of tensors, or tensors by name."""
        tensors = queue_ops.QueueDequeueV2(
            self._queue_ref, component_types=self._dtypes, name=name or f"{self._name}_Dequeue"
        )
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return self._as_element(tensors)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Takes `n` elements, stacked; waits until there are as many."""
        tensors = queue_ops.QueueDequeueManyV2(
            self._queue_ref,
            n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueMany",
        )
        count = constant_value(tensors[0].op.inputs[1])
        return self._as_batch(tensors, None if count is None else int(count))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Takes `n` elements, stacked; fewer if the queue is closed and has fewer."""
        tensors = queue_ops.QueueDequeueUpToV2(
            self._queue_ref,
            n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueUpTo",
        )
        return self._as_batch(tensors, None)

    def _in_order(self, vals: Values) -> list[Any]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                )
            return [vals[name] for name in self._names]
        if self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        return _as_list(vals)

    def _convert(self, values: Sequence[Any]) -> list[Tensor]:
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{index}")
            for index, (value, dtype) in enumerate(zip(values, self._dtypes))
        ]

    def _as_batch(self, tensors: Sequence[Tensor], count: int | None) -> Any:
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(TensorShape([count]).concatenate(shape))
        return self._as_element(tensors)

    def _as_element(self, tensors: Sequence[Tensor]) -> Any:
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    # --- state ----------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """A node that lets nothing more in; what is in the queue can still be taken.

        Args:
          cancel_pending_enqueues: ends steps that wait for room; otherwise they go first.
          name: of the node.
        """
        return queue_ops.QueueCloseV2(
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed."""
        return queue_ops.QueueIsClosedV2(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in the queue."""
        return queue_ops.QueueSizeV2(self._queue_ref, name=name or f"{self._name}_Size")


def _shapes(shapes: Sequence[Any]) -> list[TensorShape]:
    return [TensorShape(shape) for shape in shapes]


def _common_shape(shapes: Sequence[TensorShape]) -> TensorShape:
    common = shapes[0]
    for shape in shapes[1:]:
        common = common.most_specific_compatible_shape(shape)
    return common


@export("queue.FIFOQueue")
@export_v1("FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue that gives its elements in the order in which they came.

    Args:
      capacity: how many elements there may be; negative: any number.
      dtypes: of the components.
      shapes: of the components; batches can be taken only if they are known.
      names: of the components; elements are dictionaries then.
      shared_name: nodes of a session with the same one are the same queue.
      name: of the node.

    >>> import featherflow as tf
    >>> queue = tf.queue.FIFOQueue(3, tf.int32, shapes=[[]])
    >>> enqueue, dequeue = queue.enqueue_many([[1, 2]]), queue.dequeue()
    >>> with tf.Session() as sess:
    ...     sess.run(enqueue)
    ...     print(sess.run(dequeue), sess.run(dequeue))
    1 2
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = _component_types(dtypes)
        known = _component_shapes(shapes, len(types))
        found = _component_names(names, len(types))
        # Queues are storage: they depend on nothing, and stay on the host.
        with control_dependencies(None), device("CPU"):
            handle = queue_ops.FIFOQueueV2(
                component_types=types,
                shapes=known,
                capacity=capacity,
                shared_name=shared_name,
                name=name,
            )
        super().__init__(types, known, found, handle)


@export("queue.PaddingFIFOQueue")
@export_v1("PaddingFIFOQueue", "io.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue of elements of several sizes: batches are filled up with zeros.

    Args:
      capacity, dtypes, names, shared_name, name: as for FIFOQueue.
      shapes: of the components, None for sizes that differ.
    Raises:
      ValueError: a rank is not known.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        types = _component_types(dtypes)
        known = _component_shapes(shapes, len(types), needed="rank")
        found = _component_names(names, len(types))
        handle = queue_ops.PaddingFIFOQueueV2(
            component_types=types,
            shapes=known,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(types, known, found, handle)


@export("queue.RandomShuffleQueue")
@export_v1("RandomShuffleQueue", "io.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements in random order.

    Args:
      capacity, dtypes, shapes, names, shared_name, name: as for FIFOQueue.
      min_after_dequeue: how many elements stay until the queue is closed: the more, the better
        elements are mixed.
      seed: of the order.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        types = _component_types(dtypes)
        known = _component_shapes(shapes, len(types))
        found = _component_names(names, len(types))
        first, second = get_seed(seed)
        if seed is None and first is not None and shared_name is not None:
            # Nodes that share a queue must have the same seeds, wherever they are in the graph.
            second = zlib.crc32(shared_name.encode()) & 0x7FFFFFFF
        handle = queue_ops.RandomShuffleQueueV2(
            component_types=types,
            shapes=known,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=first or 0,
            seed2=second or 0,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(types, known, found, handle)


@export("queue.PriorityQueue")
@export_v1("PriorityQueue", "io.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue that gives the element with the smallest priority first.

    Elements have an int64 scalar, the priority, in front of their components.

    Args:
      capacity, names, shared_name, name: as for FIFOQueue.
      types: of the components behind the priority.
      shapes: of the components behind the priority.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        behind = _component_types(types)
        known = _component_shapes(shapes, len(behind))
        if known is None:
            raise TypeError("A PriorityQueue needs the shapes of its components, not None.")
        found = _component_names(names, len(behind) + 1)
        handle = queue_ops.PriorityQueueV2(
            component_types=behind,
            shapes=known,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        super().__init__([dtypes.int64, *behind], [TensorShape([]), *known], found, handle)
