"""Spectrograms of sound, and cepstral coefficients on the mel scale.

mel(f) = 1127 log(1 + f / 700)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.allocation import check_allocation

#: What a band counts at least, before the logarithm.
_FLOOR = 1e-12


def spectrum_size(window_size: int) -> int:
    """Bins of the spectrum of a window: those of the least power of 2 that holds it.

    >>> [spectrum_size(size) for size in (2, 3, 8, 9)]
    [2, 3, 5, 9]
    """
    return (1 << (window_size - 1).bit_length()) // 2 + 1


def spectrogram(
    sound: np.ndarray, window_size: int, stride: int, magnitude_squared: bool
) -> np.ndarray:
    """Magnitudes of the Fourier transforms of Hann windows, `stride` samples apart.

    Args:
      sound: `[samples, channels]`.
    Returns:
      `[channels, windows, bins]`.
    """
    samples, channels = sound.shape
    bins = spectrum_size(window_size)
    count = 1 + (samples - window_size) // stride if samples >= window_size else 0
    check_allocation((channels, count, bins), np.dtype(np.complex128))
    if not channels or not count:
        return np.zeros((channels, count, bins), np.float32)
    window = 0.5 - 0.5 * np.cos(2 * math.pi * np.arange(window_size) / window_size)
    frames = sliding_window_view(sound, window_size, axis=0)[::stride]
    spectra = np.fft.rfft(frames.astype(np.float64) * window, 2 * (bins - 1))
    power = spectra.real**2 + spectra.imag**2
    values = power if magnitude_squared else np.sqrt(power)
    return np.ascontiguousarray(values.transpose(1, 0, 2), np.float32)


@dataclass(frozen=True)
class MelScale:
    """Bands of the mel scale.

    Attributes:
      sample_rate: of the sound; a spectrum goes up to half of it.
      lower, upper: limits of the frequencies, in hertz.
      bands: how many triangles there are between them.
    """

    sample_rate: int
    lower: float
    upper: float
    bands: int


def mfcc(spectrum: np.ndarray, scale: MelScale, coefficients: int) -> np.ndarray:
    """The first coefficients of the cosine transform of the logarithms of mel bands.

    Args:
      spectrum: squared magnitudes, `[…, bins]`.
    Returns:
      `[…, coefficients]`; 0 where the spectrum ends below the upper limit.
    Raises:
      InvalidArgumentError: there are no such bands or coefficients.
    """
    bins = spectrum.shape[-1]
    is_scale = scale.sample_rate > 0 and 0 <= scale.lower < scale.upper and scale.bands > 0
    if not is_scale or bins < 2 or not 0 < coefficients <= scale.bands:
        raise InvalidArgumentError(
            None,
            None,
            "Not a mel scale, or more coefficients than bands",
            received=f"{bins} bins, {scale} and {coefficients} coefficients",
            expected="a positive rate, 0 <= lower < upper, 2 bins, and 1 to as many coefficients "
            "as bands",
        )
    width = 0.5 * scale.sample_rate / (bins - 1)
    if int(scale.upper / width) >= bins:
        return np.zeros((*spectrum.shape[:-1], coefficients), np.float32)
    check_allocation((bins, scale.bands), np.dtype(np.float64))
    energies = np.sqrt(spectrum.astype(np.float64)) @ _triangles(scale, bins, width)
    logs = np.log(np.where(energies < _FLOOR, _FLOOR, energies))
    places = np.arange(scale.bands) + 0.5
    angles = np.arange(coefficients) * (math.pi / scale.bands)
    cosines = math.sqrt(2 / scale.bands) * np.cos(np.outer(places, angles))
    return (logs @ cosines).astype(np.float32)


def _mel(hertz: np.ndarray | float) -> np.ndarray:
    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


def _triangles(scale: MelScale, bins: int, width: float) -> np.ndarray:
    """Weights `[bins, bands]`: a bin is shared by the two bands whose centers it is between."""
    low, high = _mel(scale.lower), _mel(scale.upper)
    edges = low + (high - low) / (scale.bands + 1) * np.arange(scale.bands + 2)
    first, last = int(1.5 + scale.lower / width), int(scale.upper / width)
    taken = np.arange(first, last + 1)
    mels = _mel(taken * width)
    # Of band b rise from edge b to edge b + 1, its center, and fall to edge b + 2.
    upper = np.clip(np.searchsorted(edges[1:], mels), 0, scale.bands)
    falls = (edges[upper + 1] - mels) / (edges[upper + 1] - edges[upper])
    weights = np.zeros((bins, scale.bands + 2))
    weights[taken, upper] = falls
    weights[taken, upper + 1] = 1 - falls
    return weights[:, 1:-1]
