"""Fused cells against the cells of tf.nn.rnn_cell that they stand for: values and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

TIME, BATCH, DEPTH, UNITS = 4, 3, 5, 6


def _inputs(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


def _outcome(make_cell, run):
    """Outputs, and the gradients by name of variable and of the inputs.

    Variables take their values from their names, so that cells that share names share values.
    """
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs = tf.constant(_inputs(TIME, BATCH, DEPTH))
        with tf.variable_scope("net"):
            outputs, state = run(make_cell(), inputs)
        variables = tf.trainable_variables()
        loss = tf.reduce_sum(tf.square(outputs)) + tf.reduce_sum(tf.sin(state))
        gradients = tf.gradients(loss, [inputs, *variables])
        names = ["inputs", *(v.op.name.rpartition("cell/")[2] for v in variables)]
        for variable, name in zip(variables, names[1:]):
            seed = sum(name.encode())
            random = np.random.default_rng(seed)
            variable.load(random.standard_normal(variable.shape.as_list()) * 0.4, sess)
        values = sess.run([outputs, state, gradients])
        return [*values[:2], dict(zip(names, values[2]))]


def _over_time(cell, inputs, lengths=None):
    outputs, state = tf.nn.dynamic_rnn(
        cell, inputs, lengths, dtype=tf.float32, time_major=True, scope="rnn"
    )
    return outputs, tf.concat(state, 0) if isinstance(state, tuple) else state


def _at_once(cell, inputs, lengths=None):
    outputs, state = cell(inputs, dtype=tf.float32, sequence_length=lengths)
    return outputs, tf.concat(state, 0)


def _assert_alike(first, second):
    for ours, theirs in zip(first[:2], second[:2]):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    assert first[2].keys() == second[2].keys()
    for name, gradient in second[2].items():
        np.testing.assert_allclose(first[2][name], gradient, rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("lengths", [None, [4, 0, 2]])
@pytest.mark.parametrize("peepholes", [False, True])
def test_lstm(peepholes, lengths):
    def plain():
        return tf.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=peepholes, forget_bias=0.5)

    def block():
        return tf.contrib.rnn.LSTMBlockCell(UNITS, forget_bias=0.5, use_peephole=peepholes)

    def fused():
        return tf.contrib.rnn.LSTMBlockFusedCell(UNITS, 0.5, use_peephole=peepholes)

    expected = _outcome(plain, lambda cell, x: _over_time(cell, x, lengths))
    _assert_alike(_outcome(block, lambda cell, x: _over_time(cell, x, lengths)), expected)
    _assert_alike(_outcome(fused, lambda cell, x: _at_once(cell, x, lengths)), expected)


def test_gru():
    expected = _outcome(lambda: tf.nn.rnn_cell.GRUCell(UNITS), _over_time)
    _assert_alike(_outcome(lambda: tf.contrib.rnn.GRUBlockCellV2(UNITS), _over_time), expected)


def test_variables():
    cell = tf.contrib.rnn.GRUBlockCell(cell_size=2)
    cell(tf.zeros([1, 3]), tf.zeros([1, 2]))
    assert {v.op.name for v in cell.variables} == {
        f"gru_cell/{name}" for name in ("w_ru", "w_c", "b_ru", "b_c")
    }


def test_clipping_bounds_the_memory():
    cell = tf.contrib.rnn.LSTMBlockCell(2, forget_bias=5.0, cell_clip=0.25)
    _, state = cell(tf.ones([1, 3]), (tf.fill([1, 2], 3.0), tf.zeros([1, 2])))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert np.abs(sess.run(state.c)).max() == 0.25


def test_lists_come_back_as_lists():
    cell = tf.contrib.rnn.LSTMBlockFusedCell(2)
    outputs, state = cell([tf.ones([1, 3])] * 4, initial_state=(tf.zeros([1, 2]),) * 2)
    assert len(outputs) == 4
    assert state.h.shape.as_list() == [1, 2]


def test_mistakes_are_refused():
    with pytest.raises(ValueError, match="Exactly one"):
        tf.contrib.rnn.GRUBlockCell(2, cell_size=2)
    with pytest.raises(ValueError, match="length 2"):
        tf.contrib.rnn.LSTMBlockCell(2)(tf.zeros([1, 3]), (tf.zeros([1, 2]),))
