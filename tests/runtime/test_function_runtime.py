"""Functions of the library, run by kernels inside a step."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.errors import (
    CancelledError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
)
from featherflow.framework.op import define_op, unregister_op
from featherflow.framework.resource import ResourceManager
from featherflow.framework.shape_inference import unknown_shapes
from featherflow.runtime import function_runtime
from featherflow.runtime.step_context import Cancellation, OpKernelContext


@dataclass
class Body:
    """A function: what FuncGraphs offer the runtime."""

    name: str
    graph: Any
    inputs: list[Any]
    outputs: list[Any]
    control_outputs: list[Any] = field(default_factory=list)


def function(name: str, build: Any, count: int = 1, dtype: Any = tf.int32) -> Body:
    """A function of `count` scalars; `build` returns its results, or (results, control outputs)."""
    graph = tf.Graph()
    with graph.as_default():
        inputs = [tf.placeholder(dtype, []) for _ in range(count)]
        made = build(*inputs)
    controls: list[Any] = []
    if isinstance(made, tuple):
        made, controls = made
    outputs = made if isinstance(made, list) else [made]
    return Body(name, graph, inputs, outputs, controls)


@pytest.fixture
def call() -> Any:
    """An op that runs the function in its attribute."""
    op = define_op(
        "TestCall",
        inputs=("args: Tin",),
        outputs=("results: Tout",),
        attrs=("Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func"),
        is_stateful=True,
    )
    op.shape_fn(unknown_shapes)

    @op.kernel("CPU")
    def run(ctx: Any, *args: Any, f: NameAttrList) -> Any:
        return ctx.run_function(f, args)

    def called(name: str, *args: Any, results: int = 1) -> Any:
        found = op(list(args), Tout=[tf.int32] * results, f=name)
        return found[0] if results == 1 else found

    yield called
    unregister_op("TestCall")


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_a_function_is_run_and_planned_once(graph, call, monkeypatch) -> None:
    graph._add_function(function("double", lambda x: x * 2))
    x = tf.placeholder(tf.int32, [])
    y = call("double", call("double", x))
    with tf.Session() as sess:
        runtime = sess._session.functions
        assert sess.run(y, {x: 3}) == 12
        assert sess.run(y + 0, {x: 4}) == 16
        assert len(runtime) == 1
    assert len(runtime) == 0


def test_functions_nest_and_recur(graph, call) -> None:
    graph._add_function(function("inner", lambda x: x + 1))
    graph._add_function(function("outer", lambda x: call("inner", x) * 10))

    def factorial(n: Any) -> Any:
        return tf.cond(n < 2, lambda: tf.constant(1), lambda: n * call("factorial", n - 1))

    graph._add_function(function("factorial", factorial))
    x = tf.placeholder(tf.int32, [])
    results = [call("outer", x), call("factorial", x)]
    with tf.Session() as sess:
        assert sess.run(results, {x: 5}) == [60, 120]


def test_several_results_and_loops(graph, call) -> None:
    def body(a: Any, b: Any) -> list[Any]:
        return [tf.while_loop(lambda i: i < b, lambda i: i + 2, [a]), b, a]

    graph._add_function(function("many", body, 2))
    results = call("many", tf.constant(1), tf.constant(8), results=3)
    with tf.Session() as sess:
        assert sess.run(results) == [9, 8, 1]


def test_a_function_without_results_runs_for_its_effect(graph, call, world) -> None:
    def body(x: Any) -> tuple[list[Any], list[Any]]:
        return [], [world.noted(x, tag="inside").op]

    graph._add_function(function("effect", body))
    node = call("effect", tf.constant(4), results=0)
    with tf.Session() as sess:
        sess.run(getattr(node, "op", None) or graph.get_operation_by_name("TestCall"))
    assert world.log == [("inside", 4)]


def test_functions_share_the_resources_of_the_session(graph, call) -> None:
    def body(x: Any) -> Any:
        from featherflow.ops.resource_variable_ops import AssignAddVariableOp, VarHandleOp

        handle = VarHandleOp(dtype=tf.int32, shape=[], shared_name="shared", container="")
        update = AssignAddVariableOp(handle, x)
        with tf.control_dependencies([update]):
            return tf.identity(x)

    graph._add_function(function("update", body))
    variable = tf.Variable(5, use_resource=True, name="shared")
    with tf.Session() as sess:
        sess.run(variable.initializer)
        sess.run(call("update", tf.constant(2)))
        assert sess.run(variable) == 7


def test_what_a_function_returns_belongs_to_the_user(graph, call) -> None:
    """A function may return its argument, or a constant of its own."""
    graph._add_function(function("same", lambda x: [x, tf.constant(7)]))
    x = tf.placeholder(tf.int32, [])
    results = call("same", x, results=2)
    fed = np.array(3, np.int32)
    with tf.Session() as sess:
        run = sess._session.run
        prepared = sess._session.prepare((x,), tuple(results), ())
        first = run(prepared, [fed], None, None)
        for value in first:
            value += 1
        assert fed == 3
        assert [int(value) for value in run(prepared, [fed], None, None)] == [3, 7]


def test_what_is_not_there(graph, call) -> None:
    graph._add_function(function("known", lambda x: x))
    lost = call("lost", tf.constant(1))
    wrong = call("known", tf.constant(1), tf.constant(2))
    with tf.Session() as sess:
        with pytest.raises(NotFoundError) as caught:
            sess.run(lost)
        assert "Function lost is not defined" in str(caught.value)
        assert "known" in str(caught.value)
        assert caught.value.op is lost.op
        with pytest.raises(InvalidArgumentError, match="another number of arguments"):
            sess.run(wrong)
    context = OpKernelContext(1, ResourceManager(), "", Cancellation())
    with pytest.raises(UnimplementedError):
        context.run_function(NameAttrList("known"), [])


def test_an_error_inside_names_the_node_inside(graph, call, world) -> None:
    body = function("fails", lambda x: world.failing(x, name="inside"))
    graph._add_function(body)
    with tf.Session() as sess, pytest.raises(InvalidArgumentError) as caught:
        sess.run(call("fails", tf.constant(1)))
    assert caught.value.op is body.outputs[0].op


def test_a_function_that_waits_does_not_stop_its_device(graph, call, world) -> None:
    """What the function waits for comes from a node beside the call."""
    reports: list[Any] = []
    released = threading.Event()
    graph._add_function(function("waits", lambda x: world.delayed(x) + 1))

    def later(report: Any) -> None:
        reports.append(report)
        released.set()

    world.later = later

    @world.noted.kernel("CPU", priority=1)
    def release(x: Any, *, tag: str) -> Any:
        assert released.wait(10)
        reports[0]()
        return x

    one = tf.placeholder_with_default(1, [])
    results = [call("waits", one), world.noted(one, tag="release")]
    with tf.Session() as sess:
        assert sess.run(results) == [2, 1]


def test_a_function_that_waits_is_cancelled_with_its_step(graph, call, world) -> None:
    graph._add_function(function("waits", lambda x: world.delayed(x)))
    reports: list[Any] = []
    sess = tf.Session()
    world.later = lambda report: (reports.append(report), sess.close())
    with pytest.raises(CancelledError):
        sess.run(call("waits", tf.constant(1)))


def test_functions_that_span_devices(graph, call) -> None:
    def body(x: Any) -> Any:
        with tf.device("/cpu:1"):
            y = x * 2
        with tf.device("/cpu:2"):
            return y + x

    graph._add_function(function("spans", body))
    x = tf.placeholder(tf.int32, [])
    with tf.device("/cpu:1"):
        y = call("spans", x)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
        assert [sess.run(y, {x: value}) for value in range(3)] == [0, 3, 6]


def test_the_plans_of_functions_are_bounded(graph, call, monkeypatch) -> None:
    monkeypatch.setattr(function_runtime, "MAX_FUNCTION_PLANS", 3)
    for index in range(6):
        graph._add_function(function(f"f{index}", lambda x, index=index: x + index))
    with tf.Session() as sess:
        for index in (0, 1, 2, 3, 4, 5, 0):
            assert sess.run(call(f"f{index}", tf.constant(1))) == 1 + index
        assert len(sess._session.functions) == 3


def test_functions_with_attributes_are_instantiated(graph, call) -> None:
    """What has an `instantiate` gives a body for the attributes of the call."""

    class Generic:
        name = "adds"

        def instantiate(self, attrs: Any) -> Body:
            return function("adds", lambda x: x + attrs["amount"])

    graph._add_function(Generic())
    x = tf.placeholder(tf.int32, [])
    results = [call(NameAttrList("adds", {"amount": amount}), x) for amount in (1, 10)]
    with tf.Session() as sess:
        assert sess.run(results, {x: 5}) == [6, 15]
