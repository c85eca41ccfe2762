"""Packing at run time of a matrix that a product will stream, into blocks of columns.

    packed[n // width, k, n % width] = source[k, n]        or source[n, k], transposed

This is the layout of `kernels/packed_weights.py`: the last block is as wide as the others, zeros
stand where there is no column. Row-major rows are copied vector by vector. A transposed matrix goes
through registers in squares of lanes × lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler.ir import F32, I64, Body, Module, Operand, Type, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family

_FLOAT_BYTES = 4
_LINE_BYTES = 64
#: Rows are far apart in memory, each on a page of its own perhaps: they are asked for early.
_ROWS_AHEAD = 8


@register_family
@dataclass(frozen=True)
class PackMatrix(KernelSpec):
    """Packs the blocks of columns from `block_begin` to before `block_end`.

    Attributes:
      width: columns of a block.
      transposed: whether the source is `[N, K]` rather than `[K, N]`; its rows are `row_stride`
        bytes apart.
    """

    family: ClassVar[str] = "pack_matrix"

    width: int
    transposed: bool

    def pointers(self) -> tuple[str, ...]:
        return ("source", "packed")

    def sizes(self) -> tuple[str, ...]:
        return ("k_size", "n_size", "row_stride", "block_begin", "block_end")

    def emit(self, module: Module) -> None:
        _PackingEmitter(self, module).emit()


class _PackingEmitter:
    def __init__(self, spec: PackMatrix, module: Module) -> None:
        self.f = KernelFunction(module, spec)
        self.spec = spec
        self.lanes = module.target.lanes(_FLOAT_BYTES)
        while spec.width % self.lanes:
            self.lanes //= 2
        self.type = F32.vector(self.lanes)
        self.row_bytes = spec.width * _FLOAT_BYTES

    def emit(self) -> None:
        """blocks of columns → rows of k."""
        f = self.f

        def block(index: Operand, _: list[Value]) -> list[Value]:
            place = f.value(index, I64)
            packed = f.offset(f["packed"], place * f["k_size"] * self.row_bytes)
            column = place * self.spec.width
            columns = f.smaller(f["n_size"] - column, self.spec.width)
            if self.spec.transposed:
                source = f.offset(f["source"], column * f["row_stride"])
                self._transposed_block(source, packed, columns)
            else:
                self._block(f.offset(f["source"], column * _FLOAT_BYTES), packed, columns)
            return []

        f.times(f["block_begin"], f["block_end"], [], block)
        f.return_(0)

    # --- row-major --------------------------------------------------------------------------------

    def _block(self, source: Value, packed: Value, columns: Value) -> None:
        f = self.f
        is_whole = f.compare("eq", columns, self.spec.width)
        ahead = f["row_stride"] * _ROWS_AHEAD

        def whole(row: Value, target: Value) -> None:
            for at in range(0, self.row_bytes, _LINE_BYTES):
                f.prefetch(f.offset(f.offset(row, ahead), at))
            for at in range(0, self.row_bytes, self.lanes * _FLOAT_BYTES):
                f.store(f.load(self.type, f.offset(row, at)), f.offset(target, at))

        def cut(row: Value, target: Value) -> None:
            for at in range(0, self.row_bytes, self.lanes * _FLOAT_BYTES):
                f.store(f.constant(self.type, 0.0), f.offset(target, at))
            self._copy(row, target, columns)

        f.when(is_whole, [], lambda _: self._rows(source, packed, whole))
        is_cut = f.compare("slt", columns, self.spec.width)
        f.when(is_cut, [], lambda _: self._rows(source, packed, cut))

    def _rows(
        self, source: Value, packed: Value, copy: Callable[[Value, Value], None]
    ) -> list[Value]:
        """copy(row of the source, row of the block) for each k."""
        f = self.f

        def row(_: Operand, carried: list[Value]) -> list[Value]:
            here, target = carried
            copy(here, target)
            return [f.offset(here, f["row_stride"]), f.offset(target, self.row_bytes)]

        f.times(0, f["k_size"], [source, packed], row)
        return []

    def _copy(self, source: Value, target: Value, count: Value) -> None:
        """Copies `count` numbers: vectors, then one at a time."""
        f = self.f
        whole = f.binary("and", count, -self.lanes)

        def move(kind: Type) -> Body:
            def one(index: Operand, _: list[Value]) -> list[Value]:
                at = f.value(index, I64) * _FLOAT_BYTES
                f.store(f.load(kind, f.offset(source, at)), f.offset(target, at))
                return []

            return one

        f.times(0, whole, [], move(self.type), self.lanes)
        f.times(whole, count, [], move(F32))

    # --- transposed -------------------------------------------------------------------------------

    def _transposed_block(self, source: Value, packed: Value, columns: Value) -> None:
        """`lanes` columns at a time; those that there are not read the last one, and become 0."""
        f = self.f

        def group(index: Operand, _: list[Value]) -> list[Value]:
            first = f.value(index, I64)
            rows = []
            for lane in range(self.lanes):
                row = f.smaller(first + lane, columns - 1)
                rows.append(f.offset(source, row * f["row_stride"]))
            kept = f.lane_mask(f.larger(columns - first, 0), self.lanes)
            self._group(rows, f.offset(packed, first * _FLOAT_BYTES), kept)
            return []

        f.times(0, self.spec.width, [], group, self.lanes)

    def _group(self, rows: list[Value], target: Value, kept: Value) -> None:
        """Squares down a group of columns; the last one overlaps the one before it."""
        f = self.f
        k_size = f["k_size"]
        whole = f.binary("and", k_size, -self.lanes)

        def square(index: Operand, _: list[Value]) -> list[Value]:
            self._square(rows, target, kept, f.value(index, I64))
            return []

        def single(index: Operand, _: list[Value]) -> list[Value]:
            self._single(rows, target, kept, f.value(index, I64))
            return []

        f.times(0, whole, [], square, self.lanes)
        is_short = f.compare("slt", k_size, self.lanes)
        overlaps = f.compare("sgt", f.select(is_short, whole, k_size), whole)
        f.when(overlaps, [], lambda _: square(k_size - self.lanes, []))
        f.when(is_short, [], lambda _: f.times(0, k_size, [], single))

    def _square(self, rows: list[Value], target: Value, kept: Value, k: Value) -> None:
        f = self.f
        at = k * _FLOAT_BYTES
        square = [f.load(self.type, f.offset(row, at)) for row in rows]
        for column in self._transposed(square):
            place = f.offset(target, k * self.row_bytes)
            f.store(f.select(kept, column, f.constant(self.type, 0.0)), place)
            k = k + 1

    def _single(self, rows: list[Value], target: Value, kept: Value, k: Value) -> None:
        """One row of the block, gathered."""
        f = self.f
        at = k * _FLOAT_BYTES
        gathered = f.constant(self.type, 0.0)
        for lane, row in enumerate(rows):
            number = f.load(F32, f.offset(row, at))
            gathered = number if self.lanes == 1 else f.insert(gathered, number, lane)
        value = f.select(kept, gathered, f.constant(self.type, 0.0))
        f.store(value, f.offset(target, k * self.row_bytes))

    def _transposed(self, square: list[Value]) -> list[Value]:
        """Swaps the off-diagonal halves of each pair of rows 1, 2, 4 … apart."""
        lanes = self.lanes
        distance = 1
        while distance < lanes:
            low = [lane - distance + lanes if lane & distance else lane for lane in range(lanes)]
            high = [lane + lanes if lane & distance else lane + distance for lane in range(lanes)]
            for place in range(lanes):
                if not place & distance:
                    upper, lower = square[place], square[place | distance]
                    square[place] = self._mixed(upper, lower, low)
                    square[place | distance] = self._mixed(upper, lower, high)
            distance *= 2
        return square

    def _mixed(self, left: Value, right: Value, lanes: list[int]) -> Value:
        """Lanes of two vectors, those of the second numbered behind those of the first."""
        picks = ", ".join(f"i32 {lane}" for lane in lanes)
        mask = f"<{len(lanes)} x i32> <{picks}>"
        return self.f.emit(self.type, f"shufflevector {left}, {right}, {mask}")
