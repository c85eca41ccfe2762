"""A block of a tensor at a random place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.core_array_ops import slice_
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.random_ops import random_uniform
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.stateless_random_ops import stateless_uniform


@export("image.random_crop")
@export_v1("random_crop", "image.random_crop")
def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The block of `size` that starts at a place drawn anew in each run.

    Args:
      value: a tensor of rank R.
      size: R integers, at most the sizes of `value`.
      seed: of the op.
      name: of the node.
    Returns:
      A tensor of shape `size`.
    Raises:
      InvalidArgumentError: (in the run) the block is larger than `value`.
    """
    return _cropped(value, size, partial(random_uniform, seed=seed), name)


@export("image.stateless_random_crop")
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """`random_crop` whose result follows from `seed` alone, integers `[2]`."""
    return _cropped(value, size, partial(stateless_uniform, seed=seed), name)


def _cropped(value: Any, size: Any, draw: Callable[..., Tensor], name: str | None) -> Tensor:
    """The block of `size` at a place that `draw` makes of a shape."""
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        sizes: Any = shape_of(value)
        fits = assert_(
            reduce_all(sizes >= size), ["Need value.shape >= size, got ", sizes, size], 1000
        )
        places = with_dependencies([fits], sizes) - size + 1
        number = draw(shape_of(size), dtype=size.dtype, maxval=size.dtype.base_dtype.max)
        offset = number % places  # type: ignore[operator]
        return slice_(value, offset, size, name=scope)
