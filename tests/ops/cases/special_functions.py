"""Rows of special functions. References are Python's own, recurrences and integrals."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from featherflow.ops.bessel_ops import (
    BesselI0,
    BesselI0e,
    BesselI1,
    BesselI1e,
    BesselJ0,
    BesselJ1,
    BesselK0,
    BesselK0e,
    BesselK1,
    BesselK1e,
    BesselY0,
    BesselY1,
)
from featherflow.ops.special_function_ops import (
    Betainc,
    Digamma,
    Erf,
    Erfc,
    Erfinv,
    Igamma,
    Igammac,
    IgammaGradA,
    Lgamma,
    Ndtri,
    Polygamma,
    Zeta,
)
from featherflow.ops.special_integral_ops import Dawsn, Expint, FresnelCos, FresnelSin, Spence

from ..op_case import FLOATS, Input, OpCase

POSITIVE = Input(2, 3, low=0.3, high=6)
UNIT = Input(2, 3, low=-0.9, high=0.9)
SHAPE = Input(2, 3, low=0.6, high=5)
#: Sums of series and differences of logarithms lose a few digits.
LOOSE = {"float64": 1e-11, "float32": 1e-5}
LOST_DIGITS = {"tolerances": LOOSE, "reason": "series and logarithms lose a few digits"}
INTEGRATED = {
    "tolerances": {"float64": 1e-8, "float32": 1e-5},
    "reason": "the reference integrates numerically",
}
#: Derivatives of P and I along their parameters do not exist, or have none of their own.
ONCE = {"twice": False}


def each(function):
    return np.vectorize(function, otypes=[np.float64])


def integral(density, low, high, count=4000):
    """Gauss and Legendre's rule on equal pieces."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(low, high, count // 8 + 1)
    half = (edges[1] - edges[0]) / 2
    points = (edges[:-1, None] + half) + half * nodes
    return float(np.sum(density(points) * weights) * half)


def digamma(x):
    return (math.lgamma(x + 1e-5) - math.lgamma(x - 1e-5)) / 2e-5


def zeta(x, q, terms=20000):
    k = np.arange(terms)
    tail = (q + terms) ** (1 - x) / (x - 1) + 0.5 * (q + terms) ** -x
    return float(np.sum((q + k) ** -x) + tail + x * (q + terms) ** (-x - 1) / 12)


def polygamma(a, x):
    return (-1.0) ** (a + 1) * math.gamma(a + 1) * zeta(a + 1, x)


def igamma(a, x):
    # t = s² takes the singularity at 0 away.
    density = lambda s: 2 * s ** (2 * a - 1) * np.exp(-s * s)  # noqa: E731
    return integral(density, 0, math.sqrt(x)) / math.gamma(a)


def betainc(a, b, x):
    density = lambda t: t ** (a - 1) * (1 - t) ** (b - 1)  # noqa: E731
    beta = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
    return integral(density, 0, x) / beta


def bessel_i(order, scaled=False):
    """By its integral over the circle."""

    def value(x):
        angles = np.arange(2000) * (np.pi / 1000)
        shift = abs(x) if scaled else 0
        return float(np.mean(np.exp(x * np.cos(angles) - shift) * np.cos(order * angles)))

    return each(value)


def bessel_j(order):
    """By its power series."""

    def value(x):
        terms = (
            (-1) ** k * (x / 2) ** (2 * k + order) / (math.factorial(k) * math.factorial(k + order))
            for k in range(40)
        )
        return math.fsum(terms)

    return each(value)


def bessel_k(order, scaled=False):
    """By its integral along the real line."""

    def value(x):
        shift = x if scaled else 0
        return integral(
            lambda t: np.exp(shift - x * np.cosh(t)) * np.cosh(order * t), 0, 8, count=1600
        )

    return each(value)


def bessel_y(order):
    """By the integrals 10.9.7 of the NIST Digital Library."""

    def value(x):
        circle = integral(lambda t: np.sin(x * np.sin(t) - order * t), 0, math.pi, count=400)
        line = integral(
            lambda t: (
                (np.exp(order * t) + (-1) ** order * np.exp(-order * t)) * np.exp(-x * np.sinh(t))
            ),
            0,
            8,
            count=1600,
        )
        return (circle - line) / math.pi

    return each(value)


def expint(x):
    series = math.fsum(x**k / (k * math.factorial(k)) for k in range(1, 100))
    return 0.57721566490153286 + math.log(x) + series


POSITIVE_WIDE = Input(2, 3, low=0.3, high=12)

