"""Sums of SparseTensors: SparseAdd and its gradient, and SparseTensorDenseAdd."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue, as_sparse_tensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse as kernels
from featherflow.kernels.gathering import combine_rows, flat_places
from featherflow.ops.scatter_nd_ops import GatherNd
from featherflow.ops.sparse_shapes import VECTOR, matrix, vector
from featherflow.ops.type_groups import COMPLEX, NUMBERS, SIGNED, WIDE_FLOATS

#: The dtypes of sums of SparseTensors, as contracts write them.
SUM_TYPES = (
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_ADDED = WIDE_FLOATS + SIGNED + COMPLEX

# --- SparseAdd ------------------------------------------------------------------------------------

SparseAdd = define_op(
    "SparseAdd",
    inputs=(
        "a_indices: int64",
        "a_values: T",
        "a_shape: int64",
        "b_indices: int64",
        "b_values: T",
        "b_shape: int64",
        "thresh: Treal",
    ),
    outputs=("sum_indices: int64", "sum_values: T", "sum_shape: int64"),
    attrs=(
        SUM_TYPES,
        "Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}",
    ),
)


@SparseAdd.shape_fn
def _sparse_add_shape(c: InferenceContext) -> list[TensorShape]:
    rank = c.dims(2, 1)[0]
    return [matrix(None, rank), VECTOR, vector(rank)]


@SparseAdd.kernel("CPU", T=_ADDED)
def _sparse_add_cpu(
    a_indices: np.ndarray,
    a_values: np.ndarray,
    a_shape: np.ndarray,
    b_indices: np.ndarray,
    b_values: np.ndarray,
    b_shape: np.ndarray,
    thresh: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kernels.check_parts(a_indices, a_values, a_shape, "a_")
    kernels.check_parts(b_indices, b_values, b_shape, "b_")
    if not np.array_equal(a_shape, b_shape) or not len(a_shape):
        raise InvalidArgumentError(
            None,
            None,
            "The two must have one shape, of rank 1 or more",
            received=f"{a_shape.tolist()} and {b_shape.tolist()}",
        )
    if thresh.ndim:
        raise InvalidArgumentError(
            None, None, "thresh must be a scalar", received=f"shape {list(thresh.shape)}"
        )
    places = kernels.merge(a_indices, b_indices)
    sums = kernels.take_or_zero(a_values, places[0])
    sums += kernels.take_or_zero(b_values, places[1])
    # What only one of them holds stays, however small it is.
    is_kept = (np.abs(sums) >= thresh) | (np.minimum(*places) < 0)
    indices = kernels.merged_indices(a_indices, b_indices, *places)
    return indices[is_kept], sums[is_kept], a_shape.copy()


@SparseAdd.gradient
def _sparse_add_grad(op: Any, indices_grad: Any, values_grad: Tensor, shape_grad: Any) -> list[Any]:
    a_grad, b_grad = SparseAddGrad(values_grad, op.inputs[0], op.inputs[3], op.outputs[0])
    return [None, a_grad, None, None, b_grad, None, None]


SparseAddGrad = define_op(
    "SparseAddGrad",
    inputs=("backprop_val_grad: T", "a_indices: int64", "b_indices: int64", "sum_indices: int64"),
    outputs=("a_val_grad: T", "b_val_grad: T"),
    attrs=(SUM_TYPES,),
)
SparseAddGrad.not_differentiable("TensorFlow gives it no gradient")


@SparseAddGrad.shape_fn
def _sparse_add_grad_shape(c: InferenceContext) -> list[TensorShape]:
    return [vector(c.dims(1, 2)[0]), vector(c.dims(2, 2)[0])]


@SparseAddGrad.kernel("CPU", T=_ADDED)
def _sparse_add_grad_cpu(
    backprop_val_grad: np.ndarray,
    a_indices: np.ndarray,
    b_indices: np.ndarray,
    sum_indices: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    matrices = (a_indices, b_indices, sum_indices)
    fits = all(item.ndim == 2 for item in matrices) and (
        len({item.shape[1] for item in matrices}) == 1
        and backprop_val_grad.shape == sum_indices.shape[:1]
    )
    if not fits:
        raise InvalidArgumentError(
            None,
            None,
            "The gradient must have one element for each row of sum_indices, the indices one rank",
            received=f"shapes {list(backprop_val_grad.shape)}, "
            + ", ".join(str(list(item.shape)) for item in matrices),
        )
    a_keys, b_keys, sum_keys = kernels.row_major_keys(*matrices)
    return (
        _looked_up(a_keys, sum_keys, backprop_val_grad),
        _looked_up(b_keys, sum_keys, backprop_val_grad),
    )


def _looked_up(keys: np.ndarray, sum_keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The value of each key, 0 for a key that is not there; both lists are read in step."""
    places, sum_places = kernels.merge_keys(keys, sum_keys)
    is_met = (places >= 0) & (sum_places >= 0)
    result = np.zeros(len(keys), values.dtype)
    result[places[is_met]] = values[sum_places[is_met]]
    return result


