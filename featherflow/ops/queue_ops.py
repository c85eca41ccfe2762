"""The ops of queues; kernels that wait are called back by the queue and hold no thread.

Every op exists twice, as in TensorFlow: the V2 ops take a resource, the older ones a ref of
strings. Either way the value of a handle is the QueueResource itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType, int64
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import NodeInfo, OpKernel
from featherflow.framework.queue_resource import QueueResource, QueueSpec, Store
from featherflow.framework.shape_inference import InferenceContext, no_outputs, unknown_shapes
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.kernels.padded_batch import padded_stack
from featherflow.kernels.queue_stores import FifoStore, PriorityStore, ShuffledStore

_NO_GRADIENT = "what leaves a queue came from another step"
_PAIR = TensorShape._of((2,))

Done = Callable[[Any], None]


def _define_twins(
    name: str,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    attrs: Sequence[str] = (),
    shape_fn: Callable[[InferenceContext], Any],
    kernel: Callable[..., Any],
    asynchronous: bool = False,
) -> Op:
    """Defines an op on queues, with and without V2, and returns the V2 op."""
    location = caller_location()
    twin = define_op(
        name,
        inputs=("handle: Ref(string)", *inputs),
        outputs=outputs,
        attrs=attrs,
        location=location,
    )
    op = define_op(
        f"{name}V2",
        inputs=("handle: resource", *inputs),
        outputs=outputs,
        attrs=attrs,
        is_stateful=True,
        location=location,
    )
    for definition in (twin, op):
        definition.shape_fn(shape_fn)
        definition.kernel("CPU", asynchronous=asynchronous)(kernel)
        definition.not_differentiable(_NO_GRADIENT)
    return op


# --- queues ---------------------------------------------------------------------------------------

_own_names = itertools.count()


class _QueueKernel(OpKernel):
    """Gives the session's queue: under its shared name, or one of the node's own."""

    kind = ""

    def __init__(self, node: NodeInfo) -> None:
        super().__init__(node)
        own_name = f"_{next(_own_names)}_{node.name}"
        self.name = str(node.attrs["shared_name"] or own_name)

    def compute(self, ctx: Any) -> QueueResource:
        queue = ctx.resources.lookup_or_create(
            self.node.attrs["container"],
            self.name,
            QueueResource,
            lambda: QueueResource(self.name, self.spec, self.make_store()),
        )
        if queue.spec is not self.spec:
            queue.check_shared(self.spec)
        return queue

    @cached_property
    def spec(self) -> QueueSpec:
        """What may be in the queue, from the node's attributes."""
        attrs = self.node.attrs
        return QueueSpec(self.kind, attrs["component_types"], attrs["shapes"], attrs["capacity"])

    def make_store(self) -> Store:
        """An empty store."""
        return FifoStore()


class _FifoQueueCpu(_QueueKernel):
    kind = "FIFOQueue"


class _PaddingFifoQueueCpu(_QueueKernel):
    kind = "PaddingFIFOQueue"


class _RandomShuffleQueueCpu(_QueueKernel):
    kind = "RandomShuffleQueue"

    @cached_property
    def spec(self) -> QueueSpec:
        attrs = self.node.attrs
        minimum, capacity = attrs["min_after_dequeue"], attrs["capacity"]
        if minimum < 0 or 0 <= capacity <= minimum:
            raise InvalidArgumentError(
                None,
                None,
                "A shuffling queue must be able to hold more than what stays in it",
                received=f"min_after_dequeue {minimum} and capacity {capacity}",
                expected="0 <= min_after_dequeue < capacity",
            )
        return QueueSpec(
            self.kind,
            attrs["component_types"],
            attrs["shapes"],
            capacity,
            minimum,
            (attrs["seed"], attrs["seed2"]),
        )

    def make_store(self) -> Store:
        return ShuffledStore(*self.spec.seeds)


class _PriorityQueueCpu(_QueueKernel):
    kind = "PriorityQueue"

    @cached_property
    def spec(self) -> QueueSpec:
        attrs = self.node.attrs
        return QueueSpec(
            self.kind,
            (int64, *attrs["component_types"]),
            (SCALAR, *attrs["shapes"]),
            attrs["capacity"],
        )

    def make_store(self) -> Store:
        return PriorityStore()


