"""SparseTensors among the examples of a batch: handles of stored ones wait in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import colocate_with
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops import sparse_tensor_map_ops as map_ops
from featherflow.ops.cond import cond
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import fill
from featherflow.ops.gather_ops import gather
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.masking_ops import boolean_mask
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.shape_ops import shape as shape_of


@dataclass(frozen=True)
class SparseStore:
    """Where SparseTensors of one part of the examples are kept.

    Attributes:
      add_op: the first node that puts them into the map, which is called like it.
      dtype: of the values.
      rank: of a single example, or None.
    """

    add_op: Operation | None
    dtype: DType
    rank: int | None

    @property
    def shared_name(self) -> str:
        """The name of the map."""
        return "" if self.add_op is None else self.add_op.name


def store(
    tensor: SparseTensor, enqueue_many: bool, keep_input: Tensor, known: SparseStore | None
) -> tuple[Tensor, SparseStore]:
    """Handles of a stored SparseTensor, `[1]` or with `enqueue_many` `[rows, 1]`, and its store."""
    add_op = None if known is None else known.add_op
    if enqueue_many and keep_input.get_shape().rank == 1:
        tensor = _kept_rows(tensor, keep_input)
    kind = map_ops.AddManySparseToTensorsMap if enqueue_many else map_ops.AddSparseToTensorsMap
    made: list[Tensor] = []

    def add() -> Tensor:
        shared_name = "" if known is None else known.shared_name
        parts = (tensor.indices, tensor.values, tensor.dense_shape)
        made.append(kind(*parts, shared_name=shared_name))
        return made[0]

    def skip() -> Tensor:
        nothing = constant(-1, dtypes.int64)
        return fill(shape_of(tensor.indices)[:1], nothing) if enqueue_many else nothing

    is_vector = keep_input.get_shape().rank == 1
    is_kept = True if is_vector else constant_value(keep_input)
    if is_kept is None:
        handles = cond(keep_input, add, skip)
    else:
        handles = add() if is_kept else skip()
    rank = tensor.get_shape().rank
    row_rank = None if rank is None else rank - enqueue_many
    first = add_op or (made[0].op if made else None)
    return expand_dims(handles, [-1]), SparseStore(first, tensor.dtype, row_rank)


def _kept_rows(tensor: SparseTensor, keep_input: Tensor) -> SparseTensor:
    """The elements in rows that are kept; the other rows become empty."""
    is_kept = gather(keep_input, tensor.indices[:, 0])
    return SparseTensor(
        boolean_mask(tensor.indices, is_kept),
        boolean_mask(tensor.values, is_kept),
        tensor.dense_shape,
    )


def restore(rows: Sequence[Tensor], stores: Sequence[SparseStore | None]) -> list[Any]:
    """The parts of a batch, with SparseTensors in the place of handles; all are there together."""
    if not any(stores):
        return list(rows)
    parts = [row if kept is None else _taken(row, kept) for row, kept in zip(rows, stores)]
    waits = [part.op for part in parts]

    def waiting(part: Any) -> Any:
        if isinstance(part, Tensor):
            return with_dependencies(waits, part)
        tensors = (part.indices, part.values, part.dense_shape)
        return SparseTensor(*(with_dependencies(waits, tensor) for tensor in tensors))

    return [waiting(part) for part in parts]


def _taken(handles: Tensor, kept: SparseStore) -> SparseTensor:
    colocation = nullcontext() if kept.add_op is None else colocate_with(kept.add_op)
    handles = squeeze(handles, [1])
    with colocation:
        parts = map_ops.TakeManySparseFromTensorsMap(
            handles, dtype=kept.dtype, shared_name=kept.shared_name
        )
    if kept.rank is not None:
        parts[0].set_shape(TensorShape([None, kept.rank + 1]))
        parts[2].set_shape(TensorShape([kept.rank + 1]))
    return SparseTensor(*parts)
