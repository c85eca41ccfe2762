"""ChannelVector: how a vector of output channels is read, made from input channels, and stored.

With a channel multiplier M, output channel k is made from input channel k // M: a vector holds its
input channels M times each, or a single one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from featherflow.compiler.ir import F32, I1, Function, Operand, Type, Value

FLOAT_BYTES = 4


@dataclass(frozen=True)
class ChannelVector:
    """Vectors of `lanes` channels, of which the first `kept` exist.

    Args:
      f: the function under construction.
      multiplier: divides lanes, or is divided by them.
    """

    f: Function
    lanes: int
    kept: int
    multiplier: int = 1

    @property
    def type(self) -> Type:
        """A vector of channels."""
        return F32.vector(self.lanes)

    @property
    def bytes(self) -> int:
        """The size of a vector."""
        return self.lanes * FLOAT_BYTES

    def load(self, pointer: Value) -> Value:
        """The channels at `pointer`."""
        return self._load(pointer, self.lanes, self.kept)

    def store(self, value: Value, pointer: Value) -> None:
        """Stores the channels that exist."""
        if self.kept == self.lanes:
            self.f.store(value, pointer)
        else:
            self.f.masked_store(value, pointer, _first_lanes(self.f, self.kept, self.lanes))

    def spread(self, pointer: Value) -> Value:
        """The same number for all channels."""
        return self.f.broadcast(self.f.load(F32, pointer), self.lanes)

    def inputs(self, pointer: Value) -> Value:
        """The input channels of a vector of output channels."""
        if self.multiplier >= self.lanes:
            return self.spread(pointer)
        narrow = self._load(pointer, self.lanes // self.multiplier, self.kept // self.multiplier)
        if self.multiplier == 1:
            return narrow
        return self.f.shuffle(narrow, [lane // self.multiplier for lane in range(self.lanes)])

    def input_offset(self, vector: Operand) -> Operand:
        """Bytes to the first input channel of a vector, given its number."""
        if self.multiplier < self.lanes:
            return vector * (self.lanes // self.multiplier * FLOAT_BYTES)
        repeats = self.multiplier // self.lanes
        if isinstance(vector, int):
            return vector // repeats * FLOAT_BYTES
        return self.f.binary("udiv", vector, repeats) * FLOAT_BYTES

    def part(self, value: Value) -> Value:
        """As many lanes of a wider value as a vector has."""
        if value.type.lanes == self.lanes:
            return value
        if self.lanes == 1:
            return self.f.extract(value, 0)
        return self.f.shuffle(value, range(self.lanes))

    def _load(self, pointer: Value, lanes: int, kept: int) -> Value:
        kind = F32.vector(lanes)
        if kept == lanes:
            return self.f.load(kind, pointer)
        return self.f.masked_load(kind, pointer, _first_lanes(self.f, kept, lanes))


def widest_lanes(most: int, channels: int, multiplier: int) -> int:
    """The widest vector for so many channels that holds its input channels evenly, or just one."""
    lanes = most
    while lanes > 1 and (lanes // 2 >= channels or (lanes % multiplier and multiplier % lanes)):
        lanes //= 2
    return lanes


@dataclass(frozen=True)
class ChannelRun:
    """Vectors of one kind, numbered from `begin` to before `end`."""

    vectors: ChannelVector
    begin: int
    end: int

    def each(self, most: int, body: Callable[[Operand, int], None]) -> None:
        """body(first, count) for up to `most` vectors at a time."""
        whole = self.end - (self.end - self.begin) % most

        def block(first: Operand, _: list[Value]) -> list[Value]:
            body(first, most)
            return []

        self.vectors.f.times(self.begin, whole, [], block, most)
        if self.end > whole:
            body(whole, self.end - whole)


def channel_runs(f: Function, channels: int, multiplier: int = 1) -> list[ChannelRun]:
    """All channels: in the widest vectors, then those left over in one as narrow as they allow."""
    lanes = widest_lanes(f.target.lanes(FLOAT_BYTES), channels, multiplier)
    count, rest = divmod(channels, lanes)
    runs = [ChannelRun(ChannelVector(f, lanes, lanes, multiplier), 0, count)] if count else []
    if rest:
        narrow = widest_lanes(lanes, rest, 1)
        number = count * (lanes // narrow)
        runs.append(ChannelRun(ChannelVector(f, narrow, rest, multiplier), number, number + 1))
    return runs


def _first_lanes(f: Function, count: int, lanes: int) -> Value:
    """A constant mask: without masked moves, a comparison of constants would become branches."""
    flags = ", ".join(f"i1 {'true' if lane < count else 'false'}" for lane in range(lanes))
    return Value(f, I1.vector(lanes), f"<{flags}>")
