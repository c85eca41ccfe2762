"""Partial runs: one step in several calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import InvalidArgumentError

from .loops import given


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


class Chain:
    """r1 = a + b and r2 = r1 * c, each noted when it is computed."""

    def __init__(self, world: Any) -> None:
        self.a, self.b, self.c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
        self.r1 = world.noted(self.a + self.b, tag="r1")
        self.r2 = world.noted(self.r1 * self.c, tag="r2")
        self.session = tf.Session()

    def setup(self) -> str:
        return self.session.partial_run_setup([self.r1, self.r2], [self.a, self.b, self.c])


@pytest.fixture
def chain(world) -> Chain:
    return Chain(world)


def test_each_node_runs_once(chain, world) -> None:
    handle = chain.setup()
    run = chain.session.partial_run
    assert run(handle, chain.r1, {chain.a: 1, chain.b: 2}) == 3.0
    assert world.log == [("r1", 3.0)]
    assert run(handle, chain.r2, {chain.c: 5}) == 15.0
    assert world.log == [("r1", 3.0), ("r2", 15.0)]


def test_all_at_once_and_in_a_structure(chain) -> None:
    feeds = {"a:0": 1, chain.b: 2, chain.c: 3}
    result = chain.session.partial_run(chain.setup(), {"x": [chain.r2], "y": chain.r1}, feeds)
    assert result == {"x": [9.0], "y": 3.0}


def test_runs_of_different_handles_are_apart(chain) -> None:
    first, second = chain.setup(), chain.setup()
    run = chain.session.partial_run
    assert run(first, chain.r1, {chain.a: 1, chain.b: 1}) == 2.0
    assert run(second, chain.r1, {chain.a: 5, chain.b: 5}) == 10.0
    assert run(first, chain.r2, {chain.c: 2}) == 4.0
    assert run(second, chain.r2, {chain.c: 2}) == 20.0


def test_feeds_may_come_before_they_are_needed(chain) -> None:
    handle = chain.setup()
    run = chain.session.partial_run
    assert run(handle, [], {chain.c: 4}) == []
    assert run(handle, chain.r1, {chain.a: 1, chain.b: 1}) == 2.0
    assert run(handle, chain.r2) == 8.0


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ([("r1", "ab"), ("r2", "c"), ("r2", "c")], "Must run 'setup' before performing partial"),
        ([("r2", "a")], "Fetch TestNoted_1:0 can't be computed from the feeds"),
        ([("r1", "ab"), ("r2", "ac")], "The feed a:0 has already been fed."),
        ([("r1", "ab"), ("r1", "c")], "The fetch TestNoted:0 has already been fetched."),
    ],
)
def test_refusals(chain, calls: Any, message: str) -> None:
    handle = chain.setup()
    with pytest.raises(InvalidArgumentError) as caught:
        for fetch, feeds in calls:
            values = {getattr(chain, name): 1.0 for name in feeds}
            chain.session.partial_run(handle, getattr(chain, fetch), values)
    assert message in str(caught.value)


def test_what_was_not_set_up(chain) -> None:
    run, setup = chain.session.partial_run, chain.session.partial_run_setup
    with pytest.raises(InvalidArgumentError, match="The fetch TestNoted:0 was not specified"):
        run(setup([chain.r2], [chain.a, chain.b, chain.c]), chain.r1, {chain.a: 1, chain.b: 2})
    with pytest.raises(InvalidArgumentError, match="The feed b:0 was not specified"):
        run(setup([chain.r1], [chain.a]), chain.r1, {chain.a: 1, chain.b: 2})
    with pytest.raises(InvalidArgumentError, match="Must run 'setup'"):
        run("nothing", chain.r1)
    with pytest.raises(InvalidArgumentError, match="Must specify at least one target"):
        setup([], [chain.a])
    with pytest.raises(TypeError, match="Cannot interpret feed_list key"):
        setup([chain.r1], [5])
    with pytest.raises(RuntimeError, match="requires empty `target_list`"):
        run(chain.setup(), chain.r1.op, {chain.a: 1})


def test_a_failed_call_can_be_made_again(chain) -> None:
    handle = chain.setup()
    with pytest.raises(InvalidArgumentError, match="c:0 is missing"):
        chain.session.partial_run(handle, chain.r2, {chain.a: 1, chain.b: 2})
    feeds = {chain.c: 3}
    assert chain.session.partial_run(handle, chain.r2, feeds) == 9.0


def test_a_closed_session_has_none(chain) -> None:
    handle = chain.setup()
    chain.session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        chain.session.partial_run(handle, chain.r1)


def test_targets_run_with_the_last_call(chain, world) -> None:
    target = world.noted(chain.c, tag="target").op
    handle = chain.session.partial_run_setup([chain.r1, target], [chain.a, chain.b, chain.c])
    chain.session.partial_run(handle, [], {chain.c: 7})
    assert world.log == []
    chain.session.partial_run(handle, chain.r1, {chain.a: 1, chain.b: 2})
    assert world.log == [("r1", 3.0), ("target", 7.0)]


@pytest.mark.parametrize("taken", [True, False])
def test_branches_in_parts(taken: bool, world) -> None:
    """A later call reads values that an earlier one found dead."""
    flag, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
    results = tf.cond(
        flag,
        lambda: [world.noted(x, tag="on"), x + 1],
        lambda: [world.noted(-x, tag="off"), x - 1],
    )
    with tf.Session() as sess:
        handle = sess.partial_run_setup(results, [flag, x])
        first = sess.partial_run(handle, results[0], {flag: taken, x: 5})
        second = sess.partial_run(handle, results[1])
    assert (first, second) == ((5, 6) if taken else (-5, 4))
    assert len(world.log) == 1


def test_loops_are_run_whole(world) -> None:
    x = tf.placeholder(tf.int32, [])
    count, total = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (world.noted(i, tag="i") + 1, a + i), [given(0), x]
    )
    with tf.Session() as sess:
        handle = sess.partial_run_setup([count, total], [x])
        assert sess.partial_run(handle, count, {x: 10}) == 3
        assert sess.partial_run(handle, total) == 13
    assert world.log == [("i", 0), ("i", 1), ("i", 2)]


def test_on_several_devices() -> None:
    a, b = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
    with tf.device("/cpu:1"):
        first = a * 2.0
    with tf.device("/cpu:0"):
        second = first + b
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(config=config) as sess:
        handle = sess.partial_run_setup([first, second], [a, b])
        value = sess.partial_run(handle, first, {a: np.ones(2)})
        value += 100.0  # it is the user's
        assert sess.partial_run(handle, second, {b: np.ones(2)}).tolist() == [3.0, 3.0]
