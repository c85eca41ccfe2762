"""Transcendental functions of vectors of float32 and float64, without any library.

Results are within 2 units in the last place of the exact ones, rounded, for all arguments, with
fused multiplication and without; `angles` has sine and cosine.
Infinities, NaN, zeros and denormals are right; no call leaves the kernel.

Arguments are reduced as by Cody and Waite (Software Manual for the Elementary Functions, 1980): a
multiple of a constant is taken off in parts, whose products have no rounding errors. What is left
goes into a minimax polynomial (Muller, Elementary Functions, 2016, chapter 3), fitted by
tools/fit_vector_math.py, which prints the coefficients below with their ranges and errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from featherflow.compiler.ir import F32, F64, I16, I32, I64, Function, Type, Value
from featherflow.compiler.rounding import magnitude, rint, with_sign

INFINITY, NAN = math.inf, math.nan
_LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Format:
    """A floating-point format, and the parts of formulas that depend on it.

    Attributes:
      integer: the type of its bits.
      fraction: bits of a number behind the leading one.
      bias: what is added to an exponent in its bits.
      root: the bits of √½, from where on fractions are counted.
      log2: log 2 in two parts, of which the first has so few bits that multiples are exact.
      exponents: arguments of exp below and above which the result is 0 and ∞.
      exp: (eʳ − 1 − r) / r² on |r| ≤ ½ log 2.
      log: of the logarithm, see `_log_of_fraction`.
    """

    integer: Type
    fraction: int
    bias: int
    root: int
    log2: tuple[float, float]
    exponents: tuple[float, float]
    exp: tuple[float, ...]
    log: tuple[float, ...]

    @property
    def magic(self) -> float:
        """Adding it makes an integer of the low bits of a number below 2^(fraction − 1)."""
        return 1.5 * 2.0**self.fraction

    @property
    def smallest(self) -> float:
        """The smallest normal number."""
        return 2.0 ** (1 - self.bias)

    @property
    def tiny(self) -> float:
        """x + x² is x below this."""
        return 2.0 ** -(self.fraction + 2)


SINGLE = Format(
    integer=I32,
    fraction=23,
    bias=127,
    root=0x3F3504F3,
    log2=(0.693359375, -0.00021219444005469057),
    exponents=(-104.0, 89.0),
    # Error 2^-32 of r.
    exp=(0.5, 0.166666672, 0.041666355, 0.00833327323, 0.00139411038, 0.000199142567),
    # (log(1 + f) − f + f²/2) / f³ on [√½ − 1, √2 − 1]; error 2^-27 of log(1 + f).
    log=(
        *(0.333333164, -0.250008106, 0.200022861, -0.16624552),
        *(0.141811997, -0.131287754, 0.128816202, -0.0785953701),
    ),
)
DOUBLE = Format(
    integer=I64,
    fraction=52,
    bias=1023,
    root=0x3FE6A09E667F3BCD,
    log2=(0.6931471803691238, 1.9082149292705877e-10),
    exponents=(-746.0, 710.0),
    # Error 2^-62 of r.
    exp=(
        *(0.5, 0.16666666666666677, 0.041666666666666699, 0.0083333333333215302),
        *(0.0013888888888866711, 0.0001984126988640225, 2.4801587360831886e-05),
        *(2.75572439106032e-06, 2.7557242510578143e-07, 2.5109147745457438e-08),
        2.0924523295298653e-09,
    ),
    # (log((1 + s) / (1 − s)) / s − 2) / s² in s², s = f / (2 + f); error 2^-58 of the logarithm.
    log=(
        *(0.6666666666666734, 0.39999999999414254, 0.28571428742491373, 0.22222198561728271),
        *(0.18183564959010212, 0.15314033477510811, 0.14796128820387761),
    ),
)


def format_of(x: Value) -> Format:
    """The format of a vector's elements."""
    return SINGLE if x.type.element == "float" else DOUBLE


# --- parts ----------------------------------------------------------------------------------------


