"""Logic and shifts on the bits of integers, elementwise. Binary ones broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.graph.tensor import Tensor
from featherflow.kernels import elementwise as kernels
from featherflow.ops.elementwise import compiled_as, define_binary, define_unary
from featherflow.ops.type_groups import INTEGERS

BitwiseAnd = define_binary("BitwiseAnd", (INTEGERS, np.bitwise_and), is_commutative=True)
BitwiseAnd.compile_rule(compiled_as("bitwise_and"))
BitwiseOr = define_binary("BitwiseOr", (INTEGERS, np.bitwise_or), is_commutative=True)
BitwiseOr.compile_rule(compiled_as("bitwise_or"))
BitwiseXor = define_binary("BitwiseXor", (INTEGERS, np.bitwise_xor), is_commutative=True)
BitwiseXor.compile_rule(compiled_as("bitwise_xor"))
LeftShift = define_binary("LeftShift", (INTEGERS, kernels.left_shift))
RightShift = define_binary("RightShift", (INTEGERS, kernels.right_shift))
Invert = define_unary("Invert", (INTEGERS, np.invert))
PopulationCount = define_unary(
    "PopulationCount", (INTEGERS, kernels.population_count), output="y: uint8"
)
for _op in (BitwiseAnd, BitwiseOr, BitwiseXor, LeftShift, RightShift, Invert, PopulationCount):
    _op.not_differentiable("bits are integers")


@export("bitwise.bitwise_and")
def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that x and y both have."""
    return BitwiseAnd(x, y, name=name)


@export("bitwise.bitwise_or")
def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that x or y has."""
    return BitwiseOr(x, y, name=name)


@export("bitwise.bitwise_xor")
def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that exactly one of x and y has."""
    return BitwiseXor(x, y, name=name)


@export("bitwise.left_shift")
def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x · 2ʸ within the bits of x's type.

    Distances outside [0, bits − 1] count as the nearest in it.
    """
    return LeftShift(x, y, name=name)


@export("bitwise.right_shift")
def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """⌊x / 2ʸ⌋: the sign is kept.

    Distances outside [0, bits − 1] count as the nearest in it.
    """
    return RightShift(x, y, name=name)


@export("bitwise.invert")
def invert(x: Any, name: str | None = None) -> Tensor:
    """x with all bits flipped: −1 − x for signed types."""
    return Invert(x, name=name)
