"""Rows of reductions, arg-extrema and running sums."""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.ops.arg_extremum_ops import ArgMax, ArgMin
from featherflow.ops.cumulative_ops import Cumprod, Cumsum, CumulativeLogsumexp
from featherflow.ops.reduction_ops import All, Any_, EuclideanNorm, Max, Mean, Min, Prod
from featherflow.ops.sum_ops import BroadcastTo, Sum

from ..op_case import COMPLEX, FLOATS, INTEGERS, NUMBERS, REAL, WIDE_FLOATS, Input, OpCase

CUBE = Input(2, 3, 4)
SMALL_CUBE = Input(2, 3, 2, low=0.5, high=2)
DISTINCT = Input(2, 3, 4, low=-30, high=30, distinct=True)
FLAGS = Input(3, 4, dtype="bool")


def axes(*values):
    return np.array(values, np.int32)


def over(function, *reduced, keepdims=False):
    """The reference that reduces over fixed axes, in the dtype of its input."""

    def reference(x, _):
        return function(x, axis=tuple(reduced), keepdims=keepdims).astype(x.dtype)

    return reference


def truncated_mean(x, axis, keepdims):
    total = np.sum(x, axis=axis, keepdims=keepdims, dtype=np.int64)
    count = x.size // max(total.size, 1)
    return np.trunc(total / count)


def norm(x, axis, keepdims):
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=keepdims))


def running(function, x, axis, exclusive, reverse, first):
    """By the definition: a slice of the input for each element of the output."""
    x = np.moveaxis(x, axis, 0)
    result = np.empty_like(x)
    for i in range(len(x)):
        part = x[i + exclusive :] if reverse else x[: i + 1 - exclusive]
        result[i] = function(part, axis=0) if len(part) else first
    return np.moveaxis(result, 0, axis)


def scan_rows(op, function, argument, kinds, first=0):
    flags = [(False, False), (True, False), (False, True), (True, True)]
    return [
        OpCase(
            op,
            (argument, np.array(axis, np.int32)),
            lambda x, _, e=exclusive, r=reverse, a=axis: running(function, x, a, e, r, first),
            kinds if not exclusive else WIDE_FLOATS,
            {"exclusive": exclusive, "reverse": reverse},
            # Sums of infinite results have no finite differences.
            differentiable=not (exclusive and np.isinf(first)),
            label=f"exclusive{int(exclusive)}_reverse{int(reverse)}_axis{axis}",
        )
        for exclusive, reverse in flags
        for axis in (1, -1)
    ]


def logsumexp(x, axis):
    return np.log(np.sum(np.exp(x), axis=axis))


SHARED_MAXIMUM = np.array([[3.0, 1.0, 3.0], [2.0, 2.0, 2.0]])

CASES = [
    OpCase(Sum, (CUBE, axes(0, 2)), over(np.sum, 0, 2), NUMBERS),
    OpCase(Sum, (CUBE, axes(1)), over(np.sum, 1), label="middle"),
    OpCase(Sum, (CUBE, axes(-1)), over(np.sum, 2), label="negative"),
    OpCase(Sum, (CUBE, axes()), lambda x, _: x, label="no_axes"),
    OpCase(Sum, (CUBE, axes(0, 1, 2)), over(np.sum, 0, 1, 2), label="all"),
    OpCase(Sum, (CUBE, np.array(1, np.int32)), over(np.sum, 1), label="scalar_axis"),
    OpCase(Sum, (CUBE, np.array([1], np.int64)), over(np.sum, 1), label="int64_axes"),
    OpCase(Sum, (Input(), axes()), lambda x, _: x, label="scalar"),
    OpCase(
        Sum,
        (CUBE, axes(0, -1)),
        over(np.sum, 0, 2, keepdims=True),
        attrs={"keep_dims": True},
        label="kept",
    ),
    OpCase(
        BroadcastTo,
        (Input(2, 1, 3), np.array([4, 2, 5, 3], np.int32)),
        lambda x, shape: np.broadcast_to(x, shape),
        (*REAL, *COMPLEX, "bool"),
        empty_shapes=(),
    ),
    OpCase(
        BroadcastTo,
        (Input(1, 0), np.array([3, 2, 0], np.int32)),
        lambda x, shape: np.broadcast_to(x, shape),
        empty_shapes=(),
        label="empty",
    ),
    OpCase(Mean, (CUBE, axes(0, 2)), over(np.mean, 0, 2), FLOATS + COMPLEX),
    OpCase(Mean, (CUBE, axes(0, 2)), over(truncated_mean, 0, 2), INTEGERS, label="integers"),
    OpCase(
        Mean,
        (CUBE, axes(1)),
        over(np.mean, 1, keepdims=True),
        attrs={"keep_dims": True},
        label="kept",
    ),
    OpCase(Prod, (SMALL_CUBE, axes(0, 2)), over(np.prod, 0, 2), NUMBERS),
    OpCase(Prod, (SMALL_CUBE, axes(1)), over(np.prod, 1), label="middle"),
    OpCase(
        Prod,
        (np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0]]), axes(1)),
        lambda x, _: x.prod(1),
        ("float64",),
        twice=False,  # Cumprod's derivative leaves zeros out, as in TensorFlow
        empty_shapes=(),
        label="zeros",
    ),
    OpCase(Max, (DISTINCT, axes(0, 2)), over(np.max, 0, 2), REAL, empty_shapes=()),
    OpCase(Min, (DISTINCT, axes(1)), over(np.min, 1), REAL, empty_shapes=()),
    OpCase(
        Max,
        (DISTINCT, axes(2)),
        over(np.max, 2, keepdims=True),
        attrs={"keep_dims": True},
        empty_shapes=((0, 3, 4),),
        label="kept",
    ),
    OpCase(
        Max,
        (Input(2, 0), axes(1)),
        lambda x, _: np.full(2, -np.inf),
        differentiable=False,
        empty_shapes=(),
        label="of_nothing",
    ),
    OpCase(Any_, (FLAGS, axes(1)), lambda x, _: x.any(1), ("bool",)),
    OpCase(All, (FLAGS, axes(0)), lambda x, _: x.all(0), ("bool",)),
    OpCase(EuclideanNorm, (CUBE, axes(0, 2)), over(norm, 0, 2), FLOATS + COMPLEX),
    OpCase(
        EuclideanNorm,
        (Input(2, 3, low=1, high=9), axes(1)),
        over(norm, 1),
        ("int32", "int64"),
        label="integers",
    ),
    OpCase(ArgMax, (DISTINCT, np.array(1, np.int32)), lambda x, _: x.argmax(1), REAL),
    OpCase(
        ArgMax,
        (SHARED_MAXIMUM, np.array(-1, np.int32)),
        lambda x, _: np.array([0, 0]),
        attrs={"output_type": dtypes.int32},
        empty_shapes=(),
        label="first",
    ),
    OpCase(
        ArgMin, (DISTINCT, np.array(0, np.int32)), lambda x, _: x.argmin(0), REAL, empty_shapes=()
    ),
    *scan_rows(Cumsum, np.sum, CUBE, NUMBERS),
    *scan_rows(Cumprod, np.prod, SMALL_CUBE, FLOATS + COMPLEX, first=1),
    *scan_rows(CumulativeLogsumexp, logsumexp, CUBE, FLOATS, first=-np.inf),
]
