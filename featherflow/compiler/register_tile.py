"""RegisterTile: a block of outputs, pixels × vectors of channels, that lives in registers.

What matmul and convolution share: the loop over k that feeds the tile, and its epilogue.

    for each k:
      weights = Q vectors of channels
      for each pixel:  acc[pixel] += x[pixel, k] · weights

A small tile would wait for the latency of each multiply-add, so it gets several *chains*: step k
adds to chain k mod chains, and the chains are summed at the end. Chains follow from the tile's size
alone, hence results do not depend on how the work is split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from featherflow.compiler.ir import F32, PTR, Function, Operand, Value
from featherflow.compiler.primitives import emit_steps
from featherflow.compiler.target import Target

#: Multiply-adds in flight that hide their latency: 4 cycles on 2 ports, with some slack.
_IN_FLIGHT = 12
_LINE = 64
#: Tiles of so few pixels are all there are: with more, even tiles are larger.
_LONELY_PIXELS = 2
#: How far ahead of its multiply-adds such a tile asks for weights.
_SOON_BYTES = 8192


@dataclass(frozen=True)
class Epilogue:
    """Elementwise work on finished accumulators.

    Attributes:
      inputs: kinds of the operands: "channel" (a vector), "full" (shaped as the output), "scalar".
      steps: the body (see `primitives`): value 0 is the accumulator, operands follow; the last
        value is stored. Empty: the accumulator itself.
    """

    inputs: tuple[str, ...] = ()
    steps: tuple[tuple, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Names of the operands' pointers."""
        return tuple(f"operand{number}" for number in range(len(self.inputs)))


@dataclass(frozen=True)
class TilePlace:
    """Where a tile lies in the output.

    Attributes:
      outputs: pointer to each pixel of the tile, at its first channel.
      operands: for each epilogue operand, a pointer for each pixel ("full"), else one.
      valid: channels from the first one on that exist: the last vector may be cut.
    """

    outputs: Sequence[Value]
    operands: Sequence[Sequence[Value]]
    valid: Value


