"""The error functions and their inverses, in double precision.

    erf x = 2/√π ∫₀ˣ exp(−t²) dt      erfc x = 1 − erf x      ndtri p: the p-quantile of N(0, 1)

Each is a rational function on each of three ranges of |x|:
  erf, erfc: W. J. Cody, "Rational Chebyshev Approximation for the Error Function",
    Mathematics of Computation 23 (1969).
  erfinv, ndtri: M. J. Wichura, "The Percentage Points of the Normal Distribution", algorithm
    AS 241, Applied Statistics 37 (1988).
"""

from __future__ import annotations

import math

import numpy as np

# Coefficients from the highest power down.
_ERF_SMALL = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
_ERFC_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
     1.23033935480374942e3),
)  # fmt: skip
_ERFC_LARGE = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip
_SMALL, _LARGE = 0.46875, 4.0

_QUANTILE_CENTRE = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
     4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
     1.3314166789178437745e2, 3.3871328727963666080),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
     2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
     4.2313330701600911252e1, 1.0),
)  # fmt: skip
_QUANTILE_TAIL = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550,
     4.63033784615654529590, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940,
     2.05319162663775882187, 1.0),
)  # fmt: skip
_QUANTILE_FAR_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
     5.46378491116411436990, 6.65790464350110377720),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0),
)  # fmt: skip

Ratio = tuple[tuple[float, ...], tuple[float, ...]]


def erf(x: np.ndarray) -> np.ndarray:
    """erf x, in x's dtype."""
    wide, result = _doubles(x)
    size = np.abs(wide)
    small = size <= _SMALL
    result[small] = _erf_of_small(wide[small])
    rest = ~small
    result[rest] = np.copysign(1 - _erfc_of_positive(size[rest]), wide[rest])
    return _shaped(result, x)


def erfc(x: np.ndarray) -> np.ndarray:
    """1 − erf x without the loss of digits where x is large, in x's dtype."""
    wide, result = _doubles(x)
    size = np.abs(wide)
    small = size <= _SMALL
    result[small] = 1 - _erf_of_small(wide[small])
    rest = ~small
    tail = _erfc_of_positive(size[rest])
    result[rest] = np.where(wide[rest] < 0, 2 - tail, tail)
    return _shaped(result, x)


def erfinv(x: np.ndarray) -> np.ndarray:
    """The y with erf y = x; NaN outside [−1, 1]."""
    wide, _ = _doubles(x)
    quantile = _quantile(wide / 2, (1 - np.abs(wide)) / 2)
    return _shaped(quantile / math.sqrt(2), x)


def ndtri(x: np.ndarray) -> np.ndarray:
    """The y with Φ(y) = x, Φ the distribution function of N(0, 1); NaN outside [0, 1]."""
    wide, _ = _doubles(x)
    return _shaped(_quantile(wide - 0.5, np.minimum(wide, 1 - wide)), x)


def _doubles(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x as a vector of doubles, which masks can index whatever its rank, and room for a result."""
    wide = x.astype(np.float64).reshape(-1)
    return wide, np.empty_like(wide)


def _shaped(result: np.ndarray, like: np.ndarray) -> np.ndarray:
    return result.astype(like.dtype).reshape(like.shape)


def _ratio(ratio: Ratio, x: np.ndarray) -> np.ndarray:
    numerator, denominator = ratio
    return np.polyval(numerator, x) / np.polyval(denominator, x)


def _erf_of_small(x: np.ndarray) -> np.ndarray:
    return x * _ratio(_ERF_SMALL, x * x)


def _erfc_of_positive(x: np.ndarray) -> np.ndarray:
    """erfc x for x > 0.46875."""
    large = x > _LARGE
    scaled = np.empty_like(x)
    scaled[~large] = _ratio(_ERFC_MIDDLE, x[~large])
    inverse = 1 / np.square(x[large])
    correction = inverse * _ratio(_ERFC_LARGE, inverse)
    scaled[large] = (1 / math.sqrt(math.pi) - correction) / x[large]
    # exp(−x²) from a rounded x whose square is exact, and the rest: x² alone would lose digits.
    rounded = np.trunc(x * 16) / 16
    rest = (x - rounded) * (x + rounded)
    return np.where(x > 27, 0.0, np.exp(-rounded * rounded) * np.exp(-rest) * scaled)


def _quantile(centred: np.ndarray, tail: np.ndarray) -> np.ndarray:
    """The quantile of probability p, given p − ½ and min(p, 1 − p), each without loss of digits."""
    result = np.full_like(centred, np.nan)
    centre = np.abs(centred) <= 0.425
    q = centred[centre]
    result[centre] = q * _ratio(_QUANTILE_CENTRE, 0.180625 - q * q)
    outer = ~centre & (tail > 0)
    depth = np.sqrt(-np.log(tail[outer]))
    far = depth > 5
    size = np.empty_like(depth)
    size[~far] = _ratio(_QUANTILE_TAIL, depth[~far] - 1.6)
    size[far] = _ratio(_QUANTILE_FAR_TAIL, depth[far] - 5)
    result[outer] = np.copysign(size, centred[outer])
    ends = tail == 0
    result[ends] = np.copysign(np.inf, centred[ends])
    return result
