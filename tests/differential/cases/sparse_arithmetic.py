"""Sums, products and reductions of SparseTensors."""

from __future__ import annotations

import numpy as np

from ..case import Case, case
from ..inputs import normal, sample

#: Dtypes that most ops on SparseTensors take.
MOVED = ("float32", "bfloat16", "int8", "uint64", "complex64", "bool", "string")
ADDED = ("float32", "float64", "int8", "int16", "int32", "int64", "complex64", "complex128")
REAL = ("float16", "bfloat16", "float32", "float64", "int8", "int32", "uint16", "uint64")

A_INDICES = [[0, 1], [1, 0], [1, 3], [2, 2]]
B_INDICES = [[0, 0], [0, 1], [1, 3]]
SHAPE = [3, 4]


def _a(tf, dtype="float32", values=None):
    given = sample(dtype, 4, seed=1) if values is None else values
    return tf.SparseTensor(A_INDICES, tf.constant(given, dtype), SHAPE)


def _b(tf, dtype="float32", values=None):
    given = sample(dtype, 3, seed=2) if values is None else values
    return tf.SparseTensor(B_INDICES, tf.constant(given, dtype), SHAPE)


def _unsorted(tf):
    return tf.SparseTensor([[2, 2], [0, 1], [1, 3], [1, 0]], [1.0, 2.0, 3.0, 4.0], SHAPE)


def _empty(tf, dtype="float32"):
    values = tf.zeros([0], dtype)
    return tf.SparseTensor(np.zeros((0, 2), np.int64), values, SHAPE)


def _parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _fed(tf, dtype="float32"):
    """A placeholder and what to feed it."""
    target = tf.sparse_placeholder(dtype)
    return target, {
        target.indices: np.array(A_INDICES),
        target.values: sample(dtype, 4, seed=1),
        target.dense_shape: np.array(SHAPE),
    }


# --- sums and products ----------------------------------------------------------------------------


@case
def add(tf):
    dense = tf.constant(normal(3, 4))
    one, two = _a(tf, values=[1.0, 2.0, 3.0, -4.0]), _b(tf, values=[0.5, -1.0, -2.9])
    return {
        "sparse": _parts(tf.sparse_add(one, two)),
        "threshold": _parts(tf.sparse_add(one, two, threshold=0.2)),
        "thresh": _parts(tf.sparse_add(one, two, thresh=1.0)),
        "negative": _parts(tf.sparse_add(one, two, -1.0)),
        "dense": tf.sparse_add(one, dense),
        "dense_first": tf.sparse_add(dense, one),
        "empty": _parts(tf.sparse.add(_empty(tf), two)),
        "both_empty": _parts(tf.sparse.add(_empty(tf), _empty(tf))),
        "unsorted": _parts(tf.sparse.add(_unsorted(tf), two)),
        "repeated": tf.sparse.add(tf.SparseTensor([[0, 1], [0, 1]], [1.0, 2.0], SHAPE), dense),
    }


@case
def add_dtypes(tf):
    return {dtype: _parts(tf.sparse.add(_a(tf, dtype), _b(tf, dtype))) for dtype in ADDED}


@case
def add_dense_dtypes(tf):
    dtypes = (*ADDED, "float16", "bfloat16", "uint8", "uint16", "uint32", "uint64")
    return {
        dtype: tf.sparse.add(_a(tf, dtype), tf.constant(sample(dtype, 3, 4), dtype))
        for dtype in dtypes
    }


@case
def add_gradients(tf):
    x, y = tf.constant(normal(4)), tf.constant(normal(3))
    dense = tf.constant(normal(3, 4))
    a, b = tf.SparseTensor(A_INDICES, x, SHAPE), tf.SparseTensor(B_INDICES, y, SHAPE)
    total = tf.sparse.add(a, b)
    mixed = tf.sparse.add(a, dense)
    return {
        "sparse": tf.gradients(total.values * [1.0, 2.0, 3.0, 4.0, 5.0], [x, y]),
        "dense": tf.gradients(mixed * normal(3, 4, seed=5), [x, dense]),
    }


@case
def products_with_tensors(tf):
    results = {}
    a = _a(tf)
    for name, shape in (("same", (3, 4)), ("row", (4,)), ("column", (3, 1)), ("scalar", ())):
        dense = tf.constant(np.abs(normal(*shape)) + 0.5)
        results[name] = [_parts(a * dense), _parts(a / dense)]
    results["number"] = _parts(a * 2.0)
    return results


