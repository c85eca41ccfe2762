"""Crosses of features as ragged tensors: RaggedCross. The arithmetic is in `kernels/crosses.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import crosses as kernels
from featherflow.kernels.crosses import Column
from featherflow.ops.sparse_shapes import VECTOR, vector

RaggedCross = define_op(
    "RaggedCross",
    inputs=(
        "ragged_values: ragged_values_types",
        "ragged_row_splits: ragged_splits_types",
        "sparse_indices: Nsparse * int64",
        "sparse_values: sparse_values_types",
        "sparse_shape: Nsparse * int64",
        "dense_inputs: dense_types",
    ),
    outputs=("output_values: out_values_type", "output_row_splits: out_row_splits_type"),
    attrs=(
        "Nsparse: int >= 0",
        "input_order: string",
        "hashed_output: bool",
        "num_buckets: int >= 0",
        "hash_key: int",
        "ragged_values_types: list({int64, string}) >= 0",
        "ragged_splits_types: list({int32, int64}) >= 0",
        "sparse_values_types: list({int64, string}) >= 0",
        "dense_types: list({int64, string}) >= 0",
        "out_values_type: {int64, string}",
        "out_row_splits_type: {int32, int64}",
    ),
)
RaggedCross.without_gradient("its inputs are ids")


@RaggedCross.shape_fn
def _ragged_cross_shape(c: InferenceContext) -> list[TensorShape]:
    rows: Dim = None
    for index in c.input_range("ragged_row_splits"):
        splits = c.dims(index, 1)[0]
        rows = c.merge_dim(rows, None if splits is None else splits - 1)
    for index in c.input_range("dense_inputs"):
        rows = c.merge_dim(rows, c.dims(index, 2)[0])
    return [VECTOR, vector(None if rows is None else rows + 1)]


@RaggedCross.kernel("CPU")
def _ragged_cross_cpu(
    *inputs: np.ndarray,
    Nsparse: int,
    input_order: str,
    num_buckets: int,
    hash_key: int,
    ragged_values_types: tuple[DType, ...],
    out_values_type: DType,
    out_row_splits_type: DType,
) -> tuple[np.ndarray, np.ndarray]:
    columns = _ordered_columns(inputs, Nsparse, len(ragged_values_types), input_order)
    totals, places = kernels.choices(columns)
    splits = np.concatenate([[0], np.cumsum(totals)]).astype(out_row_splits_type.numpy_dtype)
    if out_values_type is dtypes.string:
        return kernels.joined(columns, places, b"_X_"), splits
    return kernels.hashed(columns, places, num_buckets, seed=hash_key), splits


def _ordered_columns(
    inputs: tuple[np.ndarray, ...], sparse: int, ragged: int, order: str
) -> list[Column]:
    """The columns in the order of the letters R, S and D of `order`."""
    parts = list(inputs)

    def take(count: int) -> list[np.ndarray]:
        taken, parts[:] = parts[:count], parts[count:]
        return taken

    ragged_columns = map(kernels.ragged_column, take(ragged), take(ragged))
    sparse_columns = map(kernels.sparse_column, take(sparse), take(sparse), take(sparse))
    of_letter: dict[str, list[Any]] = {
        "R": list(ragged_columns),
        "S": list(sparse_columns),
        "D": [kernels.dense_column(part) for part in parts],
    }
    counts = {letter: len(columns) for letter, columns in of_letter.items()}
    if any(order.count(letter) != count for letter, count in counts.items()) or (
        len(order) != sum(counts.values())
    ):
        raise InvalidArgumentError(
            None, None, f"input_order {order!r} does not fit the inputs", received=str(counts)
        )
    queues = {letter: iter(columns) for letter, columns in of_letter.items()}
    return [next(queues[letter]) for letter in order]
