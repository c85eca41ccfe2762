"""convert_variables_to_constants: what a frozen graph is, and that it gives the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.graph.graph_def_error import GraphDefError


def linear(use_resource: bool) -> tuple[Any, Any]:
    """`y = x @ w + b` with initialised variables, and a third one that y does not need."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=use_resource)
        b = tf.get_variable("b", initializer=[5.0, 6.0], use_resource=use_resource)
        tf.get_variable("unused", initializer=[7.0], use_resource=use_resource)
        tf.add(tf.matmul(x, w), b, name="y")
        tf.gather(w, [1], name="row")
        tf.cond(tf.placeholder(tf.bool, name="p"), lambda: w * 2.0, lambda: w, name="cond")
        session = tf.Session(graph=graph)
        session.run(tf.global_variables_initializer())
    return graph, session


def freeze(graph: Any, session: Any, *outputs: str, **options: Any) -> Any:
    return tf.graph_util.convert_variables_to_constants(
        session, graph.as_graph_def(), outputs, **options
    )


def run(message: Any, fetch: str, feeds: dict[str, Any]) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(message, name="")
        return session.run(fetch, feeds)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(
    ("output", "feeds"),
    [
        ("y", {"x:0": [[1.0, 1.0]]}),
        ("row", {}),
        ("cond/Merge", {"p:0": True}),
        ("cond/Merge", {"p:0": False}),
    ],
)
def test_values_are_the_same(use_resource: bool, output: str, feeds: dict[str, Any]) -> None:
    graph, session = linear(use_resource)
    message = freeze(graph, session, output)
    ops = {item.op for item in message.node}
    assert not {op for op in ops if "Variable" in op or "VarHandle" in op or "Resource" in op}
    expected = session.run(f"{output}:0", feeds)
    assert run(message, f"{output}:0", feeds).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("use_resource", "expected"),
    [
        (False, "x w w/read b b/read MatMul y"),
        (True, "x w b MatMul/ReadVariableOp MatMul y/ReadVariableOp y"),
    ],
)
def test_structure(use_resource: bool, expected: str) -> None:
    graph, session = linear(use_resource)
    message = freeze(graph, session, "y")
    assert sorted(item.name for item in message.node) == sorted(expected.split())
    constants = {item.name: item for item in message.node if item.op == "Const"}
    assert set(constants) == {"w", "b"}
    assert tf.make_ndarray(constants["b"].attr["value"].tensor).tolist() == [5.0, 6.0]


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(
    ("options", "constants"),
    [
        ({"variable_names_whitelist": ["w"]}, {"w"}),
        ({"variable_names_blacklist": ["w"]}, {"b"}),
        ({"variable_names_whitelist": ["w"], "variable_names_blacklist": ["w"]}, set()),
    ],
)
def test_chosen_variables(use_resource: bool, options: Any, constants: set[str]) -> None:
    graph, session = linear(use_resource)
    message = freeze(graph, session, "y", **options)
    assert {item.name for item in message.node if item.op == "Const"} == constants


def test_resource_gather_becomes_gather() -> None:
    graph, session = linear(use_resource=True)
    message = freeze(graph, session, "row")
    row = next(item for item in message.node if item.name == "row")
    assert (row.op, list(row.input)) == ("GatherV2", ["w", "row/indices", "row/axis"])
    axis = next(item for item in message.node if item.name == "row/axis")
    assert tf.make_ndarray(axis.attr["value"].tensor) == np.int32(0)


def test_uninitialised_variables() -> None:
    graph, _ = linear(use_resource=False)
    with tf.Session(graph=graph) as session, pytest.raises(tf.errors.FailedPreconditionError):
        freeze(graph, session, "y")


def test_missing_outputs() -> None:
    graph, session = linear(use_resource=False)
    with pytest.raises(AssertionError, match="nope is not in graph"):
        freeze(graph, session, "nope")


def test_ops_that_need_the_variable_itself() -> None:
    graph, session = linear(use_resource=True)
    with graph.as_default():
        handle = graph.get_tensor_by_name("b:0")
        tf.raw_ops.AssignAddVariableOp(resource=handle, value=[1.0, 1.0], name="update")
    with pytest.raises(GraphDefError, match="needs the variable 'b' itself"):
        freeze(graph, session, "update")
