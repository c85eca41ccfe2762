"""Windows cut out of images at given places, with noise where they leave the image."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def corners_of(
    offsets: np.ndarray,
    image_size: tuple[int, int],
    size: tuple[int, int],
    centered: bool,
    normalized: bool,
    corrected: bool,
) -> np.ndarray:
    """The first row and column of each window, `[N, 2]`.

    Args:
      offsets: `[N, 2]`, y and x.
      centered: 0 is the middle of the image, else its first pixel.
      normalized: 1 is the edge of the image, else the next pixel.
      corrected: as ExtractGlimpseV2 has it: offsets name the middle of a window only where they
        are both centered and normalized, and are whole pixels where they are not normalized.
    """
    extents, window = np.array(image_size, np.float32), np.array(size, np.float32)
    with np.errstate(all="ignore"):
        places = offsets * extents if normalized else offsets
        if centered:
            places = (places if corrected and not normalized else places / 2) + extents / 2
        if not corrected or (centered and normalized):
            places = places - window / 2
        # What lies beyond every image, or is no number, lies beyond it.
        limit = np.float32(2.0**31)
        return np.where(np.abs(places) < limit, places, limit).astype(np.int64)


def extract_glimpses(
    images: np.ndarray, corners: np.ndarray, size: tuple[int, int], noise: str
) -> np.ndarray:
    """Windows of `size`, one of each image `[N, H, W, C]`, float32."""
    height, width = images.shape[1:3]
    rows, columns = (corner[:, None] + np.arange(count) for corner, count in zip(corners.T, size))
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[
        :, None, :
    ]
    filled = _noise(images, (len(images), *size, images.shape[3]), noise)
    if not images.size:
        return filled
    places = (
        np.arange(len(images))[:, None, None],
        np.clip(rows, 0, height - 1)[:, :, None],
        np.clip(columns, 0, width - 1)[:, None, :],
    )
    return np.where(inside[..., None], images[places], filled)


def _noise(images: np.ndarray, shape: tuple[int, ...], noise: str) -> np.ndarray:
    """Zeros, or numbers drawn anew: uniform of [0, 1), or normal as the pixels of all images.

    Raises:
      InvalidArgumentError: there is no such noise.
    """
    if noise == "zero":
        return np.zeros(shape, np.float32)
    random = np.random.default_rng()
    if noise == "uniform":
        return random.random(shape, np.float32)
    if noise == "gaussian":
        mean, deviation = (images.mean(), images.std()) if images.size else (0.0, 0.0)
        return (mean + deviation * random.standard_normal(shape)).astype(np.float32)
    raise InvalidArgumentError(
        None, None, "Unknown noise", received=noise, expected="uniform, gaussian or zero"
    )
