"""The Bessel functions of orders 0 and 1, in double precision.

    I, K  modified, of the first and second kind      J, Y  of the first and second kind

Small arguments: power series, or integrals of periodic functions, for which the trapezoidal rule
is exact to a double with few nodes. Large ones: asymptotic series. Formulas by number are those of
the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: From here on the asymptotic series are exact to a double.
_LARGE = 25.0


def _in_double(
    function: Callable[[np.ndarray], np.ndarray],
) -> Callable[[np.ndarray], np.ndarray]:
    def kernel(x: np.ndarray) -> np.ndarray:
        return np.asarray(function(x.astype(np.float64))).astype(x.dtype)

    kernel.__name__, kernel.__doc__ = function.__name__, function.__doc__
    return kernel


# --- I --------------------------------------------------------------------------------------------


@_in_double
def i0(x: np.ndarray) -> np.ndarray:
    """I₀(x)."""
    return _scaled_i(x, 0) * np.exp(np.abs(x))


@_in_double
def i1(x: np.ndarray) -> np.ndarray:
    """I₁(x)."""
    return _scaled_i(x, 1) * np.exp(np.abs(x))


@_in_double
def i0e(x: np.ndarray) -> np.ndarray:
    """e^(−|x|) I₀(x)."""
    return _scaled_i(x, 0)


@_in_double
def i1e(x: np.ndarray) -> np.ndarray:
    """e^(−|x|) I₁(x)."""
    return _scaled_i(x, 1)


def _scaled_i(x: np.ndarray, order: int) -> np.ndarray:
    size = np.abs(x)
    small = _i_by_powers(np.minimum(size, _LARGE), order)
    large = _i_asymptotically(np.maximum(size, _LARGE), order)
    value = np.where(size < _LARGE, small, large)
    return np.copysign(value, x) if order else value


def _i_by_powers(x: np.ndarray, order: int) -> np.ndarray:
    """(x/2)^ν Σ_k (x²/4)^k / (k! (k + ν)!) e^(−x), 10.25.2."""
    quarter = x * x / 4
    term = np.exp(-x) * (x / 2) ** order
    total = term
    for k in range(1, 70):
        term = term * quarter / (k * (k + order))
        total = total + term
    return total


def _i_asymptotically(x: np.ndarray, order: int) -> np.ndarray:
    """Σ_k (−1)^k a_k(ν) / x^k / √(2πx), 10.40.1."""
    term = np.ones_like(x)
    total = term
    for k in range(1, 24):
        term = term * ((2 * k - 1) ** 2 - 4 * order**2) / (8 * k * x)
        total = total + term
    return total / np.sqrt(2 * np.pi * x)


# --- K --------------------------------------------------------------------------------------------


@_in_double
def k0(x: np.ndarray) -> np.ndarray:
    """K₀(x); ∞ for x ≤ 0."""
    return _scaled_k(x, 0) * np.exp(-x)


@_in_double
def k1(x: np.ndarray) -> np.ndarray:
    """K₁(x); ∞ for x ≤ 0."""
    return _scaled_k(x, 1) * np.exp(-x)


@_in_double
def k0e(x: np.ndarray) -> np.ndarray:
    """eˣ K₀(x); ∞ for x ≤ 0."""
    return _scaled_k(x, 0)


@_in_double
def k1e(x: np.ndarray) -> np.ndarray:
    """eˣ K₁(x); ∞ for x ≤ 0."""
    return _scaled_k(x, 1)


def _scaled_k(x: np.ndarray, order: int) -> np.ndarray:
    """∫₀^∞ exp(−x (cosh t − 1)) cosh νt dt, 10.32.9, by the trapezoidal rule.

    The integrand is cut off where it is below a double's reach; there it decays faster than any
    exponential, and the rule converges geometrically.
    """
    positive = np.where(x > 0, x, 1.0)
    end = np.arccosh(1 + (750 + 2 * order * np.abs(np.log(positive))) / positive)
    count = 400
    step = end / count
    total = np.full_like(positive, 0.5)
    for node in range(1, count + 1):
        t = node * step
        # cosh t − 1 without cancellation
        decay = np.exp(-2 * positive * np.sinh(t / 2) ** 2)
        total = total + decay * (np.cosh(t) if order else 1.0)
    value = np.where(np.isinf(x), 0.0, total * step)
    return np.where(np.isnan(x), np.nan, np.where(x > 0, value, np.inf))


# --- J and Y --------------------------------------------------------------------------------------


@_in_double
def j0(x: np.ndarray) -> np.ndarray:
    """J₀(x)."""
    return _j(np.abs(x), 0)


@_in_double
def j1(x: np.ndarray) -> np.ndarray:
    """J₁(x)."""
    return np.sign(x) * _j(np.abs(x), 1)


@_in_double
def y0(x: np.ndarray) -> np.ndarray:
    """Y₀(x); −∞ for x ≤ 0."""
    return _y(x, 0)


@_in_double
def y1(x: np.ndarray) -> np.ndarray:
    """Y₁(x); −∞ for x ≤ 0."""
    return _y(x, 1)


def _j(x: np.ndarray, order: int) -> np.ndarray:
    phase, p, q = _hankel(np.maximum(x, _LARGE), order)
    large = np.sqrt(2 / (np.pi * np.maximum(x, _LARGE))) * (p * np.cos(phase) - q * np.sin(phase))
    return np.where(x < _LARGE, _j_by_integral(np.minimum(x, _LARGE), order), large)


def _j_by_integral(x: np.ndarray, order: int) -> np.ndarray:
    """1/π ∫₀^π cos(νθ − x sin θ) dθ, 10.9.2, by the trapezoidal rule over the circle."""
    count = 64
    total = np.zeros_like(x)
    for node in range(2 * count):
        angle = np.pi * node / count
        total = total + np.cos(order * angle - x * np.sin(angle))
    return total / (2 * count)


def _y(x: np.ndarray, order: int) -> np.ndarray:
    positive = np.where(x > 0, x, 1.0)
    far = np.maximum(positive, _LARGE)
    phase, p, q = _hankel(far, order)
    large = np.sqrt(2 / (np.pi * far)) * (p * np.sin(phase) + q * np.cos(phase))
    small = _y_by_neumann(np.minimum(positive, _LARGE), order)
    value = np.where(positive < _LARGE, small, large)
    return np.where(np.isnan(x), np.nan, np.where(x > 0, value, -np.inf))


def _y_by_neumann(x: np.ndarray, order: int) -> np.ndarray:
    """Series of Bessel functions, 10.23.17 and its derivative −Y₁ = Y₀′."""
    growth = np.log(x / 2) + np.euler_gamma
    total = np.zeros_like(x)
    if order == 0:
        for k in range(1, 26):
            total = total + (-1) ** k / k * _j_by_integral(x, 2 * k)
        return 2 / np.pi * growth * _j_by_integral(x, 0) - 4 / np.pi * total
    for k in range(1, 26):
        slope = (_j_by_integral(x, 2 * k - 1) - _j_by_integral(x, 2 * k + 1)) / 2
        total = total + (-1) ** k / k * slope
    slope_of_first = _j_by_integral(x, 0) / x - growth * _j_by_integral(x, 1)
    return -(2 / np.pi * slope_of_first - 4 / np.pi * total)


def _hankel(x: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Phase and amplitudes of Hankel's asymptotic series, 10.17.3."""
    square = 4 * order**2
    term = np.ones_like(x)
    p, q = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 24):
        term = term * (square - (2 * k - 1) ** 2) / (8 * k * x)
        sign = -1 if k % 4 in (2, 3) else 1
        if k % 2:
            q = q + sign * term
        else:
            p = p + sign * term
    return x - np.pi * (order / 2 + 0.25), p, q
