"""Counts and crosses of SparseTensors, and SparseTensors in strings and maps."""

from __future__ import annotations

import numpy as np

from ..case import Script, case, error_cases
from ..inputs import sample


def _parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _ids(tf):
    values = tf.constant([3, 1, 1, 5], tf.int64)
    return tf.SparseTensor([[0, 1], [2, 0], [2, 1], [2, 3]], values, [3, 4])


def _floats(tf):
    return tf.SparseTensor([[0, 1], [2, 0], [2, 1], [2, 3]], [0.5, 1.5, 2.0, 4.0], [3, 4])


_MATRIX = [[1, 2, 2], [3, 0, 3]]

# --- tf.sparse.bincount ---------------------------------------------------------------------------


@case
def bincount_of_tensors(tf):
    options = (
        {},
        {"axis": -1},
        {"axis": -1, "binary_output": True},
        {"axis": -1, "minlength": 6},
        {"axis": -1, "maxlength": 3},
        {"axis": 0, "minlength": 2, "maxlength": 4},
        {"axis": None},
        {"axis": -1, "weights": [[1.0, 2.0, 3.0], [4.0, 5.0, 0.5]]},
        {"weights": np.int64([[1, 2, 3], [4, 5, 6]])},
        {"maxlength": 0},
    )
    return {str(o): _parts(tf.sparse.bincount(tf.constant(_MATRIX), **o)) for o in options}


@case
def bincount_of_vectors_and_dtypes(tf):
    return [
        _parts(tf.sparse.bincount(tf.constant([5, 1, 5], tf.int64), axis=-1)),
        _parts(tf.sparse.bincount(tf.constant([], tf.int32))),
        _parts(tf.sparse.bincount(tf.constant([], tf.int32), minlength=4)),
        _parts(tf.sparse.bincount(tf.zeros([2, 0], tf.int32), axis=-1)),
        *(
            _parts(tf.sparse.bincount([1, 2, 1], weights=tf.constant([1, 2, 3], dtype)))
            for dtype in ("int32", "int64", "float32", "float64")
        ),
    ]


@case
def bincount_of_sparse_tensors(tf):
    ids = _ids(tf)
    vector = tf.SparseTensor([[0], [3]], tf.constant([3, 3]), [4])
    return {
        "rows": _parts(tf.sparse.bincount(ids, axis=-1)),
        "all": _parts(tf.sparse.bincount(ids, axis=0)),
        "binary": _parts(tf.sparse.bincount(ids, axis=-1, binary_output=True)),
        "weights": _parts(tf.sparse.bincount(ids, weights=_floats(tf), axis=-1)),
        "bounds": _parts(tf.sparse.bincount(ids, axis=-1, minlength=2, maxlength=4)),
        "vector": _parts(tf.sparse.bincount(vector, axis=-1)),
    }


# --- the ops --------------------------------------------------------------------------------------


@case
def count_ops_attributes(tf):
    raw = tf.raw_ops
    none = tf.constant([])
    results = {}
    for least, most in ((-1, -1), (6, -1), (-1, 3), (2, 4), (6, 3), (0, 0)):
        for binary in (False, True):
            attrs = {"minlength": least, "maxlength": most, "binary_output": binary}
            results[str(attrs)] = [
                *raw.DenseCountSparseOutput(values=_MATRIX, weights=none, **attrs),
                *raw.SparseCountSparseOutput(
                    indices=_ids(tf).indices,
                    values=_ids(tf).values,
                    dense_shape=_ids(tf).dense_shape,
                    weights=none,
                    **attrs,
                ),
                *raw.RaggedCountSparseOutput(
                    splits=np.int64([0, 2, 2, 3]), values=[1, 1, 4], weights=none, **attrs
                ),
            ]
    return results