@case
def cwise_dtypes(tf):
    results = {}
    for dtype in REAL:
        a = _a(tf, dtype)
        dense = tf.constant(np.abs(sample(dtype, 4, seed=3)) + 1, dtype)
        parts = {
            "sp_indices": a.indices,
            "sp_values": a.values,
            "sp_shape": a.dense_shape,
            "dense": dense,
        }
        results[dtype] = [
            tf.raw_ops.SparseDenseCwiseAdd(**parts),
            tf.raw_ops.SparseDenseCwiseMul(**parts),
            tf.raw_ops.SparseDenseCwiseDiv(**parts),
        ]
    return results


@case
def cwise_gradients(tf):
    results = {}
    for name, shape in (("same", (3, 4)), ("row", (4,)), ("column", (3, 1)), ("one", (1, 1))):
        x, dense = tf.constant(normal(4)), tf.constant(np.abs(normal(*shape)) + 0.5)
        a = tf.SparseTensor(A_INDICES, x, SHAPE)
        weights = tf.constant([1.0, -2.0, 3.0, 0.5])
        results[name] = [
            tf.gradients((a * dense).values, [x, dense], grad_ys=weights),
            tf.gradients((a / dense).values, [x, dense], grad_ys=weights),
        ]
    return results


@case
def extrema(tf):
    return {
        "maximum": _parts(tf.sparse_maximum(_a(tf), _b(tf))),
        "minimum": _parts(tf.sparse_minimum(_a(tf), _b(tf))),
        "empty": _parts(tf.sparse.maximum(_empty(tf), _b(tf))),
        "both_empty": _parts(tf.sparse.minimum(_empty(tf), _empty(tf))),
        "unsorted": _parts(tf.sparse.minimum(_unsorted(tf), _b(tf))),
    }


@case
def extrema_dtypes(tf):
    return {
        dtype: [
            _parts(tf.sparse.maximum(_a(tf, dtype), _b(tf, dtype))),
            _parts(tf.sparse.minimum(_a(tf, dtype), _b(tf, dtype))),
        ]
        for dtype in REAL
    }


@case
def matmul(tf):
    a = _a(tf)
    right, left = tf.constant(normal(4, 2)), tf.constant(normal(2, 3))
    return {
        "plain": tf.sparse_tensor_dense_matmul(a, right),
        "adjoint_a": tf.sparse_tensor_dense_matmul(a, tf.constant(normal(3, 2)), adjoint_a=True),
        "adjoint_b": tf.sparse_tensor_dense_matmul(a, tf.constant(normal(2, 4)), adjoint_b=True),
        "both": tf.sparse_tensor_dense_matmul(
            a, tf.constant(normal(2, 3)), adjoint_a=True, adjoint_b=True
        ),
        "dense_first": tf.sparse.sparse_dense_matmul(left, a),
        "dense_first_adjoint": tf.sparse.matmul(tf.constant(normal(4, 2)), a, True, True),
        "unsorted": tf.sparse.matmul(_unsorted(tf), right),
        "repeated": tf.sparse.matmul(tf.SparseTensor([[0, 1], [0, 1]], [1.0, 2.0], SHAPE), right),
        "empty": tf.sparse.matmul(_empty(tf), right),
        "no_columns": tf.sparse.matmul(a, tf.zeros([4, 0])),
    }


@case
def matmul_dtypes(tf):
    return {
        dtype: [
            tf.sparse.matmul(_a(tf, dtype), tf.constant(sample(dtype, 4, 2), dtype)),
            tf.sparse.matmul(
                _a(tf, dtype), tf.constant(sample(dtype, 2, 3), dtype), True, adjoint_b=True
            ),
        ]
        for dtype in (
            "float16",
            "bfloat16",
            "float32",
            "float64",
            "int32",
            "complex64",
            "complex128",
        )
    }


@case
def matmul_gradients(tf):
    results = {}
    for dtype in ("float32", "complex64"):
        for adjoint_a in (False, True):
            for adjoint_b in (False, True):
                values = tf.constant(sample(dtype, 4, seed=1), dtype)
                a = tf.SparseTensor(A_INDICES, values, SHAPE)
                inner = 3 if adjoint_a else 4
                shape = (2, inner) if adjoint_b else (inner, 2)
                b = tf.constant(sample(dtype, *shape, seed=2), dtype)
                y = tf.sparse.matmul(a, b, adjoint_a, adjoint_b)
                upstream = tf.constant(sample(dtype, 7 - inner, 2, seed=3), dtype)
                grads = tf.gradients(y, [values, b], grad_ys=upstream)
                results[f"{dtype} {adjoint_a} {adjoint_b}"] = grads
    return results


@case
def matmul_int32_indices(tf):
    return tf.raw_ops.SparseTensorDenseMatMul(
        a_indices=tf.constant(A_INDICES, tf.int32),
        a_values=tf.constant([1.0, 2.0, 3.0, 4.0]),
        a_shape=tf.constant(SHAPE, tf.int64),
        b=tf.constant(normal(4, 2)),
    )


