"""Discrete Fourier transforms over some axes, complex and of real numbers.

    y[k] = Σₙ x[n] e^(−2πi k n / N)        and back with e^(+2πi k n / N) / N

An axis of no elements gives none; `numpy.fft` computes the rest, in the precision of its input.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

_COMPLEX_OF_REAL = {"float32": np.dtype(np.complex64), "float64": np.dtype(np.complex128)}


def last_axes(values: np.ndarray, rank: int) -> tuple[int, ...]:
    """The axes that a transform of `rank` dimensions runs over: the innermost ones."""
    if values.ndim < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"Input must have rank of at least {rank}",
            received=f"shape {list(values.shape)}",
        )
    return tuple(range(values.ndim - rank, values.ndim))


def check_lengths(lengths: np.ndarray, rank: int) -> tuple[int, ...]:
    """The lengths of a transform of `rank` dimensions: a vector of as many sizes, none negative."""
    if lengths.shape != (rank,) or (lengths < 0).any():
        raise InvalidArgumentError(
            None,
            None,
            f"fft_length must hold {rank} sizes, none of them negative",
            received=lengths.tolist(),
        )
    return tuple(lengths.tolist())


def _cropped(values: np.ndarray, axes: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """The first `sizes` elements along `axes`; there must be that many."""
    window = [slice(None)] * values.ndim
    for axis, size in zip(axes, sizes):
        if values.shape[axis] < size:
            raise InvalidArgumentError(
                None,
                None,
                f"Input dimension {axis} must have length of at least {size}",
                received=f"shape {list(values.shape)}",
                remedy="Pad the input, as the functions of tf.signal do.",
            )
        window[axis] = slice(size)
    return values[tuple(window)]


def _zeros(
    values: np.ndarray, axes: Sequence[int], sizes: Sequence[int], dtype: np.dtype
) -> np.ndarray:
    """What the transform of nothing is."""
    shape = list(values.shape)
    for axis, size in zip(axes, sizes):
        shape[axis] = size
    return np.zeros(shape, dtype)


def complex_transform(
    values: np.ndarray, lengths: Sequence[int], axes: Sequence[int], inverse: bool
) -> np.ndarray:
    """The transform over `axes` of the first `lengths` elements along them."""
    if not values.size or not all(lengths):
        return _zeros(values, axes, lengths, values.dtype)
    transform = np.fft.ifftn if inverse else np.fft.fftn
    return np.ascontiguousarray(transform(_cropped(values, axes, lengths), axes=axes))


def real_transform(values: np.ndarray, lengths: Sequence[int], axes: Sequence[int]) -> np.ndarray:
    """The transform of real numbers: along the last of `axes` only k = 0 … N/2, which tell all."""
    if not values.size or not all(lengths):
        sizes = (*lengths[:-1], half_size(lengths[-1]))
        return _zeros(values, axes, sizes, _COMPLEX_OF_REAL[values.dtype.name])
    return np.ascontiguousarray(np.fft.rfftn(_cropped(values, axes, lengths), axes=axes))


def inverse_real_transform(
    values: np.ndarray, lengths: Sequence[int], axes: Sequence[int]
) -> np.ndarray:
    """The real numbers that `real_transform` takes to `values`; `lengths` are their sizes."""
    if not values.size or not all(lengths):
        return _zeros(values, axes, lengths, np.finfo(values.dtype).dtype)
    values = _cropped(values, axes, (*lengths[:-1], half_size(lengths[-1])))
    return np.ascontiguousarray(np.fft.irfftn(values, s=lengths, axes=axes))


def half_size(length: int) -> int:
    """How many numbers tell the transform of `length` real ones.

    >>> [half_size(length) for length in (0, 1, 4, 5)]
    [0, 1, 3, 3]
    """
    return length // 2 + 1 if length else 0


def check_axes(axes: np.ndarray, lengths: np.ndarray, rank: int) -> tuple[int, ...]:
    """The axes of a transform, each once, counted from the first; there is a length for each."""
    known = [int(axis) + rank * (axis < 0) for axis in axes.reshape(-1)]
    is_valid = axes.ndim == 1 and axes.shape == lengths.shape and len(set(known)) == len(known)
    if not is_valid or not known or not all(0 <= axis < rank for axis in known):
        raise InvalidArgumentError(
            None,
            None,
            "axes must name dimensions of the input, each once, with a length for each",
            received=f"axes {axes.tolist()} and lengths {lengths.tolist()}",
            expected=f"axes of {-rank} to {rank - 1}",
        )
    return tuple(known)


def fitted(values: np.ndarray, axes: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """`values` cut off, or filled up with zeros, to `sizes` along `axes`."""
    window, padding = [slice(None)] * values.ndim, [(0, 0)] * values.ndim
    for axis, size in zip(axes, sizes):
        window[axis] = slice(size)
        padding[axis] = (0, max(0, size - values.shape[axis]))
    return np.pad(values[tuple(window)], padding)
