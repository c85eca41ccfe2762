"""Reads of some rows of a variable, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

TABLE = np.arange(12, dtype=np.float64).reshape(4, 3)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def table():
    return tf.get_variable("table", initializer=TABLE, use_resource=True)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_gather_reads_rows_alone():
    rows = tf.gather(table(), [[3, 0]])
    assert rows.op.type == "ResourceGather"
    assert rows.shape.as_list() == [1, 2, 3]
    np.testing.assert_array_equal(run(rows), TABLE[[[3, 0]]])


def test_other_axes_read_all():
    columns = tf.gather(table(), [2, 0], axis=1)
    assert columns.op.type == "GatherV2"
    np.testing.assert_array_equal(run(columns), TABLE[:, [2, 0]])


def test_gather_nd_reads_elements_alone():
    elements = tf.gather_nd(table(), [[3, 0], [1, 2]])
    assert elements.op.inputs[0].op.type == "ResourceGatherNd"
    np.testing.assert_array_equal(run(elements), [TABLE[3, 0], TABLE[1, 2]])


@pytest.mark.parametrize("indices", [[[1], [3], [1]], [[0, 1], [0, 1]]])
def test_gradient_of_gather_nd(indices):
    variable = table()
    (grad,) = tf.gradients(2 * tf.gather_nd(variable, indices), variable)
    expected = np.zeros_like(TABLE)
    np.add.at(expected, tuple(np.array(indices).T), 2)
    np.testing.assert_array_equal(run(tf.convert_to_tensor(grad)), expected)


def test_gradient_of_gather_is_of_the_rows_read():
    variable = table()
    (grad,) = tf.gradients(2 * tf.gather(variable, [[3, 0], [3, 3]]), variable)
    assert isinstance(grad, tf.IndexedSlices)
    np.testing.assert_array_equal(run(grad.indices), [3, 0, 3, 3])
    assert run(tf.convert_to_tensor(grad))[3].tolist() == [6.0, 6.0, 6.0]


def test_batch_dims():
    variable = table()
    indices = np.array([[0, 2], [1, 1], [2, 0], [0, 0]])
    found = tf.raw_ops.ResourceGather(
        resource=variable.handle, indices=indices, batch_dims=1, dtype=tf.float64
    )
    assert found.shape.as_list() == [4, 2]
    np.testing.assert_array_equal(run(found), np.take_along_axis(TABLE, indices, 1))
    counts = np.zeros_like(TABLE)
    np.add.at(counts, (np.arange(4)[:, np.newaxis], indices), 1)
    np.testing.assert_array_equal(run(tf.gradients(found, variable)[0]), counts)


def test_rows_after_an_assignment_are_the_new_ones():
    variable = table()
    after = variable.assign(TABLE + 100)
    np.testing.assert_array_equal(run(tf.gather(after, [1])), TABLE[[1]] + 100)
    np.testing.assert_array_equal(run(after.gather_nd([[0, 0]])), [100])


def test_rows_that_were_read_stay_as_they_were():
    variable = table()
    rows = tf.gather(variable, [0, 1])
    with tf.control_dependencies([rows]):
        change = variable.assign_add(TABLE * 0 + 1)
    np.testing.assert_array_equal(run([rows, change])[0], TABLE[:2])


def test_wrong_indices_are_refused():
    variable = table()
    with pytest.raises(tf.errors.InvalidArgumentError, match="4"):
        run(tf.gather(variable, [4]))
    with pytest.raises(ValueError, match=r"indices.shape\[-1\] must be <= params.rank"):
        tf.gather_nd(variable, [[0, 0, 0]])
    scalar = tf.get_variable("scalar", initializer=1.0, use_resource=True)
    with pytest.raises(ValueError, match="at least rank 1"):
        tf.gather(scalar, [0])


def test_uninitialised_variables_have_no_rows():
    rows = tf.gather(table(), [0])
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError, match="table"):
        session.run(rows)
