"""Storage: where a lowered value lies, and the kernel calls that read and write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np

from featherflow.compiler.kernel_spec import KernelSpec

#: Bytes of one element, by dtype name.
ITEM_BYTES = {
    **{"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2},
    **{"int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8},
}


@dataclass(eq=False, slots=True)
class Buffer:
    """Some memory of a program.

    Attributes:
      kind: "input", "output", "constant" or "arena".
      size: in bytes.
      number: of the input or output.
      array: the contents of a constant.
    """

    kind: str
    size: int
    number: int = 0
    array: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Address:
    """A place in a buffer."""

    buffer: Buffer
    offset: int = 0

    def __add__(self, offset: int) -> Address:
        return Address(self.buffer, self.offset + offset) if offset else self


@dataclass(frozen=True, slots=True)
class Storage:
    """An array in a buffer: like NumPy's, strides in bytes."""

    address: Address
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str

    @property
    def is_dense(self) -> bool:
        """Whether elements follow each other in C order."""
        return has_dense_strides(self.shape, self.strides, ITEM_BYTES[self.dtype])

    @property
    def has_contiguous_rows(self) -> bool:
        """Whether the elements of the last axis are neighbours."""
        return not self.shape or self.shape[-1] <= 1 or self.strides[-1] == ITEM_BYTES[self.dtype]

    def with_shape(self, shape: tuple[int, ...]) -> Storage | None:
        """The same elements under another shape, if strides can say so."""
        if shape == self.shape:
            return self
        strides = reshaped_strides(self.shape, self.strides, shape)
        if strides is None:
            return None
        return Storage(self.address, shape, strides, self.dtype)

    def part(self, axis: int, start: int, size: int) -> Storage:
        """Elements [start, start + size) along an axis."""
        shape = (*self.shape[:axis], size, *self.shape[axis + 1 :])
        address = self.address + start * self.strides[axis]
        return Storage(address, shape, self.strides, self.dtype)

    def broadcast_to(self, shape: tuple[int, ...]) -> Storage:
        """The array as operands see it: axes of size 1, and missing ones, do not move."""
        missing = len(shape) - len(self.shape)
        strides = tuple(
            0 if size == 1 and wanted != 1 else stride
            for size, stride, wanted in zip(self.shape, self.strides, shape[missing:])
        )
        return Storage(self.address, shape, (0,) * missing + strides, self.dtype)


def dense_strides(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    """C-order strides in bytes."""
    strides, step = [], item
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def dense_storage(address: Address, shape: tuple[int, ...], dtype: str) -> Storage:
    """A C-ordered array at an address."""
    return Storage(address, shape, dense_strides(shape, ITEM_BYTES[dtype]), dtype)


def has_dense_strides(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> bool:
    """Whether strides are those of C order; those of axes of size 1 do not count."""
    step = item
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def reshaped_strides(
    old: tuple[int, ...], strides: tuple[int, ...], new: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The strides of a reshaped view; None where a copy is needed."""
    if 0 in old:
        return dense_strides(new, strides[-1] if strides else 1)
    axes = [(size, stride) for size, stride in zip(old, strides) if size != 1]
    result: list[int] = []
    for size in reversed(new):
        if size == 1:
            result.append(0)
            continue
        if not axes:
            return None
        have, stride = axes.pop()
        while have % size and axes and axes[-1][1] == have * stride:
            have *= axes.pop()[0]
        if have % size:
            return None
        result.append(stride)
        if have > size:
            axes.append((have // size, stride * size))
    return tuple(reversed(result)) if not axes else None


@dataclass(eq=False, slots=True)
class KernelCall:
    """One call of a kernel.

    Attributes:
      arguments: each field of the spec: an address, or a number.
      node: what the call is for, for messages and `explain`.
      flops: floating-point operations, for `explain`.
      first_weights: where it starts to read packed weights, for the call before it to prefetch.
    """

    spec: KernelSpec
    arguments: dict[str, Address | int]
    node: str = ""
    flops: float = 0.0
    first_weights: Address | None = None


@dataclass(eq=False, slots=True)
class Phase:
    """Calls between two barriers: for each thread of the team, what it does."""

    calls: list[list[KernelCall]] = field(default_factory=list)

    @property
    def is_solo(self) -> bool:
        """Whether one thread does everything."""
        return len(self.calls) == 1

    def all_calls(self) -> list[KernelCall]:
        """The calls of all threads."""
        return [call for calls in self.calls for call in calls]


def element_count(shape: tuple[int, ...]) -> int:
    """How many elements an array has."""
    return prod(shape)


def split_evenly(count: int, shares: int) -> list[tuple[int, int]]:
    """[0, count) in at most `shares` ranges that are nearly equal and not empty."""
    shares = max(1, min(shares, count))
    return [(count * share // shares, count * (share + 1) // shares) for share in range(shares)]
