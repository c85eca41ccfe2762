"""Ragged tensors as other tensors: RaggedTensorToTensor, RaggedTensorToSparse.

The arithmetic is in `kernels/ragged.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import ragged as kernels
from featherflow.kernels.ragged import Partition
from featherflow.ops.comparison_ops import Less
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.gather_ops import UnsortedSegmentSum
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_sum
from featherflow.ops.reshape_ops import Reshape, reshape
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_shapes import UNKNOWN_PARTS, matrix, vector

# --- RaggedTensorToTensor -------------------------------------------------------------------------

RaggedTensorToTensor = define_op(
    "RaggedTensorToTensor",
    inputs=(
        "shape: Tshape",
        "values: T",
        "default_value: T",
        "row_partition_tensors: num_row_partition_tensors * Tindex",
    ),
    outputs=("result: T",),
    attrs=(
        "T: type",
        "Tindex: {int64, int32}",
        "Tshape: {int64, int32}",
        "num_row_partition_tensors: int >= 1",
        "row_partition_types: list(string)",
    ),
)
_TYPES = ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_LENGTHS", "ROW_SPLITS", "ROW_LIMITS", "ROW_STARTS")


def _ragged_rank(types: tuple[str, ...]) -> int:
    """How many ragged dimensions partitions of these types make."""
    return len(types) - 1 if types and types[0] == "FIRST_DIM_SIZE" else len(types)


@RaggedTensorToTensor.shape_fn
def _ragged_to_tensor_shape(c: InferenceContext) -> TensorShape:
    types = c.attrs["row_partition_types"]
    _check_types(c, types)
    for place, kind in enumerate(types):
        c.with_rank(3 + place, 0 if kind == "FIRST_DIM_SIZE" else 1)
    rank = _ragged_rank(types)
    c.with_rank_at_most(0, 1)
    if c.shapes[0].rank == 0 and c.constant(0) is None:
        c.fail("A scalar shape must be the constant -1")
    given = c.constant_as_shape(0) if c.shapes[0].rank == 1 else UNKNOWN
    values = c.with_rank_at_least(1, 1)._dims
    _check_default(c, c.shapes[2], values)
    if values is None:
        return given
    if given._dims is None:
        return TensorShape._of((None,) * (rank + 1) + values[1:])
    if len(given._dims) != rank + len(values):
        c.fail(
            f"Shape must have {rank + len(values)} dimensions",
            received=f"{given} for {c.received()}",
        )
    inner = [c.merge_dim(*pair) for pair in zip(given._dims[rank + 1 :], values[1:])]
    return TensorShape._of((*given._dims[: rank + 1], *inner))


def _check_types(c: InferenceContext, types: tuple[str, ...]) -> None:
    unknown = [kind for kind in types if kind not in _TYPES]
    if unknown:
        c.fail(f"Unknown string for partition info type: {unknown[0]}")
    if not types or len(types) != c.attrs["num_row_partition_tensors"]:
        c.fail("There must be a type for each partition", received=str(types))
    if types[0] == "FIRST_DIM_SIZE" and (len(types) < 2 or types[1] != "VALUE_ROWIDS"):
        c.fail("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS", received=str(types))
    if types[0] == "VALUE_ROWIDS":
        c.fail("VALUE_ROWIDS cannot be first in the list", received=str(types))


def _check_default(c: InferenceContext, default: TensorShape, values: Any) -> None:
    if default._dims is None or values is None:
        return
    inner = values[1:]
    if len(default._dims) > len(inner):
        c.fail("default_value has a higher rank than the inner values", received=c.received())
    for size, given in zip(default._dims[::-1], inner[::-1]):
        if size not in (None, 1) and given is not None:
            c.merge_dim(size, given)


@RaggedTensorToTensor.kernel("CPU")
def _ragged_to_tensor_cpu(
    shape: np.ndarray,
    values: np.ndarray,
    default_value: np.ndarray,
    *tensors: np.ndarray,
    row_partition_types: tuple[str, ...],
) -> np.ndarray:
    partitions = _partitions(row_partition_types, tensors)
    sizes = _sizes(shape, len(partitions) + 1, values)
    inner = values.shape[1:]
    if default_value.ndim > len(inner) or any(
        size not in (1, given) for size, given in zip(default_value.shape[::-1], inner[::-1])
    ):
        raise InvalidArgumentError(
            None,
            None,
            "default_value must broadcast to the inner dimensions of the values",
            received=f"{list(default_value.shape)} and {list(inner)}",
        )
    outer = sizes[: len(partitions) + 1]
    return kernels.to_tensor(partitions, values, outer, default_value)


def _partitions(types: tuple[str, ...], tensors: tuple[np.ndarray, ...]) -> list[Partition]:
    rows: int | None = None
    partitions: list[Partition] = []
    for kind, tensor in zip(types, tensors):
        if kind == "FIRST_DIM_SIZE":
            rows = int(tensor)
        elif kind == "ROW_SPLITS":
            partitions.append(Partition.of_splits(tensor.astype(np.int64)))
        elif kind == "VALUE_ROWIDS" and tensor.ndim == 1:
            count = len(partitions[-1].rows) if partitions else rows or 0
            partitions.append(Partition.of_row_ids(tensor.astype(np.int64), count))
        else:
            raise InvalidArgumentError(
                None, None, f"Unsupported partition of type {kind}", received=str(tensor.tolist())
            )
    return partitions


def _sizes(shape: np.ndarray, outer: int, values: np.ndarray) -> list[int]:
    """The sizes that the result must have; −1 where that is open."""
    rank = outer + values.ndim - 1
    if shape.ndim == 0:
        sizes = [int(shape)] * rank if int(shape) == -1 else [-2]
    else:
        sizes = [int(size) for size in shape.reshape(-1)]
    inner = zip(sizes[outer:], values.shape[1:])
    if len(sizes) != rank or min(sizes) < -1 or any(size not in (-1, dim) for size, dim in inner):
        raise InvalidArgumentError(
            None,
            None,
            "The shape does not fit the ragged tensor",
            received=f"shape {shape.tolist()}, values of shape {list(values.shape)}, "
            f"{outer - 1} partitions",
        )
    return sizes


@RaggedTensorToTensor.gradient
def _ragged_to_tensor_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    # Which value stands in each place of the result, −1 for none: the op itself tells.
    _, values, default, *partitions = op.inputs
    types = op.attrs["row_partition_types"]
    values_shape: Any = shape_of(values)
    outer = _ragged_rank(types) + 1
    grad_shape: Any = shape_of(grad)
    places = RaggedTensorToTensor(
        grad_shape[:outer],
        range_(values_shape[0]),
        constant(-1),
        partitions,
        row_partition_types=types,
    )
    rows = Reshape(grad, concat([[-1], values_shape[1:]], 0))
    flat: Any = reshape(places, [-1])
    values_grad = UnsortedSegmentSum(rows, flat, values_shape[0])
    is_default = reshape(Less(flat, 0), concat([[-1], zeros_like(values_shape[1:]) + 1], 0))
    unfilled = reduce_sum(SelectV2(is_default, rows, zeros_like(rows)), 0)
    default_grad = _summed_to(unfilled, default)
    return [None, values_grad, default_grad, *[None] * len(partitions)]


def _summed_to(grad: Tensor, default: Tensor) -> Tensor:
    """The gradient of what was broadcast from `default`."""
    from_rank, rank = default.shape.rank, grad.shape.rank
    if from_rank is None or rank is None:
        return reshape(reduce_sum(grad), shape_of(default))
    grad = reduce_sum(grad, list(range(rank - from_rank)))
    ones = [axis for axis, size in enumerate(default.shape.as_list()) if size == 1]
    return reduce_sum(grad, ones, keepdims=True) if ones else grad


# --- RaggedTensorToSparse -------------------------------------------------------------------------

RaggedTensorToSparse = define_op(
    "RaggedTensorToSparse",
    inputs=("rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: T"),
    outputs=("sparse_indices: int64", "sparse_values: T", "sparse_dense_shape: int64"),
    attrs=("RAGGED_RANK: int >= 1", "T: type", "Tsplits: {int32, int64} = int64"),
)


@RaggedTensorToSparse.shape_fn
def _ragged_to_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["RAGGED_RANK"]
    for index in range(count):
        c.with_rank(index, 1)
    values = c.with_rank_at_least(count, 1)
    if values.rank is None:
        return UNKNOWN_PARTS
    rank = values.rank + count
    size = values.num_elements()
    return [matrix(size, rank), vector(size), vector(rank)]


@RaggedTensorToSparse.kernel("CPU")
def _ragged_to_sparse_cpu(*inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    *nested_splits, values = inputs
    return kernels.to_sparse(nested_splits, values)


@RaggedTensorToSparse.gradient
def _ragged_to_sparse_grad(
    op: Any, indices_grad: Any, values_grad: Tensor, shape_grad: Any
) -> list[Tensor | None]:
    values = op.inputs[-1]
    return [*[None] * (len(op.inputs) - 1), Reshape(values_grad, shape_of(values))]
