"""GraphDefs that the fuzz test damages: programs of every kind, and every op that has a row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from ops.op_case import load_cases
from ops.test_op_properties import Built

import featherflow as tf
from featherflow.graph.graph import Graph
from featherflow.protos.graph_pb2 import GraphDef

from .graph_defs import calling, const, function, graph_def, node, placeholder


def programs() -> Iterator[tuple[str, GraphDef]]:
    """(name, GraphDef) of each program."""
    for build in (dense_training, while_loop, conditional, variables, shapes, arrays, nested_loops):
        graph = Graph()
        with graph.as_default():
            build()
        yield build.__name__, graph.as_graph_def()
    yield "functions", functions()


def ops() -> Iterator[tuple[str, GraphDef]]:
    """(name, GraphDef) of a single node for each row of the op tests, its inputs constants."""
    for case in load_cases():
        built = Built(case, case.dtypes[0])
        yield case.key, with_constant_inputs(built)


def with_constant_inputs(built: Built) -> GraphDef:
    message = built.graph.as_graph_def()
    values = {tensor.op.name: value for tensor, value in built.feeds.items()}
    for item in message.node:
        if item.name in values:
            item.CopyFrom(const(item.name, values[item.name]))
    return message


def dense_training() -> None:
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.get_variable("w", [4, 3], initializer=tf.random_uniform_initializer(seed=1))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="loss")
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    tf.global_variables_initializer()


def while_loop() -> None:
    limit = tf.placeholder(tf.int32, [], name="limit")
    tf.while_loop(
        lambda i, total: i < limit, lambda i, total: [i + 1, total * 2.0], [0, tf.ones([2])]
    )


def conditional() -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.zeros_like(x) - 1.0)


def variables() -> None:
    counter = tf.Variable(0, name="counter")
    table = tf.Variable(tf.fill([3, 2], 1.5), use_resource=True, name="table")
    with tf.control_dependencies([tf.assign_add(counter, 1)]):
        tf.tile(tf.concat([table, table], 0), [1, counter], name="tiled")
    tf.global_variables_initializer()


def shapes() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    rows = tf.shape(x)[0]
    tf.reshape(tf.fill([rows, 6], 2.0), [rows, -1, 2], name="reshaped")
    tf.one_hot(tf.range(rows), 4, name="hot")
    tf.pad(x, [[1, 1], [0, 2]], name="padded")
    tf.tile(x, [2, 2], name="tiled")
    tf.random_uniform([rows, 4], seed=1, name="random")
    tf.strided_slice(x, [0, 0], [1, 2], name="sliced")
    tf.broadcast_to(tf.constant([1.0]), [rows, 2], name="broadcast")
    tf.linspace(0.0, 1.0, 5, name="line")
    text = tf.constant([b"a", b"\xff\x00"], name="text")
    tf.stack([text, text], name="stacked")


def arrays() -> None:
    values = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="values")
    tf.gather(values, [0, 2], name="rows")
    tf.split(values, [1, 2], axis=0, name="parts")
    tf.transpose(values, [1, 0], name="transposed")
    tf.unstack(values, axis=1, name="columns")
    tf.concat([values, values], axis=1, name="wide")
    array = tf.TensorArray(tf.float32, size=3).unstack(values)
    tf.identity(array.write(1, [9.0, 9.0]).stack(), name="rebuilt")


def nested_loops() -> None:
    def outer(i: tf.Tensor, total: tf.Tensor) -> list[tf.Tensor]:
        inner = tf.while_loop(lambda j: j < i, lambda j: j + 1, [0])
        return [i + 1, total + inner]

    tf.while_loop(lambda i, total: i < 4, outer, [0, 0])


def functions() -> GraphDef:
    inner = function(
        "Inner",
        {"a": tf.float32},
        {"o": tf.float32},
        [node("y", "AddV2", "a a", T=tf.float32)],
        {"o": "y:z:0"},
    )
    outer = function(
        "Outer",
        {"a": "T", "b": tf.float32},
        {"o": "T", "p": tf.float32},
        [node("i", "Inner", "b"), node("same", "Identity", "a")],
        {"o": "same:output:0", "p": "i:o:0"},
    )
    outer.node_def[1].attr["T"].placeholder = "T"
    small = function(
        "IsSmall",
        {"a": tf.float32},
        {"o": tf.bool},
        [const("c", np.float32(100)), node("y", "Less", "a c:output:0", T=tf.float32)],
        {"o": "y:z:0"},
    )
    types = {"T": (tf.float32,)}
    call = {"Tin": (tf.float32,), "Tout": (tf.float32,)}
    return graph_def(
        placeholder("x", shape=[]),
        node("call", "Outer", "x x", T=tf.float32),
        node("sum", "AddV2", "call call:1", T=tf.float32),
        node(
            "small", "PartitionedCall", "x", f=calling("IsSmall"), Tin=call["Tin"], Tout=(tf.bool,)
        ),
        node(
            "if",
            "If",
            "small x",
            then_branch=calling("Inner"),
            else_branch=calling("Inner"),
            Tcond=tf.bool,
            **call,
        ),
        node("while", "While", "x", cond=calling("IsSmall"), body=calling("Inner"), **types),
        functions=[inner, outer, small],
    )


def built_seeds() -> tuple[list[tuple[str, GraphDef]], list[tuple[str, GraphDef]]]:
    """Programs and single ops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(programs()), list(ops())
