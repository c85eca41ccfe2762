"""The order and shape of SparseTensors: SparseReorder, SparseReshape, and transposes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value, constant_value_as_shape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse as kernels
from featherflow.ops.arithmetic_ops import Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.range_ops import range_
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.sparse_shapes import matrix, vector
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor, with_shape_of
from featherflow.ops.transpose_ops import InvertPermutation, transpose

# --- SparseReorder --------------------------------------------------------------------------------

SparseReorder = define_op(
    "SparseReorder",
    inputs=("input_indices: int64", "input_values: T", "input_shape: int64"),
    outputs=("output_indices: int64", "output_values: T"),
    attrs=("T: type",),
)


@SparseReorder.shape_fn
def _sparse_reorder_shape(c: InferenceContext) -> list[TensorShape]:
    indices, values = c.with_rank(0, 2), c.with_rank(1, 1)
    c.with_rank(2, 1)
    return [indices, values]


@SparseReorder.kernel("CPU")
def _sparse_reorder_cpu(
    input_indices: np.ndarray, input_values: np.ndarray, input_shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    kernels.check_parts(input_indices, input_values, input_shape, "input_")
    return kernels.sorted_parts(input_indices, input_values)


@SparseReorder.gradient
def _sparse_reorder_grad(op: Any, indices_grad: Any, grad: Tensor) -> tuple[None, Tensor, None]:
    indices, _, shape = op.inputs
    # What the op does to the places of the values, it does to the values.
    count: Any = shape_of(indices)
    _, places = SparseReorder(indices, range_(count[0]), shape)
    return None, gather(grad, InvertPermutation(places)), None


@export("sparse.reorder")
@export_v1("sparse.reorder", "sparse_reorder")
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The elements of a SparseTensor in row-major order, as most ops expect them.

    Args:
      sp_input: a SparseTensor.
      name: of the node.
    Returns:
      A SparseTensor of the same elements and shape.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     st = tf.SparseTensor([[1, 0], [0, 2]], [5, 7], [2, 3])
    ...     sess.run(tf.sparse.reorder(st)).values.tolist()
    [7, 5]
    """
    sparse = as_sparse_tensor(sp_input)
    indices, values = SparseReorder(sparse.indices, sparse.values, sparse.dense_shape, name=name)
    return with_shape_of(indices, values, sparse)


@export("sparse.transpose")
@export_v1("sparse.transpose", "sparse_transpose")
def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """A SparseTensor with its dimensions in another order.

    Args:
      sp_input: a SparseTensor.
      perm: [rank], dimension i of the result is dimension perm[i] of the input; None reverses all.
      name: prefix of the names of the nodes.
    Returns:
      A SparseTensor in row-major order.
    """
    with op_scope(name, "SparseTranspose"):
        sparse = as_sparse_tensor(sp_input)
        if perm is None:
            rank = sparse.shape.rank
            if rank is not None:
                perm = np.arange(rank)[::-1].copy()
            else:
                count: Any = size_of(sparse.dense_shape)
                perm = Sub(count - 1, range_(count))
        columns = transpose(sparse.indices)
        indices = transpose(gather(columns, perm))
        known = constant_value(perm) if isinstance(perm, Tensor) else np.asarray(perm)
        sizes = sparse.shape.as_list() if sparse.shape.rank is not None else None
        permuted = None if known is None or sizes is None else [sizes[i] for i in known.tolist()]
        if permuted is not None and None not in permuted:
            dense_shape: Any = np.array(permuted, np.int64)
        else:
            dense_shape = gather(sparse.dense_shape, perm)
        result = SparseTensor(indices, sparse.values, dense_shape)
        if permuted is not None:
            result.set_shape(permuted)
        return reorder(result)


# --- SparseReshape --------------------------------------------------------------------------------

SparseReshape = define_op(
    "SparseReshape",
    inputs=("input_indices: int64", "input_shape: int64", "new_shape: int64"),
    outputs=("output_indices: int64", "output_shape: int64"),
)
SparseReshape.without_gradient("its outputs are indices")


@SparseReshape.shape_fn
def _sparse_reshape_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.dims(0, 2)[0]
    c.with_rank(1, 1)
    rank = c.dims(2, 1)[0]
    return [matrix(count, rank), vector(rank)]


