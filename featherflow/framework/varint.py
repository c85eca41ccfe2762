"""Varints: integers in as many bytes as they need, seven bits in each, lowest first."""

from __future__ import annotations


def read_varint(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """Reads an unsigned integer of up to 64 bits; returns it and the position after it.

        >>> read_varint(bytes([0xAC, 0x02, 0xFF]), 0)
        (300, 2)

    Raises:
      ValueError: the data ends within the integer, or it has more than ten bytes.
    """
    value = shift = 0
    for index in range(position, min(position + 10, len(data))):
        byte = data[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, index + 1
        shift += 7
    raise ValueError("a varint is cut off or too long")


def encode_varint(value: int) -> bytes:
    """The bytes of an unsigned integer.

    >>> encode_varint(300).hex()
    'ac02'
    """
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