# --- SparseTensorDenseAdd -------------------------------------------------------------------------

SparseTensorDenseAdd = define_op(
    "SparseTensorDenseAdd",
    inputs=("a_indices: Tindices", "a_values: T", "a_shape: Tindices", "b: T"),
    outputs=("output: T",),
    attrs=(SUM_TYPES, "Tindices: {int32, int64}"),
)


@SparseTensorDenseAdd.shape_fn
def _sparse_tensor_dense_add_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[3]


@SparseTensorDenseAdd.kernel("CPU", T=NUMBERS)
def _sparse_tensor_dense_add_cpu(
    a_indices: np.ndarray, a_values: np.ndarray, a_shape: np.ndarray, b: np.ndarray
) -> np.ndarray:
    kernels.check_parts(a_indices, a_values, a_shape, "a_")
    if b.shape != tuple(a_shape.tolist()) or not 1 <= b.ndim <= 5:
        raise InvalidArgumentError(
            None,
            None,
            "The two must have one shape, of rank 1 to 5",
            received=f"{a_shape.tolist()} and {list(b.shape)}",
        )
    places, _ = flat_places(a_indices, b.shape)
    result = b.copy()
    if len(places):
        combine_rows(result.reshape(-1, 1), places, a_values.reshape(-1, 1), np.add)
    return result


@SparseTensorDenseAdd.gradient
def _sparse_tensor_dense_add_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None, Tensor]:
    return None, GatherNd(grad, op.inputs[0]), None, grad


# --- tf.sparse.add --------------------------------------------------------------------------------


@export_v1("sparse.add", "sparse_add")
def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """a + b, one of them a SparseTensor.

    Args:
      a, b: SparseTensors or tensors of one shape. SparseTensors are in row-major order.
      threshold: sums of two elements of a smaller magnitude are left out; None for 0.
      thresh: old name of `threshold`.
    Returns:
      A SparseTensor if both are, else a tensor.
    Raises:
      TypeError: neither is a SparseTensor.
      ValueError: the shapes are known to differ.
      InvalidArgumentError: the shapes differ.
    """
    if threshold is not None and thresh is not None:
        raise ValueError("Cannot specify both 'threshold' and 'thresh'.")
    limit = thresh if threshold is None else threshold
    return sparse_add_v2(a, b, 0 if limit is None else limit)


@export("sparse.add")
def sparse_add_v2(a: Any, b: Any, threshold: Any = 0) -> Any:
    """`tf.compat.v1.sparse.add` with TF2's arguments."""
    kinds = (SparseTensor, SparseTensorValue)
    if not (isinstance(a, kinds) or isinstance(b, kinds)):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, kinds) and isinstance(b, kinds)):
        sparse, dense = (a, b) if isinstance(a, kinds) else (b, a)
        sparse = as_sparse_tensor(sparse)
        return SparseTensorDenseAdd(sparse.indices, sparse.values, sparse.dense_shape, dense)
    a, b = as_sparse_tensor(a), as_sparse_tensor(b)
    dtype = a.values.dtype.base_dtype
    real = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(dtype, dtype)
    limit = convert_to_tensor(threshold, real, name="threshold")
    indices, values, shape = SparseAdd(
        a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, limit
    )
    static = a.shape.merge_with(b.shape)
    if static.is_fully_defined():
        return SparseTensor(indices, values, np.array(static.as_list(), np.int64))
    result = SparseTensor(indices, values, shape)
    result.set_shape(static)
    return result
