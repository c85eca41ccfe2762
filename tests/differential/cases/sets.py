"""Sets of rows, and edit distances."""

from __future__ import annotations

import numpy as np

from ..case import case, error_cases

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16")
OPERATIONS = ("union", "intersection", "a-b", "b-a")
LEFT, RIGHT = [[3, 1, 1], [2, 2, 5]], [[1, 9], [5, 2]]


def _long(*values):
    return np.array(values, np.int64)


def _parts(rows, values, shape):
    return np.array(rows, np.int64).reshape(-1, len(shape)), values, _long(*shape)


A = _parts([[0, 0], [0, 1], [1, 0]], _long(3, 1, 7), [2, 2])
B = _parts([[0, 0], [1, 0], [1, 3]], _long(3, 7, 8), [2, 4])


def _fed(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def _dense(tf, left, right, operation="union", **options):
    return tuple(
        tf.raw_ops.DenseToDenseSetOperation(
            set1=left, set2=right, set_operation=operation, **options
        )
    )


def _sparse(tf, left, right, operation="union", **options):
    names = ("indices", "values", "shape")
    inputs = {f"set1_{name}": part for name, part in zip(names, left)}
    inputs.update({f"set2_{name}": part for name, part in zip(names, right)})
    return tuple(
        tf.raw_ops.SparseToSparseSetOperation(**inputs, set_operation=operation, **options)
    )


def _mixed(tf, left, right, operation="union", **options):
    inputs = {f"set2_{name}": part for name, part in zip(("indices", "values", "shape"), right)}
    return tuple(
        tf.raw_ops.DenseToSparseSetOperation(
            set1=left, **inputs, set_operation=operation, **options
        )
    )


for _operation in OPERATIONS:

    @case(f"rows_{_operation}")
    def _rows(tf, operation=_operation):
        return [
            *(
                _dense(tf, tf.constant(LEFT, dtype), tf.constant(RIGHT, dtype), operation)
                for dtype in TYPES
            ),
            _dense(tf, [["b", "a"]], [["c", "b"]], operation),
            _dense(tf, [[[1, 2]], [[3, 4]]], [[[2]], [[9]]], operation),
            _sparse(tf, A, B, operation),
            _mixed(tf, _long([3, 1, 1], [2, 2, 5]), B, operation),
        ]


@case
def rows_without_values(tf):
    nothing = _parts([], _long(), [2, 2])
    return [
        _dense(tf, tf.zeros([2, 0], tf.int64), tf.zeros([2, 0], tf.int64)),
        _dense(tf, tf.zeros([0, 2], tf.int64), tf.zeros([0, 2], tf.int64)),
        _sparse(tf, nothing, nothing),
        _sparse(tf, nothing, B, "INTERSECTION"),
        _sparse(tf, _parts([[0, 0]], _long(3), [4, 2]), _parts([[2, 0]], _long(3), [4, 2])),
    ]


@case
def rows_in_another_order(tf):
    left = _parts([[1, 0], [0, 0]], _long(3, 1), [2, 2])
    equal = _parts([[0, 0], [0, 0]], _long(3, 1), [2, 2])
    return [
        _sparse(tf, left, B, validate_indices=False),
        _sparse(tf, equal, B, validate_indices=False),
    ]


@case
def rows_of_unknown_shape(tf):
    fed = [_fed(tf, part) for part in A]
    return [
        _sparse(tf, fed, B),
        _dense(tf, _fed(tf, LEFT), RIGHT),
        _dense(tf, _fed(tf, LEFT), _fed(tf, RIGHT), "a-b"),
        _mixed(tf, _fed(tf, _long([1], [2])), fed),
    ]


@case
def sets(tf):
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], _long(3, 1, 7), [2, 2])
    dense = _long([3, 3], [8, 9])
    return [
        tf.sets.union(LEFT, RIGHT),
        tf.sets.set_intersection(sparse, sparse),
        tf.sets.set_intersection(sparse, dense),
        tf.sets.set_difference(sparse, dense),
        tf.sets.difference(sparse, dense, aminusb=False),
        tf.sets.difference(dense, sparse),
        tf.sets.set_union(dense, sparse, validate_indices=False),
        tf.sets.size(sparse),
        tf.sets.set_size(tf.sets.union(dense, dense)),
        [node.name for node in tf.get_default_graph().as_graph_def().node][:8],
    ]


