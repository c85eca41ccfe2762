"""Frames, iterations and dead values of graphs built by hand; outcomes are TensorFlow 2.21's."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.dead_value import DEAD
from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.ops.control_flow_primitives import (
    ControlTrigger,
    Enter,
    Exit,
    Merge,
    Switch,
    _SwitchN,
)
from featherflow.runtime.executor_plan import KernelCache
from featherflow.runtime.propagator import Propagator
from featherflow.runtime.step_plan import build_step

from .loops import Loop, counting, given, increment, inside
from .steps import Interleaving, NoFunctions, cpu_devices, plan, pruned, run


def outcome(build: Callable[[], Any], one_by_one: bool = False) -> Any:
    """The fetches that `build` returns, as Python values; "dead" for what does not come."""
    graph = tf.Graph()
    with graph.as_default():
        fetches = build()
    fetches = fetches if isinstance(fetches, list) else [fetches]
    step = plan(graph, fetches, one_by_one=one_by_one)
    try:
        return [np.asarray(value).item() for value in run(step)]
    except InvalidArgumentError as error:
        assert "does not have value" in error.message
        return "dead"


def switch(value: int, predicate: bool) -> Any:
    return Switch(given(value), given(predicate, tf.bool))


def nested() -> Any:
    def body(count: Any) -> Any:
        inner = counting(tf.multiply(count, inside(10, count)), 33, "inner")
        return tf.add(count, tf.floordiv(inner, inside(33, count)))

    return counting(given(0), 3, "outer", body=body)


def constant_enter() -> Any:
    step = Enter(given(3), frame_name="loop", is_constant=True)
    return counting(given(0), 20, body=lambda count: count + step)


def constant_enter_alone() -> Any:
    """What depends on constant Enters alone is there in every iteration."""
    step = Enter(given(3), frame_name="loop", is_constant=True)
    twice = tf.add(step, step)
    return counting(given(0), 20, body=lambda count: count + twice)


def dead_by_control() -> Any:
    dead = tf.identity(switch(4, True).output_false)
    with tf.control_dependencies([dead]):
        return tf.identity(given(9))


def dead_through_no_ops() -> Any:
    dead: Any = tf.identity(switch(4, True).output_false)
    for _ in range(3):
        with tf.control_dependencies([dead]):
            dead = tf.no_op()
    with tf.control_dependencies([dead]):
        return tf.identity(given(9))


def trigger_behind_dead() -> Any:
    dead = tf.identity(switch(4, True).output_false)
    trigger = ControlTrigger()
    trigger._add_control_input(dead.op)
    with tf.control_dependencies([trigger]):
        return tf.identity(given(9))


def merge_behind_dead_control() -> Any:
    branches = switch(4, True)
    merged = Merge(list(branches)).output
    merged.op._add_control_input(tf.identity(branches.output_false).op)
    return merged


def merge_of_three() -> Any:
    merged = Merge([switch(value, value == 3).output_true for value in (1, 2, 3)])
    return list(merged)


def merge_of_dead() -> Any:
    return Merge([switch(1, False).output_true, switch(2, False).output_true]).output


def constants_in_branch(taken: bool) -> Any:
    """Of two constants that an op reads, one is there from the start; the other must kill it."""
    dead, alive = switch(4, taken)
    with tf.control_dependencies([tf.identity(dead if taken else alive)]):
        first, second = tf.constant(1), tf.constant(2)
    return Merge([tf.add(first, second), tf.identity(given(50))]).output


def uneven_loop() -> tuple[Any, Any]:
    """A loop of a count to 5, and a value whose NextIteration is dead from iteration 2 on."""

    def body(count: Any, value: Any) -> list[Any]:
        goes_on = tf.less(count, inside(2, count))
        return [increment(count), increment(Switch(value, goes_on).output_true)]

    loop = Loop([given(0), given(100)], lambda count, _: tf.less(count, inside(5, count)), body)
    return loop.exits[0], loop.exits[1]


def one_dead_enter() -> Any:
    loop = Loop(
        [given(0), switch(0, True).output_false],
        lambda count, _: tf.less(count, inside(5, count)),
        lambda count, value: [increment(count), increment(value)],
    )
    return loop.exits[0]


OUTCOMES: list[tuple[Callable[[], Any], Any]] = [
    (lambda: counting(given(0), 5), [5]),
    (lambda: counting(given(7), 5), [7]),
    (lambda: counting(given(0), 50, parallel=1), [50]),
    (nested, [3]),
    (constant_enter, [21]),
    (constant_enter_alone, [24]),
    (lambda: Merge([given(1), given(1)]).output, [1]),
    (lambda: list(Merge(list(switch(4, True)))), [4, 1]),
    (lambda: list(Merge(list(switch(4, False)))), [4, 0]),
    (dead_by_control, "dead"),
    (dead_through_no_ops, "dead"),
    (trigger_behind_dead, [9]),
    (merge_behind_dead_control, [4]),
    (merge_of_three, [3, 2]),
    (merge_of_dead, "dead"),
    (lambda: Merge([merge_of_dead(), given(5)]).output, [5]),
    (lambda: constants_in_branch(True), [50]),
    (lambda: constants_in_branch(False), [50]),
    (lambda: uneven_loop()[0], [5]),
    (lambda: uneven_loop()[1], "dead"),
    (lambda: Merge([uneven_loop()[1], tf.identity(given(77))]).output, [77]),
    (lambda: counting(switch(0, True).output_false, 5), "dead"),
    (
        lambda: Merge([counting(switch(0, True).output_false, 5), tf.identity(given(4))]).output,
        [4],
    ),
    (one_dead_enter, [5]),
    (lambda: counting(counting(given(0), 5, "same"), 9, "other"), [9]),
]


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("number", range(len(OUTCOMES)))
def test_outcome(number: int, one_by_one: bool) -> None:
    build, expected = OUTCOMES[number]
    assert outcome(build, one_by_one) == expected


def test_targets_that_are_dead_run_nothing(world) -> None:
    graph = tf.Graph()
    with graph.as_default():
        branches = switch(1, True)
        dead = world.noted(branches.output_false, tag="dead")
        alive = world.noted(branches.output_true, tag="alive")
    run(plan(graph, [], targets=[dead.op, alive.op]))
    assert world.log == [("alive", 1)]


def test_parallel_iterations_run_ahead_of_what_waits(world) -> None:
    """The count goes on while the values of its iterations wait; at most `parallel` do."""
    graph = tf.Graph()
    with graph.as_default():

        def body(count: Any, total: Any) -> list[Any]:
            value = world.delayed(count)
            return [increment(world.noted(count, tag="count")), tf.add(total, value)]

        loop = Loop(
            [given(0), given(0)],
            lambda count, _: tf.less(count, inside(10, count)),
            body,
            parallel=4,
        )
    step = plan(graph, [loop.exits[1]])
    interleaving = Interleaving(0)
    counted = []

    def later(report: Callable[[], None]) -> None:
        interleaving.delayed.append(report)
        counted.append((len(world.log), len(interleaving.delayed)))

    world.later = later
    assert interleaving.run(step) == [45]
    assert [value for _, value in world.log] == list(range(10))
    assert max(outstanding for _, outstanding in counted) > 1


def test_parallel_iterations_are_limited(world) -> None:
    graph = tf.Graph()
    with graph.as_default():
        exit_of = counting(given(0), 6, parallel=1, body=lambda x: increment(world.delayed(x)))
        waiting = tf.identity(exit_of)
    interleaving = Interleaving(3)
    outstanding = []

    def later(report: Callable[[], None]) -> None:
        interleaving.delayed.append(report)
        outstanding.append(len(interleaving.delayed))

    world.later = later
    assert interleaving.run(plan(graph, [waiting])) == [6]
    assert set(outstanding) == {1}


def test_merge_fires_with_its_first_live_input(world) -> None:
    """What a later input needs may come from behind the Merge."""
    graph = tf.Graph()
    with graph.as_default():
        merged = Merge([given(1), world.delayed(given(2))]).output
        noted = world.noted(merged, tag="merged")
    interleaving = Interleaving(0, patient=True)

    def later(report: Callable[[], None]) -> None:
        interleaving.delayed.append(lambda: (world.log.append(("report", 2)), report()))

    world.later = later
    assert interleaving.run(plan(graph, [noted])) == [1]
    assert world.log == [("merged", 1), ("report", 2)]


def test_iterations_are_dropped_when_they_are_over(monkeypatch) -> None:
    """A loop of many iterations holds the values of the last few."""
    graph = tf.Graph()
    with graph.as_default():
        result = counting(given(0), 300, parallel=2)
    step = plan(graph, [result])
    most = 0
    start = Propagator._start_iteration

    def noted(self: Propagator, frame: Any) -> Any:
        nonlocal most
        iteration = start(self, frame)
        most = max(most, len(frame.iterations))
        return iteration

    monkeypatch.setattr(Propagator, "_start_iteration", noted)
    assert run(step) == [300]
    assert most == 2


def test_value_that_enters_once_is_missing_later() -> None:
    """A node that reads an Enter that is not constant has nothing to read in iteration 1."""

    def build() -> Any:
        once = Enter(given(3), frame_name="loop")
        return counting(given(0), 20, body=lambda count: count + once)

    graph = tf.Graph()
    with graph.as_default():
        fetch = build()
    with pytest.raises(InvalidArgumentError, match="does not have value"):
        run(plan(graph, [fetch]))


def test_loop_that_is_never_fully_entered_is_reported() -> None:
    """An Enter that waits for the Exit of its own loop: nothing can move."""
    graph = tf.Graph()
    with graph.as_default():
        loop = Loop(
            [given(0), given(0)],
            lambda count, other: tf.less(tf.add(count, other), inside(3, count)),
            lambda count, other: [increment(count), increment(other)],
        )
        left = tf.identity(loop.exits[0], name="left")
    loop.enters[1].op._update_input(0, left)
    step = _plan_of_cycle(graph, left)
    with pytest.raises(InternalError) as caught:
        run(step)
    assert "came to a stop" in caught.value.message
    assert "waits for" in str(caught.value)


def _plan_of_cycle(graph: Any, fetch: Any) -> Any:
    """The plan of a step whose nodes have a cycle through a loop: pruning would refuse it."""
    enter = graph.get_operation_by_name("Enter_1")
    source, other = enter.inputs[0], graph.get_operation_by_name("Enter").inputs[0]
    enter._update_input(0, other)
    step = pruned(graph, [fetch])
    nodes = {node.name: node for node in step.nodes}
    nodes["Enter_1"].inputs = [(nodes[source.op.name], 0)]
    names = {device.name: device.device_type for device in cpu_devices(1)}
    return build_step(step, names, dict.fromkeys(names, 1), KernelCache(), NoFunctions())


def test_exit_outside_a_loop_is_refused() -> None:
    graph = tf.Graph()
    with graph.as_default():
        lost = Exit(given(1))
    with pytest.raises(InvalidArgumentError, match="is in no loop"):
        plan(graph, [lost])


def test_fetch_inside_a_loop_is_refused() -> None:
    graph = tf.Graph()
    with graph.as_default():
        loop = Loop(
            [given(0)],
            lambda count: tf.less(count, inside(3, count)),
            lambda count: [increment(count)],
        )
    with pytest.raises(InvalidArgumentError, match="is inside the loop 'loop'"):
        plan(graph, [loop.merges[0].output])


def test_dead_is_one_value() -> None:
    assert pickle.loads(pickle.dumps(DEAD)) is copy.deepcopy(DEAD) is DEAD
    with pytest.raises(TypeError):
        bool(DEAD)


# --- one branch of many ---------------------------------------------------------------------------


@pytest.mark.parametrize(("index", "chosen"), [(0, 10), (1, 20), (2, 30), (3, 30), (-1, 30)])
@pytest.mark.parametrize("one_by_one", [True, False])
def test_an_index_chooses_one_of_many_branches(index: int, chosen: int, one_by_one: bool) -> None:
    """An index that is no branch's chooses the last one."""

    def build() -> Any:
        branches = _SwitchN(given(10), given(index), num_outs=3)
        return Merge([branch * (place + 1) for place, branch in enumerate(branches)])[0]

    assert outcome(build, one_by_one) == [chosen]


def test_branches_not_chosen_are_dead() -> None:
    assert outcome(lambda: _SwitchN(given(10), given(1), num_outs=3)[2]) == "dead"


def test_two_branches_of_many_are_not_each_others_complement() -> None:
    """A Merge of some branches is dead where the index chose another."""

    def build() -> Any:
        branches = _SwitchN(given(10), given(2), num_outs=3)
        return Merge([branches[0], branches[1]])[0]

    assert outcome(build) == "dead"
