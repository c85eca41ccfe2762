"""Einstein's summation: products of tensors by labels, done as matrix products.

An equation "ij,jk->ik" labels the dimensions of each operand and of the output. Labels that the
output lacks are summed over; a label twice in one operand takes its diagonal. "..." stands for any
dimensions, which broadcast. Without "->" the output has the labels that occur once, in order.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.precision import compute_dtype

ELLIPSIS = "..."
_TERM = r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*"
_EQUATION = re.compile(rf"({_TERM}(?:,{_TERM})*)(?:->({_TERM}))?")
#: Labels of the dimensions behind an ellipsis: private characters, the last dimension first.
_FIRST_PRIVATE = 0xE000


class Subscripts(NamedTuple):
    """The labels of an equation; each may hold one "..."."""

    operands: tuple[str, ...]
    output: str

    @property
    def equation(self) -> str:
        return f"{','.join(self.operands)}->{self.output}"


def parse_equation(equation: str) -> Subscripts:
    """The labels of `equation`, spaces dropped and a missing output written out.

    Raises:
      ValueError: it is not of the form, or its output has a label of its own.
    """
    match = _EQUATION.fullmatch(equation.replace(" ", ""))
    if match is None:
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    operands = tuple(match[1].split(","))
    labels = "".join(operands).replace(".", "")
    output = match[2]
    if output is None:
        once = sorted(label for label in set(labels) if labels.count(label) == 1)
        output = (ELLIPSIS if ELLIPSIS in match[1] else "") + "".join(once)
    for label in output.replace(".", ""):
        if label not in labels:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
    return Subscripts(operands, output)


def expand_ellipsis(subscripts: str, rank: int) -> str:
    """`subscripts` of an operand of `rank` dimensions, with private labels for its "...".

    Raises:
      ValueError: the operand has another number of dimensions than labels.
    """
    hidden = rank - len(subscripts.replace(ELLIPSIS, ""))
    if hidden < 0 or (hidden and ELLIPSIS not in subscripts):
        labels = len(subscripts.replace(ELLIPSIS, ""))
        raise ValueError(f"Operand of rank {rank} for {labels} labels in '{subscripts}'")
    return subscripts.replace(ELLIPSIS, private_labels(hidden))


def private_labels(count: int) -> str:
    """Labels for `count` dimensions behind an ellipsis; they are aligned at the right."""
    return "".join(chr(_FIRST_PRIVATE + place) for place in reversed(range(count)))


def is_private(label: str) -> bool:
    """Whether a label stands for a dimension behind an ellipsis."""
    return ord(label) >= _FIRST_PRIVATE


# --- arithmetic -----------------------------------------------------------------------------------


def einsum(operands: tuple[np.ndarray, ...], equation: str) -> np.ndarray:
    """The sum that `equation` describes, operand by operand from the left.

    Raises:
      InvalidArgumentError: ranks or sizes do not fit the equation.
    """
    subscripts = parse_equation(equation)
    try:
        labels = [expand_ellipsis(*pair) for pair in _pairs(subscripts.operands, operands)]
    except ValueError as error:
        raise InvalidArgumentError(None, None, str(error), received=_shapes(operands)) from None
    hidden = max((sum(map(is_private, item)) for item in labels), default=0)
    output = subscripts.output.replace(ELLIPSIS, private_labels(hidden))
    dtype = operands[0].dtype
    result, known = operands[0].astype(compute_dtype(dtype), copy=False), labels[0]
    for place in range(1, len(operands)):
        needed = output + "".join(labels[place + 1 :])
        other = operands[place].astype(result.dtype, copy=False)
        result, known = _contract(result, known, other, labels[place], needed)
    return np.array(_arrange(result, known, output).astype(dtype, copy=False), order="C")


def _pairs(subscripts: tuple[str, ...], operands: tuple[np.ndarray, ...]) -> list[tuple[str, int]]:
    if len(subscripts) != len(operands):
        raise ValueError(f"{len(operands)} operands for {len(subscripts)} sets of labels")
    return [(item, operand.ndim) for item, operand in zip(subscripts, operands)]


def _shapes(operands: tuple[np.ndarray, ...]) -> str:
    return "shapes " + ", ".join(str(list(operand.shape)) for operand in operands)


def _contract(
    x: np.ndarray, x_labels: str, y: np.ndarray, y_labels: str, needed: str
) -> tuple[np.ndarray, str]:
    """x · y summed over the labels that are not `needed`, and the labels of the result."""
    x, x_labels = _reduce(x, x_labels, y_labels + needed)
    y, y_labels = _reduce(y, y_labels, x_labels + needed)
    shared = [label for label in x_labels if label in y_labels]
    batch = "".join(label for label in shared if label in needed)
    summed = "".join(label for label in shared if label not in needed)
    rows = "".join(label for label in x_labels if label not in shared)
    columns = "".join(label for label in y_labels if label not in shared)
    x, y = _with_equal_sizes(x, x_labels, y, y_labels, summed)
    x = _arrange(x, x_labels, batch + rows + summed)
    y = _arrange(y, y_labels, batch + summed + columns)
    # Batch sizes of 1 are left to matmul, which broadcasts them.
    depth, width = len(batch), len(summed)
    x_batch, x_rows, inner = (
        x.shape[:depth],
        x.shape[depth : x.ndim - width],
        x.shape[x.ndim - width :],
    )
    y_batch, y_columns = y.shape[:depth], y.shape[depth + width :]
    product = np.matmul(
        x.reshape(*x_batch, math.prod(x_rows), math.prod(inner)),
        y.reshape(*y_batch, math.prod(inner), math.prod(y_columns)),
    )
    return product.reshape((*product.shape[:depth], *x_rows, *y_columns)), batch + rows + columns


def _with_equal_sizes(
    x: np.ndarray, x_labels: str, y: np.ndarray, y_labels: str, summed: str
) -> tuple[np.ndarray, np.ndarray]:
    """Checks the sizes of shared labels; repeats sizes of 1 that are summed over."""
    x_shape, y_shape = list(x.shape), list(y.shape)
    for place, label in enumerate(x_labels):
        if label not in y_labels:
            continue
        other = y_labels.index(label)
        sizes = {x_shape[place], y_shape[other]}
        if len(sizes) > 1 and not (is_private(label) and 1 in sizes):
            raise InvalidArgumentError(
                None,
                None,
                f"Expected dimension {x_shape[place]} of label '{label}', got {y_shape[other]}",
                received=_shapes((x, y)),
            )
        if label in summed and len(sizes) > 1:
            x_shape[place] = y_shape[other] = max(sizes - {1})
    return np.broadcast_to(x, x_shape), np.broadcast_to(y, y_shape)


def _reduce(x: np.ndarray, labels: str, needed: str) -> tuple[np.ndarray, str]:
    """x with diagonals taken and summed over the labels that are not `needed`."""
    unique = "".join(dict.fromkeys(labels))
    if unique != labels:
        x = _diagonal(x, labels, unique)
    axes = tuple(place for place, label in enumerate(unique) if label not in needed)
    if axes:
        x = np.add.reduce(x, axis=axes, dtype=x.dtype, out=...)
    return x, "".join(label for label in unique if label in needed)


def _diagonal(x: np.ndarray, labels: str, unique: str) -> np.ndarray:
    """A view of the elements whose indices agree where labels do."""
    for label in unique:
        sizes = {size for size, other in zip(x.shape, labels) if other == label}
        if len(sizes) > 1:
            raise InvalidArgumentError(
                None,
                None,
                f"Label '{label}' stands for dimensions of several sizes",
                received=_shapes((x,)),
            )
    numbers = {label: number for number, label in enumerate(unique)}
    return np.einsum(x, [numbers[label] for label in labels], list(numbers.values()))


def _arrange(x: np.ndarray, labels: str, output: str) -> np.ndarray:
    """x, whose labels are unique, with its dimensions in the order of `output`.

    A label twice in the output puts x on a diagonal of zeros.
    """
    x, labels = _reduce(x, labels, output)
    unique = "".join(dict.fromkeys(output))
    x = x.transpose([labels.index(label) for label in unique])
    if unique == output:
        return x
    result = np.zeros([x.shape[unique.index(label)] for label in output], x.dtype)
    _diagonal(result, output, unique)[...] = x
    return result
