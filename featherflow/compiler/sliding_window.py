"""The loop nest of sliding windows over images, which depthwise convolution and pooling share.

    output[n, y, x, c] = epilogue(reduction of input[n, y·s + i·d − pad, x·s + j·d − pad, c / M])

Rows of all images are one list, which callers cut among threads. Taps on padding are not touched.
Three pieces of code cover an image; all add up the taps of an output in the same order, so that
results do not depend on where the list is cut.

    ┌──────────────────────────────┐
    │   single rows                │  the rows of the window are a range found at run time
    │   ┌──────────────────────┐   │
    │   │ pairs of rows        │   │  2 × 4 outputs in registers share inputs and weights
    │   └──────────────────────┘   │
    └──────────────────────────────┘
      ↑ border columns            ↑   rows and columns of the window are ranges
"""

from __future__ import annotations

from collections.abc import Callable

from featherflow.compiler.channel_vectors import ChannelRun
from featherflow.compiler.ir import I64, PTR, VOID, Function, Module, Operand, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec
from featherflow.compiler.register_tile import Epilogue
from featherflow.compiler.target import Target
from featherflow.compiler.window_tiles import (
    Place,
    TileEmitter,
    Window,
    WindowReduction,
)

#: Integer arguments of every kernel over windows; the stride is from pixel to pixel, in bytes.
SIZES = (
    *("height", "width", "out_height", "out_width", "pad_top", "pad_left"),
    *("row_begin", "row_end", "output_stride"),
)
_PAIR_COLUMNS = 4
_ROW_COLUMNS = 8
_BORDER_VECTORS = 4
#: Higher and wider windows are not unrolled.
_LARGEST_UNROLLED = 8


class _Part(Function):
    """A function of the kernel that works on a row, or a pair, of one image."""

    def __init__(self, module: Module, name: str, spec: KernelSpec, more: tuple[str, ...]) -> None:
        numbers = [(number, I64) for number in ("image", "y", *more)]
        super().__init__(module, name, [("arguments", PTR), *numbers], VOID, is_internal=True)
        pointers = spec.pointers()
        self._loaded = {
            field: self.load(
                PTR if field in pointers else I64, self.offset(self.parameter("arguments"), 8 * n)
            )
            for n, field in enumerate(spec.fields)
        }

    def __getitem__(self, name: str) -> Value:
        return self._loaded[name]


