"""TopK, and sorting by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sorting
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import ExpandDims, Reshape
from featherflow.ops.scatter_nd_ops import ScatterNd
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.sum_ops import Sum
from featherflow.ops.type_groups import REAL

_REAL_TYPES = (
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)

# --- TopKV2 ---------------------------------------------------------------------------------------

TopKV2 = define_op(
    "TopKV2",
    inputs=("input: T", "k: Tk"),
    outputs=("values: T", "indices: index_type"),
    attrs=(
        "sorted: bool = true",
        _REAL_TYPES,
        "Tk: {int16, int32, int64} = int32",
        "index_type: {int16, int32, int64} = int32",
    ),
)


@TopKV2.shape_fn
def _top_k_v2_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    k = c.constant(1)
    return _top_k_shapes(c, None if k is None else int(k))


def _top_k_shapes(c: InferenceContext, k: int | None) -> list[TensorShape]:
    dims = c.with_rank_at_least(0, 1)._dims
    if k is not None and k < 0:
        c.fail(f"Need k >= 0, got {k}")
    if dims is None:
        return [UNKNOWN, UNKNOWN]
    if k is not None and dims[-1] is not None and dims[-1] < k:
        c.fail(f"input must have last dimension >= k = {k} but is {dims[-1]}")
    shape = TensorShape._of((*dims[:-1], k))
    return [shape, shape]


@TopKV2.kernel("CPU", T=REAL)
def _top_k_v2_cpu(
    input: np.ndarray, k: np.ndarray, *, index_type: DType
) -> tuple[np.ndarray, np.ndarray]:
    return _top_k(input, int(k), index_type.numpy_dtype)


def _top_k(input: np.ndarray, k: int, index_type: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    if k < 0 or input.ndim < 1 or input.shape[-1] < k:
        raise InvalidArgumentError(
            None,
            None,
            f"input must have at least k = {k} columns",
            received=f"input of shape {list(input.shape)}",
        )
    values, places = sorting.top_k(input, k)
    return values, places.astype(index_type)


@TopKV2.gradient
def _top_k_v2_grad(op: Any, grad: Tensor, _: Any) -> tuple[Tensor, None]:
    return _top_k_gradient(op, grad), None


def _top_k_gradient(op: Any, grad: Tensor) -> Tensor:
    """`grad` at the places that were chosen; rows follow each other in one long vector."""
    input_shape: Any = shape_of(op.inputs[0])
    total = size_of(op.inputs[0])
    width = input_shape[-1]
    starts = range_(0, total, width)
    k = shape_of(op.outputs[1])[-1]  # type: ignore[index]
    places = Reshape(cast(op.outputs[1], dtypes.int32), [-1, k])
    flat = Reshape(places + Reshape(starts, [-1, 1]), [-1, 1])
    scattered = ScatterNd(flat, Reshape(grad, [-1]), Reshape(total, [1]))
    return Reshape(scattered, input_shape)


@export("math.top_k", "nn.top_k")
def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """The `k` greatest elements of each row, and their places.

    Args:
      input: [..., N], N ≥ k.
      k: a scalar.
      sorted: the elements descend; they do in any case.
      index_type: of the places: int16, int32 or int64.
      name: of the node.
    Returns:
      A named tuple (values, indices), each [..., k]. Of equal elements the one with the lower
      place comes first.
    Raises:
      ValueError: rows are known to be shorter than `k`.

    >>> import featherflow as tf
    >>> values, indices = tf.nn.top_k([3, 9, 5], k=2)
    >>> with tf.Session() as sess:
    ...     [value.tolist() for value in sess.run([values, indices])]
    [[9, 5], [1, 2]]
    """
    return TopKV2(input, k, sorted=sorted, index_type=index_type, name=name)


# --- TopK -----------------------------------------------------------------------------------------

# The first version, which old graphs hold: k is an attribute.
TopK = define_op(
    "TopK",
    inputs=("input: T",),
    outputs=("values: T", "indices: int32"),
    attrs=("k: int >= 0", "sorted: bool = true", _REAL_TYPES),
)


@TopK.shape_fn
def _top_k_shape(c: InferenceContext) -> list[TensorShape]:
    return _top_k_shapes(c, c.attrs["k"])


@TopK.kernel("CPU", T=REAL)
def _top_k_cpu(input: np.ndarray, *, k: int) -> tuple[np.ndarray, np.ndarray]:
    return _top_k(input, k, np.dtype(np.int32))


@TopK.gradient
def _top_k_grad(op: Any, grad: Tensor, _: Any) -> Tensor:
    return _top_k_gradient(op, grad)


# --- NthElement -----------------------------------------------------------------------------------

NthElement = define_op(
    "NthElement",
    inputs=("input: T", "n: int32"),
    outputs=("values: T",),
    attrs=("reverse: bool = false", _REAL_TYPES),
)


@NthElement.shape_fn
def _nth_element_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    dims = c.with_rank_at_least(0, 1)._dims
    n = c.constant(1)
    if n is not None and n < 0:
        c.fail(f"Dimension size, given by scalar input {int(n)} must be non-negative")
    if dims is None:
        return UNKNOWN
    if n is not None and dims[-1] is not None and dims[-1] <= n:
        c.fail(f"Input must have last dimension > n = {int(n)} but is {dims[-1]}")
    return TensorShape._of(dims[:-1])


@NthElement.kernel("CPU", T=REAL)
def _nth_element_cpu(input: np.ndarray, n: np.ndarray, *, reverse: bool) -> np.ndarray:
    place = int(n)
    if input.ndim < 1 or not 0 <= place < input.shape[-1]:
        raise InvalidArgumentError(
            None,
            None,
            f"Input must have at least n+1 = {place + 1} columns",
            received=f"input of shape {list(input.shape)}",
        )
    if reverse:
        place = input.shape[-1] - 1 - place
    return np.sort(input, axis=-1)[..., place].copy()


@NthElement.gradient
def _nth_element_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    """Elements that equal the n-th one share its gradient."""
    input: Any = op.inputs[0]
    chosen = cast(Equal(ExpandDims(op.outputs[0], -1), input), grad.dtype)
    count = ExpandDims(Sum(chosen, [-1]), -1)
    return chosen / count * ExpandDims(grad, -1), None
