"""Barriers: elements whose components come apart, by key, and leave together."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.barrier_resource import BarrierResource
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import NodeInfo, OpKernel
from featherflow.framework.shape_inference import (
    InferenceContext,
    no_outputs,
    scalar_shape,
    unknown_shapes,
)
from featherflow.framework.tensor_shape import TensorShape

_NO_GRADIENT = "what leaves a barrier came from another step"
_HANDLE = ("handle: Ref(string)",)
_own_names = itertools.count()

Done = Callable[[Any], None]

Barrier = define_op(
    "Barrier",
    outputs=_HANDLE,
    attrs=(
        "component_types: list(type) >= 1",
        "shapes: list(shape) >= 0 = []",
        "capacity: int = -1",
        "container: string = ''",
        "shared_name: string = ''",
    ),
    is_stateful=True,
)


@Barrier.shape_fn
def _barrier_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of((2,))


@Barrier.kernel("CPU")
class _BarrierCpu(OpKernel):
    """Gives the session's barrier: under its shared name, or one of the node's own."""

    def __init__(self, node: NodeInfo) -> None:
        super().__init__(node)
        self.name = str(node.attrs["shared_name"] or f"_{next(_own_names)}_{node.name}")
        if any(not shape.is_fully_defined() for shape in node.attrs["shapes"]):
            raise InvalidArgumentError(
                None, None, "The shapes of a barrier's components must be known"
            )

    def compute(self, ctx: Any) -> BarrierResource:
        attrs = self.node.attrs
        contract = attrs["component_types"], attrs["shapes"]
        barrier = ctx.resources.lookup_or_create(
            attrs["container"],
            self.name,
            BarrierResource,
            lambda: BarrierResource(self.name, *contract),
        )
        if (barrier.dtypes, barrier.shapes) != contract:
            raise InvalidArgumentError(
                None, None, f"Shared barrier '{self.name}' has other components"
            )
        return barrier


Barrier.without_gradient("it is storage")

BarrierInsertMany = define_op(
    "BarrierInsertMany",
    inputs=(*_HANDLE, "keys: string", "values: T"),
    attrs=("T: type", "component_index: int"),
)


@BarrierInsertMany.shape_fn
def _barrier_insert_many_shape(c: InferenceContext) -> list[TensorShape]:
    keys, values = c.with_rank(1, 1), c.with_rank_at_least(2, 1)
    if keys._dims is not None and values._dims is not None:
        c.merge_dim(keys._dims[0], values._dims[0])
    return no_outputs(c)


@BarrierInsertMany.kernel("CPU", asynchronous=True)
def _barrier_insert_many_cpu(
    ctx: Any,
    done: Done,
    handle: BarrierResource,
    keys: np.ndarray,
    values: np.ndarray,
    *,
    T: DType,
    component_index: int,
) -> None:
    _check_insert(handle, keys, values, T, component_index)
    action = handle.insert(component_index, keys.tolist(), values)
    handle.room.visit(action, ctx.cancellation, done)


def _check_insert(
    barrier: BarrierResource, keys: np.ndarray, values: np.ndarray, dtype: DType, component: int
) -> None:
    if not 0 <= component < len(barrier.dtypes):
        problem = f"The component ID is out of range {component} > num_components"
    elif barrier.dtypes[component] is not dtype:
        problem = f"Component {component} is of {barrier.dtypes[component].name}, not {dtype.name}"
    elif keys.ndim != 1 or values.ndim == 0 or len(keys) != len(values):
        problem = f"There must be a value for each key: {list(keys.shape)}, {list(values.shape)}"
    elif barrier.shapes and not barrier.shapes[component].is_compatible_with(values.shape[1:]):
        problem = f"Component {component} has shape {barrier.shapes[component]}"
    else:
        return
    raise InvalidArgumentError(None, None, problem, received=f"shape {list(values.shape)}")


BarrierInsertMany.without_gradient(_NO_GRADIENT)

BarrierTakeMany = define_op(
    "BarrierTakeMany",
    inputs=(*_HANDLE, "num_elements: int32"),
    outputs=("indices: int64", "keys: string", "values: component_types"),
    attrs=(
        "component_types: list(type) >= 1",
        "allow_small_batch: bool = false",
        "wait_for_incomplete: bool = false",
        "timeout_ms: int = -1",
    ),
)
BarrierTakeMany.shape_fn(unknown_shapes)


@BarrierTakeMany.kernel("CPU", asynchronous=True)
def _barrier_take_many_cpu(
    ctx: Any,
    done: Done,
    handle: BarrierResource,
    num_elements: np.ndarray,
    *,
    component_types: tuple[DType, ...],
    allow_small_batch: bool,
    wait_for_incomplete: bool,
) -> None:
    if handle.dtypes != component_types:
        raise InvalidArgumentError(
            None,
            None,
            f"Barrier '{handle.name}' has other components",
            received=", ".join(dtype.name for dtype in component_types),
            expected=", ".join(dtype.name for dtype in handle.dtypes),
        )
    if num_elements.ndim or num_elements < 0:
        raise InvalidArgumentError(
            None,
            None,
            "num_elements must be a scalar that is not negative",
            received=str(num_elements.tolist()),
        )

    def leave(result: Any) -> None:
        done(result if isinstance(result, Exception) else _batch(handle, result))

    action = handle.take(
        int(num_elements),
        allow_small=allow_small_batch,
        waits_for_incomplete=wait_for_incomplete,
    )
    handle.room.visit(action, ctx.cancellation, leave)


def _batch(barrier: BarrierResource, elements: list[tuple[bytes, int, Any]]) -> Any:
    """Indices, keys, and one array for each component."""
    keys = np.empty(len(elements), object)
    keys[:] = [key for key, _, _ in elements]
    indices = np.array([index for _, index, _ in elements], np.int64)
    batches = []
    for component, dtype in enumerate(barrier.dtypes):
        values = [components[component] for _, _, components in elements]
        if len({value.shape for value in values}) > 1:
            return InvalidArgumentError(
                None, None, f"Elements of component {component} have several shapes"
            )
        shape = tuple(barrier.shapes[component].as_list()) if barrier.shapes else ()
        empty = np.empty((0, *shape), dtype.numpy_dtype)
        batches.append(np.stack(values) if values else empty)
    return [indices, keys, *batches]


BarrierTakeMany.without_gradient(_NO_GRADIENT)

BarrierClose = define_op(
    "BarrierClose", inputs=_HANDLE, attrs=("cancel_pending_enqueues: bool = false",)
)
BarrierClose.shape_fn(no_outputs)


@BarrierClose.kernel("CPU", asynchronous=True)
def _barrier_close_cpu(
    ctx: Any, done: Done, handle: BarrierResource, *, cancel_pending_enqueues: bool
) -> None:
    handle.room.visit(handle.close(cancel_pending_enqueues), ctx.cancellation, done)


BarrierClose.without_gradient("it has no outputs")

BarrierReadySize = define_op("BarrierReadySize", inputs=_HANDLE, outputs=("size: int32",))
BarrierReadySize.shape_fn(scalar_shape)


@BarrierReadySize.kernel("CPU")
def _barrier_ready_size_cpu(handle: BarrierResource) -> np.ndarray:
    return np.array(handle.ready_size(), np.int32)


BarrierReadySize.without_gradient("its output is integer")

BarrierIncompleteSize = define_op("BarrierIncompleteSize", inputs=_HANDLE, outputs=("size: int32",))
BarrierIncompleteSize.shape_fn(scalar_shape)


@BarrierIncompleteSize.kernel("CPU")
def _barrier_incomplete_size_cpu(handle: BarrierResource) -> np.ndarray:
    return np.array(handle.incomplete_size(), np.int32)


BarrierIncompleteSize.without_gradient("its output is integer")
