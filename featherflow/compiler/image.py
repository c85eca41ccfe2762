"""ELF objects linked to flat position-independent images, and images mapped for execution.

An image is a header, its entries' names and offsets, then code and constants. All of it is one
mapping, so every reference is relative to the program counter and settled when it is linked.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import weakref
import zlib

from featherflow.compiler import executable_memory
from featherflow.compiler.elf import ElfObject, LinkError, Section, Symbol
from featherflow.compiler.relocations import RELOCATORS

__all__ = ["ImageError", "LinkError", "MappedImage", "link"]

_MAGIC = b"FFLYIMG\x01"
#: Magic, ELF machine, size of the whole, CRC-32 of all that follows the header, entries.
_HEADER = struct.Struct("<8sHxxIII")
#: Length of the name and offset of the code; the name follows.
_ENTRY = struct.Struct("<HI")
#: Code and constants never share a cache line.
_CACHE_LINE = 64
_PAGE = 4096
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class ImageError(Exception):
    """The file is no image for this machine, is damaged, or is not to be trusted."""


def link(object_bytes: bytes) -> bytes:
    """The flat image of one relocatable object; its global functions are the entries."""
    try:
        return _link(ElfObject(object_bytes))
    except (struct.error, IndexError, ValueError) as error:
        raise LinkError(f"malformed object: {error}") from None


def _link(elf: ElfObject) -> bytes:
    if elf.machine not in RELOCATORS:
        raise LinkError(f"machine {elf.machine}")
    sections = [section for section in elf.sections if section.is_kept]
    kept = {section.index for section in sections}
    entries = [symbol for symbol in elf.symbols if symbol.is_entry and symbol.section in kept]
    offsets, size = _layout(sections, entries)
    out = bytearray(size)
    for section in sections:
        start = offsets[section.index]
        out[start : start + section.size] = section.content
    _relocate(elf, offsets, out)
    _write_entries(out, entries, offsets)
    checksum = zlib.crc32(memoryview(out)[_HEADER.size :])
    _HEADER.pack_into(out, 0, _MAGIC, elf.machine, size, checksum, len(entries))
    return bytes(out)


def _layout(sections: list[Section], entries: list[Symbol]) -> tuple[dict[int, int], int]:
    """Where each section goes, and the size of it all: code first, then falling alignment."""
    end = _HEADER.size + sum(_ENTRY.size + len(entry.name.encode()) for entry in entries)
    offsets = {}
    for section in sorted(sections, key=lambda s: (not s.is_code, -s.alignment, s.index)):
        section.check()
        if section.alignment > _PAGE:
            raise LinkError(f"section {section.name} is aligned to {section.alignment} bytes")
        alignment = max(section.alignment, _CACHE_LINE)
        offsets[section.index] = start = -(-end // alignment) * alignment
        end = start + section.size
    return offsets, end


def _relocate(elf: ElfObject, offsets: dict[int, int], out: bytearray) -> None:
    relocate = RELOCATORS[elf.machine]
    for relocation in elf.relocations:
        if relocation.section not in offsets:
            continue
        symbol = elf.symbols[relocation.symbol]
        if symbol.is_undefined:
            raise LinkError(f"external symbol {symbol.name}")
        if symbol.section not in offsets:
            raise LinkError(f"{symbol.name or 'a symbol'} lies outside of code and constants")
        place = offsets[relocation.section] + relocation.offset
        relocate(
            out, relocation.kind, place, offsets[symbol.section] + symbol.value, relocation.addend
        )


def _write_entries(out: bytearray, entries: list[Symbol], offsets: dict[int, int]) -> None:
    at = _HEADER.size
    for entry in entries:
        name = entry.name.encode()
        _ENTRY.pack_into(out, at, len(name), offsets[entry.section] + entry.value)
        at += _ENTRY.size
        out[at : at + len(name)] = name
        at += len(name)


class MappedImage:
    """An image that can be executed, until it is closed or nothing refers to it any more."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Map a file, which must be ours or root's, and which others cannot write."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(path, flags)
        try:
            size = _checked_size(descriptor, path)
            address = executable_memory.map_file(descriptor, size)
        finally:
            os.close(descriptor)
        self._own(address, size, str(path))

    @classmethod
    def from_bytes(cls, image: bytes) -> MappedImage:
        """Map an image that no file holds."""
        if len(image) < _HEADER.size:
            raise ImageError("image: truncated")
        mapped = cls.__new__(cls)
        mapped._own(executable_memory.map_bytes(image), len(image), "image")
        return mapped

    def _own(self, address: int, size: int, origin: str) -> None:
        self.size = size
        self._base = address
        self._unmap = weakref.finalize(self, executable_memory.unmap, address, size)
        # When the interpreter ends, threads may still run this code.
        self._unmap.atexit = False
        try:
            # What is checked is the mapping itself, so it is what will run.
            self._entries = _entries((ctypes.c_char * size).from_address(address), origin)
        except ImageError:
            self.close()
            raise
        except (struct.error, UnicodeDecodeError):
            self.close()
            raise ImageError(f"{origin}: damaged") from None

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def address(self, entry: str) -> int:
        """The address of an entry; it holds as long as this image is referred to."""
        if not self._unmap.alive:
            raise ImageError("the image is closed")
        return self._base + self._entries[entry]

    def close(self) -> None:
        """Unmap now: for an image with one user; a shared one is dropped instead."""
        self._unmap()


def _checked_size(descriptor: int, path: str | os.PathLike[str]) -> int:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise ImageError(f"{path}: not a regular file")
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & _WRITABLE_BY_OTHERS:
        raise ImageError(f"{path}: other users can write it")
    if status.st_size < _HEADER.size:
        raise ImageError(f"{path}: truncated")
    return status.st_size


def _entries(view: ctypes.Array[ctypes.c_char], origin: str) -> dict[str, int]:
    """Name → offset of each entry; ImageError unless all of the image is as it was linked."""
    magic, machine, size, checksum, count = _HEADER.unpack_from(view)
    if magic != _MAGIC:
        raise ImageError(f"{origin}: not an image")
    if machine != executable_memory.host_machine():
        raise ImageError(f"{origin}: an image for another machine ({machine})")
    content = memoryview(view)
    if size != len(view) or zlib.crc32(content[_HEADER.size :]) != checksum:
        raise ImageError(f"{origin}: damaged")
    entries, at = {}, _HEADER.size
    for _ in range(count):
        length, offset = _ENTRY.unpack_from(view, at)
        at += _ENTRY.size
        if not at + length <= offset < size:
            raise ImageError(f"{origin}: damaged")
        entries[bytes(content[at : at + length]).decode()] = offset
        at += length
    return entries
