"""Winograd's F(2x2, 3x3): the transforms of the image and of the result, NHWC.

A tile is 2x2 outputs, from a 4x4 patch of the image (see `kernels/winograd_weights.py`). Sixteen
*planes*, one for each place of a patch, are matrices [tiles, channels]:

    winograd_input:   planes V = Bᵀ d B of each patch d, zeros outside of the image
    matmul:           M[p] = V[p] · U[p], for each plane p
    winograd_output:  outputs = epilogue(Aᵀ m A), of which those inside the image are stored

The tiles of all images are one list, row by row. A call works on a range of them, and its planes
begin with the first of the range. Each of 4 · IC · OC multiply-adds stands for 9 / 4 of the
definition. NaN or infinity in the image makes NaN of all outputs of the tiles that read it: up to a
pixel further away than by the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler.column_blocks import Arguments
from featherflow.compiler.ir import F32, I64, PTR, VOID, Function, Module, Operand, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family
from featherflow.compiler.primitives import emit_steps
from featherflow.compiler.register_tile import Epilogue

#: Outputs and inputs of a tile, along each axis.
TILE = 2
_PATCH = 4
_EVERYWHERE = 0xFFFF
_FLOAT_BYTES = 4
_RANGE = ("tile_begin", "tile_end", "tile_rows", "tile_columns")


@register_family
@dataclass(frozen=True)
class WinogradInput(KernelSpec):
    """V[4i + j, tile, c] = (Bᵀ d B)[i, j], d[i, j] = input[n, 2ty + i − top, 2tx + j − left, c].

    Arguments of a call: strides are bytes between pixels, planes, and tiles of a plane. Each tile
    of a plane has room for whole vectors of channels: zeros fill the last one.

    Attributes:
      is_cut: whether the last vector of channels is not full.
    """

    family: ClassVar[str] = "winograd_input"

    is_cut: bool

    def pointers(self) -> tuple[str, ...]:
        return ("input", "planes")

    def sizes(self) -> tuple[str, ...]:
        image = ("height", "width", "pad_top", "pad_left", "channels")
        return (*_RANGE, *image, "input_stride", "plane_stride", "tile_stride")

    def emit(self, module: Module) -> None:
        _InputEmitter(self, module).emit()


@register_family
@dataclass(frozen=True)
class WinogradOutput(KernelSpec):
    """output[n, 2ty + i, 2tx + j, c] = epilogue((Aᵀ m A)[i, j]), m[i, j] = M[4i + j, tile, c].

    Arguments of a call: strides are bytes, as in `WinogradInput`. What the last vector of a tile in
    a plane has behind its channels is read, but means nothing.

    Attributes:
      is_clipped: whether height and width of the output may be odd.
      is_cut: whether the last vector of channels is not full.
      epilogue_inputs, epilogue: see `register_tile.Epilogue`; "full" operands are dense, and may be
        the output itself.
    """

    family: ClassVar[str] = "winograd_output"

    is_clipped: tuple[bool, bool]
    is_cut: bool
    epilogue_inputs: tuple[str, ...] = ()
    epilogue: tuple[tuple, ...] = ()

    def pointers(self) -> tuple[str, ...]:
        return ("planes", "output", *Epilogue(self.epilogue_inputs).names())

    def sizes(self) -> tuple[str, ...]:
        image = ("out_height", "out_width", "channels")
        strides = ("output_stride", "operand_stride", "plane_stride", "tile_stride")
        return (*_RANGE, *image, *strides)

    def emit(self, module: Module) -> None:
        _OutputEmitter(self, module).emit()


def _each_tile(f: KernelFunction, body: Callable[[Value, Value, Value, Value], None]) -> None:
    """body(image, tile row, tile column, planes) for all tiles of a call."""
    begin, rows, columns = f.some(["tile_begin", "tile_rows", "tile_columns"])

    def tile(index: Operand, _: list[Value]) -> list[Value]:
        number = f.value(index, I64)
        row = f.binary("udiv", number, columns)
        column = number - row * columns
        image = f.binary("udiv", row, rows)
        planes = f.offset(f["planes"], (number - begin) * f["tile_stride"])
        body(image, row - image * rows, column, planes)
        return []

    f.times(begin, f["tile_end"], [], tile)
    f.return_(0)


def _each_vector(
    f: Function, channels: Value, is_cut: bool, body: Callable[[Operand, Value | None], None]
) -> None:
    """body(byte offset, mask) for all vectors of channels; only the last one may have a mask."""
    size = f.target.lanes(_FLOAT_BYTES) * _FLOAT_BYTES
    end = channels * _FLOAT_BYTES
    whole = f.binary("and", end, -size) if is_cut else end

    def vector(at: Operand, _: list[Value]) -> list[Value]:
        body(at, None)
        return []

    f.times(0, whole, [], vector, size)
    if is_cut:
        rest = f.binary("lshr", end - whole, 2)
        body(whole, f.lane_mask(rest, f.target.lanes(_FLOAT_BYTES)))


def _load(f: Function, pointer: Value, mask: Value | None) -> Value:
    kind = F32.vector(f.target.lanes(_FLOAT_BYTES))
    return f.load(kind, pointer) if mask is None else f.masked_load(kind, pointer, mask)


class _InputEmitter:
    def __init__(self, spec: WinogradInput, module: Module) -> None:
        self.spec = spec
        self.module = module

    def emit(self) -> None:
        """Patches inside of the image need no questions; others ask for each pixel."""
        whole = self._patch("whole_patch", is_whole=True)
        border = self._patch("border_patch", is_whole=False)
        f = KernelFunction(self.module, self.spec)
        block = f.parameter("arguments")

        def tile(image: Value, row: Value, column: Value, planes: Value) -> None:
            y, x = row * TILE - f["pad_top"], column * TILE - f["pad_left"]
            pixel = (image * f["height"] + y) * f["width"] + x
            source = f.offset(f["input"], pixel * f["input_stride"])
            inside = self._inside(f, y, x)

            def call(function: Function) -> list[Value]:
                f.call(function, block, source, planes, inside)
                return []

            cases = {1: lambda: call(whole), 0: lambda: call(border)}
            f.switch(f.compare("eq", inside, _EVERYWHERE), cases, [])

        _each_tile(f, tile)

    def _inside(self, f: KernelFunction, y: Value, x: Value) -> Value:
        """The pixels of a patch that the image has: bit 4i + j."""

        def bits(start: Value, size: Value, width: int) -> Value:
            first = f.smaller(f.larger(0 - start, 0), _PATCH) * width
            last = f.smaller(f.larger(size - start, 0), _PATCH) * width
            below = f.binary("shl", f.constant(I64, -1), first)
            return f.binary("and", below, f.binary("xor", f.binary("shl", -1, last), -1))

        columns = bits(x, f["width"], 1) * 0x1111
        return f.binary("and", bits(y, f["height"], _PATCH), columns)

    def _patch(self, name: str, is_whole: bool) -> Function:
        """The function that transforms a patch."""
        parameters = [("noalias readonly arguments", PTR), ("noalias readonly source", PTR)]
        parameters += [("noalias planes", PTR), ("inside", I64)]
        f = Function(self.module, name, parameters, VOID, is_internal=True)
        arguments = Arguments(f, self.spec)
        step = arguments["input_stride"]
        line = step * arguments["width"]
        channels, plane = arguments["channels"], arguments["plane_stride"]

        def vector(at: Operand, mask: Value | None) -> None:
            source = f.offset(f.parameter("source"), at)
            pixels = [_steps(f, row, step) for row in _steps(f, source, line)]
            target = f.offset(f.parameter("planes"), at)
            places = [_steps(f, row, plane) for row in _steps(f, target, plane * _PATCH)]

            def row(number: int) -> list[Value]:
                return [
                    self._pixel(f, pointer, mask, None if is_whole else 4 * number + column)
                    for column, pointer in enumerate(pixels[number])
                ]

            _transform_patch(f, row, places)

        _each_vector(f, channels, self.spec.is_cut, vector)
        f.return_()
        return f

    def _pixel(self, f: Function, pointer: Value, mask: Value | None, bit: int | None) -> Value:
        """One pixel; zeros if it may lie outside of the image and does."""
        if bit is None:
            return _load(f, pointer, mask)
        there = f.compare("ne", f.binary("and", f.parameter("inside"), 1 << bit), 0)
        zero = f.constant(F32.vector(f.target.lanes(_FLOAT_BYTES)), 0.0)
        (value,) = f.when(there, [zero], lambda _: [_load(f, pointer, mask)])
        return value


def _steps(f: Function, first: Value, stride: Value) -> list[Value]:
    """Pointers to a patch's rows, or to the pixels of one."""
    pointers = [first]
    while len(pointers) < _PATCH:
        pointers.append(f.offset(pointers[-1], stride))
    return pointers


