"""Kinds of command-line flags: how the text of one becomes a value, and back."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FlagKind:
    """A kind of flag.

    Attributes:
      convert: from text, or from a value given in Python; raises ValueError or TypeError.
      description: for `--help`.
      to_text: the inverse of `convert`.
      is_boolean: `--name` and `--noname` stand for true and false.
      repeats: each occurrence adds an item to a list.
    """

    convert: Callable[[Any], Any]
    description: str
    to_text: Callable[[Any], str] = str
    is_boolean: bool = False
    repeats: bool = False


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"flag value must be a string, found {value!r}")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, str):
        return int(value, 16 if value.lower().startswith("0x") else 10)
    if isinstance(value, bool) or int(value) != value:
        raise TypeError(f"expected an integer, found {value!r}")
    return int(value)


_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def _boolean(value: Any) -> bool:
    if isinstance(value, str) and value.lower() in _BOOLEANS:
        return _BOOLEANS[value.lower()]
    if isinstance(value, (bool, int)) and value in (0, 1):
        return bool(value)
    raise ValueError("Non-boolean argument to boolean flag", value)


def _list(separator: str | None) -> Callable[[Any], list[str]]:
    def convert(value: Any) -> list[str]:
        if isinstance(value, str):
            return [item.strip() for item in value.split(separator)] if value else []
        return list(value)

    return convert


STRING = FlagKind(_string, "a string")
BOOLEAN = FlagKind(_boolean, "a boolean", lambda value: str(value).lower(), is_boolean=True)
LIST = FlagKind(_list(","), "a comma separated list", ",".join)
SPACE_LIST = FlagKind(_list(None), "a whitespace separated list", " ".join)


def integer(lower: int | None = None, upper: int | None = None) -> FlagKind:
    """Integers between bounds, both inclusive."""
    return _bounded(_integer, "an integer", "integer", lower, upper)


def float_number(lower: float | None = None, upper: float | None = None) -> FlagKind:
    """Floating-point numbers between bounds, both inclusive."""
    return _bounded(float, "a number", "number", lower, upper)


def _bounded(
    convert: Callable[[Any], Any], description: str, noun: str, lower: Any, upper: Any
) -> FlagKind:
    bounds = [f">= {lower}"] * (lower is not None) + [f"<= {upper}"] * (upper is not None)

    def convert_bounded(value: Any) -> Any:
        number = convert(value)
        if (lower is not None and number < lower) or (upper is not None and number > upper):
            raise ValueError(f"{number} is not {noun} {' and '.join(bounds)}")
        return number

    return FlagKind(convert_bounded, " ".join([description, " and ".join(bounds)]).strip())


def one_of(values: Sequence[str], case_sensitive: bool = True) -> FlagKind:
    """One of some strings."""
    spelling = {value if case_sensitive else value.lower(): value for value in values}

    def convert(value: Any) -> str:
        found = spelling.get(value if case_sensitive else str(value).lower())
        if found is None:
            raise ValueError(f"value should be one of <{'|'.join(values)}>")
        return found

    return FlagKind(convert, f"<{'|'.join(values)}>")


def member_of(enum_class: type[enum.Enum], case_sensitive: bool = False) -> FlagKind:
    """A member of an Enum, by its name."""
    names = one_of(list(enum_class.__members__), case_sensitive)

    def convert(value: Any) -> enum.Enum:
        return value if isinstance(value, enum_class) else enum_class[names.convert(value)]

    return FlagKind(convert, names.description, lambda member: member.name)


def repeated(kind: FlagKind) -> FlagKind:
    """A flag that may be given several times; its value is the list of what it was given."""

    def convert(value: Any) -> list[Any]:
        items = value if isinstance(value, (list, tuple)) else [value]
        return [kind.convert(item) for item in items]

    description = f"{kind.description}; repeat this option to specify a list of values"
    return FlagKind(convert, description, kind.to_text, repeats=True)
