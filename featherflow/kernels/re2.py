"""Matching and replacing with RE2's regular expressions; see `re2_syntax`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.re2_syntax import PatternError, translate


@lru_cache(maxsize=256)
def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """The pattern, translated.

    Raises:
      InvalidArgumentError: it is no regular expression of RE2.
    """
    try:
        return re.compile(translate(pattern))
    except (PatternError, re.error, OverflowError, RecursionError) as error:
        raise InvalidArgumentError(
            None,
            None,
            f"Invalid pattern: {pattern.decode('utf-8', 'backslashreplace')}, error: {error}",
        ) from None


_PART = re.compile(rb"[^\\]+|\\(?:[0-9]|\\)|\\", re.DOTALL)


def _rewrite_part(part: bytes) -> bytes | int | None:
    """Text to insert, the number of a group, or None for a backslash that means nothing."""
    if not part.startswith(b"\\"):
        return part
    if part == b"\\":
        return None
    return b"\\" if part[1:] == b"\\" else int(part[1:])


class Replacer:
    """Replaces matches of `pattern` by `rewrite`, in which \\1 is group 1 and \\0 the match.

    A rewrite that names groups that do not exist replaces nothing. One with another backslash
    counts up to there in a global replacement, and replaces nothing otherwise.
    """

    def __init__(self, pattern: bytes, rewrite: bytes, everywhere: bool) -> None:
        self._pattern = compiled(pattern)
        self._everywhere = everywhere
        parts = [_rewrite_part(part) for part in _PART.findall(rewrite)]
        self._is_valid = None not in parts
        end = len(parts) if self._is_valid else parts.index(None)
        self._parts = parts[:end]
        groups = [part for part in parts if isinstance(part, int)]
        self._has_groups = max(groups, default=0) <= self._pattern.groups

    def __call__(self, text: bytes) -> bytes:
        """`text` with its matches replaced."""
        if not self._has_groups:
            return text
        if self._everywhere:
            return self._replace_all(text)
        match = self._pattern.search(text)
        if match is None or not self._is_valid:
            return text
        return text[: match.start()] + self._rewritten(match) + text[match.end() :]

    def _rewritten(self, match: re.Match[bytes]) -> bytes:
        return b"".join(
            (match[part] or b"") if isinstance(part, int) else part or b"" for part in self._parts
        )

    def _replace_all(self, text: bytes) -> bytes:
        """From left to right; an empty match does not follow directly upon another match."""
        result, at, last_end = [], 0, -1
        while at <= len(text):
            match = self._pattern.search(text, at)
            if match is None:
                break
            result.append(text[at : match.start()])
            if match.start() == match.end() == last_end:
                step = _character_size(text, at)
                result.append(text[at : at + step])
                at += step
                continue
            result.append(self._rewritten(match))
            at = last_end = match.end()
        return b"".join([*result, text[at:]])


def _character_size(text: bytes, at: int) -> int:
    """The bytes of the character at `at`; 1 for what is no UTF-8."""
    for size in range(1, 5):
        try:
            text[at : at + size].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            continue
        return size
    return 1


def full_matcher(pattern: bytes) -> Callable[[bytes], bool]:
    """A function that says whether all of a text matches."""
    matches = compiled(pattern).fullmatch
    return lambda text: matches(text) is not None