def _transform_patch(
    f: Function, row: Callable[[int], list[Value]], places: Sequence[Sequence[Value]]
) -> None:
    """Bᵀ d B, row by row, so that few rows are in registers at a time."""

    def store(number: int, values: Sequence[Value]) -> None:
        first, second, third, fourth = values
        results = (first - third, second + third, third - second, second - fourth)
        for value, pointer in zip(results, places[number]):
            f.store(value, pointer)

    second, third = row(1), row(2)
    store(0, [a - b for a, b in zip(row(0), third)])
    store(1, [a + b for a, b in zip(second, third)])
    store(2, [b - a for a, b in zip(second, third)])
    store(3, [a - b for a, b in zip(second, row(3))])


class _OutputEmitter:
    def __init__(self, spec: WinogradOutput, module: Module) -> None:
        self.spec = spec
        self.module = module
        self.epilogue = Epilogue(spec.epilogue_inputs, spec.epilogue)

    def emit(self) -> None:
        """One function for each number of rows and columns that a tile may have."""
        rows, columns = ((TILE, 1) if clipped else (TILE,) for clipped in self.spec.is_clipped)
        functions = {
            (2 * height + width): self._tile(height, width) for height in rows for width in columns
        }
        f = KernelFunction(self.module, self.spec)

        def tile(image: Value, row: Value, column: Value, planes: Value) -> None:
            y, x = row * TILE, column * TILE
            pixel = (image * f["out_height"] + y) * f["out_width"] + x
            height = f.smaller(f["out_height"] - y, TILE)
            width = f.smaller(f["out_width"] - x, TILE)

            def call(function: Function) -> list[Value]:
                f.call(function, f.parameter("arguments"), planes, pixel)
                return []

            cases = {
                number: (lambda function=function: call(function))
                for number, function in functions.items()
            }
            f.switch(height * 2 + width, cases, [])

        _each_tile(f, tile)

    def _tile(self, height: int, width: int) -> Function:
        """The function for tiles of so many outputs."""
        parameters = [("noalias readonly arguments", PTR), ("noalias readonly planes", PTR)]
        parameters += [("pixel", I64)]
        f = Function(self.module, f"tile_{height}x{width}", parameters, VOID, is_internal=True)
        arguments = Arguments(f, self.spec)
        line, pixel = arguments["out_width"], f.parameter("pixel")
        pixels = [pixel + line * row + column for row in range(height) for column in range(width)]
        channels, plane = arguments["channels"], arguments["plane_stride"]
        stride, operand_stride = arguments["output_stride"], arguments["operand_stride"]
        outputs = [f.offset(arguments["output"], number * stride) for number in pixels]
        operands = [
            [f.offset(arguments[name], number * operand_stride) for number in pixels]
            if kind == "full"
            else [arguments[name]]
            for name, kind in zip(self.epilogue.names(), self.epilogue.inputs)
        ]

        def vector(at: Operand, mask: Value | None) -> None:
            first = f.offset(f.parameter("planes"), at)
            rows = [_steps(f, row, plane) for row in _steps(f, first, plane * _PATCH)]
            results = _transform_result(f, rows, height, width)
            for value, pointer in zip(self._finish(f, results, operands, at, mask), outputs):
                here = f.offset(pointer, at)
                if mask is None:
                    f.store(value, here)
                else:
                    f.masked_store(value, here, mask)

        _each_vector(f, channels, self.spec.is_cut, vector)
        f.return_()
        return f

    def _finish(
        self,
        f: Function,
        results: Sequence[Value],
        operands: Sequence[Sequence[Value]],
        at: Operand,
        mask: Value | None,
    ) -> list[Value]:
        """The epilogue of each output."""

        def operand(kind: str, pointer: Value) -> Value:
            if kind == "scalar":
                return f.broadcast(f.load(F32, pointer), f.target.lanes(_FLOAT_BYTES))
            return _load(f, f.offset(pointer, at), mask)

        if not self.epilogue.steps:
            return list(results)
        given = [
            [operand(kind, pointer) for pointer in pointers]
            for kind, pointers in zip(self.epilogue.inputs, operands)
        ]
        finished = []
        for place, result in enumerate(results):
            values = [result, *(known[place % len(known)] for known in given)]
            kinds = ["float32"] * len(values)
            finished.append(emit_steps(f, self.epilogue.steps, values, kinds)[-1])
        return finished


def _transform_result(
    f: Function, rows: Sequence[Sequence[Value]], height: int, width: int
) -> list[Value]:
    """The first rows and columns of Aᵀ m A, from pointers to the places of m."""
    columns = []
    for column in range(_PATCH if width == TILE else _PATCH - 1):
        places = range(_PATCH if height == TILE else _PATCH - 1)
        columns.append(_pair([_load(f, rows[row][column], None) for row in places]))
    return [value for row in range(height) for value in _pair([sums[row] for sums in columns])]


def _pair(values: Sequence[Value]) -> list[Value]:
    """Aᵀ times a vector of four; of three, its first element."""
    first, second, third, *fourth = values
    total = [first + second + third]
    return total + [second - third - last for last in fourth]
