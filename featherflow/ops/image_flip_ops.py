"""Mirrored, turned and transposed images, and random flips."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.case import case
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, less
from featherflow.ops.cond import cond
from featherflow.ops.division_ops import floormod
from featherflow.ops.image_checks import checked_image
from featherflow.ops.random_ops import random_uniform
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.reverse_ops import reverse
from featherflow.ops.rounding_ops import round as round_tensor
from featherflow.ops.shape_ops import rank, shape
from featherflow.ops.stateless_random_ops import stateless_uniform
from featherflow.ops.transpose_ops import transpose

Transform = Callable[[Tensor], Tensor]

# --- by the rank of the image ---------------------------------------------------------------------


def _by_rank(image: Tensor, single: Transform, batch: Transform) -> Tensor:
    """`single` of an image of rank 3, `batch` of one of rank 4; found out in the run if need be.

    Raises:
      ValueError: the rank is another.
    """
    ranks = image.shape.rank
    if ranks is None:
        return cond(equal(rank(image), 3), lambda: single(image), lambda: batch(image))
    if ranks not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return single(image) if ranks == 3 else batch(image)


# --- flips ----------------------------------------------------------------------------------------


@export("image.flip_left_right")
def flip_left_right(image: Any) -> Tensor:
    """Images mirrored left to right.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: the rank is another.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.image.flip_left_right([[[1], [2], [3]]])).ravel().tolist()
    [3, 2, 1]
    """
    return _flip(image, 1, "flip_left_right")


@export("image.flip_up_down")
def flip_up_down(image: Any) -> Tensor:
    """Images mirrored upside down; see `flip_left_right`."""
    return _flip(image, 0, "flip_up_down")


def _flip(image: Any, axis: int, scope_name: str) -> Tensor:
    """Mirrors dimension `axis` of images."""
    with op_scope(None, scope_name, [image]):
        return _by_rank(
            checked_image(image),
            lambda single: reverse(single, [axis]),
            lambda batch: reverse(batch, [axis + 1]),
        )


@export("image.random_flip_left_right")
def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Images mirrored left to right, each with a chance of one half.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      seed: of the op.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: the rank is another.
    """
    return _random_flip(image, 1, partial(random_uniform, seed=seed), "random_flip_left_right")


@export("image.random_flip_up_down")
def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Images mirrored upside down, each with a chance of one half.

    See `random_flip_left_right`.
    """
    return _random_flip(image, 0, partial(random_uniform, seed=seed), "random_flip_up_down")


@export("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """`random_flip_left_right` whose result follows from `seed` alone, integers `[2]`."""
    draw = partial(stateless_uniform, seed=seed)
    return _random_flip(image, 1, draw, "stateless_random_flip_left_right")


@export("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """`random_flip_up_down` whose result follows from `seed` alone, integers `[2]`."""
    draw = partial(stateless_uniform, seed=seed)
    return _random_flip(image, 0, draw, "stateless_random_flip_up_down")


def _random_flip(image: Any, axis: int, draw: Callable[..., Tensor], scope_name: str) -> Tensor:
    """Mirrors dimension `axis` of an image, or of each image of a batch, by a draw."""
    with op_scope(None, scope_name, [image]) as scope:

        def flip_one(single: Tensor) -> Tensor:
            is_mirrored = less(draw(shape=[], minval=0, maxval=1.0), 0.5)
            return cond(is_mirrored, lambda: reverse(single, [axis]), lambda: single, name=scope)

        def flip_each(batch: Any) -> Tensor:
            count: Any = shape(batch)
            draws = draw(shape=[count[0]], minval=0, maxval=1.0)
            flips: Any = round_tensor(reshape(draws, [count[0], 1, 1, 1]))
            flips = flips if batch.dtype == dtypes.float32 else cast(flips, batch.dtype)
            mirrored = reverse(batch, [axis + 1])
            return flips * mirrored + (1 - flips) * batch

        return _by_rank(checked_image(image), flip_one, flip_each)


# --- turns ----------------------------------------------------------------------------------------


@export("image.rot90")
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Images turned counter-clockwise by k quarters of a turn.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      k: a scalar integer.
      name: of the scope of the nodes.
    Returns:
      `[H, W, C]` or, for odd k, `[W, H, C]`; with N in front for a batch.
    Raises:
      ValueError: the rank is another.
    """
    with op_scope(name, "rot90", [image, k]) as scope:
        image = checked_image(image)
        k = convert_to_tensor(k, dtypes.int32, name="k")
        k.shape.assert_has_rank(0)
        quarters = floormod(k, 4, name="mod")
        turn = partial(_turn, quarters=quarters, scope=scope)
        return _by_rank(image, partial(turn, axis=0), partial(turn, axis=1))


def _turn(image: Tensor, quarters: Tensor, scope: str, axis: int) -> Tensor:
    """Turns images whose rows are dimension `axis`."""
    rows, columns = axis, axis + 1
    swapped = [*range(axis), columns, rows, columns + 1]

    def once() -> Tensor:
        return transpose(reverse(image, [columns]), swapped)

    def twice() -> Tensor:
        return reverse(image, [rows, columns])

    def thrice() -> Tensor:
        return reverse(transpose(image, swapped), [columns])

    branches = [
        (equal(quarters, 1), once),
        (equal(quarters, 2), twice),
        (equal(quarters, 3), thrice),
    ]
    turned = case(branches, default=lambda: image, exclusive=True, name=scope)
    if image.shape.rank is not None:
        static = image.shape.as_list()
        turned.set_shape([*static[:rows], None, None, static[-1]])
    return turned


@export("image.transpose")
@export_v1("image.transpose_image", "image.transpose")
def transpose_image(image: Any, name: str | None = None) -> Tensor:
    """Images with rows and columns swapped.

    Args:
      image: `[H, W, C]` or `[N, H, W, C]`.
      name: of the scope of the nodes.
    Returns:
      `[W, H, C]` or `[N, W, H, C]`.
    Raises:
      ValueError: the rank is another.
    """
    with op_scope(name, "transpose", [image]):
        return _by_rank(
            checked_image(image),
            lambda single: transpose(single, [1, 0, 2], name="transpose"),
            lambda batch: transpose(batch, [0, 2, 1, 3], name="transpose"),
        )
