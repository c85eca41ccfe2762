"""What functions of images check of their arguments, at once where it is known, else in the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.shape_inference import Dim
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.comparison_assertions import assert_greater_equal
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.pack_ops import unstack
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.shape_ops import rank, shape
from featherflow.ops.sign_assertions import assert_positive


def checked_image(image: Any) -> Tensor:
    """An image `[…, H, W, C]` as a tensor that is there once it is known to be one.

    Raises:
      ValueError: the static shape has fewer than three dimensions, or a size of 0.
    """
    image = convert_to_tensor(image, name="image")
    return with_dependencies(image_assertions(image), image)


def image_assertions(image: Tensor) -> list[Operation]:
    """Assertions that `image` has three dimensions or more, the last of them not empty."""
    static = image.shape
    if static.rank is not None and static.rank < 3:
        raise ValueError(f"'image' (shape {static}) must be at least three-dimensional.")
    tails = () if static.rank is None else tuple(static.as_list()[-3:])
    if 0 in tails:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {static}")
    if tails and None not in tails:
        return []
    sizes: Any = shape(image)
    return [
        assert_positive(sizes[-3:], [f"inner 3 dims of 'image.shape' must be > 0: {static}"]),
        assert_greater_equal(rank(image), 3, message="'image' must be at least three-dimensional."),
    ]


def required(condition: Any, message: str) -> list[Operation]:
    """Assertions that make what relies on `condition` fail with `message`.

    Raises:
      ValueError: the condition is known to be false.
    """
    if isinstance(condition, Tensor):
        return [assert_(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def dims_of(image: Tensor, count: int) -> list[Any]:
    """The `count` dimensions of an image: numbers where they are known, else scalars."""
    if image.shape.is_fully_defined():
        return image.shape.as_list()
    static: Sequence[Dim] = image.shape.with_rank(count).as_list()
    dynamic = unstack(shape(image), count)
    return [fed if known is None else known for known, fed in zip(static, dynamic)]


def static_dims(*dims: Any) -> list[Dim]:
    """The dimensions that are numbers; None for the others."""
    return [None if isinstance(dim, Tensor) else dim for dim in dims]


def as_batch(image: Tensor) -> tuple[Tensor, bool]:
    """`[N, H, W, C]` of an image or a batch of images, and whether it was a batch.

    An image of unknown rank counts as one.

    Raises:
      ValueError: the rank is neither 3 nor 4.
    """
    ranks = image.shape.rank
    if ranks == 4:
        return image, True
    if ranks is None:
        image = expand_dims(image, 0)
        image.set_shape([None] * 4)
        return image, False
    if ranks != 3:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return expand_dims(image, 0), False
