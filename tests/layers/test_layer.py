"""What layers are as objects: their facts, conditions, copies, graphs."""

from __future__ import annotations

import copy
import gc
import inspect
import weakref

import numpy as np
import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_facts_of_a_dense_layer() -> None:
    layer = tf.layers.Dense(4)
    assert not layer.built and layer.dtype is None and layer.variables == []
    with pytest.raises(ValueError):
        layer.count_params()
    output = layer(tf.zeros([2, 3]))
    assert layer.built and layer.dtype == "float32" and layer.count_params() == 16
    assert layer.output is output and layer.output_shape.as_list() == [2, 4]
    assert layer.input_shape.as_list() == [2, 3]
    assert layer.compute_output_shape([None, 7, 3]).as_list() == [None, 7, 4]
    assert layer.graph is tf.get_default_graph()
    layer(tf.zeros([5, 3]))
    with pytest.raises(AttributeError):
        _ = layer.output


def test_a_layer_that_is_not_trainable() -> None:
    layer = tf.layers.Dense(4, trainable=False)
    layer(tf.zeros([2, 3]))
    assert tf.trainable_variables() == [] and layer.trainable_variables == []
    assert [v.op.name for v in layer.non_trainable_variables] == ["dense/kernel", "dense/bias"]


def test_names_are_numbered_in_each_graph() -> None:
    assert [tf.layers.Dense(1).name for _ in range(2)] == ["dense_1", "dense_2"]
    assert tf.layers.Conv2DTranspose(1, 1).name == "conv2d_transpose_1"
    assert tf.layers.Dense(1, name="mine").name == "mine"
    with tf.Graph().as_default():
        assert tf.layers.Dense(1).name == "dense_1"


def test_another_graph_is_refused() -> None:
    layer = tf.layers.Dense(4)
    layer(tf.zeros([2, 3]))
    with tf.Graph().as_default(), pytest.raises(ValueError):
        layer(tf.zeros([2, 3]))


def test_a_copy_makes_its_own_variables() -> None:
    cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    copies = [copy.deepcopy(cell) for _ in range(2)]
    stacked = tf.nn.rnn_cell.MultiRNNCell(copies)
    stacked(tf.zeros([2, 3]), stacked.zero_state(2, tf.float32))
    assert len(tf.trainable_variables()) == 4 and not cell.built
    built = copy.deepcopy(copies[0])
    assert built.built and built.variables[0] is copies[0].variables[0]
    assert [v.op.name for v in stacked.trainable_variables] == [
        f"multi_rnn_cell/cell_{index}/basic_lstm_cell/{name}"
        for index in range(2)
        for name in ("kernel", "bias")
    ]


@pytest.mark.parametrize(
    "conditions, shape, fits",
    [
        ({"ndim": 2}, [2, 3], True),
        ({"ndim": 2}, [2, 3, 4], False),
        ({"min_ndim": 2, "max_ndim": 3}, [2], False),
        ({"min_ndim": 2, "max_ndim": 3}, [2, 3, 4, 5], False),
        ({"min_ndim": 2, "max_ndim": 3}, [2, 3, 4], True),
        ({"axes": {-1: 3}}, [2, 3], True),
        ({"axes": {-1: 3}}, [2, 4], False),
        ({"axes": {-1: 3}}, [2, None], True),
        ({"shape": [None, 3]}, [2, 3], True),
        ({"shape": [None, 3]}, [2, 4], False),
        ({"shape": [None, 3]}, [2, 3, 1], False),
        ({"ndim": 2, "allow_last_axis_squeeze": True}, [2, 3, 1], True),
        ({"dtype": "int32"}, [2, 3], False),
        ({"ndim": 2}, None, True),
    ],
)
def test_input_specs(conditions: dict, shape: list | None, fits: bool) -> None:
    layer = tf.layers.Layer()
    layer.input_spec = tf.layers.InputSpec(**conditions)
    inputs = tf.placeholder(tf.float32, shape)
    if fits:
        assert layer(inputs) is inputs
    else:
        with pytest.raises(ValueError, match="incompatible with the layer"):
            layer(inputs)
    for key in conditions:
        if key != "allow_last_axis_squeeze":
            assert key in repr(layer.input_spec)


def test_the_number_of_inputs_is_checked() -> None:
    layer = tf.layers.Layer()
    layer.input_spec = [tf.layers.InputSpec(ndim=1), tf.layers.InputSpec(ndim=2)]
    assert len(layer([tf.zeros([2]), tf.zeros([2, 3])])) == 2
    with pytest.raises(ValueError):
        layer(tf.zeros([2]))


def test_signatures_tell_all_arguments() -> None:
    parameters = list(inspect.signature(tf.layers.conv2d).parameters)
    assert parameters[:4] == ["inputs", "filters", "kernel_size", "strides"]
    assert parameters[-3:] == ["trainable", "name", "reuse"]
    assert "reuse" not in inspect.signature(tf.layers.max_pooling2d).parameters
    assert tf.layers.conv2d.__doc__ and tf.layers.conv2d.__name__ == "conv2d"
    with pytest.raises(TypeError):
        tf.layers.conv2d(tf.zeros([2, 8, 8, 3]), 4)


def test_all_ways_to_give_channels() -> None:
    x = np.random.RandomState(0).normal(size=(2, 5, 6, 3)).astype(np.float32)
    last = tf.layers.conv2d(tf.constant(x), 4, 3, name="c")
    first = tf.layers.conv2d_transpose(
        tf.constant(x.transpose(0, 3, 1, 2)), 4, 3, data_format="channels_first", name="t"
    )
    same = tf.layers.conv2d_transpose(tf.constant(x), 4, 3, name="t", reuse=True)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(last).shape == (2, 3, 4, 4)
        got, wanted = sess.run([first, same])
    np.testing.assert_allclose(got.transpose(0, 2, 3, 1), wanted, rtol=1e-5, atol=1e-6)


def test_a_graph_is_freed_with_its_layers() -> None:
    graph = tf.Graph()
    with graph.as_default():
        layer = tf.layers.Dense(2)
        layer(tf.zeros([2, 3]))
        cell = tf.nn.rnn_cell.GRUCell(3)
        tf.nn.dynamic_rnn(cell, tf.zeros([2, 4, 3]), dtype=tf.float32)
    reference = weakref.ref(graph)
    del graph, layer, cell
    gc.collect()
    assert reference() is None
