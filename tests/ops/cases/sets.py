"""Rows of sets and of edit distances."""

from __future__ import annotations

import numpy as np

from featherflow.ops.edit_distance_ops import EditDistance
from featherflow.ops.set_ops import (
    DenseToDenseSetOperation,
    DenseToSparseSetOperation,
    SetSize,
    SparseToSparseSetOperation,
)

from ..op_case import COMPLEX, FLOATS, INTEGERS, OpCase
from .strings import of_bytes

SET_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16")
WORDS = (of_bytes([b"b", b"a", b"b", b"c"], (2, 2)), of_bytes([b"c", b"c", b"c", b"a"], (2, 2)))


def numbers(*rows, dtype="int64"):
    return np.array(rows, dtype)


def given(rows, values, shape):
    """(indices, values, shape) of a sparse tensor; values are cast to the dtype of the row."""
    return np.array(rows, np.int64).reshape(-1, len(shape)), values, np.array(shape, np.int64)


LEFT = given([[0, 0], [0, 1], [1, 0]], [3, 1, 7], [2, 2])
RIGHT = given([[0, 0], [1, 0], [1, 3]], [3, 7, 8], [2, 4])


def rows_of(op, arguments, reference, types, **options):
    """One row for each dtype, since given arrays have one."""
    for dtype in types:
        arrays = tuple(
            np.array(item, dtype) if isinstance(item, list) else item for item in arguments
        )
        label = "-".join(filter(None, (dtype, options.get("label", ""))))
        yield OpCase(
            op,
            arrays,
            reference,
            (dtype,),
            differentiable=False,
            **{**options, "label": label},
        )


def result(rows, values, shape):
    """A reference that gives a sparse tensor."""
    return lambda *_: (*given(rows, values, shape)[:1], np.array(values), np.array(shape))


CASES = [
    *rows_of(
        DenseToDenseSetOperation,
        ([[3, 1, 1], [2, 2, 5]], [[1, 9], [5, 2]]),
        result([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]], [1, 3, 9, 2, 5], [2, 3]),
        SET_TYPES,
        attrs={"set_operation": "union"},
    ),
    *rows_of(
        DenseToDenseSetOperation,
        ([[3, 1, 1], [2, 2, 5]], [[1, 9], [5, 2]]),
        result([[0, 0]], [3], [2, 1]),
        ("int64",),
        attrs={"set_operation": "a-b"},
        label="difference",
    ),
    OpCase(
        DenseToDenseSetOperation,
        WORDS,
        lambda *_: (
            np.array([[1, 0]]),
            of_bytes([b"c"]),
            np.array([2, 1]),
        ),
        ("string",),
        attrs={"set_operation": "intersection"},
        differentiable=False,
        label="strings",
    ),
    *rows_of(
        DenseToSparseSetOperation,
        ([[3, 1, 1], [2, 2, 5]], *RIGHT),
        result([[1, 0], [1, 1]], [7, 8], [2, 2]),
        SET_TYPES,
        attrs={"set_operation": "b-a"},
    ),
    *rows_of(
        SparseToSparseSetOperation,
        (*LEFT, *RIGHT),
        result([[0, 0], [1, 0]], [3, 7], [2, 1]),
        SET_TYPES,
        attrs={"set_operation": "intersection"},
    ),
    *rows_of(
        SparseToSparseSetOperation,
        (*given([], [], [2, 2]), *RIGHT),
        result([[0, 0], [1, 0], [1, 1]], [3, 7, 8], [2, 2]),
        ("int32",),
        attrs={"set_operation": "union", "validate_indices": False},
        label="nothing",
    ),
    *rows_of(SetSize, LEFT, lambda *_: np.array([2, 1]), SET_TYPES),
    *rows_of(
        SetSize,
        given([[0, 0], [0, 1]], [4, 4], [3, 2]),
        lambda *_: np.array([1, 0, 0]),
        ("int64",),
        label="equal",
    ),
    *rows_of(
        EditDistance,
        (
            *given([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]),
            *given([[0, 0], [0, 1], [0, 2], [1, 0]], [1, 3, 2, 4], [3, 3]),
        ),
        lambda *_: np.array([1, 1, 0]),
        (*INTEGERS, *FLOATS, *COMPLEX),
        attrs={"normalize": False},
    ),
    *rows_of(
        EditDistance,
        (*given([[0, 0]], [1], [3, 1]), *given([[1, 0], [1, 1]], [1, 0], [3, 2])),
        lambda *_: np.array([np.inf, 1, 0]),
        ("bool",),
        label="normalized",
    ),
]
