"""Body: the steps that compute a group's values from what it reads."""

from __future__ import annotations

from collections.abc import Iterable

from featherflow.compiler.lowered import Lowered, Map, Number, Reduced, Reshaped
from featherflow.compiler.primitives import Step


class Body:
    """Numbers the values of a group; see `primitives` for what steps are.

    Attributes:
      steps: in order.
    """

    def __init__(self, inputs: Iterable[Lowered]) -> None:
        self._numbers = {value: place for place, value in enumerate(inputs)}
        self._count = len(self._numbers)
        self._constants: dict[tuple[str, object], int] = {}
        self.steps: list[Step] = []

    def number_of(self, value: Lowered) -> int:
        """The number of a value; a Number gets its step on first use."""
        if isinstance(value.origin, Number):
            return self._constant(value.dtype, value.origin.number)
        return self._numbers[value]

    def _constant(self, dtype: str, number: float) -> int:
        key = dtype, repr(number)
        if key not in self._constants:
            self._constants[key] = self._append(("constant", dtype, number))
        return self._constants[key]

    def _append(self, step: Step) -> int:
        self.steps.append(step)
        self._count += 1
        return self._count - 1

    def add(self, value: Lowered) -> None:
        """The step of one value; a reshaped one is the same as its operand."""
        origin = value.origin
        numbers = [self.number_of(operand) for operand in value.operands]
        if isinstance(origin, Reshaped):
            self._numbers[value] = numbers[0]
        elif isinstance(origin, Reduced):
            self._numbers[value] = self._append((f"reduce_{origin.reducer}", *numbers))
        else:
            assert isinstance(origin, Map)
            self._numbers[value] = self._append((*origin.step, *numbers))
