"""Read-and-execute mappings of files and bytes, and whether the system allows them."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform

_PROT_READ, _PROT_EXEC, _MAP_PRIVATE = 1, 4, 2
_MAP_FAILED = ctypes.c_void_p(-1).value
#: Errors by which a system refuses to execute what lies in a folder (a noexec mount, a policy).
_REFUSALS = (errno.EPERM, errno.EACCES)
#: Machine of `platform.machine()` → ELF's number for it.
ELF_MACHINES = {"x86_64": 62, "amd64": 62, "aarch64": 183, "arm64": 183}

# Python's own mmap keeps one file descriptor for each mapping.
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def host_machine() -> int | None:
    """ELF's number for this machine; None where no code is generated for it."""
    return ELF_MACHINES.get(platform.machine().lower())


def map_file(descriptor: int, size: int) -> int:
    """The address of the file, mapped; where its folder refuses execution, of a copy in memory."""
    try:
        return _map(descriptor, size)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
    return map_bytes(os.pread(descriptor, size, 0))


def map_bytes(data: bytes) -> int:
    """The address of a mapping of these bytes, which no folder holds."""
    descriptor = os.memfd_create("featherflow", os.MFD_CLOEXEC)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        return _map(descriptor, len(data))
    finally:
        os.close(descriptor)


def unmap(address: int, size: int) -> None:
    _libc.munmap(address, size)


def _map(descriptor: int, size: int) -> int:
    address = _libc.mmap(None, size, _PROT_READ | _PROT_EXEC, _MAP_PRIVATE, descriptor, 0)
    if address in (None, _MAP_FAILED):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return address


@functools.cache
def refusal() -> str | None:
    """Why this process cannot run generated code; None when it can. Found out once."""
    if not hasattr(os, "memfd_create"):
        return f"compiled kernels need Linux, and this is {platform.system()}"
    if host_machine() is None:
        return f"no code is generated for {platform.machine()}"
    size = os.sysconf("SC_PAGESIZE")
    try:
        unmap(map_bytes(bytes(size)), size)
    except OSError as error:
        return f"the system refuses executable memory: {error.strerror}"
    return None
