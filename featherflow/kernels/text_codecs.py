"""Text between encodings: code points with the bytes at which they start, and back.

Python's codecs do the work; this module finds out where characters and errors are, and what to
put in the place of errors.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

#: Stands for bytes that encode nothing.
INVALID = -1

_NOT_ENCODINGS = {
    "idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-8-sig",
}  # fmt: skip
_LAST_CONTROL = 0x1F


@dataclass(frozen=True)
class ErrorPolicy:
    """What to do with bytes or numbers that are no characters.

    Attributes:
      errors: "strict" refuses, "replace" puts `replacement` in their place, "ignore" drops them.
      replacement: a code point.
      controls: whether the characters below 0x20 count as errors.
      strict_controls: whether "strict" refuses these, too; otherwise it replaces them.
    """

    errors: str
    replacement: int
    controls: bool = False
    strict_controls: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.replacement <= 0x10FFFF:
            raise InvalidArgumentError(
                None,
                None,
                "replacement_char out of unicode codepoint range",
                received=self.replacement,
            )

    def applied(self, points: Sequence[int], places: Sequence[int]) -> tuple[list[int], list[int]]:
        """(code points, places) without errors.

        Raises:
          InvalidArgumentError: there are some and `errors` is "strict".
        """
        result: tuple[list[int], list[int]] = ([], [])
        for point, place in zip(points, places):
            if point == INVALID or (self.controls and point <= _LAST_CONTROL):
                if self.errors == "strict" and (point == INVALID or self.strict_controls):
                    raise InvalidArgumentError(
                        None, None, "Invalid formatting on input string", received=f"byte {place}"
                    )
                if self.errors == "ignore":
                    continue
                point = self.replacement
            result[0].append(point)
            result[1].append(place)
        return result


def find_codec(name: str) -> codecs.CodecInfo:
    """Python's codec for an encoding.

    Raises:
      InvalidArgumentError: there is none.
    """
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        codec = None
    if not name or codec is None or not codec._is_text_encoding or codec.name in _NOT_ENCODINGS:
        raise InvalidArgumentError(
            None, None, "Could not create converter for input encoding", received=f"'{name}'"
        )
    return codec


# --- decoding -------------------------------------------------------------------------------------


def decoded(text: bytes, codec: codecs.CodecInfo) -> tuple[list[int], list[int]]:
    """(code points, the byte at which each starts); INVALID for what encodes nothing."""
    points: list[int] = []
    places: list[int] = []
    skipped = 0
    if codec.name in ("utf-16", "utf-32"):
        codec, skipped = _with_byte_order(text, codec)
    for start, part in _parts(text[skipped:], codec):
        if part is None:
            points.append(INVALID)
            places.append(start + skipped)
            continue
        points += map(ord, part)
        places += (np.array(_starts(part, codec), np.int64) + start + skipped).tolist()
    if skipped and places:
        places[0] = 0  # the mark goes with the first character
    return points, places


def _with_byte_order(text: bytes, codec: codecs.CodecInfo) -> tuple[codecs.CodecInfo, int]:
    """The codec that the mark at the beginning names, and the size of the mark."""
    size = int(codec.name[-2:]) // 8
    for order in ("le", "be"):
        mark = "\ufeff".encode(f"{codec.name}-{order}")
        if text.startswith(mark):
            return codecs.lookup(f"{codec.name}-{order}"), size
    return codecs.lookup(f"{codec.name}-be"), 0


def _parts(text: bytes, codec: codecs.CodecInfo) -> Iterator[tuple[int, str | None]]:
    """(place, characters) of the stretches without errors, (place, None) of each error."""
    at = 0
    while at < len(text):
        try:
            yield at, codec.decode(text[at:], "strict")[0]
            return
        except UnicodeDecodeError as error:
            first, last = error.start, max(error.end, error.start + 1)
        if first:
            yield at, codec.decode(text[at : at + first], "strict")[0]
        byte = text[at + first]
        # Windows' code pages leave some of 0x80 to 0x9F open: they stand for themselves.
        is_open = codec.name.startswith("cp125") and 0x80 <= byte <= 0x9F
        yield at + first, chr(byte) if is_open else None
        at += last


def _starts(part: str, codec: codecs.CodecInfo) -> list[int]:
    """Where each character starts in the encoding of `part`."""
    if codec.name == "utf-8":
        sizes = [1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff") for c in part]
    elif codec.name.startswith("utf-16"):
        sizes = [2 + 2 * (c > "\uffff") for c in part]
    elif codec.name.startswith("utf-32"):
        sizes = [4] * len(part)
    else:
        encoder = codecs.getincrementalencoder(codec.name)("replace")
        sizes = [len(encoder.encode(c)) for c in part]
    return [0, *np.cumsum(sizes[:-1]).tolist()]


# --- encoding -------------------------------------------------------------------------------------


def encoded(points: Sequence[int], encoding: str) -> bytes:
    """Code points as bytes of UTF-8, UTF-16-BE or UTF-32-BE."""
    return "".join(map(chr, points)).encode(encoding, "surrogatepass")


def is_character(point: int) -> bool:
    """Whether a number is a code point, and not half of one."""
    return 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF
