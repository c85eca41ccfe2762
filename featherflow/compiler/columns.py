"""Column kernels: steps and reductions over the middle of [outer, middle, inner].

The mean over height and width of [N, H, W, C] is one, with outer = N, middle = H·W, inner = C; so
are its variance and all that follows from them. Lanes lie along inner, where elements are side by
side, and each has its own result. Operands are of three kinds:

    "full"    inputs: [outer, middle, inner], with run-time strides of bytes for outer and middle
    "inner"   inputs: [inner], the same for all; outputs: [outer, inner], side by side
    "scalar"  inputs: one number

Threads take ranges of outer or of inner by moved pointers; an output moved on in inner needs its
own stride from one outer to the next, which is an argument too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler import elements, primitives, reducing
from featherflow.compiler.elementwise import can_mask, operand_names, vector_lanes
from featherflow.compiler.ir import Module, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family
from featherflow.compiler.primitives import Step
from featherflow.compiler.reducing import Pass, PassPlan, Reducer

Operands = tuple[tuple[str, str], ...]

#: Places along middle whose partial results are added to the totals together.
_CHUNK = 32


@register_family
@dataclass(frozen=True)
class Columns(KernelSpec):
    """A column kernel.

    Attributes:
      inputs, outputs: (dtype, kind) of each; outputs are "inner".
      steps: the body; `primitives` and `reducing` say how.
      results: the number of the value that each output gets; fixed along middle.
    """

    family: ClassVar[str] = "columns"

    inputs: Operands
    outputs: Operands
    steps: tuple[Step, ...]
    results: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", primitives.plain_steps(self.steps))

    @property
    def plan(self) -> PassPlan:
        """The passes over middle; every one computes what it needs from the inputs."""
        moving = [kind == "full" for _, kind in self.inputs]
        return PassPlan(self.steps, moving, (), may_keep=False)

    @property
    def dtypes(self) -> list[str]:
        """The dtypes of all values."""
        return reducing.value_dtypes(self.steps, [dtype for dtype, _ in self.inputs])

    def pointers(self) -> tuple[str, ...]:
        """in0 …, out0 …"""
        return operand_names(len(self.inputs), len(self.outputs))

    def sizes(self) -> tuple[str, ...]:
        """outer, middle, inner; bytes: stride_in0_0 (outer), stride_in0_1 (middle), stride_out0…"""
        strides: list[str] = []
        for number, (_, kind) in enumerate(self.inputs):
            if kind == "full":
                strides += [f"stride_in{number}_0", f"stride_in{number}_1"]
        strides += [f"stride_out{number}" for number in range(len(self.outputs))]
        return ("outer", "middle", "inner", *strides)

    def emit(self, module: Module) -> None:
        """Defines the kernel."""
        f = KernelFunction(module, self)
        steps = {
            f"in{number}": f[f"stride_in{number}_0"]
            for number, (_, kind) in enumerate(self.inputs)
            if kind == "full"
        }
        steps |= {f"out{number}": f[f"stride_out{number}"] for number in range(len(self.outputs))}
        kernel = _ColumnKernel(f, self)

        def body(index: Value, carried: list[Value]) -> list[Value]:
            here = dict(zip(steps, carried))
            kernel.emit_inner({**{name: f[name] for name in self.pointers()}, **here})
            return [f.offset(here[name], step) for name, step in steps.items()]

        f.times(0, f["outer"], [f[name] for name in steps], body)
        f.return_(0)


class _ColumnKernel:
    """Emits the blocks of inner, and for each the passes over middle."""

    def __init__(self, f: KernelFunction, spec: Columns) -> None:
        self.f = f
        self.spec = spec
        self.plan = spec.plan
        self.dtypes = spec.dtypes
        operands = (*spec.inputs, *spec.outputs)
        wide = [dtype for dtype, kind in operands if kind != "scalar"]
        self.lanes = vector_lanes(f, wide)
        self.masked = can_mask(f, wide, ())

    def emit_inner(self, pointers: dict[str, Value]) -> None:
        """All of inner: blocks of several vectors, single vectors, then what is left."""
        f, lanes, count = self.f, self.lanes, self.f["inner"]
        width = self._block_width() * lanes
        blocks, wholes = f.binary("and", count, -width), f.binary("and", count, -lanes)
        f.times(0, blocks, [], self._block(pointers, width // lanes, lanes), step=width)
        if width > lanes:
            f.times(blocks, wholes, [], self._block(pointers, 1, lanes), step=lanes)
        if not self.masked:
            f.times(wholes, count, [], self._block(pointers, 1, 1))
            return

        def remainder(index: Value, carried: list[Value]) -> list[Value]:
            mask = f.lane_mask(count - index, lanes)
            _Block(self, pointers, index, 1, lanes, mask).emit()
            return []

        f.times(wholes, count, [], remainder, step=lanes)

    def _block_width(self) -> int:
        """Vectors side by side: enough chains of additions to hide their latency."""
        total = sum(
            primitives.weight(self.plan.step(number))
            for here in self.plan.passes
            for number in here.computes
        )
        reductions = sum(len(here.reductions) for here in self.plan.passes)
        return 4 if total + 2 * reductions <= 8 else 2 if total <= 24 else 1

    def _block(
        self, pointers: dict[str, Value], vectors: int, lanes: int
    ) -> Callable[[Value, list[Value]], list[Value]]:
        def body(index: Value, carried: list[Value]) -> list[Value]:
            _Block(self, pointers, index, vectors, lanes, None).emit()
            return []

        return body


class _Block:
    """Some vectors side by side in inner, from one end of middle to the other."""

    def __init__(
        self,
        kernel: _ColumnKernel,
        pointers: dict[str, Value],
        index: Value,
        vectors: int,
        lanes: int,
        mask: Value | None,
    ) -> None:
        self.f = kernel.f
        self.kernel = kernel
        self.spec = kernel.spec
        self.lanes = lanes
        self.vectors = vectors
        self.mask = mask
        #: Where the first vector of each operand lies; scalars do not move.
        self.places = dict(pointers)
        for name, (dtype, kind) in zip(
            kernel.spec.pointers(), (*self.spec.inputs, *self.spec.outputs)
        ):
            if kind != "scalar":
                distance = index * elements.element_bytes(dtype)
                self.places[name] = self.f.offset(pointers[name], distance)

    def emit(self) -> None:
        """All passes, then the outputs."""
        plan = self.kernel.plan
        fixed = [self._fixed_inputs(part) for part in range(self.vectors)]
        self._compute_fixed(fixed, 0)
        for place, here in enumerate(plan.passes):
            results = self._pass(here, fixed)
            for part, values in enumerate(fixed):
                for order, number in enumerate(here.reductions):
                    values[number] = results[order * self.vectors + part]
            self._compute_fixed(fixed, place + 1)
        for part, values in enumerate(fixed):
            for number, (dtype, _) in enumerate(self.spec.outputs):
                value = values[self.spec.results[number]]
                assert value is not None
                pointer = self._at(f"out{number}", dtype, part)
                elements.store(self.f, dtype, value, pointer, self.mask)

    def _at(self, name: str, dtype: str, part: int) -> Value:
        return self.f.offset(self.places[name], part * self.lanes * elements.element_bytes(dtype))

    def _fixed_inputs(self, part: int) -> list[Value | None]:
        values: list[Value | None] = [None] * len(self.kernel.dtypes)
        for number, (dtype, kind) in enumerate(self.spec.inputs):
            name = f"in{number}"
            if kind == "inner":
                pointer = self._at(name, dtype, part)
                values[number] = elements.load(self.f, dtype, pointer, self.lanes, self.mask)
            elif kind == "scalar":
                values[number] = elements.load_splat(self.f, dtype, self.places[name], self.lanes)
        return values

    def _compute_fixed(self, fixed: list[list[Value | None]], place: int) -> None:
        plan = self.kernel.plan
        for values in fixed:
            for number in plan.between[place]:
                values[number] = primitives.emit_step(
                    self.f, plan.step(number), values, self.kernel.dtypes, self.lanes
                )

    def _pass(self, here: Pass, fixed: list[list[Value | None]]) -> list[Value]:
        """The results of a pass's reductions, for each the vectors of the block."""
        f, middle = self.f, self.f["middle"]
        reducers = [
            Reducer(f, self.kernel.plan.step(number)[0], self.kernel.dtypes[number])
            for number in here.reductions
        ]
        owners = [reducer for reducer in reducers for _ in range(self.vectors)]
        names = [f"in{number}" for number in here.loads]

        def row(index: Value, carried: list[Value]) -> list[Value]:
            parts, pointers = carried[: len(owners)], carried[len(owners) :]
            rows = self._row(here, fixed, dict(zip(names, pointers)))
            parts = [r.combine(old, new) for r, old, new in zip(owners, parts, rows)]
            moved = [f.offset(p, f[f"stride_{name}_1"]) for p, name in zip(pointers, names)]
            return [*parts, *moved]

        def chunk(index: Value, carried: list[Value]) -> list[Value]:
            end = f.smaller(index + _CHUNK, middle)
            totals, pointers = carried[: len(owners)], carried[len(owners) :]
            zeros = [reducer.identity(self.lanes) for reducer in owners]
            after = f.loop(index, end, [*zeros, *pointers], row)
            totals = [r.combine(old, new) for r, old, new in zip(owners, totals, after)]
            return [*totals, *after[len(owners) :]]

        zeros = [reducer.identity(self.lanes) for reducer in owners]
        pointers = [self.places[name] for name in names]
        totals = f.times(0, middle, [*zeros, *pointers], chunk, step=_CHUNK)
        return [reducer.finish(total) for reducer, total in zip(owners, totals)]

    def _row(
        self, here: Pass, fixed: list[list[Value | None]], pointers: dict[str, Value]
    ) -> list[Value]:
        """The operands of the reductions at one place of middle."""
        f, plan = self.f, self.kernel.plan
        found: list[list[Value]] = [[] for _ in here.reductions]
        for part, known in enumerate(fixed):
            values = list(known)
            for number in here.loads:
                dtype = self.spec.inputs[number][0]
                distance = part * self.lanes * elements.element_bytes(dtype)
                pointer = f.offset(pointers[f"in{number}"], distance)
                values[number] = elements.load(f, dtype, pointer, self.lanes, self.mask)
            for number in here.computes:
                step = plan.step(number)
                values[number] = primitives.emit_step(
                    f, step, values, self.kernel.dtypes, self.lanes
                )
            for order, number in enumerate(here.reductions):
                value = values[plan.step(number)[1]]
                assert value is not None
                found[order].append(value)
        return [value for vectors in found for value in vectors]