class WindowEmitter:
    """Emits the kernel of a spec over windows.

    Args:
      spec: names the arguments: `input`, `output`, `operand0` …, those of `SIZES`, and `filter` if
        the reduction has weights.
    """

    def __init__(
        self,
        module: Module,
        spec: KernelSpec,
        window: Window,
        reduction: WindowReduction,
        epilogue: Epilogue,
    ) -> None:
        self.module = module
        self.spec = spec
        self.window = window
        self.reduction = reduction
        self.kinds = epilogue.inputs
        self.tiles = TileEmitter(window, reduction, epilogue)
        self.row_columns = _row_columns(window, reduction, module.target)

    def emit(self) -> None:
        """images → rows, single or in pairs."""
        self._border = self._define("border_columns", self._emit_border, ("begin", "end"))
        single = self._define("single_row", self._emit_single)
        pair = None
        if self.row_columns and _has_pairs(self.window, self.reduction, self.module.target):
            pair = self._define("row_pair", self._emit_pair)
        f = KernelFunction(self.module, self.spec)
        begin, end, rows = f.some(("row_begin", "row_end", "out_height"))

        def image(index: Operand, _: list[Value]) -> list[Value]:
            number = f.value(index, I64)
            base = number * rows
            first = f.larger(begin - base, 0)
            self._rows(f, number, first, f.smaller(end - base, rows), single, pair)
            return []

        def images(_: list[Value]) -> list[Value]:
            last = f.binary("udiv", end + rows - 1, rows)
            return f.times(f.binary("udiv", begin, rows), last, [], image)

        f.when(f.compare("slt", begin, end), [], images)
        f.return_(0)

    def _rows(
        self,
        f: KernelFunction,
        image: Value,
        first: Value,
        last: Value,
        single: Function,
        pair: Function | None,
    ) -> None:
        """Rows of one image: where they have all their taps, in pairs."""

        def run(function: Function, begin: Value, end: Value, step: int = 1) -> None:
            def row(y: Operand, _: list[Value]) -> list[Value]:
                f.call(function, f.parameter("arguments"), image, y)
                return []

            f.times(begin, end, [], row, step)

        if pair is None:
            run(single, first, last)
            return
        begin, end = self._whole(f, 0, f["height"], f["pad_top"])
        begin = _clamp(f, begin, first, last)
        end = begin + f.binary("and", _clamp(f, end, begin, last) - begin, -2)
        run(single, first, begin)
        run(pair, begin, end, 2)
        run(single, end, last)

    # --- the three parts --------------------------------------------------------------------------

    def _define(
        self, name: str, body: Callable[[_Part], None], more: tuple[str, ...] = ()
    ) -> _Part:
        f = _Part(self.module, name, self.spec, more)
        body(f)
        f.return_()
        return f

    def _emit_pair(self, f: _Part) -> None:
        """Two rows that have all their taps."""
        y = f.parameter("y")
        rows = [self._row(f, y), self._row(f, y + 1)]
        height, width = self.window.size
        divisor = self._divisor(f, height * width)
        row_bytes = f["width"] * self.window.input_bytes

        def tile(run: ChannelRun, x: Operand, columns: int) -> None:
            places = [self._at(f, row, x) for row in rows]
            self.tiles.whole_rows(run, places, columns, self._weights(f), row_bytes, divisor)

        begin, end = self._columns(f)
        for row in (y, y + 1):
            self._call_border(f, row, f.constant(I64, 0), begin)
            self._call_border(f, row, end, f["out_width"])
        self._each_tile(f, begin, end, _PAIR_COLUMNS, tile)

    def _emit_single(self, f: _Part) -> None:
        """One row, which may lack taps above and below."""
        y = f.parameter("y")
        if not self.row_columns:
            self._call_border(f, y, f.constant(I64, 0), f["out_width"])
            return
        row = self._row(f, y)
        taps = self._taps(f, 0, y, f["height"], f["pad_top"])
        count = (taps[1] - taps[0]) * self.window.size[1]
        divisor = self._divisor(f, count)
        line_bytes = self._line_bytes(f)

        def tile(run: ChannelRun, x: Operand, columns: int) -> None:
            place = self._at(f, row, x)
            self.tiles.cut_row(run, place, columns, self._weights(f), line_bytes, taps, divisor)

        begin, end = self._columns(f)
        self._call_border(f, y, f.constant(I64, 0), begin)
        self._call_border(f, y, end, f["out_width"])
        self._each_tile(f, begin, end, self.row_columns, tile)

    def _emit_border(self, f: _Part) -> None:
        """Columns of one row, all of which may lack taps."""
        y = f.parameter("y")
        row = self._row(f, y)
        vertical = self._taps(f, 0, y, f["height"], f["pad_top"])
        line_bytes = self._line_bytes(f)

        def column(x: Operand, _: list[Value]) -> list[Value]:
            across = self._taps(f, 1, f.value(x, I64), f["width"], f["pad_left"])
            count = (vertical[1] - vertical[0]) * (across[1] - across[0])
            divisor = self._divisor(f, count)
            place, taps = self._at(f, row, x), (vertical, across)
            for run in self.window.runs(f):
                self.tiles.border(
                    run, place, _BORDER_VECTORS, self._weights(f), line_bytes, taps, divisor
                )
            return []

        f.times(f.parameter("begin"), f.parameter("end"), [], column)

    def _call_border(self, f: _Part, y: Value, begin: Value, end: Value) -> None:
        f.call(self._border, f.parameter("arguments"), f.parameter("image"), y, begin, end)

    def _divisor(self, f: _Part, taps: Operand) -> tuple[Value, ...]:
        return self.reduction.divisor(f, self.window.runs(f)[0].vectors.type, taps)

    def _each_tile(
        self,
        f: _Part,
        begin: Value,
        end: Value,
        widest: int,
        tile: Callable[[ChannelRun, Operand, int], None],
    ) -> None:
        """Covers a range of columns by tiles, those left over by ever narrower ones.

        Channels that fill no vector come in a pass of their own: in one block of code with the
        others, LLVM's scheduler runs out of registers.
        """
        for run in self.window.runs(f):
            first, columns = begin, widest
            while columns:

                def one(x: Operand, _: list[Value], run=run, columns=columns) -> list[Value]:
                    tile(run, x, columns)
                    return []

                stop = first + f.binary("and", end - first, -columns)
                f.times(first, stop, [], one, columns)
                first, columns = stop, columns // 2

    # --- geometry ---------------------------------------------------------------------------------

    def _whole(self, f: Function, axis: int, size: Value, pad: Value) -> tuple[Value, Value]:
        """The outputs along an axis that have all their taps, if the first is below the second."""
        stride = self.window.strides[axis]
        reach = (self.window.size[axis] - 1) * self.window.dilations[axis]
        begin = _ceiling(f, f.larger(pad, 0), stride)
        return begin, _ceiling(f, f.larger(size + pad - reach, 0), stride)

    def _columns(self, f: _Part) -> tuple[Value, Value]:
        """The columns that have all their taps."""
        begin, end = self._whole(f, 1, f["width"], f["pad_left"])
        begin = f.smaller(begin, f["out_width"])
        return begin, _clamp(f, end, begin, f["out_width"])

    def _taps(
        self, f: Function, axis: int, place: Value, size: Value, pad: Value
    ) -> tuple[Value, Value]:
        """The taps of an output, along an axis, that fall on the image."""
        start = place * self.window.strides[axis] - pad
        dilation = self.window.dilations[axis]
        first = _ceiling(f, f.larger(0 - start, 0), dilation)
        last = _ceiling(f, f.larger(size - start, 0), dilation)
        return first, f.larger(f.smaller(last, self.window.size[axis]), first)

    def _line_bytes(self, f: _Part) -> Value:
        """From one row of taps to the next."""
        return f["width"] * (self.window.dilations[0] * self.window.input_bytes)

    def _weights(self, f: _Part) -> Value:
        # Without weights nothing is loaded from here.
        return f["filter"] if self.reduction.weight_bytes else f["input"]

    def _row(self, f: _Part, y: Value) -> Place:
        """The place of a row's first output."""
        image = f.parameter("image")
        top = y * self.window.strides[0] - f["pad_top"]
        first_tap = (image * f["height"] + top) * f["width"] - f["pad_left"]
        number = (image * f["out_height"] + y) * f["out_width"]
        pointers = tuple(f[f"operand{number}"] for number in range(len(self.kinds)))
        return Place(
            f.offset(f["input"], first_tap * self.window.input_bytes),
            f.offset(f["output"], number * f["output_stride"]),
            f["output_stride"],
            self._operands(f, pointers, number),
        )

    def _at(self, f: _Part, row: Place, x: Operand) -> Place:
        """The place of an output, given that of the first in its row."""
        column = f.value(x, I64)
        return Place(
            f.offset(row.source, column * (self.window.strides[1] * self.window.input_bytes)),
            f.offset(row.output, column * row.output_stride),
            row.output_stride,
            self._operands(f, row.operands, column),
        )

    def _operands(
        self, f: Function, pointers: tuple[Value, ...], pixels: Value
    ) -> tuple[Value, ...]:
        """Operands shaped as the output are moved on by some pixels, others are not."""
        return tuple(
            f.offset(pointer, pixels * self.window.output_bytes) if kind == "full" else pointer
            for kind, pointer in zip(self.kinds, pointers)
        )


