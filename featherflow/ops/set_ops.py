"""Sets: the rows along the last dimension, in tensors and sparse tensors; tf.sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from featherflow.graph.tensor import Tensor
from featherflow.kernels import set_operations
from featherflow.kernels.index_groups import Group, check_parts, dense_groups, groups_of
from featherflow.ops.sparse_shapes import UNKNOWN_PARTS, VECTOR, matrix, parts_shapes, vector

_TYPES = (
    *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.string),
)
_ATTRS = (
    "set_operation: string",
    "validate_indices: bool = true",
    "T: {int8, int16, int32, int64, uint8, uint16, string}",
)
_RESULT = ("result_indices: int64", "result_values: T", "result_shape: int64")
_NO_GRADIENT = "sets do not change by little"

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


def _result_shapes(rank: Dim) -> list[TensorShape]:
    return [matrix(None, rank), VECTOR, vector(rank)]


def _sparse_rows(parts: Parts, validate: bool) -> tuple[list[Group], list[int]]:
    """(groups, the shape of the rows) of a sparse tensor."""
    indices, values, shape = parts
    check_parts(indices, values, shape)
    if validate:
        set_operations.check_indices(indices, shape)
    return groups_of(indices, values), shape.tolist()[:-1]


def _dense_rows(values: np.ndarray) -> tuple[list[Group], list[int]]:
    if values.ndim < 2:
        raise InvalidArgumentError(
            None, None, f"Shape {list(values.shape)} has rank {values.ndim} < 2"
        )
    return dense_groups(values), list(values.shape[:-1])


def _combined(
    left: tuple[list[Group], list[int]],
    right: tuple[list[Group], list[int]],
    name: str,
    dtype: np.dtype,
) -> Parts:
    operation = set_operations.operation_called(name)
    if left[1] != right[1]:
        raise InvalidArgumentError(
            None, None, "Mismatched shapes: there are other rows", received=f"{left[1]}, {right[1]}"
        )
    return set_operations.combined(left[0], right[0], left[1], operation, dtype)


# --- DenseToDenseSetOperation ---------------------------------------------------------------------

DenseToDenseSetOperation = define_op(
    "DenseToDenseSetOperation", inputs=("set1: T", "set2: T"), outputs=_RESULT, attrs=_ATTRS
)


@DenseToDenseSetOperation.shape_fn
def _dense_to_dense_shape(c: InferenceContext) -> list[TensorShape]:
    ranks = [shape.rank for shape in c.shapes if shape._dims is not None]
    if not ranks:
        return UNKNOWN_PARTS
    c.with_rank_at_least(0, 2)
    c.with_rank_at_least(1, 2)
    first, second = (shape._dims for shape in c.shapes)
    if first is not None and second is not None:
        c.with_rank(1, len(first))
        c.merge(TensorShape._of(first[:-1]), TensorShape._of(second[:-1]))
    return _result_shapes(ranks[0])


@DenseToDenseSetOperation.kernel("CPU", T=_TYPES)
def _dense_to_dense_cpu(set1: np.ndarray, set2: np.ndarray, *, set_operation: str) -> Parts:
    return _combined(_dense_rows(set1), _dense_rows(set2), set_operation, set1.dtype)


DenseToDenseSetOperation.not_differentiable(_NO_GRADIENT)

# --- DenseToSparseSetOperation --------------------------------------------------------------------

DenseToSparseSetOperation = define_op(
    "DenseToSparseSetOperation",
    inputs=("set1: T", "set2_indices: int64", "set2_values: T", "set2_shape: int64"),
    outputs=_RESULT,
    attrs=_ATTRS,
)


@DenseToSparseSetOperation.shape_fn
def _dense_to_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    _, sparse_rank = parts_shapes(c, 1)
    rank = c.merge_dim(c.with_rank_at_least(0, 2).rank, sparse_rank)
    return UNKNOWN_PARTS if rank is None else _result_shapes(rank)


@DenseToSparseSetOperation.kernel("CPU", T=_TYPES)
def _dense_to_sparse_cpu(
    set1: np.ndarray,
    set2_indices: np.ndarray,
    set2_values: np.ndarray,
    set2_shape: np.ndarray,
    *,
    set_operation: str,
    validate_indices: bool,
) -> Parts:
    right = _sparse_rows((set2_indices, set2_values, set2_shape), validate_indices)
    return _combined(_dense_rows(set1), right, set_operation, set1.dtype)


DenseToSparseSetOperation.not_differentiable(_NO_GRADIENT)

# --- SparseToSparseSetOperation -------------------------------------------------------------------

SparseToSparseSetOperation = define_op(
    "SparseToSparseSetOperation",
    inputs=(
        *("set1_indices: int64", "set1_values: T", "set1_shape: int64"),
        *("set2_indices: int64", "set2_values: T", "set2_shape: int64"),
    ),
    outputs=_RESULT,
    attrs=_ATTRS,
)


@SparseToSparseSetOperation.shape_fn
def _sparse_to_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    rank = c.merge_dim(parts_shapes(c, 0)[1], parts_shapes(c, 3)[1])
    if rank is not None and rank < 2:
        c.fail(f"Input 0, expected rank >= 2, got {rank}.")
    return _result_shapes(rank)


@SparseToSparseSetOperation.kernel("CPU", T=_TYPES)
def _sparse_to_sparse_cpu(
    set1_indices: np.ndarray,
    set1_values: np.ndarray,
    set1_shape: np.ndarray,
    set2_indices: np.ndarray,
    set2_values: np.ndarray,
    set2_shape: np.ndarray,
    *,
    set_operation: str,
    validate_indices: bool,
) -> Parts:
    left = _sparse_rows((set1_indices, set1_values, set1_shape), validate_indices)
    right = _sparse_rows((set2_indices, set2_values, set2_shape), validate_indices)
    return _combined(left, right, set_operation, set1_values.dtype)


SparseToSparseSetOperation.not_differentiable(_NO_GRADIENT)

# --- SetSize --------------------------------------------------------------------------------------

SetSize = define_op(
    "SetSize",
    inputs=("set_indices: int64", "set_values: T", "set_shape: int64"),
    outputs=("size: int32",),
    attrs=("validate_indices: bool = true", _ATTRS[-1]),
)


@SetSize.shape_fn
def _set_size_shape(c: InferenceContext) -> TensorShape:
    return UNKNOWN


@SetSize.kernel("CPU", T=_TYPES)
def _set_size_cpu(
    set_indices: np.ndarray,
    set_values: np.ndarray,
    set_shape: np.ndarray,
    *,
    validate_indices: bool,
) -> np.ndarray:
    return set_operations.sizes(
        *_sparse_rows((set_indices, set_values, set_shape), validate_indices)
    )


SetSize.not_differentiable(_NO_GRADIENT)

# --- tf.sets --------------------------------------------------------------------------------------


def _as_set_tensor(value: Any, name: str) -> Tensor | SparseTensor:
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        value = convert_to_tensor(value, name=name)
    if value.dtype not in _TYPES:
        raise TypeError(
            f"'{name}' has invalid dtype {value.dtype.name}; sets are of "
            f"{', '.join(dtype.name for dtype in _TYPES)}."
        )
    return value


def _set_operation(a: Any, b: Any, name: str, validate_indices: bool) -> SparseTensor:
    a, b = _as_set_tensor(a, "a"), _as_set_tensor(b, "b")
    if a.dtype is not b.dtype:
        raise TypeError(f"Types don't match, {a.dtype.name} vs {b.dtype.name}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        # The op takes the dense one first.
        a, b, name = b, a, {"a-b": "b-a", "b-a": "a-b"}.get(name, name)
    op = (
        SparseToSparseSetOperation
        if isinstance(a, SparseTensor)
        else DenseToSparseSetOperation
        if isinstance(b, SparseTensor)
        else DenseToDenseSetOperation
    )
    parts = [part for value in (a, b) for part in _parts(value)]
    return SparseTensor(*op(*parts, set_operation=name, validate_indices=validate_indices))


def _parts(value: Tensor | SparseTensor) -> Sequence[Tensor]:
    if isinstance(value, SparseTensor):
        return value.indices, value.values, value.dense_shape
    return (value,)


@export("sets.size")
@export_v1("sets.set_size")
def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different values each row has.

    Args:
      a: a SparseTensor, [..., items], in order.
      validate_indices: refuses indices that are out of order or out of bounds.
    Returns:
      int32, [...].
    Raises:
      TypeError: `a` is no SparseTensor, or its type is none that sets have.
    """
    if isinstance(a, SparseTensorValue):
        a = SparseTensor.from_value(a)
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.dtype not in _TYPES:
        raise TypeError(f"Invalid dtype {a.dtype.name} of `a`.")
    return SetSize(a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


@export("sets.intersection")
@export_v1("sets.set_intersection")
def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that are in both rows, for each row.

    Args:
      a, b: tensors or SparseTensors of integers or strings, [..., items], that agree but for the
        last dimension; SparseTensors in order.
      validate_indices: refuses indices that are out of order or out of bounds.
    Returns:
      A SparseTensor, [..., most values of a row]; each row is sorted.
    Raises:
      TypeError: the types differ, or sets have no such type.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sets.intersection([[1, 2, 2]], [[2, 3]])).values.tolist()
    [2]
    """
    return _set_operation(a, b, "intersection", validate_indices)


@export("sets.difference")
@export_v1("sets.set_difference")
def set_difference(
    a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """The values of `a` that are not in `b`, for each row; with `aminusb` False the reverse.

    Arguments and results are those of `tf.sets.intersection`.
    """
    return _set_operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


@export("sets.union")
@export_v1("sets.set_union")
def set_union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that are in either row, for each row.

    Arguments and results are those of `tf.sets.intersection`.
    """
    return _set_operation(a, b, "union", validate_indices)
