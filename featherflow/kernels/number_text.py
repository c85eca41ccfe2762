"""Numbers as text and back: C's printf for tensors, and the parsing of strtod and strtol.

formatted(np.array([1.5]), Layout(width=8, flag="0"))    →    [b'01.500000']
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.string_arrays import from_list

_FLAGS = ("", "+", "-", "0", " ", "#")


@dataclass(frozen=True)
class Layout:
    """What stands between % and the letter of a printf format.

    Attributes:
      width: the least number of characters; negative is no limit.
      flag: one of printf's flags: "0" and " " fill, "-" aligns to the left, "+" shows the sign.
      precision: digits after the point, or significant ones; negative is 6.
      letter: "f", "e" or "g" for floats.
    """

    width: int = -1
    flag: str = ""
    precision: int = -1
    letter: str = "f"

    @property
    def format(self) -> str:
        """The format less its letter and precision."""
        return f"%{self.flag}{self.width if self.width > -1 else ''}"


def layout_of(width: int, fill: str, precision: int, scientific: bool, shortest: bool) -> Layout:
    """The layout that the attributes of AsString ask for.

    Raises:
      InvalidArgumentError: a fill that is no flag, or both `scientific` and `shortest`.
    """
    if fill not in _FLAGS:
        raise InvalidArgumentError(
            None, None, "Fill argument is not supported", received=f"'{fill}'", expected=_FLAGS
        )
    if scientific and shortest:
        raise InvalidArgumentError(
            None, None, "Cannot select both scientific and shortest notation"
        )
    letter = "e" if scientific else "g" if shortest else "f"
    return Layout(width, fill, precision, letter)


def formatted(values: np.ndarray, layout: Layout) -> np.ndarray:
    """Each element as text: numbers, booleans (true, false) or strings."""
    kind = values.dtype.kind
    if kind == "O":
        # Strings know no flag but "-"; a precision cuts them off.
        plain = Layout(layout.width, "-" if layout.flag == "-" else "").format
        pattern = f"{plain}{_precision(layout)}s".encode()
        texts = [pattern % item for item in values.reshape(-1).tolist()]
        return from_list(texts, values.shape)
    if kind == "b":
        texts = [b"true" if item else b"false" for item in values.reshape(-1).tolist()]
        return from_list(texts, values.shape)
    write = _float_writer(layout)
    if kind in "iu":
        # C ignores "#" for integers; a sign is shown for signed ones only.
        ignored = "+ #" if kind == "u" else "#"
        flag = "" if layout.flag and layout.flag in ignored else layout.flag
        pattern_text = Layout(layout.width, flag).format + "d"
        write = pattern_text.__mod__
    elif kind == "c":
        write_part = write
        write = lambda value: f"({write_part(value.real)},{write_part(value.imag)})"  # noqa: E731
    else:
        values = values.astype(np.float64)
    texts = [write(item).encode() for item in values.reshape(-1).tolist()]
    return from_list(texts, values.shape)


def _precision(layout: Layout) -> str:
    return f".{layout.precision}" if layout.precision > -1 else ""


def _float_writer(layout: Layout) -> Callable[[Any], str]:
    pattern = f"{layout.format}{_precision(layout)}{layout.letter}"
    # Zeros do not fill before what is no number.
    flag = "" if layout.flag == "0" else layout.flag
    special = f"{Layout(layout.width, flag).format}f"

    def write(value: float) -> str:
        if math.isfinite(value):
            return pattern % value
        if math.isnan(value):  # Python's % would lose its sign
            return (special % math.copysign(math.inf, value)).replace("inf", "nan")
        return special % value

    return write


# --- parsing --------------------------------------------------------------------------------------

_SPACE = rb"[ \t\n\x0b\x0c\r]*"
_FLOAT = re.compile(
    _SPACE
    + rb"(?:(?P<sign>[+-]?)(?:(?P<nan>nan(?:\([a-z0-9_]*\))?)|(?P<inf>inf(?:inity)?)"
    + rb"|0x(?P<hex>(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
    + rb"|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)))"
    + _SPACE,
    re.IGNORECASE,
)
_INTEGER = re.compile(_SPACE + rb"([+-]?[0-9]+)" + _SPACE)


def parser_for(dtype: np.dtype) -> Callable[[bytes], Any]:
    """A function that reads a number of `dtype`; it gives None for what is no such number."""
    if dtype.kind == "f":
        return _parse_float if dtype.itemsize == 8 else _parse_float32
    limits = np.iinfo(dtype)

    def parse_integer(text: bytes) -> int | None:
        found = _INTEGER.fullmatch(text)
        if found is None or (dtype.kind == "u" and found[1].startswith(b"-")):
            return None
        if len(found[1].lstrip(b"+-0")) > 20:  # more digits than any type has
            return None
        value = int(found[1].lstrip(b"+-0") or b"0") * (-1 if found[1].startswith(b"-") else 1)
        return value if limits.min <= value <= limits.max else None

    return parse_integer


def _parse_float(text: bytes) -> float | None:
    found = _FLOAT.fullmatch(text)
    if found is None:
        return None
    if found["nan"]:
        return float("nan")
    sign = -1.0 if found["sign"] == b"-" else 1.0
    if found["hex"]:
        try:
            return sign * float.fromhex(found["hex"].decode())
        except OverflowError:
            return sign * float("inf")
    return sign * float(found["inf"] or found["decimal"])


def _parse_float32(text: bytes) -> np.float32 | None:
    """The nearest float32: never by way of the nearest double, which might round twice."""
    value = _parse_float(text)
    if value is None:
        return None
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    found = _FLOAT.fullmatch(text)
    if found is None or not found["decimal"] or not np.isfinite(narrow):
        return narrow
    return _nearest_float32(narrow, value, found["decimal"].decode())


def _nearest_float32(narrow: np.float32, value: float, digits: str) -> np.float32:
    """`narrow`, or its neighbour where the double of `digits` lies halfway between two floats."""
    size = abs(value)
    below, above = sorted((abs(narrow), np.nextafter(abs(narrow), np.float32(np.inf))))
    if float(abs(narrow)) > size:
        below, above = np.nextafter(abs(narrow), np.float32(0)), abs(narrow)
    if (float(below) + float(above)) / 2 != size:
        return narrow
    exact = Fraction(digits)
    if exact == Fraction(size):
        return narrow
    nearest = above if exact > Fraction(size) else below
    return np.copysign(nearest, narrow)
