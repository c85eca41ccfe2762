"""How references inside an image are settled, machine by machine.

A relocator gets the image, the kind of reference, its place, the symbol's offset and the addend.
Images start on a page, so offsets in them serve where the ABI speaks of addresses' pages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from featherflow.compiler.elf import LinkError

Relocator = Callable[[bytearray, int, int, int, int], None]

_WORD = struct.Struct("<I")
_QUAD = struct.Struct("<q")
_GIGANTIC = "the image is too large"


def _fit(value: int, bits: int) -> int:
    """The value in two's complement of so many bits."""
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise LinkError(f"{_GIGANTIC}: a distance of {value} does not fit {bits} bits")
    return value & (1 << bits) - 1


def _refuse(kind: int, absolute: tuple[int, ...]) -> LinkError:
    what = "an absolute address" if kind in absolute else f"a reference of kind {kind}"
    return LinkError(f"{what} cannot be settled inside an image")


_X86_PC32, _X86_PLT32, _X86_PC64 = 2, 4, 24
_X86_GOT = (9, 41, 42)
_X86_ABSOLUTE = (1, 10, 11, 12, 14)
_MOV, _LEA = 0x8B, 0x8D


def relocate_x86_64(out: bytearray, kind: int, place: int, symbol: int, addend: int) -> None:
    distance = symbol + addend - place
    if kind in (_X86_PC32, _X86_PLT32):
        _WORD.pack_into(out, place, _fit(distance, 32))
    elif kind == _X86_PC64:
        _QUAD.pack_into(out, place, distance)
    elif kind in _X86_GOT and out[place - 2] == _MOV and addend == -4:
        # A load of the address from a table that images lack becomes the address itself.
        out[place - 2] = _LEA
        _WORD.pack_into(out, place, _fit(distance, 32))
    else:
        raise _refuse(kind, _X86_ABSOLUTE)


_ARM_PREL64, _ARM_PREL32, _ARM_ADR, _ARM_ADRP = 260, 261, 274, 275
_ARM_BRANCHES = (282, 283)
_ARM_ABSOLUTE = (257, 258, 259)
#: Kinds that put the low 12 bits of an address in an instruction → the scale of its immediate.
_ARM_LOW_BITS = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}


def relocate_aarch64(out: bytearray, kind: int, place: int, symbol: int, addend: int) -> None:
    goal = symbol + addend
    if kind in _ARM_BRANCHES:
        _merge(out, place, _fit(goal - place, 28) >> 2)
    elif kind == _ARM_ADRP:
        _merge(out, place, _adr_fields(_fit((goal >> 12) - (place >> 12), 21)))
    elif kind == _ARM_ADR:
        _merge(out, place, _adr_fields(_fit(goal - place, 21)))
    elif kind in _ARM_LOW_BITS:
        scale = _ARM_LOW_BITS[kind]
        if goal & (1 << scale) - 1:
            raise LinkError("a load's address is not aligned")
        _merge(out, place, (goal & 0xFFF) >> scale << 10)
    elif kind == _ARM_PREL32:
        _WORD.pack_into(out, place, _fit(goal - place, 32))
    elif kind == _ARM_PREL64:
        _QUAD.pack_into(out, place, goal - place)
    else:
        raise _refuse(kind, _ARM_ABSOLUTE)


def _adr_fields(distance: int) -> int:
    """ADR and ADRP hold the lowest two bits apart from the others."""
    return (distance & 3) << 29 | distance >> 2 << 5


def _merge(out: bytearray, place: int, bits: int) -> None:
    """Put bits in an instruction whose own are zero there."""
    _WORD.pack_into(out, place, _WORD.unpack_from(out, place)[0] | bits)


#: ELF's number of the machine → its relocator.
RELOCATORS: dict[int, Relocator] = {62: relocate_x86_64, 183: relocate_aarch64}
