"""FarmHash's Fingerprint64 of byte strings: the same number on every machine and for ever.

    h = mix(weak hashes of 64-byte blocks)       for strings longer than 64 bytes
    h = hash16(words of both ends, multiplied)   for shorter ones, by length class

All arithmetic is modulo 2⁶⁴. Python's integers do it: most strings that are hashed are words.

See: Pike 2014, FarmHash, the function farmhashna::Hash64.
"""

from __future__ import annotations

from functools import lru_cache
from struct import unpack_from

_MASK = 0xFFFFFFFFFFFFFFFF
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


@lru_cache(maxsize=65536)
def fingerprint64(text: bytes) -> int:
    """The fingerprint of `text`, unsigned."""
    size = len(text)
    if size <= 16:
        return _hash_to_16(text, size)
    if size <= 32:
        return _hash_17_to_32(text, size)
    if size <= 64:
        return _hash_33_to_64(text, size)
    return _hash_long(text, size)


def _rotate(value: int, shift: int) -> int:
    return ((value >> shift) | (value << (64 - shift))) & _MASK


def _shift_mix(value: int) -> int:
    return value ^ (value >> 47)


def _hash_16(low: int, high: int, multiplier: int) -> int:
    first = _shift_mix(((low ^ high) * multiplier) & _MASK)
    second = _shift_mix(((high ^ first) * multiplier) & _MASK)
    return (second * multiplier) & _MASK


def _words(text: bytes, *places: int) -> list[int]:
    return [unpack_from("<Q", text, place)[0] for place in places]


def _hash_to_16(text: bytes, size: int) -> int:
    if size >= 8:
        multiplier = (_K2 + size * 2) & _MASK
        a, b = _words(text, 0, size - 8)
        a = (a + _K2) & _MASK
        c = (_rotate(b, 37) * multiplier + a) & _MASK
        d = ((_rotate(a, 25) + b) * multiplier) & _MASK
        return _hash_16(c, d, multiplier)
    if size >= 4:
        multiplier = (_K2 + size * 2) & _MASK
        a, b = unpack_from("<I", text, 0)[0], unpack_from("<I", text, size - 4)[0]
        return _hash_16((size + (a << 3)) & _MASK, b, multiplier)
    if size:
        first, middle, last = text[0], text[size >> 1], text[-1]
        y, z = first + (middle << 8), size + (last << 2)
        return (_shift_mix((y * _K2 ^ z * _K0) & _MASK) * _K2) & _MASK
    return _K2


def _hash_17_to_32(text: bytes, size: int) -> int:
    multiplier = (_K2 + size * 2) & _MASK
    a, b, c, d = _words(text, 0, 8, size - 8, size - 16)
    a, c, d = a * _K1 & _MASK, c * multiplier & _MASK, d * _K2 & _MASK
    return _hash_16(
        (_rotate((a + b) & _MASK, 43) + _rotate(c, 30) + d) & _MASK,
        (a + _rotate((b + _K2) & _MASK, 18) + c) & _MASK,
        multiplier,
    )


def _hash_33_to_64(text: bytes, size: int) -> int:
    multiplier = (_K2 + size * 2) & _MASK
    a, b, c, d = _words(text, 0, 8, size - 8, size - 16)
    a, c, d = a * _K2 & _MASK, c * multiplier & _MASK, d * _K2 & _MASK
    y = (_rotate((a + b) & _MASK, 43) + _rotate(c, 30) + d) & _MASK
    z = _hash_16(y, (a + _rotate((b + _K2) & _MASK, 18) + c) & _MASK, multiplier)
    e, f, g, h = _words(text, 16, 24, size - 32, size - 24)
    e = e * multiplier & _MASK
    g = (y + g) * multiplier & _MASK
    h = (z + h) * multiplier & _MASK
    return _hash_16(
        (_rotate((e + f) & _MASK, 43) + _rotate(g, 30) + h) & _MASK,
        (e + _rotate((f + a) & _MASK, 18) + g) & _MASK,
        multiplier,
    )


def _weak_hash_32(text: bytes, place: int, a: int, b: int) -> tuple[int, int]:
    """Two words out of 32 bytes and two seeds."""
    w, x, y, z = unpack_from("<4Q", text, place)
    a = (a + w) & _MASK
    b = _rotate((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _rotate(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def _hash_long(text: bytes, size: int) -> int:
    seed = 81
    x, y = seed, (seed * _K1 + 113) & _MASK
    z = _shift_mix((y * _K2 + 113) & _MASK) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = (x * _K2 + unpack_from("<Q", text)[0]) & _MASK
    end = (size - 1) // 64 * 64
    for place in range(0, end, 64):
        x, y, z, v, w = _round(text, place, x, y, z, v, w, _K1, 1)
    multiplier = (_K1 + ((z & 0xFF) << 1)) & _MASK
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x, y, z, v, w = _round(text, size - 64, x, y, z, v, w, multiplier, 9)
    return _hash_16(
        (_hash_16(v[0], w[0], multiplier) + _shift_mix(y) * _K0 + z) & _MASK,
        (_hash_16(v[1], w[1], multiplier) + x) & _MASK,
        multiplier,
    )


_Pair = tuple[int, int]


def _round(
    text: bytes,
    place: int,
    x: int,
    y: int,
    z: int,
    v: _Pair,
    w: _Pair,
    multiplier: int,
    weight: int,
) -> tuple[int, int, int, _Pair, _Pair]:
    """Mixes one block of 64 bytes into the state; the last block has a `weight` of 9."""
    words = _words(text, place + 8, place + 48, place + 40, place + 16)
    x = _rotate((x + y + v[0] + words[0]) & _MASK, 37) * multiplier & _MASK
    y = _rotate((y + v[1] + words[1]) & _MASK, 42) * multiplier & _MASK
    x ^= w[1] * weight & _MASK
    y = (y + v[0] * weight + words[2]) & _MASK
    z = _rotate((z + w[0]) & _MASK, 33) * multiplier & _MASK
    v = _weak_hash_32(text, place, v[1] * multiplier & _MASK, (x + w[0]) & _MASK)
    w = _weak_hash_32(text, place + 32, (z + w[1]) & _MASK, (y + words[3]) & _MASK)
    return z, y, x, v, w
