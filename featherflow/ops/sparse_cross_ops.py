"""Crosses of features as SparseTensors: SparseCross, SparseCrossV2, SparseCrossHashed.

The arithmetic is in `kernels/crosses.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from featherflow.graph.tensor import Tensor
from featherflow.kernels import crosses as kernels
from featherflow.kernels.crosses import Column
from featherflow.ops.cast_ops import cast
from featherflow.ops.sparse_shapes import VECTOR, matrix, vector
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor

#: Starts the hashes of `tf.sparse.cross_hashed` unless a key is given.
DEFAULT_HASH_KEY = 0xDECAFCAFFE
_SEPARATOR = b"_X_"
_INPUTS = (
    "indices: N * int64",
    "values: sparse_types",
    "shapes: N * int64",
    "dense_inputs: dense_types",
)
_LISTS = (
    "N: int >= 0",
    "sparse_types: list({int64, string}) >= 0",
    "dense_types: list({int64, string}) >= 0",
)


def _cross_shape(c: InferenceContext) -> list[TensorShape]:
    return [matrix(None, 2), VECTOR, vector(2)]


def _columns(parts: Sequence[np.ndarray], count: int) -> list[Column]:
    """The columns of `count` SparseTensors (all indices, values, shapes), and of what follows."""
    sparse = zip(parts[:count], parts[count : 2 * count], parts[2 * count : 3 * count])
    dense = parts[3 * count :]
    return [
        *(kernels.sparse_column(*part) for part in sparse),
        *(kernels.dense_column(part) for part in dense),
    ]


def _as_sparse(totals: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Choices as a SparseTensor [rows, most choices]."""
    rows = np.repeat(np.arange(len(totals)), totals)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(totals) - totals, totals)
    shape = [len(totals), int(totals.max(initial=0))]
    return np.stack([rows, places], axis=1), values, np.array(shape, np.int64)


def _scalar(array: np.ndarray, what: str) -> Any:
    if array.size != 1:
        raise InvalidArgumentError(
            None, None, f"{what} must be a scalar", received=f"shape {list(array.shape)}"
        )
    return array.item()


# --- SparseCross ----------------------------------------------------------------------------------

SparseCross = define_op(
    "SparseCross",
    inputs=_INPUTS,
    outputs=("output_indices: int64", "output_values: out_type", "output_shape: int64"),
    attrs=(
        "N: int >= 0",
        "hashed_output: bool",
        "num_buckets: int >= 0",
        "hash_key: int",
        "sparse_types: list({int64, string}) >= 0",
        "dense_types: list({int64, string}) >= 0",
        "out_type: {int64, string}",
        "internal_type: {int64, string}",
    ),
)
SparseCross.shape_fn(_cross_shape)
SparseCross.without_gradient("its inputs are ids")


@SparseCross.kernel("CPU")
def _sparse_cross_cpu(
    *parts: np.ndarray,
    N: int,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
    internal_type: DType,
) -> tuple[np.ndarray, ...]:
    columns = _columns(parts, N)
    totals, places = kernels.choices(columns)
    if out_type is dtypes.string:
        return _as_sparse(totals, kernels.joined(columns, places, _SEPARATOR))
    if internal_type is dtypes.string and any(
        column.features.dtype != object for column in columns
    ):
        raise InvalidArgumentError(
            None, None, "Hashes of strings take strings", remedy="Set internal_type to int64."
        )
    values = kernels.hashed(columns, places, num_buckets, seed=hash_key)
    return _as_sparse(totals, values)


# --- SparseCrossV2, SparseCrossHashed -------------------------------------------------------------

SparseCrossV2 = define_op(
    "SparseCrossV2",
    inputs=(*_INPUTS, "sep: string"),
    outputs=("output_indices: int64", "output_values: string", "output_shape: int64"),
    attrs=_LISTS,
)
SparseCrossV2.shape_fn(_cross_shape)
SparseCrossV2.without_gradient("its inputs are ids")


