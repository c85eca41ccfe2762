"""Rows of ops on SparseTensors, against the dense tensors that they stand for."""

from __future__ import annotations

import numpy as np

from featherflow.ops.segment_v2_ops import SegmentMaxV2, SegmentMinV2, SegmentProdV2, SegmentSumV2
from featherflow.ops.sparse_add_ops import SparseAdd, SparseAddGrad, SparseTensorDenseAdd
from featherflow.ops.sparse_elementwise_ops import (
    SparseDenseCwiseAdd,
    SparseDenseCwiseDiv,
    SparseDenseCwiseMul,
    SparseSparseMaximum,
    SparseSparseMinimum,
)
from featherflow.ops.sparse_matmul_ops import SparseTensorDenseMatMul
from featherflow.ops.sparse_order_ops import SparseReorder, SparseReshape
from featherflow.ops.sparse_reduction_ops import (
    SparseReduceMax,
    SparseReduceMaxSparse,
    SparseReduceSum,
    SparseReduceSumSparse,
    SparseSoftmax,
)
from featherflow.ops.sparse_row_ops import (
    RaggedFillEmptyRows,
    RaggedFillEmptyRowsGrad,
    SparseFillEmptyRows,
    SparseFillEmptyRowsGrad,
)
from featherflow.ops.sparse_segment_grad_ops import (
    SparseSegmentMeanGradV2,
    SparseSegmentSqrtNGradV2,
    SparseSegmentSumGradV2,
)
from featherflow.ops.sparse_slice_ops import (
    SparseConcat,
    SparseSlice,
    SparseSliceGrad,
    SparseSplit,
)

from ..op_case import COMPLEX, FLOATS, NUMBERS, REAL, SIGNED, WIDE_FLOATS, Input, OpCase

A = np.array([[0, 1], [1, 0], [1, 3], [2, 2]])
B = np.array([[0, 0], [0, 1], [1, 3]])
UNSORTED = A[[3, 0, 2, 1]]
SHAPE = np.array([3, 4])
ADDED = WIDE_FLOATS + SIGNED + COMPLEX


def dense(indices, values, shape):
    result = np.zeros(tuple(shape), values.dtype)
    result[tuple(indices.T)] = values
    return result


def where(mask, values):
    """The parts of a SparseTensor: the elements of `values` where `mask` is true."""
    return np.argwhere(mask), values[mask]


def union(a, b):
    return dense(a, np.ones(len(a)), SHAPE) + dense(b, np.ones(len(b)), SHAPE) > 0


def reordered(indices, values, shape):
    order = np.lexsort(indices.T[::-1])
    return indices[order], values[order]


def filled(indices, values, shape, default):
    rows = [np.flatnonzero(indices[:, 0] == row) for row in range(shape[0])]
    found, elements, places = [], [], np.zeros(len(values), np.int64)
    for row, those in enumerate(rows):
        for place in those:
            places[place] = len(found)
            found.append(indices[place])
            elements.append(values[place])
        if not len(those):
            found.append([row] + [0] * (len(shape) - 1))
            elements.append(default)
    is_empty = np.array([not len(those) for those in rows])
    return np.array(found), np.array(elements), is_empty, places


def fill_grad(places, grad):
    return grad[places], np.delete(grad, places).sum()


def ragged_filled(rows, values, count, default):
    indices, elements, is_empty, places = filled(rows[:, None], values, [int(count)], default)
    return indices[:, 0], elements, is_empty, places


def add(a, x, shape, b, y, other_shape, threshold):
    total = dense(a, x, shape) + dense(b, y, shape)
    return *where(union(a, b), total), shape


def reshaped(indices, shape, new_shape):
    flat = np.ravel_multi_index(indices.T, shape)
    return np.stack(np.unravel_index(flat, (2, 6)), 1), np.array([2, 6])


def sliced(indices, values, shape, start, size):
    block = dense(indices, np.ones(len(values)), shape)[1:3, 1:4]
    return *where(block > 0, dense(indices, values, shape)[1:3, 1:4]), np.array([2, 3])


