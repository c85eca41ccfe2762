"""SipHash-2-4, a keyed hash that an adversary cannot predict, and the older hash of TensorFlow.

See: Aumasson & Bernstein 2012, SipHash; Appleby 2008, MurmurHash2, 64-bit version A.
"""

from __future__ import annotations

from struct import unpack_from

_MASK = 0xFFFFFFFFFFFFFFFF


def _rotate(value: int, shift: int) -> int:
    return ((value << shift) | (value >> (64 - shift))) & _MASK


def _sip_round(v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    v0 = (v0 + v1) & _MASK
    v1 = _rotate(v1, 13) ^ v0
    v0 = _rotate(v0, 32)
    v2 = (v2 + v3) & _MASK
    v3 = _rotate(v3, 16) ^ v2
    v0 = (v0 + v3) & _MASK
    v3 = _rotate(v3, 21) ^ v0
    v2 = (v2 + v1) & _MASK
    v1 = _rotate(v1, 17) ^ v2
    return v0, v1, _rotate(v2, 32), v3


def sip_hash(text: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 of `text` under a key of two words, unsigned."""
    k0, k1 = key[0] & _MASK, key[1] & _MASK
    state = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    padding = -(len(text) + 1) % 8
    padded = text + bytes(padding) + bytes([len(text) & 0xFF])
    for (word,) in (unpack_from("<Q", padded, at) for at in range(0, len(padded), 8)):
        v0, v1, v2, v3 = state
        state = _sip_round(*_sip_round(v0, v1, v2, v3 ^ word))
        state = (state[0] ^ word, *state[1:])
    v0, v1, v2, v3 = state
    state = (v0, v1, v2 ^ 0xFF, v3)
    for _ in range(4):
        state = _sip_round(*state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


_MULTIPLIER = 0xC6A4A7935BD1E995
_SEED = 0xDECAFCAFFE


def murmur_hash(text: bytes) -> int:
    """MurmurHash64A of `text` with the seed of StringToHashBucket, unsigned."""
    value = _SEED ^ (len(text) * _MULTIPLIER & _MASK)
    whole = len(text) // 8 * 8
    for at in range(0, whole, 8):
        word = unpack_from("<Q", text, at)[0] * _MULTIPLIER & _MASK
        word = (word ^ (word >> 47)) * _MULTIPLIER & _MASK
        value = (value ^ word) * _MULTIPLIER & _MASK
    if len(text) > whole:
        value = (value ^ int.from_bytes(text[whole:], "little")) * _MULTIPLIER & _MASK
    value = (value ^ (value >> 47)) * _MULTIPLIER & _MASK
    return value ^ (value >> 47)