CASES = [
    OpCase(Erf, (Input(2, 3, low=-5, high=5),), each(math.erf), FLOATS),
    OpCase(Erfc, (Input(2, 3, low=-5, high=5),), each(math.erfc), FLOATS),
    OpCase(
        Erfinv, (UNIT,), each(lambda x: NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)), FLOATS
    ),
    OpCase(Ndtri, (Input(2, 3, low=0.05, high=0.95),), each(NormalDist().inv_cdf), FLOATS),
    OpCase(Lgamma, (POSITIVE,), each(math.lgamma), FLOATS, **LOST_DIGITS),
    OpCase(
        Lgamma,
        (np.array([-0.5, -1.5, -7.25, 1.0, 2.0, 171.0, 1e5, 0.0, -3.0, np.inf]),),
        lambda x: np.array([*(math.lgamma(item) for item in x[:7]), np.inf, np.inf, np.inf]),
        differentiable=False,
        empty_shapes=(),
        label="edges",
        **LOST_DIGITS,
    ),
    OpCase(Digamma, (POSITIVE,), each(digamma), **INTEGRATED),
    OpCase(
        Polygamma,
        (np.array([[1.0], [2.0]]), POSITIVE),
        each(polygamma),
        ("float64",),
        differentiable=False,  # there is none along the order
        empty_shapes=(),
        **INTEGRATED,
    ),
    OpCase(
        Zeta,
        (np.array(2.5), Input(3, low=0.5, high=4)),
        each(zeta),
        ("float64",),
        differentiable=False,
        empty_shapes=(),
        **INTEGRATED,
    ),
    OpCase(Igamma, (SHAPE, POSITIVE), each(igamma), **ONCE, **INTEGRATED),
    OpCase(Igammac, (SHAPE, POSITIVE), lambda a, x: 1 - each(igamma)(a, x), **ONCE, **INTEGRATED),
    OpCase(
        IgammaGradA,
        (SHAPE, POSITIVE),
        lambda a, x: (each(igamma)(a + 1e-4, x) - each(igamma)(a - 1e-4, x)) / 2e-4,
        tolerances={"float64": 1e-6, "float32": 1e-5},
        reason="the reference is a difference of integrals",
    ),
    OpCase(
        Betainc,
        (Input(3, low=1, high=4), Input(3, low=1, high=4), Input(3, low=0.1, high=0.9)),
        each(betainc),
        differentiable=False,  # TensorFlow's derivative is along x only
        **INTEGRATED,
    ),
    OpCase(BesselI0, (Input(2, 3, low=-4, high=4),), bessel_i(0), FLOATS, **LOST_DIGITS),
    OpCase(BesselI1, (Input(2, 3, low=-4, high=4),), bessel_i(1), FLOATS, **LOST_DIGITS),
    OpCase(BesselI0e, (Input(2, 3, low=-30, high=30),), bessel_i(0, True), FLOATS, **LOST_DIGITS),
    OpCase(BesselI1e, (Input(2, 3, low=-30, high=30),), bessel_i(1, True), FLOATS, **LOST_DIGITS),
    OpCase(BesselK0, (POSITIVE,), bessel_k(0), FLOATS, **LOST_DIGITS),
    OpCase(BesselK1, (POSITIVE,), bessel_k(1), FLOATS, **LOST_DIGITS),
    OpCase(BesselK0e, (POSITIVE_WIDE,), bessel_k(0, True), FLOATS, **LOST_DIGITS),
    OpCase(BesselK1e, (POSITIVE_WIDE,), bessel_k(1, True), FLOATS, **LOST_DIGITS),
    OpCase(BesselJ0, (Input(2, 3, low=-9, high=9),), bessel_j(0), FLOATS, **LOST_DIGITS),
    OpCase(BesselJ1, (Input(2, 3, low=-9, high=9),), bessel_j(1), FLOATS, **LOST_DIGITS),
    OpCase(BesselY0, (POSITIVE_WIDE,), bessel_y(0), FLOATS, **LOST_DIGITS),
    OpCase(BesselY1, (POSITIVE_WIDE,), bessel_y(1), FLOATS, **LOST_DIGITS),
    OpCase(
        Dawsn,
        (Input(2, 3, low=-5, high=5),),
        each(lambda x: integral(lambda t: np.exp(t * t - x * x), 0, x)),
        FLOATS,
        **LOST_DIGITS,
    ),
    OpCase(Expint, (POSITIVE_WIDE,), each(expint), FLOATS, **LOST_DIGITS),
    OpCase(
        FresnelCos,
        (Input(2, 3, low=-9, high=9),),
        each(lambda x: integral(lambda t: np.cos(np.pi / 2 * t * t), 0, x)),
        FLOATS,
        **LOST_DIGITS,
    ),
    OpCase(
        FresnelSin,
        (Input(2, 3, low=-9, high=9),),
        each(lambda x: integral(lambda t: np.sin(np.pi / 2 * t * t), 0, x)),
        FLOATS,
        **LOST_DIGITS,
    ),
    OpCase(
        Spence,
        (Input(2, 3, low=0.05, high=9),),
        each(lambda x: integral(lambda t: np.log1p(t) / -t, 0, x - 1)),
        FLOATS,
        **LOST_DIGITS,
    ),
]