@case
def sparse_bincount_op(tf):
    ids = _ids(tf)
    parts = {"indices": ids.indices, "values": ids.values, "dense_shape": ids.dense_shape}
    size = tf.constant(5, tf.int64)
    op = tf.raw_ops.SparseBincount
    return {
        "counts": op(**parts, size=size, weights=tf.constant([])),
        "binary": op(**parts, size=size, weights=tf.constant([]), binary_output=True),
        **{
            dtype: op(**parts, size=size, weights=tf.constant([1, 2, 3, 4], dtype))
            for dtype in ("int32", "int64", "float32", "float64")
        },
        "vector": op(
            indices=np.int64([[0], [3]]),
            values=[3, 3],
            dense_shape=np.int64([4]),
            size=5,
            weights=tf.constant([], tf.int32),
        ),
        "empty": op(
            indices=np.zeros((0, 2), np.int64),
            values=tf.constant([], tf.int32),
            dense_shape=np.int64([3, 2]),
            size=2,
            weights=tf.constant([]),
        ),
    }


@case
def ragged_bincount_op(tf):
    op = tf.raw_ops.RaggedBincount
    splits = np.int64([0, 2, 2, 3])
    return [
        op(splits=splits, values=[1, 1, 4], size=5, weights=tf.constant([])),
        op(splits=splits, values=[1, 1, 4], size=3, weights=tf.constant([1.0, 2.0, 3.0])),
        op(splits=splits, values=[1, 1, 4], size=5, weights=tf.constant([]), binary_output=True),
        op(
            splits=np.int64([0, 2, 1, 3]),
            values=np.int64([1, 1, 4]),
            size=np.int64(5),
            weights=tf.constant([], tf.int32),
        ),
        op(
            splits=np.int64([0]),
            values=tf.constant([], tf.int32),
            size=5,
            weights=tf.constant([]),
        ),
    ]


# --- crosses --------------------------------------------------------------------------------------


def _words(tf):
    return tf.SparseTensor([[0, 0], [2, 0], [2, 1]], ["a", "b", "c"], [3, 2])


_DENSE_WORDS = [["p", "q"], ["r", "s"], ["t", "u"]]


@case
def cross(tf):
    small = tf.SparseTensor([[0, 0], [1, 0], [2, 1]], tf.constant([1, 2, 3], tf.int32), [3, 2])
    return {
        "mixed": _parts(tf.sparse.cross([tf.constant(_DENSE_WORDS), _words(tf), small])),
        "separator": _parts(tf.sparse.cross([_words(tf), _words(tf)], separator="|")),
        "one": _parts(tf.sparse.cross([_words(tf)])),
        "numbers": _parts(tf.sparse.cross([tf.constant([[1, -2]]), tf.constant([[7]])])),
        "none": _parts(tf.sparse.cross([])),
        "static": [p.shape.as_list() for p in _parts(tf.sparse.cross([_words(tf)]))],
    }


@case
def cross_hashed(tf):
    numbers = tf.SparseTensor([[0, 0], [1, 0], [2, 1]], tf.constant([1, -2, 3], tf.int64), [3, 2])
    return {
        "numbers": _parts(tf.sparse.cross_hashed([numbers, tf.constant([[4], [5], [6]])])),
        "one": _parts(tf.sparse.cross_hashed([numbers])),
        "words": _parts(tf.sparse.cross_hashed([_words(tf)])),
        "more_words": _parts(tf.sparse.cross_hashed([_words(tf), tf.constant(_DENSE_WORDS)])),
        "mixed": _parts(tf.sparse.cross_hashed([_words(tf), numbers], num_buckets=100)),
        "key": _parts(tf.sparse.cross_hashed([_words(tf), numbers], num_buckets=7, hash_key=5)),
    }


@case
def cross_hashed_op(tf):
    op = tf.raw_ops.SparseCrossHashed
    results = {}
    for salt in ([0, 0], [1, 2], [-3, 5]):
        for buckets in (0, 1000):
            for strong in (False, True):
                dense = [tf.constant([["a", "bc"], ["", "d"]]), tf.constant([["x"], ["y"]])]
                if not strong:
                    dense.append(tf.constant([[5], [-6]], tf.int64))
                results[f"{salt} {buckets} {strong}"] = list(
                    op(
                        indices=[],
                        values=[],
                        shapes=[],
                        dense_inputs=dense,
                        num_buckets=buckets,
                        strong_hash=strong,
                        salt=salt,
                    )
                )
    return results


