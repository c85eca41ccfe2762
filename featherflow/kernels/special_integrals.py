"""Integrals without a closed form: Dawson's, exponential, Fresnel's, Spence's; in double precision.

    dawsn x = e^(−x²) ∫₀ˣ e^(t²) dt            expint x = ∫_(−∞)ˣ eᵗ/t dt (principal value)
    fresnel_cos x = ∫₀ˣ cos(πt²/2) dt          spence x = ∫₁ˣ log t / (1 − t) dt

Formulas by number are those of the NIST Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def _in_double(
    function: Callable[[np.ndarray], np.ndarray],
) -> Callable[[np.ndarray], np.ndarray]:
    def kernel(x: np.ndarray) -> np.ndarray:
        return np.asarray(function(x.astype(np.float64))).astype(x.dtype)

    kernel.__name__, kernel.__doc__ = function.__name__, function.__doc__
    return kernel


@_in_double
def dawsn(x: np.ndarray) -> np.ndarray:
    """Dawson's integral by Rybicki's sum, G. B. Rybicki, Computers in Physics 3 (1989).

    1/√π Σ_n exp(−(x − nh)²) / n over odd n: with h = ¼ it is exact to a double.
    """
    step = 0.25
    nearest = 2 * np.round(x / (2 * step))
    total = np.zeros_like(x)
    for offset in range(-27, 28, 2):
        n = nearest + offset
        total = total + np.exp(-np.square(x - n * step)) / n
    power, series = x, np.zeros_like(x)
    for k in range(12):  # 7.6.4, for the digits that the sum loses near 0
        series = series + power
        power = -power * 2 * x * x / (2 * k + 3)
    value = np.where(np.abs(x) < 0.2, series, total / math.sqrt(math.pi))
    return np.where(np.isinf(x), 0.0, value)


@_in_double
def expint(x: np.ndarray) -> np.ndarray:
    """The exponential integral Ei(x); −∞ at 0, NaN below."""
    small = np.clip(x, 0, 40)
    term, series = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 160):  # 6.6.2
        term = term * small / k
        series = series + term / k
    large = np.maximum(x, 40)
    term, tail = np.ones_like(x), np.ones_like(x)
    for k in range(1, 40):  # 6.12.2
        term = term * k / large
        tail = tail + term
    value = np.where(x <= 40, np.euler_gamma + np.log(small) + series, np.exp(large) / large * tail)
    return np.where(x < 0, np.nan, value)


@_in_double
def fresnel_cos(x: np.ndarray) -> np.ndarray:
    """∫₀ˣ cos(πt²/2) dt."""
    return _fresnel(x, np.cos, lambda f, g, phase: f * np.sin(phase) - g * np.cos(phase))


@_in_double
def fresnel_sin(x: np.ndarray) -> np.ndarray:
    """∫₀ˣ sin(πt²/2) dt."""
    return _fresnel(x, np.sin, lambda f, g, phase: -f * np.cos(phase) - g * np.sin(phase))


def _fresnel(
    x: np.ndarray,
    wave: Callable[[np.ndarray], np.ndarray],
    oscillation: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Gauss and Legendre's rule below 6, the asymptotic series 7.12.2 and 7.12.3 above."""
    size = np.abs(x)
    near, far = np.minimum(size, 6), np.maximum(size, 6)
    nodes, weights = np.polynomial.legendre.leggauss(96)
    integral = np.zeros_like(x)
    for node, weight in zip(nodes, weights):
        integral = integral + weight * wave(np.pi / 2 * np.square(near * (node + 1) / 2))
    square = np.square(np.pi * far * far)
    f_term, g_term = 1 / (np.pi * far), 1 / (np.pi**2 * far**3)
    f, g = f_term, g_term
    for k in range(1, 12):
        f_term = -f_term * (4 * k - 3) * (4 * k - 1) / square
        g_term = -g_term * (4 * k - 1) * (4 * k + 1) / square
        f, g = f + f_term, g + g_term
    # The phase modulo a full turn, before π spoils its digits.
    phase = np.pi / 2 * np.mod(np.square(np.minimum(far, 1e8)), 4)
    value = np.where(size < 6, integral * near / 2, 0.5 + oscillation(f, g, phase))
    return np.copysign(value, x)


@_in_double
def spence(x: np.ndarray) -> np.ndarray:
    """Spence's integral, Li₂(1 − x); NaN below 0."""
    # 25.12.4 and 25.12.6 bring the argument of the series into [−½, ½].
    inverted = np.where(x > 1.5, 1 / np.where(x > 1.5, x, 1.0), x)
    mirrored = inverted < 0.5
    argument = np.where(mirrored, inverted, 1 - inverted)
    power, series = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 60):
        power = power * argument
        series = series + power / (k * k)
    logs = np.log(inverted) * np.log1p(-inverted)
    logs = np.where((inverted == 0) | (inverted == 1), 0.0, logs)
    value = np.where(mirrored, math.pi**2 / 6 - logs - series, series)
    value = np.where(x > 1.5, -0.5 * np.square(np.log(np.abs(x))) - value, value)
    return np.where(x < 0, np.nan, value)
