"""Units: which nodes share a batch, and which may not."""

from __future__ import annotations

from typing import Any

import pytest

import featherflow.compat.v1 as tf
from featherflow.graph.deadness import Deadness
from featherflow.graph.frames import assign_frames
from featherflow.ops.control_flow_primitives import Merge, Switch
from featherflow.runtime.blocks import cut
from featherflow.runtime.units import Unit, make_units

from .loops import counting, given, increment
from .steps import pruned


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


class Units:
    """The units of what some fetches need; ops named in `waiting` are asynchronous."""

    def __init__(self, *fetches: Any, waiting: str = "TestDelayed", alone: bool = False) -> None:
        step = pruned(tf.get_default_graph(), fetches)
        self.frames = assign_frames(step.nodes)
        self.deadness = Deadness(step.nodes, self.frames)
        asynchronous = {node for node in step.nodes if node.definition.name == waiting}
        self.units = make_units(step.nodes, self.frames, self.deadness, asynchronous, alone)
        self.of = {node.name: unit for unit in self.units for node in unit.nodes}

    def unit(self, tensor: Any) -> Unit:
        return self.of[tensor.op.name]

    def kinds(self) -> list[str]:
        return sorted(unit.kind for unit in self.units)


def test_a_graph_without_control_flow_is_one_batch() -> None:
    x = given(1)
    assert Units(tf.negative(x) + x * 2).kinds() == ["batch"]


def test_branches_are_in_the_batch_too() -> None:
    joined = tf.cond(given(True, tf.bool), lambda: given(1) + 1, lambda: given(2) * 3)
    assert Units(joined + 1).kinds() == ["batch"]


def test_an_iteration_is_one_batch() -> None:
    """Before the loop, an iteration, behind the loop."""
    result = tf.identity(counting(given(0), 5))
    assert Units(result).kinds() == ["batch"] * 3


def test_one_by_one() -> None:
    x = given(1)
    units = Units(tf.negative(x), alone=True).units
    assert all(len(unit.nodes) == 1 for unit in units)


def test_what_waits_parts_what_is_before_it_from_what_is_behind(world) -> None:
    x = given(1)
    before, beside = tf.negative(x), tf.abs(x)
    waiting = world.delayed(before)
    behind = tf.negative(waiting)
    units = Units(behind, beside)
    assert units.unit(waiting).kind == "asynchronous"
    assert len({id(units.unit(item)) for item in (before, beside, waiting, behind)}) == 4
    assert units.units.index(units.unit(before)) < units.units.index(units.unit(beside))


def test_what_waits_for_different_things_is_apart(world) -> None:
    x = given(1)
    first, second = world.delayed(x), world.delayed(x)
    readers = [tf.negative(first), tf.negative(second), tf.add(first, second)]
    units = Units(*readers, tf.abs(first))
    assert len({id(units.unit(item)) for item in readers}) == 3


def test_a_merge_of_what_comes_at_different_times_is_alone(world) -> None:
    late = world.delayed(given(1))
    eager = Merge([given(2), late]).output
    both = Merge(list(Switch(late, given(True, tf.bool)))).output
    units = Units(eager, both)
    assert units.unit(eager).kind == "merge"
    assert units.unit(both).kind == "batch"


def test_the_merges_of_a_loop_that_waits_are_alone(world) -> None:
    """Its values go round on their own, so that a count can run ahead of what waits."""
    waits = counting(given(0), 5, "waits", body=lambda count: increment(world.delayed(count)))
    units = Units(tf.identity(waits))
    merges = [unit for unit in units.units if unit.kind == "merge"]
    assert [unit.nodes[0].definition.name for unit in merges] == ["Merge"]


def test_values_that_enter_at_different_times_go_round_apart(world) -> None:
    late, early = world.delayed(given(1)), given(2)
    added: list[Any] = []

    def body(i: Any, a: Any, b: Any) -> Any:
        added.extend([tf.add(a, 1), tf.add(b, 1)])
        return i + 1, added[0], added[1]

    _, first, second = tf.while_loop(lambda i, a, b: i < 3, body, [given(0), late, early])
    units = Units(first, second)
    assert units.unit(added[0]) is not units.unit(added[1])


# --- blocks ---------------------------------------------------------------------------------------


def names(groups: list[list[Any]]) -> list[list[str]]:
    return [[node.definition.name for node in group] for group in groups]


def test_blocks_change_conditions_as_seldom_as_they_can() -> None:
    """Nodes of two branches made in turn: each branch is one block."""
    flag = given(True, tf.bool)
    off, on = Switch(given(1), flag)
    for _ in range(3):
        on, off = tf.negative(on), tf.abs(off)
    merged = Merge([off, on]).output
    units = Units(merged)
    (unit,) = units.units
    groups = names(cut(unit.nodes, units.deadness))
    assert groups[1:] in (
        [["Neg"] * 3, ["Abs"] * 3, ["Merge"]],
        [["Abs"] * 3, ["Neg"] * 3, ["Merge"]],
    )


def test_blocks_keep_the_order_of_what_depends() -> None:
    flag = given(True, tf.bool)
    on = Switch(given(1), flag).output_true
    joined = tf.cond(given(False, tf.bool), lambda: tf.constant(1), lambda: tf.constant(2))
    result = tf.negative(tf.negative(on) + joined)
    units = Units(result, joined + 1)
    for unit in units.units:
        position = {
            node: place
            for place, node in enumerate(
                node for group in cut(unit.nodes, units.deadness) for node in group
            )
        }
        for node, place in position.items():
            for source, _ in node.inputs:
                assert position.get(source, -1) < place