@case
def cross_op(tf):
    dense = [tf.constant([["a", "b"]]), tf.constant([[1]], tf.int64)]
    results = {}
    for out in ("int64", "string"):
        for buckets in (0, 10):
            results[f"{out} {buckets}"] = list(
                tf.raw_ops.SparseCross(
                    indices=[],
                    values=[],
                    shapes=[],
                    dense_inputs=dense,
                    hashed_output=out == "int64",
                    num_buckets=buckets,
                    hash_key=3,
                    out_type=out,
                    internal_type="int64",
                )
            )
    return results


# --- strings and maps -----------------------------------------------------------------------------


@case
def serialize(tf):
    empty = tf.SparseTensor(np.zeros((0, 2), np.int64), tf.constant([], tf.float32), [3, 2])
    return [
        tf.serialize_sparse(_floats(tf)),
        tf.serialize_sparse(_words(tf)),
        tf.io.serialize_sparse(empty),
        tf.serialize_many_sparse(_floats(tf)),
        tf.io.serialize_many_sparse(_words(tf)),
    ]


@case
def deserialize(tf):
    other = tf.SparseTensor([[1, 5]], [7.0], [2, 6])
    both = tf.stack([tf.serialize_sparse(_floats(tf)), tf.serialize_sparse(other)])
    raw = tf.raw_ops.DeserializeSparse
    return {
        "one": list(raw(serialized_sparse=both[0], dtype="float32")),
        "two": list(raw(serialized_sparse=both, dtype="float32")),
        "square": list(
            raw(serialized_sparse=tf.reshape(tf.tile(both, [2, 1]), [2, 2, 3]), dtype="float32")
        ),
        "many": _parts(tf.deserialize_many_sparse(both, tf.float32, rank=3)),
        "round": _parts(
            tf.io.deserialize_many_sparse(tf.serialize_many_sparse(_words(tf)), tf.string)
        ),
        "variant": list(
            raw(
                serialized_sparse=tf.serialize_sparse(_floats(tf), out_type=tf.variant),
                dtype="float32",
            )
        ),
        "variants": list(
            raw(
                serialized_sparse=tf.serialize_many_sparse(_floats(tf), out_type=tf.variant),
                dtype="float32",
            )
        ),
    }


@case
def deserialize_dtypes(tf):
    dtypes = ("float16", "bfloat16", "int8", "uint64", "complex128", "bool", "string")
    return {
        dtype: _parts(
            tf.deserialize_many_sparse(
                tf.serialize_many_sparse(
                    tf.SparseTensor([[0, 1], [1, 0]], tf.constant(sample(dtype, 2), dtype), [2, 2])
                ),
                dtype,
            )
        )
        for dtype in dtypes
    }


@case
def maps(tf):
    sparse = _floats(tf)
    parts = {
        "sparse_indices": sparse.indices,
        "sparse_values": sparse.values,
        "sparse_shape": sparse.dense_shape,
    }
    raw = tf.raw_ops
    one = raw.AddSparseToTensorsMap(**parts, shared_name="a_map")
    many = raw.AddManySparseToTensorsMap(**parts, shared_name="another_map")
    handles = tf.placeholder(tf.int64, [None])
    taken = raw.TakeManySparseFromTensorsMap(
        sparse_handles=handles, dtype="float32", shared_name="a_map"
    )
    rows = raw.TakeManySparseFromTensorsMap(
        sparse_handles=handles, dtype="float32", shared_name="another_map"
    )

    def body(session):
        first, second = session.run(one), session.run(one)
        numbers = session.run(many)
        return [
            first,
            second,
            sorted(numbers.tolist()),
            list(session.run(taken, {handles: [second, first]})),
            list(session.run(rows, {handles: numbers[:1]})),
        ]

    return Script(body)


# --- errors ---------------------------------------------------------------------------------------


def _count(tf, values, **attrs):
    return tf.raw_ops.DenseCountSparseOutput(
        values=values, weights=tf.constant([]), **{"binary_output": False, **attrs}
    ).output_values


def _fed(tf, value):
    return tf.placeholder_with_default(value, None)


