"""Functions in graphs: FuncGraphs, calls, If, Case, While, their messages and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.attr_value import NameAttrList
from featherflow.graph.func_graph import FuncGraph, trace
from featherflow.graph.function_inlining import inline
from featherflow.graph.traced_function import TracedFunction
from featherflow.ops.functional_ops import (
    Case,
    If,
    PartitionedCall,
    StatefulPartitionedCall,
    While,
)

SCALAR = tf.TensorShape([])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def define(graph, name, function, count=1, dtype=tf.float32, shape=SCALAR):
    """Adds a function of `count` arguments to the graph's library."""
    body, _ = trace(name, function, [(dtype, shape, f"x{index}") for index in range(count)])
    graph._add_function(TracedFunction(name, body))
    return NameAttrList(name)


# --- FuncGraph ------------------------------------------------------------------------------------


def test_outer_tensors_become_arguments():
    x = tf.constant(3.0, name="x")
    body, _ = trace("twice", lambda y: x * y + x, [(tf.float32, SCALAR, "y")])
    assert [tensor.name for tensor in body.inputs] == ["y:0", "x:0"]
    assert body.external_captures == [x]
    assert body.internal_captures == [body.inputs[1]]
    assert body.building_function


def test_functions_within_functions_capture_through_each_other():
    x = tf.constant(3.0)

    def outer():
        inner, _ = trace("inner", lambda: x * 2.0)
        assert inner.external_captures[0].graph is not x.graph
        return inner.external_captures[0]

    body, _ = trace("outer", outer)
    assert body.external_captures == [x]


def test_tensors_of_other_graphs_are_refused():
    with tf.Graph().as_default():
        stranger = tf.constant(1.0)
    body = FuncGraph("body")
    with body.as_default(), pytest.raises(ValueError, match="function 'body' is not in"):
        stranger + 1.0
    with pytest.raises(ValueError, match="another graph"):
        tf.constant(1.0) + stranger


def test_control_dependencies_on_what_is_outside():
    x = tf.constant(3.0)
    body = FuncGraph("body")
    with body.as_default(), tf.control_dependencies([x]):
        assert tf.constant(1.0).op.control_inputs == []


def test_inlined_bodies():
    n = tf.placeholder(tf.int32, [])

    def loop(x):
        return tf.while_loop(lambda i, p: i < n, lambda i, p: (i + 1, p * x), [0, 1.0])[1]

    body, _ = trace("power", loop, [(tf.float32, SCALAR, "x")])
    results = [inline(body, [tf.constant(base), n])[0] for base in (2.0, 3.0)]
    assert run(results, {n: 3}) == [8.0, 27.0]
    with pytest.raises(ValueError, match="Expected 2 inputs, received 1"):
        inline(body, [n])


# --- calls ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [PartitionedCall, StatefulPartitionedCall])
def test_calls(graph, call):
    f = define(graph, "f", lambda a, b: (a * b, a + b), 2)
    x = tf.constant(3.0)
    product, total = call([x, 2.0], f=f, Tout=[tf.float32, tf.float32])
    assert product.shape.as_list() == []
    assert run([product, total]) == [6.0, 5.0]
    assert run(tf.gradients([product, total], x)) == [3.0]
    (first,) = tf.gradients(call([x, x], f=f, Tout=[tf.float32] * 2)[0], x)
    assert run([first, *tf.gradients(first, x)]) == [6.0, 2.0]


def test_calls_of_unknown_functions():
    (y,) = PartitionedCall([1.0], f=NameAttrList("missing"), Tout=[tf.float32])
    assert y.shape.rank is None
    with pytest.raises(tf.errors.NotFoundError, match="missing"):
        run(y)
    with pytest.raises(LookupError, match="'missing' is not in the library"):
        tf.gradients(y, y.op.inputs[0])


def test_calls_with_another_number_of_arguments(graph):
    f = define(graph, "f", lambda a: a, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="another number of arguments"):
        run(PartitionedCall([1.0, 2.0], f=f, Tout=[tf.float32]))


def test_functions_that_call_themselves_have_unknown_shapes(graph):
    body, _ = trace(
        "again",
        lambda x: PartitionedCall([x], f=NameAttrList("again"), Tout=[tf.float32]),
        [(tf.float32, SCALAR, "x")],
    )
    graph._add_function(TracedFunction("again", body))
    (y,) = PartitionedCall([1.0], f=NameAttrList("again"), Tout=[tf.float32])
    assert y.shape.rank is None


def test_functions_see_variables_by_their_handles(graph):
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer(), use_resource=True)
    body, _ = trace("scaled", lambda x: weight * x * 5.0, [(tf.float32, SCALAR, "x")])
    graph._add_function(TracedFunction("scaled", body))
    x = tf.constant(2.0)
    (y,) = PartitionedCall(
        [x, *body.external_captures], f=NameAttrList("scaled"), Tout=[tf.float32]
    )
    assert run([y, *tf.gradients(y, [x, weight])]) == [10.0, 5.0, 10.0]