@SparseReshape.kernel("CPU")
def _sparse_reshape_cpu(
    input_indices: np.ndarray, input_shape: np.ndarray, new_shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    if input_indices.ndim != 2 or input_shape.shape != (input_indices.shape[1],):
        raise InvalidArgumentError(
            None,
            None,
            "input_indices must be a matrix with a column for each element of input_shape",
            received=f"shapes {list(input_indices.shape)}, {list(input_shape.shape)}",
        )
    if new_shape.ndim != 1:
        raise InvalidArgumentError(None, None, "new_shape must be a vector")
    kernels.check_sizes(input_shape)
    sizes = _inferred_sizes(input_shape.tolist(), new_shape.tolist())
    steps = [math.prod(input_shape.tolist()[axis + 1 :]) for axis in range(len(input_shape))]
    places = input_indices @ np.array(steps, np.int64)
    result = np.empty((len(places), len(sizes)), np.int64)
    for axis in range(len(sizes)):
        step = max(math.prod(sizes[axis + 1 :]), 1)
        # Towards zero, also for indices that are out of bounds.
        result[:, axis] = np.abs(places) // step * np.sign(places)
        places = places - result[:, axis] * step
    return result, np.array(sizes, np.int64)


def _inferred_sizes(old: list[int], new: list[int]) -> list[int]:
    """`new` with the size that −1 stands for.

    Raises:
      InvalidArgumentError: there are several, or the number of elements differs.
    """
    unknown = [axis for axis, size in enumerate(new) if size == -1]
    total, known = math.prod(old), math.prod(size for size in new if size != -1)
    if len(unknown) > 1 or any(size < -1 for size in new):
        raise InvalidArgumentError(
            None,
            None,
            "Sizes must be 0 or more, and at most one of them −1",
            received=f"new_shape {new}",
        )
    sizes = list(new)
    if unknown:
        if known == 0:
            raise InvalidArgumentError(
                None,
                None,
                "reshape cannot infer the missing size of an empty tensor",
                received=f"new_shape {new}",
                expected="other sizes above 0",
            )
        sizes[unknown[0]] = total // known
    if math.prod(sizes) != total:
        raise InvalidArgumentError(
            None,
            None,
            f"Input to reshape is a tensor with {total} dense values",
            received=f"shapes {old} and {new}",
        )
    return sizes


@export("sparse.reshape")
@export_v1("sparse.reshape", "sparse_reshape")
def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The elements of a SparseTensor, in row-major order, in another shape.

    Args:
      sp_input: a SparseTensor.
      shape: [new rank]; one of the sizes may be −1, which takes what is left.
      name: prefix of the names of the nodes.
    Returns:
      A SparseTensor.
    Raises:
      ValueError: the sizes are known not to fit.
      InvalidArgumentError: they are found not to fit.
    """
    sparse = as_sparse_tensor(sp_input)
    shape = cast(shape, dtypes.int64)
    with op_scope(name, "SparseReshape", [sparse.indices]) as scope:
        indices, dense_shape = SparseReshape(sparse.indices, sparse.dense_shape, shape, name=scope)
        static = _static_sizes(sparse.shape, shape)
        if static is not None and static.is_fully_defined():
            dense_shape = constant(np.array(static.as_list(), np.int64))
        result = SparseTensor(indices, identity(sparse.values), dense_shape)
        if static is not None:
            result.set_shape(static)
        return result


def _static_sizes(old: TensorShape, shape: Tensor) -> TensorShape | None:
    """The new shape where both are known while the graph is built, but for one size."""
    new = constant_value_as_shape(shape)
    if new.rank is None or not old.is_fully_defined():
        return None
    known = constant_value(shape)
    if known is not None and (known == -1).sum() > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {known.tolist()}")
    total = math.prod(old.as_list())
    sizes = new.as_list()
    unknown = [axis for axis, size in enumerate(sizes) if size is None]
    rest = math.prod(size for size in sizes if size is not None)
    if len(unknown) > 1 or not total:
        return None
    if (total % rest if unknown else total - rest) != 0:
        raise ValueError(
            f"Cannot reshape a tensor with {total} elements to shape {sizes} ({rest} elements)."
        )
    if unknown:
        sizes[unknown[0]] = total // rest
    return TensorShape(sizes)
