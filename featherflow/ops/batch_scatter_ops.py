"""Updates of a variable by index along a later dimension, batch by batch."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.ops.cast_ops import Cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.range_ops import Range
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.variable_scatter_ops import scatter_nd_update


@export_v1("batch_scatter_update")
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Changes slices of a variable: ref[i…, indices[i…, j]] ← updates[i…, j].

    Args:
      ref: a variable `[B…, N, …]`.
      indices: `[B…, J]` integers of [0, N).
      updates: `[B…, J, …]`.
      use_locking: accepted; updates of a variable exclude one another always.
      name: of the scope.
    Returns:
      The variable after the update.
    """
    with name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        sizes, rank = shape(indices), indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        own = expand_dims(indices, axis=-1)
        coordinates = []
        for axis in range(rank - 1):
            size = sizes[axis]
            along: list[Any] = [1] * (rank + 1)
            along[axis] = size
            positions = reshape(Range(0, size, 1), along)
            if positions.dtype.base_dtype is not own.dtype:
                positions = Cast(positions, DstT=own.dtype)
            coordinates.append(positions * ones_like(own))
        return scatter_nd_update(
            ref, concat([*coordinates, own], axis=-1), updates, use_locking=use_locking
        )


def _method(self: Any, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
    """`tf.batch_scatter_update` with the indices and values of an IndexedSlices."""
    return batch_scatter_update(self, sparse_delta.indices, sparse_delta.values, use_locking, name)


def add_batch_scatter_method(*kinds: Any) -> None:
    """Gives the kinds of variables their method `batch_scatter_update(IndexedSlices)`."""
    for kind in kinds:
        kind.batch_scatter_update = _method
