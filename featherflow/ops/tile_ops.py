"""Tile: a tensor repeated along its dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.cast_ops import cast
from featherflow.ops.pack_ops import Pack
from featherflow.ops.range_ops import Range
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.sum_ops import Sum
from featherflow.ops.transpose_ops import transpose

# --- Tile -----------------------------------------------------------------------------------------

Tile = define_op(
    "Tile",
    inputs=("input: T", "multiples: Tmultiples"),
    outputs=("output: T",),
    attrs=("T: type", "Tmultiples: {int32, int64} = int32"),
)


@Tile.shape_fn
def _tile_shape(c: InferenceContext) -> TensorShape:
    multiples = c.constant_as_shape(1)._dims
    dims = c.shapes[0]._dims
    length = c.with_rank(1, 1)._dims[0]  # type: ignore[index]
    known_rank = c.merge_dim(None if dims is None else len(dims), length)
    if multiples is not None:
        known_rank = c.merge_dim(known_rank, len(multiples))
    if known_rank is None:
        return UNKNOWN
    dims = (None,) * known_rank if dims is None else dims
    multiples = (None,) * known_rank if multiples is None else multiples
    return TensorShape._of(tuple(map(_product, dims, multiples)))


def _product(size: int | None, multiple: int | None) -> int | None:
    if size is None or multiple is None:
        return 0 if 0 in (size, multiple) else None
    return size * multiple


@Tile.kernel("CPU")
def _tile_cpu(input: np.ndarray, multiples: np.ndarray) -> np.ndarray:
    times = multiples.tolist()
    if multiples.ndim != 1 or len(times) != input.ndim or min(times, default=0) < 0:
        raise InvalidArgumentError(
            None,
            None,
            "Expected multiples to be a vector of one number >= 0 for each dimension",
            received=f"multiples {times}, input of shape {list(input.shape)}",
        )
    check_allocation([size * count for size, count in zip(input.shape, times)], input.dtype)
    result = np.tile(input, times)
    # np.tile of a scalar gives it a dimension.
    return result.reshape(()) if input.ndim == 0 else result


@Tile.compile_rule
def _tile_compile(c: Any, input: Any, multiples: Any) -> Any:
    times = c.known(multiples).tolist()
    c.require(len(times) == input.rank and min(times, default=1) > 0, "an empty result")
    doubled = [size for pair in zip([1] * input.rank, input.shape) for size in pair]
    repeated = [size for pair in zip(times, input.shape) for size in pair]
    spread = c.broadcast(c.reshape(input, doubled), repeated)
    return c.reshape(spread, [count * size for count, size in zip(times, input.shape)])


@Tile.gradient
def _tile_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    """Each dimension of `grad` is (multiple, size): the multiples are summed."""
    input, multiples = op.inputs
    index_type = multiples.dtype.base_dtype
    pairs = transpose(Pack([multiples, shape_of(input, out_type=index_type)]))
    split_shape = Reshape(pairs, [-1])
    axes = Range(0, cast(size_of(split_shape), dtypes.int32), 2)
    result = Sum(Reshape(grad, split_shape), axes)
    result.set_shape(input.shape)
    return result, None


@export("tile")
@export_v1("manip.tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[k]` times along each dimension k.

    Args:
      input: a tensor of rank R.
      multiples: R integers.
      name: of the node.
    Returns:
      A tensor of shape `input.shape · multiples`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tile([[1, 2]], [2, 2])).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return Tile(input, multiples, name=name)
