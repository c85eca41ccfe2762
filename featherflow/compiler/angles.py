"""Sine and cosine of vectors of float32 and float64, without any library.

Within 2 units in the last place of the exact results, rounded: of float32 for all arguments, of
float64 up to |x| = 2⁵⁰, or 2²⁰ on machines without fused multiplication; beyond, digits are lost.
"""

from __future__ import annotations

import functools
import math

from featherflow.compiler.ir import F32, F64, I1, I32, I64, PTR, Function, Value
from featherflow.compiler.rounding import magnitude
from featherflow.compiler.vector_math import (
    DOUBLE,
    SINGLE,
    at_least,
    at_most,
    bits_of,
    format_of,
    multiply_add,
    polynomial,
)

#: π/2 in parts of 33 bits, so that multiples by 20 bits are exact.
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
_TWO_OVER_PI = 0.6366197723675814
_QUARTER_PI = 0.7853981633974483
#: ⌊2/π · 2²⁵⁶⌋
_TWO_OVER_PI_DIGITS = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561
#: The exponent of 2²⁰ in the bits of a float32.
_FIRST_EXPONENT = 127 + 20
#: (sin r − r) / r³ and (cos r − 1 + r²/2) / r⁴ in r², on |r| ≤ π/4; errors 2^-28 and 2^-33.
_SINE = (-0.166666552, 0.008332178, -0.000195172324)
_COSINE = (0.0416666456, -0.00138873665, 2.44383846e-05)
#: The same for float64; errors 2^-58 and 2^-64.
_SINE_OF_DOUBLE = (
    *(-0.16666666666666632, 0.0083333333333224131, -0.00019841269829807336),
    *(2.7557313691759587e-06, -2.5050758090336268e-08, 1.5896794184709893e-10),
)
_COSINE_OF_DOUBLE = (
    *(0.041666666666666602, -0.0013888888888874125, 2.480158728948235e-05),
    *(-2.755731435235132e-07, 2.0875723272884501e-09, -1.1359647679663128e-11),
)


def sin(f: Function, x: Value) -> Value:
    """The sine of an angle in radians."""
    quadrant, r = _quadrant(f, x)
    value = _sine_or_cosine(f, quadrant, r)
    # sin −0 = −0, which the reduction does not keep.
    return f.select(f.compare("oeq", x, 0.0), x, value)


def cos(f: Function, x: Value) -> Value:
    """The cosine of an angle in radians: the sine a quadrant further."""
    quadrant, r = _quadrant(f, x)
    return _sine_or_cosine(f, quadrant + 1, r)


def _quadrant(f: Function, x: Value) -> tuple[Value, Value]:
    """(n, r) with x = n π/2 + r and |r| ≤ π/4; n as bits, of which the last two are right.

    In float64, also for float32: r is small next to x, and three parts are enough for all.
    """
    is_double = format_of(x) is DOUBLE
    wide = x if is_double else f.convert("fpext", x, F64)
    shifted = multiply_add(f, wide, _TWO_OVER_PI, DOUBLE.magic)
    n = shifted - DOUBLE.magic
    r = wide
    for part in _HALF_PI:
        r = multiply_add(f, n, -part, r)
    if is_double:
        # Where n has no digits left, r is at least an angle.
        return bits_of(f, shifted), at_most(f, at_least(f, r, -_QUARTER_PI), _QUARTER_PI)
    is_large = f.compare("oge", magnitude(f, x), 2.0**40 if f.target.has_fma else 2.0**20)
    shifted, r = f.when(
        _any(f, is_large), [shifted, r], lambda given: _large(f, x, wide, is_large, given)
    )
    return f.convert("trunc", bits_of(f, shifted), I32), f.convert("fptrunc", r, F32)


def _any(f: Function, conditions: Value) -> Value:
    """Whether one of the lanes is true."""
    lanes = conditions.type.lanes
    if lanes == 1:
        return conditions
    return f.intrinsic(f"llvm.vector.reduce.or.v{lanes}i1", I1, conditions)


def _large(f: Function, x: Value, wide: Value, is_large: Value, given: list[Value]) -> list[Value]:
    """(n + magic, r) where x is large, else what was given.

    x = m 2ᵉ with an integer m of 24 bits, so of 2ᵉ · 2/π only the digits below 4 count (Payne and
    Hanek, 1983). They come from a table, in parts of 29 bits, whose products with m are exact.
    """
    exponent = f.binary("and", f.binary("lshr", bits_of(f, x), 23), 255)
    scale = f.convert("zext", f.binary("sub", 1023 + 150, exponent), I64)
    m = wide * f.convert("bitcast", f.binary("shl", scale, 52), F64)
    parts = _table_rows(f, exponent - _FIRST_EXPONENT)
    head, middle = m * parts[0], m * parts[1]
    shifted = (head + middle) + DOUBLE.magic
    fraction = (head - (shifted - DOUBLE.magic)) + middle
    # Infinity has no sine.
    r = (fraction + m * parts[2]) * (2 * _QUARTER_PI) + (wide - wide)
    return [f.select(is_large, new, old) for new, old in zip((shifted, r), given)]


def _table_rows(f: Function, rows: Value) -> list[Value]:
    """For each lane its row of the table of 2ᵉ · 2/π; the first row for small exponents."""
    table = Value(f, PTR, f.module.table(F64, _digits_of_two_over_pi()))
    rows = f.select(f.compare("slt", rows, 0), 0, rows)
    lanes = rows.type.lanes
    columns = [Value(f, F64.vector(lanes), "poison") for _ in range(3)]
    for lane in range(lanes):
        row = f.extract(rows, lane) if lanes > 1 else rows
        pointer = f.offset(table, f.convert("zext", row, I64) * 24)
        for number in range(3):
            part = f.load(F64, f.offset(pointer, 8 * number))
            columns[number] = f.insert(columns[number], part, lane) if lanes > 1 else part
    return columns


@functools.cache
def _digits_of_two_over_pi() -> tuple[float, ...]:
    """2ᵉ⁻¹⁵⁰ · 2/π modulo 4 for the exponents in the bits of large float32, in three parts."""
    numbers: list[float] = []
    for exponent in range(_FIRST_EXPONENT, 256):
        digits = _TWO_OVER_PI_DIGITS << (exponent - _FIRST_EXPONENT) >> (150 - _FIRST_EXPONENT)
        digits &= (4 << 256) - 1
        for bits in (27, 56, 109):
            part = digits >> (256 - bits) << (256 - bits)
            digits -= part
            numbers.append(math.ldexp(part, -256))
    return tuple(numbers)


def _sine_or_cosine(f: Function, quadrant: Value, r: Value) -> Value:
    """sin r, cos r, −sin r, −cos r in quadrants 0 to 3."""
    is_single = format_of(r) is SINGLE
    z = r * r
    sine = polynomial(f, z, _SINE if is_single else _SINE_OF_DOUBLE)
    sine = f.fma(r * z, sine, r)
    cosine = polynomial(f, z, _COSINE if is_single else _COSINE_OF_DOUBLE)
    half = z * 0.5
    top = 1.0 - half
    # What 1 − z/2 loses in rounding is put back.
    cosine = top + f.fma(z * z, cosine, (1.0 - top) - half)
    value = f.select(f.compare("eq", f.binary("and", quadrant, 1), 0), sine, cosine)
    sign = f.binary("shl", f.binary("lshr", quadrant, 1), 8 * r.type.bytes - 1)
    return f.convert("bitcast", f.binary("xor", bits_of(f, value), sign), r.type.scalar)
