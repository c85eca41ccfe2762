"""Graphs that are written, read and written again are the same, and compute the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.op_case import OpCase
from ops.test_op_properties import ROWS, Built

import featherflow as tf


def read_again(graph: Any) -> Any:
    again = tf.Graph()
    with again.as_default():
        tf.import_graph_def(graph.as_graph_def(), name="")
    return again


@pytest.mark.parametrize("case", [pytest.param(case, id=key) for key, case in ROWS.items()])
def test_ops(case: OpCase) -> None:
    built = Built(case, case.dtypes[0])
    again = read_again(built.graph)
    assert again.as_graph_def() == built.graph.as_graph_def()
    for before, after in zip(built.graph.get_operations(), again.get_operations()):
        assert [tensor.shape for tensor in after.outputs] == [
            tensor.shape for tensor in before.outputs
        ]
    if built.outputs:
        check_values(built, again)


def check_values(built: Built, again: Any) -> None:
    fetches = [tensor.name for tensor in built.outputs]
    feeds = {tensor.name: value for tensor, value in built.feeds.items()}
    expected = built.run()
    with tf.Session(graph=again) as session:
        actual = session.run(fetches, feeds)
    for before, after in zip(expected, actual):
        np.testing.assert_array_equal(np.asarray(after), np.asarray(before))


def test_shapes_are_written_on_request() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2])
        tf.identity(x, name="y")
    message = graph.as_graph_def(add_shapes=True)
    (shape,) = message.node[1].attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [-1, 2]
    assert "_output_shapes" not in graph.as_graph_def().node[1].attr


def test_nodes_made_since_a_version() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="a")
        version = graph.version
        tf.constant(1, name="b")
    assert [item.name for item in graph.as_graph_def(from_version=version).node] == ["b"]


@pytest.mark.parametrize("value", [0.1, 1e-45, float("inf"), -0.0, 1 / 3])
def test_float_attributes_have_single_precision(value: float) -> None:
    with tf.Graph().as_default() as graph:
        made = tf.raw_ops.LeakyRelu(features=tf.placeholder(tf.float32), alpha=value, name="y")
    again = read_again(graph).get_operation_by_name("y")
    assert again.attrs["alpha"] == made.op.attrs["alpha"] == float(np.float32(value))