def _row_columns(window: Window, reduction: WindowReduction, target: Target) -> int:
    """Columns of a tile of one row; 0 if the window is too wide to unroll."""
    weights = window.size[1] if reduction.weight_bytes else 0
    columns = _ROW_COLUMNS
    while columns + weights + _passing(target) > target.registers:
        columns //= 2
    return columns if columns >= 2 and window.size[1] <= _LARGEST_UNROLLED else 0


def _has_pairs(window: Window, reduction: WindowReduction, target: Target) -> bool:
    """Whether two rows of outputs fit the registers, with the weights that they share."""
    rows, columns = window.size
    # A row of weights serves the upper outputs, and `stride` rows of inputs later the lower ones.
    kept = min(rows, window.strides[0] // window.dilations[0] + 1)
    weights = kept * columns if reduction.weight_bytes else 0
    needed = 2 * _PAIR_COLUMNS + weights + _passing(target)
    # LLVM's scheduler loads inputs early: with few registers left it would spill.
    return needed < target.registers * 3 // 4 and rows <= _LARGEST_UNROLLED


def _passing(target: Target) -> int:
    """Registers for inputs, and for products where they are not added at once."""
    return 3 if target.has_fma else 4


def _clamp(f: Function, value: Value, lowest: Value, highest: Value) -> Value:
    return f.smaller(f.larger(value, lowest), highest)


def _ceiling(f: Function, value: Value, divisor: int) -> Value:
    """⌈value / divisor⌉ of a number ≥ 0."""
    return f.binary("udiv", value + (divisor - 1), divisor)