class RegisterTile:
    """The accumulators of `pixels` × `vectors` outputs, in a function under construction.

    Args:
      row_bytes: from one k to the next in the packed weights.
      is_even: whether the number of k is always a multiple of 4: no loop for the rest of them.
    """

    def __init__(
        self, f: Function, pixels: int, vectors: int, row_bytes: int, is_even: bool
    ) -> None:
        self.f = f
        self.pixels = pixels
        self.vectors = vectors
        self.row_bytes = row_bytes
        self.is_even = is_even
        self.lanes = f.target.lanes(4)
        self.type = F32.vector(self.lanes)
        self.chains = chains_of(f.target, pixels, vectors)
        self.unroll = max(self.chains, 2)

    def zeros(self) -> list[Value]:
        """The state before any k: chains × pixels × vectors accumulators."""
        zero = self.f.constant(self.type, 0.0)
        return [zero] * (self.chains * self.pixels * self.vectors)

    def accumulate(
        self,
        count: Operand,
        inputs: Sequence[Value],
        weights: Value,
        state: Sequence[Value],
        following: Value,
        window: tuple[int, int] | None = None,
    ) -> list[Value]:
        """Adds `count` steps of k.

        Args:
          inputs: for each pixel, its first x.
          weights: the packed weights of the first k.
          state: the accumulators, as from `zeros`.
          following: (pointer to) what comes next in the weights: prefetched, one line a step.
          window: the pixels (first, behind the last) that take part; None is all of them.
        Returns:
          The accumulators, then `following` moved on.
        """
        f, unroll = self.f, self.unroll
        first, last = window or (0, self.pixels)
        used = [place for place in range(len(state)) if first <= self._pixel(place) < last]
        state = list(state)

        def run(steps: int):
            def body(index, carried: list[Value]):
                here, ahead, *accumulators = carried
                self._prefetch(here, ahead, steps)
                current = dict(zip(used, accumulators))
                for step in range(steps):
                    self._step(step, index, inputs, here, current, (first, last))
                moved = f.offset(here, steps * self.row_bytes)
                return [moved, f.offset(ahead, _LINE), *current.values()]

            return body

        whole = count if self.is_even else _multiple(f, count, unroll)
        carried = [weights, following, *(state[place] for place in used)]
        carried = f.times(0, whole, carried, run(unroll), step=unroll)
        if not self.is_even:
            carried = f.times(whole, count, carried, run(1))
        for place, value in zip(used, carried[2:]):
            state[place] = value
        return [*state, carried[1]]

    def _prefetch(self, weights: Value, ahead: Value, steps: int) -> None:
        """Asks for weights that come later.

        Where several tiles pass over a block, each asks for a part of the next block. One or two
        pixels are alone with theirs: they ask for all that comes soon.
        """
        f = self.f
        if self.pixels > _LONELY_PIXELS:
            f.prefetch(ahead, locality=2)
            return
        for line in range(0, steps * self.row_bytes, _LINE):
            f.prefetch(f.offset(weights, _SOON_BYTES + line))

    def _step(
        self,
        step: int,
        index: Operand,
        inputs: Sequence[Value],
        weights: Value,
        current: dict[int, Value],
        window: tuple[int, int],
    ) -> None:
        """acc += x · w for one k, on one chain."""
        f = self.f
        at = f.offset(weights, step * self.row_bytes)
        rows = [
            f.load(self.type, f.offset(at, vector * self.lanes * 4))
            for vector in range(self.vectors)
        ]
        chain = step % self.chains
        for pixel in range(*window):
            x = f.load(F32, f.offset(inputs[pixel], _bytes(index, step)))
            wide = f.broadcast(x, self.lanes)
            for vector in range(self.vectors):
                place = self._place(chain, pixel, vector)
                current[place] = f.fma(wide, rows[vector], current[place])

    def _place(self, chain: int, pixel: int, vector: int) -> int:
        return (chain * self.pixels + pixel) * self.vectors + vector

    def _pixel(self, place: int) -> int:
        return place // self.vectors % self.pixels

    def finish(self, state: Sequence[Value], epilogue: Epilogue, place: TilePlace) -> None:
        """Sums the chains, applies the epilogue, stores."""
        f = self.f
        last = self.vectors - 1
        mask = f.lane_mask(place.valid - last * self.lanes, self.lanes)
        for vector in range(self.vectors):
            at = vector * self.lanes * 4
            cut = mask if vector == last else None
            shared = {
                number: self._operand(pointers[0], at, epilogue.inputs[number], cut)
                for number, pointers in enumerate(place.operands)
                if epilogue.inputs[number] != "full"
            }
            for pixel in range(self.pixels):
                values = [self._total(state, pixel, vector)]
                for number, pointers in enumerate(place.operands):
                    full = epilogue.inputs[number] == "full"
                    values.append(
                        self._operand(pointers[pixel], at, "full", cut) if full else shared[number]
                    )
                values = emit_steps(f, epilogue.steps, values, ["float32"] * len(values))
                self._store(values[-1] if epilogue.steps else values[0], place, pixel, at, cut)

    def _store(
        self, value: Value, place: TilePlace, pixel: int, at: int, cut: Value | None
    ) -> None:
        pointer = self.f.offset(place.outputs[pixel], at)
        if cut is None:
            self.f.store(value, pointer)
        else:
            self.f.masked_store(value, pointer, cut)

    def _total(self, state: Sequence[Value], pixel: int, vector: int) -> Value:
        parts = [state[self._place(chain, pixel, vector)] for chain in range(self.chains)]
        while len(parts) > 1:
            parts = [a + b for a, b in zip(parts[::2], parts[1::2])]
        return parts[0]

    def _operand(self, pointer: Value, at: int, kind: str, cut: Value | None) -> Value:
        f = self.f
        if kind == "scalar":
            return f.broadcast(f.load(F32, pointer), self.lanes)
        here = f.offset(pointer, at)
        return f.load(self.type, here) if cut is None else f.masked_load(self.type, here, cut)


def chains_of(target: Target, pixels: int, vectors: int) -> int:
    """How many partial sums each output of a tile has: a power of two."""
    room = (target.registers - vectors - 2) // (pixels * vectors)
    chains = 1
    while chains < 4 and chains * pixels * vectors < _IN_FLIGHT and chains * 2 <= room:
        chains *= 2
    return chains


def _multiple(f: Function, count: Operand, unroll: int) -> Operand:
    """`count` rounded down to a multiple of `unroll`, a power of two."""
    if isinstance(count, Value):
        return f.binary("and", count, -unroll)
    return int(count) // unroll * unroll


def _bytes(index: Operand, step: int) -> Operand:
    """The byte offset of element `index + step` of a float vector."""
    if isinstance(index, Value):
        return index.function.binary("shl", index, 2) + step * 4
    return (int(index) + step) * 4


def pixel_pointers(f: Function, first: Value, stride: Value, pixels: int) -> list[Value]:
    """Pointers to neighbouring pixels, `stride` bytes apart."""
    pointers = [first]
    while len(pointers) < pixels:
        pointers.append(f.emit(PTR, f"getelementptr i8, {pointers[-1]}, {stride}"))
    return pointers
