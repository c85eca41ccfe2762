"""WAV files of 16-bit samples: what DecodeWav reads and EncodeWav writes.

A file is "RIFF", a size, "WAVE" and chunks, each a name of 4 bytes, a size and its bytes. The
format chunk says how the samples of the data chunk lie. Numbers are little-endian.

See: Microsoft & IBM 1991, "Multimedia Programming Interface and Data Specifications 1.0".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from featherflow.framework.errors import InvalidArgumentError

_PCM = 1
_BYTES = 2
_SCALE = 1 << 15


@dataclass(frozen=True)
class Sound:
    """Samples, `[samples, channels]` from −1 to 1, and how many there are in a second."""

    samples: np.ndarray
    sample_rate: int


def _refuse(message: str, received: Any = None, expected: Any = None) -> NoReturn:
    raise InvalidArgumentError(None, None, message, received=received, expected=expected)


class _Reader:
    """Takes bytes from the front of a file."""

    def __init__(self, contents: bytes) -> None:
        self._contents = contents
        self._place = 0

    @property
    def is_at_end(self) -> bool:
        return self._place >= len(self._contents)

    def take(self, count: int) -> bytes:
        if self._place + count > len(self._contents):
            _refuse(
                "The WAV file ends too early",
                f"{len(self._contents)} bytes",
                f"{self._place + count} bytes or more",
            )
        self._place += count
        return self._contents[self._place - count : self._place]

    def skip(self, count: int) -> None:
        self._place += count

    def expect(self, name: bytes) -> None:
        found = self.take(4)
        if found != name:
            _refuse("Header mismatch in a WAV file", repr(found), repr(name))

    def size(self) -> int:
        return struct.unpack("<I", self.take(4))[0]


def decode_wav(contents: bytes) -> Sound:
    """The samples of a file.

    Raises:
      InvalidArgumentError: it is not a WAV file, or its samples are not of 16 bits.
    """
    reader = _Reader(contents)
    reader.expect(b"RIFF")
    reader.size()  # of the file; not relied on
    reader.expect(b"WAVE")
    reader.expect(b"fmt ")
    channels, sample_rate = _format(reader)
    samples = None
    while not reader.is_at_end:
        name, size = reader.take(4), reader.size()
        if name != b"data":
            reader.skip(size)
            continue
        if samples is not None:
            _refuse("More than one data chunk found in a WAV file")
        row = _BYTES * channels
        samples = np.frombuffer(reader.take(size // row * row), "<i2").reshape(-1, channels)
    if samples is None:
        _refuse("No data chunk found in a WAV file")
    return Sound(samples.astype(np.float32) / np.float32(_SCALE), sample_rate)


def _format(reader: _Reader) -> tuple[int, int]:
    """Reads the format chunk behind its name; returns the channels and the sample rate."""
    size = reader.size()
    if size not in (16, 18):
        _refuse("Bad format chunk size in a WAV file", size, "16 or 18")
    kind, channels, rate, per_second, per_sample, bits = struct.unpack("<HHIIHH", reader.take(16))
    reader.skip(size - 16)
    if kind != _PCM:
        _refuse("Bad audio format in a WAV file", kind, f"{_PCM} (PCM)")
    if not channels:
        _refuse("Bad number of channels in a WAV file", channels, "1 or more")
    if bits != 8 * _BYTES:
        _refuse("Can only read 16-bit WAV files", bits)
    if per_sample != _BYTES * channels:
        _refuse("Bad bytes per sample in a WAV header", per_sample, _BYTES * channels)
    if per_second != per_sample * rate:
        _refuse("Bad bytes per second in a WAV header", per_second, per_sample * rate)
    return channels, rate


def fit_sound(samples: np.ndarray, channels: int, count: int) -> np.ndarray:
    """`samples` cut off, or filled up, to `[count, channels]`; −1 takes what there is.

    Further samples are 0, further channels copies of the last one.
    """
    channels = samples.shape[1] if channels < 0 else channels
    count = len(samples) if count < 0 else count
    result = np.zeros((count, channels), np.float32)
    sources = np.minimum(np.arange(channels), samples.shape[1] - 1)
    kept = samples[:count, sources]
    result[: len(kept)] = kept
    return result


def encode_wav(samples: np.ndarray, sample_rate: int) -> bytes:
    """A file of `samples`, `[samples, channels]`, rounded to 16 bits, halves away from 0."""
    channels = samples.shape[1]
    scaled = samples.astype(np.float64) * _SCALE
    rounded = np.trunc(np.nan_to_num(scaled + np.copysign(0.5, scaled), nan=0.0))
    data = np.clip(rounded, -_SCALE, _SCALE - 1).astype("<i2").tobytes()
    row = _BYTES * channels
    form = struct.pack(
        "<HHIIHH", _PCM, channels, sample_rate, sample_rate * row & 0xFFFFFFFF, row, 8 * _BYTES
    )
    chunks = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data))
    return b"RIFF" + struct.pack("<I", len(chunks) + len(data)) + chunks + data
