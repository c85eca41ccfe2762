"""TF2's initializers: called with a shape, they give the initial value."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

v2 = tf.compat.v2


def values(tensor) -> np.ndarray:
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


@pytest.mark.parametrize(
    ("initializer", "expected"),
    [
        (v2.zeros_initializer(), [[0.0, 0.0]]),
        (v2.ones_initializer(), [[1.0, 1.0]]),
        (v2.constant_initializer(2.5), [[2.5, 2.5]]),
        (v2.constant_initializer([1.0, 2.0]), [[1.0, 2.0]]),
    ],
)
def test_values(initializer, expected) -> None:
    with tf.Graph().as_default():
        tensor = initializer([1, 2], tf.float64)
        assert tensor.dtype == tf.float64
        assert values(tensor).tolist() == expected


def test_a_seed_gives_the_values_of_the_op() -> None:
    with tf.Graph().as_default():
        uniform = v2.random_uniform_initializer(-1.0, 1.0, seed=3)([2, 3])
        normal = v2.random_normal_initializer(1.0, 2.0, seed=4)([2, 3])
        expected = [
            tf.random_uniform([2, 3], -1.0, 1.0, seed=3),
            tf.random_normal([2, 3], 1.0, 2.0, seed=4),
        ]
        with tf.Session() as session:
            found = session.run([uniform, normal, *expected])
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[1], found[3])
    assert found[0].min() >= -1.0


@pytest.mark.parametrize(
    "initializer",
    [
        v2.zeros_initializer(),
        v2.constant_initializer(2),
        v2.random_uniform_initializer(0, 2, 5),
        v2.random_normal_initializer(stddev=3.0),
    ],
)
def test_a_config_makes_the_same_initializer(initializer) -> None:
    copy = type(initializer).from_config(initializer.get_config())
    assert copy.get_config() == initializer.get_config()


def test_variables_take_them() -> None:
    with tf.Graph().as_default():
        variable = tf.get_variable("v", [2], initializer=v2.ones_initializer())
        with tf.Session() as session:
            session.run(variable.initializer)
            assert session.run(variable).tolist() == [1.0, 1.0]


def test_parts_of_variables() -> None:
    with tf.Graph().as_default():
        part = v2.ones_initializer()([4, 2], partition_shape=[2, 2], partition_offset=[2, 0])
        assert part.shape.as_list() == [2, 2]
        constant = v2.constant_initializer(1.0)
        with pytest.raises(ValueError, match="partitions"):
            constant([4], partition_shape=[2])
        with pytest.raises(TypeError, match="other"):
            constant([4], other=1)


def test_a_value_must_be_one() -> None:
    with pytest.raises(TypeError, match="Invalid initial value"):
        v2.constant_initializer({})
