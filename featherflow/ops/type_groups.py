"""The groups of dtypes that the math families are made for, and how contracts write them."""

from __future__ import annotations

from collections.abc import Iterable

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType

Types = tuple[DType, ...]

HALVES: Types = (dtypes.bfloat16, dtypes.float16)
WIDE_FLOATS: Types = (dtypes.float32, dtypes.float64)
FLOATS: Types = HALVES + WIDE_FLOATS
COMPLEX: Types = (dtypes.complex64, dtypes.complex128)
SIGNED: Types = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
UNSIGNED: Types = (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
INTEGERS: Types = SIGNED + UNSIGNED
REAL: Types = FLOATS + INTEGERS
NUMBERS: Types = REAL + COMPLEX


def one_of(types: Iterable[DType]) -> str:
    """The constraint "{float32, int32}" of an attr that may be any of `types`."""
    return "{" + ", ".join(dtype.name for dtype in types) + "}"
