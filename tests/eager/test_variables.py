"""Variables whose ops run at once, and what shares them."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import featherflow as tf

pytestmark = pytest.mark.usefixtures("eagerly")


def test_values_and_text() -> None:
    v = tf.Variable([1.0, 2.0], name="w")
    assert v.name == "w:0" and v.trainable and v.shape == (2,)
    assert repr(v) == (
        "<tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    )
    np.testing.assert_array_equal(v + 1, [2, 3])
    np.testing.assert_array_equal(v == [1.0, 5.0], [True, False])
    with pytest.raises(TypeError, match=r"unhashable.*variable\.ref\(\)"):
        hash(v)
    assert v.ref() == v.ref() and v.ref().deref() is v


def test_assignments() -> None:
    v = tf.Variable([1.0, 2.0])
    before = v.read_value()
    np.testing.assert_array_equal(v.assign_add([1.0, 1.0]), [2, 3])
    v.assign_sub([0.5, 0.5])
    v[0].assign(10.0)
    v.scatter_update(tf.IndexedSlices([7.0], [1]))
    np.testing.assert_array_equal(v, [10, 7])
    np.testing.assert_array_equal(before, [1, 2])  # a value that was read stays as it was
    assert v.assign([0.0, 0.0], read_value=False) is None
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([1.0, 2.0, 3.0])


def test_any_shape() -> None:
    v = tf.Variable([1.0], shape=tf.TensorShape(None))
    v.assign([[1.0, 2.0]])
    assert v.numpy().shape == (1, 2)
    with pytest.raises(ValueError, match="not compatible"):
        tf.Variable([1.0], shape=[3])


def test_copies_are_their_own() -> None:
    v = tf.Variable(1.0, trainable=False, name="c")
    twin = copy.deepcopy(v)
    restored = pickle.loads(pickle.dumps(v))
    v.assign(5.0)
    assert float(twin) == 1.0 and float(restored) == 1.0
    assert twin.name == "c:0" and not twin.trainable


def test_storage_is_freed() -> None:
    v = tf.Variable(tf.zeros([4]))
    cell = weakref.ref(v.handle)
    del v
    gc.collect()
    assert cell() is None


def test_a_session_a_function_and_a_tape_share_one() -> None:
    """TF1 and TF2 in one script."""
    v = tf.Variable([1.0, 2.0])
    graph = tf.Graph()
    with graph.as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        product = x * v
        update = v.assign_add([1.0, 1.0])
        np.testing.assert_array_equal(session.run(product, {x: [10, 10]}), [10, 20])
        session.run(update)
    np.testing.assert_array_equal(v, [2, 3])
    double = tf.function(lambda: v * 2.0)
    np.testing.assert_array_equal(double(), [4, 6])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(double() * v)
    np.testing.assert_array_equal(tape.gradient(loss, v), [8, 12])
    v.assign([5.0, 5.0])
    with tf.compat.v1.Session(graph=graph) as session:
        np.testing.assert_array_equal(session.run(product, {x: [1, 2]}), [5, 10])
    np.testing.assert_array_equal(double(), [10, 10])
