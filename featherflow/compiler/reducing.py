"""Reductions in kernels: which values a pass over data computes, and how partial results combine.

A body reduces with the steps `reduce_sum`, `reduce_max` and so on. Their results are fixed along
the reduced dimension, and steps that use them run in a later pass over it:

    (("reduce_max", 0), ("sub", 0, 1), ("exp", 2), ("reduce_sum", 3), ("div", 3, 4))     # softmax
     pass 0             pass 1 ───────────────────────────────────    pass 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from featherflow.compiler import elements, primitives
from featherflow.compiler.elements import FLOATS, INTEGERS, SIGNED
from featherflow.compiler.ir import Function, Value
from featherflow.compiler.primitives import Step

_NUMBERS = (*FLOATS, *INTEGERS)
#: reducing step → the primitive that combines, and the dtypes it takes.
REDUCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "reduce_sum": ("add", _NUMBERS),
    "reduce_prod": ("mul", _NUMBERS),
    "reduce_max": ("maximum", _NUMBERS),
    "reduce_min": ("minimum", _NUMBERS),
    "reduce_any": ("logical_or", ("bool",)),
    "reduce_all": ("logical_and", ("bool",)),
}
#: Steps of this weight and more are kept for later passes; others are computed again.
_DEAR = 12


def is_reduction(step: Step) -> bool:
    """Whether a step reduces."""
    return step[0] in REDUCTIONS


def supports(name: str, dtype: str) -> bool:
    """Whether a step, reducing or not, takes operands of this dtype."""
    if name in REDUCTIONS:
        return dtype in REDUCTIONS[name][1]
    return primitives.supports(name, dtype)


def value_dtypes(steps: Sequence[Step], inputs: Sequence[str]) -> list[str]:
    """The dtypes of all values; a reduction has that of its operand.

    Raises:
      ValueError: a step does not take its operands.
    """
    dtypes = list(inputs)
    for step in steps:
        if not is_reduction(step):
            dtypes.append(primitives.result_dtype(step, dtypes))
            continue
        if not supports(step[0], dtypes[step[1]]):
            raise ValueError(f"No reduction '{step[0]}' of {dtypes[step[1]]}")
        dtypes.append(dtypes[step[1]])
    return dtypes


# --- passes ---------------------------------------------------------------------------------------


@dataclass
class Pass:
    """One pass over the reduced dimension.

    Attributes:
      loads: numbers of the inputs that it reads element by element.
      kept: numbers of values that an earlier pass has kept.
      computes: numbers of the steps it evaluates, in order.
      reductions: numbers of its reducing steps.
      keeps: numbers of values that it keeps for later passes.
      fixed: numbers of the fixed values that it uses.
    """

    loads: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    computes: list[int] = field(default_factory=list)
    reductions: list[int] = field(default_factory=list)
    keeps: list[int] = field(default_factory=list)
    fixed: list[int] = field(default_factory=list)


class PassPlan:
    """Sorts the steps of a body into passes.

    Attributes:
      is_moving: for each value, whether it varies along the reduced dimension.
      stage: for each value, how many passes must be over before it can be computed.
      passes: in order; the last one is for `stored`, if there are any.
      between: for each pass, and for the end, the fixed steps that can be computed before it.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        moving_inputs: Sequence[bool],
        stored: Sequence[int],
        may_keep: bool,
    ) -> None:
        """
        Args:
          moving_inputs: for each input, whether it varies.
          stored: numbers of values that are stored element by element, in the last pass.
          may_keep: whether there is a place for dear values that two passes need.
        """
        self.steps = steps
        self.first = len(moving_inputs)
        self.is_moving = list(moving_inputs)
        self.stage = [0] * self.first
        self.may_keep = may_keep
        self._place_steps()
        count = max([self.stage[n] for n in self._reductions()], default=0)
        if stored:
            count = max([count, *(self.stage[number] + 1 for number in stored)])
        self.passes = [Pass() for _ in range(count)]
        self._computed_in: dict[int, int] = {}
        for place in range(count):
            for number in self._reductions():
                if self.stage[number] == place + 1:
                    self._need(steps[number - self.first][1], place)
                    self.passes[place].reductions.append(number)
            if place == count - 1:
                for number in stored:
                    self._need(number, place)
        self.between = [self._fixed_steps(stage) for stage in range(count + 1)]

    def step(self, number: int) -> Step:
        """The step that computes a value."""
        return self.steps[number - self.first]

    def _reductions(self) -> list[int]:
        return [n for n, step in enumerate(self.steps, self.first) if is_reduction(step)]

    def _place_steps(self) -> None:
        for step in self.steps:
            given = step[1:] if is_reduction(step) else primitives.operands(step)
            stage = max((self.stage[number] for number in given), default=0)
            self.stage.append(stage + is_reduction(step))
            moving = any(self.is_moving[number] for number in given)
            self.is_moving.append(moving and not is_reduction(step))

    def _fixed_steps(self, stage: int) -> list[int]:
        return [
            number
            for number, step in enumerate(self.steps, self.first)
            if self.stage[number] == stage and not self.is_moving[number] and not is_reduction(step)
        ]

    def _need(self, number: int, place: int) -> None:
        """Lets a pass have a value."""
        here = self.passes[place]
        if not self.is_moving[number]:
            _add(here.fixed, number)
        elif number < self.first:
            _add(here.loads, number)
        elif number in here.computes or number in here.kept:
            return
        elif self._is_kept(number, place):
            _add(self.passes[self._computed_in[number]].keeps, number)
            here.kept.append(number)
        else:
            for operand in primitives.operands(self.step(number)):
                self._need(operand, place)
            here.computes.append(number)
            self._computed_in.setdefault(number, place)

    def _is_kept(self, number: int, place: int) -> bool:
        if not self.may_keep or self._computed_in.get(number, place) == place:
            return False
        return primitives.weight(self.step(number)) >= _DEAR


