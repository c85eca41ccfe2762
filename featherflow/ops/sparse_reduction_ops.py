"""Reductions of SparseTensors: sums and maxima over dimensions, and softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext, unknown_shapes
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse as kernels
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.arithmetic_ops import Mul, Sub
from featherflow.ops.comparison_ops import Greater
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import FloorDiv, FloorMod
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import ExpandDims, Reshape, renamed_argument
from featherflow.ops.scatter_nd_ops import GatherNd, ScatterNd
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.sparse_add_ops import SUM_TYPES
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor
from featherflow.ops.type_groups import NUMBERS, REAL

_INPUTS = (
    "input_indices: int64",
    "input_values: T",
    "input_shape: int64",
    "reduction_axes: int32",
)
_MAX_TYPES = (
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)

# --- reductions to tensors ------------------------------------------------------------------------


def _define_reduction(name: str, combine: np.ufunc, types: str, kinds: tuple[DType, ...]) -> Op:
    """A reduction whose output is dense, 0 where there is nothing to reduce."""
    op = define_op(
        name, inputs=_INPUTS, outputs=("output: T",), attrs=("keep_dims: bool = false", types)
    )
    op.shape_fn(_reduced_shape)

    @op.kernel("CPU", T=kinds)
    def cpu(
        input_indices: np.ndarray,
        input_values: np.ndarray,
        input_shape: np.ndarray,
        reduction_axes: np.ndarray,
        *,
        keep_dims: bool,
    ) -> np.ndarray:
        kept = _kept(input_indices, input_values, input_shape, reduction_axes)
        check_allocation(input_shape[kept].tolist(), input_values.dtype)
        result = kernels.reduce_dense(input_indices, input_values, input_shape, kept, combine)
        return result.reshape(_with_ones(input_shape, kept)) if keep_dims else result

    return op


def _kept(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray, axes: np.ndarray
) -> list[int]:
    kernels.check_parts(indices, values, shape, "input_")
    kernels.check_sizes(shape)
    return kernels.kept_axes(len(shape), axes)


def _with_ones(shape: np.ndarray, kept: list[int]) -> list[int]:
    return [int(size) if axis in kept else 1 for axis, size in enumerate(shape)]


def _reduced_shape(c: InferenceContext) -> TensorShape:
    shape, axes = c.constant(2), c.constant(3)
    if shape is None or axes is None:
        return UNKNOWN
    sizes = shape.reshape(-1).tolist()
    if not sizes:
        c.fail("Input tensor must have at least 1 dimension")
    # As TensorFlow has it: what is out of range counts from the start again, or for nothing.
    gone = {int(np.fmod(axis + len(sizes), len(sizes))) for axis in axes.reshape(-1).tolist()}
    if c.attrs["keep_dims"]:
        return TensorShape([1 if axis in gone else size for axis, size in enumerate(sizes)])
    return TensorShape([size for axis, size in enumerate(sizes) if axis not in gone])


SparseReduceSum = _define_reduction("SparseReduceSum", np.add, SUM_TYPES, NUMBERS)
SparseReduceMax = _define_reduction("SparseReduceMax", np.maximum, _MAX_TYPES, REAL)
SparseReduceMax.without_gradient("TensorFlow gives it no gradient")


@SparseReduceSum.gradient
def _sparse_reduce_sum_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None, None]:
    indices, _, shape, axes = op.inputs
    kept_shape = _kept_shape(shape, axes)
    places = FloorDiv(indices, maximum(FloorDiv(shape, maximum(kept_shape, 1)), 1))
    return None, GatherNd(Reshape(grad, kept_shape), places), None, None


def _kept_shape(shape: Tensor, axes: Tensor) -> Tensor:
    """`shape` with size 1 for the dimensions of a reduction."""
    rank = size_of(shape)
    reduced = FloorMod(Reshape(axes, [-1]), rank)
    counts = ScatterNd(ExpandDims(reduced, 1), ones_like(reduced), ExpandDims(rank, 0))
    return SelectV2(Greater(counts, 0), ones_like(shape), shape)


# --- reductions to SparseTensors ------------------------------------------------------------------


def _define_sparse_reduction(
    name: str, combine: np.ufunc, types: str, kinds: tuple[DType, ...]
) -> Op:
    """A reduction whose output is sparse: an element for each group of elements."""
    op = define_op(
        name,
        inputs=_INPUTS,
        outputs=("output_indices: int64", "output_values: T", "output_shape: int64"),
        attrs=("keep_dims: bool = false", types),
    )
    op.shape_fn(unknown_shapes)
    op.without_gradient("TensorFlow gives it no gradient")

    @op.kernel("CPU", T=kinds)
    def cpu(
        input_indices: np.ndarray,
        input_values: np.ndarray,
        input_shape: np.ndarray,
        reduction_axes: np.ndarray,
        *,
        keep_dims: bool,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        kept = _kept(input_indices, input_values, input_shape, reduction_axes)
        groups, reduced = kernels.reduce_groups(input_indices, input_values, kept, combine)
        if not keep_dims:
            return groups, reduced, input_shape[kept]
        places = np.zeros((len(groups), len(input_shape)), np.int64)
        places[:, kept] = groups
        return places, reduced, np.array(_with_ones(input_shape, kept), np.int64)

    return op


SparseReduceSumSparse = _define_sparse_reduction(
    "SparseReduceSumSparse", np.add, SUM_TYPES, NUMBERS
)
SparseReduceMaxSparse = _define_sparse_reduction(
    "SparseReduceMaxSparse", np.maximum, _MAX_TYPES, REAL
)


# --- public functions -----------------------------------------------------------------------------


def _reduce(
    op: Op, sp_input: Any, axis: Any, keepdims: bool | None, name: str | None = None
) -> Any:
    sparse = as_sparse_tensor(sp_input)
    if axis is None:
        rank = sparse.shape.rank
        axis = constant(np.arange(rank, dtype=np.int32)) if rank is not None else _all_axes(sparse)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    result = op(*parts, axis, keep_dims=bool(keepdims), name=name)
    return result if isinstance(result, Tensor) else SparseTensor(*result)


def _all_axes(sparse: SparseTensor) -> Tensor:
    return range_(0, size_of(sparse.dense_shape, name="Rank"))


def _reduce_v1(
    op: Op, sp_input: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any
) -> Any:
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    axis = renamed_argument("axis", axis, "reduction_axes", reduction_axes)
    return _reduce(op, sp_input, axis, keepdims)


@export_v1("sparse.reduce_sum", "sparse_reduce_sum")
def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Sums the elements of a SparseTensor over dimensions; a tensor.

    Args:
      sp_input: a SparseTensor, its elements in any order.
      axis: the dimensions to sum over, one or a list; None for all.
      keepdims: leave them as dimensions of size 1.
      reduction_axes: old name of `axis`.
      keep_dims: old name of `keepdims`.
    Returns:
      A tensor, 0 where there are no elements.
    Raises:
      InvalidArgumentError: there is no such dimension.

    >>> import featherflow as tf
    >>> st = tf.SparseTensor([[0, 1], [0, 2], [1, 0]], [1, 2, 3], [2, 3])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sparse.reduce_sum(st, axis=1)).tolist()
    [3, 3]
    """
    return _reduce_v1(SparseReduceSum, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export_v1("sparse.reduce_max", "sparse_reduce_max")
def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The greatest elements of a SparseTensor over dimensions, of those that are there; a tensor.

    See `sparse_reduce_sum`.
    """
    return _reduce_v1(SparseReduceMax, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export_v1("sparse.reduce_sum_sparse", "sparse_reduce_sum_sparse")
def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """`sparse_reduce_sum` as a SparseTensor."""
    return _reduce_v1(SparseReduceSumSparse, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export_v1("sparse.reduce_max_sparse", "sparse_reduce_max_sparse")
def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """`sparse_reduce_max` as a SparseTensor."""
    return _reduce_v1(SparseReduceMaxSparse, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("sparse.reduce_sum")
def sparse_reduce_sum_v2(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """`sparse_reduce_sum`, as a SparseTensor if `output_is_sparse`."""
    op = SparseReduceSumSparse if output_is_sparse else SparseReduceSum
    return _reduce(op, sp_input, axis, keepdims, name)


@export("sparse.reduce_max")
def sparse_reduce_max_v2(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """`sparse_reduce_max`, as a SparseTensor if `output_is_sparse`."""
    op = SparseReduceMaxSparse if output_is_sparse else SparseReduceMax
    return _reduce(op, sp_input, axis, keepdims, name)


# --- SparseSoftmax --------------------------------------------------------------------------------

SparseSoftmax = define_op(
    "SparseSoftmax",
    inputs=("sp_indices: int64", "sp_values: T", "sp_shape: int64"),
    outputs=("output: T",),
    attrs=("T: {half, float, double}",),
)


@SparseSoftmax.shape_fn
def _sparse_softmax_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 2)
    c.with_rank(2, 1)
    return c.with_rank(1, 1)


@SparseSoftmax.kernel("CPU", T=(dtypes.float16, dtypes.float32, dtypes.float64))
def _sparse_softmax_cpu(
    sp_indices: np.ndarray, sp_values: np.ndarray, sp_shape: np.ndarray
) -> np.ndarray:
    kernels.check_parts(sp_indices, sp_values, sp_shape, "sp_")
    if len(sp_shape) < 2:
        raise InvalidArgumentError(
            None, None, "Input should have rank >= 2", received=f"shape {sp_shape.tolist()}"
        )
    kernels.check_sizes(sp_shape)
    return kernels.softmax(sp_indices, sp_values)


@SparseSoftmax.gradient
def _sparse_softmax_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None]:
    # y · (∂y − Σ y · ∂y), the sum over the elements of a row
    indices, _, shape = op.inputs
    output = op.outputs[0]
    totals = SparseReduceSum(indices, Mul(output, grad), shape, [-1])
    rows: Any = indices
    return None, Mul(Sub(grad, GatherNd(totals, rows[:, :-1])), output), None


@export("sparse.softmax")
@export_v1("sparse.softmax", "sparse_softmax")
def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax of each innermost row of a SparseTensor, over the elements that are there.

    Args:
      sp_input: a SparseTensor of rank 2 or more in row-major order.
      name: prefix of the name of the node.
    Returns:
      A SparseTensor of the same places.
    Raises:
      InvalidArgumentError: the rank is less than 2.
    """
    sparse = as_sparse_tensor(sp_input)
    with op_scope(name, "SparseSoftmax", [sparse.indices, sparse.values]):
        values = SparseSoftmax(sparse.indices, sparse.values, sparse.dense_shape)
        return SparseTensor(sparse.indices, values, sparse.dense_shape)
