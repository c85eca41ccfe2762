"""tf.contrib.rnn: cells and loops besides those of tf.nn, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

rnn = tf.contrib.rnn


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        yield


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def run(fetches):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def test_cells_are_those_of_nn() -> None:
    for name in ("BasicLSTMCell", "LSTMCell", "GRUCell", "MultiRNNCell", "DropoutWrapper"):
        assert getattr(rnn, name) is getattr(tf.nn.rnn_cell, name)
    assert rnn.static_rnn is tf.nn.static_rnn


def test_layer_norm_lstm() -> None:
    x, c, h = normal(2, 3), normal(2, 4, seed=1), normal(2, 4, seed=2)
    cell = rnn.LayerNormBasicLSTMCell(4)
    state = rnn.LSTMStateTuple(tf.constant(c), tf.constant(h))
    output, new_state = cell(tf.constant(x), state)
    kernel_name = "layer_norm_basic_lstm_cell/kernel"
    assert tf.global_variables()[0].op.name == kernel_name
    assert len(tf.trainable_variables()) == 11 == len(cell.trainable_variables)
    kernel, got, last = run([tf.global_variables()[0], output, new_state])

    def norm(value: np.ndarray) -> np.ndarray:
        return (value - value.mean(1, keepdims=True)) / value.std(1, keepdims=True)

    i, j, f, o = (norm(part) for part in np.split(np.hstack([x, h]) @ kernel, 4, 1))
    new_c = norm(c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j))
    np.testing.assert_allclose(last.c, new_c, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(got, np.tanh(new_c) * sigmoid(o), rtol=1e-4, atol=1e-5)


def test_layer_norm_lstm_without_norm_is_a_plain_lstm() -> None:
    x = tf.constant(normal(2, 3))
    with tf.variable_scope("s", initializer=tf.constant_initializer(0.1)):
        own = rnn.LayerNormBasicLSTMCell(4, layer_norm=False)
        plain = tf.nn.rnn_cell.BasicLSTMCell(4)
        first, _ = own(x, own.zero_state(2, tf.float32))
        second, _ = plain(x, plain.zero_state(2, tf.float32))
    bias = [v for v in tf.global_variables() if v.op.name.endswith("cell/bias")]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([tf.assign(variable, tf.zeros_like(variable)) for variable in bias])
        np.testing.assert_allclose(*sess.run([first, second]), rtol=1e-5)


def test_recurrent_dropout() -> None:
    cell = rnn.LayerNormBasicLSTMCell(50, layer_norm=False, dropout_keep_prob=0.5)
    _, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    zeros = np.count_nonzero(run(state).c == 0)
    assert 20 < zeros < 80


def test_projections() -> None:
    x = normal(2, 3)
    inner = tf.nn.rnn_cell.BasicRNNCell(4)
    cell = rnn.OutputProjectionWrapper(rnn.InputProjectionWrapper(inner, 5), 6, tf.nn.relu)
    assert cell.output_size == 6 and cell.state_size == 4
    output, state = cell(tf.constant(x), cell.zero_state(2, tf.float32))
    shapes = {v.op.name: v.shape.as_list() for v in tf.global_variables()}
    assert shapes["output_projection_wrapper/kernel"] == [4, 6]
    assert shapes["output_projection_wrapper/input_projection_wrapper/kernel"] == [3, 5]
    got, last, *weights = run([output, state, *tf.global_variables()])
    values = dict(zip(shapes, weights))
    projected = x @ values["output_projection_wrapper/input_projection_wrapper/kernel"]
    prefix = "output_projection_wrapper/input_projection_wrapper/basic_rnn_cell"
    hidden = np.tanh(np.hstack([projected, np.zeros((2, 4))]) @ values[f"{prefix}/kernel"])
    np.testing.assert_allclose(last, hidden, rtol=1e-4, atol=1e-6)
    wanted = np.maximum(hidden @ values["output_projection_wrapper/kernel"], 0)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError):
        rnn.OutputProjectionWrapper(inner, 0)


def test_embedding_wrapper() -> None:
    cell = rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(4), 7, 3)
    output, _ = cell(tf.constant([1, 6]), cell.zero_state(2, tf.float32))
    assert tf.global_variables()[0].op.name == "embedding_wrapper/embedding"
    table, value = run([tf.global_variables()[0], output])
    assert table.shape == (7, 3) and np.abs(table).max() <= np.sqrt(3) and value.shape == (2, 4)


def test_stacked_bidirectional() -> None:
    cells = [[tf.nn.rnn_cell.GRUCell(size) for size in (3, 4)] for _ in range(2)]
    outputs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
        *cells, tf.constant(normal(2, 5, 3)), dtype=tf.float32, sequence_length=[5, 2]
    )
    assert outputs.shape.as_list() == [2, 5, 8]
    names = [v.op.name for v in tf.trainable_variables()]
    assert names[0] == "stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/gru_cell/gates/kernel"
    assert len(names) == 16
    value, last_fw, last_bw = run([outputs, forward, backward])
    np.testing.assert_allclose(value[0, 4, :4], last_fw[1][0], rtol=1e-5)
    np.testing.assert_allclose(value[1, 1, :4], last_fw[1][1], rtol=1e-5)
    np.testing.assert_allclose(value[:, 0, 4:], last_bw[1], rtol=1e-5)
    assert not value[1, 2:].any()
    with pytest.raises(ValueError):
        rnn.stack_bidirectional_dynamic_rnn(cells[0], cells[1][:1], tf.zeros([2, 5, 3]))


def test_stacked_static_bidirectional() -> None:
    cells = [[tf.nn.rnn_cell.GRUCell(3)] for _ in range(2)]
    steps = [tf.constant(normal(2, 3, seed=step)) for step in range(3)]
    outputs, _, _ = rnn.stack_bidirectional_rnn(*cells, steps, dtype=tf.float32)
    assert [output.shape.as_list() for output in outputs] == [[2, 6]] * 3
