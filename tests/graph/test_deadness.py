"""Deadness: the conditions under which nodes are dead, and how they are told at run time."""

from __future__ import annotations

from typing import Any

import pytest

import featherflow.compat.v1 as tf
from featherflow.graph.deadness import NEVER, Deadness
from featherflow.graph.frames import assign_frames
from featherflow.graph.subgraph import prune
from featherflow.ops.control_flow_primitives import Merge, Switch


class Analysis:
    """The deadness of what some fetches need, by node name."""

    def __init__(self, *fetches: Any) -> None:
        step = prune(tf.get_default_graph(), [], fetches)
        self.nodes = {node.name: node for node in step.nodes}
        self.frames = assign_frames(step.nodes)
        self.deadness = Deadness(step.nodes, self.frames)

    def of(self, tensor: Any) -> frozenset:
        return self.deadness.of_output(self.nodes[tensor.op.name], tensor.value_index)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def given(value: Any, dtype: Any = tf.int32) -> Any:
    return tf.placeholder_with_default(tf.constant(value, dtype), [])


def test_without_control_flow_nothing_is_dead() -> None:
    y = given(1) + given(2)
    assert Analysis(y).of(y) is NEVER


def test_branches_differ_in_one_condition() -> None:
    flag = tf.less(given(1), given(2))
    off, on = Switch(given(1), flag)
    far = tf.identity(tf.negative(on))
    found = Analysis(off, far)
    ((kind, predicate, branch),) = found.of(far)
    assert (kind, predicate[0].name, branch) == ("pred", flag.op.name, True)
    assert found.of(off) ^ found.of(on) == found.of(off) | found.of(on)


def test_switches_of_one_predicate_are_dead_together() -> None:
    flag = given(True, tf.bool)
    first = Switch(given(1), flag).output_true
    second = Switch(given(2), tf.identity(flag)).output_true
    found = Analysis(first, second)
    assert found.of(first) == found.of(second)


def test_merge_joins_what_switch_parted() -> None:
    flag = given(True, tf.bool)
    joined = tf.cond(flag, lambda: tf.negative(given(1)), lambda: tf.constant(2))
    assert Analysis(joined).of(joined) is NEVER or not Analysis(joined).of(joined)


def test_nested_conditions_are_joined_from_the_inside() -> None:
    outer, inner = given(True, tf.bool), given(False, tf.bool)
    x = given(3)

    def branch() -> Any:
        return tf.cond(inner, lambda: x + 1, lambda: x - 1)

    joined = tf.cond(outer, branch, lambda: x)
    assert Analysis(joined).of(joined) == NEVER


def test_merge_that_joins_nothing_is_a_condition_of_its_own() -> None:
    one = Switch(given(1), given(True, tf.bool)).output_true
    two = Switch(given(2), given(True, tf.bool)).output_true
    merged = Merge([one, two]).output
    ((kind, node),) = Analysis(merged).of(merged)
    assert (kind, node.name) == ("merge", merged.op.name)


def test_control_edges_kill_too() -> None:
    off, on = Switch(given(1), given(True, tf.bool))
    with tf.control_dependencies([tf.identity(off)]):
        y = tf.identity(given(2))
    found = Analysis(y, on)
    assert found.of(y) == found.of(off)


def test_behind_a_loop_everything_is_alive() -> None:
    x = given(1)

    def body(i: Any) -> Any:
        return tf.while_loop(lambda j: j < 3, lambda j: j + 1, [i])

    result = tf.while_loop(lambda i: i < 9, body, [x])
    found = Analysis(result)
    assert found.of(result) == NEVER
    assert len(found.deadness.regular) == len(found.deadness.exiting) == 2


def test_a_loop_in_a_branch_is_as_dead_as_the_branch() -> None:
    off, on = Switch(given(1), given(True, tf.bool))
    result = tf.while_loop(lambda i: i < 9, lambda i: i + 1, [off])
    found = Analysis(result, on)
    assert found.of(result) == found.of(off)


def test_guards_cover_all_conditions() -> None:
    first = Switch(given(1), given(True, tf.bool)).output_true
    second = Switch(given(2), given(True, tf.bool)).output_false
    both = tf.add(tf.negative(first), tf.negative(second))
    found = Analysis(both)
    guards = found.deadness.guards(found.nodes[both.op.name])
    assert len(guards) == 2
    covered = frozenset().union(*(found.deadness.of_output(*guard) for guard in guards))
    assert covered == found.of(both)


def test_guards_behind_nodes_without_outputs() -> None:
    off, _ = Switch(given(1), given(True, tf.bool))
    dead: Any = tf.identity(off)
    for _ in range(2000):  # must not recurse
        with tf.control_dependencies([dead]):
            dead = tf.no_op()
    two = given(2)
    with tf.control_dependencies([dead]):
        y = tf.identity(two)
    found = Analysis(y)
    ((guard, index),) = found.deadness.guards(found.nodes[y.op.name])
    assert (guard.definition.name, index) == ("Identity", 0)


def constants_left_waiting(*fetches: Any) -> int:
    found = Analysis(*fetches)
    kept = {found.nodes[fetch.op.name] for fetch in fetches}
    nodes = list(found.nodes.values())
    found.deadness.free_constants(nodes, kept)
    return sum(
        bool(node.control_inputs) for node in nodes if node.definition.static_value_fn is not None
    )


def test_constants_in_loops_are_freed() -> None:
    result = tf.while_loop(lambda i: i < 9, lambda i: tf.multiply(i, 2) + 1, [given(1)])
    assert constants_left_waiting(result) == 0


def test_constants_that_decide_are_not_freed() -> None:
    """The constants are all that the branches are."""
    flag = given(True, tf.bool)
    joined = tf.cond(flag, lambda: tf.constant(1), lambda: tf.constant(2))
    assert constants_left_waiting(joined) >= 2


def test_constants_are_not_freed_on_each_others_account() -> None:
    flag = given(True, tf.bool)
    joined = tf.cond(flag, lambda: tf.constant(1) + tf.constant(2), lambda: tf.constant(3))
    assert constants_left_waiting(joined) >= 1


def test_constants_that_order_something_are_not_freed() -> None:
    one, two = given(1), given(2)
    with tf.control_dependencies([tf.negative(one)]):
        waited_for = tf.constant(1)
    with tf.control_dependencies([waited_for]):
        y = tf.identity(two)
    assert constants_left_waiting(y) == 1
