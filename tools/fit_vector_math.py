"""Fits the polynomials of featherflow/compiler/vector_math.py; needs mpmath.

    python tools/fit_vector_math.py

Prints each polynomial, lowest power first, rounded to the format it is used in, with its range and
its error. The fits are minimax: Remez's exchange algorithm (Muller, Elementary Functions, 3.2),
in which the error is weighted so that it is relative to what the polynomial is a part of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 60
Real = Callable[[mp.mpf], mp.mpf]


@dataclass(frozen=True)
class Fit:
    """One polynomial: weight(x) · (polynomial(x) − function(x)) shall be small on [low, high]."""

    name: str
    function: Real
    low: mp.mpf
    high: mp.mpf
    degree: int
    weight: Real
    dtype: type


def chebyshev_nodes(low: mp.mpf, high: mp.mpf, count: int) -> list[mp.mpf]:
    """The extrema of a Chebyshev polynomial, where the exchange starts."""
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle - half * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]


def remez(fit: Fit, rounds: int = 12) -> tuple[list[mp.mpf], mp.mpf]:
    """Coefficients, and the weighted error that alternates between the nodes."""
    nodes = chebyshev_nodes(fit.low, fit.high, fit.degree + 2)
    grid = chebyshev_nodes(fit.low, fit.high, 40 * (fit.degree + 2))
    exact = [fit.function(x) for x in grid]
    weights = [fit.weight(x) for x in grid]
    coefficients: list[mp.mpf] = []
    for _ in range(rounds):
        coefficients = _level(fit, nodes)
        errors = [w * (_value(coefficients, x) - y) for x, y, w in zip(grid, exact, weights)]
        nodes = _extrema(grid, errors, fit.degree + 2)
    return coefficients, max(abs(error) for error in errors)


def _level(fit: Fit, nodes: list[mp.mpf]) -> list[mp.mpf]:
    """The polynomial whose weighted errors at the nodes are equal, with alternating signs."""
    size = len(nodes)
    matrix, right = mp.matrix(size, size), mp.matrix(size, 1)
    for row, x in enumerate(nodes):
        for power in range(size - 1):
            matrix[row, power] = x**power
        matrix[row, size - 1] = (-1) ** row / max(fit.weight(x), mp.mpf(10) ** -20)
        right[row] = fit.function(x)
    return list(mp.lu_solve(matrix, right))[:-1]


def _extrema(grid: list[mp.mpf], errors: list[mp.mpf], count: int) -> list[mp.mpf]:
    """The largest error of each run of one sign; the largest runs, if there are too many."""
    runs: list[int] = []
    for place, error in enumerate(errors):
        if runs and errors[runs[-1]] * error > 0:
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = place
        else:
            runs.append(place)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    missing = count - len(runs)
    if missing:
        spread = np.linspace(0, len(grid) - 1, missing + 2, dtype=int)[1:-1]
        runs = sorted({*runs, *(int(place) for place in spread)})
    return [grid[place] for place in runs]


def _value(coefficients: list[mp.mpf], x: mp.mpf) -> mp.mpf:
    return mp.polyval(coefficients[::-1], x)


# --- what is fitted -------------------------------------------------------------------------------

_EPSILON = mp.mpf(10) ** -12


def exponential_tail(r: mp.mpf) -> mp.mpf:
    """(eʳ − 1 − r) / r²"""
    return mp.mpf(1) / 2 if abs(r) < _EPSILON else (mp.expm1(r) - r) / r**2


def logarithm_tail(f: mp.mpf) -> mp.mpf:
    """(log(1 + f) − f + f²/2) / f³"""
    return mp.mpf(1) / 3 if abs(f) < _EPSILON else (mp.log1p(f) - f + f**2 / 2) / f**3


def quotient_logarithm(z: mp.mpf) -> mp.mpf:
    """(log((1 + s) / (1 − s)) / s − 2) / z, in z = s²"""
    if abs(z) < _EPSILON:
        return mp.mpf(2) / 3
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) / s - 2) / z


def sine_tail(z: mp.mpf) -> mp.mpf:
    """(sin r − r) / r³, in z = r²"""
    if abs(z) < _EPSILON:
        return -mp.mpf(1) / 6
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / r**3


def cosine_tail(z: mp.mpf) -> mp.mpf:
    """(cos r − 1 + r²/2) / r⁴, in z = r²"""
    return mp.mpf(1) / 24 if abs(z) < _EPSILON else (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def error_function_tail(z: mp.mpf) -> mp.mpf:
    """erf x / x − 1, in z = x²"""
    if abs(z) < _EPSILON:
        return 2 / mp.sqrt(mp.pi) - 1
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def error_function_exponent(a: mp.mpf) -> mp.mpf:
    """log(1 − erf a) / a"""
    return mp.log(mp.erfc(a)) / a


_LOG2 = mp.log(2)
_HALF_LOG2 = _LOG2 / 2 * mp.mpf("1.001")
_QUARTER_PI = mp.pi / 4 * mp.mpf("1.0001")
_ROOT = mp.sqrt(mp.mpf(1) / 2)
_LARGEST_Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")


def _relative_exponential(r: mp.mpf) -> mp.mpf:
    return abs(r)


def _relative_logarithm(f: mp.mpf) -> mp.mpf:
    return f**2


def _relative_z(z: mp.mpf) -> mp.mpf:
    return z


def _square_z(z: mp.mpf) -> mp.mpf:
    return z**2


def _one(x: mp.mpf) -> mp.mpf:
    return mp.mpf(1)


def _share_of_complement(a: mp.mpf) -> mp.mpf:
    return a * mp.erfc(a) / mp.erf(a)


FITS = [
    Fit("exp32", exponential_tail, -_HALF_LOG2, _HALF_LOG2, 5, _relative_exponential, np.float32),
    Fit("exp64", exponential_tail, -_HALF_LOG2, _HALF_LOG2, 10, _relative_exponential, np.float64),
    Fit("log32", logarithm_tail, _ROOT - 1, 2 * _ROOT - 1, 7, _relative_logarithm, np.float32),
    Fit("log64", quotient_logarithm, mp.mpf(0), _LARGEST_Z, 6, _relative_z, np.float64),
    Fit("log2", quotient_logarithm, mp.mpf(0), _LARGEST_Z, 3, _relative_z, np.float64),
    Fit("exp2", lambda r: mp.mpf(2) ** r, -mp.mpf("0.501"), mp.mpf("0.501"), 8, _one, np.float64),
    Fit("sin32", sine_tail, mp.mpf(0), _QUARTER_PI**2, 2, _relative_z, np.float32),
    Fit("cos32", cosine_tail, mp.mpf(0), _QUARTER_PI**2, 2, _square_z, np.float32),
    Fit("sin64", sine_tail, mp.mpf(0), _QUARTER_PI**2, 5, _relative_z, np.float64),
    Fit("cos64", cosine_tail, mp.mpf(0), _QUARTER_PI**2, 5, _square_z, np.float64),
    Fit("erf32", error_function_tail, mp.mpf(0), mp.mpf(1), 6, _one, np.float32),
    Fit(
        "erfc32",
        error_function_exponent,
        mp.mpf("0.99"),
        mp.mpf(4),
        7,
        _share_of_complement,
        np.float32,
    ),
]


def main() -> None:
    """Prints all fits."""
    for fit in FITS:
        coefficients, error = remez(fit)
        print(
            f"# {fit.name}: [{mp.nstr(fit.low, 5)}, {mp.nstr(fit.high, 5)}], error 2^"
            f"{mp.nstr(mp.log(error, 2), 4)}"
        )
        digits = 9 if fit.dtype is np.float32 else 17
        for number in coefficients:
            print(f"    {float(fit.dtype(float(number))):.{digits}g},")


if __name__ == "__main__":
    main()
