"""Resource variables: handles to storage, whose reads are snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
)
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import InferenceContext, no_outputs, scalar_shape
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor

_ASSIGNMENT = "assignments are not differentiable"

VarHandleOp = define_op(
    "VarHandleOp",
    outputs=("resource: resource",),
    attrs=(
        "container: string = ''",
        "shared_name: string = ''",
        "debug_name: string = ''",
        "dtype: type",
        "shape: shape",
        "allowed_devices: list(string) = []",
    ),
    is_stateful=True,
)
VarHandleOp.shape_fn(scalar_shape)


@VarHandleOp.kernel("CPU")
class _VarHandleCpu(OpKernel):
    """Gives the variable's cell: the session's, by container and shared name."""

    def compute(self, ctx: Any) -> VariableCell:
        attrs = self.node.attrs
        name = str(attrs["shared_name"] or self.node.name)
        return ctx.resources.lookup_or_create(
            attrs["container"],
            name,
            VariableCell,
            lambda: VariableCell(name, attrs["dtype"], attrs["shape"]),
        )


VarHandleOp.without_gradient("it is storage: gradients are taken with respect to its reads")

# --- reading --------------------------------------------------------------------------

ReadVariableOp = define_op(
    "ReadVariableOp",
    inputs=("resource: resource",),
    outputs=("value: dtype",),
    attrs=("dtype: type",),
    is_stateful=True,
    reads_only=True,
    aliases=True,
)


@ReadVariableOp.shape_fn
def _read_variable_shape(c: InferenceContext) -> TensorShape:
    return handle_shape(c.inputs[0])


def handle_shape(handle: Tensor) -> TensorShape:
    """The static shape of the variable behind a handle."""
    return UNKNOWN if handle._handle_data is None else handle._handle_data[1]


@ReadVariableOp.kernel("CPU")
def read_cell(resource: VariableCell) -> np.ndarray:
    """The array of a resource variable: to be read only.

    Raises:
      FailedPreconditionError: the variable is not initialised.
    """
    value = resource.value
    if value is None:
        raise FailedPreconditionError(
            None,
            None,
            f"Could not find variable {resource.name}. This could mean that the variable has been "
            "deleted, or that it is uninitialized",
            remedy="Run its initializer first: sess.run(tf.global_variables_initializer()).",
        )
    return value


@ReadVariableOp.gradient
def _read_variable_grad(op: Any, grad: Tensor) -> Tensor:
    return grad


VariableShape = define_op(
    "VariableShape",
    inputs=("input: resource",),
    outputs=("output: out_type",),
    attrs=("out_type: {int32, int64} = int32",),
    is_stateful=True,
    reads_only=True,
)


@VariableShape.shape_fn
def _variable_shape_shape(c: InferenceContext) -> TensorShape:
    rank = handle_shape(c.inputs[0]).rank
    return TensorShape._of((rank,))


@VariableShape.kernel("CPU")
def _variable_shape_cpu(input: VariableCell, *, out_type: dtypes.DType) -> np.ndarray:
    return np.array(read_cell(input).shape, dtype=out_type.numpy_dtype)


VariableShape.not_differentiable("its output is integer")

VarIsInitializedOp = define_op(
    "VarIsInitializedOp",
    inputs=("resource: resource",),
    outputs=("is_initialized: bool",),
    is_stateful=True,
    reads_only=True,
)
VarIsInitializedOp.shape_fn(scalar_shape)


@VarIsInitializedOp.kernel("CPU")
def _var_is_initialized_cpu(resource: VariableCell) -> np.ndarray:
    return np.array(resource.value is not None)


VarIsInitializedOp.not_differentiable("its output is a bool")

DisableCopyOnRead = define_op(
    "DisableCopyOnRead", inputs=("resource: resource",), outputs=(), is_stateful=True
)
DisableCopyOnRead.shape_fn(no_outputs)


@DisableCopyOnRead.kernel("CPU")
def _disable_copy_on_read_cpu(resource: VariableCell) -> None:
    """Graphs of checkpoints have it before reads. Reads borrow here: there is nothing to do."""


DisableCopyOnRead.without_gradient("it has no outputs")

# --- assigning ------------------------------------------------------------------------

AssignVariableOp = define_op(
    "AssignVariableOp",
    inputs=("resource: resource", "value: dtype"),
    attrs=("dtype: type", "validate_shape: bool = false"),
    is_stateful=True,
)


def _assign_variable_shape(c: InferenceContext) -> list[TensorShape]:
    """Checks dtype and static shape of the value against the handle's."""
    handle = c.inputs[0]._handle_data
    if handle is not None:
        if handle[0] is not c.attrs["dtype"]:
            c.fail(
                "Trying to assign variable with wrong dtype",
                received=c.attrs["dtype"].name,
                expected=handle[0].name,
            )
        c.merge(handle[1], c.shapes[1])
    return []


