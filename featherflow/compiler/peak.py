"""The family "peak": nothing but multiplications and additions in registers, to measure a core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from featherflow.compiler.ir import F32, I64, Module, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family
from featherflow.compiler.target import Target


@register_family
@dataclass(frozen=True)
class Peak(KernelSpec):
    """`rounds` times xᵢ = xᵢ · a + b, in vectors, for independent xᵢ.

    `numbers` holds a and b; the sum of all vectors is stored to `sum`.

    Attributes:
      chains: how many xᵢ: two units with a latency of four or five cycles need ten.
    """

    family: ClassVar[str] = "peak"
    chains: int = 12

    def pointers(self) -> tuple[str, ...]:
        return ("numbers", "sum")

    def sizes(self) -> tuple[str, ...]:
        return ("rounds",)

    def flops(self, target: Target, rounds: int) -> float:
        """Operations of a call."""
        return 2.0 * self.chains * target.lanes(F32.bytes) * rounds

    def emit(self, module: Module) -> None:
        f = KernelFunction(module, self)
        lanes = f.target.lanes(F32.bytes)
        factor = f.broadcast(f.load(F32, f["numbers"]), lanes)
        addend = f.broadcast(f.load(F32, f.offset(f["numbers"], F32.bytes)), lanes)
        starts = [
            f.constant(F32.vector(lanes), float(number)) for number in range(1, self.chains + 1)
        ]

        def step(_: Any, carried: list[Value]) -> list[Value]:
            return [f.fma(value, factor, addend) for value in carried]

        first, *rest = f.times(0, f["rounds"], starts, step)
        for value in rest:
            first = first + value
        f.store(first, f["sum"])
        f.return_(f.constant(I64, 0))
