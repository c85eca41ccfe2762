"""Ranges and gathers of ragged tensors: RaggedRange, RaggedGather.

Ragged tensors are here in parts: nested row splits, and values. The arithmetic is in
`kernels/ragged.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.kernels import ragged as kernels
from featherflow.ops.gather_ops import gather
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_shapes import VECTOR, vector

# --- RaggedRange ----------------------------------------------------------------------------------

RaggedRange = define_op(
    "RaggedRange",
    inputs=("starts: T", "limits: T", "deltas: T"),
    outputs=("rt_nested_splits: Tsplits", "rt_dense_values: T"),
    attrs=(
        "T: {bfloat16, float, double, int32, int64} = int32",
        "Tsplits: {int32, int64} = int64",
    ),
)
RaggedRange.not_differentiable("TensorFlow gives it no gradient")


@RaggedRange.shape_fn
def _ragged_range_shape(c: InferenceContext) -> list[TensorShape]:
    rows: Dim = None
    ranks = []
    for index in range(3):
        shape = c.with_rank_at_most(index, 1)
        ranks.append(shape.rank)
        if shape.rank == 1:
            rows = c.merge_dim(rows, shape.as_list()[0])
    if ranks == [0, 0, 0]:
        rows = 1
    return [vector(None if rows is None else rows + 1), VECTOR]


@RaggedRange.kernel(
    "CPU", T=(dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
)
def _ragged_range_cpu(
    starts: np.ndarray, limits: np.ndarray, deltas: np.ndarray, *, Tsplits: DType
) -> tuple[np.ndarray, np.ndarray]:
    given = (starts, limits, deltas)
    sizes = {array.size for array in given if array.ndim == 1}
    if any(array.ndim > 1 for array in given) or len(sizes) > 1:
        raise InvalidArgumentError(
            None,
            None,
            "starts, limits and deltas must be vectors of one size, or scalars",
            received=", ".join(str(list(array.shape)) for array in given),
        )
    rows = sizes.pop() if sizes else 1
    splits, values = kernels.ranges(*(np.broadcast_to(array, (rows,)) for array in given))
    return splits.astype(Tsplits.numpy_dtype, copy=False), values


# --- RaggedGather ---------------------------------------------------------------------------------

RaggedGather = define_op(
    "RaggedGather",
    inputs=(
        "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits",
        "params_dense_values: Tvalues",
        "indices: Tindices",
    ),
    outputs=("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits", "output_dense_values: Tvalues"),
    attrs=(
        "Tvalues: type",
        "Tindices: {int32, int64}",
        "Tsplits: {int32, int64} = int64",
        "PARAMS_RAGGED_RANK: int >= 1",
        "OUTPUT_RAGGED_RANK: int >= 0",
    ),
)


@RaggedGather.shape_fn
def _ragged_gather_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["PARAMS_RAGGED_RANK"]
    rank = c.shapes[count + 1].rank
    if rank is not None and rank + count - 1 != c.attrs["OUTPUT_RAGGED_RANK"]:
        c.fail(
            "OUTPUT_RAGGED_RANK must be indices.rank + PARAMS_RAGGED_RANK - 1",
            received=f"{c.attrs['OUTPUT_RAGGED_RANK']} for {c.received()}",
        )
    for index in range(count):
        c.with_rank(index, 1)
    values = c.with_rank_at_least(count, 1)._dims
    inner = UNKNOWN if values is None else TensorShape._of((None, *values[1:]))
    return [VECTOR] * c.attrs["OUTPUT_RAGGED_RANK"] + [inner]


@RaggedGather.kernel("CPU")
def _ragged_gather_cpu(
    *inputs: np.ndarray, PARAMS_RAGGED_RANK: int, OUTPUT_RAGGED_RANK: int
) -> list[np.ndarray]:
    *nested_splits, values, indices = inputs
    expected = indices.ndim + PARAMS_RAGGED_RANK - 1
    if values.ndim < 1 or expected != OUTPUT_RAGGED_RANK:
        raise InvalidArgumentError(
            None,
            None,
            "The rank of the output must be indices.rank + PARAMS_RAGGED_RANK - 1",
            received=str(OUTPUT_RAGGED_RANK),
            expected=str(expected),
        )
    if any(splits.ndim != 1 or not splits.size for splits in nested_splits):
        raise InvalidArgumentError(None, None, "Split tensors may not be empty")
    splits, gathered = kernels.gather(nested_splits, values, indices)
    if indices.ndim == 0:
        # The outermost dimension is gone: a scalar picks one row.
        return [*splits[1:], gathered]
    return [*splits, gathered]


@RaggedGather.gradient
def _ragged_gather_grad(op: Any, *grads: Tensor) -> list[Any]:
    *nested_splits, values, indices = op.inputs
    combined: Any = nested_splits[0]
    for splits in nested_splits[1:]:
        combined = gather(splits, combined)
    rows = reshape(indices, [-1])
    places = RaggedRange(gather(combined[:-1], rows), gather(combined[1:], rows), _one(combined))[1]
    slices = IndexedSlices(grads[-1], places, shape_of(values))
    return [*[None] * len(nested_splits), slices, None]


def _one(like: Tensor) -> np.ndarray:
    return np.ones((), like.dtype.numpy_dtype)