AssignVariableOp.shape_fn(_assign_variable_shape)


@AssignVariableOp.kernel("CPU")
def _assign_variable_cpu(
    resource: VariableCell, value: np.ndarray, *, validate_shape: bool
) -> None:
    if validate_shape and not resource.shape.is_compatible_with(value.shape):
        raise InvalidArgumentError(
            None,
            None,
            f"Trying to assign to variable {resource.name} with a value of another shape",
            received=str(list(value.shape)),
            expected=str(resource.shape),
        )
    with resource.lock:
        resource.value = value.copy()


AssignVariableOp.without_gradient(_ASSIGNMENT)


def update_cell(cell: VariableCell, function: Any, value: np.ndarray) -> None:
    """`cell ← function(cell, value)` for a ufunc; in place unless a reader holds the array."""
    with cell.lock:
        current = cell.value
        if current is None:
            raise NotFoundError(
                None,
                None,
                f"Cannot update variable {cell.name}, which is not initialized",
                remedy="Run its initializer first: sess.run(tf.global_variables_initializer()).",
            )
        if current.shape != value.shape:
            raise InvalidArgumentError(
                None,
                None,
                f"Cannot update variable {cell.name} with a value of another shape",
                received=str(list(value.shape)),
                expected=str(list(current.shape)),
            )
        dtype = current.dtype
        del current  # it would count as a reader
        if cell.is_shared():
            cell.value = np.asarray(function(cell.value, value), dtype=dtype)
        else:
            function(cell.value, value, out=cell.value)


def _define_update(name: str, ufunc: np.ufunc) -> Any:
    """AssignAddVariableOp and AssignSubVariableOp."""
    op = define_op(
        name,
        inputs=("resource: resource", "value: dtype"),
        attrs=("dtype: type",),
        is_stateful=True,
    )
    op.shape_fn(_assign_variable_shape)

    @op.kernel("CPU")
    def _update_cpu(resource: VariableCell, value: np.ndarray) -> None:
        update_cell(resource, ufunc, value)

    op.without_gradient(_ASSIGNMENT)
    return op


AssignAddVariableOp = _define_update("AssignAddVariableOp", np.add)
AssignSubVariableOp = _define_update("AssignSubVariableOp", np.subtract)

ResourceCountUpTo = define_op(
    "ResourceCountUpTo",
    inputs=("resource: resource",),
    outputs=("output: T",),
    attrs=("limit: int", "T: {int32, int64}"),
    is_stateful=True,
)


@ResourceCountUpTo.shape_fn
def _resource_count_up_to_shape(c: InferenceContext) -> TensorShape:
    return c.merge(handle_shape(c.inputs[0]), TensorShape([]))


@ResourceCountUpTo.kernel("CPU")
def _resource_count_up_to_cpu(resource: VariableCell, *, limit: int) -> np.ndarray:
    with resource.lock:
        before = resource.read()
        if before >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        resource.value = before + np.ones_like(before)
    return before


ResourceCountUpTo.without_gradient("it counts")

DestroyResourceOp = define_op(
    "DestroyResourceOp",
    inputs=("resource: resource",),
    attrs=("ignore_lookup_error: bool = true",),
    is_stateful=True,
)
DestroyResourceOp.shape_fn(no_outputs)


@DestroyResourceOp.kernel("CPU")
def _destroy_resource_cpu(ctx: Any, resource: Any, *, ignore_lookup_error: bool) -> None:
    if isinstance(resource, VariableCell):
        resource.value = None
    if not ctx.resources.delete(resource) and not ignore_lookup_error:
        raise InvalidArgumentError(None, None, f"{resource!r} was destroyed already.")


DestroyResourceOp.without_gradient("it has no outputs")
