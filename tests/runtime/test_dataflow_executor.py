"""Loops and branches: batched and node by node, with kernels that wait, on several devices."""

from __future__ import annotations

import pytest

import featherflow.compat.v1 as tf
from featherflow.runtime.step_plan import DataflowStep

from .programs import RandomProgram, as_int
from .steps import Interleaving, plan, run


def built(seed: int, delay=None, devices: int = 1):
    """A random program: its graph, fed tensor, fetches, and what they are for x = 5."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.int32, [], name="x")
        results = RandomProgram(seed, delay, devices).build((x, 5))
    return graph, x, [tensor for tensor, _ in results], [value for _, value in results]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("one_by_one", [False, True])
def test_random_programs(seed: int, one_by_one: bool) -> None:
    graph, x, fetches, expected = built(seed)
    step = plan(graph, fetches, [x], one_by_one=one_by_one)
    assert list(map(as_int, run(step, [5]))) == expected


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_that_wait(seed: int, world) -> None:
    graph, x, fetches, expected = built(seed, delay=world.delayed)
    for one_by_one in (False, True):
        step = plan(graph, fetches, [x], one_by_one=one_by_one)
        if not isinstance(step, DataflowStep):
            continue
        for order in range(3):
            interleaving = Interleaving(order)
            world.later = interleaving.delayed.append
            assert list(map(as_int, interleaving.run(step, [5]))) == expected


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_on_several_devices(seed: int, world) -> None:
    graph, x, fetches, expected = built(seed, world.delayed if seed % 2 else None, devices=3)
    step = plan(graph, fetches, [x], devices=3)
    if not isinstance(step, DataflowStep):
        return
    for order in range(3):
        interleaving = Interleaving(order)
        world.later = interleaving.delayed.append
        assert list(map(as_int, interleaving.run(step, [5]))) == expected
