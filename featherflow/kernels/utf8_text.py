"""Characters of UTF-8 text: how many there are, and where.

A character starts at every byte that is not a continuation byte (0x80 to 0xBF), valid or not.
"""

from __future__ import annotations

_CONTINUATION = bytes(range(0x80, 0xC0))


def character_count(text: bytes) -> int:
    """How many characters start in `text`."""
    return len(text.translate(None, _CONTINUATION))


def character_starts(text: bytes) -> list[int]:
    """Where characters start, and the length of `text`; the first one starts at 0 in any case."""
    if not text:
        return [0]
    later = (at for at in range(1, len(text)) if text[at] & 0xC0 != 0x80)
    return [0, *later, len(text)]


def byte_slice(text: bytes, start: int, length: int) -> bytes | None:
    """`length` bytes from `start`, which counts from the end if negative; None if it is outside.

    A negative length is all that follows.
    """
    if not -len(text) <= start <= len(text):
        return None
    begin = start + len(text) if start < 0 else start
    return text[begin:] if length < 0 else text[begin : begin + length]


def character_slice(text: bytes, start: int, length: int) -> bytes | None:
    """`length` characters from the character `start`; None if that is outside.

    A negative length is none.
    """
    if start < 0:  # whatever precedes the first start of a character cannot be counted to
        places = [at for at in range(len(text)) if text[at] & 0xC0 != 0x80] + [len(text)]
    else:
        places = character_starts(text)
    count = len(places) - 1
    if not -count <= start <= count:
        return None
    begin = start + count if start < 0 else start
    return text[places[begin] : places[min(begin + max(length, 0), count)]]