@SparseCrossV2.kernel("CPU")
def _sparse_cross_v2_cpu(*parts: np.ndarray, N: int) -> tuple[np.ndarray, ...]:
    if parts[-1].ndim:
        raise InvalidArgumentError(None, None, "sep must be a scalar")
    separator = parts[-1].item()
    columns = _columns(parts[:-1], N)
    totals, places = kernels.choices(columns)
    return _as_sparse(totals, kernels.joined(columns, places, separator))


SparseCrossHashed = define_op(
    "SparseCrossHashed",
    inputs=(*_INPUTS, "num_buckets: int64", "strong_hash: bool", "salt: int64"),
    outputs=("output_indices: int64", "output_values: int64", "output_shape: int64"),
    attrs=_LISTS,
)
SparseCrossHashed.shape_fn(_cross_shape)
SparseCrossHashed.without_gradient("its inputs are ids")


@SparseCrossHashed.kernel("CPU")
def _sparse_cross_hashed_cpu(*parts: np.ndarray, N: int) -> tuple[np.ndarray, ...]:
    *inputs, num_buckets, strong_hash, salt = parts
    buckets = _scalar(num_buckets, "num_buckets")
    if salt.size != 2:
        raise InvalidArgumentError(
            None, None, "salt must have 2 elements", received=f"shape {list(salt.shape)}"
        )
    key = tuple(salt.reshape(-1).tolist()) if _scalar(strong_hash, "strong_hash") else None
    columns = _columns(inputs, N)
    totals, places = kernels.choices(columns)
    return _as_sparse(totals, kernels.hashed(columns, places, buckets, key=key))


# --- tf.sparse.cross ------------------------------------------------------------------------------


@export("sparse.cross")
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Every choice of one feature of each input, row by row, as strings.

    Args:
      inputs: SparseTensors or tensors [rows, features] of strings or integers; first come the
        features of the SparseTensors.
      name: of the node.
      separator: stands between the features; None for "_X_".
    Returns:
      A SparseTensor [rows, most choices] of strings.
    Raises:
      InvalidArgumentError: the inputs differ in their number of rows.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sparse.cross([[["a", "b"]], [["x"]]], separator="&")).values.tolist()
    [b'a&x', b'b&x']
    """
    sparse, dense = _features(inputs)
    parts = SparseCrossV2(
        [item.indices for item in sparse],
        [item.values for item in sparse],
        [item.dense_shape for item in sparse],
        dense,
        convert_to_tensor(_SEPARATOR if separator is None else separator),
        name=name,
    )
    return SparseTensor(*parts)


@export("sparse.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Hashes of every choice of one feature of each input, row by row.

    Args:
      inputs: as those of `tf.sparse.cross`.
      num_buckets: hashes are below it; 0 for no bound.
      hash_key: starts the hashes; None for a fixed number.
      name: of the node.
    Returns:
      A SparseTensor [rows, most choices] of int64.
    Raises:
      InvalidArgumentError: the inputs differ in their number of rows.
    """
    sparse, dense = _features(inputs)
    kinds = {item.dtype for item in (*(item.values for item in sparse), *dense)}
    internal = dtypes.string if kinds == {dtypes.string} else dtypes.int64
    parts = SparseCross(
        [item.indices for item in sparse],
        [item.values for item in sparse],
        [item.dense_shape for item in sparse],
        dense,
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=DEFAULT_HASH_KEY if hash_key is None else hash_key,
        out_type=dtypes.int64,
        internal_type=internal,
        name=name,
    )
    return SparseTensor(*parts)


def _features(inputs: Any) -> tuple[list[SparseTensor], list[Tensor]]:
    """SparseTensors and tensors apart, all of int64 or strings."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list, received {inputs!r}.")
    kinds = (SparseTensor, SparseTensorValue)
    sparse = [as_sparse_tensor(item) for item in inputs if isinstance(item, kinds)]
    dense = [convert_to_tensor(item) for item in inputs if not isinstance(item, kinds)]
    return [item.with_values(as_ids(item.values)) for item in sparse], [as_ids(t) for t in dense]


def as_ids(values: Tensor) -> Tensor:
    """Numbers as int64, strings as they are."""
    if values.dtype in (dtypes.string, dtypes.int64):
        return values
    return cast(values, dtypes.int64)
