"""Programs: outputs own their memory; arenas are used again without harm, by several threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from compiler.step_cases import draw_step
from compiler.step_values import assert_same_bits, open_session
from featherflow.compiler.program import Program


@pytest.fixture(autouse=True)
def empty_graph() -> None:
    tf.reset_default_graph()


def program_of(fetches: Any, feeds: dict[Any, np.ndarray], threads: int = 1) -> Program:
    """The program of a step that is one cluster, whose inputs are the feeds in their order."""
    with open_session(tf.get_default_graph(), compiled=True, threads=threads) as session:
        session.run(fetches, feeds)
        (prepared,) = session._session._plans.values()
        (plan,) = prepared.compiled.ready.values()
        (step,) = plan.steps
        return step.node.attrs["program"]


def poison(program: Program) -> int:
    """Fills the arenas that are kept with NaN; returns how many bytes."""
    for instance in program._free:
        instance._arena[...] = 0xFF
    return sum(instance._arena.nbytes for instance in program._free)


def long_step() -> tuple[list[Any], Any]:
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [33, 40])
    y = x
    for size in (50, 20, 64, 40):
        weights = rng.normal(size=(y.shape[1], size)).astype(np.float32) / 6
        y = tf.tanh(tf.matmul(y, tf.constant(weights)))
        y = y + tf.reduce_mean(y, 0)
    total = tf.transpose(tf.nn.softmax(tf.transpose(y))) + x
    return [total, tf.reduce_sum(total, 0), tf.concat([total, y, x], 1)], x


def test_arenas_carry_nothing_from_run_to_run() -> None:
    fetches, x = long_step()
    given = np.random.default_rng(1).normal(size=(33, 40)).astype(np.float32)
    program = program_of(fetches, {x: given})
    first = program.run([given])
    kept = [item.copy() for item in first]
    for _ in range(3):
        assert poison(program) > 1000
        program.run([given * 3])
        poison(program)
        for again, wanted in zip(program.run([given]), kept):
            assert_same_bits(again, wanted)
    for item, wanted in zip(first, kept):
        assert_same_bits(item, wanted)


def test_arenas_are_smaller_than_all_values() -> None:
    fetches, x = long_step()
    program = program_of(fetches, {x: np.ones((33, 40), np.float32)})
    assert 0 < program.arena_bytes < 4 * 33 * (50 + 20 + 64 + 40) * 4


def test_outputs_own_their_memory() -> None:
    fetches, x = long_step()
    given = np.ones((33, 40), np.float32)
    program = program_of(fetches, {x: given})
    runs = [program.run([given]) for _ in range(3)]
    flat = [item for run in runs for item in run]
    for item in flat:
        assert item.flags.owndata and item.flags.c_contiguous and item.flags.writeable
        assert not np.shares_memory(item, given)
        assert not any(np.shares_memory(item, other) for other in flat if other is not item)
        assert not any(np.shares_memory(item, kept._arena) for kept in program._free)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_several_callers_at_once(threads: int) -> None:
    fetches, x = long_step()
    rng = np.random.default_rng(2)
    given = [rng.normal(size=(33, 40)).astype(np.float32) for _ in range(6)]
    program = program_of(fetches, {x: given[0]}, threads)
    expected = [program.run([item]) for item in given]
    barrier = threading.Barrier(6)

    def work(number: int) -> list[np.ndarray]:
        barrier.wait(30)
        for _ in range(20):
            result = program.run([given[number]])
            for item, wanted in zip(result, expected[number]):
                assert_same_bits(item, wanted)
        return result

    with ThreadPoolExecutor(6) as pool:
        assert len(list(pool.map(work, range(6)))) == 6
    assert len(program._free) <= 6


def test_drawn_programs_do_not_read_what_they_have_not_written() -> None:
    """With arenas full of NaN, as with arenas full of zeros, results have the same bits."""
    programs = 0
    for seed in range(500, 530):
        step = draw_step(seed)
        fetches = [value.tensor for value in step.fetches]
        with open_session(step.graph, compiled=True) as session:
            for initializer in step.initializers:
                session.run(initializer)
            first = session.run(fetches, step.feeds)
            for prepared in session._session._plans.values():
                plans = prepared.compiled.ready.values() if prepared.compiled else ()
                for node in [item.node for plan in plans for item in plan.steps]:
                    if node.definition.name == "_Cluster":
                        poison(node.attrs["program"])
                        programs += 1
            for one, other in zip(first, session.run(fetches, step.feeds)):
                assert_same_bits(other, one)
    assert programs > 15
