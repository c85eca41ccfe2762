"""Elementwise kernels: a body of primitive steps over a space of one to four dimensions.

Each operand has a pattern, one character for each dimension, outermost first:

    "c"  elements lie side by side: the innermost dimension, or, of a transposed input, the last
         but one, in which case the innermost one is "s"
    "s"  elements lie a run-time stride of bytes apart
    "."  the operand does not move: it is broadcast

Inputs may be outputs exactly, for work in place: each vector is read before it is written. Threads
take ranges of the outermost dimension by moved pointers and a smaller n0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler import elements, primitives
from featherflow.compiler.ir import Function, Module, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family
from featherflow.compiler.primitives import Step

Operands = tuple[tuple[str, str], ...]


@register_family
@dataclass(frozen=True)
class Elementwise(KernelSpec):
    """An elementwise kernel.

    Attributes:
      inputs, outputs: (dtype, pattern) of each; outputs move in every dimension.
      steps: the body; `primitives` says how.
      results: the number of the value that each output gets.
    """

    family: ClassVar[str] = "elementwise"

    inputs: Operands
    outputs: Operands
    steps: tuple[Step, ...]
    results: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", primitives.plain_steps(self.steps))

    @property
    def rank(self) -> int:
        """How many dimensions the space has."""
        return len(self.outputs[0][1])

    @property
    def operands(self) -> Operands:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    def pointers(self) -> tuple[str, ...]:
        """in0 …, out0 …"""
        return operand_names(len(self.inputs), len(self.outputs))

    def sizes(self) -> tuple[str, ...]:
        """n0 …, then stride_in0_0 …: bytes by which an "s" dimension moves its operand."""
        strides = [
            f"stride_{name}_{dimension}"
            for name, (_, pattern) in zip(self.pointers(), self.operands)
            for dimension, kind in enumerate(pattern)
            if kind == "s"
        ]
        return (*(f"n{dimension}" for dimension in range(self.rank)), *strides)

    def emit(self, module: Module) -> None:
        """Defines the kernel."""
        f = KernelFunction(module, self)
        _outer_loops(f, self, 0, f.some(self.pointers()))
        f.return_(0)


def operand_names(inputs: int, outputs: int) -> tuple[str, ...]:
    """in0 …, out0 …"""
    return (
        *(f"in{number}" for number in range(inputs)),
        *(f"out{number}" for number in range(outputs)),
    )


def _outer_loops(
    f: KernelFunction, spec: Elementwise, dimension: int, pointers: Sequence[Value]
) -> None:
    """The loops of all dimensions from `dimension` on."""
    if dimension == spec.rank - 1:
        _InnerLoop(f, spec, pointers).emit(f[f"n{dimension}"])
        return
    if dimension == spec.rank - 2 and any(p[dimension] == "c" for _, p in spec.operands):
        _Plane(f, spec, pointers).emit()
        return
    names = spec.pointers()
    moving = [
        place for place, (_, pattern) in enumerate(spec.operands) if pattern[dimension] == "s"
    ]

    def body(index: Value, carried: list[Value]) -> list[Value]:
        here = list(pointers)
        for place, pointer in zip(moving, carried):
            here[place] = pointer
        _outer_loops(f, spec, dimension + 1, here)
        return [f.offset(here[place], f[f"stride_{names[place]}_{dimension}"]) for place in moving]

    f.times(0, f[f"n{dimension}"], [pointers[place] for place in moving], body)


class _InnerLoop:
    """The innermost dimension: vectors, then what is left of them."""

    def __init__(self, f: KernelFunction, spec: Elementwise, pointers: Sequence[Value]) -> None:
        self.f = f
        self.spec = spec
        self.pointers = pointers
        self.kinds = [pattern[-1] for _, pattern in spec.operands]
        self.strides = [
            f[f"stride_{name}_{spec.rank - 1}"] if kind == "s" else None
            for name, kind in zip(spec.pointers(), self.kinds)
        ]
        self.lanes = vector_lanes(f, [dtype for dtype, _ in spec.operands])
        self.dtypes = primitives.value_dtypes(spec.steps, [dtype for dtype, _ in spec.inputs])
        moving = [self.kinds[place] != "." for place in range(len(spec.inputs))]
        for step in spec.steps:
            moving.append(any(moving[number] for number in primitives.operands(step)))
        self.is_moving = moving

    def emit(self, count: Value) -> None:
        """The first `count` places of the dimension."""
        masked = can_mask(self.f, [dtype for dtype, _ in self.spec.operands], self.kinds)
        self.f.when(self.f.compare("sgt", count, 0), [], lambda _: self._run(count, masked))

    def _run(self, count: Value, masked: bool) -> list[Value]:
        lanes, unroll = self.lanes, _unrolling(self.spec)
        fixed = self._fixed_values(lanes)
        start: Value | int = 0
        if unroll > 1:
            start = self._whole_vectors(start, count, fixed, unroll)
        if not masked:
            start = self._whole_vectors(start, count, fixed, 1)
            if lanes > 1:
                self._scalars(start, count)
            return []

        def remainder(index: Value, carried: list[Value]) -> list[Value]:
            self._vector(index, fixed, lanes, self.f.lane_mask(count - index, lanes))
            return []

        if unroll == 1:
            start = self._whole_vectors(start, count, fixed, 1)
        self.f.times(start, count, [], remainder, step=lanes)
        return []

    def _whole_vectors(
        self, start: Value | int, count: Value, fixed: list[Value | None], unroll: int
    ) -> Value:
        """As many groups of `unroll` vectors as fit; the place behind them."""
        step = unroll * self.lanes
        stop = self.f.binary("and", count, -step)

        def body(index: Value, carried: list[Value]) -> list[Value]:
            for number in range(unroll):
                self._vector(index + number * self.lanes, fixed, self.lanes)
            return []

        self.f.times(start, stop, [], body, step=step)
        return stop

    def _scalars(self, start: Value | int, count: Value) -> None:
        fixed = self._fixed_values(1)

        def body(index: Value, carried: list[Value]) -> list[Value]:
            self._vector(index, fixed, 1)
            return []

        self.f.times(start, count, [], body)

    def _fixed_values(self, lanes: int) -> list[Value | None]:
        """The values that do not change in this dimension."""
        values: list[Value | None] = [None] * len(self.dtypes)
        for place, (dtype, _) in enumerate(self.spec.inputs):
            if self.kinds[place] == ".":
                values[place] = elements.load_splat(self.f, dtype, self.pointers[place], lanes)
        self._compute(values, lanes, moving=False)
        return values

    def _compute(self, values: list[Value | None], lanes: int, moving: bool) -> None:
        first = len(self.spec.inputs)
        for number, step in enumerate(self.spec.steps, first):
            if self.is_moving[number] == moving:
                values[number] = primitives.emit_step(self.f, step, values, self.dtypes, lanes)

    def _vector(
        self, index: Value, fixed: list[Value | None], lanes: int, mask: Value | None = None
    ) -> None:
        """One vector from its loads to its stores."""
        values = list(fixed)
        for place, (dtype, _) in enumerate(self.spec.inputs):
            if self.kinds[place] == "c":
                values[place] = elements.load(
                    self.f, dtype, self._address(place, index), lanes, mask
                )
            elif self.kinds[place] == "s":
                values[place] = elements.load_strided(
                    self.f, dtype, self._address(place, index), self._stride(place), lanes
                )
        self._compute(values, lanes, moving=True)
        for number, (dtype, _) in enumerate(self.spec.outputs):
            place = len(self.spec.inputs) + number
            value = values[self.spec.results[number]]
            assert value is not None
            pointer = self._address(place, index)
            if self.kinds[place] == "c":
                elements.store(self.f, dtype, value, pointer, mask)
            else:
                elements.store_strided(self.f, dtype, value, pointer, self._stride(place))

    def _stride(self, place: int) -> Value:
        stride = self.strides[place]
        assert stride is not None
        return stride

    def _address(self, place: int, index: Value) -> Value:
        dtype, _ = self.spec.operands[place]
        stride = self.strides[place]
        distance = index * (elements.element_bytes(dtype) if stride is None else stride)
        return self.f.offset(self.pointers[place], distance)


class _Plane:
    """The two innermost dimensions, of which some input has the outer one side by side.

    Square blocks are read along one dimension and transposed in registers, so that lanes lie along
    the other one as everywhere else; what is left at the two edges goes element by element.
    """

    def __init__(self, f: KernelFunction, spec: Elementwise, pointers: Sequence[Value]) -> None:
        self.f = f
        self.spec = spec
        self.pointers = pointers
        self.names = spec.pointers()
        self.dtypes = primitives.value_dtypes(spec.steps, [dtype for dtype, _ in spec.inputs])
        widest = max(elements.register_type(dtype).bytes for dtype, _ in spec.operands)
        self.lanes = f.target.lanes(max(widest, 4))

    def emit(self) -> None:
        """All of the plane."""
        f, lanes = self.f, self.lanes
        height, width = (f[f"n{self.spec.rank - 2}"], f[f"n{self.spec.rank - 1}"])
        rows, columns = f.binary("and", height, -lanes), f.binary("and", width, -lanes)

        def block_row(row: Value, carried: list[Value]) -> list[Value]:
            f.times(0, columns, [], lambda column, _: self._block(row, column), step=lanes)
            return []

        f.times(0, rows, [], block_row, step=lanes)
        self._edge(f.constant(rows.type, 0), rows, columns, width)
        self._edge(rows, height, f.constant(rows.type, 0), width)

    def _edge(self, top: Value, bottom: Value, left: Value, right: Value) -> None:
        def line(row: Value, carried: list[Value]) -> list[Value]:
            here = [self._address(place, row, left) for place in range(len(self.names))]
            _InnerLoop(self.f, self.spec, here).emit(right - left)
            return []

        self.f.times(top, bottom, [], line)

    def _address(self, place: int, row: Value, column: Value) -> Value:
        dtype, pattern = self.spec.operands[place]
        pointer = self.pointers[place]
        for dimension, index in ((self.spec.rank - 2, row), (self.spec.rank - 1, column)):
            if pattern[dimension] == "s":
                stride = self.f[f"stride_{self.names[place]}_{dimension}"]
                pointer = self.f.offset(pointer, index * stride)
            elif pattern[dimension] == "c":
                pointer = self.f.offset(pointer, index * elements.element_bytes(dtype))
        return pointer

    def _block(self, row: Value, column: Value) -> list[Value]:
        spec, inputs = self.spec, len(self.spec.inputs)
        turned = {
            place: self._transposed_block(place, row, column)
            for place, (_, pattern) in enumerate(spec.inputs)
            if pattern[-2] == "c"
        }
        for line in range(self.lanes):
            values = [
                turned[place][line] if place in turned else self._line(place, row + line, column)
                for place in range(inputs)
            ]
            dtypes = self.dtypes[:inputs]
            values = primitives.emit_steps(self.f, spec.steps, values, dtypes, self.lanes)
            for number, (dtype, _) in enumerate(spec.outputs):
                pointer = self._address(inputs + number, row + line, column)
                self._store(number, dtype, values[spec.results[number]], pointer)
        return []

    def _store(self, number: int, dtype: str, value: Value, pointer: Value) -> None:
        if self.spec.outputs[number][1][-1] == "c":
            elements.store(self.f, dtype, value, pointer)
        else:
            stride = self.f[f"stride_out{number}_{self.spec.rank - 1}"]
            elements.store_strided(self.f, dtype, value, pointer, stride)

    def _line(self, place: int, row: Value, column: Value) -> Value:
        dtype, pattern = self.spec.inputs[place]
        pointer = self._address(place, row, column)
        if pattern[-1] == "c":
            return elements.load(self.f, dtype, pointer, self.lanes)
        if pattern[-1] == ".":
            return elements.load_splat(self.f, dtype, pointer, self.lanes)
        stride = self.f[f"stride_in{place}_{self.spec.rank - 1}"]
        return elements.load_strided(self.f, dtype, pointer, stride, self.lanes)

    def _transposed_block(self, place: int, row: Value, column: Value) -> list[Value]:
        """For each line of a block, its vector along the innermost dimension."""
        dtype, _ = self.spec.inputs[place]
        lines = [
            elements.load_raw(self.f, dtype, self._address(place, row, column + number), self.lanes)
            for number in range(self.lanes)
        ]
        half = self.lanes // 2
        first = [lane // 2 + lane % 2 * self.lanes for lane in range(self.lanes)]
        second = [lane + half for lane in first]
        # Each round interleaves lines that are half a block apart: log₂ lanes rounds transpose.
        for _ in range(self.lanes.bit_length() - 1):
            lines = [
                _pick(self.f, lines[number], lines[number + half], picks)
                for number in range(half)
                for picks in (first, second)
            ]
        return [elements.from_memory(self.f, dtype, line) for line in lines]


def _pick(f: Function, left: Value, right: Value, lanes: Sequence[int]) -> Value:
    """Lanes of two vectors; those of `right` are counted on from those of `left`."""
    picks = ", ".join(f"i32 {lane}" for lane in lanes)
    mask = f"<{len(lanes)} x i32> <{picks}>"
    return f.emit(left.type, f"shufflevector {left}, {right}, {mask}")


def vector_lanes(f: Function, dtypes: Sequence[str]) -> int:
    """Lanes of a vector: a register of float32; two of wider, one of only narrower elements."""
    widest = max(elements.register_type(dtype).bytes for dtype in dtypes)
    return f.target.lanes(min(max(widest, 2), 4))


def can_mask(f: Function, dtypes: Sequence[str], kinds: Sequence[str]) -> bool:
    """Whether the machine loads and stores a part of a vector of each of the operands."""
    if "s" in kinds:
        return False
    if f.target.vector_bits >= 512:
        return True
    return f.target.vector_bits == 256 and all(elements.element_bytes(d) >= 4 for d in dtypes)


def _unrolling(spec: Elementwise) -> int:
    """How many vectors a trip takes: short bodies leave the machine idle between them."""
    if any(pattern[-1] == "s" for _, pattern in spec.operands):
        return 1
    total = sum(primitives.weight(step) for step in spec.steps)
    return 4 if total <= 4 else 2 if total <= 12 else 1