error_cases(
    bincount_axis=lambda tf: tf.sparse.bincount([[1]], axis=1),
    bincount_weights_and_binary=lambda tf: tf.sparse.bincount(
        [1], weights=[1.0], binary_output=True
    ),
    bincount_negative=lambda tf: tf.sparse.bincount([1, -1]).values,
    count_of_scalar=lambda tf: _count(tf, 3),
    count_of_cube=lambda tf: _count(tf, [[[3]]]),
    count_no_rows=lambda tf: _count(tf, tf.zeros([0, 2], tf.int32)),
    count_weights=lambda tf: tf.sparse.bincount([1, 2], weights=[1.0]).values,
    sparse_count_outside=lambda tf: (
        tf.raw_ops.SparseCountSparseOutput(
            indices=np.int64([[5, 1]]),
            values=[3],
            dense_shape=np.int64([3, 2]),
            weights=tf.constant([]),
            binary_output=False,
        ).output_values
    ),
    ragged_count_splits=lambda tf: (
        tf.raw_ops.RaggedCountSparseOutput(
            splits=np.int64([1, 2, 3]),
            values=[1, 1, 4],
            weights=tf.constant([]),
            binary_output=False,
        ).output_values
    ),
    ragged_count_end=lambda tf: (
        tf.raw_ops.RaggedCountSparseOutput(
            splits=np.int64([0, 2]), values=[1, 1, 4], weights=tf.constant([]), binary_output=False
        ).output_values
    ),
    sparse_bincount_size=lambda tf: tf.raw_ops.SparseBincount(
        indices=np.int64([[0, 1]]),
        values=[3],
        dense_shape=np.int64([3, 2]),
        size=-5,
        weights=tf.constant([]),
    ),
    sparse_bincount_cube=lambda tf: tf.raw_ops.SparseBincount(
        indices=np.int64([[0, 1, 0]]),
        values=[3],
        dense_shape=np.int64([3, 2, 2]),
        size=5,
        weights=tf.constant([]),
    ),
    sparse_bincount_outside=lambda tf: tf.raw_ops.SparseBincount(
        indices=np.int64([[5, 1]]),
        values=[3],
        dense_shape=np.int64([3, 2]),
        size=5,
        weights=tf.constant([]),
    ),
    ragged_bincount_negative=lambda tf: tf.raw_ops.RaggedBincount(
        splits=np.int64([0, 1]), values=[-1], size=5, weights=tf.constant([])
    ),
    ragged_bincount_splits=lambda tf: tf.raw_ops.RaggedBincount(
        splits=np.int64([0, 5]), values=[1], size=5, weights=tf.constant([])
    ),
    cross_of_other_rows=lambda tf: (
        tf.sparse.cross([tf.constant([["a"]]), tf.constant([["b"], ["c"]])]).values
    ),
    cross_of_vector=lambda tf: tf.sparse.cross([tf.constant(["a"])]).values,
    serialize_many_vector=lambda tf: tf.serialize_many_sparse(tf.SparseTensor([[0]], [1.0], [3])),
    serialize_many_unsorted=lambda tf: tf.serialize_many_sparse(
        tf.SparseTensor([[2, 1], [0, 0]], [1.0, 2.0], [3, 2])
    ),
    deserialize_other_dtype=lambda tf: (
        tf.deserialize_many_sparse(tf.serialize_many_sparse(_floats(tf)), tf.int32).values
    ),
    deserialize_no_message=lambda tf: (
        tf.deserialize_many_sparse(tf.constant([["a", "b", "c"]]), tf.float32).values
    ),
    deserialize_pairs=lambda tf: tf.deserialize_many_sparse(tf.constant([["a", "b"]]), tf.float32),
    deserialize_fed_pairs=lambda tf: (
        tf.deserialize_many_sparse(_fed(tf, [["a", "b"]]), tf.float32).values
    ),
    deserialize_none=lambda tf: (
        tf.deserialize_many_sparse(tf.zeros([0, 3], tf.string), tf.float32).values
    ),
    deserialize_other_rank=lambda tf: (
        tf.deserialize_many_sparse(
            tf.stack(
                [
                    tf.serialize_sparse(_floats(tf)),
                    tf.serialize_sparse(tf.SparseTensor([[1]], [5.0], [2])),
                ]
            ),
            tf.float32,
        ).values
    ),
    take_what_is_not_there=lambda tf: (
        tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=np.int64([2, 0]), dtype="float32", shared_name="no_map"
        ).sparse_values
    ),
)
