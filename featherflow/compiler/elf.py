"""Sections, symbols and relocations of ELF64 little-endian relocatable objects."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_IDENTITY = b"\x7fELF\x02\x01"
_RELOCATABLE = 1
_FILE_HEADER_SIZE = 64
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_PROGBITS, _SYMBOL_TABLE, _RELOCATIONS, _NO_BITS, _OLD_RELOCATIONS = 1, 2, 4, 8, 9
_WRITE, _ALLOCATE, _EXECUTE, _THREAD_LOCAL = 1, 2, 4, 0x400
_GLOBAL, _FUNCTION = 1, 2


class LinkError(Exception):
    """The object cannot become a flat image."""


@dataclass(frozen=True)
class Section:
    """A section; its content lacks what the file does not hold (.bss)."""

    index: int
    name: str
    kind: int
    flags: int
    size: int
    alignment: int
    link: int
    info: int
    content: bytes

    @property
    def is_kept(self) -> bool:
        """Whether images hold it: all that would be loaded, but for the tables of unwinding."""
        return bool(self.flags & _ALLOCATE and self.size and self.name != ".eh_frame")

    @property
    def is_code(self) -> bool:
        return bool(self.flags & _EXECUTE)

    def check(self) -> None:
        """LinkError unless it is code or constants."""
        if self.flags & _THREAD_LOCAL:
            raise LinkError(f"section {self.name} is thread-local")
        if self.flags & _WRITE:
            raise LinkError(f"section {self.name} is writable, or holds absolute addresses")
        if self.kind != _PROGBITS:
            raise LinkError(f"section {self.name} has type {self.kind}")


@dataclass(frozen=True)
class Symbol:
    """A symbol; `value` is its offset in the section of this index."""

    name: str
    info: int
    section: int
    value: int

    @property
    def is_undefined(self) -> bool:
        return self.section == 0

    @property
    def is_entry(self) -> bool:
        """Whether it is a function that others may call."""
        return self.info >> 4 == _GLOBAL and self.info & 15 == _FUNCTION


@dataclass(frozen=True)
class Relocation:
    """A reference to settle: at `offset` of `section`, to a symbol by its index."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


class ElfObject:
    """A parsed object."""

    def __init__(self, data: bytes) -> None:
        if data[:6] != _IDENTITY or len(data) < _FILE_HEADER_SIZE:
            raise LinkError("not an ELF64 little-endian object")
        kind, self.machine = struct.unpack_from("<HH", data, 16)
        if kind != _RELOCATABLE:
            raise LinkError("not a relocatable object")
        self.sections = _sections(data)
        self.symbols: list[Symbol] = []
        self.relocations: list[Relocation] = []
        for section in self.sections:
            if section.kind == _SYMBOL_TABLE:
                self._read_symbols(section)
            elif section.kind == _RELOCATIONS:
                self._read_relocations(section)
            elif section.kind == _OLD_RELOCATIONS:
                raise LinkError("relocations without addends")

    def _read_symbols(self, table: Section) -> None:
        names = self.sections[table.link].content
        for name, info, _, section, value, _ in _SYMBOL.iter_unpack(table.content):
            self.symbols.append(Symbol(_text(names, name), info, section, value))

    def _read_relocations(self, table: Section) -> None:
        for offset, info, addend in _RELOCATION.iter_unpack(table.content):
            kind, symbol = info & 0xFFFFFFFF, info >> 32
            self.relocations.append(Relocation(table.info, offset, kind, symbol, addend))


def _sections(data: bytes) -> list[Section]:
    (table,) = struct.unpack_from("<Q", data, 40)
    stride, count, names_index = struct.unpack_from("<HHH", data, 58)
    rows = [_SECTION.unpack_from(data, table + i * stride) for i in range(count)]
    names = _content(data, rows[names_index])
    sections = []
    for index, row in enumerate(rows):
        name, kind, flags, _, _, size, link, info, alignment, _ = row
        content = _content(data, row)
        sections.append(
            Section(index, _text(names, name), kind, flags, size, alignment, link, info, content)
        )
    return sections


def _content(data: bytes, row: tuple[int, ...]) -> bytes:
    kind, offset, size = row[1], row[4], row[5]
    if kind == _NO_BITS:
        return b""
    if offset + size > len(data):
        raise LinkError("the object is truncated")
    return data[offset : offset + size]


def _text(table: bytes, start: int) -> str:
    return table[start : table.index(b"\0", start)].decode()
