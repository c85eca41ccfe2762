"""Counts of numbers row by row: to SparseTensors, and from sparse and ragged tensors to dense."""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.kernels import sparse_counts as kernels
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.sparse import check_bounds, check_parts, check_sizes
from featherflow.ops.sparse_shapes import UNKNOWN_PARTS, VECTOR, matrix, vector

_NO_GRADIENT = "TensorFlow has no gradient of counts"
_COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
_OUTPUTS = (
    "output_indices: int64",
    "output_values: output_type",
    "output_dense_shape: int64",
)
_ATTRS = (
    "T: {int32, int64}",
    "minlength: int >= -1 = -1",
    "maxlength: int >= -1 = -1",
    "binary_output: bool",
    "output_type: {int32, int64, float, double}",
)

# --- counts as SparseTensors ----------------------------------------------------------------------

DenseCountSparseOutput = define_op(
    "DenseCountSparseOutput",
    inputs=("values: T", "weights: output_type"),
    outputs=_OUTPUTS,
    attrs=_ATTRS,
)
DenseCountSparseOutput.without_gradient(_NO_GRADIENT)


@DenseCountSparseOutput.shape_fn
def _dense_count_shape(c: InferenceContext) -> list[TensorShape]:
    values, weights = c.shapes
    if weights.num_elements():  # none may stand for weights of 1
        values = c.merge(values, weights)
    return _counted_parts(values.rank if values.rank is not None else weights.rank)


def _counted_parts(rank: int | None) -> list[TensorShape]:
    if rank is None:
        return UNKNOWN_PARTS
    return [matrix(None, rank), VECTOR, vector(rank)]


@DenseCountSparseOutput.kernel("CPU", output_type=_COUNTED)
def _dense_count_cpu(
    values: np.ndarray,
    weights: np.ndarray,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
    output_type: DType,
) -> tuple[np.ndarray, ...]:
    if values.ndim not in (1, 2):
        raise InvalidArgumentError(
            None,
            None,
            "Input must be a vector or a matrix",
            received=f"shape {list(values.shape)}",
        )
    kernels.check_weights(weights, values)
    width = values.shape[1] if values.ndim == 2 else values.size
    num_rows = len(values) if values.ndim == 2 else 1
    return kernels.count_rows(
        np.repeat(np.arange(num_rows), width),
        values.reshape(-1),
        weights.reshape(-1),
        num_rows=num_rows if values.ndim == 2 else None,
        bounds=(minlength, maxlength),
        binary=binary_output,
        dtype=output_type.numpy_dtype,
    )


SparseCountSparseOutput = define_op(
    "SparseCountSparseOutput",
    inputs=("indices: int64", "values: T", "dense_shape: int64", "weights: output_type"),
    outputs=_OUTPUTS,
    attrs=_ATTRS,
)
SparseCountSparseOutput.without_gradient(_NO_GRADIENT)


@SparseCountSparseOutput.shape_fn
def _sparse_count_shape(c: InferenceContext) -> list[TensorShape]:
    return _counted_parts(c.dims(0, 2)[1])


@SparseCountSparseOutput.kernel("CPU", output_type=_COUNTED)
def _sparse_count_cpu(
    indices: np.ndarray,
    values: np.ndarray,
    dense_shape: np.ndarray,
    weights: np.ndarray,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
    output_type: DType,
) -> tuple[np.ndarray, ...]:
    check_parts(indices, values, dense_shape)
    check_sizes(dense_shape)
    check_bounds(indices, dense_shape)
    kernels.check_weights(weights, values)
    is_vector = len(dense_shape) == 1
    return kernels.count_rows(
        np.zeros(len(values), np.int64) if is_vector else indices[:, 0],
        values,
        weights,
        num_rows=None if is_vector else int(dense_shape[0]) if len(dense_shape) else 0,
        bounds=(minlength, maxlength),
        binary=binary_output,
        dtype=output_type.numpy_dtype,
    )


RaggedCountSparseOutput = define_op(
    "RaggedCountSparseOutput",
    inputs=("splits: int64", "values: T", "weights: output_type"),
    outputs=_OUTPUTS,
    attrs=_ATTRS,
)
RaggedCountSparseOutput.without_gradient(_NO_GRADIENT)


@RaggedCountSparseOutput.shape_fn
def _ragged_count_shape(c: InferenceContext) -> list[TensorShape]:
    rank = c.shapes[1].rank
    return _counted_parts(None if rank is None else rank + 1)


