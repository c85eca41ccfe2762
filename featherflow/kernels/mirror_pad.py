"""Padding with mirror images, and its transpose."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def mirror_pad(input: np.ndarray, pairs: list[list[int]], mode: str) -> np.ndarray:
    """`input` with mirror images at its edges.

    Args:
      pairs: for each dimension, how many elements come before and after.
      mode: "REFLECT" leaves the edge itself out of the image, "SYMMETRIC" repeats it.
    Raises:
      InvalidArgumentError: an image is longer than its original.
    """
    _check_lengths(input.shape, pairs, mode)
    return np.pad(input, pairs, mode="reflect" if mode == "REFLECT" else "symmetric")


def _check_lengths(dims: tuple[int, ...], pairs: list[list[int]], mode: str) -> None:
    edge = _edge(mode)
    for axis, (dim, pair) in enumerate(zip(dims, pairs)):
        if max(pair) > max(dim - edge, 0):
            raise InvalidArgumentError(
                None,
                None,
                f"paddings must be no greater than the dimension size{' less 1' * edge}",
                received=f"{pair[0]}, {pair[1]} for dimension {axis} of size {dim}",
            )


def _edge(mode: str) -> int:
    """How many elements at the edge have no image."""
    return 1 if mode == "REFLECT" else 0


def mirror_pad_grad(grad: np.ndarray, pairs: list[list[int]], mode: str) -> np.ndarray:
    """What `mirror_pad` would have had to be given: images are added to their originals."""
    dims = tuple(size - sum(pair) for size, pair in zip(grad.shape, pairs))
    _check_lengths(dims, pairs, mode)
    edge = _edge(mode)
    for axis, (dim, (before, after)) in enumerate(zip(dims, pairs)):
        along = np.moveaxis(grad, axis, 0)
        result = along[before : before + dim].copy()
        result[edge : edge + before] += along[:before][::-1]
        result[dim - edge - after : dim - edge] += along[before + dim :][::-1]
        grad = np.moveaxis(result, 0, axis)
    return grad.copy(order="C")