@case
def sizes(tf):
    def size(*parts, **options):
        names = ("set_indices", "set_values", "set_shape")
        return tf.raw_ops.SetSize(**dict(zip(names, _parts(*parts))), **options)

    return [
        size([[0, 0], [0, 1], [1, 0]], _long(3, 3, 7), [3, 2]),
        size([], _long(), [3, 2]),
        size([[1, 0], [0, 0]], _long(3, 4), [3, 2], validate_indices=False),
        size([[0, 1, 0], [1, 0, 0]], ["a", "b"], [2, 2, 1]),
    ]


error_cases(
    another_operation=lambda tf: _dense(tf, LEFT, RIGHT, "xor"),
    rows_of_other_number=lambda tf: _dense(tf, LEFT, [[1]]),
    rows_of_other_rank=lambda tf: _dense(tf, LEFT, [[[1]], [[2]]]),
    rows_of_vectors=lambda tf: _dense(tf, [1], [2]),
    rows_of_fed_vectors=lambda tf: _dense(tf, _fed(tf, [1]), _fed(tf, [1])),
    rows_of_fed_number=lambda tf: _dense(tf, _fed(tf, LEFT), _fed(tf, [[1]])),
    sparse_out_of_order=lambda tf: _sparse(tf, _parts([[1, 0], [0, 0]], _long(3, 1), [2, 2]), B),
    sparse_columns_out_of_order=lambda tf: _sparse(
        tf, _parts([[0, 1], [0, 0]], _long(3, 1), [2, 2]), B
    ),
    sparse_twice=lambda tf: _sparse(tf, _parts([[0, 0], [0, 0]], _long(3, 1), [2, 2]), B),
    sparse_out_of_bounds=lambda tf: _sparse(tf, _parts([[5, 0]], _long(3), [2, 2]), B),
    sparse_unchecked=lambda tf: _sparse(
        tf, _parts([[5, 0]], _long(3), [2, 2]), B, validate_indices=False
    ),
    sparse_column_out_of_bounds=lambda tf: _sparse(tf, _parts([[0, 5]], _long(3), [2, 2]), B),
    sparse_of_other_rows=lambda tf: _sparse(tf, _parts([[0, 0]], _long(3), [3, 2]), B),
    sparse_of_one_dimension=lambda tf: _sparse(
        tf, _parts([[0]], _long(3), [3]), _parts([[0]], _long(3), [3])
    ),
    sparse_of_other_rank=lambda tf: _sparse(tf, A, _parts([[0, 0, 0]], _long(3), [2, 2, 2])),
    sparse_of_fewer_values=lambda tf: _sparse(tf, (A[0], _long(1, 2), A[2]), B),
    sparse_of_fewer_fed_values=lambda tf: _sparse(tf, (A[0], _fed(tf, _long(1, 2)), A[2]), B),
    mixed_of_other_rows=lambda tf: _mixed(tf, _long([1, 2]), B),
    sets_of_floats=lambda tf: tf.sets.intersection([[1.5]], [[1.5]]),
    sets_of_two_types=lambda tf: tf.sets.intersection(_long([1]), [["a"]]),
    size_of_a_dense_set=lambda tf: tf.sets.size([[1]]),
    size_of_floats=lambda tf: tf.sets.size(tf.SparseTensor([[0, 0]], [1.5], [1, 1])),
)

# --- edit distances -------------------------------------------------------------------------------


def _distance(tf, hypothesis, truth, **options):
    names = ("indices", "values", "shape")
    inputs = {f"hypothesis_{name}": part for name, part in zip(names, hypothesis)}
    inputs.update({f"truth_{name}": part for name, part in zip(names, truth)})
    return tf.raw_ops.EditDistance(**inputs, **options)


