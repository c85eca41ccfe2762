"""Direct convolution, NHWC: batch, image sizes, channels and padding at run time.

    output[n, y, x, o] = epilogue(
        Σ_{i, j, c} input[n, y·s + i·d − top, x·s + j·d − left, c] · w[i, j, c, o]
    )

In NHWC the taps of one kernel row are neighbours in memory, (j, c) like a vector of window ·
channels numbers, so a row of taps is one long k for a RegisterTile. Nothing is padded or copied:

- above and below, the loop over kernel rows has run-time bounds;
- at the sides, of the taps of one kernel row those left of `a` are cut for some pixels of the tile,
  then comes a full run, and from `b` on others are cut. There is one loop for each number of cut
  pixels, up to the spec's `cuts`: three loops in all for a 3x3.

The order of loops is that of `matmul.py`, with rows of the output in place of single pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler.column_blocks import (
    Arguments,
    ColumnBlocks,
    EvenTiles,
    tile_place,
)
from featherflow.compiler.ir import I64, PTR, Function, Module, Operand, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family
from featherflow.compiler.register_tile import Epilogue, RegisterTile, pixel_pointers

_RANGES = ("row_begin", "row_end", "row_block", "column_begin", "column_end")
_IMAGE = ("height", "width", "out_height", "out_width", "pad_top", "pad_left")


@register_family
@dataclass(frozen=True)
class Convolution(KernelSpec):
    """A convolution; `channels` and `n_size` of a call are those of one group.

    Arguments of a call: rows [row_begin, row_end) of all images in one list, `row_block` at a time;
    strides are bytes between pixels.

    Attributes:
      window, strides, dilations: (vertical, horizontal).
      is_dense: whether the taps of a row are neighbours: one group, no horizontal dilation.
      cuts: the most pixels of a tile that a side may cut off a tap: (left, right).
      tile: pixels × vectors of channels in registers.
      is_even: whether the number of input channels is a multiple of 4.
      tails: the numbers of vectors that the last block of channels may be cut into.
      epilogue_inputs, epilogue: see `register_tile.Epilogue`.
    """

    family: ClassVar[str] = "conv2d"

    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    is_dense: bool
    cuts: tuple[int, int]
    tile: tuple[int, int]
    is_even: bool
    tails: tuple[int, ...] = ()
    epilogue_inputs: tuple[str, ...] = ()
    epilogue: tuple[tuple, ...] = ()

    def pointers(self) -> tuple[str, ...]:
        operands = Epilogue(self.epilogue_inputs).names()
        return ("input", "weights", "output", "next_weights", *operands)

    def sizes(self) -> tuple[str, ...]:
        strides = ("input_stride", "output_stride", "operand_stride")
        return (*_RANGES, "channels", "n_size", *_IMAGE, *strides)

    def emit(self, module: Module) -> None:
        _ConvolutionEmitter(self, module).emit()


class _ConvolutionEmitter:
    def __init__(self, spec: Convolution, module: Module) -> None:
        self.spec = spec
        self.module = module
        self.row_bytes = spec.tile[1] * module.target.lanes(4) * 4
        self.epilogue = Epilogue(spec.epilogue_inputs, spec.epilogue)
        self._tiles: dict[tuple[int, int], Function] = {}

    def emit(self) -> None:
        """rows of the output → blocks of channels → rows → tiles."""
        f = KernelFunction(self.module, self.spec)
        begin, end, step = f.some(["row_begin", "row_end", "row_block"])
        taps = self.spec.window[0] * self.spec.window[1]
        columns = ColumnBlocks(
            f,
            f.arguments,
            self.spec.tile[1],
            self.spec.tails,
            f["channels"] * (taps * self.row_bytes),
        )

        def row_block(index: Operand, _: list[Value]) -> list[Value]:
            first = begin + f.value(index, I64) * step
            last = f.smaller(first + step, end)

            def work(weights: Value, column: Value, ahead: Value, vectors: int) -> None:
                def row(g: Operand, carried: list[Value]) -> list[Value]:
                    row = f.value(g, I64)
                    return [self._row(f, row, weights, column, carried[0], vectors)]

                f.loop(first, last, [ahead], row)

            columns.each(work)
            return []

        f.times(0, f.binary("udiv", end - begin + (step - 1), step), [], row_block)
        f.return_(0)

    def _row(
        self, f: KernelFunction, row: Value, weights: Value, column: Value, ahead: Value, vectors
    ) -> Value:
        """One row of the output, in tiles."""
        (vertical, horizontal), (dilation, _) = self.spec.strides, self.spec.dilations
        image = f.binary("udiv", row, f["out_height"])
        y = f.binary("urem", row, f["out_height"]) * vertical - f["pad_top"]
        first = f.larger(_ceil(f, 0 - y, dilation), 0)
        last = f.smaller(_ceil(f, f["height"] - y, dilation), self.spec.window[0])
        stride = f["input_stride"]
        start = f.offset(f["input"], (image * f["height"] + y) * f["width"] * stride)

        def tile(at: Value, pixels: int, ahead: Value) -> Value:
            x = at * horizontal - f["pad_left"]
            pixel = row * f["out_width"] + at
            function = self._tile(pixels, vectors)
            block = f.parameter("arguments")
            here = f.offset(start, x * stride)
            return f.call(function, block, here, weights, pixel, column, ahead, x, first, last)

        tiles = EvenTiles(f, f["out_width"], self.spec.tile[0])
        return tiles.each(0, tiles.count, ahead, tile)

    def _tile(self, pixels: int, vectors: int) -> Function:
        """The function for one size of tile; made on first use."""
        key = pixels, vectors
        if key not in self._tiles:
            parameters = [
                *(("noalias readonly arguments", PTR), ("noalias readonly input", PTR)),
                *(("noalias readonly weights", PTR), ("pixel", I64), ("column", I64)),
                *(("ahead", PTR), ("x", I64), ("first", I64), ("last", I64)),
            ]
            name = f"tile_{pixels}x{vectors}"
            self._tiles[key] = f = Function(self.module, name, parameters, PTR, is_internal=True)
            arguments = Arguments(f, self.spec)
            _TileEmitter(self.spec, f, arguments, self.epilogue, pixels, vectors).emit()
        return self._tiles[key]


class _TileEmitter:
    """One tile: kernel rows `first` to `last`, each as cut taps, a full run, cut taps."""

    def __init__(
        self,
        spec: Convolution,
        f: Function,
        arguments: Arguments,
        epilogue: Epilogue,
        pixels: int,
        vectors: int,
    ) -> None:
        self.spec = spec
        self.f = f
        self.epilogue = epilogue
        self.arguments = arguments
        self.pixels = pixels
        row_bytes = spec.tile[1] * f.target.lanes(4) * 4
        self.tile = RegisterTile(f, pixels, vectors, row_bytes, spec.is_even)
        self.channels = arguments["channels"]
        stride = arguments["input_stride"]
        self.pixel_step = stride * spec.strides[1]
        self.tap_step = stride * spec.dilations[1]
        self.tap_weights = self.channels * row_bytes
        self.row_step = stride * arguments["width"] * spec.dilations[0]
        self.row_weights = self.tap_weights * spec.window[1]

    def emit(self) -> None:
        f = self.f
        self.begin, self.end = self._full_run()
        parameter = f.parameter
        place = tile_place(
            self.arguments, self.epilogue, parameter("pixel"), parameter("column"), self.pixels
        )
        for pointer in place.outputs:
            f.prefetch(pointer, for_write=True)
        state = [*self.tile.zeros(), parameter("ahead")]
        *state, ahead = f.times(parameter("first"), parameter("last"), state, self._kernel_row)
        self.tile.finish(state, self.epilogue, place)
        f.return_(ahead)

    def _full_run(self) -> tuple[Operand, Operand]:
        """The taps [begin, end) of a row that lie inside the image for all pixels of the tile."""
        f, spec = self.f, self.spec
        if spec.cuts == (0, 0):
            return 0, spec.window[1]
        x = f.parameter("x")
        last = x + (self.pixels - 1) * spec.strides[1]
        dilation = spec.dilations[1]
        begin = f.larger(_ceil(f, 0 - x, dilation), 0)
        begin = f.smaller(begin, spec.window[1])
        end = f.smaller(_ceil(f, self.arguments["width"] - last, dilation), spec.window[1])
        return begin, f.larger(end, begin)

    def _kernel_row(self, index: Operand, state: list[Value]) -> list[Value]:
        f = self.f
        row = f.value(index, I64)
        start = f.offset(f.parameter("input"), row * self.row_step)
        weights = f.offset(f.parameter("weights"), row * self.row_weights)
        left, right = self.spec.cuts
        if left:

            def cut_left(tap: Operand, state: list[Value]) -> list[Value]:
                return self._cut(f.value(tap, I64), start, weights, state, is_left=True)

            state = f.times(0, self.begin, state, cut_left)
        state = self._run(start, weights, state)
        if right:

            def cut_right(tap: Operand, state: list[Value]) -> list[Value]:
                return self._cut(f.value(tap, I64), start, weights, state, is_left=False)

            state = f.times(self.end, self.spec.window[1], state, cut_right)
        return state

    def _run(self, start: Value, weights: Value, state: list[Value]) -> list[Value]:
        """The taps that are whole for every pixel."""
        f = self.f
        if self.spec.is_dense:
            taps = f.value(self.end, I64) - self.begin
            return self._taps(self.begin, taps * self.channels, start, weights, state)
        return f.times(
            self.begin,
            self.end,
            state,
            lambda tap, state: self._taps(tap, self.channels, start, weights, state),
        )

    def _taps(
        self,
        tap: Operand,
        count: Operand,
        start: Value,
        weights: Value,
        state: Sequence[Value],
        window: tuple[int, int] | None = None,
    ) -> list[Value]:
        """`count` steps of k from a tap on."""
        f = self.f
        at = f.value(tap, I64)
        here = f.offset(start, at * self.tap_step)
        inputs = pixel_pointers(f, here, self.pixel_step, self.pixels)
        *accumulators, ahead = state
        packed = f.offset(weights, at * self.tap_weights)
        return self.tile.accumulate(count, inputs, packed, accumulators, ahead, window)

    def _cut(
        self, tap: Value, start: Value, weights: Value, state: list[Value], is_left: bool
    ) -> list[Value]:
        """One tap that lies outside of the image for some pixels: one loop per number of them."""
        f = self.f
        stride = self.spec.strides[1]
        x = f.parameter("x") + tap * self.spec.dilations[1]
        if is_left:
            missing = f.binary("sdiv", 0 - x + (stride - 1), stride)
        else:
            inside = f.binary("sdiv", self.arguments["width"] - x + (stride - 1), stride)
            missing = self.pixels - inside
        limit = min(self.spec.cuts[0 if is_left else 1], self.pixels - 1)
        for number in range(1, limit + 1):
            window = (number, self.pixels) if is_left else (0, self.pixels - number)

            def add(state: list[Value], window: tuple[int, int] = window) -> list[Value]:
                return self._taps(tap, self.channels, start, weights, state, window)

            state = f.when(f.compare("eq", missing, number), state, add)
        return state


def _ceil(f: Function, value: Value, divisor: int) -> Value:
    """value / divisor, rounded up, for value > −divisor; smaller ones give at most 0."""
    return value if divisor == 1 else f.binary("sdiv", value + (divisor - 1), divisor)
