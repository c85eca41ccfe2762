"""Graphs written as FunctionDefs; names are those that TensorFlow gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.function_def import GraphFunction
from featherflow.graph.function_export import function_def_message, function_op_def

Parts = tuple[list[Any], list[Any], list[Any]]


def odd_names() -> Parts:
    a, b, c, d = (tf.placeholder(tf.float32, name=name) for name in ("X-in", "a/b", "1x", "X_in"))
    total = tf.add(a, b, name="Sum/Out")
    parts = tf.split(tf.add(c, d, name="x_in"), 2, name="SP")
    return [a, b, c, d], [total, total, parts[1], parts[0], a], []


def control_results() -> Parts:
    a = tf.placeholder(tf.float32, name="a")
    y = tf.identity(a, name="y")
    w = tf.identity(y, name="w")
    return [a], [y], [tf.no_op(name="n"), w.op]


def node_named_like_an_argument() -> Parts:
    a = tf.placeholder(tf.float32, name="a")
    y = tf.identity(a, name="A")
    with tf.control_dependencies([a.op]):
        return [a], [tf.identity(y, name="b")], []


def stateful() -> Parts:
    a = tf.placeholder(tf.float32, name="a")
    best = tf.nn.top_k(a, 1, name="TopKV2")
    return [a], [best[1], tf.random_uniform([2], name="rnd")], []


def written(
    build: Callable[[], Parts], output_names: Any = None, **attrs: Any
) -> tuple[Any, Parts]:
    with tf.Graph().as_default() as graph:
        inputs, outputs, controls = build()
    op_def = function_op_def("F", graph, inputs, outputs, output_names)
    message = function_def_message(op_def, graph, inputs, outputs, controls, attrs)
    return message, (inputs, outputs, controls)


#: Recorded from TensorFlow 2.21: arguments, nodes with inputs, results, control results, state.
RECORDED: dict[Callable[[], Parts], tuple[str, dict[str, str], dict[str, str], Any, bool]] = {
    odd_names: (
        "x_in_0 a_b x x_in_1",
        {
            "Sum/Out": "x_in_0 a_b",
            "x_in_1_0": "x x_in_1",
            "SP/split_dim": "",
            "SP": "SP/split_dim:output:0 x_in_1_0:z:0",
        },
        {
            "sum_out": "Sum/Out:z:0",
            "sum_out_0": "Sum/Out:z:0",
            "sp": "SP:output:1",
            "sp_0": "SP:output:0",
            "x_in": "x_in_0",
        },
        {},
        False,
    ),
    control_results: (
        "a",
        {"y": "a", "w": "y:output:0", "n": ""},
        {"out": "y:output:0"},
        {"n": "n", "w": "w"},
        False,
    ),
    node_named_like_an_argument: (
        "a",
        {"A_1": "a", "b_0": "A_1:output:0 ^a"},
        {"b": "b_0:output:0"},
        {},
        False,
    ),
    stateful: (
        "a",
        {
            "TopKV2/k": "",
            "TopKV2": "a TopKV2/k:output:0",
            "rnd/shape": "",
            "rnd/RandomUniform": "rnd/shape:output:0",
        },
        {"topkv2": "TopKV2:indices:0", "rnd_randomuniform": "rnd/RandomUniform:output:0"},
        {},
        True,
    ),
}


@pytest.mark.parametrize("build", RECORDED, ids=lambda build: build.__name__)
def test_names(build: Callable[[], Parts]) -> None:
    arguments, nodes, results, controls, is_stateful = RECORDED[build]
    message, _ = written(build, ["out"] if build is control_results else None)
    assert [arg.name for arg in message.signature.input_arg] == arguments.split()
    assert {node.name: " ".join(node.input) for node in message.node_def} == nodes
    assert dict(message.ret) == results
    assert [arg.name for arg in message.signature.output_arg] == list(results)
    assert dict(message.control_ret) == controls
    assert list(message.signature.control_output) == list(controls)
    assert message.signature.is_stateful is is_stateful


def test_arguments_keep_shapes_and_marks() -> None:
    def build() -> Parts:
        a = tf.placeholder(tf.int32, [None, 2], name="a")
        a.op._set_attr("_user_specified_name", "A")
        return [a], [tf.identity(a)], []

    message, _ = written(build, _noinline=True)
    assert message.signature.input_arg[0].type == tf.int32.as_datatype_enum
    attrs = message.arg_attr[0].attr
    assert [dim.size for dim in attrs["_output_shapes"].list.shape[0].dim] == [-1, 2]
    assert attrs["_user_specified_name"].s == b"A"
    assert message.attr["_noinline"].b is True
    read = GraphFunction(message, {})
    assert read.inputs[0].shape == TensorShape([None, 2])


def test_what_is_written_can_be_called() -> None:
    message, (inputs, outputs, _) = written(odd_names)
    values = [np.float32([i, i + 1]) for i in range(4)]
    with tf.Session(graph=inputs[0].graph) as session:
        expected = session.run(outputs, dict(zip(inputs, values)))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        function = GraphFunction(message, graph._functions)
        graph._add_function(function)
        found = session.run(function.definition(*map(tf.constant, values)))
    for before, after in zip(expected, found):
        assert np.array_equal(before, after)