def _letters(*words):
    places = [(row, at) for row, word in enumerate(words) for at in range(len(word))]
    return _parts(places, list("".join(words)), [len(words), max(map(len, words))])


@case
def distances(tf):
    guesses = _letters("kitten", "flaw", "", "same", "abc")
    truths = _letters("sitting", "lawn", "word", "same", "")
    return [
        _distance(tf, guesses, truths),
        _distance(tf, guesses, truths, normalize=False),
        _distance(tf, truths, guesses),
    ]


@case
def distances_of_other_shapes(tf):
    one, far = _parts([[0, 0]], ["a"], [1, 2]), _parts([[2, 0]], ["a"], [3, 2])
    return [
        _distance(tf, one, far),
        _distance(tf, far, one),
        _distance(
            tf,
            _parts([[0, 0, 0], [1, 1, 0]], ["a", "b"], [2, 2, 1]),
            _parts([[0, 0, 0], [0, 1, 0]], ["a", "b"], [2, 2, 1]),
        ),
        _distance(tf, _parts([], _long(), [2, 2]), _parts([], _long(), [2, 0])),
        _distance(tf, _parts([[0, 7]], ["a"], [2, 2]), _parts([[0, 0]], ["a"], [2, 2])),
    ]


@case
def distances_out_of_order(tf):
    rows = _parts([[1, 0], [0, 0]], ["a", "b"], [2, 2])
    columns = _parts([[0, 1], [0, 0]], ["a", "b"], [2, 2])
    truth = _parts([[0, 0], [1, 0]], ["b", "a"], [2, 2])
    return [_distance(tf, rows, truth), _distance(tf, columns, truth)]


for _dtype in (
    *TYPES,
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
):

    @case(f"distances_of_{_dtype}")
    def _distances(tf, dtype=_dtype):
        rows = [[0, 0], [0, 1], [1, 0]]
        return _distance(
            tf,
            _parts(rows, tf.cast([1, 2, 3], dtype), [2, 2]),
            _parts(rows, tf.cast([2, 2, 3], dtype), [2, 3]),
        )


@case
def distances_of_sparse_tensors(tf):
    value = tf.SparseTensorValue([[0, 0]], ["a"], [1, 1])
    sparse = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    nan = [1.0, float("nan")]
    return [
        tf.edit_distance(value, sparse),
        tf.edit_distance(sparse, sparse, normalize=False, name="d").name,
        tf.edit_distance(*[tf.SparseTensor([[0, 0], [0, 1]], nan, [1, 2])] * 2),
        tf.edit_distance(tf.string_split(["a b"]), tf.string_split(["a c d"])),
    ]


error_cases(
    distance_of_no_rows=lambda tf: _distance(tf, *[_parts([], _long(), [0, 2])] * 2),
    distance_of_vectors=lambda tf: _distance(tf, *[_parts([[0]], ["a"], [2])] * 2),
    distance_of_fed_vectors=lambda tf: _distance(
        tf, *[[_fed(tf, part) for part in _parts([[0]], ["a"], [2])]] * 2
    ),
    distance_of_other_ranks=lambda tf: _distance(
        tf, _parts([[0, 0]], ["a"], [2, 2]), _parts([[0, 0, 0]], ["a"], [2, 2, 2])
    ),
    distance_out_of_bounds=lambda tf: _distance(
        tf, _parts([[5, 0]], ["a"], [2, 2]), _parts([[0, 0]], ["a"], [2, 2])
    ),
    distance_before_the_bounds=lambda tf: _distance(
        tf, _parts([[-1, 0]], ["a"], [2, 2]), _parts([[0, 0]], ["a"], [2, 2])
    ),
    distance_of_fewer_values=lambda tf: _distance(
        tf, (np.zeros([2, 2], np.int64), ["a"], _long(2, 2)), _parts([[0, 0]], ["a"], [2, 2])
    ),
    distance_of_lists=lambda tf: tf.edit_distance([1], [2]),
)
