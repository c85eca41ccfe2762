"""Sets of code points as sorted ranges, and the UTF-8 of a set as a pattern of bytes.

    letters = ranges([(0x61, 0x7A)])        complement(letters)        folded(letters)

A set is a list of (first, last), sorted, without overlaps.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from featherflow.kernels.unicode_scripts import SCRIPTS, script_ranges

Range = tuple[int, int]
CodePoints = list[Range]

LAST = 0x10FFFF
#: What `.` and negated classes take beyond ASCII. The patterns of a whole plane are wider than
#: valid UTF-8 by its overlong forms and by what is above 10FFFF, as RE2 has it.
_BEYOND_ASCII = (
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf][\x80-\xbf]"
    rb"|[\xf0-\xf4][\x80-\xbf][\x80-\xbf][\x80-\xbf]"
)


def ranges(pairs: Iterable[Range]) -> CodePoints:
    """The union of ranges."""
    result: CodePoints = []
    for first, last in sorted(pairs):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return result


def complement(points: CodePoints) -> CodePoints:
    """All other code points."""
    result, next_free = [], 0
    for first, last in points:
        if first > next_free:
            result.append((next_free, first - 1))
        next_free = last + 1
    if next_free <= LAST:
        result.append((next_free, LAST))
    return result


# --- letter case ----------------------------------------------------------------------------------


def _simple_fold(character: str) -> str:
    """The one character that stands for all its cases."""
    for fold in (character.casefold(), character.lower()):
        if len(fold) == 1:
            return fold
    return character


@lru_cache(maxsize=1)
def _orbits() -> tuple[list[int], dict[int, list[int]]]:
    """(code points that have cases, all cases of each)."""
    by_fold: dict[str, list[int]] = defaultdict(list)
    for point in range(0x1F000):  # no letters with cases are above
        character = chr(point)
        fold = _simple_fold(character)
        if fold != character:
            by_fold[fold].append(point)
    cases: dict[int, list[int]] = {}
    for fold, points in by_fold.items():
        orbit = [ord(fold), *points]
        cases.update(dict.fromkeys(orbit, orbit))
    return sorted(cases), cases


def folded(points: CodePoints) -> CodePoints:
    """The set with the other cases of its letters."""
    keys, cases = _orbits()
    extra: list[Range] = []
    for first, last in points:
        at = bisect_left(keys, first)
        while at < len(keys) and keys[at] <= last:
            extra += [(case, case) for case in cases[keys[at]]]
            at += 1
    return ranges([*points, *extra])


# --- properties -----------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _categories() -> dict[str, CodePoints]:
    """The ranges of each general category, such as "Lu", and of each group of them, such as "L"."""
    found: dict[str, list[Range]] = defaultdict(list)
    first, current = 0, unicodedata.category("\0")
    for point in range(1, LAST + 2):
        category = unicodedata.category(chr(point)) if point <= LAST else ""
        if category != current:
            found[current].append((first, point - 1))
            first, current = point, category
    del found["Cn"]  # what is not assigned is no category that patterns know
    for category in list(found):
        found[category[0]] += found[category]
    return {category: ranges(pairs) for category, pairs in found.items()}


def property_points(name: str) -> CodePoints | None:
    """The set that `\\p{name}` names: a category, a script, or Any; None if there is none."""
    if name == "Any":
        return [(0, LAST)]
    if name in SCRIPTS:
        return script_ranges(name)
    return _categories().get(name)


# --- UTF-8 ----------------------------------------------------------------------------------------


def utf8_pattern(points: CodePoints) -> bytes:
    """A pattern of Python's `re` for the UTF-8 of the code points of a set."""
    if not points:
        return b"(?!)"
    ascii_part = [(first, min(last, 0x7F)) for first, last in points if first <= 0x7F]
    rest = [(max(first, 0x80), last) for first, last in points if last >= 0x80]
    alternatives = [_byte_class(ascii_part)] if ascii_part else []
    if rest == [(0x80, LAST)]:
        alternatives.append(_BEYOND_ASCII)
    else:
        alternatives += _multibyte(rest)
    if len(alternatives) == 1 and ascii_part:
        return alternatives[0]
    return b"(?:" + b"|".join(alternatives) + b")"


def _byte_class(pairs: Iterable[Range]) -> bytes:
    pairs = ranges(pairs)
    if len(pairs) == 1 and pairs[0][0] == pairs[0][1]:
        return b"\\x%02x" % pairs[0][0]
    text = [
        b"\\x%02x" % low if low == high else b"\\x%02x-\\x%02x" % (low, high) for low, high in pairs
    ]
    return b"[" + b"".join(text) + b"]"


def _multibyte(points: CodePoints) -> list[bytes]:
    """Alternatives for code points from 0x80; those that differ in the last byte only are one."""
    lasts: dict[tuple[Range, ...], list[Range]] = defaultdict(list)
    for first, last in points:
        for low, high in ((0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, LAST)):
            if first <= high and last >= low:
                start, stop = _encoded(max(first, low)), _encoded(min(last, high))
                for *head, tail in _sequences(start, stop):
                    lasts[tuple(head)].append(tail)
    return [
        b"".join(_byte_class([pair]) for pair in head) + _byte_class(tails)
        for head, tails in lasts.items()
    ]


def _encoded(point: int) -> bytes:
    return chr(point).encode("utf-8", "surrogatepass")


def _sequences(start: bytes, stop: bytes) -> list[list[Range]]:
    """Ranges of bytes whose products are the encodings from `start` to `stop`, of one length."""
    if len(start) == 1:
        return [[(start[0], stop[0])]]
    low_tail, high_tail = b"\x80" * (len(start) - 1), b"\xbf" * (len(start) - 1)
    if start[0] == stop[0]:
        return [[(start[0], start[0]), *rest] for rest in _sequences(start[1:], stop[1:])]
    result: list[list[Range]] = []
    low, high = start[0], stop[0]
    if start[1:] != low_tail:
        result += [[(low, low), *rest] for rest in _sequences(start[1:], high_tail)]
        low += 1
    tail: list[list[Range]] = []
    if stop[1:] != high_tail:
        tail = [[(high, high), *rest] for rest in _sequences(low_tail, stop[1:])]
        high -= 1
    if low <= high:
        result.append([(low, high), *[(0x80, 0xBF)] * (len(start) - 1)])
    return result + tail
