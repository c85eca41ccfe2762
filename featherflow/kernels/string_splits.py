"""Splitting strings into the rows of a sparse matrix, and n-grams of rows.

The parts of all strings come as one list with their places:

    indices[k] = (string, place in it)        shape = (strings, most parts of one)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from featherflow.kernels.string_arrays import flat, from_list

_WHITE_SPACE = b" \t\n\x0b\x0c\r"


def split_rows(
    strings: np.ndarray, split: Callable[[bytes], list[bytes]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(indices, values, shape) of the parts into which `split` takes each string of a vector."""
    rows = [split(item) for item in flat(strings)]
    lengths = np.array([len(row) for row in rows], np.int64)
    values = from_list([part for row in rows for part in row], (int(lengths.sum()),))
    starts = np.cumsum(lengths) - lengths
    row_numbers = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    places = np.arange(len(values), dtype=np.int64) - np.repeat(starts, lengths)
    shape = np.array([len(rows), lengths.max(initial=0)], np.int64)
    return np.stack([row_numbers, places], axis=1), values, shape


def splitter_at_bytes(delimiters: bytes, skip_empty: bool) -> Callable[[bytes], list[bytes]]:
    """Splits at each byte of `delimiters`; without any, into single bytes."""
    if not delimiters:
        return lambda text: [text[at : at + 1] for at in range(len(text))]
    first = delimiters[:1]
    same = bytes.maketrans(delimiters, first * len(delimiters))

    def split(text: bytes) -> list[bytes]:
        if not skip_empty:
            return _split_as_marked(text, text.translate(same), first) if text else []
        return [part for part in _split_as_marked(text, text.translate(same), first) if part]

    return split


def _split_as_marked(text: bytes, marked: bytes, mark: bytes) -> list[bytes]:
    """`text` split where `marked`, which is as long, has a mark."""
    parts, at = [], 0
    for part in marked.split(mark):
        parts.append(text[at : at + len(part)])
        at += len(part) + 1
    return parts


def splitter_at_text(separator: bytes, maxsplit: int) -> Callable[[bytes], list[bytes]]:
    """Splits at `separator`, `maxsplit` times at most unless that is negative.

    Without a separator it splits at white space and leaves out what is empty; but if it stops at
    `maxsplit` words, what is left, without white space before it, is one more even where empty.
    """
    limit = -1 if maxsplit < 0 else maxsplit
    if separator:
        return lambda text: text.split(separator, limit)
    if limit == 0:
        return lambda text: [text]
    return lambda text: _split_at_white_space(text, limit)


def _split_at_white_space(text: bytes, limit: int) -> list[bytes]:
    if limit < 0:
        return text.split()
    parts: list[bytes] = []
    rest = text.lstrip(_WHITE_SPACE)
    while rest and len(parts) < limit:
        word = rest.split(None, 1)[0]
        parts.append(word)
        rest = rest[len(word) :].lstrip(_WHITE_SPACE)
    return [*parts, rest] if len(parts) == limit else parts


def row_ngrams(
    words: Sequence[bytes],
    widths: Sequence[int],
    separator: bytes,
    pads: tuple[bytes, bytes],
    pad_width: int,
    keep_short: bool,
) -> list[bytes]:
    """The n-grams of one row, width by width.

    Args:
      words: the row.
      widths: the sizes n.
      separator: stands between the words of an n-gram.
      pads: what stands before and after the row.
      pad_width: how many of them, n − 1 at most; negative is n − 1.
      keep_short: a row too short for every width counts as one n-gram.
    """
    result: list[bytes] = []
    for width in widths:
        pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
        padded = [pads[0]] * pad + list(words) + [pads[1]] * pad
        for start in range(len(padded) - width + 1):
            result.append(separator.join(padded[start : start + width]))
    if not result and keep_short and words:
        pad = max(0, pad_width)
        whole = [pads[0]] * pad + list(words) + [pads[1]] * pad
        result.append(separator.join(whole))
    return result
