"""The gamma function's logarithm and derivatives, the Hurwitz zeta function, incomplete integrals.

    Γ(x) = ∫₀^∞ t^(x−1) e^(−t) dt     ψ(x) = d/dx log Γ(x)     ζ(x, q) = Σ_{k≥0} (q + k)^(−x)
    P(a, x) = ∫₀ˣ t^(a−1) e^(−t) dt / Γ(a)      Q(a, x) = 1 − P(a, x)
    I(a, b, x) = ∫₀ˣ t^(a−1) (1−t)^(b−1) dt / B(a, b)

Everything is computed in double precision. Formulas by number are those of the NIST Digital
Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

#: B₂, B₄, B₆, …
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330, 854513 / 138, -236364091 / 2730,
)  # fmt: skip
#: From here on eight terms of the asymptotic series of log Γ and ψ are exact to a double.
_ASYMPTOTIC = 12
_TERMS = 8
_MAX_ITERATIONS = 2000
_EPSILON = np.finfo(np.float64).eps
_TINY = 1e-300


def _in_double(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Inputs are broadcast and made doubles; the result gets the dtype of the first."""

    def kernel(*inputs: np.ndarray) -> np.ndarray:
        doubles = [array.astype(np.float64) for array in np.broadcast_arrays(*inputs)]
        flat = [array.reshape(-1) for array in doubles]
        return function(*flat).astype(inputs[0].dtype).reshape(doubles[0].shape)

    kernel.__name__, kernel.__doc__ = function.__name__, function.__doc__
    return kernel


# --- log Γ and ψ ----------------------------------------------------------------------------------


@_in_double
def lgamma(x: np.ndarray) -> np.ndarray:
    """log |Γ(x)|; ∞ at 0, −1, −2, …"""
    return _lgamma(x)


def _lgamma(x: np.ndarray) -> np.ndarray:
    # 5.5.3: Γ(x) Γ(1 − x) = π / sin πx
    reflected = x < 0.5
    positive = np.where(reflected, 1 - x, x)
    result = _lgamma_of_positive(positive)
    mirrored = math.log(math.pi) - np.log(np.abs(_sin_pi(x))) - result
    return np.where(np.isinf(x), np.inf, np.where(reflected, mirrored, result))


def _lgamma_of_positive(x: np.ndarray) -> np.ndarray:
    # 5.5.1: Γ(x) = Γ(x + n) / (x (x + 1) … (x + n − 1)), then 5.11.1 at x + n.
    product, shifted = np.ones_like(x), x.copy()
    for _ in range(_ASYMPTOTIC):
        low = shifted < _ASYMPTOTIC
        product = np.where(low, product * shifted, product)
        shifted = np.where(low, shifted + 1, shifted)
    inverse = 1 / shifted
    series = np.zeros_like(x)
    for k in range(_TERMS, 0, -1):
        series = series * inverse**2 + _BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    stirling = (shifted - 0.5) * np.log(shifted) - shifted + 0.5 * math.log(2 * math.pi)
    return stirling + series * inverse - np.log(product)


def _sin_pi(x: np.ndarray) -> np.ndarray:
    """sin πx, exactly 0 at integers."""
    rest = x - 2 * np.round(x / 2)
    return np.sin(np.pi * np.where(np.abs(rest) > 0.5, np.copysign(1, rest) - rest, rest))


@_in_double
def digamma(x: np.ndarray) -> np.ndarray:
    """ψ(x); NaN at 0 and the negative integers."""
    return _digamma(x)


def _digamma(x: np.ndarray) -> np.ndarray:
    # 5.5.4: ψ(1 − x) − ψ(x) = π / tan πx
    reflected = x < 0.5
    positive = _digamma_of_positive(np.where(reflected, 1 - x, x))
    sine = _sin_pi(x)
    cotangent = np.where(sine == 0, np.nan, _sin_pi(x + 0.5) / sine)
    return np.where(reflected, positive - math.pi * cotangent, positive)


