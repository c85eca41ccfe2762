"""Tiles of outputs in registers, under a window that slides over an image: channels innermost.

An input vector is loaded once for all outputs of a tile that it is a tap of:

    for each vector of channels:
      for each row of inputs below the tile:
        for each column:  x = input;  for each output with a tap here:  total += x · weight[tap]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from featherflow.compiler.ir import F32, I1, Function, Operand, Type, Value
from featherflow.compiler.primitives import emit_steps
from featherflow.compiler.register_tile import Epilogue

FLOAT_BYTES = 4
_LINE_BYTES = 64


@dataclass(frozen=True)
class Window:
    """What is fixed of the geometry when code is generated.

    Attributes:
      channels: of the output.
      multiplier: outputs for each channel of the input.
      size, strides, dilations: vertical, horizontal.
    """

    channels: int
    multiplier: int
    size: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]

    @property
    def output_bytes(self) -> int:
        """From one pixel of a dense output to the next."""
        return self.channels * FLOAT_BYTES

    @property
    def input_bytes(self) -> int:
        """From one pixel of the input to the next."""
        return self.channels // self.multiplier * FLOAT_BYTES

    def lanes(self, most: int) -> int:
        """The widest vector that repeats each of its input channels evenly, or has just one."""
        lanes = most
        while lanes > 1 and (
            (lanes % self.multiplier and self.multiplier % lanes) or lanes // 2 >= self.channels
        ):
            lanes //= 2
        return lanes


class WindowReduction(ABC):
    """What is done with the taps of a window.

    Attributes:
      weight_bytes: from one tap's weights to those of the next; 0 if there are none.
    """

    weight_bytes: int = 0

    @abstractmethod
    def start(self, f: Function, kind: Type) -> Value:
        """The total before any tap."""

    @abstractmethod
    def combine(self, f: Function, total: Value, tap: Value, weight: Value | None) -> Value:
        """The total after one more tap."""

    def divisor(self, f: Function, kind: Type, taps: Operand) -> tuple[Value, ...]:
        """What `finish` needs of the number of taps."""
        return ()

    def finish(self, f: Function, total: Value, divisor: tuple[Value, ...]) -> Value:
        """The result, from the total of all taps."""
        return total


@dataclass(frozen=True)
class Place:
    """Where an output lies.

    Attributes:
      source: its first tap, which may lie on padding.
      output: its first channel.
      output_stride: bytes to the output on its right.
      operands: of the epilogue; those shaped as the output at the same pixel.
    """

    source: Value
    output: Value
    output_stride: Value
    operands: tuple[Value, ...]


class TileEmitter:
    """Emits tiles into functions under construction.

    Args:
      vector: the type of the totals.
    """

    def __init__(
        self, window: Window, reduction: WindowReduction, epilogue: Epilogue, vector: Type
    ) -> None:
        self.window = window
        self.reduction = reduction
        self.epilogue = epilogue
        self.type = vector
        self.lanes = vector.lanes

    def whole_rows(
        self,
        f: Function,
        places: Sequence[Place],
        columns: int,
        weights: Value,
        row_bytes: Value,
        divisor: tuple[Value, ...],
        ahead: bool,
    ) -> None:
        """A tile of outputs that have all their taps.

        Args:
          places: the first output of each row.
          row_bytes: from one row of the input to the next.
          ahead: whether to prefetch what the tile on the right is the first to read.
        """
        height, stride, dilation = (
            pair[0] for pair in (self.window.size, self.window.strides, self.window.dilations)
        )
        lines = _meetings(len(places), height, stride, dilation)
        unseen = max(lines) - len(places) * stride

        def block(vector: Operand, cut: Value | None) -> None:
            source = f.offset(places[0].source, self._input_offset(f, vector))
            filters = f.offset(weights, vector * self.type_bytes)
            totals = [self.reduction.start(f, self.type)] * (len(places) * columns)
            kept: dict[int, list[Value | None]] = {}
            for line, uses in lines.items():
                pointer = f.offset(source, row_bytes * line)
                for _, tap in uses:
                    if tap not in kept:
                        kept[tap] = self._weights(f, filters, tap, cut)
                rows = [(row, kept[tap]) for row, tap in uses]
                self._line(f, pointer, columns, rows, totals, cut)
                if ahead and cut is None and line > unseen:
                    self._prefetch(f, pointer, columns)
            self._store(f, places, columns, totals, divisor, vector, cut)

        self._each_vector(f, block)

    @property
    def type_bytes(self) -> int:
        """The size of a vector."""
        return self.lanes * FLOAT_BYTES

    def cut_row(
        self,
        f: Function,
        place: Place,
        columns: int,
        weights: Value,
        line_bytes: Value,
        taps: tuple[Value, Value],
        divisor: tuple[Value, ...],
    ) -> None:
        """Outputs side by side that have all their columns of taps, and the rows in a range.

        Args:
          weights: of the first row of taps.
          line_bytes: from one row of taps to the next.
          taps: the first row, and that behind the last one.
        """
        skipped = taps[0] * line_bytes

        def block(vector: Operand, cut: Value | None) -> None:
            source = f.offset(f.offset(place.source, skipped), self._input_offset(f, vector))
            filters = f.offset(weights, taps[0] * self._weight_row_bytes)
            filters = f.offset(filters, vector * self.type_bytes)

            def line(_: Operand, carried: list[Value]) -> list[Value]:
                pointer, here, *totals = carried
                rows = [(0, self._weights(f, here, 0, cut))]
                self._line(f, pointer, columns, rows, totals, cut)
                moved = f.offset(here, self._weight_row_bytes)
                return [f.offset(pointer, line_bytes), moved, *totals]

            totals = [self.reduction.start(f, self.type)] * columns
            _, _, *totals = f.times(*taps, [source, filters, *totals], line)
            self._store(f, [place], columns, totals, divisor, vector, cut)

        self._each_vector(f, block)

    def border(
        self,
        f: Function,
        place: Place,
        most: int,
        weights: Value,
        line_bytes: Value,
        taps: tuple[tuple[Value, Value], tuple[Value, Value]],
        divisor: tuple[Value, ...],
    ) -> None:
        """One output whose taps are two ranges, `most` vectors of channels at a time."""
        (top, bottom), (left, right) = taps
        step = self.window.dilations[1] * self.window.input_bytes
        source = f.offset(f.offset(place.source, top * line_bytes), left * step)
        filters = f.offset(weights, top * self._weight_row_bytes)
        filters = f.offset(filters, left * self.reduction.weight_bytes)

        def block(vector: Operand, vectors: int, cut: Value | None) -> None:
            moves = [self._input_offset(f, vector + number) for number in range(vectors)]
            weight_moves = [(vector + number) * self.type_bytes for number in range(vectors)]

            def tap(_: Operand, carried: list[Value]) -> list[Value]:
                pointer, here, *totals = carried
                for number in range(vectors):
                    x = self._tap(f, f.offset(pointer, moves[number]), cut)
                    weight = self._weight(f, f.offset(here, weight_moves[number]), cut)
                    totals[number] = self.reduction.combine(f, totals[number], x, weight)
                moved = f.offset(here, self.reduction.weight_bytes)
                return [f.offset(pointer, step), moved, *totals]

            def line(_: Operand, carried: list[Value]) -> list[Value]:
                pointer, here, *totals = carried
                _, _, *totals = f.times(left, right, [pointer, here, *totals], tap)
                moved = f.offset(here, self._weight_row_bytes)
                return [f.offset(pointer, line_bytes), moved, *totals]

            totals = [self.reduction.start(f, self.type)] * vectors
            _, _, *totals = f.times(top, bottom, [source, filters, *totals], line)
            for number, total in enumerate(totals):
                self._store(f, [place], 1, [total], divisor, vector + number, cut)

        self._channels(f, most, block)

    # --- channels ---------------------------------------------------------------------------------

    def _each_vector(self, f: Function, body: Callable[[Operand, Value | None], None]) -> None:
        self._channels(f, 1, lambda vector, _, cut: body(vector, cut))

    def _channels(
        self, f: Function, most: int, body: Callable[[Operand, int, Value | None], None]
    ) -> None:
        """body(first vector, number of vectors, mask): all channels, `most` vectors at a time."""
        vectors, rest = divmod(self.window.channels, self.lanes)
        whole = vectors // most * most

        def block(vector: Operand, _: list[Value]) -> list[Value]:
            body(vector, most, None)
            return []

        f.times(0, whole, [], block, most)
        if vectors > whole:
            body(whole, vectors - whole, None)
        if rest:
            body(vectors, 1, _first_lanes(f, rest, self.lanes))

    def _input_offset(self, f: Function, vector: Operand) -> Operand:
        """Bytes to the first input channel that a vector of outputs is made from."""
        multiplier = self.window.multiplier
        if multiplier < self.lanes:
            return vector * (self.lanes // multiplier * FLOAT_BYTES)
        repeats = multiplier // self.lanes
        if isinstance(vector, int):
            return vector // repeats * FLOAT_BYTES
        return f.binary("udiv", vector, repeats) * FLOAT_BYTES

    # --- taps -------------------------------------------------------------------------------------

    @property
    def _weight_row_bytes(self) -> int:
        return self.reduction.weight_bytes * self.window.size[1]

    def _line(
        self,
        f: Function,
        pointer: Value,
        columns: int,
        rows: Sequence[tuple[int, Sequence[Value | None]]],
        totals: list[Value],
        cut: Value | None,
    ) -> None:
        """Adds one row of inputs to the rows of outputs that see it, given the weights for each."""
        width, stride, dilation = (
            pair[1] for pair in (self.window.size, self.window.strides, self.window.dilations)
        )
        for column, uses in _meetings(columns, width, stride, dilation).items():
            x = self._tap(f, f.offset(pointer, column * self.window.input_bytes), cut)
            for row, weights in rows:
                for output, tap in uses:
                    place = row * columns + output
                    totals[place] = self.reduction.combine(f, totals[place], x, weights[tap])

    def _tap(self, f: Function, pointer: Value, cut: Value | None) -> Value:
        """One tap of each output channel of a vector."""
        multiplier = self.window.multiplier
        if multiplier >= self.lanes:
            return f.broadcast(f.load(F32, pointer), self.lanes)
        count = self.lanes // multiplier
        left = self.window.channels % self.lanes // multiplier
        mask = None if cut is None else _first_lanes(f, left, count)
        narrow = _load(f, F32.vector(count), pointer, mask)
        if multiplier == 1:
            return narrow
        return f.shuffle(narrow, [lane // multiplier for lane in range(self.lanes)])

    def _weights(
        self, f: Function, pointer: Value, row: int, cut: Value | None
    ) -> list[Value | None]:
        """The weights of a row of taps."""
        step = self.reduction.weight_bytes
        first = row * self._weight_row_bytes
        return [
            self._weight(f, f.offset(pointer, first + column * step), cut)
            for column in range(self.window.size[1])
        ]

    def _weight(self, f: Function, pointer: Value, cut: Value | None) -> Value | None:
        return _load(f, self.type, pointer, cut) if self.reduction.weight_bytes else None

    def _prefetch(self, f: Function, pointer: Value, columns: int) -> None:
        """Asks for the columns that the tile on the right has and this one has not."""
        width, stride, dilation = (
            pair[1] for pair in (self.window.size, self.window.strides, self.window.dilations)
        )
        # Narrower vectors would ask for each cache line several times. With a stride nearly every
        # load would have its prefetch, and few multiplications to hide them behind.
        if self.type_bytes != _LINE_BYTES or stride > 1:
            return
        first = columns + (width - 1) * dilation
        for column in range(first, first + columns):
            f.prefetch(f.offset(pointer, column * self.window.input_bytes))

    # --- results ----------------------------------------------------------------------------------

    def _store(
        self,
        f: Function,
        places: Sequence[Place],
        columns: int,
        totals: Sequence[Value],
        divisor: tuple[Value, ...],
        vector: Operand,
        cut: Value | None,
    ) -> None:
        """Finishes totals, applies the epilogue and stores them."""
        at = vector * self.type_bytes
        shared = [
            None if kind == "full" else self._operand(f, kind, pointer, at, cut)
            for kind, pointer in zip(self.epilogue.inputs, places[0].operands)
        ]
        for row, place in enumerate(places):
            output = f.offset(place.output, at)
            for column in range(columns):
                total = totals[row * columns + column]
                values = [self.reduction.finish(f, total, divisor)]
                here = at + column * self.window.output_bytes
                for known, pointer in zip(shared, place.operands):
                    values.append(known or self._operand(f, "full", pointer, here, cut))
                # A full operand may be the output itself: it is loaded before this store.
                value = self._epilogue(f, values)
                if cut is None:
                    f.store(value, output)
                else:
                    f.masked_store(value, output, cut)
                if column + 1 < columns:
                    output = f.offset(output, place.output_stride)

    def _epilogue(self, f: Function, values: list[Value]) -> Value:
        if not self.epilogue.steps:
            return values[0]
        return emit_steps(f, self.epilogue.steps, values, ["float32"] * len(values))[-1]

    def _operand(
        self, f: Function, kind: str, pointer: Value, at: Operand, cut: Value | None
    ) -> Value:
        if kind == "scalar":
            return f.broadcast(f.load(F32, pointer), self.lanes)
        return _load(f, self.type, f.offset(pointer, at), cut)


def _meetings(
    outputs: int, taps: int, stride: int, dilation: int
) -> dict[int, list[tuple[int, int]]]:
    """Positions that outputs side by side read, in order, each with its (output, tap)."""
    found = defaultdict(list)
    for output in range(outputs):
        for tap in range(taps):
            found[output * stride + tap * dilation].append((output, tap))
    return dict(sorted(found.items()))


def _load(f: Function, kind: Type, pointer: Value, cut: Value | None) -> Value:
    return f.load(kind, pointer) if cut is None else f.masked_load(kind, pointer, cut)


def _first_lanes(f: Function, count: int, lanes: int) -> Value:
    """A constant mask: a comparison of constants would become branches without masked moves."""
    if lanes == 1:
        return Value(f, I1, "true")
    flags = ", ".join(f"i1 {'true' if lane < count else 'false'}" for lane in range(lanes))
    return Value(f, I1.vector(lanes), f"<{flags}>")
