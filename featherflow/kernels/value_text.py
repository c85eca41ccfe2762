"""Arrays as text: the two forms in which TensorFlow prints values."""

from __future__ import annotations

from typing import Any

import numpy as np

_ESCAPES = {
    0x0A: "\\n",
    0x0D: "\\r",
    0x09: "\\t",
    0x22: '\\"',
    0x27: "\\'",
    0x5C: "\\\\",
}
#: Types whose elements are printed with as few digits as tell them apart: (few, enough).
_DIGITS = {"float64": (15, 17)}
_FEW_AND_ENOUGH = (6, 9)


def element_text(value: Any) -> str:
    """One element: the shortest decimal of a float that reads back as itself, strings escaped."""
    if isinstance(value, bytes):
        return _escaped(value)
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return "?"
    kind = getattr(getattr(value, "dtype", None), "name", "float64")
    number = float(value)
    few, enough = _DIGITS.get(kind, _FEW_AND_ENOUGH)
    text = f"{number:.{few}g}"
    same = float(text) == number if kind == "float64" else np.float32(text) == np.float32(number)
    return text if same or number != number else f"{number:.{enough}g}"


def _escaped(value: bytes) -> str:
    parts = []
    for byte in value:
        if byte in _ESCAPES:
            parts.append(_ESCAPES[byte])
        elif byte < 0x20 or byte == 0x7F:
            parts.append(f"\\{byte:03o}")
        else:
            # What is beyond ASCII stays: it is UTF-8 as a rule.
            parts.append(chr(byte))
    return "".join(parts).encode("latin-1").decode("utf-8", "surrogateescape")


def summary(array: np.ndarray, limit: int) -> str:
    """The first `limit` elements in brackets, "..." for the rest; −1 is all.

    >>> summary(np.arange(6).reshape(3, 2), 3)
    '[0 1][2...]...'
    """
    if array.size == 0:
        return ""
    limit = array.size if limit < 0 else limit
    if array.ndim == 0:
        return element_text(array[()]) if limit else "..."
    text, shown = _rows(array, limit)
    return text + "..." if (shown < array.size and array.ndim > 1) or not limit else text


def _rows(array: np.ndarray, limit: int) -> tuple[str, int]:
    """The text of the rows of `array` up to `limit` elements, and the number of these."""
    if array.ndim == 1:
        shown = min(limit, len(array))
        text = " ".join(element_text(item) for item in array[:shown])
        return (text + "..." if 0 < shown < len(array) else text), shown
    parts, total = [], 0
    for row in array:
        if total >= limit:
            break
        text, shown = _rows(row, limit - total)
        parts.append(f"[{text}]")
        total += shown
    return "".join(parts), total


def formatted(array: np.ndarray, edge: int) -> str:
    """All dimensions in brackets and lines, as NumPy prints them; strings in quotes.

    >>> formatted(np.arange(7), 2)
    '[0 1 ... 5 6]'

    Args:
      edge: the number of items at each end of a dimension that are shown; −1 is all.
    """
    edge = array.size if edge < 0 else min(edge, array.size)
    if array.ndim == 0:
        return _quoted(array[()]) if edge else "..."
    return _dimension(array, edge, 0, array.ndim)


def _dimension(array: np.ndarray, edge: int, depth: int, ndim: int) -> str:
    is_last = depth == ndim - 1
    separator = " " if is_last else "\n" * (ndim - 1 - depth) + " " * (depth + 1)
    count = len(array)
    if 2 * edge >= count:
        chosen: list[int | None] = list(range(count))
    else:
        chosen = [*range(edge), None, *range(count - edge, count)]
    text = ""
    for place, index in enumerate(chosen):
        if place or index is None:
            text += separator
        if index is None:
            text += "..."
        else:
            item = array[index]
            text += _quoted(item) if is_last else _dimension(item, edge, depth + 1, ndim)
    return f"[{text}]"


def _quoted(value: Any) -> str:
    text = element_text(value)
    return f'"{text}"' if isinstance(value, bytes) else text
