"""RE2's regular expressions translated to Python's, on bytes.

    alternation = concatenation ("|" concatenation)*
    concatenation = (atom repetition?)*
    atom = literal | class | group | assertion | "\\Q" … "\\E"

RE2 reads text as UTF-8, so that `.` and classes take whole characters: each becomes a pattern of
the bytes that encode it. What RE2 does not know (look-around, references) is refused as RE2 does.

See: Cox 2010, Regular Expression Matching in the Wild.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from featherflow.kernels.code_point_sets import (
    LAST,
    CodePoints,
    complement,
    folded,
    property_points,
    ranges,
    utf8_pattern,
)

_MAX_REPETITIONS = 1000
_DIGITS = [(0x30, 0x39)]
_WORD = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
_PERL_CLASSES = {"d": _DIGITS, "w": _WORD, "s": [(0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)]}
_POSIX_CLASSES: dict[str, CodePoints] = {
    "alnum": [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
    "alpha": [(0x41, 0x5A), (0x61, 0x7A)],
    "ascii": [(0x00, 0x7F)],
    "blank": [(0x09, 0x09), (0x20, 0x20)],
    "cntrl": [(0x00, 0x1F), (0x7F, 0x7F)],
    "digit": _DIGITS,
    "graph": [(0x21, 0x7E)],
    "lower": [(0x61, 0x7A)],
    "print": [(0x20, 0x7E)],
    "punct": [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
    "space": [(0x09, 0x0D), (0x20, 0x20)],
    "upper": [(0x41, 0x5A)],
    "word": _WORD,
    "xdigit": [(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
}
_CONTROLS = {"a": 0x07, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_REPETITION = re.compile(r"\{(\d+)(,?)(\d*)\}")
_GROUP_NAME = re.compile(r"\?P<(\w+)>")
_FLAGS = re.compile(r"\?([imsU]*)(-[imsU]+)?([:)])")
_ASSERTIONS = {"A": rb"\A", "z": rb"\Z", "b": rb"\b", "B": rb"(?!\b)"}


class PatternError(ValueError):
    """RE2 would not take the pattern."""


@dataclass(frozen=True)
class _Flags:
    """What `(?imsU)` sets: letter case, lines, `.` with ends of lines, reluctance."""

    i: bool = False
    m: bool = False
    s: bool = False
    U: bool = False


def translate(pattern: bytes) -> bytes:
    """A pattern of Python's `re` that matches the same bytes; groups keep their numbers.

    Raises:
      PatternError: it is no regular expression of RE2.
    """
    try:
        text = pattern.decode("utf-8")
    except UnicodeDecodeError:
        raise PatternError("invalid UTF-8") from None
    return _Parser(text).translated()


class _Parser:
    """Descends through a pattern and writes Python's as it goes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._flags = _Flags()

    def translated(self) -> bytes:
        """All of the pattern."""
        result, _ = self._alternation()
        if self._at < len(self._text):
            raise PatternError(f"unexpected ): {self._text}")
        return result

    # --- structure ------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise PatternError(f"pattern ends too early: {self._text}")
        self._at += 1
        return character

    def _skip(self, prefix: str) -> bool:
        found = self._text.startswith(prefix, self._at)
        if found:
            self._at += len(prefix)
        return found

    def _alternation(self) -> tuple[bytes, int]:
        """The pattern up to a closing parenthesis, and how often its parts repeat at most."""
        outer = self._flags
        branches, repeats = [], 1
        while True:
            branch, count = self._concatenation()
            branches.append(branch)
            repeats = max(repeats, count)
            if not self._skip("|"):
                break
        self._flags = outer
        return b"|".join(branches), repeats

    def _concatenation(self) -> tuple[bytes, int]:
        parts, repeats = [], 1
        while self._peek() not in ("", "|", ")"):
            if self._skip(r"\Q"):
                literal, found, _ = self._text[self._at :].partition(r"\E")
                self._at += len(literal) + (2 if found else 0)
                atoms = [self._literal(character) for character in literal]
                parts += atoms[:-1]
                atom, count = (atoms or [b""])[-1], 1
            else:
                atom, count = self._atom()
            if atom is None:  # flags for what follows
                self._refuse_repetition()
                continue
            atom, count = self._repeated(atom, count)
            parts.append(atom)
            repeats = max(repeats, count)
        return b"".join(parts), repeats

    def _refuse_repetition(self) -> None:
        if self._peek() in ("*", "+", "?") and self._peek():
            raise PatternError(f"no argument for repetition operator: {self._peek()}")

    def _repeated(self, atom: bytes, count: int) -> tuple[bytes, int]:
        """The atom with the repetition that follows it, if one does."""
        operator, most = self._repetition()
        if not operator:
            return atom, count
        reluctant = self._skip("?") != self._flags.U
        again, _ = self._repetition()
        if again:
            raise PatternError(f"bad repetition operator: {operator}{again}")
        if most > _MAX_REPETITIONS or most * count > _MAX_REPETITIONS:
            raise PatternError(f"invalid repetition size: {operator}")
        suffix = operator.encode() + (b"?" if reluctant else b"")
        return b"(?:" + atom + b")" + suffix, max(count, most * count)

    def _repetition(self) -> tuple[str, int]:
        """(operator, largest number in it) if a repetition stands here, and goes past it."""
        if self._peek() in ("*", "+", "?") and self._peek():
            return self._take(), 1
        found = _REPETITION.match(self._text, self._at)
        if found is None:
            return "", 0
        least, comma, most = found.groups()
        largest = max(int(least), int(most or 0))
        if most and int(least) > int(most):
            raise PatternError(f"invalid repetition size: {found[0]}")
        self._at = found.end()
        return f"{{{int(least)}{comma}{int(most) if most else ''}}}", largest

    # --- atoms ----------------------------------------------------------------------------

    def _atom(self) -> tuple[bytes | None, int]:
        """One atom, and how often its parts repeat; None for flags."""
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return self._written(self._class()), 1
        if character == "\\":
            return self._escaped(), 1
        if character == ".":
            points = [(0, LAST)] if self._flags.s else [(0, 9), (11, LAST)]
            return utf8_pattern(points), 1
        if character == "^":
            return (rb"(?:\A|(?<=\n))" if self._flags.m else rb"\A"), 1
        if character == "$":
            return (rb"(?=\n|\Z)" if self._flags.m else rb"\Z"), 1
        if character in "*+?":
            raise PatternError(f"no argument for repetition operator: {character}")
        return self._literal(character), 1

    def _literal(self, character: str) -> bytes:
        point = ord(character)
        return self._written([(point, point)])

    def _written(self, points: CodePoints) -> bytes:
        return utf8_pattern(folded(points) if self._flags.i else points)

    def _group(self) -> tuple[bytes | None, int]:
        outer, opening = self._flags, b"("
        name = _GROUP_NAME.match(self._text, self._at)
        if name is not None:
            self._at = name.end()
        elif self._peek() == "?":
            flags = _FLAGS.match(self._text, self._at)
            if flags is None:
                raise PatternError(f"invalid perl operator: ({self._text[self._at :][:2]}")
            self._at = flags.end()
            on, off = flags[1], (flags[2] or "")[1:]
            changes = {**dict.fromkeys(on, True), **dict.fromkeys(off, False)}
            self._flags = replace(self._flags, **changes)
            if flags[3] == ")":
                return None, 1
            opening = b"(?:"
        inner, repeats = self._alternation()
        self._flags = outer
        if not self._skip(")"):
            raise PatternError(f"missing ): {self._text}")
        return opening + inner + b")", repeats

    def _escaped(self) -> bytes:
        """What follows a backslash outside of classes."""
        character = self._peek()
        if character and character in _ASSERTIONS:
            self._at += 1
            return _ASSERTIONS[character]
        if character == "C":
            self._at += 1
            return rb"[\x00-\xff]"
        points = self._escaped_class()
        if points is None:
            point = self._escaped_point()
            points = [(point, point)]
        return self._written(points)

    # --- classes --------------------------------------------------------------------------

    def _class(self) -> CodePoints:
        """The set between brackets, the first of which is passed."""
        negated = self._skip("^")
        pairs: CodePoints = []
        first = True
        while first or self._peek() != "]":
            if self._peek() == "":
                raise PatternError(f"missing ]: {self._text}")
            pairs += self._class_item()
            first = False
        self._at += 1
        points = folded(ranges(pairs)) if self._flags.i else ranges(pairs)
        return complement(points) if negated else points

    def _class_item(self) -> CodePoints:
        """A range, a named class or a character."""
        if self._text.startswith("[:", self._at) and ":]" in self._text[self._at + 2 :]:
            return self._posix_class()
        if self._peek() == "\\":
            self._at += 1
            points = self._escaped_class()
            if points is not None:
                return points
            self._at -= 1
        low = self._class_point()
        if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
            self._at += 1
            high = self._class_point()
            if high < low:
                raise PatternError(f"invalid character class range: {chr(low)}-{chr(high)}")
            return [(low, high)]
        return [(low, low)]

    def _class_point(self) -> int:
        character = self._take()
        return self._escaped_point() if character == "\\" else ord(character)

    def _posix_class(self) -> CodePoints:
        end = self._text.index(":]", self._at + 2)
        name = self._text[self._at + 2 : end]
        points = _POSIX_CLASSES.get(name.removeprefix("^"))
        if points is None:
            raise PatternError(f"invalid character class range: [:{name}:]")
        self._at = end + 2
        return complement(points) if name.startswith("^") else points

    def _escaped_class(self) -> CodePoints | None:
        """The set after a backslash, `d`, `S` or `pL`; None if none stands here."""
        character = self._peek()
        if character and character.lower() in _PERL_CLASSES:
            self._at += 1
            points = _PERL_CLASSES[character.lower()]
            return complement(points) if character.isupper() else points
        if character not in ("p", "P") or not character:
            return None
        self._at += 1
        name = self._take()
        if name == "{":
            name, closed, _ = self._text[self._at :].partition("}")
            if not closed:
                raise PatternError(f"invalid character class range: {self._text}")
            self._at += len(name) + 1
        points = property_points(name.removeprefix("^"))
        if points is None:
            raise PatternError(f"invalid character class range: \\p{{{name}}}")
        if self._flags.i:
            points = folded(points)
        return complement(points) if (character == "P") != name.startswith("^") else points

    def _escaped_point(self) -> int:
        """The code point after a backslash."""
        character = self._take()
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "x":
            return self._hexadecimal()
        if character in "01234567":
            if character != "0" and self._peek() not in tuple("01234567"):
                raise PatternError(f"invalid escape sequence: \\{character}")
            digits = character
            while len(digits) < 3 and self._peek() in tuple("01234567"):
                digits += self._take()
            return int(digits, 8)
        if character.isascii() and not character.isalnum():
            return ord(character)
        raise PatternError(f"invalid escape sequence: \\{character}")

    def _hexadecimal(self) -> int:
        found = re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2})").match(self._text, self._at)
        value = int(found[1] or found[2], 16) if found else LAST + 1
        if found is None or value > LAST:
            raise PatternError("invalid escape sequence: \\x")
        self._at = found.end()
        return value
