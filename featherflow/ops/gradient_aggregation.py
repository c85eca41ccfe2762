"""The sum of the gradients that reach one tensor from several uses of it."""

from __future__ import annotations

from collections.abc import Sequence

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.add_n_ops import add_n
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import ConcatV2
from featherflow.ops.indexed_slices_ops import dense_tensor

Gradient = Tensor | IndexedSlices


@export("AggregationMethod")
class AggregationMethod:
    """How `tf.gradients` sums gradients.

    ADD_N sums all at once, when the last has come: few nodes, and all terms are alive at the end.
    The others add each to a running sum, so that a term can be freed as soon as it is added.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


METHODS = (
    AggregationMethod.ADD_N,
    AggregationMethod.EXPERIMENTAL_TREE,
    AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
)


def check_method(method: int | None) -> int:
    """`method`, the default for None.

    Raises:
      ValueError: it is none of AggregationMethod.
    """
    if method is None:
        return AggregationMethod.DEFAULT
    if method not in METHODS:
        raise ValueError(
            f"Invalid `aggregation_method` specified {method}. Accepted values are {list(METHODS)}."
        )
    return method


def sum_gradients(gradients: Sequence[Gradient], op_name: str, method: int) -> Gradient:
    """The sum of one gradient or more; rows (IndexedSlices) stay rows if all are.

    Args:
      op_name: the operation whose output they belong to, for the names of nodes.
    """
    if len(gradients) == 1:
        return gradients[0]
    slices = [item for item in gradients if isinstance(item, IndexedSlices)]
    if len(slices) == len(gradients):
        return join_slices(slices)
    if slices:
        return add_n(gradients)
    if method == AggregationMethod.ADD_N:
        with get_default_graph().colocate_with(gradients[0]):
            return add_n(gradients)
    with get_default_graph().name_scope(f"{op_name}_gradient_sum"):
        total = gradients[0]
        for item in gradients[1:]:
            total = add_n([total, item])
    return total


def join_slices(slices: Sequence[IndexedSlices]) -> IndexedSlices:
    """The sum of rows: all of them, one after the other."""
    if len(slices) == 1:
        return slices[0]
    indices = [item.indices for item in slices]
    if len({item.dtype for item in indices}) > 1:
        indices = [cast(item, dtypes.int64) for item in indices]
    shape = next((item.dense_shape for item in slices if item.dense_shape is not None), None)
    return IndexedSlices(
        ConcatV2([item.values for item in slices], 0, name="concat"),
        ConcatV2(indices, 0, name="concat"),
        shape,
    )


def as_dense(gradient: Gradient) -> Tensor:
    """The gradient as one tensor."""
    return dense_tensor(gradient) if isinstance(gradient, IndexedSlices) else gradient
