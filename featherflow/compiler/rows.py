"""Row kernels: steps and reductions over each row of a [rows, columns] space, in a few passes.

Softmax, layer normalisation, a mean over the last axis are one kernel each: a row stays in the
first-level cache from one pass over it to the next. Operands are of four kinds:

    "full"    [rows, columns]: columns side by side, rows a run-time stride of bytes apart
    "row"     [columns], the same for all rows; inputs only
    "column"  [rows], one number for each row
    "scalar"  one number; inputs only

Rows that fit into one vector have a loop of their own, where the machine has masks. Full inputs
may be full outputs exactly: these are written in the last pass, or, to keep a value, after the last
pass that reads a full input. Sums do not depend on threads, which take ranges of rows by moved
pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler import elements, primitives, reducing
from featherflow.compiler.elementwise import can_mask, operand_names, vector_lanes
from featherflow.compiler.ir import Module, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family
from featherflow.compiler.primitives import Step
from featherflow.compiler.reducing import Pass, PassPlan, Reducer

Operands = tuple[tuple[str, str], ...]
Lists = list[list[Value]]

#: Groups of vectors whose partial results are added to the totals together. A sum of n numbers in
#: chains of 32 and n / 32 is about as exact as one by pairs.
_CHUNK = 32


@register_family
@dataclass(frozen=True)
class Rows(KernelSpec):
    """A row kernel.

    Attributes:
      inputs, outputs: (dtype, kind) of each.
      steps: the body; `primitives` and `reducing` say how.
      results: the number of the value that each output gets.
    """

    family: ClassVar[str] = "rows"

    inputs: Operands
    outputs: Operands
    steps: tuple[Step, ...]
    results: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", primitives.plain_steps(self.steps))

    @property
    def plan(self) -> PassPlan:
        """The passes over a row."""
        moving = [kind in ("full", "row") for _, kind in self.inputs]
        stored = [n for n, (_, kind) in zip(self.results, self.outputs) if kind == "full"]
        return PassPlan(self.steps, moving, stored, may_keep=True)

    @property
    def dtypes(self) -> list[str]:
        """The dtypes of all values."""
        return reducing.value_dtypes(self.steps, [dtype for dtype, _ in self.inputs])

    @property
    def scratch_rows(self) -> int:
        """How many rows of `columns` float32 the argument `scratch` must have room for."""
        return sum(width for _, width in _scratch_places(self, self.plan).values())

    def pointers(self) -> tuple[str, ...]:
        """in0 …, out0 …, and scratch if it is used."""
        names = operand_names(len(self.inputs), len(self.outputs))
        return (*names, "scratch") if self.scratch_rows else names

    def sizes(self) -> tuple[str, ...]:
        """rows, columns, and the row stride in bytes of each full operand: stride_in0 …"""
        names = operand_names(len(self.inputs), len(self.outputs))
        kinds = [kind for _, kind in (*self.inputs, *self.outputs)]
        strides = [f"stride_{name}" for name, kind in zip(names, kinds) if kind == "full"]
        return ("rows", "columns", *strides)

    def emit(self, module: Module) -> None:
        """Defines the kernel."""
        f = KernelFunction(module, self)
        kernel = _RowKernel(f, self)
        if not kernel.masked or kernel.lanes == 1:
            kernel.emit_rows(kernel.emit_row)
        else:
            is_narrow = f.compare("sle", f["columns"], kernel.lanes)
            is_wide = f.compare("sgt", f["columns"], kernel.lanes)
            f.when(is_wide, [], lambda _: kernel.emit_rows(kernel.emit_row))
            f.when(is_narrow, [], lambda _: kernel.emit_rows(_NarrowRows(kernel).emit_row))
        f.return_(0)


def _known(value: Value | int | None) -> Value | int:
    assert value is not None
    return value


def _kept_outputs(spec: Rows, plan: PassPlan) -> dict[int, int]:
    """Kept value → full output whose row holds it until that gets its own values.

    Only when no later pass reads a full input, which might be the same memory.
    """
    free = [n for n, (_, kind) in enumerate(spec.outputs) if kind == "full"]
    found: dict[int, int] = {}
    for place, here in enumerate(plan.passes):
        later = [number for after in plan.passes[place + 1 :] for number in after.loads]
        if any(spec.inputs[number][1] == "full" for number in later):
            continue
        for number in here.keeps:
            dtype = spec.dtypes[number]
            for output in free:
                if spec.outputs[output][0] == dtype and dtype in elements.WIDE_FLOATS:
                    found[number] = output
                    free.remove(output)
                    break
    return found


def _scratch_places(spec: Rows, plan: PassPlan) -> dict[int, tuple[int, int]]:
    """Kept value → (its first scratch row, how many it takes)."""
    places: dict[int, tuple[int, int]] = {}
    held, row = _kept_outputs(spec, plan), 0
    for number in [number for here in plan.passes for number in here.keeps]:
        if number not in held:
            width = 2 if spec.dtypes[number] in ("float64", "int64", "uint64") else 1
            places[number] = (row, width)
            row += width
    return places


class _RowKernel:
    """Emits the passes over one row."""

    def __init__(self, f: KernelFunction, spec: Rows) -> None:
        self.f = f
        self.spec = spec
        self.plan = spec.plan
        self.dtypes = spec.dtypes
        self.held = _kept_outputs(spec, self.plan)
        self.scratch = _scratch_places(spec, self.plan)
        operands = (*spec.inputs, *spec.outputs)
        full = [dtype for dtype, kind in operands if kind in ("full", "row")]
        self.lanes = vector_lanes(f, full or ["float32"])
        kept = [self.dtypes[number] for number in (*self.held, *self.scratch)]
        self.masked = can_mask(f, [*full, *kept], ())
        self.names = operand_names(len(spec.inputs), len(spec.outputs))
        self.bases = {name: f[name] for name in spec.pointers()}
        #: Bytes from a row to the next; None where there is nothing to move.
        self.row_steps: dict[str, Value | int | None] = {
            name: f[f"stride_{name}"]
            if kind == "full"
            else elements.element_bytes(dtype)
            if kind == "column"
            else None
            for name, (dtype, kind) in zip(self.names, operands)
        }

    def emit_rows(self, emit_row: Callable[[dict[str, Value]], None]) -> list[Value]:
        """The loop over rows."""
        f = self.f
        moving = [name for name, step in self.row_steps.items() if step is not None]

        def body(index: Value, carried: list[Value]) -> list[Value]:
            here = dict(zip(moving, carried))
            emit_row({**self.bases, **here})
            return [f.offset(here[name], _known(self.row_steps[name])) for name in moving]

        f.times(0, f["rows"], [self.bases[name] for name in moving], body)
        return []

    def emit_row(self, pointers: dict[str, Value]) -> None:
        """All passes over one row."""
        fixed: list[Value | None] = [None] * len(self.dtypes)
        for number, (dtype, kind) in enumerate(self.spec.inputs):
            if kind in ("column", "scalar"):
                fixed[number] = elements.load(self.f, dtype, pointers[f"in{number}"], 1)
        self._compute_fixed(fixed, 0)
        for place, here in enumerate(self.plan.passes):
            is_last = place == len(self.plan.passes) - 1
            results = _RowPass(self, here, fixed, pointers, is_last).emit()
            for number, value in zip(here.reductions, results):
                fixed[number] = value
            self._compute_fixed(fixed, place + 1)
        for number, (dtype, kind) in enumerate(self.spec.outputs):
            if kind == "column":
                value = fixed[self.spec.results[number]]
                assert value is not None
                elements.store(self.f, dtype, value, pointers[f"out{number}"])

    def _compute_fixed(self, fixed: list[Value | None], place: int) -> None:
        for number in self.plan.between[place]:
            step = self.plan.step(number)
            fixed[number] = primitives.emit_step(self.f, step, fixed, self.dtypes, 1)

    def kept_pointer(self, number: int, pointers: dict[str, Value]) -> Value:
        """Where the values of a dear step wait for a later pass."""
        if number in self.held:
            return pointers[f"out{self.held[number]}"]
        row, _ = self.scratch[number]
        return self.f.offset(pointers["scratch"], self.f["columns"] * (4 * row))


class _NarrowRows:
    """Rows that fit into one vector: no loops, and nothing is read or computed twice.

    Ten classes, or heads of eight: here most of the time would go into starting and ending loops.
    """

    def __init__(self, kernel: _RowKernel) -> None:
        self.f = kernel.f
        self.kernel = kernel
        self.spec = kernel.spec
        self.mask = kernel.f.lane_mask(kernel.f["columns"], kernel.lanes)
        self.shared: dict[int, Value] = {}
        for number, (dtype, kind) in enumerate(self.spec.inputs):
            pointer = kernel.bases[f"in{number}"]
            if kind == "row":
                self.shared[number] = elements.load(self.f, dtype, pointer, kernel.lanes, self.mask)
            elif kind == "scalar":
                self.shared[number] = elements.load_splat(self.f, dtype, pointer, kernel.lanes)

    def emit_row(self, pointers: dict[str, Value]) -> None:
        """One row from its loads to its stores."""
        f, kernel, lanes = self.f, self.kernel, self.kernel.lanes
        values: list[Value | None] = []
        for number, (dtype, kind) in enumerate(self.spec.inputs):
            pointer = pointers[f"in{number}"]
            if number in self.shared:
                values.append(self.shared[number])
            elif kind == "full":
                values.append(elements.load(f, dtype, pointer, lanes, self.mask))
            else:
                values.append(elements.load_splat(f, dtype, pointer, lanes))
        for step in self.spec.steps:
            if reducing.is_reduction(step):
                values.append(self._reduced(step, _present(values[step[1]])))
            else:
                values.append(primitives.emit_step(f, step, values, kernel.dtypes, lanes))
        for number, (dtype, kind) in enumerate(self.spec.outputs):
            value, pointer = _present(values[self.spec.results[number]]), pointers[f"out{number}"]
            if kind == "full":
                elements.store(f, dtype, value, pointer, self.mask)
            else:
                elements.store(f, dtype, f.extract(value, 0), pointer)

    def _reduced(self, step: Step, value: Value) -> Value:
        reducer = Reducer(self.f, step[0], self.kernel.dtypes[step[1]])
        real = self.f.select(self.mask, value, reducer.identity(self.kernel.lanes))
        return self.f.broadcast(reducer.finish(reducer.across(real)), self.kernel.lanes)


class _RowPass:
    """One pass over one row: groups of vectors, single vectors, then what is left."""

    def __init__(
        self,
        kernel: _RowKernel,
        here: Pass,
        fixed: list[Value | None],
        pointers: dict[str, Value],
        is_last: bool,
    ) -> None:
        self.f = kernel.f
        self.kernel = kernel
        self.here = here
        self.fixed = fixed
        self.pointers = pointers
        self.is_last = is_last
        self.kept = {n: kernel.kept_pointer(n, pointers) for n in (*here.kept, *here.keeps)}
        self.reducers = [
            Reducer(self.f, kernel.plan.step(number)[0], kernel.dtypes[number])
            for number in here.reductions
        ]
        total = sum(primitives.weight(kernel.plan.step(number)) for number in here.computes)
        self.unroll = 4 if total <= 4 else 2 if total <= 12 else 1

    def emit(self) -> list[Value]:
        """The results of the pass's reductions."""
        f, lanes = self.f, self.kernel.lanes
        count = f["columns"]
        fixed = self._splats(lanes)
        start = f.constant(count.type, 0)
        totals = [r.identity(lanes) for r in self.reducers for _ in range(self.unroll)]
        totals = self._chunks(start, count, fixed, totals)
        groups = f.binary("and", count, -lanes * self.unroll)
        wholes = f.binary("and", count, -lanes)
        if self.unroll > 1:
            totals = f.times(groups, wholes, totals, self._body(fixed, 1), step=lanes)
        if self.masked:
            totals = f.times(wholes, count, totals, self._masked_body(fixed, count), step=lanes)
        sums = [
            r.across(r.combine_all(totals[n * self.unroll : (n + 1) * self.unroll]))
            for n, r in enumerate(self.reducers)
        ]
        if not self.masked and lanes > 1:
            sums = f.times(wholes, count, sums, self._scalar_body(self._splats(1)))
        return [r.finish(value) for r, value in zip(self.reducers, sums)]

    @property
    def masked(self) -> bool:
        """Whether what is left of a row is one vector under a mask."""
        return self.kernel.masked

    def _splats(self, lanes: int) -> list[Value | None]:
        """The fixed values that the pass uses, in all lanes."""
        values: list[Value | None] = [None] * len(self.fixed)
        for number in self.here.fixed:
            value = self.fixed[number]
            assert value is not None
            if value.text.startswith("%"):
                values[number] = self.f.broadcast(value, lanes)
            else:
                kind = value.type.vector(lanes)
                text = value.text if lanes == 1 else f"splat ({value})"
                values[number] = Value(self.f, kind, text)
        return values

    def _chunks(
        self, start: Value, count: Value, fixed: list[Value | None], totals: list[Value]
    ) -> list[Value]:
        """All whole groups; partial results are combined chunk by chunk."""
        f, width = self.f, self.kernel.lanes * self.unroll
        stop = f.binary("and", count, -width)
        if not self.reducers:
            return f.times(start, stop, [], self._body(fixed, self.unroll), step=width)

        def chunk(index: Value, carried: list[Value]) -> list[Value]:
            end = f.smaller(index + width * _CHUNK, stop)
            zeros = [self._owner(n).identity(self.kernel.lanes) for n in range(len(carried))]
            parts = f.times(index, end, zeros, self._body(fixed, self.unroll), step=width)
            pairs = enumerate(zip(carried, parts))
            return [self._owner(n).combine(old, new) for n, (old, new) in pairs]

        return f.times(start, stop, totals, chunk, step=width * _CHUNK)

    def _owner(self, accumulator: int) -> Reducer:
        return self.reducers[accumulator // self.unroll]

    def _body(
        self, fixed: list[Value | None], count: int
    ) -> Callable[[Value, list[Value]], list[Value]]:
        """The body of a loop over groups of `count` vectors."""

        def body(index: Value, carried: list[Value]) -> list[Value]:
            carried = list(carried)
            for part in range(count):
                at = index + part * self.kernel.lanes
                for n, value in enumerate(self._vector(at, fixed, self.kernel.lanes)):
                    place = n * self.unroll + part
                    carried[place] = self.reducers[n].combine(carried[place], value)
            return carried

        return body

    def _masked_body(
        self, fixed: list[Value | None], count: Value
    ) -> Callable[[Value, list[Value]], list[Value]]:
        def body(index: Value, carried: list[Value]) -> list[Value]:
            lanes = self.kernel.lanes
            carried, mask = list(carried), self.f.lane_mask(count - index, lanes)
            for n, value in enumerate(self._vector(index, fixed, lanes, mask)):
                reducer, place = self.reducers[n], n * self.unroll
                real = self.f.select(mask, value, reducer.identity(lanes))
                carried[place] = reducer.combine(carried[place], real)
            return carried

        return body

    def _scalar_body(
        self, fixed: list[Value | None]
    ) -> Callable[[Value, list[Value]], list[Value]]:
        def body(index: Value, carried: list[Value]) -> list[Value]:
            values = self._vector(index, fixed, 1)
            return [r.combine(old, new) for r, old, new in zip(self.reducers, carried, values)]

        return body

    def _vector(
        self, index: Value, fixed: Sequence[Value | None], lanes: int, mask: Value | None = None
    ) -> list[Value]:
        """One vector from its loads to its stores; the operands of the reductions."""
        f, kernel, spec = self.f, self.kernel, self.kernel.spec
        values = list(fixed)
        for number in self.here.loads:
            dtype, pointer = spec.inputs[number][0], self.pointers[f"in{number}"]
            values[number] = elements.load(f, dtype, _at(index, dtype, pointer), lanes, mask)
        for number in self.here.kept:
            dtype, pointer = kernel.dtypes[number], self.kept[number]
            values[number] = elements.load(f, dtype, _at(index, dtype, pointer), lanes, mask)
        for number in self.here.computes:
            step = kernel.plan.step(number)
            values[number] = primitives.emit_step(f, step, values, kernel.dtypes, lanes)
        for number in self.here.keeps:
            dtype, pointer = kernel.dtypes[number], self.kept[number]
            elements.store(f, dtype, _present(values[number]), _at(index, dtype, pointer), mask)
        if self.is_last:
            for place, (dtype, kind) in enumerate(spec.outputs):
                if kind == "full":
                    value = _present(values[spec.results[place]])
                    pointer = _at(index, dtype, self.pointers[f"out{place}"])
                    elements.store(f, dtype, value, pointer, mask)
        return [_present(values[kernel.plan.step(number)[1]]) for number in self.here.reductions]


def _at(index: Value, dtype: str, pointer: Value) -> Value:
    return index.function.offset(pointer, index * elements.element_bytes(dtype))


def _present(value: Value | None) -> Value:
    assert value is not None
    return value
