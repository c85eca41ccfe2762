"""Tiles of outputs in registers, under a window that slides over an image: channels innermost.

An input vector is loaded once for all outputs of a tile that it is a tap of:

    for each vector of channels:
      for each row of inputs below the tile:
        for each column:  x = input;  for each output with a tap here:  total += x · weight[tap]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from featherflow.compiler.channel_vectors import (
    FLOAT_BYTES,
    ChannelRun,
    ChannelVector,
    channel_runs,
)
from featherflow.compiler.ir import Function, Operand, Type, Value
from featherflow.compiler.primitives import emit_steps
from featherflow.compiler.register_tile import Epilogue

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

    def runs(self, f: Function) -> list[ChannelRun]:
        """All channels, in vectors."""
        return channel_runs(f, self.channels, self.multiplier)


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


@dataclass(frozen=True)
class TileEmitter:
    """Emits tiles into functions under construction.

    Common to the methods: `run` are the channels; `places` are outputs; `weights` points to those
    of the window's first tap; `line_bytes` are from one row of taps to the next.
    """

    window: Window
    reduction: WindowReduction
    epilogue: Epilogue

    def whole_rows(
        self,
        run: ChannelRun,
        places: Sequence[Place],
        columns: int,
        weights: Value,
        row_bytes: Value,
        divisor: tuple[Value, ...],
    ) -> None:
        """Outputs that have all their taps: `columns` of each row that has a place.

        Args:
          row_bytes: from one row of the image to the next.
        """
        vectors, f = run.vectors, run.vectors.f
        height, stride, dilation = self._along(0)
        lines = _meetings(len(places), height, stride, dilation)
        # The rows above have read the others, a moment ago.
        unseen = max(lines) - len(places) * stride

        def block(first: Operand, _: int) -> None:
            source = f.offset(places[0].source, vectors.input_offset(first))
            filters = f.offset(weights, first * vectors.bytes)
            totals = [self.reduction.start(f, vectors.type)] * (len(places) * columns)
            kept: dict[int, list[Value | None]] = {}
            for line, uses in lines.items():
                pointer = f.offset(source, row_bytes * line)
                for _, tap in uses:
                    if tap not in kept:
                        at = f.offset(filters, tap * self._weight_row_bytes)
                        kept[tap] = self._weights(vectors, at)
                rows = [(row, kept[tap]) for row, tap in uses]
                self._line(vectors, pointer, columns, rows, totals)
                if line > unseen:
                    self._prefetch(vectors, pointer, columns)
            self._store(vectors, places, columns, totals, divisor, first)

        run.each(1, block)

    def cut_row(
        self,
        run: ChannelRun,
        place: Place,
        columns: int,
        weights: Value,
        line_bytes: Value,
        taps: tuple[Value, Value],
        divisor: tuple[Value, ...],
    ) -> None:
        """Outputs side by side that have all columns of taps, and a range of the rows.

        Args:
          taps: the first row, and that behind the last one.
        """
        vectors, f = run.vectors, run.vectors.f
        top = f.offset(place.source, taps[0] * line_bytes)
        weights = f.offset(weights, taps[0] * self._weight_row_bytes)

        def block(first: Operand, _: int) -> None:
            def line(_: Operand, carried: list[Value]) -> list[Value]:
                pointer, here, *totals = carried
                rows = [(0, self._weights(vectors, here))]
                self._line(vectors, pointer, columns, rows, totals)
                moved = f.offset(here, self._weight_row_bytes)
                return [f.offset(pointer, line_bytes), moved, *totals]

            source = f.offset(top, vectors.input_offset(first))
            filters = f.offset(weights, first * vectors.bytes)
            totals = [self.reduction.start(f, vectors.type)] * columns
            totals = f.times(*taps, [source, filters, *totals], line)[2:]
            self._store(vectors, [place], columns, totals, divisor, first)

        run.each(1, block)

    def border(
        self,
        run: ChannelRun,
        place: Place,
        most: int,
        weights: Value,
        line_bytes: Value,
        taps: tuple[tuple[Value, Value], tuple[Value, Value]],
        divisor: tuple[Value, ...],
    ) -> None:
        """One output whose taps are two ranges, `most` vectors of channels at a time."""
        vectors, f = run.vectors, run.vectors.f
        (top, bottom), (left, right) = taps
        step = self.window.dilations[1] * self.window.input_bytes
        source = f.offset(f.offset(place.source, top * line_bytes), left * step)
        weights = f.offset(weights, top * self._weight_row_bytes)
        weights = f.offset(weights, left * self.reduction.weight_bytes)

        def block(first: Operand, count: int) -> None:
            moves = [
                (vectors.input_offset(first + number), (first + number) * vectors.bytes)
                for number in range(count)
            ]

            def tap(_: Operand, carried: list[Value]) -> list[Value]:
                pointer, here, *totals = carried
                for number, (move, weight_move) in enumerate(moves):
                    x = vectors.inputs(f.offset(pointer, move))
                    weight = self._weight(vectors, f.offset(here, weight_move))
                    totals[number] = self.reduction.combine(f, totals[number], x, weight)
                moved = f.offset(here, self.reduction.weight_bytes)
                return [f.offset(pointer, step), moved, *totals]

            def line(_: Operand, carried: list[Value]) -> list[Value]:
                pointer, here, *totals = carried
                totals = f.times(left, right, carried, tap)[2:]
                moved = f.offset(here, self._weight_row_bytes)
                return [f.offset(pointer, line_bytes), moved, *totals]

            totals = [self.reduction.start(f, vectors.type)] * count
            totals = f.times(top, bottom, [source, weights, *totals], line)[2:]
            for number, total in enumerate(totals):
                self._store(vectors, [place], 1, [total], divisor, first + number)

        run.each(most, block)

    # --- taps -------------------------------------------------------------------------------------

    def _along(self, axis: int) -> tuple[int, int, int]:
        """Size, stride and dilation of the window."""
        window = self.window
        return window.size[axis], window.strides[axis], window.dilations[axis]

    @property
    def _weight_row_bytes(self) -> int:
        return self.reduction.weight_bytes * self.window.size[1]

    def _weights(self, vectors: ChannelVector, pointer: Value) -> list[Value | None]:
        """The weights of a row of taps."""
        return [
            self._weight(vectors, vectors.f.offset(pointer, column * self.reduction.weight_bytes))
            for column in range(self.window.size[1])
        ]

    def _weight(self, vectors: ChannelVector, pointer: Value) -> Value | None:
        return vectors.load(pointer) if self.reduction.weight_bytes else None

    def _line(
        self,
        vectors: ChannelVector,
        pointer: Value,
        columns: int,
        rows: Sequence[tuple[int, Sequence[Value | None]]],
        totals: list[Value],
    ) -> None:
        """Adds a row of inputs to the rows of outputs that see it, each with its own weights."""
        f = vectors.f
        for column, uses in _meetings(columns, *self._along(1)).items():
            x = vectors.inputs(f.offset(pointer, column * self.window.input_bytes))
            for row, weights in rows:
                for output, tap in uses:
                    place = row * columns + output
                    totals[place] = self.reduction.combine(f, totals[place], x, weights[tap])

    def _prefetch(self, vectors: ChannelVector, pointer: Value, columns: int) -> None:
        """Asks for the columns that the tile on the right has and this one has not."""
        size, stride, dilation = self._along(1)
        # Narrower vectors would ask for each cache line several times. With a stride nearly every
        # load would have its prefetch, and few multiplications to hide them behind.
        if vectors.bytes != _LINE_BYTES or stride > 1 or columns == 1:
            return
        first = columns + (size - 1) * dilation
        for column in range(first, first + columns):
            vectors.f.prefetch(vectors.f.offset(pointer, column * self.window.input_bytes))

    # --- results ----------------------------------------------------------------------------------

    def _store(
        self,
        vectors: ChannelVector,
        places: Sequence[Place],
        columns: int,
        totals: Sequence[Value],
        divisor: tuple[Value, ...],
        vector: Operand,
    ) -> None:
        """Finishes totals, applies the epilogue and stores them."""
        f = vectors.f
        at = vector * vectors.bytes
        divisor = tuple(vectors.part(value) for value in divisor)
        shared = self._shared_operands(vectors, places[0], at)
        for row, place in enumerate(places):
            output = f.offset(place.output, at)
            for column in range(columns):
                total = totals[row * columns + column]
                values = [self.reduction.finish(f, total, divisor)]
                here = at + column * self.window.output_bytes
                for known, pointer in zip(shared, place.operands):
                    # The output itself, perhaps: it is loaded before it is stored to.
                    values.append(known or vectors.load(f.offset(pointer, here)))
                vectors.store(self._epilogue(f, values), output)
                if column + 1 < columns:
                    output = f.offset(output, place.output_stride)

    def _shared_operands(
        self, vectors: ChannelVector, place: Place, at: Operand
    ) -> list[Value | None]:
        """Operands that are the same for all pixels; None for the others."""
        found: list[Value | None] = []
        for kind, pointer in zip(self.epilogue.inputs, place.operands):
            if kind == "scalar":
                found.append(vectors.spread(pointer))
            elif kind == "channel":
                found.append(vectors.load(vectors.f.offset(pointer, at)))
            else:
                found.append(None)
        return found

    def _epilogue(self, f: Function, values: list[Value]) -> Value:
        if not self.epilogue.steps:
            return values[0]
        return emit_steps(f, self.epilogue.steps, values, ["float32"] * len(values))[-1]


def _meetings(
    outputs: int, taps: int, stride: int, dilation: int
) -> dict[int, list[tuple[int, int]]]:
    """Positions that outputs side by side read, in order, each with its (output, tap)."""
    found = defaultdict(list)
    for output in range(outputs):
        for tap in range(taps):
            found[output * stride + tap * dilation].append((output, tap))
    return dict(sorted(found.items()))
