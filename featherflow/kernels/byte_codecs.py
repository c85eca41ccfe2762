"""Bytes as text and back (base64), as numbers (raw), and compressed."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Callable

import numpy as np

from featherflow.framework.errors import DataLossError, InvalidArgumentError
from featherflow.kernels.string_arrays import flat

_BASE64 = re.compile(rb"[A-Za-z0-9_-]*")


def encode_base64(text: bytes, pad: bool) -> bytes:
    """Base64 for URLs: "-" and "_" are the last two digits."""
    encoded = base64.urlsafe_b64encode(text)
    return encoded if pad else encoded.rstrip(b"=")


def decode_base64(text: bytes) -> bytes:
    """The bytes of base64 for URLs, padded to a multiple of four or not at all.

    Raises:
      InvalidArgumentError: it is no such text.
    """
    digits = text
    if len(text) % 4 == 0:
        digits = text[: len(text) - text[-2:].count(b"=")] if text.endswith(b"=") else text
    if _BASE64.fullmatch(digits) is None or len(digits) % 4 == 1:
        raise InvalidArgumentError(None, None, "Invalid base64 data", received=repr(text[:40]))
    try:
        return base64.urlsafe_b64decode(digits + b"=" * (-len(digits) % 4))
    except binascii.Error:
        raise InvalidArgumentError(
            None, None, "Invalid base64 data", received=repr(text[:40])
        ) from None


def decode_raw(strings: np.ndarray, dtype: np.dtype, little_endian: bool) -> np.ndarray:
    """The bytes of each string as numbers, [..., numbers]; all strings must be of one length."""
    texts = flat(strings)
    size = len(texts[0]) if texts else 0
    for place, text in enumerate(texts):
        if len(text) != size:
            raise InvalidArgumentError(
                None,
                None,
                "DecodeRaw requires input strings to all be the same size",
                received=f"{size} bytes at 0 and {len(text)} at {place}",
            )
    if size % dtype.itemsize:
        raise InvalidArgumentError(
            None,
            None,
            "Input to DecodeRaw has a length that is no multiple of the size of a number",
            received=f"{size} bytes, {dtype.itemsize} a number",
        )
    numbers = _numbers(b"".join(texts), dtype, little_endian)
    return numbers.reshape(*strings.shape, size // dtype.itemsize)


def decode_padded_raw(
    strings: np.ndarray, length: int, dtype: np.dtype, little_endian: bool
) -> np.ndarray:
    """As `decode_raw` of the first `length` bytes of each string, or of zeros beyond its end."""
    padded = b"".join(text[:length].ljust(length, b"\0") for text in flat(strings))
    numbers = _numbers(padded, dtype, little_endian)
    return numbers.reshape(*strings.shape, length // dtype.itemsize)


def _numbers(content: bytes, dtype: np.dtype, little_endian: bool) -> np.ndarray:
    if dtype.kind == "b":
        return np.frombuffer(content, np.uint8) != 0
    # The parts of a complex number are swapped one by one.
    word = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    raw = np.frombuffer(content, np.uint8)
    if not little_endian:
        raw = raw.reshape(-1, word)[:, ::-1]
    return np.ascontiguousarray(raw).reshape(-1).view(dtype)


# --- compression ----------------------------------------------------------------------------------

_WINDOW_BITS = {"ZLIB": zlib.MAX_WBITS, "GZIP": 16 + zlib.MAX_WBITS}


def decompressor(kind: str) -> Callable[[bytes], bytes]:
    """A function that decompresses a string: "ZLIB", "GZIP" or "" for none.

    Raises:
      InvalidArgumentError: another kind.
    """
    if kind == "":
        return bytes
    if kind not in _WINDOW_BITS:
        raise InvalidArgumentError(
            None,
            None,
            "Only ZLIB, GZIP or NONE are supported compressions",
            received=f"'{kind}'",
        )
    return lambda text: _decompress(text, kind)


def _decompress(text: bytes, kind: str) -> bytes:
    """All that is there: a stream that breaks off gives what it holds; gzip may have several."""
    result, rest = [], text
    while rest:
        stream = zlib.decompressobj(_WINDOW_BITS[kind])
        try:
            result.append(stream.decompress(rest))
        except zlib.error as error:
            raise DataLossError(None, None, f"inflate() failed: {error}") from None
        rest = stream.unused_data if kind == "GZIP" else b""
    return b"".join(result)
