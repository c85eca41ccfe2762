"""The instruction sets code is generated for: vectors, registers, and LLVM's names for them."""

from __future__ import annotations

import functools
import logging
import os
import platform
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger("featherflow")

_X86_TRIPLE = "x86_64-unknown-linux-gnu"
_ARM_TRIPLE = "aarch64-unknown-linux-gnu"


@dataclass(frozen=True)
class Target:
    """One instruction set level."""

    name: str
    vector_bits: int
    registers: int
    has_fma: bool
    triple: str
    cpu: str
    features: str

    def lanes(self, element_bytes: int) -> int:
        """How many elements of this size one vector register holds."""
        return self.vector_bits // (8 * element_bytes)

    @property
    def text(self) -> str:
        """All that machine code depends on."""
        return f"{self.name} {self.triple} {self.cpu} {self.features}"


#: From the least to the most able, machine by machine. LLVM's model of v4 prefers 256 bits, for
#: the clock rate of the first CPUs that had 512; kernels here are laid out for 512.
_X86_LEVELS = (
    Target("x86-64", 128, 16, False, _X86_TRIPLE, "x86-64", ""),
    Target("x86-64-v2", 128, 16, False, _X86_TRIPLE, "x86-64-v2", ""),
    Target("x86-64-v3", 256, 16, True, _X86_TRIPLE, "x86-64-v3", ""),
    Target("x86-64-v4", 512, 32, True, _X86_TRIPLE, "x86-64-v4", "-prefer-256-bit"),
)
_ARM_LEVELS = (Target("aarch64", 128, 32, True, _ARM_TRIPLE, "generic", "+neon"),)
_TARGETS = {target.name: target for target in (*_X86_LEVELS, *_ARM_LEVELS)}

#: What each level adds to the one below, in the words of /proc/cpuinfo.
_NEEDED_FLAGS = {
    "x86-64-v2": "cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}


def target_named(name: str) -> Target:
    """The target of this name; ValueError for a name that there is not."""
    if name not in _TARGETS:
        raise ValueError(f"no target {name!r}; there are {', '.join(_TARGETS)}")
    return _TARGETS[name]


@functools.cache
def host_target() -> Target:
    """The best level that this machine has and the variable FEATHERFLOW_CPU allows.

    On a machine without a code generator this is x86-64's lowest level, and
    `executable_memory.refusal` says why nothing will run.
    """
    levels = levels_of(platform.machine(), _cpu_flags())
    return chosen_level(levels, os.environ.get("FEATHERFLOW_CPU", ""))


def levels_of(machine: str, flags: frozenset[str]) -> tuple[Target, ...]:
    """The levels that a machine with these CPU flags has, best last."""
    if machine.lower() in ("aarch64", "arm64"):
        return _ARM_LEVELS
    found = [_X86_LEVELS[0]]
    for level in _X86_LEVELS[1:]:
        if not flags.issuperset(_NEEDED_FLAGS[level.name].split()):
            break
        found.append(level)
    return tuple(found)


def chosen_level(levels: tuple[Target, ...], wish: str) -> Target:
    """The level of `levels` that the user names as "x86-64-v2", "-v2" or "v2", else the best."""
    if not wish:
        return levels[-1]
    for level in levels:
        short = level.name.removeprefix("x86-64-")
        if wish.strip().lower() in (level.name, short, f"-{short}"):
            return level
    logger.warning(
        "FEATHERFLOW_CPU=%s: this machine has %s; %s is used",
        wish,
        ", ".join(level.name for level in levels),
        levels[-1].name,
    )
    return levels[-1]


def _cpu_flags() -> frozenset[str]:
    """The flags of the first CPU; none where the system has no such list."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "flags":
            return frozenset(value.split())
    return frozenset()
