"""Single rules at the values where rules go wrong: signs of zeros, infinities, NaN, odd shapes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf

from .running import all_but, assert_same, check_step, ops_of, optimized, plan_of, run, run_both

_SPECIAL = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 3e38, -3e38, 1e-42, 1e-38], np.float32
)
_CONSTANTS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.25, 3.0, 1e-40, 2.0**127, 2.0**-126, np.inf)
_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": tf.add,
    "subtract": tf.subtract,
    "multiply": tf.multiply,
    "divide": tf.divide,
}


@pytest.mark.parametrize(("name", "constant"), [*itertools.product(_OPS, _CONSTANTS)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arithmetic_with_constants(name: str, constant: float, dtype: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(dtype, [None])
        c = tf.constant(constant, dtype)
        fetches = [_OPS[name](x, c), _OPS[name](c, x), _OPS[name](x, tf.reshape(c, [1]))]
    with np.errstate(all="ignore"):
        plain, results, _ = run_both(graph, fetches, {x: _SPECIAL})
    assert_same(plain, results)


@pytest.mark.parametrize("exponent", [-1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, np.nan])
def test_powers_of_constants(exponent: float) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        y = tf.pow(x, exponent)
    with np.errstate(all="ignore"):
        plain, results, _ = run_both(graph, [y], {x: _SPECIAL})
    np.testing.assert_allclose(plain[0], results[0], rtol=3e-7, atol=1e-44)
    np.testing.assert_array_equal(np.signbit(plain[0]), np.signbit(results[0]))


@pytest.mark.parametrize("constant", [0, 1, 2, 3])
def test_integers(constant: int) -> None:
    numbers = [np.iinfo(np.int32).min, -3, 0, 7, np.iinfo(np.int32).max]
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [None])
        fetches = [x + constant, x - constant, x * constant, tf.pow(x, constant)]
        fetches += [constant - x, tf.negative(tf.negative(x))]
    with np.errstate(all="ignore"):
        plain, results, _ = run_both(graph, fetches, {x: numbers})
    assert_same(plain, results)


def test_broadcasting_constants_keep_their_node() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1])
        y = tf.placeholder(tf.float32, [None, 2])
        z = tf.placeholder(tf.float32, None)
        fetches = [x * tf.ones([3]), y * tf.ones([3, 1]), y * tf.ones([1, 1, 2]), z * tf.ones([1])]
        fetches.append(x - tf.zeros([2, 1]))
    plain, results, _ = run_both(graph, fetches, {x: [2.0], y: np.ones((3, 2)), z: 4.0})
    assert_same(plain, results)
    assert results[-2].shape == (1,)


def test_transposes_compose_in_order() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3, None, 5])
        fetches = []
        for first in itertools.permutations(range(4)):
            for second in ((0, 1, 2, 3), (1, 2, 3, 0), (0, 3, 1, 2), (3, 1, 0, 2)):
                fetches.append(tf.negative(tf.transpose(tf.transpose(x, first), second)))
    fed = np.arange(120).reshape(2, 3, 4, 5)
    plain, results, step = run_both(graph, fetches, {x: fed})
    assert_same(plain, results)
    assert ops_of(step).count("Transpose") < len(fetches)


@pytest.mark.parametrize("rows", [0, 1, 6])
def test_reshapes_of_reshapes(rows: int) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        fetches = []
        for first, second in itertools.product(([-1], [-1, 2], [-1, 2, 2]), ([-1, 4], [2, -1])):
            fetches.append(tf.negative(tf.reshape(tf.reshape(x, first), second)))
    plain, results, _ = run_both(graph, fetches, {x: np.ones((rows, 4))})
    assert_same(plain, results)


# --- folding --------------------------------------------------------------------------------------


def test_large_results_are_not_folded() -> None:
    with tf.Graph().as_default() as graph:
        huge = tf.fill([10**5, 10**5], tf.constant(1.0))
        large = tf.fill([1 << 19], tf.constant(1.0))
        small = tf.fill([1 << 10], tf.constant(1.0))
    step, _ = optimized(graph, [huge, large, small])
    assert ops_of(step).count("Fill") == 2


def test_sizes_are_judged_before_anything_is_made() -> None:
    with tf.Graph().as_default() as graph:
        unknown = tf.raw_ops.Range(start=0, limit=tf.constant(10) * 10**9, delta=1)
        few = tf.raw_ops.Range(start=0, limit=tf.constant(10), delta=1)
        for tensor in (unknown, few):
            tensor.op.outputs[0]._shape = tf.TensorShape([None])
    step, _ = optimized(graph, [unknown, few])
    assert ops_of(step).count("Range") == 1


def test_views_of_large_constants_are_folded_without_a_copy() -> None:
    value = np.zeros(5 << 20, np.float32)
    with tf.Graph().as_default() as graph:
        y = tf.reshape(tf.identity(tf.constant(value)), [5, -1])
    step, _ = optimized(graph, [y])
    node, _ = step.fetches[0]
    original = graph.get_operations()[0].attrs["value"]
    assert ops_of(step) == ["Const"] and np.shares_memory(node.attrs["value"], original)
    assert not node.attrs["value"].flags.writeable


def test_what_a_kernel_refuses_is_left_to_the_run() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.gather(tf.constant([1.0, 2.0]), tf.constant([5]))
    step, _ = optimized(graph, [y])
    assert "GatherV2" in ops_of(step)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(plan_of(step))


def test_a_folded_node_still_waits_for_what_it_waited_for(world: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        a, b = tf.constant(1.0), tf.constant(2.0)
        with tf.control_dependencies([world.noted(x, tag="own")]):
            y = a + b
        with tf.control_dependencies([world.noted(x, tag="input")]):
            c = tf.constant(3.0)
        z = c + a
        with tf.control_dependencies([y, z]):
            last = world.noted(x, tag="last")
    step, _ = optimized(graph, [last], [x], disabled=all_but("constant_folding"))
    assert "AddV2" not in ops_of(step)
    check_step(step)
    run(plan_of(step), [np.float32(0.0)])
    assert [tag for tag, _ in world.log][-1] == "last" and len(world.log) == 3


def test_defaults_are_folded_unless_they_are_fed() -> None:
    with tf.Graph().as_default() as graph:
        flag = tf.placeholder_with_default(2.0, [])
        y = flag * 3.0
    assert ops_of(optimized(graph, [y])[0]) == ["Const"]
    plain, results, _ = run_both(graph, [y], {flag: 5.0})
    assert_same(plain, results)
    assert results[0] == 15.0


def test_strings_are_folded_and_told_apart() -> None:
    with tf.Graph().as_default() as graph:
        joined = tf.strings.join([tf.constant("a"), tf.constant("b")])
        x = tf.placeholder(tf.string, [])
        fetches = [tf.strings.join([x, tf.constant(s)]) for s in ("a", "a", "b")]
    step, _ = optimized(graph, [joined, *fetches], [x])
    assert ops_of(step).count("StringJoin") == 2
    assert run(plan_of(step), [np.array(b"x", object)])[:3] == [b"ab", b"xa", b"xa"]


# --- common subexpressions ------------------------------------------------------------------------


def test_attributes_and_constants_are_compared_by_their_bits() -> None:
    numbers = np.zeros(100, np.float32)
    other = numbers.copy()
    other[37] = -0.0
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [100])
        fetches = [
            x / tf.constant(numbers),
            x / tf.constant(other),
            x / tf.constant(numbers.copy()),
        ]
        fetches += [tf.raw_ops.LeakyRelu(features=x, alpha=alpha) for alpha in (0.0, -0.0)]
    fed = -np.ones(100, np.float32)
    with np.errstate(all="ignore"):
        plain, results, step = run_both(graph, fetches, {x: fed})
    assert_same(plain, results)
    assert ops_of(step).count("RealDiv") == 2 and ops_of(step).count("LeakyRelu") == 2


def test_only_two_inputs_may_change_places() -> None:
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        z = tf.placeholder(tf.float32, [])
        fetches = [tf.add_n([x, y, z]), tf.add_n([z, x, y]), x - y, y - x, x * y, y * x]
    feeds = {x: 1e8, y: -1e8, z: 1.0}
    plain, results, step = run_both(graph, fetches, feeds)
    assert_same(plain, results)
    assert (ops_of(step).count("AddN"), ops_of(step).count("Sub")) == (2, 2)
    assert ops_of(step).count("Mul") == 1


# --- control flow ---------------------------------------------------------------------------------


def test_edges_to_a_pivot_stay() -> None:
    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [])
        x = tf.placeholder(tf.float32, [])
        dead, alive = tf.raw_ops.Switch(data=p, pred=p)
        with tf.control_dependencies([tf.identity(alive)]):
            yes = tf.negative(x)
        with tf.control_dependencies([tf.identity(dead)]):
            no = tf.square(x)
        y = tf.raw_ops.Merge(inputs=[no, yes])[0]
    for chosen, expected in ((True, -3.0), (False, 9.0)):
        plain, results, _ = run_both(graph, [y], {p: chosen, x: 3.0})
        assert_same(plain, results)
        assert results[0] == expected


def test_a_malformed_loop_is_left_to_planning() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.raw_ops.Exit(data=tf.constant(1.0))
    step, reports = optimized(graph, [y])
    assert reports == [] and ops_of(step) == ["Const", "Exit"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="in no loop"):
        plan_of(step)