_NAMES = ("container: string = ''", "shared_name: string = ''")
_COMPONENTS = ("component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []")


def _define_queue(name: str, kernel: type[_QueueKernel], attrs: Sequence[str]) -> Op:
    """Defines a kind of queue, with and without V2, and returns the V2 op."""
    location = caller_location()
    twin, op = (
        define_op(
            full_name,
            outputs=(f"handle: {handle}",),
            attrs=attrs,
            is_stateful=True,
            location=location,
        )
        for full_name, handle in ((name, "Ref(string)"), (f"{name}V2", "resource"))
    )
    twin.shape_fn(lambda c: _PAIR)
    op.shape_fn(lambda c: SCALAR)
    for definition in (twin, op):
        definition.kernel("CPU")(kernel)
        definition.not_differentiable("it is storage")
    return op


FIFOQueueV2 = _define_queue(
    "FIFOQueue", _FifoQueueCpu, (*_COMPONENTS, "capacity: int = -1", *_NAMES)
)
PaddingFIFOQueueV2 = _define_queue(
    "PaddingFIFOQueue", _PaddingFifoQueueCpu, (*_COMPONENTS, "capacity: int = -1", *_NAMES)
)
RandomShuffleQueueV2 = _define_queue(
    "RandomShuffleQueue",
    _RandomShuffleQueueCpu,
    (
        *_COMPONENTS,
        "capacity: int = -1",
        "min_after_dequeue: int = 0",
        "seed: int = 0",
        "seed2: int = 0",
        *_NAMES,
    ),
)
PriorityQueueV2 = _define_queue(
    "PriorityQueue",
    _PriorityQueueCpu,
    (
        "component_types: list(type) >= 0 = []",
        "shapes: list(shape) >= 0",
        "capacity: int = -1",
        *_NAMES,
    ),
)


# --- enqueue --------------------------------------------------------------------------------------


def _check_timeout(timeout_ms: int) -> None:
    if timeout_ms != -1:
        raise InvalidArgumentError(
            None,
            None,
            "Queues know no timeout of single ops",
            received=f"timeout_ms = {timeout_ms}",
            remedy="Set timeout_in_ms of RunOptions, which ends the whole step.",
        )


def _enqueue_cpu(
    ctx: Any,
    done: Done,
    handle: QueueResource,
    *components: np.ndarray,
    Tcomponents: tuple[DType, ...],
    timeout_ms: int,
) -> None:
    _check_timeout(timeout_ms)
    handle.check_dtypes(Tcomponents)
    handle.check_shapes([component.shape for component in components])
    element = tuple(component.copy() for component in components)
    handle.enqueue([element], ctx.cancellation, done)


def _enqueue_many_cpu(
    ctx: Any,
    done: Done,
    handle: QueueResource,
    *components: np.ndarray,
    Tcomponents: tuple[DType, ...],
    timeout_ms: int,
) -> None:
    _check_timeout(timeout_ms)
    handle.check_dtypes(Tcomponents)
    count = _batch_size(components)
    handle.check_shapes([component.shape[1:] for component in components])
    # Each element owns its memory: a batch is not kept for the sake of its last row.
    elements = [
        tuple(component[index, ...].copy() for component in components) for index in range(count)
    ]
    handle.enqueue(elements, ctx.cancellation, done)


def _batch_size(components: Sequence[np.ndarray]) -> int:
    shapes = [component.shape for component in components]
    if not all(shapes) or len({shape[0] for shape in shapes}) != 1:
        raise InvalidArgumentError(
            None,
            None,
            "Shape mismatch: the components must be batches of one size",
            received="shapes " + ", ".join(map(str, shapes)),
        )
    return shapes[0][0]


_ENQUEUE_ATTRS = ("Tcomponents: list(type) >= 1", "timeout_ms: int = -1")

QueueEnqueueV2 = _define_twins(
    "QueueEnqueue",
    inputs=("components: Tcomponents",),
    attrs=_ENQUEUE_ATTRS,
    shape_fn=no_outputs,
    kernel=_enqueue_cpu,
    asynchronous=True,
)
QueueEnqueueManyV2 = _define_twins(
    "QueueEnqueueMany",
    inputs=("components: Tcomponents",),
    attrs=_ENQUEUE_ATTRS,
    shape_fn=no_outputs,
    kernel=_enqueue_many_cpu,
    asynchronous=True,
)


