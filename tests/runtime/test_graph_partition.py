"""Partition: what crosses devices, once, in which order, and the control loops of loops that do."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.graph_partition import Partition, partition
from featherflow.ops.control_flow_primitives import Enter, Exit, Merge, NextIteration, Switch

from .loops import given
from .steps import Interleaving, cpu_devices, plan, pruned

CPU = [device.name for device in cpu_devices(3)]


def parts(fetches: Any, feeds: Any = (), devices: int = 3) -> dict[str, Partition]:
    graph = tf.get_default_graph()
    step = pruned(graph, fetches, feeds, devices=devices)
    return {item.device: item for item in partition(step, dict.fromkeys(CPU, 7))}


def ops(item: Partition) -> Counter[str]:
    return Counter(node.definition.name for node in item.subgraph.nodes)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_one_device_is_left_as_it_is() -> None:
    x = tf.placeholder(tf.float32, [])
    step = pruned(tf.get_default_graph(), [x + 1.0], [x])
    nodes = list(step.nodes)
    (only,) = partition(step, {CPU[0]: 1})
    assert only.subgraph is step
    assert only.subgraph.nodes == nodes
    assert (only.feeds, only.fetches) == ([0], [0])


def test_a_tensor_goes_to_a_device_once() -> None:
    x = tf.identity(given(1))
    with tf.device("/cpu:1"):
        results = [x + x, x - 2, tf.negative(x)]
    found = parts(results)
    assert ops(found[CPU[0]])["_Send"] == 1
    assert ops(found[CPU[1]])["_Recv"] == 1
    send = next(node for node in found[CPU[0]].subgraph.nodes if node.definition.name == "_Send")
    assert send.attrs["send_device"] == CPU[0]
    assert send.attrs["recv_device"] == CPU[1]
    assert send.attrs["send_device_incarnation"] == 7


def test_each_reading_device_is_sent_its_own() -> None:
    x = tf.identity(given(1))
    with tf.device("/cpu:1"):
        y = x + 1
    with tf.device("/cpu:2"):
        z = x + 2
    assert ops(parts([y, z])[CPU[0]])["_Send"] == 2


def test_outputs_of_one_node_are_sent_apart() -> None:
    first, second = tf.split(tf.placeholder_with_default([1.0, 2.0], [2]), 2)
    with tf.device("/cpu:1"):
        y = first + second
    assert ops(parts([y])[CPU[0]])["_Send"] == 2


def test_feeds_and_constants_are_copied() -> None:
    x = tf.placeholder(tf.float32, [])
    two = tf.constant(2.0)
    with tf.device("/cpu:1"):
        y = x * two
    z = x + two
    found = parts([y, z], [x])
    assert ops(found[CPU[0]])["_Send"] == ops(found[CPU[1]])["_Recv"] == 0
    assert found[CPU[0]].feeds == found[CPU[1]].feeds == [0]
    assert (found[CPU[0]].fetches, found[CPU[1]].fetches) == ([1], [0])


def test_control_edges_go_as_dummies() -> None:
    x, five = tf.identity(given(1)), given(5)
    with tf.device("/cpu:1"), tf.control_dependencies([x]):
        y = tf.identity(five)
    found = parts([y])
    here = {node.name: node for node in found[CPU[0]].subgraph.nodes}
    dummy = next(node for name, node in here.items() if "/ctrl" in name)
    assert dummy.definition.name == "Const"
    assert [source.name for source in dummy.control_inputs] == [x.op.name]
    reader = next(node for node in found[CPU[1]].subgraph.nodes if node.name == y.op.name)
    assert [source.definition.name for source in reader.control_inputs] == ["_Recv"]


def test_a_send_stands_right_behind_what_it_sends() -> None:
    first = tf.identity(given(1), name="first")
    later = first
    for _ in range(5):
        later = later + 1
    with tf.device("/cpu:1"):
        y = first + 1
    names = [node.name for node in parts([y, later])[CPU[0]].subgraph.nodes]
    assert names[names.index("first") + 1].startswith("first/_")


def test_fetches_without_a_node_are_somewhere() -> None:
    x = tf.placeholder(tf.float32, [])
    constant = tf.constant(3.0)
    with tf.device("/cpu:1"):
        y = x + 1.0
    with tf.device("/cpu:2"):
        z = x + 2.0
    found = parts([x, constant, y, z], [x])
    assert sorted(place for item in found.values() for place in item.fetches) == [0, 1, 2, 3]
    step = plan(tf.get_default_graph(), [x, constant, y, z], [x], devices=3)
    values = Interleaving(0).run(step, [np.float32(1.0)])
    assert list(map(float, values)) == [1.0, 3.0, 2.0, 3.0]


def loop_on_two_devices() -> Any:
    def body(i: Any, total: Any) -> Any:
        with tf.device("/cpu:1"):
            j = tf.multiply(i, 2)
        with tf.device("/cpu:0"):
            return i + 1, total + j

    with tf.device("/cpu:0"):
        start = given(0)
        return tf.while_loop(lambda i, total: i < 5, body, [start, start])[1]


def test_a_loop_on_two_devices_has_a_control_loop_on_each() -> None:
    total = loop_on_two_devices()
    found = parts([total])
    assert ops(found[CPU[1]])["Enter"] == 1
    for name in (CPU[0], CPU[1]):
        loop = [node for node in found[name].subgraph.nodes if node.name.startswith("_cloop")]
        kinds = [node.definition.name for node in loop if node.definition.name != "Const"]
        assert sorted(kinds) == ["Enter", "Merge", "NextIteration", "Switch"]
        merge = next(node for node in loop if node.definition.name == "Merge")
        for node in found[name].subgraph.nodes:
            if node.definition.name == "_Recv":
                assert node.control_inputs == [merge]


@pytest.mark.parametrize("order", range(5))
def test_a_loop_on_two_devices_runs(order: int) -> None:
    step = plan(tf.get_default_graph(), [loop_on_two_devices()], devices=2)
    assert Interleaving(order).run(step) == [20]


@pytest.mark.parametrize("taken", [True, False])
def test_a_loop_on_two_devices_in_a_branch(taken: bool) -> None:
    """In a branch that is not taken the loop is entered dead, on both devices."""
    result = tf.cond(given(taken, tf.bool), loop_on_two_devices, lambda: tf.constant(-1))
    step = plan(tf.get_default_graph(), [result], devices=2)
    for order in range(5):
        assert Interleaving(order).run(step) == [20 if taken else -1]


def test_loops_in_loops_on_three_devices() -> None:
    def inner(i: Any) -> Any:
        with tf.device("/cpu:2"):
            return tf.while_loop(lambda j: j < i, lambda j: j + 1, [tf.multiply(i, 0)])

    def body(i: Any, total: Any) -> Any:
        with tf.device("/cpu:1"):
            j = inner(i)
        with tf.device("/cpu:0"):
            return i + 1, total + j

    with tf.device("/cpu:0"):
        start = given(0)
        total = tf.while_loop(lambda i, total: i < 5, body, [start, start])[1]
    step = plan(tf.get_default_graph(), [total], devices=3)
    for order in range(5):
        assert Interleaving(order).run(step) == [10]


def test_sends_that_cross(world) -> None:
    """Each device needs what the other makes, twice over."""
    with tf.device("/cpu:0"):
        a = tf.identity(given(1))
    with tf.device("/cpu:1"):
        b = tf.identity(given(10))
    for _ in range(4):
        with tf.device("/cpu:0"):
            next_a = world.delayed(a + b)
        with tf.device("/cpu:1"):
            next_b = world.delayed(a - b)
        a, b = next_a, next_b
    step = plan(tf.get_default_graph(), [a, b], devices=2)
    for order in range(10):
        interleaving = Interleaving(order)
        world.later = interleaving.delayed.append
        assert interleaving.run(step) == [4, 40]


def test_a_dead_value_is_dead_on_the_other_device(world) -> None:
    with tf.device("/cpu:0"):
        branches = Switch(given(1), given(True, tf.bool))
        dead = tf.identity(branches.output_false)
    with tf.device("/cpu:1"):
        noted = world.noted(dead, tag="dead")
        with tf.control_dependencies([dead]):
            controlled = world.noted(given(3), tag="controlled")
        merged = Merge([noted, controlled, tf.identity(branches.output_true)]).output
    step = plan(tf.get_default_graph(), [merged], devices=2)
    for order in range(5):
        assert Interleaving(order).run(step) == [1]
    assert world.log == []


def test_a_loop_without_condition_cannot_span_devices() -> None:
    enter = Enter(given(0), frame_name="odd")
    merge = Merge([enter, enter])
    switch = Switch(merge.output, tf.less(merge.output, merge.output))
    with tf.device("/cpu:1"):
        moved = tf.negative(switch.output_true)
    with tf.device("/cpu:0"):
        merge.output.op._update_input(1, NextIteration(tf.negative(moved)))
    with pytest.raises(InvalidArgumentError, match="has no LoopCond"):
        parts([Exit(switch.output_false)])
