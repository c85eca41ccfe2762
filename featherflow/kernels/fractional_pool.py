"""Fractional pooling: regions whose borders are drawn at random, so that sizes shrink by any ratio.

    output[n, i, j, c] = max or mean of value[n, r_i … r_{i+1} − 1, s_j … s_{j+1} − 1, c]

Overlapping regions also take the first row and column of the next one.

See: Graham 2014, "Fractional max-pooling".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import PhiloxGenerator
from featherflow.kernels.random_values import random_bits, uniform_doubles

_WORDS_PER_COUNTER = 4


def pooling_sequence(
    input_size: int, output_size: int, generator: PhiloxGenerator, pseudo_random: bool
) -> np.ndarray:
    """Draws the borders of the regions along one dimension.

    Regions are ⌊α⌋ or ⌊α⌋ + 1 long, α = input_size / output_size: in a random order, or those of

        border_i = ⌈α · (i + u)⌉          one uniform u

    Args:
      generator: moves on by the counters that are used up.

    Returns:
      `[output_size + 1]` int64, from 0 to `input_size`.
    """
    if pseudo_random:
        lengths = _pseudo_random_lengths(input_size, output_size, generator)
    else:
        lengths = _random_lengths(input_size, output_size, generator)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _random_lengths(input_size: int, output_size: int, generator: PhiloxGenerator) -> list[int]:
    shortest, longer = divmod(input_size, output_size)
    lengths = [shortest + 1] * longer + [shortest] * (output_size - longer)
    stream = generator.reserve(-(-output_size // _WORDS_PER_COUNTER))
    words = random_bits(stream, output_size, np.dtype(np.uint32)).tolist()
    for place in range(output_size):
        other = place + words[place] % (output_size - place)
        lengths[place], lengths[other] = lengths[other], lengths[place]
    return lengths


def _pseudo_random_lengths(
    input_size: int, output_size: int, generator: PhiloxGenerator
) -> np.ndarray:
    ratio, shortest = input_size / output_size, input_size // output_size
    # Beyond this, the first or the last region would be too long.
    limit = min((shortest + 2) / ratio - 1, (input_size + 1 - shortest) / ratio - (output_size - 1))
    shift = float(uniform_doubles(generator.reserve(1).words(1))[0, 0]) * limit
    if input_size % output_size == 0:
        return np.full(output_size, shortest)
    inner = [math.ceil(ratio * (place + shift)) for place in range(1, output_size)]
    return np.diff([1, *inner, input_size + 1])


def _bounds(sequence: np.ndarray, size: int, overlapping: bool) -> tuple[np.ndarray, np.ndarray]:
    """First places of the regions, and the places behind their last ones."""
    return sequence[:-1], np.minimum(sequence[1:] + overlapping, size)


def check_sequence(sequence: np.ndarray, size: int, name: str) -> None:
    """Raises InvalidArgumentError unless the borders rise from 0 or more, and regions hold places.

    The last border may lie beyond `size`, as in TensorFlow: regions end where the image does.
    """
    if sequence.ndim != 1 or len(sequence) < 2 or (np.diff(sequence) <= 0).any():
        problem = "must be a vector of two borders or more that rise"
    elif sequence[0] < 0 or sequence[-2] >= size:
        problem = f"must lie between 0 and {size}"
    else:
        return
    raise InvalidArgumentError(
        None, None, f"{name} {problem}", received=str(sequence.ravel().tolist()[:16])
    )


def _reduce(
    values: np.ndarray, reduction: np.ufunc, sequence: np.ndarray, axis: int, overlapping: bool
) -> np.ndarray:
    size = values.shape[axis]
    starts, ends = _bounds(sequence, size, overlapping)
    # `reduceat` takes places where the next sum starts: a last one behind the end needs a place.
    places = np.stack([starts, ends], axis=-1).ravel()
    longer = np.concatenate([values, values.take([-1], axis=axis)], axis=axis)
    return reduction.reduceat(longer, places, axis=axis).take(range(0, len(places), 2), axis=axis)


def max_of_regions(
    value: np.ndarray, rows: np.ndarray, columns: np.ndarray, overlapping: bool
) -> np.ndarray:
    """The maximum of each region of `[N, H, W, C]`."""
    by_row = _reduce(value, np.maximum, rows, 1, overlapping)
    return _reduce(by_row, np.maximum, columns, 2, overlapping)


def mean_of_regions(
    value: np.ndarray, rows: np.ndarray, columns: np.ndarray, overlapping: bool
) -> np.ndarray:
    """The mean of each region of `[N, H, W, C]`; means of integers are rounded towards 0."""
    by_row = _reduce(value, np.add, rows, 1, overlapping)  # int32 widens
    total = _reduce(by_row, np.add, columns, 2, overlapping)
    counts = _counts(value.shape, rows, columns, overlapping).astype(value.dtype)
    if value.dtype.kind == "i":
        return (np.sign(total) * (np.abs(total) // counts)).astype(value.dtype)
    return total / counts


def _counts(
    shape: Sequence[int], rows: np.ndarray, columns: np.ndarray, overlapping: bool
) -> np.ndarray:
    """How many elements a region has: `[rows, columns, 1]`."""
    lengths = []
    for sequence, size in ((rows, shape[1]), (columns, shape[2])):
        starts, ends = _bounds(sequence, size, overlapping)
        lengths.append(ends - starts)
    return np.multiply.outer(*lengths)[:, :, np.newaxis]


def _region_places(sequence: np.ndarray, size: int, overlapping: bool) -> np.ndarray:
    """The places of each region, `[regions, longest]`; shorter ones repeat their last."""
    starts, ends = _bounds(sequence, size, overlapping)
    longest = int((ends - starts).max())
    return np.minimum(starts[:, np.newaxis] + np.arange(longest), ends[:, np.newaxis] - 1)


def max_gradient(
    value: np.ndarray,
    gradient: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    overlapping: bool,
) -> np.ndarray:
    """Hands the gradient of each maximum to the first place where it was found."""
    batch, height, width, channels = value.shape
    row_places = _region_places(rows, height, overlapping)
    column_places = _region_places(columns, width, overlapping)
    regions = value[:, row_places][:, :, :, column_places]
    regions = regions.transpose(0, 1, 3, 5, 2, 4)
    chosen = regions.reshape(*regions.shape[:4], -1).argmax(axis=-1)
    row_taps, column_taps = np.divmod(chosen, column_places.shape[1])
    row_index, column_index = np.ogrid[: len(row_places), : len(column_places)]
    row = row_places[row_index[..., np.newaxis], row_taps]
    column = column_places[column_index[..., np.newaxis], column_taps]
    result = np.zeros(value.shape, value.dtype)
    places = np.arange(batch).reshape(-1, 1, 1, 1), row, column, np.arange(channels)
    np.add.at(result, places, gradient)
    return result


def mean_gradient(
    shape: Sequence[int],
    gradient: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    overlapping: bool,
) -> np.ndarray:
    """Divides the gradient of each mean among the elements of its region."""
    counts = _counts(shape, rows, columns, overlapping)
    shares = gradient / counts  # float64, for integers too
    by_row = _spread(shares, rows, shape[1], 1, overlapping)
    result = _spread(by_row, columns, shape[2], 2, overlapping)
    return result.astype(gradient.dtype)


def _spread(
    shares: np.ndarray, sequence: np.ndarray, size: int, axis: int, overlapping: bool
) -> np.ndarray:
    """Adds the share of each region to all of its places along `axis`."""
    starts, ends = _bounds(sequence, size, overlapping)
    is_within = (np.arange(size) >= starts[:, np.newaxis]) & (np.arange(size) < ends[:, np.newaxis])
    spread = np.tensordot(shares, is_within.astype(shares.dtype), axes=(axis, 0))
    return np.moveaxis(spread, -1, axis)