def split(axis, indices, values, shape):
    halves = [dense(indices, values, shape)[:, :2], dense(indices, values, shape)[:, 2:]]
    there = [
        dense(indices, np.ones(len(values)), shape)[:, part] for part in (slice(2), slice(2, 4))
    ]
    parts = [where(mask > 0, half) for mask, half in zip(there, halves)]
    return (*(p[0] for p in parts), *(p[1] for p in parts), [3, 2], [3, 2])


def concat(a, b, x, y, shape, other_shape):
    there = np.concatenate([dense(a, np.ones(4), SHAPE), dense(b, np.ones(3), SHAPE)], 1) > 0
    values = np.concatenate([dense(a, x, SHAPE), dense(b, y, SHAPE)], 1)
    return *where(there, values), np.array([3, 8])


def reduced_max(indices, values, shape, axes):
    full = np.full(tuple(shape), -1e30 if values.dtype.kind == "f" else np.iinfo(values.dtype).min)
    full = full.astype(values.dtype)
    full[tuple(indices.T)] = values
    return full.max(1)


def softmax(indices, values, shape):
    powers = dense(indices, np.exp(values), shape)
    return (powers / powers.sum(1, keepdims=True))[tuple(indices.T)]


def segment_grad(power):
    def reference(grad, indices, ids, size):
        counts = np.bincount(ids, minlength=len(grad))
        total = np.zeros((int(size), *grad.shape[1:]))
        for index, segment in zip(indices, ids):
            total[index] += grad[segment] / counts[segment] ** power
        return total[np.unique(indices)], np.unique(indices)

    return reference


def segments(combine):
    def reference(data, ids, count):
        return np.stack([combine.reduce(data[ids == segment]) for segment in range(count)])

    return reference


def _sparse(indices=A, count=4, shape=SHAPE, **options):
    return indices, Input(count, **options), shape


IDS, FIVE = np.array([0, 0, 1, 2], np.int32), np.array(5, np.int32)

