"""Optimised steps give what steps gave: random graphs, control flow, order, effects, fetches."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from runtime.programs import RandomProgram

import featherflow.compat.v1 as tf
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.subgraph import FEED
from featherflow.grappler.optimizer import PASSES, optimize

from .running import (
    all_but,
    assert_same,
    check_step,
    ops_of,
    optimized,
    plan_of,
    pruned,
    run,
    run_both,
)

_SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 3e38, 1e-42], np.float32)


# --- random graphs --------------------------------------------------------------------------------


class RandomGraph:
    """Elementwise ops, reshapes, transposes and identities of a feed and constants, by a seed."""

    def __init__(self, seed: int, devices: int = 1) -> None:
        self.random = random.Random(seed)
        self.x = tf.placeholder(tf.float32, [None, 9], "x")
        self.values = [self.x, tf.constant(_SPECIAL[::-1].copy())]
        for _ in range(40):
            with tf.device(f"/cpu:{self.random.randrange(devices)}"):
                self.values.append(getattr(self, self.random.choice(self.KINDS))())

    KINDS = ("binary", "binary", "unary", "moved", "neutral", "waiting")

    def pick(self) -> Any:
        return self.random.choice(self.values[-12:])

    def constant(self) -> Any:
        numbers = [0.0, -0.0, 1.0, 2.0, -1.0, 0.5, 3.0]
        if self.random.random() < 0.5:
            return tf.constant(self.random.choice(numbers))
        return tf.constant([self.random.choice(numbers) for _ in range(9)])

    def binary(self) -> Any:
        op = self.random.choice([tf.add, tf.multiply, tf.subtract, tf.maximum])
        return op(self.pick(), self.pick())

    def neutral(self) -> Any:
        op = self.random.choice([tf.add, tf.multiply, tf.subtract, tf.divide])
        sides = [self.pick(), self.constant()]
        if op in (tf.add, tf.multiply):
            self.random.shuffle(sides)
        return op(*sides)

    def unary(self) -> Any:
        op = self.random.choice([tf.negative, tf.nn.relu, tf.square, tf.identity, tf.abs])
        return op(self.pick())

    def moved(self) -> Any:
        value = self.pick()
        if self.random.random() < 0.3:
            return tf.reshape(tf.reshape(value, [-1]), [-1, 9]) if value.shape.ndims == 2 else value
        if value.shape.ndims != 2:
            return tf.stop_gradient(value)
        return tf.transpose(tf.negative(tf.transpose(value, [1, 0])), [1, 0])

    def waiting(self) -> Any:
        with tf.control_dependencies([self.pick()]):
            return tf.identity(self.pick()) if self.random.random() < 0.5 else self.constant()


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed: int) -> None:
    with tf.Graph().as_default() as graph:
        program = RandomGraph(seed)
        fetches = program.random.sample(program.values, 6)
    fed = np.stack([_SPECIAL, _SPECIAL[::-1], np.arange(9)])
    plain, results, step = run_both(graph, fetches, {program.x: fed})
    assert_same(plain, results)
    before = pruned(graph, fetches, [program.x])
    assert len(step.nodes) < len(before.nodes)


@pytest.mark.parametrize("seed", range(15))
def test_random_graphs_on_two_devices(seed: int) -> None:
    with tf.Graph().as_default() as graph:
        program = RandomGraph(seed, devices=2)
        fetches = program.random.sample(program.values, 6)
    fed = np.stack([_SPECIAL, _SPECIAL[::-1]])
    plain, results, _ = run_both(graph, fetches, {program.x: fed}, devices=2)
    assert_same(plain, results)


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("seed", range(4))
def test_each_pass_alone(name: str, seed: int) -> None:
    with tf.Graph().as_default() as graph:
        program = RandomGraph(seed)
        fetches = program.values[-3:]
    fed = np.stack([_SPECIAL, _SPECIAL[::-1]])
    plain, results, _ = run_both(graph, fetches, {program.x: fed}, disabled=all_but(name))
    assert_same(plain, results)


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("seed", range(25))
def test_random_loops_and_branches(seed: int, devices: int) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [], "x")
        traced = RandomProgram(seed, devices=devices).build((x, 5))
        fetches = [tensor for tensor, _ in traced]
    plain, results, _ = run_both(graph, fetches, {x: 5}, devices=devices)
    assert_same(plain, results)
    assert [int(value) for value in results] == [value for _, value in traced]


@pytest.mark.parametrize("seed", range(10))
def test_optimizing_twice_changes_little_and_nothing_wrong(seed: int) -> None:
    with tf.Graph().as_default() as graph:
        program = RandomGraph(seed)
        fetches = program.values[-4:]
    fed = np.stack([_SPECIAL, _SPECIAL[::-1]])
    plain = run(plan_of(pruned(graph, fetches, [program.x])), [fed])
    step, _ = optimized(graph, fetches, [program.x])
    count = len(step.nodes)
    optimize(step)
    check_step(step)
    assert len(step.nodes) <= count
    assert_same(plain, run(plan_of(step), [fed]))


# --- the graph itself -----------------------------------------------------------------------------


def test_the_graph_stays_as_it_was() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4, 4, 1])
        conv = tf.nn.conv2d(
            tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), tf.ones([1, 1, 1, 2]), 1, "VALID"
        )
        y = tf.identity(tf.multiply(conv, tf.constant([2.0, 3.0]) + 1.0))
    before = graph.as_graph_def().SerializeToString()
    shapes = [[str(out.shape) for out in op.outputs] for op in graph.get_operations()]
    optimized(graph, [y], [x])
    assert graph.as_graph_def().SerializeToString() == before
    assert [[str(out.shape) for out in op.outputs] for op in graph.get_operations()] == shapes


def test_reports_count_nodes_and_name_passes() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.identity(tf.constant(1.0) + tf.constant(2.0))
    step, reports = optimized(graph, [y])
    assert [report.name for report in reports][:2] == list(PASSES)[:2]
    folding = next(report for report in reports if report.name == "constant_folding")
    assert (folding.nodes_before, folding.nodes_after) == (4, 1) and len(folding.changed) == 2
    assert ops_of(step) == ["Const"]


def test_disabled_passes_do_not_run_and_unknown_ones_are_refused() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.constant(1.0) + tf.constant(2.0)
    step, reports = optimized(graph, [y], disabled=["constant_folding"])
    assert ops_of(step) == ["Const", "Const", "AddV2"]
    assert "constant_folding" not in [report.name for report in reports]
    with pytest.raises(ValueError, match="There is no pass 'folding'"):
        optimize(step, ["folding"])


def test_new_nodes_keep_device_and_operation() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        y = tf.divide(x, tf.constant(2.0) + tf.constant(2.0), name="y")
    step, _ = optimized(graph, [y], [x])
    made = [node for node in step.nodes if node.definition is not FEED]
    assert {node.device for node in made} == {"/job:localhost/replica:0/task:0/device:CPU:0"}
    assert [node.operation.name for node in made if node.operation] == ["y", "y"]


# --- feeds, fetches, targets ----------------------------------------------------------------------


def test_fed_constants_are_not_folded() -> None:
    with tf.Graph().as_default() as graph:
        a, b = tf.constant(1.0), tf.constant(2.0)
        total = a + b
    plain, results, step = run_both(graph, [total], {a: 10.0})
    assert_same(plain, results)
    assert results[0] == 12.0 and "AddV2" in ops_of(step)


def test_fed_results_of_folded_nodes() -> None:
    with tf.Graph().as_default() as graph:
        total = tf.constant(1.0) + tf.constant(2.0)
        y = total * 2.0
    _, results, _ = run_both(graph, [y, total], {total: 10.0})
    assert [float(value) for value in results] == [20.0, 10.0]


def test_fetches_of_nodes_that_go_and_of_feeds() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], "x")
        one = x * 1.0
        two = tf.identity(one)
        folded = tf.constant(1.0) + tf.constant(2.0)
    fed = np.array([1.0, 2.0], np.float32)
    plain, results, step = run_both(graph, [two, one, x, folded, folded], {x: fed})
    assert_same(plain, results)
    assert ops_of(step) == ["Const"]
    with tf.Session(graph=graph) as session:
        fetched = session.run([two, x], {x: fed})
    assert fetched[0] is not fetched[1]


def test_targets_run() -> None:
    with tf.Graph().as_default() as graph:
        folded = tf.constant(1.0) + tf.constant(2.0)
        target = tf.identity(folded)
    step, _ = optimized(graph, [], [], [target.op])
    assert [node.name for node in step.targets] == [target.op.name]
    assert step.targets[0] in step.nodes
    run(plan_of(step))


def test_the_nodes_of_a_partial_run_without_fetches_stay() -> None:
    with tf.Graph().as_default() as graph:
        variable = tf.Variable(1.0, use_resource=True)
        assign = variable.assign(tf.constant(2.0) + tf.constant(3.0))
    step = pruned(graph, [], [], [assign.op])
    step.targets = []
    optimize(step)
    assert "AssignVariableOp" in ops_of(step)


# --- order and effects ----------------------------------------------------------------------------


def test_effects_happen_once_and_in_order(world: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        first = world.noted(x * 1.0, tag="first")
        again = world.noted(x * 1.0, tag="first")
        with tf.control_dependencies([first, again]):
            nothing = tf.no_op()
        with tf.control_dependencies([nothing]):
            c = tf.constant(1.0) + tf.constant(2.0)
            last = world.noted(tf.identity(x), tag="last")
        y = c * 1.0
    fed = np.ones(2, np.float32)
    step, _ = optimized(graph, [y, last], [x])
    results = run(plan_of(step), [fed])
    assert [tag for tag, _ in world.log] == ["first", "first", "last"]
    assert results[0] == 3.0


def test_an_effect_that_only_a_constant_waits_for_happens(world: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        with tf.control_dependencies([world.noted(x, tag="seen")]):
            one = tf.constant([1.0, 1.0])
        y = x * one
    step, _ = optimized(graph, [y], [x])
    run(plan_of(step), [np.ones(2, np.float32)])
    assert [tag for tag, _ in world.log] == ["seen"]


def test_an_effect_whose_shape_alone_is_read_happens(world: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        y = tf.raw_ops.Shape(input=world.noted(x, tag="seen"))
    step, _ = optimized(graph, [y], [x])
    assert run(plan_of(step), [np.ones(2, np.float32)])[0].tolist() == [2]
    assert [tag for tag, _ in world.log] == ["seen"]


def test_checks_that_were_asked_for_still_fail() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        with tf.control_dependencies([tf.check_numerics(x, "not a number here")]):
            y = tf.constant(1.0) + tf.constant(2.0)
    step, _ = optimized(graph, [y], [x])
    with pytest.raises(InvalidArgumentError, match="not a number here"):
        run(plan_of(step), [np.array([1.0, np.nan], np.float32)])


def test_what_the_program_orders_by_hand_runs_and_may_fail() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [None])
        with tf.control_dependencies([tf.gather(tf.constant([1, 2]), x)]):
            y = tf.identity(x)
    step, _ = optimized(graph, [y], [x])
    with pytest.raises(InvalidArgumentError):
        run(plan_of(step), [np.array([7], np.int32)])


def test_variables_are_read_when_the_program_says() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, use_resource=False)
        before = v.read_value() * 1.0
        with tf.control_dependencies([before]):
            add = tf.assign_add(v, tf.constant(1.0) + tf.constant(1.0))
        with tf.control_dependencies([add]):
            after = tf.identity(v) * 1.0
    for reference in (True, False):
        with tf.Session(graph=graph) as session:
            session.run(v.initializer)
            if reference:
                values = session.run([before, after])
            else:
                prepared = pruned(graph, [before, after])
                optimize(prepared)
                check_step(prepared)
                assert {"AssignAdd", "Identity"} <= set(ops_of(prepared))
                continue
        assert values == [1.0, 3.0]


def test_stateful_ops_are_neither_folded_nor_merged() -> None:
    with tf.Graph().as_default() as graph:
        a, b = tf.random_uniform([2], seed=1), tf.random_uniform([2], seed=1)
        y = a - b
    step, _ = optimized(graph, [y])
    assert ops_of(step).count("RandomUniform") == 2


# --- control flow ---------------------------------------------------------------------------------


def test_constants_of_a_branch_die_with_it() -> None:
    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [])
        inside: list[Any] = []

        def make(value: float) -> Any:
            inside.append(tf.constant(value) + tf.constant(2.0))
            return inside[-1] * 3.0

        y = tf.cond(p, lambda: make(1.0), lambda: make(5.0))
    for chosen, expected in ((True, 9.0), (False, 21.0)):
        plain, results, step = run_both(graph, [y], {p: chosen})
        assert_same(plain, results)
        assert results[0] == expected and "AddV2" not in ops_of(step)
    step, _ = optimized(graph, [inside[0]], [p])
    with pytest.raises(InvalidArgumentError, match="does not have value"):
        run(plan_of(step), [np.array(False)])


def test_constants_in_loops() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [])

        def body(i: Any, total: Any) -> Any:
            step = tf.constant(1.0) + tf.constant(1.0)
            return i + 1, tf.identity(total * 1.0) + step

        _, y = tf.while_loop(lambda i, total: i < n, body, [0, 0.0])
    for one_by_one in (False, True):
        plain, results, _ = run_both(graph, [y], {n: 7})
        assert results[0] == 14.0 and plain[0] == 14.0
        assert run(plan_of(optimized(graph, [y], [n])[0], one_by_one), [np.array(7)])[0] == 14.0


def test_shapes_of_what_a_switch_lets_through_die_with_the_branch() -> None:
    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [])
        x = tf.placeholder(tf.float32, [3])
        ignored, taken = tf.raw_ops.Switch(data=x, pred=p)
        size = tf.raw_ops.Shape(input=taken)
        other = tf.raw_ops.Shape(input=tf.nn.relu(ignored)) * 2
        y = tf.raw_ops.Merge(inputs=[size, other])[0]
    for chosen, expected in ((True, [3]), (False, [6])):
        plain, results, _ = run_both(graph, [y], {p: chosen, x: [1, 2, 3]})
        assert_same(plain, results)
        assert results[0].tolist() == expected


# --- shapes ---------------------------------------------------------------------------------------


def test_a_reshape_that_may_not_fit_still_fails() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], "x")
        y = tf.placeholder(tf.float32, [None, 4], "y")
        z = tf.reshape(x, tf.stack([tf.shape(y)[0], 2, 2]))
        twice = tf.reshape(tf.reshape(x, [-1, 3]), [-1])
    fed = np.zeros((3, 4), np.float32)
    step, _ = optimized(graph, [z], [x, y])
    with pytest.raises(InvalidArgumentError):
        run(plan_of(step), [fed, fed[:2]])
    step, _ = optimized(graph, [twice], [x])
    with pytest.raises(InvalidArgumentError):
        run(plan_of(step), [fed[:1]])


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_reshapes_by_shapes_of_other_tensors(rows: int) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4, 4, 2], "x")
        conv = tf.nn.conv2d(x, tf.ones([2, 2, 2, 3]), 1, "VALID")
        moved = tf.transpose(conv, [0, 3, 1, 2]) + tf.ones([3, 1, 1])
        flat = tf.reshape(moved, tf.stack([tf.shape(x)[0], 3, -1]))
        outer = tf.shape(flat)[:2]
        rows_of = tf.reshape(flat, tf.stack([tf.reduce_prod(outer), 9]))
        y = tf.reshape(tf.matmul(rows_of, tf.ones([9, 5])), tf.concat([outer, [5]], 0))
    fed = np.random.default_rng(0).normal(size=(rows, 4, 4, 2))
    plain, results, step = run_both(graph, [y, flat], {x: fed})
    assert_same(plain, results)
    assert "Shape" not in ops_of(step)


# --- size -----------------------------------------------------------------------------------------


def test_thirty_thousand_nodes_are_optimized_without_depth_limits() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        y = x
        for _ in range(7500):
            y = tf.identity(y * 1.0) + tf.constant(1.0)
    step, _ = optimized(graph, [y], [x])
    assert ops_of(step).count("AddV2") == 7500 and len(step.nodes) == 7502
