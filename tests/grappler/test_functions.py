"""Calls of functions: which become the nodes of the body, and which stay calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import get_op
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.func_graph import trace
from featherflow.graph.graph import Graph
from featherflow.graph.traced_function import TracedFunction

from .running import all_but, ops_of, optimized, plan_of, run

_CALL = "PartitionedCall"
_VECTOR = TensorShape([2])


def define(graph: Graph, name: str, function: Callable[..., Any], count: int = 1) -> NameAttrList:
    """Adds a function of `count` vectors to the graph's library."""
    arguments = [(tf.float32, _VECTOR, f"x{index}") for index in range(count)]
    body, _ = trace(name, function, arguments)
    graph._add_function(TracedFunction(name, body))
    return NameAttrList(name)


def call(f: NameAttrList, *inputs: Any, op: str = _CALL, results: int = 1) -> list[Any]:
    return get_op(op)(list(inputs), f=f, Tout=[tf.float32] * results)


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize("op", [_CALL, "StatefulPartitionedCall"])
def test_calls_become_bodies(graph: Graph, op: str) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    f = define(graph, "f", lambda a, b: [a * b, b, tf.sin(a)], 2)
    fetches = call(f, x, x + 1.0, op=op, results=3)
    step, _ = optimized(graph, fetches, [x])
    assert ops_of(step) == ["Const", "AddV2", "Mul", "Sin"]
    results = run(plan_of(step), [np.float32([1.0, 2.0])])
    np.testing.assert_array_equal(results[:2], [[2.0, 6.0], [2.0, 3.0]])
    devices = {node.device for node in step.nodes if node.definition.name != "_Feed"}
    assert devices == {"/job:localhost/replica:0/task:0/device:CPU:0"}


def test_calls_in_bodies_become_bodies_and_names_differ(graph: Graph) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    inner = define(graph, "inner", lambda a: tf.exp(a))
    outer = define(graph, "outer", lambda a: call(inner, call(inner, a)[0])[0])
    (y,), (z,) = call(outer, x), call(outer, -x)
    step, _ = optimized(graph, [y, z], [x])
    assert ops_of(step).count("Exp") == 4 and _CALL not in ops_of(step)
    names = [node.name for node in step.nodes]
    assert len(set(names)) == len(names)
    results = run(plan_of(step), [np.float32([0.0, -1.0])])
    expected = np.exp(np.exp(np.float32([[0.0, -1.0], [0.0, 1.0]])))
    np.testing.assert_allclose(results, expected, rtol=1e-6)


def test_bodies_are_folded_with_what_is_around_them(graph: Graph) -> None:
    f = define(graph, "f", lambda a: a * 2.0)
    (y,) = call(f, tf.constant([1.0, 2.0]))
    step, _ = optimized(graph, [y])
    assert ops_of(step) == ["Const"]


def test_errors_name_the_node_of_the_body(graph: Graph) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    f = define(graph, "f", lambda a: tf.reshape(a, tf.cast(a, tf.int32), name="in_the_body"))
    (y,) = call(f, x)
    step, _ = optimized(graph, [y], [x])
    with pytest.raises(InvalidArgumentError, match="in_the_body"):
        run(plan_of(step), [np.float32([5.0, 5.0])])


def stateful(a: Any) -> Any:
    return a * tf.random_uniform([2])


def on_a_device(a: Any) -> Any:
    with tf.device("/cpu:0"):
        return tf.negative(a)


def ordered(a: Any) -> Any:
    with tf.control_dependencies([tf.check_numerics(a, "no number")]):
        return tf.identity(a)


def branching(a: Any) -> Any:
    return tf.cond(a[0] > 0, lambda: a, lambda: -a)


@pytest.mark.parametrize("function", [stateful, on_a_device, ordered, branching])
def test_bodies_that_do_more_than_compute_stay(
    graph: Graph, function: Callable[[Any], Any]
) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    (y,) = call(define(graph, "f", function), x, op="StatefulPartitionedCall")
    step, _ = optimized(graph, [y], [x])
    assert ops_of(step) == ["StatefulPartitionedCall"]


def test_functions_that_call_themselves_and_missing_ones_stay(graph: Graph) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    again = NameAttrList("again")
    define(graph, "again", lambda a: [call(again, call(again, a)[0])[0]] * 1)
    fetches = [*call(again, x), *call(NameAttrList("missing"), x)]
    step, _ = optimized(graph, fetches, [x])
    assert ops_of(step) == [_CALL, _CALL]


def test_calls_with_other_arguments_or_that_are_ordered_stay(graph: Graph) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    f = define(graph, "f", lambda a: a * 2.0)
    with tf.control_dependencies([x + 1.0]):
        (ordered_call,) = call(f, x)
    fetches = [ordered_call, *call(f, x, x)]
    step, _ = optimized(graph, fetches, [x], disabled=all_but("function_inlining"))
    assert ops_of(step).count(_CALL) == 2


def test_many_calls_are_bounded(graph: Graph) -> None:
    x = tf.placeholder(tf.float32, [2], "x")
    f = define(graph, "f0", lambda a: tf.exp(a))
    for level in range(1, 20):  # 2 ** 19 nodes, if nothing stopped it
        f = define(graph, f"f{level}", lambda a, f=f: call(f, call(f, a)[0])[0])
    step, _ = optimized(graph, call(f, x), [x], disabled=all_but("function_inlining"))
    assert len(step.nodes) < 25_000 and _CALL in ops_of(step)
