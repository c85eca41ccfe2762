"""Signs, and rounding to integers, of vectors of floats: on every machine without a library."""

from __future__ import annotations

from featherflow.compiler.ir import Function, Value

#: Adding and subtracting 2^23 or 2^52 rounds what is smaller than that to an integer.
_TO_INTEGER = {4: 2.0**23, 8: 2.0**52}


def magnitude(f: Function, x: Value) -> Value:
    """|x|"""
    return f.intrinsic(f"llvm.fabs.{x.type.suffix}", x.type, x)


def with_sign(f: Function, x: Value, sign: Value) -> Value:
    """|x| with the sign of another number."""
    return f.intrinsic(f"llvm.copysign.{x.type.suffix}", x.type, x, sign)


def rint(f: Function, x: Value) -> Value:
    """x rounded to the nearest integer, ties to even."""
    if _rounds(f):
        return f.intrinsic(f"llvm.rint.{x.type.suffix}", x.type, x)
    size, big = magnitude(f, x), _TO_INTEGER[x.type.bytes]
    rounded = with_sign(f, (size + big) - big, x)
    return f.select(f.compare("olt", size, big), rounded, x)


def floor(f: Function, x: Value) -> Value:
    """⌊x⌋"""
    if _rounds(f):
        return f.intrinsic(f"llvm.floor.{x.type.suffix}", x.type, x)
    near = rint(f, x)
    return with_sign(f, f.select(f.compare("ogt", near, x), near - 1.0, near), x)


def ceil(f: Function, x: Value) -> Value:
    """⌈x⌉"""
    if _rounds(f):
        return f.intrinsic(f"llvm.ceil.{x.type.suffix}", x.type, x)
    near = rint(f, x)
    return with_sign(f, f.select(f.compare("olt", near, x), near + 1.0, near), x)


def _rounds(f: Function) -> bool:
    """Whether the machine rounds to integers in an instruction: x86 does from SSE4.1 on."""
    return f.target.name != "x86-64"
