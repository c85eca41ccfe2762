"""A bound on what a kernel allocates where the values of its inputs say how much."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from featherflow.framework.errors import ResourceExhaustedError

#: Smaller arrays are allocated without a look at the machine.
UNCHECKED_BYTES = 1 << 28
_GIB = 1 << 30


def check_allocation(sizes: Iterable[int], dtype: np.dtype) -> None:
    """Refuses an array that the machine has no room for, before any of it is there.

    The operating system grants more memory than there is, and ends the process that uses it. So
    a kernel whose output has the size that an input says asks here first.

    Args:
      sizes: the shape of the array.
      dtype: of its elements.
    Raises:
      ResourceExhaustedError: it is larger than the memory that is free.
    """
    sizes = tuple(map(int, sizes))
    wanted = math.prod(sizes) * dtype.itemsize
    if wanted <= UNCHECKED_BYTES:
        return
    free = free_memory()
    if wanted > free:
        raise ResourceExhaustedError(
            None,
            None,
            f"OOM when allocating tensor with shape{list(sizes)} and type {dtype}",
            received=f"{wanted / _GIB:.3g} GiB",
            expected=f"at most {free / _GIB:.3g} GiB, which are free",
        )


def free_memory() -> int:
    """The bytes that this process can still use, as far as the system tells."""
    found = [*_linux_memory(), *_group_memory()]
    if found:
        return max(0, min(found))
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 1 << 62


def _linux_memory() -> list[int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return []
    return [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]


def _group_memory() -> list[int]:
    """What the control group of a container allows, beyond what it uses."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return []
    return [int(limit) - used] if limit.isdigit() else []