def _digamma_of_positive(x: np.ndarray) -> np.ndarray:
    # 5.5.2: ψ(x) = ψ(x + 1) − 1/x, then 5.11.2.
    total, shifted = np.zeros_like(x), x.copy()
    for _ in range(_ASYMPTOTIC):
        low = shifted < _ASYMPTOTIC
        total = np.where(low, total - 1 / shifted, total)
        shifted = np.where(low, shifted + 1, shifted)
    square = 1 / shifted**2
    series = np.zeros_like(x)
    for k in range(_TERMS, 0, -1):
        series = series * square + _BERNOULLI[k - 1] / (2 * k)
    return total + np.log(shifted) - 0.5 / shifted - series * square


# --- ζ and polygamma ------------------------------------------------------------------------------


@_in_double
def zeta(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """ζ(x, q) for x > 1; ∞ at x = 1, NaN below."""
    return _zeta(x, q)


def _zeta(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    # Euler and Maclaurin's summation, 25.11.5 with its remainder expanded.
    count = 12
    total = np.zeros_like(x)
    for k in range(count):
        total = total + (q + k) ** -x
    end = q + count
    total = total + end ** (1 - x) / (x - 1) + 0.5 * end**-x
    factor = x * end ** (-x - 1)
    for k, number in enumerate(_BERNOULLI, 1):
        total = total + number / math.factorial(2 * k) * factor
        factor = factor * (x + 2 * k - 1) * (x + 2 * k) / end**2
    is_pole = (x == 1) | ((q <= 0) & (q == np.floor(q)) & (x % 2 == 0))
    is_undefined = (x < 1) | ((q <= 0) & ((q == np.floor(q)) | (x != np.floor(x))))
    return np.where(is_pole, np.inf, np.where(is_undefined, np.nan, total))


@_in_double
def polygamma(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The a-th derivative of ψ at x: (−1)^(a+1) a! ζ(a + 1, x), 5.15.1; NaN unless a ∈ ℕ."""
    sign = np.where(a % 2 == 0, -1.0, 1.0)
    derivative = sign * np.exp(_lgamma(a + 1)) * _zeta(a + 1, x)
    is_order = (a >= 0) & (a == np.floor(a))
    return np.where(a == 0, _digamma(x), np.where(is_order, derivative, np.nan))


# --- incomplete gamma functions -------------------------------------------------------------------


@_in_double
def igamma(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """P(a, x) for a > 0 and x ≥ 0, else NaN."""
    series, fraction = _incomplete_gamma(a, x)
    value = np.where(_near_zero(a, x), series, 1 - fraction)
    return _checked(a, x, np.where(np.isinf(a) & np.isfinite(x), 0.0, value))


@_in_double
def igammac(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Q(a, x) for a > 0 and x ≥ 0, else NaN."""
    series, fraction = _incomplete_gamma(a, x)
    return _checked(a, x, np.where(_near_zero(a, x), 1 - series, fraction))


def _near_zero(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Where the series converges faster than the continued fraction."""
    return (x <= 1) | (x <= a)


def _checked(a: np.ndarray, x: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where((a > 0) & (x >= 0), value, np.nan)


def _incomplete_gamma(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P by its series where that is near, Q by its continued fraction elsewhere."""
    near = _near_zero(a, x)
    scale = np.exp(a * np.log(x) - x - _lgamma(a))
    series = np.where(near, scale * _gamma_series(a, np.where(near, x, 0.0))[0], 0.0)
    fraction = np.where(near, 0.0, scale * _gamma_fraction(a, np.where(near, a + 2, x))[0])
    return np.where(x == 0, 0.0, series), np.where(np.isinf(x), 0.0, fraction)


def _gamma_series(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ_n xⁿ / (a (a+1) … (a+n)), 8.7.1, and its derivative along a."""
    term = 1 / a
    slope = -term / a
    total, total_slope = term.copy(), slope.copy()
    for n in range(1, _MAX_ITERATIONS):
        slope = (slope - term / (a + n)) * x / (a + n)
        term = term * x / (a + n)
        total, total_slope = total + term, total_slope + slope
        if not np.any((np.abs(slope) > _EPSILON * np.abs(total_slope)) & np.isfinite(slope)):
            break
    return total, total_slope


def _gamma_fraction(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The continued fraction 8.9.2 of Q(a, x) Γ(a) eˣ x^(−a), and its derivative along a.

    Evaluated by Lentz's method as a product of ratios c and d; derivatives of both go along.
    """
    b = x + 1 - a
    c, c_slope = np.full_like(x, 1 / _TINY), np.zeros_like(x)
    d = 1 / b
    d_slope = d * d
    value, slope = d.copy(), d_slope.copy()
    for n in range(1, _MAX_ITERATIONS):
        numerator, b = -n * (n - a), b + 2
        d_old, d = d, 1 / (numerator * d + b)
        d_slope = -d * d * (n * d_old + numerator * d_slope - 1)
        c_slope = n / c - numerator * c_slope / (c * c) - 1
        c = b + numerator / c
        ratio, ratio_slope = c * d, c_slope * d + c * d_slope
        slope = slope * ratio + value * ratio_slope
        value = value * ratio
        # For a whole `a` the fraction ends, and its derivative does not.
        is_moving = np.abs(value * ratio_slope) > _EPSILON * np.abs(slope)
        if not np.any((np.abs(ratio - 1) > _EPSILON) | is_moving):
            break
    return value, slope


@_in_double
def igamma_gradient_along_a(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """∂P(a, x)/∂a."""
    near = _near_zero(a, x)
    scale = np.exp(a * np.log(x) - x - _lgamma(a))
    growth = np.log(x) - _digamma(a)
    series, series_slope = _gamma_series(a, np.where(near, x, 0.0))
    fraction, fraction_slope = _gamma_fraction(a, np.where(near, a + 2, x))
    by_series = scale * (growth * series + series_slope)
    by_fraction = -scale * (growth * fraction + fraction_slope)
    value = np.where(near, by_series, by_fraction)
    return _checked(a, x, np.where((x == 0) | np.isinf(x) | np.isinf(a), 0.0, value))


@_in_double
def gamma_sample_gradient(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """∂x/∂a of a gamma variate x whose quantile P(a, x) stays: −(∂P/∂a) / (∂P/∂x).

    At 0, the limit, which a variate of a small `a` rounds to, it is 0.
    """
    with np.errstate(all="ignore"):
        density = np.exp((a - 1) * np.log(x) - x - _lgamma(a))
        slope = -igamma_gradient_along_a(a, x) / density
    return np.where(x == 0, 0.0, slope)


# --- incomplete beta function ---------------------------------------------------------------------


@_in_double
def betainc(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """I(a, b, x) for a, b > 0 and x in [0, 1], else NaN."""
    # The fraction converges fast for x below the mean; 8.17.4 mirrors the rest.
    mirrored = x > (a + 1) / (a + b + 2)
    p, q = np.where(mirrored, b, a), np.where(mirrored, a, b)
    at = np.where(mirrored, 1 - x, x)
    log_beta = _lgamma(a) + _lgamma(b) - _lgamma(a + b)
    front = np.exp(p * np.log(at) + q * np.log1p(-at) - log_beta) / p
    value = front * _beta_fraction(p, q, at)
    value = np.where(at == 0, 0.0, value)
    value = np.where(mirrored, 1 - value, value)
    is_defined = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    return np.where(is_defined, value, np.nan)


def _beta_fraction(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The continued fraction 8.17.22 by Lentz's method."""
    c = np.ones_like(x)
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, _MAX_ITERATIONS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            value = value * c * d
        if not np.any(np.abs(c * d - 1) > _EPSILON):
            break
    return value


def _away_from_zero(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < _TINY, _TINY, x)
