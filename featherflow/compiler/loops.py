"""Loops: from arrays with strides to calls of elementwise kernels.

Axes that every operand walks through without a jump are merged, so a kernel is keyed by how
operands move, not by how many axes there are: x + y of two dense arrays is one loop, at any rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from featherflow.compiler.elementwise import Elementwise
from featherflow.compiler.lowered import CannotCompile
from featherflow.compiler.primitives import Step
from featherflow.compiler.storage import (
    ITEM_BYTES,
    Address,
    KernelCall,
    Storage,
    split_evenly,
)

#: Loops of one kernel; axes beyond these are calls of their own.
_MAX_LOOPS = 4
#: Calls that such axes may make.
_MAX_CALLS = 1024
#: Elements for which a second thread is worth its barrier.
_WORTH_SPLITTING = 16384
#: Threads that split one loop meet at multiples of this, so that none share a cache line.
_LINE_ELEMENTS = 64

NewCall = Callable[[Elementwise, dict[str, Address | int], float], KernelCall]


def merge_axes(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    """Axes of size 1 dropped, and neighbours merged where no operand jumps between them."""
    sizes: list[int] = []
    merged: list[list[int]] = [[] for _ in strides]
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        if sizes and all(
            walked[-1] == stride[axis] * size for walked, stride in zip(merged, strides)
        ):
            sizes[-1] *= size
            for walked, stride in zip(merged, strides):
                walked[-1] = stride[axis]
            continue
        sizes.append(size)
        for walked, stride in zip(merged, strides):
            walked.append(stride[axis])
    if not sizes:
        return [1], [[0] for _ in strides]
    return sizes, merged


def elementwise_calls(
    call: NewCall,
    shares: int,
    inputs: Sequence[Storage],
    outputs: Sequence[Storage],
    steps: Sequence[Step],
    results: Sequence[int],
) -> list[list[KernelCall]]:
    """Calls, by thread, that compute `results` over the space of the outputs.

    Args:
      inputs: they broadcast to the shape of the outputs.
    Raises:
      CannotCompile: operands walk through so many axes in so many ways that NumPy does it better.
    """
    shape = outputs[0].shape
    operands = [*(item.broadcast_to(shape) for item in inputs), *outputs]
    sizes, strides = merge_axes(shape, [item.strides for item in operands])
    if sizes == [1]:
        strides = [[ITEM_BYTES[item.dtype]] for item in operands]
    if prod(sizes[:-_MAX_LOOPS]) > _MAX_CALLS:
        raise CannotCompile("more loops than kernels have")
    nest = _Nest(call, operands, len(inputs), tuple(steps), tuple(results))
    addresses = [item.address for item in operands]
    if prod(sizes) < _WORTH_SPLITTING:
        shares = 1
    calls: list[list[KernelCall]] = [[] for _ in range(shares)]
    nest.split(sizes, strides, addresses, calls)
    return [items for items in calls if items]


class _Nest:
    """One nest of loops over given operands."""

    def __init__(
        self,
        call: NewCall,
        operands: Sequence[Storage],
        inputs: int,
        steps: tuple[Step, ...],
        results: tuple[int, ...],
    ) -> None:
        self.call = call
        self.dtypes = [item.dtype for item in operands]
        self.inputs = inputs
        self.steps = steps
        self.results = results

    def split(
        self,
        sizes: list[int],
        strides: list[list[int]],
        addresses: list[Address],
        calls: list[list[KernelCall]],
    ) -> None:
        """Gives each thread a range of the outermost axis."""
        count = sizes[0]
        for share, (begin, end) in enumerate(_ranges(count, len(calls), len(sizes) == 1)):
            moved = [at + begin * step[0] for at, step in zip(addresses, strides)]
            self._peel([end - begin, *sizes[1:]], strides, moved, calls[share])

    def _peel(
        self,
        sizes: list[int],
        strides: list[list[int]],
        addresses: list[Address],
        calls: list[KernelCall],
    ) -> None:
        if len(sizes) <= _MAX_LOOPS:
            calls.append(self._one(sizes, strides, addresses))
            return
        for index in range(sizes[0]):
            moved = [at + index * step[0] for at, step in zip(addresses, strides)]
            self._peel(sizes[1:], [step[1:] for step in strides], moved, calls)

    def _one(
        self, sizes: list[int], strides: list[list[int]], addresses: list[Address]
    ) -> KernelCall:
        patterns = [
            pattern_of(step, ITEM_BYTES[dtype]) for step, dtype in zip(strides, self.dtypes)
        ]
        operands = tuple(zip(self.dtypes, patterns))
        spec = Elementwise(
            inputs=operands[: self.inputs],
            outputs=operands[self.inputs :],
            steps=self.steps,
            results=self.results,
        )
        names = spec.pointers()
        arguments: dict[str, Address | int] = dict(zip(names, addresses))
        arguments |= {f"n{axis}": size for axis, size in enumerate(sizes)}
        for name, pattern, step in zip(names, patterns, strides):
            for axis, kind in enumerate(pattern):
                if kind == "s":
                    arguments[f"stride_{name}_{axis}"] = step[axis]
        work = sum(1 for step in self.steps if step[0] != "constant")
        return self.call(spec, arguments, float(prod(sizes) * work))


def pattern_of(strides: Sequence[int], item: int) -> str:
    """How an operand moves in each loop: "s" by a stride, "c" contiguous, "." not at all."""
    kinds = ["." if stride == 0 else "s" for stride in strides]
    if strides and strides[-1] == item:
        kinds[-1] = "c"
    return "".join(kinds)


def _ranges(count: int, shares: int, is_innermost: bool) -> list[tuple[int, int]]:
    """The ranges of the threads; of an innermost axis, whole cache lines."""
    if not is_innermost:
        return split_evenly(count, shares)
    lines = split_evenly(-(-count // _LINE_ELEMENTS), shares)
    return [(begin * _LINE_ELEMENTS, min(end * _LINE_ELEMENTS, count)) for begin, end in lines]
