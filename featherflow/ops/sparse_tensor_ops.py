"""SparseTensors as dense ones, and their placeholders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1, export_value
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue, as_sparse_tensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.kernels.allocation import check_allocation
from featherflow.ops import (
    shape_ops,
    sparse_elementwise_ops,  # noqa: F401  gives SparseTensors their operators
)
from featherflow.ops.cast_ops import cast
from featherflow.ops.conversion_ops import convert_to_tensor_v1
from featherflow.ops.fill_ops import zeros
from featherflow.ops.identity_ops import identity
from featherflow.ops.placeholder_ops import placeholder, placeholder_with_default
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.scatter_nd_ops import GatherNd
from featherflow.ops.sum_ops import Sum

__all__ = ["SparseTensor", "SparseTensorValue", "as_sparse_tensor"]

# The public names lead here, so that whoever makes SparseTensors can use them.
export_value(__name__, "SparseTensor", "SparseTensor", "sparse.SparseTensor")
export_value(__name__, "SparseTensorValue", v1_only=True)

# --- SparseToDense --------------------------------------------------------------------------------

SparseToDense = define_op(
    "SparseToDense",
    inputs=(
        "sparse_indices: Tindices",
        "output_shape: Tindices",
        "sparse_values: T",
        "default_value: T",
    ),
    outputs=("dense: T",),
    attrs=("validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"),
)


@SparseToDense.shape_fn
def _sparse_to_dense_shape(c: InferenceContext) -> TensorShape:
    c.with_rank_at_most(0, 2)
    return c.constant_as_shape(1)


@SparseToDense.kernel("CPU")
def _sparse_to_dense_cpu(
    sparse_indices: np.ndarray,
    output_shape: np.ndarray,
    sparse_values: np.ndarray,
    default_value: np.ndarray,
    *,
    validate_indices: bool,
) -> np.ndarray:
    if default_value.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "default_value must be a scalar",
            received=f"shape {list(default_value.shape)}",
        )
    dims = tuple(output_shape.reshape(-1).tolist())
    # A scalar is one index, a vector holds indices of a vector.
    rows = sparse_indices.reshape(-1, 1) if sparse_indices.ndim < 2 else sparse_indices
    if rows.shape[1] != len(dims) or sparse_values.shape not in ((), (len(rows),)):
        raise InvalidArgumentError(
            None,
            None,
            "sparse_indices, sparse_values and output_shape do not fit",
            received=f"shapes {list(sparse_indices.shape)}, {list(sparse_values.shape)}, "
            f"{list(output_shape.shape)}",
        )
    places, _ = gathering.flat_places(rows, dims)
    if validate_indices and (places[1:] <= places[:-1]).any():
        at = int(np.argmax(places[1:] <= places[:-1])) + 1
        state = "is repeated" if places[at] == places[at - 1] else "is out of order"
        raise InvalidArgumentError(
            None,
            None,
            f"indices[{at}] = {rows[at].tolist()} {state}",
            remedy="Put SparseTensors in order with tf.sparse.reorder.",
        )
    check_allocation(dims, default_value.dtype)
    result = np.full(math.prod(dims), default_value, dtype=default_value.dtype)
    result[places] = sparse_values
    return result.reshape(dims)


@SparseToDense.gradient
def _sparse_to_dense_grad(op: Any, grad: Tensor) -> tuple[None, None, Tensor, Tensor]:
    values_grad = GatherNd(grad, op.inputs[0])
    axes = list(range(values_grad.shape.rank or 1))
    default_grad = Sum(grad, list(range(grad.shape.rank or 1))) - Sum(values_grad, axes)
    return None, None, values_grad, default_grad


@export_v1("sparse_to_dense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """dense[sparse_indices[i]] = sparse_values[i], `default_value` elsewhere.

    Args:
      sparse_indices: [N, rank]; [N] for a vector, or a scalar for one place of it.
      output_shape: [rank]
      sparse_values: [N], or a scalar for all places.
      default_value: the other elements, a scalar.
      validate_indices: the indices must be in row-major order, none of them twice.
      name: of the node.
    Returns:
      A tensor of shape `output_shape`.
    Raises:
      InvalidArgumentError: an index is out of range, out of order or repeated.
    """
    return SparseToDense(
        sparse_indices,
        output_shape,
        sparse_values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


@export("sparse.to_dense")
@export_v1("sparse.to_dense", "sparse_tensor_to_dense")
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """A SparseTensor as a dense tensor.

    Args:
      sp_input: a SparseTensor.
      default_value: the elements that it does not name; None for zeros.
      validate_indices: its indices must be in row-major order, none of them twice.
      name: of the node.
    Returns:
      A tensor.
    """
    sparse = as_sparse_tensor(sp_input)
    if default_value is None:
        default_value = zeros([], sparse.dtype)
    return sparse_to_dense(
        sparse.indices, sparse.dense_shape, sparse.values, default_value, validate_indices, name
    )


def with_shape_of(indices: Any, values: Any, like: SparseTensor) -> SparseTensor:
    """A SparseTensor of new parts, and of the shape of another."""
    if like.shape.is_fully_defined():
        return SparseTensor(indices, values, np.array(like.shape.as_list(), np.int64))
    result = SparseTensor(indices, values, identity(like.dense_shape))
    result.set_shape(like.shape)
    return result


@export_v1("convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """`value` as a tensor, SparseTensors as they are.

    Args:
      value: a SparseTensor, a SparseTensorValue, or what `tf.convert_to_tensor` takes.
      dtype: of the result; None takes the value's.
      name: of the node, if one is made.
    Returns:
      A Tensor or SparseTensor.
    Raises:
      RuntimeError: a SparseTensor has another dtype.
    """
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        return convert_to_tensor_v1(value, dtype, name)
    sparse = as_sparse_tensor(value)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(sparse.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name}, actual: "
            f"{sparse.dtype.name}"
        )
    return sparse


@export_v1("size")
def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The number of elements of a tensor; of a SparseTensor that of the dense one.

    A size that is known while the graph is built becomes a constant.

    Args:
      input: a tensor or SparseTensor.
      name: of the node.
      out_type: int32 or int64; None is int32.
    Returns:
      A scalar.
    """
    out_type = dtypes.int32 if out_type is None else out_type
    if not isinstance(input, (SparseTensor, SparseTensorValue)):
        return shape_ops.size(input, name, out_type)
    with name_scope(name, "Size", [input]) as scope:
        return reduce_prod(cast(input.dense_shape, out_type), 0, name=scope)


