"""Reads of some rows of a resource variable: ResourceGather and ResourceGatherNd."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.op import define_op
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.gather_ops import any_axis_gradient
from featherflow.ops.reshape_ops import Reshape, expand_dims, squeeze
from featherflow.ops.resource_variable_ops import (
    ReadVariableOp,
    VariableShape,
    handle_shape,
    read_cell,
)
from featherflow.ops.scatter_nd_ops import ScatterNd
from featherflow.ops.shape_ops import size

# --- ResourceGather -------------------------------------------------------------------------------

ResourceGather = define_op(
    "ResourceGather",
    inputs=("resource: resource", "indices: Tindices"),
    outputs=("output: dtype",),
    attrs=(
        "batch_dims: int = 0",
        "validate_indices: bool = true",
        "dtype: type",
        "Tindices: {int32, int64}",
    ),
    is_stateful=True,
    reads_only=True,
)


@ResourceGather.shape_fn
def _resource_gather_shape(c: InferenceContext) -> TensorShape:
    params, indices = handle_shape(c.inputs[0])._dims, c.shapes[1]._dims
    if params is None or indices is None:
        return UNKNOWN
    if not params:
        c.fail("Shape must be at least rank 1 but is rank 0", received="a variable of shape []")
    batch_dims = c.attrs["batch_dims"]
    return TensorShape._of(params[:batch_dims] + indices[batch_dims:] + params[batch_dims + 1 :])


@ResourceGather.kernel("CPU")
def _resource_gather_cpu(
    resource: VariableCell, indices: np.ndarray, *, batch_dims: int
) -> np.ndarray:
    return gathering.gather(read_cell(resource), indices, batch_dims, batch_dims)


@ResourceGather.gradient
def _resource_gather_grad(op: Any, grad: Tensor) -> tuple[Any, None]:
    handle, indices = op.inputs
    batch_dims = op.attrs["batch_dims"]
    if batch_dims:
        params = ReadVariableOp(handle, dtype=op.attrs["dtype"])
        axis = constant(batch_dims)
        return any_axis_gradient(params, indices, axis, batch_dims, grad), None
    params_shape = _shape_of_variable(handle)
    count = expand_dims(size(indices), 0)
    rows = Reshape(grad, concat([count, params_shape[1:]], 0))
    return IndexedSlices(rows, Reshape(indices, count), params_shape), None


def _shape_of_variable(handle: Tensor) -> Any:
    static = handle_shape(handle)
    return constant(static.as_list()) if static.is_fully_defined() else VariableShape(handle)


# --- ResourceGatherNd -----------------------------------------------------------------------------

ResourceGatherNd = define_op(
    "ResourceGatherNd",
    inputs=("resource: resource", "indices: Tindices"),
    outputs=("output: dtype",),
    attrs=("dtype: type", "Tindices: {int32, int64}"),
    is_stateful=True,
    reads_only=True,
)


@ResourceGatherNd.shape_fn
def _resource_gather_nd_shape(c: InferenceContext) -> TensorShape:
    params, indices = handle_shape(c.inputs[0])._dims, c.with_rank_at_least(1, 1)._dims
    if params is None or indices is None or indices[-1] is None:
        return UNKNOWN
    if indices[-1] > len(params):
        c.fail("indices.shape[-1] must be <= params.rank", received=c.received())
    return TensorShape._of(indices[:-1] + params[indices[-1] :])


@ResourceGatherNd.kernel("CPU")
def _resource_gather_nd_cpu(resource: VariableCell, indices: np.ndarray) -> np.ndarray:
    return gathering.gather_nd(read_cell(resource), indices)


@ResourceGatherNd.gradient
def _resource_gather_nd_grad(op: Any, grad: Tensor) -> tuple[Any, None]:
    handle, indices = op.inputs
    shape = VariableShape(handle, out_type=indices.dtype.base_dtype)
    if indices.shape.rank == 2 and indices.shape._dims[-1] == 1:
        return IndexedSlices(grad, squeeze(indices, axis=-1), shape), None
    return ScatterNd(indices, grad, shape), None