def test_what_has_state_is_not_run_twice_for_a_gradient(graph):
    f = define(graph, "noise", lambda x: x * tf.random.uniform([]))
    x = tf.constant(2.0)
    (y,) = StatefulPartitionedCall([x], f=f, Tout=[tf.float32])
    with pytest.raises(LookupError, match=r"RandomUniform.* has state"):
        tf.gradients(y, x)


# --- If, Case, While ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cond", "taken"),
    [
        (True, True),
        (False, False),
        (np.float32(0.5), True),
        (np.int64(0), False),
        (b"", False),
        (b"text", True),
        (np.zeros([2], np.float32), True),
        (np.zeros([0], np.float32), False),
    ],
)
def test_what_if_takes_for_true(graph, cond, taken):
    then, other = define(graph, "then", lambda x: x), define(graph, "other", lambda x: -x)
    (y,) = If(cond, [1.0], Tout=[tf.float32], then_branch=then, else_branch=other)
    assert run(y) == (1.0 if taken else -1.0)


@pytest.mark.parametrize("flag", [True, False])
def test_if(graph, flag):
    pred = tf.placeholder(tf.bool, [])
    then = define(graph, "then", lambda x: x * x * x)
    other = define(graph, "other", lambda x: tf.constant([5.0]) + 0.0 * x)
    x = tf.constant(2.0)
    (y,) = If(pred, [x], Tout=[tf.float32], then_branch=then, else_branch=other)
    assert y.shape.rank is None
    first = tf.gradients(y, x)
    found = run([first, tf.gradients(first, x)], {pred: flag})
    assert found == ([[12.0], [12.0]] if flag else [[0.0], [0.0]])


def test_case_takes_the_last_branch_for_other_indices(graph):
    index, x = tf.placeholder(tf.int32, []), tf.constant(3.0)
    branches = [define(graph, f"branch{i}", lambda x, i=i: x ** float(i + 1)) for i in range(3)]
    (y,) = Case(index, [x], Tout=[tf.float32], branches=branches)
    slope = tf.gradients(y, x)
    assert [run(y, {index: i}) for i in (0, 1, 2, 3, -1)] == [3.0, 9.0, 27.0, 27.0, 27.0]
    assert [run(slope, {index: i})[0] for i in (0, 1, 2, 7)] == [1.0, 6.0, 27.0, 27.0]


def test_while(graph):
    cond = define(graph, "cond", lambda p, x: p < 20.0, 2)
    body = define(graph, "body", lambda p, x: (p * x, x), 2)
    x = tf.constant(3.0)
    p, same = While([x, x], cond=cond, body=body)
    first = tf.gradients(p, x)
    assert run([p, same, first, tf.gradients(first, x)]) == [27.0, 3.0, [27.0], [18.0]]
    stated = While([x, x], cond=cond, body=body, output_shapes=[[], []])
    assert stated[0].shape.as_list() == []
    assert run(tf.gradients(stated[0], x)) == [27.0]


# --- messages -------------------------------------------------------------------------------------


def test_functions_survive_a_graph_def(graph):
    scale = tf.constant(10.0, name="scale")

    def split(x):
        first, second = tf.split(x, 2)
        return tf.concat([second * scale, first], 0)

    body, _ = trace("swap", split, [(tf.float32, tf.TensorShape([4]), "Input/Value")])
    graph._add_function(TracedFunction("swap", body, {"_noinline": True}))
    x = tf.constant([1.0, 2.0, 3.0, 4.0], name="x")
    PartitionedCall([x, scale], f=NameAttrList("swap"), Tout=[tf.float32], name="call")
    message = graph.as_graph_def()
    (function,) = message.library.function
    assert function.signature.name == "swap"
    assert [arg.name for arg in function.signature.input_arg] == ["input_value", "scale"]
    assert function.attr["_noinline"].b
    assert not function.signature.is_stateful
    inputs = {name for node in function.node_def for name in node.input}
    assert {"split:output:0", "split:output:1", "input_value", "scale"} <= inputs
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(message, return_elements=["call:0"], name="")
        assert run(y).tolist() == [30.0, 40.0, 1.0, 2.0]


def test_effects_are_part_of_a_function():
    total = tf.get_variable("total", [], initializer=tf.zeros_initializer(), use_resource=True)

    def count():
        update = tf.assign_add(total, 1.0)
        return tf.constant(1.0), update.op

    body, _ = trace("count", count)
    assert [op.type for op in body.control_outputs] == ["AssignAddVariableOp"]
    function = TracedFunction("count", body)
    message = function.function_def()
    assert message.signature.is_stateful
    assert list(message.control_ret) == [body.control_outputs[0].name]
    graph = tf.get_default_graph()
    graph._add_function(function)
    (y,) = StatefulPartitionedCall(
        body.external_captures, f=NameAttrList("count"), Tout=[tf.float32]
    )
    with tf.Session() as session:
        session.run(total.initializer)
        session.run(y)
        session.run(y)
        assert session.run(total) == 2.0


def test_functions_are_called_by_name(graph):
    f = define(graph, "named", lambda a, b: (a - b, a), 2)
    operation = graph._get_function(f.name).definition(5.0, 3.0, name="call")
    assert run(list(operation)) == [2.0, 5.0]
