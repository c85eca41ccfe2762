"""The straight executor and its plans: order, release of values, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework import errors
from featherflow.framework.dead_value import DEAD
from featherflow.framework.op_kernel import OpKernel
from featherflow.runtime.executor import located_error, run_plan
from featherflow.runtime.executor_plan import ExecutorPlan, KernelCache, gather_from, leave_run

from .loops import given
from .steps import context, plan, pruned, run


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def straight(*fetches: Any, feeds: Any = (), targets: Any = ()) -> ExecutorPlan:
    step = plan(tf.get_default_graph(), fetches, feeds, targets)
    assert isinstance(step, ExecutorPlan)
    return step


def test_steps_run_in_an_order_that_control_inputs_keep(world) -> None:
    x = given(1)
    late = world.noted(x, tag="late")
    early = world.noted(x, tag="early")
    late.op._add_control_input(early.op)
    run(straight(targets=[late.op]))
    assert [tag for tag, _ in world.log] == ["early", "late"]


def test_values_are_released_after_their_last_reader() -> None:
    x = tf.placeholder(tf.float32, [2])
    y = x * 2.0
    z = tf.negative(y)
    step = straight(z, feeds=[x])
    values = run_plan(step, [np.ones(2, np.float32)], context())
    alive = [value for value in values[1:] if value is not None]
    fetched = values[step.fetches[0].slot]
    constants = [value for value in step.template if value is not None]
    assert all(value is fetched or any(value is item for item in constants) for value in alive)


def test_constants_are_in_the_template() -> None:
    step = straight(given(1) + tf.constant(2))
    assert any(value is not None and np.asarray(value) == 2 for value in step.template[1:])
    assert all(step_.node.definition.name != "Const" for step_ in step.steps)


def test_plans_know_their_device() -> None:
    with tf.device("/cpu:1"):
        x = tf.identity(given(1))
    step = plan(tf.get_default_graph(), [x], devices=2)
    assert isinstance(step, ExecutorPlan)
    first = context()
    run_plan(step, [], first)
    assert first.device == step.device == "/job:localhost/replica:0/task:0/device:CPU:1"


def test_gather() -> None:
    values = ["context", 10, 20, 30]
    assert list(gather_from([])(values)) == []
    assert list(gather_from([2])(values)) == [20]
    assert list(gather_from([3, 1, 1])(values)) == [30, 10, 10]


def test_kernels_with_state_are_one_for_each_node(world) -> None:
    @world.noted.kernel("CPU", priority=1)
    class Counter(OpKernel):
        def __init__(self, node: Any) -> None:
            super().__init__(node)
            self.count = 0

        def compute(self, ctx: Any, x: Any) -> Any:
            self.count += 1
            return np.array(self.count)

    first, second = (world.noted(given(0), tag=tag) for tag in "ab")
    with tf.Session() as sess:
        assert [sess.run(first), sess.run(first), sess.run(second)] == [1, 2, 1]
        assert sess.run([first, second]) == [3, 2]  # another plan, the same kernels
    kernels = KernelCache()
    node = pruned(tf.get_default_graph(), [first]).nodes[-1]
    assert kernels.bind(node, "CPU").call.__self__ is kernels.bind(node, "CPU").call.__self__


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (MemoryError("m"), errors.ResourceExhaustedError),
        (ValueError("m"), errors.InvalidArgumentError),
        (TypeError("m"), errors.InvalidArgumentError),
        (IndexError("m"), errors.InvalidArgumentError),
        (FileNotFoundError("m"), errors.NotFoundError),
        (FileExistsError("m"), errors.AlreadyExistsError),
        (PermissionError("m"), errors.PermissionDeniedError),
        (NotImplementedError("m"), errors.UnimplementedError),
        (RuntimeError("m"), errors.InternalError),
        (errors.OutOfRangeError(None, None, "m"), errors.OutOfRangeError),
    ],
)
def test_exceptions_become_errors_of_the_node(raised: Any, expected: Any) -> None:
    x = tf.identity(given(1), name="node")
    node = pruned(tf.get_default_graph(), [x]).nodes[-1]
    error = located_error(raised, node)
    assert type(error) is expected
    assert error.op is x.op
    assert located_error(raised, None) is raised


def test_an_error_keeps_the_innermost_node(world) -> None:
    inner, outer = tf.identity(given(1)), tf.identity(given(2))
    nodes = {node.name: node for node in pruned(tf.get_default_graph(), [inner, outer]).nodes}
    error = errors.InvalidArgumentError(None, None, "m")
    located_error(error, nodes[inner.op.name])
    assert located_error(error, nodes[outer.op.name]).op is inner.op


def test_leaving_a_run() -> None:
    array = np.ones(2)
    assert leave_run(array, False) is array
    copied = leave_run(array, True)
    assert copied is not array
    assert copied.tolist() == array.tolist()
    assert leave_run(DEAD, True) is DEAD
