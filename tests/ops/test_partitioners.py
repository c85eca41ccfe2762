"""Partitioners: into how many parts a variable goes."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf


def parts(partitioner, shape, dtype=tf.float32):
    return partitioner(shape=tf.TensorShape(shape), dtype=dtype)


@pytest.mark.parametrize(
    ("arguments", "shape", "expected"),
    [
        ({"num_shards": 3}, [7, 2], [3, 1]),
        ({"num_shards": 3, "axis": 1}, [7, 2], [1, 2]),
        ({"num_shards": 4, "axis": -1}, [2, 7, 9], [1, 1, 4]),
        ({"num_shards": 4}, [2], [2]),
    ],
)
def test_fixed_size(arguments, shape, expected):
    assert parts(tf.fixed_size_partitioner(**arguments), shape) == expected


@pytest.mark.parametrize(
    ("arguments", "shape", "dtype", "expected"),
    [
        ({"max_shard_bytes": 64}, [16, 8], tf.float32, [8, 1]),
        ({"max_shard_bytes": 64}, [16, 8], tf.float64, [16, 1]),
        ({"max_shard_bytes": 10}, [16, 8], tf.float32, [16, 1]),
        ({"max_shard_bytes": 1 << 20}, [16, 8], tf.float32, [1, 1]),
        ({"max_shard_bytes": 64, "max_shards": 3}, [16, 8], tf.float32, [3, 1]),
        ({"max_shard_bytes": 64, "axis": 1}, [16, 8], tf.int8, [1, 2]),
        ({"max_shard_bytes": 64}, [100], tf.string, [25]),
        ({"max_shard_bytes": 64, "bytes_per_string_element": 64}, [100], tf.string, [100]),
        ({"max_shard_bytes": 64}, [0, 4], tf.float32, [1, 1]),
    ],
)
def test_largest_size(arguments, shape, dtype, expected):
    assert parts(tf.variable_axis_size_partitioner(**arguments), shape, dtype) == expected


@pytest.mark.parametrize(
    ("arguments", "shape", "dtype", "expected"),
    [
        ({}, [1024, 1024], tf.float32, [1, 1]),
        ({"max_partitions": 10}, [1024, 1024], tf.int8, [4, 1]),
        ({"max_partitions": 10}, [1024, 1024], tf.float32, [10, 1]),
        ({"max_partitions": 10, "min_slice_size": 64}, [16, 8], tf.float32, [8, 1]),
        ({"max_partitions": 10, "min_slice_size": 16}, [100], tf.int8, [7]),
        ({"max_partitions": 10, "min_slice_size": 16, "axis": 1}, [9, 2], tf.int32, [1, 2]),
        ({"max_partitions": 10, "min_slice_size": 16}, [0, 2], tf.int32, [1, 1]),
    ],
)
def test_smallest_size(arguments, shape, dtype, expected):
    assert parts(tf.min_max_variable_partitioner(**arguments), shape, dtype) == expected


def test_a_variable_in_parts_is_one_value():
    value = np.arange(14, dtype=np.float32).reshape(7, 2)
    with tf.Graph().as_default():
        with tf.variable_scope("scope", partitioner=tf.fixed_size_partitioner(3)):
            table = tf.get_variable("table", initializer=value)
        assert [part.shape.as_list() for part in table] == [[3, 2], [2, 2], [2, 2]]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(tf.convert_to_tensor(table)), value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.variable_axis_size_partitioner(0), "max_shard_bytes must be at least 1"),
        (lambda: tf.variable_axis_size_partitioner(1, max_shards=-1), "max_shards"),
        (lambda: tf.min_max_variable_partitioner(max_partitions=0), "max_partitions"),
        (lambda: parts(tf.fixed_size_partitioner(2), [None, 3]), "known shape"),
        (lambda: parts(tf.min_max_variable_partitioner(axis=2), [4, 3]), "axis 2"),
    ],
)
def test_what_cannot_be_split_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
