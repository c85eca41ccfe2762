"""Memory plan: places in one arena for buffers that are in use at different times."""

from __future__ import annotations

from collections.abc import Sequence

from featherflow.compiler.storage import Address, Buffer, Phase

#: Buffers start on cache lines.
_ALIGNMENT = 64


def plan_arena(phases: Sequence[Phase]) -> tuple[dict[Buffer, int], int]:
    """The offset of each arena buffer, and the size of the arena.

    A buffer is in use from the first phase that names it to the last. Buffers are placed in the
    order in which they come into use, each in the smallest gap that holds it.
    """
    lives: dict[Buffer, list[int]] = {}
    for number, phase in enumerate(phases):
        for call in phase.all_calls():
            for argument in call.arguments.values():
                if isinstance(argument, Address) and argument.buffer.kind == "arena":
                    life = lives.setdefault(argument.buffer, [number, number])
                    life[1] = number
    arena = _Arena()
    ends: dict[int, list[Buffer]] = {}
    for buffer, (_, last) in lives.items():
        ends.setdefault(last, []).append(buffer)
    starts: dict[int, list[Buffer]] = {}
    for buffer, (first, _) in lives.items():
        starts.setdefault(first, []).append(buffer)
    for number in range(len(phases)):
        for buffer in sorted(starts.get(number, ()), key=lambda item: -item.size):
            arena.take(buffer)
        for buffer in ends.get(number, ()):
            arena.give_back(buffer)
    return arena.offsets, arena.size


class _Arena:
    def __init__(self) -> None:
        self.offsets: dict[Buffer, int] = {}
        self.size = 0
        self._gaps: list[tuple[int, int]] = []  # (start, end), in order, none touching another

    def take(self, buffer: Buffer) -> None:
        """The smallest gap that is large enough, else the end."""
        size = _rounded(buffer.size)
        fitting = [gap for gap in self._gaps if gap[1] - gap[0] >= size]
        if fitting:
            gap = min(fitting, key=lambda item: item[1] - item[0])
            self._gaps.remove(gap)
            start = gap[0]
            if gap[1] - start > size:
                self._insert(start + size, gap[1])
        else:
            start = self.size
            if self._gaps and self._gaps[-1][1] == self.size:
                start = self._gaps.pop()[0]
            self.size = start + size
        self.offsets[buffer] = start

    def give_back(self, buffer: Buffer) -> None:
        start = self.offsets[buffer]
        self._insert(start, start + _rounded(buffer.size))

    def _insert(self, start: int, end: int) -> None:
        """Adds a gap, joined to its neighbours."""
        merged = []
        for gap in self._gaps:
            if gap[1] == start:
                start = gap[0]
            elif gap[0] == end:
                end = gap[1]
            else:
                merged.append(gap)
        self._gaps = sorted([*merged, (start, end)])


def _rounded(size: int) -> int:
    return max(-(-size // _ALIGNMENT), 1) * _ALIGNMENT
