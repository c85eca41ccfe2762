"""Batches of arrays that may differ in size: the smaller ones are filled up with zeros."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from featherflow.kernels.allocation import check_allocation


def padded_stack(
    arrays: Sequence[np.ndarray], dims: tuple[int | None, ...], dtype: np.dtype
) -> np.ndarray:
    """result[i, …] = arrays[i], in the corner at the origin.

    Args:
      arrays: of rank `len(dims)`.
      dims: the shape of each; the largest size counts where it is None, 0 if there is no array.
      dtype: of the result; what is filled up is 0, False or b"".
    Returns:
      An array of shape `[len(arrays), *dims]`.
    """
    sizes = tuple(
        max((array.shape[axis] for array in arrays), default=0) if size is None else size
        for axis, size in enumerate(dims)
    )
    shape = (len(arrays), *sizes)
    check_allocation(shape, dtype)
    result = np.full(shape, b"", dtype) if dtype.hasobject else np.zeros(shape, dtype)
    for index, array in enumerate(arrays):
        result[(index, *map(slice, array.shape))] = array[()]
    return result