def polynomial(f: Function, x: Value, coefficients: Sequence[float]) -> Value:
    """c₀ + c₁ x + c₂ x² + …, by Horner's rule."""
    result = f.constant(x.type, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result = f.fma(result, x, f.constant(x.type, coefficient))
    return result


def at_most(f: Function, x: Value, bound: float) -> Value:
    """min(x, bound); NaN stays, since it is not above the bound."""
    limit = f.constant(x.type, bound)
    return f.select(f.compare("olt", limit, x), limit, x)


def at_least(f: Function, x: Value, bound: float) -> Value:
    """max(x, bound); NaN stays."""
    limit = f.constant(x.type, bound)
    return f.select(f.compare("ogt", limit, x), limit, x)


def multiply_add(f: Function, x: Value, factor: float, addend: Value | float) -> Value:
    """x · factor + addend"""
    return f.fma(x, f.constant(x.type, factor), f.value(addend, x.type))


def bits_of(f: Function, x: Value) -> Value:
    """The elements' bits, as integers."""
    return f.convert("bitcast", x, format_of(x).integer)


def _has_wide_floats(f: Function, x: Value) -> bool:
    """Whether x fills a register of AVX-512, which has instructions for scaling and 1/x."""
    return f.target.vector_bits == 512 and x.type == F32.vector(16)


def _quotient(f: Function, x: Value, y: Value) -> Value:
    """x / y for normal 1 ≤ y < 2¹⁰⁰, within 0.51 units.

    Division blocks the multipliers for 16 cycles: an approximation of 14 bits, one step of Newton's
    and a correction take 3.
    """
    if not _has_wide_floats(f, x):
        return x / y
    kind = x.type
    zero, all_ = f.constant(kind, 0), f.constant(I16, -1)
    near = f.intrinsic("llvm.x86.avx512.rcp14.ps.512", kind, y, zero, all_)
    near = f.fma(f.fma(-y, near, f.constant(kind, 1)), near, near)
    ratio = x * near
    return f.fma(f.fma(-ratio, y, x), near, ratio)


def _power_of_two(f: Function, shifted: Value, by: int = 0) -> Value:
    """2^(n + by), which must be normal, of n + magic: n is in the low bits."""
    form = format_of(shifted)
    exponent = f.binary("shl", bits_of(f, shifted), form.fraction)
    bits = exponent + ((form.bias + by) << form.fraction)
    return f.convert("bitcast", bits, shifted.type.scalar)


def _scaled(f: Function, p: Value, shifted: Value) -> Value:
    """p · 2ⁿ of n + magic, with denormal results rounded once."""
    form = format_of(p)
    n = shifted - form.magic
    if _has_wide_floats(f, p):
        keep, all_ = f.constant(p.type, 0), f.constant(I16, -1)
        name = "llvm.x86.avx512.mask.scalef.ps.512"
        return f.intrinsic(name, p.type, p, n, keep, all_, f.constant(I32, 4))
    half = multiply_add(f, n, 0.5, form.magic)
    rest = (n - (half - form.magic)) + form.magic
    return p * _power_of_two(f, half) * _power_of_two(f, rest)


# --- exponentials ---------------------------------------------------------------------------------


def _exp_parts(f: Function, x: Value) -> tuple[Value, Value]:
    """(n + magic, eʳ − 1) with x = n log 2 + r."""
    form = format_of(x)
    shifted = multiply_add(f, x, _LOG2_E, form.magic)
    n = shifted - form.magic
    r = multiply_add(f, n, -form.log2[0], x)
    r = multiply_add(f, n, -form.log2[1], r)
    return shifted, f.fma(r * r, polynomial(f, r, form.exp), r)


def exp(f: Function, x: Value) -> Value:
    """eˣ"""
    low, high = format_of(x).exponents
    shifted, p = _exp_parts(f, at_most(f, at_least(f, x, low), high))
    return _scaled(f, p + 1.0, shifted)


def expm1(f: Function, x: Value) -> Value:
    """eˣ − 1, also where that is tiny."""
    form = format_of(x)
    bounded = at_most(f, at_least(f, x, -2.0 * form.fraction), form.exponents[1])
    shifted, p = _exp_parts(f, bounded)
    # By half of the power, which does not overflow before the result does.
    half = _power_of_two(f, shifted, -1)
    result = f.fma(half, p, half - 0.5) * 2.0
    return f.select(f.compare("olt", magnitude(f, x), form.tiny), x, result)


def tanh(f: Function, x: Value) -> Value:
    """The hyperbolic tangent, (e²ˣ − 1) / (e²ˣ + 1)."""
    bounded = at_most(f, magnitude(f, x), 0.5 * format_of(x).fraction)
    shifted, p = _exp_parts(f, bounded * 2.0)
    power = _power_of_two(f, shifted)
    less = f.fma(power, p, power - 1.0)
    more = less + 2.0
    ratio = _quotient(f, less, more)
    if format_of(x) is DOUBLE:
        # What 2 + less lost in rounding, over 2 + less, which is 2 / (1 − ratio).
        lost = less - (more - 2.0)
        ratio = f.fma(ratio * lost, multiply_add(f, ratio, 0.5, -0.5), ratio)
    return with_sign(f, ratio, x)


def sigmoid(f: Function, x: Value) -> Value:
    """1 / (1 + e⁻ˣ), by e^−|x|, which does not overflow."""
    power = _decay(f, x)
    above = f.select(f.compare("olt", x, 0.0), power, 1.0)
    return _quotient(f, above, power + 1.0)


def softplus(f: Function, x: Value) -> Value:
    """log(1 + eˣ), as max(x, 0) + log1p(e^−|x|)."""
    positive = f.select(f.compare("ogt", f.constant(x.type, 0), x), 0.0, x)
    return positive + log1p(f, _decay(f, x))


def _decay(f: Function, x: Value) -> Value:
    """e^−|x|"""
    least = format_of(x).exponents[0]
    shifted, p = _exp_parts(f, at_least(f, -magnitude(f, x), least))
    return _scaled(f, p + 1.0, shifted)


# --- logarithms -----------------------------------------------------------------------------------


def _exponent_and_fraction(f: Function, x: Value) -> tuple[Value, Value, Value]:
    """(n + bias as bits, n, m) with x = 2ⁿ m and √½ ≤ m < √2, of normal x > 0."""
    form = format_of(x)
    biased = bits_of(f, x) + ((form.bias << form.fraction) - form.root)
    exponent = f.binary("lshr", biased, form.fraction)
    # In the low bits of 2^fraction an integer is a float already.
    one = form.fraction + form.bias
    floated = f.binary("or", exponent, one << form.fraction)
    n = f.convert("bitcast", floated, x.type.scalar) - (2.0**form.fraction + form.bias)
    low = f.binary("and", biased, (1 << form.fraction) - 1) + form.root
    return exponent, n, f.convert("bitcast", low, x.type.scalar)


def _log_of_fraction(f: Function, fraction: Value, n: Value) -> Value:
    """log(1 + f) + n log 2 for √½ ≤ 1 + f < √2."""
    form = format_of(fraction)
    square = fraction * fraction
    if form is SINGLE:
        tail = fraction * square * polynomial(f, fraction, form.log)
        tail = multiply_add(f, n, form.log2[1], tail)
        tail = multiply_add(f, square, -0.5, tail)
        return multiply_add(f, n, form.log2[0], fraction + tail)
    s = fraction / (fraction + 2.0)
    z = s * s
    half = square * 0.5
    tail = f.fma(s, f.fma(z, polynomial(f, z, form.log), half), n * form.log2[1])
    return multiply_add(f, n, form.log2[0], fraction - (half - tail))


def _at_edges(f: Function, x: Value, result: Value, pole: float) -> Value:
    """A logarithm's result; −∞ at the pole, NaN below, x where that is ∞ or NaN."""
    result = f.select(f.compare("olt", x, INFINITY), result, x)
    result = f.select(f.compare("oeq", x, pole), -INFINITY, result)
    return f.select(f.compare("olt", x, pole), NAN, result)


def log(f: Function, x: Value) -> Value:
    """The natural logarithm."""
    form = format_of(x)
    is_denormal = f.compare("olt", x, form.smallest)
    lifted = f.select(is_denormal, x * 2.0 ** (form.fraction + 1), x)
    _, n, m = _exponent_and_fraction(f, lifted)
    n = n + f.select(is_denormal, f.constant(x.type, -1.0 - form.fraction), 0.0)
    return _at_edges(f, x, _log_of_fraction(f, m - 1.0, n), 0.0)


def log1p(f: Function, x: Value) -> Value:
    """log(1 + x), also where that is tiny: the fraction is taken from x, not from 1 + x."""
    form = format_of(x)
    exponent, n, _ = _exponent_and_fraction(f, x + 1.0)
    # 2^(2 − n), of the n of 1 + x; 2^−n might be denormal.
    scale = f.binary("shl", f.binary("sub", 2 * form.bias + 2, exponent), form.fraction)
    scale = f.convert("bitcast", scale, x.type.scalar)
    fraction = f.fma(x * 0.25, scale, scale * 0.25 - 1.0)
    result = _at_edges(f, x, _log_of_fraction(f, fraction, n), -1.0)
    return f.select(f.compare("olt", magnitude(f, x), form.tiny), x, result)


# --- the error function ---------------------------------------------------------------------------

#: erf(x) / x − 1 in x², on [0, 1]; error 2^-29.
_ERF = (
    *(0.128379166, -0.37612626, 0.112836003, -0.0268544443),
    *(0.00518953521, -0.000802083872, 7.88910838e-05),
)
#: log(1 − erf a) / a on [1, 4]; error 2^-32 of erf a.
_ERFC = (
    *(-1.1285907, -0.635449588, -0.105595477, 0.023017006),
    *(-0.00313753821, 0.000123185455, 3.13955425e-05, -3.79298967e-06),
)


def erf(f: Function, x: Value) -> Value:
    """The error function 2/√π ∫₀ˣ e^−t² dt, of float32."""
    size = magnitude(f, x)
    near = f.fma(x, polynomial(f, x * x, _ERF), x)
    # From 3.92 on it is 1 to the last bit.
    bounded = at_most(f, size, 4.0)
    shifted, p = _exp_parts(f, bounded * polynomial(f, bounded, _ERFC))
    power = _power_of_two(f, shifted)
    far = 1.0 - f.fma(power, p, power)
    return f.select(f.compare("olt", size, 1.0), near, with_sign(f, far, x))


# --- powers ---------------------------------------------------------------------------------------

#: Like the logarithm of DOUBLE, to fewer digits; error 2^-36.
_SHORT_LOG = (0.66666665645081302, 0.40000335295962941, 0.2853730099903114, 0.23582306983414297)
#: 2ʳ on |r| ≤ ½; error 2^-40.
_EXP2 = (
    *(1.0000000000000275, 0.69314718054570634, 0.24022650695460124, 0.055504109421149514),
    *(0.0096181292300277655, 0.0013333449697346331, 0.00015403410612702963),
    *(1.5310310976539933e-05, 1.326427999923006e-06),
)


def power(f: Function, x: Value, y: Value) -> Value:
    """xʸ of float32, as 2^(y log₂ |x|) in float64, with the special cases of C's pow."""
    size = magnitude(f, x)
    logarithm = _log2_of_single(f, size)
    exponent = f.convert("fpext", y, F64) * logarithm
    # 1 to the power of ∞ is 1, not 2^(0 ∞).
    is_one = f.binary(
        "and", f.compare("oeq", size, 1.0), f.compare("oeq", magnitude(f, y), INFINITY)
    )
    result = f.select(is_one, 1.0, _exp2_to_single(f, exponent))
    whole = f.compare("oeq", rint(f, y), y)
    half = y * 0.5
    is_odd = f.binary("and", whole, f.compare("une", rint(f, half), half))
    result = f.select(is_odd, with_sign(f, result, x), result)
    is_root = f.binary("and", f.compare("olt", x, 0.0), f.compare("olt", size, INFINITY))
    is_root = f.binary("and", is_root, f.compare("one", rint(f, y), y))
    result = f.select(is_root, NAN, result)
    always = f.binary("or", f.compare("oeq", x, 1.0), f.compare("oeq", y, 0.0))
    return f.select(always, 1.0, result)


def _log2_of_single(f: Function, size: Value) -> Value:
    """log₂ of a float32 that is not negative, in float64."""
    x = f.convert("fpext", size, F64)
    _, n, m = _exponent_and_fraction(f, x)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    logarithm = s * f.fma(z, polynomial(f, z, _SHORT_LOG), f.constant(x.type, 2.0))
    result = multiply_add(f, logarithm, _LOG2_E, n)
    result = f.select(f.compare("olt", x, INFINITY), result, x)
    return f.select(f.compare("oeq", x, 0.0), -INFINITY, result)


def _exp2_to_single(f: Function, exponent: Value) -> Value:
    """2ˣ of a float64, rounded to float32: what that cannot hold becomes 0, denormal or ∞."""
    bounded = at_most(f, at_least(f, exponent, -200.0), 200.0)
    shifted = bounded + DOUBLE.magic
    r = bounded - (shifted - DOUBLE.magic)
    value = polynomial(f, r, _EXP2) * _power_of_two(f, shifted)
    return f.convert("fptrunc", value, F32)
