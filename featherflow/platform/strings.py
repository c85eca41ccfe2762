"""tf.compat: conversions between text and bytes, and the types that programs check against."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_value

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)

for _name in ("bytes_or_text_types", "complex_types", "integral_types", "real_types"):
    export_value(__name__, _name, f"compat.{_name}")


@export("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text encoded; bytes as they are.

    >>> as_bytes("naïve")
    b'na\\xc3\\xafve'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_text", "compat.as_str")
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded; text as it is.

    >>> as_text(b"abc")
    'abc'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_str_any")
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Any value as text; bytes are decoded.

    >>> as_str_any(3)
    '3'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@export("compat.path_to_str")
def path_to_str(path: Any) -> Any:
    """A path object as text; anything else as it is."""
    return as_str_any(path.__fspath__()) if isinstance(path, os.PathLike) else path
