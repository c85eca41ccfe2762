"""ApproxTopK and `tf.nn.approx_max_k`: on CPUs the greatest elements exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sorting
from featherflow.ops.one_hot_ops import one_hot
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sum_ops import Sum

ApproxTopK: Op = define_op(
    "ApproxTopK",
    inputs=("input: T",),
    outputs=("values: T", "indices: int32"),
    attrs=(
        "k: int >= 0",
        "reduction_dimension: int = -1",
        "recall_target: float = 0.95",
        "is_max_k: bool = true",
        "reduction_input_size_override: int = -1",
        "aggregate_to_topk: bool = true",
        "T: {half, bfloat16, float}",
    ),
)


@ApproxTopK.shape_fn
def _approx_top_k_shape(c: InferenceContext) -> list[TensorShape]:
    dims = c.with_rank_at_least(0, 1)._dims
    if not 0 < c.attrs["recall_target"] <= 1:
        c.fail("recall_target must be above 0 and at most 1", received=c.attrs["recall_target"])
    if dims is None:
        return [UNKNOWN, UNKNOWN]
    axis, k = c.attrs["reduction_dimension"], c.attrs["k"]
    if not -len(dims) <= axis < len(dims):
        c.fail(f"Invalid reduction dimension: {axis}", received=c.received())
    axis %= len(dims)
    size = dims[axis]
    if size is not None and size < k:
        c.fail(f"input must have last dimension >= k = {k} but was {size}")
    shape = TensorShape._of((*dims[:axis], k, *dims[axis + 1 :]))
    return [shape, shape]


@ApproxTopK.kernel("CPU", T=(dtypes.float16, dtypes.bfloat16, dtypes.float32))
def _approx_top_k_cpu(
    input: np.ndarray, *, k: int, reduction_dimension: int, is_max_k: bool
) -> tuple[np.ndarray, np.ndarray]:
    if not -input.ndim <= reduction_dimension < input.ndim or input.shape[reduction_dimension] < k:
        raise InvalidArgumentError(
            None,
            None,
            f"input must have at least k = {k} elements along dimension {reduction_dimension}",
            received=f"shape {list(input.shape)}",
        )
    rows = np.moveaxis(input, reduction_dimension, -1)
    values, places = sorting.top_k(rows if is_max_k else -rows, k)
    values = values if is_max_k else -values
    parts = (values, places.astype(np.int32))
    first, second = (
        np.ascontiguousarray(np.moveaxis(part, -1, reduction_dimension)) for part in parts
    )
    return first, second


@ApproxTopK.gradient
def _approx_top_k_grad(op: Any, grad: Tensor, indices_grad: Any) -> Tensor:
    axis = op.attrs["reduction_dimension"]
    x, indices = op.inputs[0], op.outputs[1]
    rank = x.shape.rank
    if rank is None:
        raise ValueError("The gradient of ApproxTopK needs an input of known rank.")
    axis %= rank
    size: Any = shape_of(x)[axis]  # type: ignore[index]
    # [… size, k …]: each gradient in the place that its value came from
    spread = one_hot(indices, size, dtype=grad.dtype.base_dtype, axis=axis)
    return Sum(spread * expand_dims(grad, axis), [axis + 1])


@export("nn.approx_max_k", "math.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """The k greatest elements along a dimension, most of them at least; here all of them.

    Args:
      operand: float16, bfloat16 or float32.
      k: how many.
      reduction_dimension: along which.
      recall_target: the share of the greatest elements that is found on accelerators.
      reduction_input_size_override: the size that the share is of.
      aggregate_to_topk: give k elements; accelerators may give more otherwise.
      name: of the node.
    Returns:
      A named tuple (values, indices), in descending order.
    """
    return ApproxTopK(
        operand,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=True,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
        name=name,
    )


@export("nn.approx_min_k", "math.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """The k least elements along a dimension, in ascending order; see `tf.nn.approx_max_k`."""
    return ApproxTopK(
        operand,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=False,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
        name=name,
    )
