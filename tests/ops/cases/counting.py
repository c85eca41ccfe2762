"""Rows of counts and histograms."""

from __future__ import annotations

import numpy as np

from featherflow.ops.counting_ops import (
    Bincount,
    Bucketize,
    DenseBincount,
    HistogramFixedWidth,
)

from ..op_case import Input, OpCase

COUNTED = ("float32", "float64", "int32", "int64")
NUMBERS = np.array([[1, 2, 2], [0, 9, 3]], np.int32)
SIZE, RANGE = np.array(4, np.int32), np.array([-1.0, 1.0])


def counted(values, size, weights):
    flat = values.ravel()
    is_in = flat < size
    weights = weights.ravel()[is_in] if weights.size else None
    return np.bincount(flat[is_in], weights, minlength=size)


def counted_rows(values, size, weights, present=False):
    none = np.empty(0)
    rows = [counted(v, size, w) for v, w in zip(values, weights if weights.size else [none] * 2)]
    return np.minimum(np.stack(rows), 1) if present else np.stack(rows)


CASES = [
    OpCase(Bincount, (NUMBERS, SIZE, Input(2, 3)), counted, COUNTED, empty_shapes=()),
    OpCase(
        Bincount,
        (NUMBERS, SIZE, Input(0)),
        counted,
        COUNTED,
        empty_shapes=(),
        label="no_weights",
    ),
    OpCase(DenseBincount, (NUMBERS, SIZE, Input(2, 3)), counted_rows, COUNTED, empty_shapes=()),
    OpCase(
        DenseBincount,
        (NUMBERS, SIZE, Input(0)),
        lambda *arguments: counted_rows(*arguments, present=True),
        COUNTED,
        attrs={"binary_output": True},
        empty_shapes=(),
        label="binary",
    ),
    OpCase(
        DenseBincount,
        (NUMBERS[0].astype(np.int64), np.array(9), Input(3)),
        counted,
        COUNTED,
        empty_shapes=(),
        label="vector",
    ),
    OpCase(
        HistogramFixedWidth,
        (Input(3, 9), RANGE, np.array(7, np.int32)),
        lambda values, ends, nbins: np.histogram(values.clip(*ends), nbins, ends)[0],
        ("float64",),
        attrs={"dtype": "int64"},
        empty_shapes=((0,),),
    ),
    OpCase(
        HistogramFixedWidth,
        (np.arange(11, dtype=np.int32), np.array([0, 10], np.int32), np.array(3, np.int32)),
        lambda values, ends, nbins: np.array([4, 3, 4]),
        ("int32",),
        empty_shapes=(),
        label="integers",
    ),
    OpCase(
        Bucketize,
        (Input(3, 4),),
        lambda x: np.digitize(x, [-1.0, 0.0, 0.0, 1.5]),
        COUNTED,
        attrs={"boundaries": [-1.0, 0.0, 0.0, 1.5]},
    ),
]