@RaggedCountSparseOutput.kernel("CPU", output_type=_COUNTED)
def _ragged_count_cpu(
    splits: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
    output_type: DType,
) -> tuple[np.ndarray, ...]:
    kernels.check_weights(weights, values)
    flat = values.reshape(-1)
    return kernels.count_rows(
        kernels.rows_of_splits(splits, len(flat)),
        flat,
        weights.reshape(-1),
        num_rows=splits.size - 1,
        bounds=(minlength, maxlength),
        binary=binary_output,
        dtype=output_type.numpy_dtype,
    )


# --- counts of sparse and ragged tensors as tensors -----------------------------------------------

SparseBincount = define_op(
    "SparseBincount",
    inputs=("indices: int64", "values: Tidx", "dense_shape: int64", "size: Tidx", "weights: T"),
    outputs=("output: T",),
    attrs=(
        "Tidx: {int32, int64}",
        "T: {int32, int64, float, double}",
        "binary_output: bool = false",
    ),
)
SparseBincount.without_gradient(_NO_GRADIENT)


@SparseBincount.shape_fn
def _sparse_bincount_shape(c: InferenceContext) -> TensorShape:
    size, shape = c.constant(3), c.constant(2)
    if size is None:
        return UNKNOWN
    if size.ndim or size < 0:
        c.fail("size must be a scalar of 0 or more", received=str(size.tolist()))
    if shape is None or shape.ndim != 1:
        return UNKNOWN
    if not 1 <= len(shape) <= 2:
        c.fail("The rank must be 1 or 2", received=f"dense_shape {shape.tolist()}")
    return TensorShape([*shape.tolist()[:1], int(size)] if len(shape) > 1 else [int(size)])


@SparseBincount.kernel("CPU", T=_COUNTED)
def _sparse_bincount_cpu(
    indices: np.ndarray,
    values: np.ndarray,
    dense_shape: np.ndarray,
    size: np.ndarray,
    weights: np.ndarray,
    *,
    binary_output: bool,
) -> np.ndarray:
    check_parts(indices, values, dense_shape)
    count = _size_of(size)
    is_vector = len(dense_shape) < 2
    num_rows = 1 if is_vector else int(dense_shape[0])
    rows = np.zeros(len(values), np.int64) if is_vector else indices[:, 0]
    check_sizes(dense_shape)
    check_bounds(indices, dense_shape)
    check_allocation((num_rows, count), weights.dtype)
    output = np.zeros((num_rows, count), weights.dtype)
    _check_enough(weights, values)
    kernels.bin_rows(rows, values, weights.reshape(-1), output, binary_output)
    return output[0] if is_vector else output


def _size_of(size: np.ndarray) -> int:
    if size.ndim or size < 0:
        raise InvalidArgumentError(
            None, None, "size must be a scalar of 0 or more", received=str(size.tolist())
        )
    return int(size)


def _check_enough(weights: np.ndarray, values: np.ndarray) -> None:
    if weights.size and weights.size < values.size:
        raise InvalidArgumentError(
            None,
            None,
            "There must be a weight for each value, or none",
            received=f"shapes {list(weights.shape)} and {list(values.shape)}",
        )


RaggedBincount = define_op(
    "RaggedBincount",
    inputs=("splits: int64", "values: Tidx", "size: Tidx", "weights: T"),
    outputs=("output: T",),
    attrs=(
        "Tidx: {int32, int64}",
        "T: {int32, int64, float, double}",
        "binary_output: bool = false",
    ),
)
RaggedBincount.without_gradient(_NO_GRADIENT)


@RaggedBincount.shape_fn
def _ragged_bincount_shape(c: InferenceContext) -> TensorShape:
    return UNKNOWN


@RaggedBincount.kernel("CPU", T=_COUNTED)
def _ragged_bincount_cpu(
    splits: np.ndarray,
    values: np.ndarray,
    size: np.ndarray,
    weights: np.ndarray,
    *,
    binary_output: bool,
) -> np.ndarray:
    count = _size_of(size)
    flat = values.reshape(-1)
    rows = kernels.rows_of_splits(splits, len(flat))
    if flat.size and flat.min() < 0:
        raise InvalidArgumentError(None, None, "Input must be non-negative")
    check_allocation((splits.size - 1, count), weights.dtype)
    output = np.zeros((splits.size - 1, count), weights.dtype)
    _check_enough(weights, flat)
    kernels.bin_rows(rows, flat, weights.reshape(-1), output, binary_output)
    return output
