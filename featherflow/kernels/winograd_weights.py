"""Filters of 3x3 for Winograd's F(2x2, 3x3): sixteen matrices, one for each place of a 4x4 patch.

A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016: a patch d of
the image, and a filter g, give the 2x2 outputs

    Aᵀ ((G g Gᵀ) ⊙ (Bᵀ d B)) A

where ⊙ multiplies place by place; over many channels that is a product of matrices at each place.
"""

from __future__ import annotations

import numpy as np

from featherflow.kernels.packed_weights import Empty, aligned_empty, pack_matrix

PLACES = 16


def pack_winograd(filter: np.ndarray, width: int, empty: Empty = aligned_empty) -> np.ndarray:
    """G g Gᵀ for every pair of channels, rounded once, each place packed by `pack_matrix`.

    Args:
      filter: `[3, 3, IC, OC]`, of any strides.
      width: columns of a block.
    Returns:
      `[16, ⌈OC / width⌉, IC, width]`, in C order, at an address that is a multiple of 64.
    """
    channels, filters = filter.shape[2:]
    packed = empty((PLACES, -(-filters // width), channels, width), filter.dtype)
    for i, row in enumerate(_transformed(*filter.astype(np.float64))):
        for j, place in enumerate(_transformed(*row)):
            here = packed[4 * i + j]
            pack_matrix(place.astype(filter.dtype), width, lambda *_, here=here: here)
    return packed


def _transformed(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> list[np.ndarray]:
    """G times a vector of three."""
    outer = (first + third) / 2
    return [first, outer + second / 2, outer - second / 2, third]
