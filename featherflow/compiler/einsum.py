"""Einsum of two operands as a matrix product of views.

    "btnh,bsnh->bnts":   batch b n,   rows t,   columns s,   contracted h

Transposes are views, and a product reads and writes views whose last axis is contiguous, so what
attention does with its heads moves no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from featherflow.compiler.lowered import CannotCompile, Lowered
from featherflow.kernels.einsum import ELLIPSIS, parse_equation

if TYPE_CHECKING:
    from featherflow.compiler.lowering import Lowering


def lower_einsum(c: Lowering, equation: str, operands: Sequence[Lowered]) -> Lowered:
    """Σ over labels, for two operands whose labels are all different.

    Raises:
      CannotCompile: it is another kind of einsum.
    """
    try:
        subscripts = parse_equation(equation)
    except ValueError as error:
        raise CannotCompile(str(error)) from None
    output = subscripts.output
    plain = all(len(set(labels)) == len(labels) for labels in (*subscripts.operands, output))
    c.require(len(operands) == 2 and ELLIPSIS not in equation and plain, "no product of two")
    left, right = operands
    left_labels, right_labels = subscripts.operands
    sizes = _sizes(c, (left_labels, right_labels), (left, right))
    batch = [x for x in output if x in left_labels and x in right_labels]
    rows = [x for x in output if x in left_labels and x not in right_labels]
    columns = [x for x in output if x in right_labels and x not in left_labels]
    inner = [x for x in right_labels if x in left_labels and x not in output]
    c.require(
        {*left_labels} == {*batch, *rows, *inner} and {*right_labels} == {*batch, *columns, *inner},
        "labels that one operand alone sums",
    )
    first = _arranged(c, left, left_labels, batch, rows, inner, sizes)
    transpose = right_labels[-1:] in inner and bool(columns)
    groups = (columns, inner) if transpose else (inner, columns)
    second = _arranged(c, right, right_labels, batch, *groups, sizes)
    product = c.matmul(first, second, False, transpose)
    order = [*batch, *rows, *columns]
    whole = c.reshape(product, [sizes[label] for label in order])
    return c.transpose(whole, [order.index(label) for label in output])


def _sizes(c: Lowering, labels: Sequence[str], operands: Sequence[Lowered]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for names, operand in zip(labels, operands):
        c.require(len(names) == operand.rank, "another rank")
        for name, size in zip(names, operand.shape):
            c.require(sizes.setdefault(name, size) == size, "sizes that differ")
    return sizes


def _arranged(
    c: Lowering,
    value: Lowered,
    labels: str,
    batch: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    sizes: dict[str, int],
) -> Lowered:
    """An operand as [batch…, rows, columns]."""
    order = [labels.index(label) for label in (*batch, *rows, *columns)]
    matrix = (prod(sizes[label] for label in rows), prod(sizes[label] for label in columns))
    arranged = c.transpose(value, order)
    return c.reshape(arranged, (*(sizes[label] for label in batch), *matrix))