def _add(numbers: list[int], number: int) -> None:
    if number not in numbers:
        numbers.append(number)


# --- partial results ------------------------------------------------------------------------------


class Reducer:
    """One reducing step: its partial results lie in registers, as float32 for narrow floats."""

    def __init__(self, f: Function, name: str, dtype: str) -> None:
        self.f = f
        self.dtype = dtype
        self._combine = primitives.PRIMITIVES[REDUCTIONS[name][0]].emit
        self._identity = _identity(name, dtype)

    def identity(self, lanes: int) -> Value:
        """What changes nothing; all there is of no elements."""
        return self.f.constant(elements.register_type(self.dtype).vector(lanes), self._identity)

    def combine(self, left: Value, right: Value) -> Value:
        """Two partial results as one."""
        return self._combine(self.f, self.dtype, left, right)

    def combine_all(self, parts: Sequence[Value]) -> Value:
        """Several as one, by a tree."""
        while len(parts) > 1:
            pairs = [self.combine(*parts[at : at + 2]) for at in range(0, len(parts) - 1, 2)]
            parts = [*pairs, *parts[2 * len(pairs) :]]
        return parts[0]

    def across(self, vector: Value) -> Value:
        """All lanes as one number, by halves."""
        lanes = vector.type.lanes
        while lanes > 1:
            half = lanes // 2
            low = self.f.shuffle(vector, range(half)) if half > 1 else self.f.extract(vector, 0)
            high = (
                self.f.shuffle(vector, range(half, lanes))
                if half > 1
                else self.f.extract(vector, 1)
            )
            vector, lanes = self.combine(low, high), half
        return vector

    def finish(self, value: Value) -> Value:
        """The result of the step: rounded, where partial results have more digits."""
        return elements.round_to(self.f, self.dtype, value)


def _identity(name: str, dtype: str) -> int | float:
    if name in ("reduce_sum", "reduce_any"):
        return 0
    if name in ("reduce_prod", "reduce_all"):
        return 1
    is_max = name == "reduce_max"
    if dtype in FLOATS:
        return float("-inf") if is_max else float("inf")
    bits = 8 * elements.element_bytes(dtype)
    if dtype in SIGNED:
        return -(2 ** (bits - 1)) if is_max else 2 ** (bits - 1) - 1
    return 0 if is_max else 2**bits - 1