CASES = [
    OpCase(SparseReorder, _sparse(UNSORTED), reordered, NUMBERS, empty_shapes=()),
    OpCase(
        SparseReshape,
        (A, SHAPE, np.array([2, 6])),
        reshaped,
        differentiable=False,
        dtypes=("int64",),
    ),
    OpCase(
        SparseFillEmptyRows,
        (np.array([[3, 0], [0, 1], [3, 1]]), Input(3), np.array([5, 6]), Input()),
        filled,
        NUMBERS,
        twice=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseFillEmptyRowsGrad,
        (np.array([0, 2]), Input(4)),
        fill_grad,
        NUMBERS,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        RaggedFillEmptyRows,
        (np.array([2, 0, 2]), Input(3), np.array(4), Input()),
        ragged_filled,
        NUMBERS,
        twice=False,
        empty_shapes=(),
    ),
    OpCase(
        RaggedFillEmptyRowsGrad,
        (np.array([0, 2]), Input(4)),
        fill_grad,
        NUMBERS,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseSlice,
        (*_sparse(), np.array([1, 1]), np.array([2, 9])),
        sliced,
        NUMBERS,
        twice=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseSliceGrad,
        (Input(2), A, np.array([1, 1]), np.array([[0, 2], [1, 1]])),
        lambda grad, indices, start, places: np.concatenate([[0, 0], grad]).astype(grad.dtype),
        NUMBERS,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseSplit,
        (np.array(1), *_sparse()),
        split,
        NUMBERS,
        {"num_split": 2},
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseConcat,
        ([A, B], [Input(4), Input(3)], [SHAPE, SHAPE]),
        concat,
        NUMBERS,
        {"concat_dim": 1},
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseAdd,
        (*_sparse(), *_sparse(B, 3), np.array(0.0, np.float32)),
        add,
        ADDED,
        twice=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseAddGrad,
        (Input(5), A, B, np.array([[0, 0], [0, 1], [1, 0], [1, 3], [2, 2]])),
        lambda grad, a, b, total: (grad[[1, 2, 3, 4]], grad[[0, 1, 3]]),
        ADDED,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseTensorDenseAdd,
        (*_sparse(), Input(3, 4)),
        lambda i, v, s, b: dense(i, v, s) + b,
        NUMBERS,
        empty_shapes=(),
    ),
    OpCase(
        SparseDenseCwiseAdd,
        (*_sparse(), Input(4)),
        lambda i, v, s, d: v + d[i[:, 1]],
        REAL,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseDenseCwiseMul,
        (*_sparse(), Input(3, 1)),
        lambda i, v, s, d: v * d[i[:, 0], 0],
        REAL,
        empty_shapes=(),
    ),
    OpCase(
        SparseDenseCwiseDiv,
        (*_sparse(), Input(4, low=1.0, high=3.0)),
        lambda i, v, s, d: (
            v / d[i[:, 1]] if v.dtype.kind == "f" else (v / d[i[:, 1]]).astype(v.dtype)
        ),
        REAL,
        empty_shapes=(),
    ),
    *(
        OpCase(
            op,
            (*_sparse(), *_sparse(B, 3)),
            lambda a, x, s, b, y, t, f=function: where(
                union(a, b), f(dense(a, x, s), dense(b, y, s))
            ),
            REAL,
            differentiable=False,
            empty_shapes=(),
        )
        for op, function in (
            (SparseSparseMaximum, np.maximum),
            (SparseSparseMinimum, np.minimum),
        )
    ),
    OpCase(
        SparseTensorDenseMatMul,
        (*_sparse(), Input(4, 2)),
        lambda i, v, s, b: dense(i, v, s) @ b,
        (*FLOATS, *COMPLEX, "int32"),
        empty_shapes=(),
    ),
    OpCase(
        SparseTensorDenseMatMul,
        (*_sparse(), Input(2, 3)),
        lambda i, v, s, b: dense(i, v, s).conj().T @ b.conj().T,
        (*FLOATS, *COMPLEX),
        {"adjoint_a": True, "adjoint_b": True},
        empty_shapes=(),
        label="adjoint",
    ),
    OpCase(
        SparseReduceSum,
        (*_sparse(), np.array([1], np.int32)),
        lambda i, v, s, axes: dense(i, v, s).sum(1),
        NUMBERS,
        empty_shapes=(),
    ),
    OpCase(
        SparseReduceSum,
        (*_sparse(UNSORTED), np.array([-2], np.int32)),
        lambda i, v, s, axes: dense(i, v, s).sum(0, keepdims=True),
        attrs={"keep_dims": True},
        empty_shapes=(),
        label="kept",
    ),
    OpCase(
        SparseReduceSumSparse,
        (*_sparse(), np.array([1], np.int32)),
        lambda i, v, s, axes: (np.array([[0], [1], [2]]), dense(i, v, s).sum(1), np.array([3])),
        NUMBERS,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseReduceMax,
        (*_sparse(), np.array([1], np.int32)),
        reduced_max,
        REAL,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseReduceMaxSparse,
        (*_sparse(), np.array([1], np.int32)),
        lambda *parts: (np.array([[0], [1], [2]]), reduced_max(*parts), np.array([3])),
        REAL,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        SparseSoftmax,
        _sparse(),
        softmax,
        ("float16", "float32", "float64"),
        empty_shapes=(),
    ),
    *(
        OpCase(
            op,
            (Input(3, 2), np.array([4, 0, 4, 2], np.int32), IDS, FIVE),
            segment_grad(power),
            FLOATS,
            differentiable=False,
            empty_shapes=(),
        )
        for op, power in (
            (SparseSegmentSumGradV2, 0),
            (SparseSegmentMeanGradV2, 1),
            (SparseSegmentSqrtNGradV2, 0.5),
        )
    ),
    *(
        OpCase(
            op,
            (Input(4, 2), IDS, np.array(3, np.int32)),
            segments(combine),
            types,
            differentiable=False,
            empty_shapes=(),
        )
        for op, combine, types in (
            (SegmentSumV2, np.add, NUMBERS),
            (SegmentProdV2, np.multiply, NUMBERS),
            (SegmentMinV2, np.minimum, REAL),
            (SegmentMaxV2, np.maximum, REAL),
        )
    ),
]
