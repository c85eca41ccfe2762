"""Blocks of space moved into depth or into the batch, and back."""

from __future__ import annotations

import math

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

# --- depth ----------------------------------------------------------------------------------------


def space_to_depth(input: np.ndarray, block: int) -> np.ndarray:
    """[N, H·b, W·b, C] to [N, H, W, b·b·C]: each block of b × b pixels becomes one."""
    batch, height, width, depth = input.shape
    if height % block or width % block:
        raise InvalidArgumentError(
            None,
            None,
            f"Image height and width should be divisible by block_size {block}",
            received=f"shape {list(input.shape)}",
        )
    blocks = input.reshape(batch, height // block, block, width // block, block, depth)
    rows = blocks.transpose(0, 1, 3, 2, 4, 5)
    return rows.copy().reshape(batch, height // block, width // block, block * block * depth)


def depth_to_space(input: np.ndarray, block: int) -> np.ndarray:
    """[N, H, W, b·b·C] to [N, H·b, W·b, C]: each pixel becomes a block of b × b."""
    batch, height, width, depth = input.shape
    if depth % (block * block):
        raise InvalidArgumentError(
            None,
            None,
            f"Input depth dimension {depth} should be divisible by {block * block}",
            received=f"shape {list(input.shape)}",
        )
    inner = depth // (block * block)
    blocks = input.reshape(batch, height, width, block, block, inner)
    rows = blocks.transpose(0, 1, 3, 2, 4, 5)
    return rows.copy().reshape(batch, height * block, width * block, inner)


# --- batch ----------------------------------------------------------------------------------------


def space_to_batch(input: np.ndarray, block: list[int], paddings: list[list[int]]) -> np.ndarray:
    """[N, S₁, …, C…] to [b₁ … · N, (S₁ + pads) / b₁, …, C…].

    Pixels at one place of their blocks stay together, as one image of the batch.
    """
    count = len(block)
    batch, spatial, inner = input.shape[0], input.shape[1 : count + 1], input.shape[count + 1 :]
    padded = _pad_spatial(input, paddings)
    sizes = []
    for axis, (size, step) in enumerate(zip(padded.shape[1:], block)):
        if size % step:
            raise InvalidArgumentError(
                None,
                None,
                f"padded_shape[{axis}] = {size} is not divisible by block_shape[{axis}] = {step}",
                received=f"spatial shape {list(spatial)}, paddings {paddings}",
            )
        sizes.append(size // step)
    split = [item for size, step in zip(sizes, block) for item in (size, step)]
    steps_first = [2 * axis + 2 for axis in range(count)]
    sizes_after = [2 * axis + 1 for axis in range(count)]
    rest = range(2 * count + 1, 2 * count + 1 + len(inner))
    rows = padded.reshape(batch, *split, *inner).transpose(*steps_first, 0, *sizes_after, *rest)
    return rows.copy().reshape(math.prod(block) * batch, *sizes, *inner)


def _pad_spatial(input: np.ndarray, paddings: list[list[int]]) -> np.ndarray:
    if any(item < 0 for pair in paddings for item in pair):
        raise InvalidArgumentError(
            None, None, "paddings must be non-negative", received=str(paddings)
        )
    after = input.ndim - 1 - len(paddings)
    pairs = [(0, 0), *map(tuple, paddings), *[(0, 0)] * after]
    dims = [before + dim + behind for dim, (before, behind) in zip(input.shape, pairs)]
    result = np.full(dims, b"" if input.dtype == object else 0, dtype=input.dtype)
    result[tuple(slice(pair[0], pair[0] + dim) for dim, pair in zip(input.shape, pairs))] = input
    return result


def batch_to_space(input: np.ndarray, block: list[int], crops: list[list[int]]) -> np.ndarray:
    """[b₁ … · N, S₁, …, C…] to [N, S₁ · b₁ − crops, …, C…]: the inverse of `space_to_batch`."""
    count = len(block)
    factor = math.prod(block)
    spatial, inner = input.shape[1 : count + 1], input.shape[count + 1 :]
    if input.shape[0] % factor:
        raise InvalidArgumentError(
            None,
            None,
            f"Input batch dimension ({input.shape[0]}) is not divisible by product of block sizes "
            f"({factor})",
        )
    batch = input.shape[0] // factor
    pairs = [item for axis in range(count) for item in (count + 1 + axis, axis)]
    rest = range(2 * count + 1, 2 * count + 1 + len(inner))
    rows = input.reshape(*block, batch, *spatial, *inner).transpose(count, *pairs, *rest)
    whole = [size * step for size, step in zip(spatial, block)]
    region = [slice(None)]
    for axis, (size, (before, after)) in enumerate(zip(whole, crops)):
        if before < 0 or after < 0 or before + after > size:
            raise InvalidArgumentError(
                None,
                None,
                f"cropped_shape[{axis}] = {size - before - after} must be non-negative",
                received=f"crops {crops}",
            )
        region.append(slice(before, size - after))
    return rows.reshape(batch, *whole, *inner)[tuple(region)].copy()
