"""Parts of SparseTensors: SparseSlice and its gradient, SparseSplit, SparseConcat."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse as kernels
from featherflow.ops.sparse_shapes import VECTOR, matrix, vector
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor
from featherflow.ops.type_groups import NUMBERS

# --- SparseSlice ----------------------------------------------------------------------------------

SparseSlice = define_op(
    "SparseSlice",
    inputs=("indices: int64", "values: T", "shape: int64", "start: int64", "size: int64"),
    outputs=("output_indices: int64", "output_values: T", "output_shape: int64"),
    attrs=("T: type",),
)


@SparseSlice.shape_fn
def _sparse_slice_shape(c: InferenceContext) -> list[TensorShape]:
    shape = c.shapes[2]
    rank = shape.as_list()[0] if shape.rank == 1 else None
    return [matrix(None, rank), VECTOR, shape]


@SparseSlice.kernel("CPU")
def _sparse_slice_cpu(
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    size: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kernels.check_parts(indices, values, shape)
    if start.shape != shape.shape or size.shape != shape.shape or (size < 0).any():
        raise InvalidArgumentError(
            None,
            None,
            "start and size must have one element for each dimension, sizes 0 or more",
            received=f"start {start.tolist()}, size {size.tolist()}, shape {shape.tolist()}",
        )
    kernels.check_sizes(shape)
    moved = indices - start
    is_in = ((moved >= 0) & (moved < size)).all(axis=1)
    return moved[is_in], values[is_in], np.clip(shape - start, 0, size)


@SparseSlice.gradient
def _sparse_slice_grad(
    op: Any, indices_grad: Any, values_grad: Tensor, shape_grad: Any
) -> tuple[None, Tensor, None, None, None]:
    input_indices, _, _, start, _ = op.inputs
    return None, SparseSliceGrad(values_grad, input_indices, start, op.outputs[0]), None, None, None


@export("sparse.slice")
@export_v1("sparse.slice", "sparse_slice")
def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The elements of a SparseTensor in [start, start + size), moved to 0.

    Args:
      sp_input: a SparseTensor.
      start: [rank]
      size: [rank]; what reaches beyond the end is cut.
      name: of the node.
    Returns:
      A SparseTensor.
    """
    sparse = as_sparse_tensor(sp_input)
    start = convert_to_tensor(start, dtypes.int64)
    size = convert_to_tensor(size, dtypes.int64)
    parts = SparseSlice(sparse.indices, sparse.values, sparse.dense_shape, start, size, name=name)
    return SparseTensor(*parts)


SparseSliceGrad = define_op(
    "SparseSliceGrad",
    inputs=(
        "backprop_val_grad: T",
        "input_indices: int64",
        "input_start: int64",
        "output_indices: int64",
    ),
    outputs=("val_grad: T",),
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    ),
)
SparseSliceGrad.without_gradient("TensorFlow gives it no gradient")


@SparseSliceGrad.shape_fn
def _sparse_slice_grad_shape(c: InferenceContext) -> TensorShape:
    return vector(c.dims(1, 2)[0])


@SparseSliceGrad.kernel("CPU", T=NUMBERS)
def _sparse_slice_grad_cpu(
    backprop_val_grad: np.ndarray,
    input_indices: np.ndarray,
    input_start: np.ndarray,
    output_indices: np.ndarray,
) -> np.ndarray:
    fits = (
        input_indices.ndim == output_indices.ndim == 2
        and input_indices.shape[1] == output_indices.shape[1]
        and input_start.shape == input_indices.shape[1:]
        and backprop_val_grad.shape == output_indices.shape[:1]
        and len(output_indices) <= len(input_indices)
    )
    if not fits:
        raise InvalidArgumentError(
            None,
            None,
            "The gradient, the indices and the start do not fit",
            received=f"shapes {list(backprop_val_grad.shape)}, {list(input_indices.shape)}, "
            f"{list(input_start.shape)}, {list(output_indices.shape)}",
        )
    # The slice kept the order: each element of it is found after the one before.
    inputs, outputs = kernels.row_major_keys(input_indices, output_indices + input_start)
    places = np.flatnonzero(np.isin(inputs, outputs))
    if not np.array_equal(inputs[places], outputs):
        raise InternalError(None, None, "Elements of the slice are not in the input in its order")
    result = np.zeros(len(inputs), backprop_val_grad.dtype)
    result[places] = backprop_val_grad
    return result


# --- SparseSplit ----------------------------------------------------------------------------------

SparseSplit = define_op(
    "SparseSplit",
    inputs=("split_dim: int64", "indices: int64", "values: T", "shape: int64"),
    outputs=(
        "output_indices: num_split * int64",
        "output_values: num_split * T",
        "output_shape: num_split * int64",
    ),
    attrs=("num_split: int >= 1", "T: type"),
)
SparseSplit.without_gradient("TensorFlow gives it no gradient")


@SparseSplit.shape_fn
def _sparse_split_shape(c: InferenceContext) -> list[TensorShape]:
    shape = c.shapes[3]
    rank = shape.as_list()[0] if shape.rank == 1 else None
    count = c.attrs["num_split"]
    return [matrix(None, rank)] * count + [VECTOR] * count + [shape] * count


