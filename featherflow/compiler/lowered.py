"""Lowered values: what compile rules build, one for each result, with concrete shapes.

A value says how it comes about; nothing is stored or computed yet. `fusion.py` groups values into
kernels, and `schedule.py` gives these memory and arguments.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from featherflow.compiler.contractions import Contraction
    from featherflow.compiler.lowering import Lowering

Shape = tuple[int, ...]


class CannotCompile(Exception):
    """A node must run its NumPy kernel; says why."""


@dataclass(frozen=True, slots=True)
class Given:
    """What comes from outside of the cluster."""

    number: int


@dataclass(frozen=True, eq=False, slots=True)
class Constant:
    """A value that is known while the program is made.

    Attributes:
      key: what names it among the constants of a step, however often the step is specialised.
    """

    array: np.ndarray
    key: Hashable


@dataclass(frozen=True, slots=True)
class Map:
    """One primitive on each element; operands broadcast.

    Attributes:
      step: the primitive, with what it needs beside operands: ("cast", "int32").
    """

    step: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number in the code of a kernel: all elements of it."""

    number: float | int | bool


@dataclass(frozen=True, slots=True)
class Reshaped:
    """The same elements, in the same order, under another shape."""


@dataclass(frozen=True, slots=True)
class Transposed:
    """Axes in another order."""

    permutation: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sliced:
    """Every `step`-th element from `start` on, along each axis."""

    starts: Shape
    steps: Shape


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Repeated along axes of size 1 and new leading axes."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Several values one after the other along an axis."""

    axis: int


@dataclass(frozen=True, slots=True)
class Padded:
    """Surrounded by a number; operand 1 is the number."""

    before: Shape


@dataclass(frozen=True, slots=True)
class Reduced:
    """Reduced along axes, which stay with size 1.

    Attributes:
      reducer: "sum", "max", "min", "prod", "any", "all".
    """

    reducer: str
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Contracted:
    """The result of a large kernel: convolution, product, pooling."""

    contraction: Contraction


Origin = (
    Given
    | Constant
    | Number
    | Map
    | Reshaped
    | Transposed
    | Sliced
    | Broadcast
    | Joined
    | Padded
    | Reduced
    | Contracted
)
#: Origins that only look at their operand's memory in another way.
VIEWS = (Reshaped, Transposed, Sliced, Broadcast)


class Lowered:
    """A value of a cluster.

    Attributes:
      shape, dtype: of the value; all sizes are known.
      origin: how it comes about.
      operands: from what.
      node: the name of the graph's node that it stands for.
      uses: how many values and outputs read it.
    """

    __slots__ = ("dtype", "lowering", "node", "operands", "origin", "shape", "uses")

    def __init__(
        self,
        lowering: Lowering,
        shape: Shape,
        dtype: str,
        origin: Origin,
        operands: tuple[Lowered, ...] = (),
    ) -> None:
        self.lowering = lowering
        self.shape = shape
        self.dtype = dtype
        self.origin = origin
        self.operands = operands
        self.node = lowering.node
        self.uses = 0
        for operand in operands:
            operand.uses += 1

    def __repr__(self) -> str:
        return f"<{type(self.origin).__name__} {self.dtype}{list(self.shape)} of {self.node}>"

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def known(self) -> np.ndarray | None:
        """The value, where it is known while the program is made."""
        return self.origin.array if isinstance(self.origin, Constant) else None

    def __add__(self, other: Any) -> Lowered:
        return self.lowering.map("add", self, other)

    def __radd__(self, other: Any) -> Lowered:
        return self.lowering.map("add", other, self)

    def __sub__(self, other: Any) -> Lowered:
        return self.lowering.map("sub", self, other)

    def __rsub__(self, other: Any) -> Lowered:
        return self.lowering.map("sub", other, self)

    def __mul__(self, other: Any) -> Lowered:
        return self.lowering.map("mul", self, other)

    def __rmul__(self, other: Any) -> Lowered:
        return self.lowering.map("mul", other, self)

    def __truediv__(self, other: Any) -> Lowered:
        return self.lowering.map("div", self, other)

    def __rtruediv__(self, other: Any) -> Lowered:
        return self.lowering.map("div", other, self)

    def __neg__(self) -> Lowered:
        return self.lowering.map("neg", self)
