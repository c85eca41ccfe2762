"""RaggedTensors: made, taken apart, indexed, in other forms, fetched and fed."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_cases


def _a(tf):
    return tf.ragged.constant([[1, 2], [], [3]])


def _deep(tf):
    return tf.ragged.constant([[[1, 2], [3]], []])


def _lists(_, **ragged):
    """A script that fetches RaggedTensors (or tensors) as lists."""

    def body(session):
        values = session.run(ragged)
        return {
            name: value.to_list() if hasattr(value, "to_list") else value
            for name, value in values.items()
        }

    return Script(body)


@case
def constants(tf):
    make = tf.ragged.constant
    return _lists(
        tf,
        plain=make([[1, 2], [], [3]]),
        deep=make([[[1, 2], [3]], []]),
        words=make([["a"], ["b", "c"]]),
        empty_rows=make([[], []]),
        dtype=make([[1.5], []], dtype=tf.float64, row_splits_dtype=tf.int32),
        inner=make([[[1, 2], [3, 4]], []], ragged_rank=1),
        inner_shape=make([[[1, 2], [3, 4]], []], inner_shape=(2,)),
        dense=make([[1, 2], [3, 4]], ragged_rank=0),
        vector=make([1, 2]),
    )


@case
def static_facts(tf):
    shapes = [
        x.shape.as_list()
        for x in (_a(tf), _deep(tf), tf.ragged.constant([[[1, 2]], []], inner_shape=(2,)))
    ]
    uniform = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    return [
        shapes,
        _a(tf).ragged_rank,
        _deep(tf).ragged_rank,
        _a(tf).dtype.name,
        uniform.shape.as_list(),
        _a(tf).row_splits.dtype.name,
        len(_deep(tf).nested_row_splits),
    ]


@case
def constructors(tf):
    kind, values = tf.RaggedTensor, [1, 2, 3]
    return _lists(
        tf,
        splits=kind.from_row_splits(values, [0, 2, 2, 3]),
        lengths=kind.from_row_lengths(values, [2, 0, 1]),
        starts=kind.from_row_starts(values, [0, 2, 2]),
        limits=kind.from_row_limits(values, [2, 2, 3]),
        row_ids=kind.from_value_rowids(values, [0, 0, 2]),
        more_rows=kind.from_value_rowids(values, [0, 0, 2], nrows=5),
        uniform=kind.from_uniform_row_length([1, 2, 3, 4], 2),
        nested_splits=kind.from_nested_row_splits(values, [[0, 2], [0, 2, 3]]),
        nested_lengths=kind.from_nested_row_lengths(values, [[2], [2, 1]]),
        nested_row_ids=kind.from_nested_value_rowids(values, [[0, 0], [0, 0, 1]]),
    )


@case
def rows(tf):
    a, deep = _a(tf), _deep(tf)
    return {
        "nrows": [a.nrows(), a.nrows(out_type=tf.int32)],
        "lengths": a.row_lengths(),
        "starts_and_limits": [a.row_starts(), a.row_limits()],
        "row_ids": tf.identity(tf.cast(a.value_rowids(), tf.int32) + tf.zeros([3], tf.int32)),
        "nested_lengths": list(deep.nested_row_lengths()),
        "box": [a.bounding_shape(), a.bounding_shape(axis=1), deep.bounding_shape()],
        "int32": a.with_row_splits_dtype(tf.int32).row_splits,
        "values": [a.values, deep.flat_values, deep.values.row_splits],
    }


@case
def deeper_rows(tf):
    return _lists(
        tf,
        lengths=_deep(tf).row_lengths(axis=2),
        merged=_deep(tf).merge_dims(0, 1),
        merged_inner=_deep(tf).merge_dims(1, 2),
        merged_all=_deep(tf).merge_dims(0, 2),
        values=_a(tf).with_values(["a", "b", "c"]),
        flat_values=_deep(tf).with_flat_values([5.0, 6.0, 7.0]),
    )


@case
def indices(tf):
    a, deep = _a(tf), _deep(tf)
    return _lists(
        tf,
        row=a[0],
        last_row=a[-1],
        element=a[0, 1],
        rows=a[1:],
        steps=a[::2],
        some=a[0:2],
        columns=a[:, :1],
        last_column=a[:, -1:],
        backwards=a[:, ::-1],
        ellipsis=a[...],
        new_axis=a[:, tf.newaxis],
        deep_row=deep[0],
        deep_element=deep[0, 0],
        deep_columns=deep[:, :1],
        deep_inner=deep[:, :, 1:],
    )


@case
def operators(tf):
    a = _a(tf)
    return _lists(
        tf,
        add=a + 1,
        add_left=1 + a,
        both=a + a,
        rows=a * [[10], [20], [30]],
        subtract=10 - a,
        divide=a / 2,
        floor=a // 2,
        modulo=a % 2,
        power=a**2,
        negative=-a,
        absolute=abs(-a),
        greater=a > 1,
        both_deep=_deep(tf) * _deep(tf),
    )


@case
def to_tensor(tf):
    return [
        _a(tf).to_tensor(),
        _a(tf).to_tensor(-1),
        _a(tf).to_tensor(-1, shape=[None, 3]),
        _a(tf).to_tensor(shape=[2, 1]),
        _deep(tf).to_tensor(),
        tf.ragged.constant([["a"], ["b", "c"]]).to_tensor("x"),
    ]


@case
def from_tensor(tf):
    kind, matrix = tf.RaggedTensor, [[1, 2, 0], [3, 0, 0]]
    return _lists(
        tf,
        plain=kind.from_tensor(matrix),
        padding=kind.from_tensor(matrix, padding=0),
        lengths=kind.from_tensor(matrix, lengths=[1, 2]),
        deep=kind.from_tensor([[[1, 2], [3, 4]]], ragged_rank=2),
        deep_padding=kind.from_tensor([[[1, 0], [3, 4]]], ragged_rank=2, padding=0),
        sparse=kind.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])),
    )


@case
def to_sparse(tf):
    sparse = [_a(tf).to_sparse(), _deep(tf).to_sparse()]
    return [[item.values, item.dense_shape] for item in sparse]


@case
def functions(tf):
    a = _a(tf)
    return _lists(
        tf,
        range=tf.ragged.range([3, 0, 2]),
        ranges=tf.ragged.range([0, 5], [3, 7], 1),
        stack=tf.ragged.stack([[1, 2], [3]]),
        stack_ragged=tf.ragged.stack([a, a]),
        stack_columns=tf.ragged.stack([a, a], axis=1),
        map=tf.ragged.map_flat_values(tf.add, a, 10),
        map_two=tf.ragged.map_flat_values(tf.multiply, a, a),
        mask=tf.ragged.boolean_mask(
            [[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]]
        ),
        mask_ragged=tf.ragged.boolean_mask(a, tf.ragged.constant([[True, False], [], [True]])),
        mask_rows=tf.ragged.boolean_mask(a, [True, False, True]),
        partitions=tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 3),
    )


@case
def reductions(tf):
    a = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    deep = tf.ragged.constant([[[1, 2], [3]], []])
    return {
        "sums": [tf.reduce_sum(a, axis) for axis in (None, 0, 1, -1)],
        "kept": tf.reduce_sum(a, 1, keepdims=True),
        "others": [reduce(a, axis=1) for reduce in (tf.reduce_prod, tf.reduce_max, tf.reduce_min)],
        "mean": tf.reduce_mean(tf.ragged.constant([[1.0, 2.0], [3.0]]), axis=1),
        "deep": tf.reduce_sum(deep, axis=2).flat_values,
        "two": tf.reduce_sum(deep, axis=[1, 2]),
    }


@case
def gathers(tf):
    return _lists(
        tf,
        vector=tf.gather(_a(tf), [2, 0]),
        matrix=tf.gather(_a(tf), [[2], [0]]),
        deep=tf.gather(_deep(tf), [1, 0]),
    )


@case
def segment_ids(tf):
    to_ids, to_splits = tf.ragged.row_splits_to_segment_ids, tf.ragged.segment_ids_to_row_splits
    return [
        to_splits([0, 0, 2]),
        to_splits([0, 0, 2], num_segments=5),
        to_splits([0, 0, 2], out_type=tf.int32),
        tf.reduce_sum(to_ids([0, 2, 2, 3])),
    ]


@case
def crosses(tf):
    words = tf.ragged.constant([["a"], ["b", "c"]])
    return _lists(
        tf,
        words=tf.ragged.cross([words, [["x"], ["y"]]]),
        numbers=tf.ragged.cross([tf.ragged.constant([[1], [2, 3]]), words]),
        hashed=tf.ragged.cross_hashed([words, [["x"], ["y"]]], num_buckets=100),
        key=tf.ragged.cross_hashed([words], num_buckets=10, hash_key=3),
    )


@case
def counts(tf):
    counted = tf.sparse.bincount(_a(tf), axis=-1)
    return [counted.indices, counted.values, counted.dense_shape]


@case
def gradients(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    rows = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])
    filled = (rows * rows).to_tensor()
    return [
        tf.convert_to_tensor(tf.gradients(filled, x)[0]),
        tf.convert_to_tensor(tf.gradients((rows * [[1.0], [2.0], [5.0]]).flat_values, x)[0]),
    ]


@case
def fed(tf):
    target = tf.ragged.placeholder(tf.float32, 1)
    value = tf.ragged.constant_value([[1.0], [2.0, 3.0]], dtype=np.float32)
    return Case([target.to_tensor(), target.row_lengths()], {target: value})


@case
def constant_values(tf):
    value = tf.ragged.constant_value([[1, 2], [3]])
    deep = tf.ragged.constant_value([[[1], []], []])
    return [
        value.to_list(),
        value.row_splits.tolist(),
        value.ragged_rank,
        list(value.shape),
        deep.to_list(),
        deep.ragged_rank,
        deep.flat_values.tolist(),
        [splits.tolist() for splits in deep.nested_row_splits],
    ]


error_cases(
    constant_of_other_depths=lambda tf: tf.ragged.constant([1, [2]]),
    constant_ragged_rank=lambda tf: tf.ragged.constant([1, 2], ragged_rank=1),
    splits_end=lambda tf: tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2]).row_splits,
    splits_start=lambda tf: tf.RaggedTensor.from_row_splits([1, 2, 3], [1, 3]).row_splits,
    splits_dtype=lambda tf: tf.RaggedTensor.from_row_splits([1, 2, 3], [0.0, 3.0]),
    lengths_sum=lambda tf: tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0]).row_splits,
    row_ids_descend=lambda tf: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2, 1]).row_splits,
    inner_index=lambda tf: _a(tf)[:, 0],
    values_of_other_length=lambda tf: _a(tf).with_values(["a"]),
    other_rows=lambda tf: (_a(tf) + tf.ragged.constant([[1], [2], [3]])).flat_values,
    axis_of_lengths=lambda tf: _a(tf).row_lengths(axis=2),
    lengths_and_padding=lambda tf: tf.RaggedTensor.from_tensor([[1]], lengths=[1], padding=0),
    convert_to_tensor=lambda tf: tf.convert_to_tensor(_a(tf)),
    nested_splits_no_list=lambda tf: tf.RaggedTensor.from_nested_row_splits([1], 5),
)
