"""Matrix products and 1x1 convolutions: [M, K] · packed [K, N], all sizes at run time.

The weights are packed in blocks of `vectors` × lanes columns (`kernels/packed_weights.py`). Rows
are taken in blocks that stay in cache while the blocks of columns pass by; a block of columns is
streamed once for each block of rows, and each step of k prefetches a line of the block
that follows, since cold weights cost more than anything else.

    for each block of rows:
      for each block of columns:              its weights: K × width
        for each tile of rows:                RegisterTile
"""

from __future__ import annotations

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


@register_family
@dataclass(frozen=True)
class MatMul(KernelSpec):
    """output[m, n] = epilogue(Σ_k input[m, k] · weights[k, n]).

    Arguments of a call: tiles of rows [tile_begin, tile_end), `tile_block` at a time; blocks of
    columns [column_begin, column_end); strides are bytes between rows.

    Attributes:
      tile: rows × vectors of columns in registers.
      is_even: whether the number of k is a multiple of 4.
      tails: the numbers of vectors that the last block of columns may be cut into.
      epilogue_inputs, epilogue: see `register_tile.Epilogue`.
    """

    family: ClassVar[str] = "matmul"

    tile: tuple[int, int]
    is_even: bool
    tails: tuple[int, ...] = ()
    epilogue_inputs: tuple[str, ...] = ()
    epilogue: tuple[tuple, ...] = ()

    def pointers(self) -> tuple[str, ...]:
        operands = Epilogue(self.epilogue_inputs).names()
        return ("input", "weights", "output", "next_weights", *operands)

    def sizes(self) -> tuple[str, ...]:
        ranges = ("tile_begin", "tile_end", "tile_block", "column_begin", "column_end")
        return (
            *ranges,
            "rows",
            "k_size",
            "n_size",
            "input_stride",
            "output_stride",
            "operand_stride",
        )

    def emit(self, module: Module) -> None:
        _MatMulEmitter(self, module).emit()


class _MatMulEmitter:
    def __init__(self, spec: MatMul, module: Module) -> None:
        self.spec = spec
        self.module = module
        self.row_bytes = spec.tile[1] * module.target.lanes(4) * 4
        self.epilogue = Epilogue(spec.epilogue_inputs, spec.epilogue)
        self._tiles: dict[tuple[int, int], Function] = {}

    def emit(self) -> None:
        """rows → columns → tiles."""
        f = KernelFunction(self.module, self.spec)
        begin, end, step = f.some(["tile_begin", "tile_end", "tile_block"])
        tiles = EvenTiles(f, f["rows"], self.spec.tile[0])
        blocks = f.binary("udiv", end - begin + (step - 1), step)
        columns = ColumnBlocks(
            f, f.arguments, self.spec.tile[1], self.spec.tails, f["k_size"] * self.row_bytes
        )

        def row_block(index: Operand, _: list[Value]) -> list[Value]:
            first = begin + f.value(index, I64) * step
            last = f.smaller(first + step, end)

            def work(weights: Value, column: Value, ahead: Value, vectors: int) -> None:
                def tile(row: Value, pixels: int, ahead: Value) -> Value:
                    function = self._tile(pixels, vectors)
                    return f.call(function, f.parameter("arguments"), row, weights, column, ahead)

                tiles.each(first, last, ahead, tile)

            columns.each(work)
            return []

        f.times(0, blocks, [], row_block)
        f.return_(0)

    def _tile(self, pixels: int, vectors: int) -> Function:
        """The function for one size of tile; made on first use."""
        key = pixels, vectors
        if key not in self._tiles:
            parameters = [
                *(("noalias readonly arguments", PTR), ("row", I64)),
                *(("noalias readonly weights", PTR), ("column", I64), ("ahead", PTR)),
            ]
            name = f"tile_{pixels}x{vectors}"
            self._tiles[key] = f = Function(self.module, name, parameters, PTR, is_internal=True)
            self._emit_tile(f, pixels, vectors)
        return self._tiles[key]

    def _emit_tile(self, f: Function, pixels: int, vectors: int) -> None:
        arguments = Arguments(f, self.spec)
        row, column = f.parameter("row"), f.parameter("column")
        stride = arguments["input_stride"]
        first = f.offset(arguments["input"], row * stride)
        inputs = pixel_pointers(f, first, stride, pixels)
        place = tile_place(arguments, self.epilogue, row, column, pixels)
        for pointer in place.outputs:
            f.prefetch(pointer, for_write=True)
        tile = RegisterTile(f, pixels, vectors, self.row_bytes, self.spec.is_even)
        *state, ahead = tile.accumulate(
            arguments["k_size"],
            inputs,
            f.parameter("weights"),
            tile.zeros(),
            f.parameter("ahead"),
        )
        tile.finish(state, self.epilogue, place)
        f.return_(ahead)
