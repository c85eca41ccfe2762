"""Rows of casts, and of complex numbers and their parts."""

from __future__ import annotations

import numpy as np

from featherflow.framework.dtypes import as_dtype
from featherflow.ops.cast_ops import Bitcast, Cast
from featherflow.ops.complex_ops import Complex, Conj, Imag, Real
from featherflow.ops.magnitude_ops import Angle, ComplexAbs

from ..op_case import COMPLEX, NUMBERS, WIDE_FLOATS, Input, OpCase

VALUES = Input(2, 3, low=0.1, high=9)


def cast_row(target, sources=NUMBERS, **options):
    def reference(x):
        real = x.real if x.dtype.kind == "c" and not target.startswith("complex") else x
        return real.astype(as_dtype(target).numpy_dtype)

    return OpCase(
        Cast, (VALUES,), reference, sources, attrs={"DstT": target}, label=target, **options
    )


def real_type(dtype):
    return {"Tout": dtype.real_dtype}


def complex_type(dtype):
    return {"Tout": "complex128" if dtype.name == "float64" else "complex64"}


CASES = [
    *(cast_row(target) for target in ("float64", "complex128", "int64", "uint8")),
    cast_row("float32", differentiable=False),  # too coarse for finite differences
    cast_row("float16", WIDE_FLOATS, differentiable=False),
    cast_row("bfloat16", WIDE_FLOATS, differentiable=False),
    cast_row("bool", ("float32", "int32", "uint8")),
    OpCase(
        Cast,
        (np.array([1.00390625, -1.99999, np.inf, 3.0], np.float32),),
        lambda x: np.array([1.0, -1.9921875, np.inf, 3.0]),
        ("float32",),
        attrs={"DstT": "bfloat16", "Truncate": True},
        empty_shapes=(),
        label="truncated",
    ),
    OpCase(
        Bitcast,
        (Input(2, 3),),
        lambda x: x.astype(np.float32).view(np.int32),
        ("float32",),
        attrs={"type": "int32"},
    ),
    OpCase(
        Bitcast,
        (Input(2, low=-99, high=99),),
        lambda x: x.view(np.int8).reshape(2, 4),
        ("int32",),
        attrs={"type": "int8"},
        empty_shapes=(),
        label="narrower",
    ),
    OpCase(
        Bitcast,
        (Input(3, 8, low=-99, high=99),),
        lambda x: x.view(np.int64).reshape(3),
        ("int8",),
        attrs={"type": "int64"},
        empty_shapes=(),
        label="wider",
    ),
    OpCase(Conj, (Input(2, 3),), np.conj, COMPLEX),
    OpCase(Real, (Input(2, 3),), np.real, COMPLEX, attrs_of=real_type),
    OpCase(Imag, (Input(2, 3),), np.imag, COMPLEX, attrs_of=real_type),
    OpCase(Angle, (Input(2, 3),), np.angle, COMPLEX, attrs_of=real_type),
    OpCase(ComplexAbs, (Input(2, 3),), np.abs, COMPLEX, attrs_of=real_type, twice=False),
    OpCase(
        Complex,
        (Input(2, 3), Input(3)),
        lambda re, im: re + 1j * im,
        WIDE_FLOATS,
        attrs_of=complex_type,
    ),
]
