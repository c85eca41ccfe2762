"""Row calls: groups with reductions become calls of rows and columns kernels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Protocol

from featherflow.compiler.body import Body
from featherflow.compiler.columns import Columns
from featherflow.compiler.fusion import Group
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.lowered import Lowered, Reduced
from featherflow.compiler.rows import Rows
from featherflow.compiler.storage import (
    ITEM_BYTES,
    Address,
    KernelCall,
    Storage,
    split_evenly,
)

#: Elements for which a second thread is worth its barrier.
_WORTH_SPLITTING = 16384


class Memory(Protocol):
    """What a schedule tells about values."""

    shares: int

    def storage_of(self, value: Lowered) -> Storage: ...
    def dense(self, value: Lowered) -> Storage: ...
    def scratch(self, size: int) -> Address: ...
    def results_storage(self, results: Sequence[Lowered]) -> list[Storage]: ...
    def call(
        self, spec: KernelSpec, arguments: dict[str, Address | int], flops: float
    ) -> KernelCall: ...


def rows_calls(memory: Memory, group: Group, results: Sequence[Lowered]) -> list[list[KernelCall]]:
    """Calls, by thread, for a group of elementwise values and reductions over the last axis."""
    *leading, columns = group.shape
    rows = prod(leading)
    inputs = group.inputs()
    body = Body(inputs)
    for value in group.values:
        body.add(value)
    kinds = [_kind(value, group) for value in inputs]
    stored = [_rows_of(memory, value, kind) for value, kind in zip(inputs, kinds)]
    targets = memory.results_storage(results)
    result_kinds = ["full" if value.shape == group.shape else "column" for value in results]
    spec = Rows(
        inputs=tuple((value.dtype, kind) for value, kind in zip(inputs, kinds)),
        steps=tuple(body.steps),
        outputs=tuple((value.dtype, kind) for value, kind in zip(results, result_kinds)),
        results=tuple(body.number_of(value) for value in results),
    )
    operands = [*zip(spec.pointers(), [*kinds, *result_kinds], [*stored, *targets])]
    strides = {
        f"stride_{name}": _row_stride(item, columns)
        for name, kind, item in operands
        if kind == "full"
    }
    shares = memory.shares if rows * columns >= _WORTH_SPLITTING else 1
    calls = []
    for begin, end in split_evenly(rows, shares):
        arguments: dict[str, Address | int] = {"rows": end - begin, "columns": columns, **strides}
        for name, kind, item in operands:
            arguments[name] = item.address + begin * _step(kind, item, strides, name)
        if spec.scratch_rows:
            arguments["scratch"] = memory.scratch(spec.scratch_rows * columns * 4)
        flops = float((end - begin) * columns * len(body.steps))
        calls.append([memory.call(spec, arguments, flops)])
    return calls


def _kind(value: Lowered, group: Group) -> str:
    """How a rows kernel reads an operand."""
    shape = (1,) * (len(group.shape) - value.rank) + value.shape
    if prod(shape) == 1:
        return "scalar"
    if shape == group.shape and group.shape[-1] != 1:
        return "full"
    return "column" if shape[-1] == 1 else "row"


def _rows_of(memory: Memory, value: Lowered, kind: str) -> Storage:
    """An operand as the kernel walks it; copied where its rows are not regular."""
    stored = memory.storage_of(value)
    if kind != "full" or stored.is_dense:
        return memory.dense(value)
    matrix = stored.with_shape((prod(value.shape[:-1]), value.shape[-1]))
    if matrix is not None and matrix.has_contiguous_rows:
        return matrix
    return memory.dense(value)


def _row_stride(stored: Storage, columns: int) -> int:
    if stored.is_dense:
        return columns * ITEM_BYTES[stored.dtype]
    return stored.strides[-2]


def _step(kind: str, stored: Storage, strides: dict[str, int], name: str) -> int:
    """Bytes from the operand of one row to that of the next."""
    if kind == "full":
        return strides[f"stride_{name}"]
    return ITEM_BYTES[stored.dtype] if kind == "column" else 0


def columns_calls(memory: Memory, group: Group, target: Storage) -> list[list[KernelCall]]:
    """Calls, by thread, for a reduction of the middle of [outer, middle, inner]."""
    (value,) = group.values
    (operand,) = value.operands
    assert isinstance(value.origin, Reduced)
    outer, middle, inner = operand.shape
    item = ITEM_BYTES[operand.dtype]
    stored = memory.dense(operand)
    spec = Columns(
        inputs=((operand.dtype, "full"),),
        steps=((f"reduce_{value.origin.reducer}", 0),),
        outputs=((value.dtype, "inner"),),
        results=(1,),
    )
    shares = memory.shares if outer * middle * inner >= _WORTH_SPLITTING else 1
    by_outer = outer >= shares
    calls = []
    for begin, end in split_evenly(outer if by_outer else -(-inner // 64), shares):
        first, last = (begin, end) if by_outer else (begin * 64, min(end * 64, inner))
        moved = first * (middle * inner if by_outer else 1) * item
        written = first * (inner if by_outer else 1) * ITEM_BYTES[value.dtype]
        arguments: dict[str, Address | int] = {
            **{"in0": stored.address + moved, "out0": target.address + written},
            **{"outer": last - first if by_outer else outer, "middle": middle},
            **{"inner": inner if by_outer else last - first},
            **{"stride_in0_0": middle * inner * item, "stride_in0_1": inner * item},
            "stride_out0": inner * ITEM_BYTES[value.dtype],
        }
        flops = float((last - first) * middle * (inner if by_outer else outer))
        calls.append([memory.call(spec, arguments, flops)])
    return calls