# --- dequeue --------------------------------------------------------------------------------------


def _dequeue_cpu(
    ctx: Any,
    done: Done,
    handle: QueueResource,
    *,
    component_types: tuple[DType, ...],
    timeout_ms: int,
) -> None:
    _check_timeout(timeout_ms)
    handle.check_dtypes(component_types)

    def leave(result: Any) -> None:
        done(result if isinstance(result, Exception) else result[0])

    handle.dequeue(1, ctx.cancellation, leave)


def _dequeue_batch_cpu(
    ctx: Any,
    done: Done,
    handle: QueueResource,
    n: np.ndarray,
    *,
    component_types: tuple[DType, ...],
    timeout_ms: int,
    takes_less: bool,
) -> None:
    _check_timeout(timeout_ms)
    handle.check_dtypes(component_types)
    spec = handle.spec
    if len(spec.shapes) != len(spec.dtypes):
        raise InvalidArgumentError(
            None,
            None,
            f"{spec.kind}: batches can be taken only if the shapes of its components are known",
            remedy="Give the queue `shapes`.",
        )
    if n < 0:
        raise InvalidArgumentError(
            None, None, "A number of elements is negative", received=f"n = {int(n)}"
        )

    def leave(result: Any) -> None:
        done(result if isinstance(result, Exception) else _batch(spec, result))

    handle.dequeue(int(n), ctx.cancellation, leave, takes_less=takes_less)


def _batch(spec: QueueSpec, elements: Sequence[tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    """The elements as one array for each component."""
    return [
        padded_stack([element[index] for element in elements], shape._dims or (), dtype.numpy_dtype)
        for index, (shape, dtype) in enumerate(zip(spec.shapes, spec.dtypes))
    ]


def _dequeue_batch_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    count = c.constant(1)
    if count is not None and count < 0:
        c.fail("Input 'n' must be >= 0", received=f"n = {int(count)}")
    return unknown_shapes(c)


_DEQUEUE_ATTRS = ("component_types: list(type) >= 1", "timeout_ms: int = -1")

QueueDequeueV2 = _define_twins(
    "QueueDequeue",
    outputs=("components: component_types",),
    attrs=_DEQUEUE_ATTRS,
    shape_fn=unknown_shapes,
    kernel=_dequeue_cpu,
    asynchronous=True,
)
QueueDequeueManyV2 = _define_twins(
    "QueueDequeueMany",
    inputs=("n: int32",),
    outputs=("components: component_types",),
    attrs=_DEQUEUE_ATTRS,
    shape_fn=_dequeue_batch_shape,
    kernel=partial(_dequeue_batch_cpu, takes_less=False),
    asynchronous=True,
)
QueueDequeueUpToV2 = _define_twins(
    "QueueDequeueUpTo",
    inputs=("n: int32",),
    outputs=("components: component_types",),
    attrs=_DEQUEUE_ATTRS,
    shape_fn=_dequeue_batch_shape,
    kernel=partial(_dequeue_batch_cpu, takes_less=True),
    asynchronous=True,
)


# --- the state of a queue -------------------------------------------------------------------------


def _close_cpu(
    ctx: Any, done: Done, handle: QueueResource, *, cancel_pending_enqueues: bool
) -> None:
    handle.close(cancel_pending_enqueues, ctx.cancellation, done)


def _size_cpu(handle: QueueResource) -> np.ndarray:
    return np.array(handle.size(), np.int32)


def _is_closed_cpu(handle: QueueResource) -> np.ndarray:
    return np.array(handle.is_closed())


def _handle_shape(c: InferenceContext) -> TensorShape:
    """The shape of the handle; a scalar for one of strings, which has two."""
    return c.shapes[0] if c.inputs[0].dtype.name == "resource" else SCALAR


QueueCloseV2 = _define_twins(
    "QueueClose",
    attrs=("cancel_pending_enqueues: bool = false",),
    shape_fn=no_outputs,
    kernel=_close_cpu,
    asynchronous=True,
)
QueueSizeV2 = _define_twins(
    "QueueSize", outputs=("size: int32",), shape_fn=_handle_shape, kernel=_size_cpu
)
QueueIsClosedV2 = _define_twins(
    "QueueIsClosed", outputs=("is_closed: bool",), shape_fn=_handle_shape, kernel=_is_closed_cpu
)
