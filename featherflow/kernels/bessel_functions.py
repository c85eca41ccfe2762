"""The modified Bessel functions I₀ and I₁, scaled by e^(−|x|), in double precision."""

from __future__ import annotations

import numpy as np

#: From here on the asymptotic series is exact to a double, and below it the power series is short.
_LARGE = 25.0


def i0e(x: np.ndarray) -> np.ndarray:
    """e^(−|x|) I₀(x)."""
    return _scaled(x, 0)


def i1e(x: np.ndarray) -> np.ndarray:
    """e^(−|x|) I₁(x)."""
    return _scaled(x, 1)


def _scaled(x: np.ndarray, order: int) -> np.ndarray:
    wide = x.astype(np.float64)
    size = np.abs(wide)
    small = _power_series(np.minimum(size, _LARGE), order)
    large = _asymptotic_series(np.maximum(size, _LARGE), order)
    value = np.where(size < _LARGE, small, large)
    return np.asarray(np.copysign(value, wide) if order else value).astype(x.dtype)


def _power_series(x: np.ndarray, order: int) -> np.ndarray:
    """(x/2)^ν Σ_k (x²/4)^k / (k! (k + ν)!) e^(−x), https://dlmf.nist.gov/10.25.E2."""
    quarter = x * x / 4
    term = np.exp(-x) * (x / 2) ** order
    total = term
    for k in range(1, 70):
        term = term * quarter / (k * (k + order))
        total = total + term
    return total


def _asymptotic_series(x: np.ndarray, order: int) -> np.ndarray:
    """Σ_k (−1)^k a_k(ν) / x^k / √(2πx), https://dlmf.nist.gov/10.40.E1."""
    term = np.ones_like(x)
    total = term
    for k in range(1, 24):
        term = term * ((2 * k - 1) ** 2 - 4 * order**2) / (8 * k * x)
        total = total + term
    return total / np.sqrt(2 * np.pi * x)