# --- reductions -----------------------------------------------------------------------------------

_AXES = (None, 0, 1, [0], [1], [0, 1], [-1], [-2], [], [1, 1])


@case
def reduce_sum(tf):
    return {
        f"{axis} {keep}": tf.sparse_reduce_sum(_unsorted(tf), axis, keep)
        for axis in _AXES
        for keep in (False, True)
        if axis != []
    }


@case
def reduce_max(tf):
    return {
        f"{axis} {keep}": tf.sparse_reduce_max(_a(tf), axis, keep)
        for axis in _AXES
        for keep in (False, True)
        if axis != []
    }


@case
def reduce_sparse(tf):
    results = {}
    for axis in (None, 0, [1], [0, 1], [-1]):
        for keep in (False, True):
            results[f"{axis} {keep}"] = [
                _parts(tf.sparse_reduce_sum_sparse(_unsorted(tf), axis, keep)),
                _parts(tf.sparse_reduce_max_sparse(_a(tf), axis, keep)),
            ]
    return results


@case
def reduce_old_names_and_cube(tf):
    cube = tf.SparseTensor([[0, 1, 0], [0, 0, 1], [1, 1, 1]], [1.0, 2.0, -3.0], [2, 3, 4])
    return [
        tf.sparse_reduce_sum(cube, reduction_axes=[0, 2]),
        tf.sparse_reduce_sum(cube, reduction_axes=1, keep_dims=True),
        tf.sparse_reduce_max(cube, reduction_axes=[0, 2], keep_dims=True),
        _parts(tf.sparse_reduce_sum_sparse(cube, reduction_axes=[0, 2], keep_dims=True)),
        _parts(tf.sparse_reduce_max_sparse(cube, reduction_axes=1)),
    ]


@case
def reduce_dtypes(tf):
    dtypes = (*REAL, "int16", "uint8", "uint32", "int64")
    return {
        dtype: [
            tf.sparse.reduce_sum(_a(tf, dtype), 1),
            tf.sparse.reduce_max(_a(tf, dtype), 1),
            _parts(tf.sparse.reduce_sum_sparse(_a(tf, dtype), 0)),
            _parts(tf.sparse.reduce_max_sparse(_a(tf, dtype), 0)),
        ]
        for dtype in dtypes
    } | {dtype: tf.sparse.reduce_sum(_a(tf, dtype), 0) for dtype in ("complex64", "complex128")}


@case
def reduce_empty(tf):
    return [
        tf.sparse.reduce_sum(_empty(tf), 1),
        tf.sparse.reduce_sum(_empty(tf)),
        tf.sparse.reduce_max(_empty(tf), 0, True),
        _parts(tf.sparse.reduce_sum_sparse(_empty(tf), 1)),
    ]


@case
def reduce_fed(tf):
    target, feeds = _fed(tf)
    fetches = [
        tf.sparse.reduce_sum(target),
        tf.sparse.reduce_sum(target, 1),
        tf.sparse.reduce_max(target, [0], True),
    ]
    return Case(fetches, feeds)


@case
def reduce_sum_gradient(tf):
    results = {}
    for axis, keep in ((0, False), ([1], True), ([0, 1], False), (-1, False), (None, True)):
        values = tf.constant(normal(4))
        y = tf.sparse.reduce_sum(tf.SparseTensor(A_INDICES, values, SHAPE), axis, keep)
        weights = normal(*y.shape.as_list(), seed=3)
        results[f"{axis} {keep}"] = tf.gradients(y * weights, values)
    return results


@case
def softmax(tf):
    rows = tf.SparseTensor([[0, 1], [0, 2], [1, 0], [3, 1], [3, 2], [3, 3]], normal(6), [4, 5])
    cube = tf.SparseTensor([[0, 0, 1], [0, 1, 0], [0, 1, 1]], normal(3), [2, 2, 2])
    return {
        "rows": _parts(tf.sparse_softmax(rows)),
        "cube": _parts(tf.sparse_softmax(cube)),
        "empty": _parts(tf.sparse.softmax(_empty(tf))),
        "large": _parts(
            tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 1]], [1000.0, 999.0], [1, 2]))
        ),
        "half": _parts(tf.sparse.softmax(_a(tf, "float16"))),
        "double": _parts(tf.sparse.softmax(_a(tf, "float64"))),
    }


@case
def softmax_gradient(tf):
    values = tf.constant(normal(5))
    rows = tf.SparseTensor([[0, 1], [0, 2], [1, 0], [2, 1], [2, 2]], values, [3, 3])
    y = tf.sparse.softmax(rows).values
    return tf.gradients(y, values, grad_ys=tf.constant(normal(5, seed=4)))