@SparseSplit.kernel("CPU")
def _sparse_split_cpu(
    split_dim: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    num_split: int,
) -> list[np.ndarray]:
    kernels.check_parts(indices, values, shape)
    axis = _split_axis(split_dim, shape, num_split)
    kernels.check_sizes(shape)
    kernels.check_bounds(indices, shape)
    small, more = divmod(int(shape[axis]), num_split)
    starts = [small * part + min(part, more) for part in range(num_split + 1)]
    parts: list[list[np.ndarray]] = [[], [], []]
    for start, end in itertools.pairwise(starts):
        is_in = (indices[:, axis] >= start) & (indices[:, axis] < end)
        moved, sizes = indices[is_in], shape.copy()
        moved[:, axis] -= start
        sizes[axis] = end - start
        for part, array in zip(parts, (moved, values[is_in], sizes)):
            part.append(array)
    return [array for part in parts for array in part]


def _split_axis(split_dim: np.ndarray, shape: np.ndarray, num_split: int) -> int:
    if split_dim.size != 1 or split_dim.ndim:
        raise InvalidArgumentError(
            None, None, "split_dim must be a scalar", received=f"shape {list(split_dim.shape)}"
        )
    axis, rank = int(split_dim), len(shape)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(None, None, f"split_dim = {axis} is not an axis of rank {rank}")
    if not 1 <= num_split <= shape[axis]:
        raise InvalidArgumentError(
            None,
            None,
            "num_split must be between 1 and the size of the dimension",
            received=f"num_split {num_split}, shape {shape.tolist()}, split_dim {axis}",
        )
    return axis % rank


@export_v1("sparse.split", "sparse_split")
def sparse_split(
    keyword_required: Any = None,
    sp_input: Any = None,
    num_split: int | None = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """Splits a SparseTensor along one dimension; the first parts have the sizes that are 1 larger.

    Args:
      keyword_required: nothing: the others are given by name.
      sp_input: a SparseTensor.
      num_split: how many parts.
      axis: the dimension.
      name: of the node.
      split_dim: old name of `axis`.
    Returns:
      A list of SparseTensors.
    Raises:
      ValueError: an argument is missing, or given by position.
    """
    if keyword_required is not None:
        raise ValueError("Keyword arguments are required for this function.")
    return _split(sp_input, num_split, axis if split_dim is None else split_dim, name)


@export("sparse.split")
def sparse_split_v2(
    sp_input: Any = None, num_split: int | None = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """`tf.compat.v1.sparse.split` with arguments by position."""
    return _split(sp_input, num_split, axis, name)


def _split(sp_input: Any, num_split: int | None, axis: Any, name: str | None) -> list[SparseTensor]:
    for argument, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{argument} is required")
    sparse = as_sparse_tensor(sp_input)
    parts = SparseSplit(
        axis, sparse.indices, sparse.values, sparse.dense_shape, num_split=num_split, name=name
    )
    return [SparseTensor(*part) for part in zip(*parts)]


# --- SparseConcat ---------------------------------------------------------------------------------

SparseConcat = define_op(
    "SparseConcat",
    inputs=("indices: N * int64", "values: N * T", "shapes: N * int64"),
    outputs=("output_indices: int64", "output_values: T", "output_shape: int64"),
    attrs=("concat_dim: int", "N: int >= 2", "T: type"),
)
SparseConcat.not_differentiable("TensorFlow gives it no gradient")


@SparseConcat.shape_fn
def _sparse_concat_shape(c: InferenceContext) -> list[TensorShape]:
    count: Dim = 0
    columns: Dim = None
    rank: Dim = None
    parts = c.attrs["N"]
    for part in range(parts):
        rows, width = c.dims(part, 2)
        rows = c.merge_dim(rows, c.dims(parts + part, 1)[0])
        columns = c.merge_dim(columns, width)
        rank = c.merge_dim(rank, c.dims(2 * parts + part, 1)[0])
        count = None if count is None or rows is None else count + rows
    return [matrix(count, columns), vector(count), vector(rank)]


@SparseConcat.kernel("CPU")
def _sparse_concat_cpu(
    *parts: np.ndarray, concat_dim: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = len(parts) // 3
    indices, values, shapes = parts[:count], parts[count : 2 * count], parts[2 * count :]
    for part in zip(indices, values, shapes):
        kernels.check_parts(*part)
    if any((shape < 0).any() for shape in shapes):
        raise InternalError(None, None, "A size of a SparseTensor is negative")
    rank = len(shapes[0])
    if not -rank <= concat_dim < rank:
        raise InvalidArgumentError(
            None, None, f"Concat dimension {concat_dim} is not an axis of rank {rank}"
        )
    axis = concat_dim % rank
    others = {tuple(np.delete(shape, axis).tolist()) for shape in shapes if len(shape) == rank}
    if len(others) > 1 or any(len(shape) != rank for shape in shapes):
        raise InvalidArgumentError(
            None,
            None,
            f"Input shapes should match in all dimensions but {axis}",
            received=", ".join(str(shape.tolist()) for shape in shapes),
        )
    starts = np.cumsum([0, *(shape[axis] for shape in shapes)])
    moved = np.concatenate(indices)
    moved[:, axis] += np.repeat(starts[:-1], [len(part) for part in indices])
    output_shape = shapes[0].copy()
    output_shape[axis] = starts[-1]
    return *kernels.sorted_parts(moved, np.concatenate(values)), output_shape
