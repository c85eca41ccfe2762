"""ColumnBlocks: the loop over blocks of packed weights, which matmul and convolution share.

    for each block of columns in [column_begin, column_end):
      work(weights of the block, its first column, what to prefetch, vectors)

The last block may hold fewer columns than the others: it is done in pieces, of the numbers of
vectors that the spec calls `tails`, largest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from featherflow.compiler.ir import I64, PTR, Function, Operand, Value
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.register_tile import Epilogue, TilePlace, pixel_pointers

#: work(weights, column, ahead, vectors)
Work = Callable[[Value, Value, Value, int], None]


def tails_of(columns: int, width: int) -> tuple[int, ...]:
    """The tails that a number of columns needs, in blocks of `width` columns: none, or 4, 2, 1."""
    return () if columns % width == 0 else (4, 2, 1)


class ColumnBlocks:
    """Emits the loop.

    Args:
      arguments: the kernel's, by name.
      block_bytes: the size of one block of weights.
    """

    def __init__(
        self,
        f: Function,
        arguments: Mapping[str, Value],
        vectors: int,
        tails: tuple[int, ...],
        block_bytes: Value,
    ) -> None:
        self.f = f
        self.arguments = arguments
        self.vectors = vectors
        self.tails = tuple(tail for tail in tails if tail <= vectors)
        self.block_bytes = block_bytes
        self.lanes = f.target.lanes(4)

    def each(self, work: Work) -> None:
        """Emits `work` for every block."""
        f, arguments = self.f, self.arguments
        width = self.vectors * self.lanes

        def block(index: Operand, _: list[Value]) -> list[Value]:
            place = f.value(index, I64)
            weights = f.offset(arguments["weights"], place * self.block_bytes)
            is_last = f.compare("eq", place + 1, arguments["column_end"])
            following = f.offset(weights, self.block_bytes)
            ahead = f.select(is_last, arguments["next_weights"], following)
            self._block(work, weights, place * width, ahead)
            return []

        f.times(arguments["column_begin"], arguments["column_end"], [], block)

    def _block(self, work: Work, weights: Value, column: Value, ahead: Value) -> None:
        f = self.f

        def whole(_: list[Value]) -> list[Value]:
            work(weights, column, ahead, self.vectors)
            return []

        if not self.tails:
            whole([])
            return
        left = self.arguments["n_size"] - column
        width = self.vectors * self.lanes
        f.when(f.compare("sge", left, width), [], whole)
        is_cut = f.compare("slt", left, width)
        f.when(is_cut, [], lambda _: self._pieces(work, weights, column, ahead, left))

    def _pieces(
        self, work: Work, weights: Value, column: Value, ahead: Value, left: Value
    ) -> list[Value]:
        f = self.f
        done = f.constant(I64, 0)
        for vectors in self.tails:

            def piece(carried: list[Value], vectors: int = vectors) -> list[Value]:
                (at,) = carried
                work(f.offset(weights, at * 4), column + at, ahead, vectors)
                return [at + vectors * self.lanes]

            fits = f.compare("sgt", left - done, (vectors - 1) * self.lanes)
            (done,) = f.when(fits, [done], piece)
        return []


class Arguments:
    """The fields of an argument block, loaded when they are first asked for.

    Ask for a field before the first branch of a function, or its load may not dominate later uses.
    """

    def __init__(self, f: Function, spec: KernelSpec) -> None:
        self._f = f
        self._places = {name: place for place, name in enumerate(spec.fields)}
        self._pointers = len(spec.pointers())
        self._loaded: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._loaded:
            place = self._places[name]
            kind = PTR if place < self._pointers else I64
            at = self._f.offset(self._f.parameter("arguments"), 8 * place)
            self._loaded[name] = self._f.load(kind, at)
        return self._loaded[name]


def tile_place(
    arguments: Arguments, epilogue: Epilogue, pixel: Value, channel: Value, pixels: int
) -> TilePlace:
    """Where the tile at (pixel, channel) of the output lies."""
    f = pixel.function
    at = channel * 4
    stride = arguments["output_stride"]
    output = f.offset(f.offset(arguments["output"], pixel * stride), at)
    operands: list[list[Value]] = []
    for name, kind in zip(epilogue.names(), epilogue.inputs):
        pointer = arguments[name]
        if kind == "full":
            step = arguments["operand_stride"]
            first = f.offset(f.offset(pointer, at), pixel * step)
            operands.append(pixel_pointers(f, first, step, pixels))
        else:
            operands.append([pointer if kind == "scalar" else f.offset(pointer, at)])
    outputs = pixel_pointers(f, output, stride, pixels)
    return TilePlace(outputs, operands, arguments["n_size"] - channel)


class EvenTiles:
    """A range of pixels in nearly equal tiles of at most `size`.

    13 pixels in tiles of at most 6 are 5 + 4 + 4, not 6 + 6 + 1: a small tile wastes registers. The
    cut follows from the number of pixels alone, so threads may share the tiles in any way.
    """

    def __init__(self, f: Function, pixels: Value, size: int) -> None:
        self.f = f
        self.size = size
        self.count = f.binary("udiv", pixels + (size - 1), size)
        self._short = f.binary("udiv", pixels, self.count)
        self._longer = f.binary("urem", pixels, self.count)

    def each(
        self,
        first: Operand,
        last: Value,
        ahead: Value,
        tile: Callable[[Value, int, Value], Value],
    ) -> Value:
        """Calls `tile(at, pixels, ahead)` for the tiles [first, last), of which there is one."""
        f = self.f
        start = f.value(first, I64)
        at = start * self._short + f.smaller(start, self._longer)

        def one(index: Operand, carried: list[Value]) -> list[Value]:
            at, ahead = carried
            is_longer = f.compare("slt", index, self._longer)
            pixels = self._short + f.convert("zext", is_longer, I64)
            cases = {
                number: (lambda number=number: [tile(at, number, ahead)])
                for number in range(self.size, 0, -1)
            }
            (ahead,) = f.switch(pixels, cases, [PTR])
            return [at + pixels, ahead]

        return f.loop(first, last, [at, ahead], one)[1]
