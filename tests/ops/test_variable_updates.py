"""Updates of variables: whole, by row, by slice, by count; their order, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf
from featherflow.ops.resource_variable_ops import DisableCopyOnRead

START = np.arange(12.0).reshape(4, 3)
KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
ROWS = {
    "update": lambda old, new: new,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def variable(value=START, use_resource=False, **kwargs):
    return tf.Variable(value, use_resource=use_resource, **kwargs)


def run(*steps):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(step) for step in steps][-1]


@KINDS
@pytest.mark.parametrize("word", ROWS)
def test_rows_are_updated_one_by_one(word, use_resource):
    indices, updates = [2, 0, 2], np.array([[2.0, 3.0, 4.0], [5.0, 6.0, 7.0], [8.0, 9.0, 1.5]])
    expected = START.copy()
    for row, update in zip(indices, updates):
        expected[row] = ROWS[word](expected[row], update)
    v = variable(use_resource=use_resource)
    result = run(getattr(tf, f"scatter_{word}")(v, indices, updates))
    np.testing.assert_allclose(result, expected)
    method = getattr(v, f"scatter_{word}")
    np.testing.assert_allclose(run(method(tf.IndexedSlices(updates, indices))), expected)


@KINDS
def test_scalars_update_all_rows_alike(use_resource):
    v = variable(use_resource=use_resource)
    result = run(tf.scatter_add(v, [1, 1], 2.0))
    np.testing.assert_array_equal(result[1], START[1] + 4)


@KINDS
@pytest.mark.parametrize("word", ["update", "add", "sub", "min", "max"])
def test_slices_are_updated(word, use_resource):
    indices, updates = [[3, 0], [1, 2], [3, 0]], [7.0, -2.0, 5.0]
    expected = START.copy()
    for place, update in zip(indices, updates):
        expected[tuple(place)] = ROWS[word](expected[tuple(place)], update)
    v = variable(use_resource=use_resource)
    result = run(getattr(v, f"scatter_nd_{word}")(indices, updates))
    np.testing.assert_array_equal(result, expected)


@KINDS
def test_batches_are_updated_row_by_row(use_resource):
    v = variable(use_resource=use_resource)
    indices, updates = [[2], [0], [1], [1]], [[-1.0], [-2.0], [-3.0], [-4.0]]
    expected = START.copy()
    np.put_along_axis(expected, np.array(indices), np.array(updates), axis=1)
    np.testing.assert_array_equal(run(tf.batch_scatter_update(v, indices, updates)), expected)
    method = v.batch_scatter_update(tf.IndexedSlices(tf.constant(updates, tf.float64), indices))
    np.testing.assert_array_equal(run(method), expected)


@KINDS
@pytest.mark.parametrize("indices", [[4], [-1]])
def test_indices_must_be_rows(indices, use_resource):
    v = variable(use_resource=use_resource)
    with pytest.raises(tf.errors.InvalidArgumentError, match="4"):
        run(tf.scatter_add(v, indices, np.ones((1, 3))))
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.scatter_nd_add(v, [indices], np.ones((1, 3))))


@KINDS
def test_updates_must_fit(use_resource):
    v = variable(use_resource=use_resource)
    with pytest.raises(ValueError):
        tf.scatter_add(v, [0, 1], np.ones((2, 4)))
    with pytest.raises(ValueError):
        tf.assign(v, np.ones((2, 2)))
    with pytest.raises(ValueError):
        tf.assign_add(v, np.ones((2, 2)))


@KINDS
def test_variables_must_be_initialised(use_resource):
    v = variable(use_resource=use_resource)
    errors = tf.errors.FailedPreconditionError, tf.errors.NotFoundError
    for step in (tf.scatter_add(v, [0], 1.0), tf.assign_add(v, START), v.read_value()):
        with tf.Session() as session, pytest.raises(errors):
            session.run(step)


@KINDS
def test_counting_ends_at_the_limit(use_resource):
    counter = variable(np.int64(0), use_resource)
    step = tf.count_up_to(counter, 2)
    assert run(step, step) == 1
    with pytest.raises(tf.errors.OutOfRangeError, match="2"):
        run(step, step, step)


def test_what_was_read_does_not_change():
    v = variable(use_resource=True)
    before = v.read_value()
    with tf.control_dependencies([before]):
        after = tf.scatter_add(v, [0], 1.0)
        with tf.control_dependencies([after]):
            both = [tf.identity(before), v.read_value()]
    old, new = run(both)
    np.testing.assert_array_equal(old, START)
    np.testing.assert_array_equal(new[0], START[0] + 1)


def test_updates_of_a_resource_variable_keep_their_order():
    v = variable(use_resource=True)
    chain = v.assign(np.zeros((4, 3))).assign_add(np.ones((4, 3)))
    chain = chain.scatter_nd_add([[0, 0]], [5.0])[1].assign([7.0, 8.0, 9.0])
    chain = chain.scatter_mul(tf.IndexedSlices(tf.constant([[2.0] * 3], tf.float64), [3]))
    for _ in range(5):
        np.testing.assert_array_equal(
            run(chain), [[6.0, 1.0, 1.0], [7.0, 8.0, 9.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
        )


@KINDS
def test_partitioned_variables_are_assigned_part_by_part(use_resource):
    v = tf.get_variable(
        "v",
        initializer=START,
        partitioner=tf.fixed_size_partitioner(2),
        use_resource=use_resource,
    )
    value = -START
    parts = run(v.assign(value))
    np.testing.assert_array_equal(np.concatenate(parts), value)
    np.testing.assert_array_equal(np.concatenate(run(v.assign_add(value))), START + value)
    parts = run(v.assign_sub([np.ones((2, 3)), np.zeros((2, 3))]))
    expected = START - np.repeat([[1.0], [0.0]], 2, axis=0)
    np.testing.assert_array_equal(np.concatenate(parts), expected)
    with pytest.raises(ValueError):
        v.assign([value])


def test_a_variable_whose_copies_are_disabled_still_owns_what_is_read():
    handle = variable(use_resource=True).handle
    disabled = DisableCopyOnRead(handle)
    with tf.control_dependencies([disabled]):
        read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float64)
    np.testing.assert_array_equal(run(disabled, read), START)
