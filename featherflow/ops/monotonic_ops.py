"""Whether the elements of a tensor, in their order, rise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_ops import greater, greater_equal, less
from featherflow.ops.cond import cond
from featherflow.ops.constant_ops import constant
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape, size
from featherflow.ops.strided_slice_ops import strided_slice
from featherflow.ops.type_assertions import is_numeric_tensor


@export("math.is_non_decreasing")
@export_v1("debugging.is_non_decreasing", "is_non_decreasing")
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether xᵢ ≤ xᵢ₊₁ for all neighbours, in row-major order; true of fewer than two elements.

    Args:
      x: a tensor of numbers.
      name: of the scope of the nodes.
    Returns:
      A scalar of bool.
    Raises:
      TypeError: `x` holds no numbers.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     [bool(session.run(tf.math.is_non_decreasing(x))) for x in ([1, 1, 2], [2, 1])]
    [True, False]
    """
    with name_scope(name, "is_non_decreasing", [x]):
        return reduce_all(_of_neighbours(greater_equal, x))


@export("math.is_strictly_increasing")
@export_v1("debugging.is_strictly_increasing", "is_strictly_increasing")
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether xᵢ < xᵢ₊₁ for all neighbours; as `is_non_decreasing` otherwise."""
    with name_scope(name, "is_strictly_increasing", [x]):
        return reduce_all(_of_neighbours(greater, x))


def _of_neighbours(compare: Callable[[Any, Any], Tensor], x: Any) -> Tensor:
    """`compare(xᵢ₊₁, xᵢ)`; empty where there are no neighbours."""
    x = reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    is_short = less(size(x), 2)
    pairs = shape(x) - 1  # a vector of one element, as the bounds of a slice are

    def compared() -> Tensor:
        following = strided_slice(x, [1], [1] + pairs)  # noqa: RUF005 (a sum, not a list)
        return compare(following, strided_slice(x, [0], pairs))

    return cond(is_short, lambda: constant([], dtypes.bool), compared)
