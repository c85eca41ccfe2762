"""What a feed replaces: a placeholder that something runs after."""

from __future__ import annotations

import pytest

import featherflow as tf


def test_nodes_that_run_after_a_fed_placeholder() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        after = tf.group(x.op, name="after")
        with tf.control_dependencies([x.op]):
            y = tf.constant(2.0)
        assert session.run([after, y], {x: 1.0}) == [None, 2.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
            session.run(y)


def test_other_nodes_run_although_they_are_fed() -> None:
    """As in TensorFlow: what is fed is the value, and whoever runs after the node wants it run."""
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(0)
        added = tf.assign_add(variable, 1)
        with tf.control_dependencies([added.op]):
            y = tf.constant(2.0)
        session.run(variable.initializer)
        assert session.run(y, {added: 7}) == 2.0
        assert session.run(variable) == 1