@export("size")
def size_v2(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """`size` with TF2's order of arguments."""
    return size(input, name, out_type)


# --- placeholders ---------------------------------------------------------------------------------


@export_v1("sparse_placeholder", "sparse.placeholder")
def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A SparseTensor whose value is given with each run.

    Args:
      dtype: of the elements.
      shape: of the dense tensors, None where a size may vary; None for any shape.
      name: prefix of the names of the three nodes.
    Returns:
      A SparseTensor that must be fed, with a SparseTensorValue or a tuple of three arrays.
    """
    shape_name = None if name is None else f"{name}/shape"
    values_name = None if name is None else f"{name}/values"
    indices_name = None if name is None else f"{name}/indices"
    sizes = None if shape is None or isinstance(shape, Tensor) else TensorShape(shape)
    rank = sizes.rank if sizes is not None else None
    if isinstance(shape, Tensor):
        rank = shape.shape.as_list()[0]
        dense_shape = placeholder_with_default(shape, shape.shape, shape_name)
    elif rank is None:
        dense_shape = placeholder(dtypes.int64, [None], shape_name)
    else:
        known = [-1 if size is None else size for size in TensorShape(sizes).as_list()]
        default = convert_to_tensor(np.array(known, np.int64))
        dense_shape = placeholder_with_default(default, [rank], shape_name)
    values = placeholder(dtype, [None], values_name)
    indices = placeholder(dtypes.int64, [None, rank], indices_name)
    result = SparseTensor(indices, values, dense_shape)
    if sizes is not None:
        result.set_shape(sizes)
    return result
