"""Steps whose kernels wait or fail, on real threads."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import (
    CancelledError,
    InternalError,
    InvalidArgumentError,
    UnknownError,
)
from featherflow.runtime.rendezvous import LocalRendezvous
from featherflow.runtime.step_context import Cancellation
from featherflow.runtime.step_plan import run_step
from featherflow.runtime.step_run import StepRun
from featherflow.runtime.thread_pool import ThreadPool

from .loops import given
from .programs import RandomProgram, as_int
from .steps import Interleaving, NoThreads, context, plan, run


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def planned(*fetches: Any, devices: int = 1) -> Any:
    return plan(tf.get_default_graph(), fetches, devices=devices)


def test_a_kernel_that_waits_holds_no_thread(world) -> None:
    """A thousand of them wait at once, and nobody is there but the calling thread."""
    x = given(1)
    total = tf.add_n([world.delayed(x) for _ in range(1000)])
    interleaving = Interleaving(0, patient=True)
    world.later = interleaving.delayed.append
    threads = threading.active_count()
    assert interleaving.run(planned(total)) == [1000]
    assert threading.active_count() <= threads  # a thread of an earlier test may have ended


def test_what_reads_waits_for_what_is_written_later(world) -> None:
    """A read that comes before its write, as in a queue: the write must not stand behind it."""
    x = given(1)
    read = world.delayed(x)
    with tf.control_dependencies([world.noted(x, tag="before")]):
        written = world.noted(x, tag="write")
    waiting: list[Any] = []
    interleaving = Interleaving(0, patient=True)

    def later(report: Any) -> None:
        waiting.append(report)
        interleaving.delayed.append(lambda: (world.log.append(("read", 1)), report()))

    world.later = later
    assert interleaving.run(planned(tf.negative(read), written)) == [-1, 1]
    assert [tag for tag, _ in world.log] == ["before", "write", "read"]


def test_reports_from_other_threads(world) -> None:
    pool = ThreadPool(4)
    world.later = pool.schedule
    x = given(3)
    for _ in range(20):
        x = world.delayed(x) + world.delayed(x)
    assert run_step(planned(x), [], context(), pool) == [3 * 2**20]


@pytest.mark.parametrize("seed", range(10))
def test_devices_on_threads(seed: int, world) -> None:
    pool = ThreadPool(4)
    world.later = pool.schedule
    x = tf.placeholder(tf.int32, [])
    results = RandomProgram(seed, world.delayed, 3).build((x, 5))
    step = plan(tf.get_default_graph(), [tensor for tensor, _ in results], [x], devices=3)
    for _ in range(5):
        values = run_step(step, [np.array(5)], context(), pool)
        assert list(map(as_int, values)) == [value for _, value in results]


# --- errors ---------------------------------------------------------------------------------------


def test_an_error_names_node_and_line(world) -> None:
    failing = world.failing(world.delayed(given(1)), name="culprit")
    with pytest.raises(InvalidArgumentError) as caught:
        run(planned(failing))
    assert caught.value.op is failing.op
    assert "TestFailing 'culprit': refuses 1" in str(caught.value)
    assert "test_step_run.py" in str(caught.value)


def test_an_error_reported_late_names_the_node(world) -> None:
    @world.delayed.kernel("CPU", priority=1, asynchronous=True)
    def fails(ctx: Any, done: Any, x: Any) -> None:
        done(UnknownError(None, None, "no luck"))

    waiting = world.delayed(given(1), name="waiting")
    with pytest.raises(UnknownError, match="'waiting': no luck"):
        run(planned(waiting))


def test_an_error_on_one_device_ends_the_others(world) -> None:
    """One device waits for the world, another for the first, and the third fails."""
    with tf.device("/cpu:0"):
        waiting = world.delayed(given(1))
    with tf.device("/cpu:1"):
        behind = tf.negative(waiting)
    with tf.device("/cpu:2"):
        failing = world.failing(given(2))
    world.later = lambda report: None
    step = planned(behind, failing, devices=3)
    for seed in range(5):
        with pytest.raises(InvalidArgumentError, match="refuses 2"):
            Interleaving(seed).run(step)


def test_what_a_kernel_did_not_mean_to_raise(world) -> None:
    @world.failing.kernel("CPU", priority=1)
    def divides(x: Any) -> Any:
        return {}[1]

    with pytest.raises(InternalError, match="KeyError"):
        run(planned(world.failing(world.delayed(given(1)))))


def test_reporting_twice_is_an_error(world) -> None:
    @world.delayed.kernel("CPU", priority=1, asynchronous=True)
    def twice(ctx: Any, done: Any, x: Any) -> None:
        done(x)
        done(x)

    with pytest.raises(InternalError, match="reported twice"):
        run(planned(tf.negative(world.delayed(given(1)))))


def test_a_receive_without_send_is_a_deadlock() -> None:
    """The error names who waits, and for what."""
    with tf.device("/cpu:0"):
        x = tf.identity(given(1))
    with tf.device("/cpu:1"):
        y = tf.negative(x, name="reader")
    step = planned(y, devices=2)
    (sender,) = [unit for unit in step.plans[0].root.units if unit.blocks]
    sender.blocks = tuple(
        block._replace(
            steps=tuple(s for s in block.steps if s.node.definition.control_flow != "send")
        )
        for block in sender.blocks
    )
    with pytest.raises(InternalError) as caught:
        run(step)
    assert "came to a stop" in caught.value.message
    assert "'reader' waits for" in str(caught.value)
    assert "its _Recv to complete" in str(caught.value)


# --- cancellation ---------------------------------------------------------------------------------


def test_cancelled_before_it_starts(world) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(CancelledError):
        run(planned(world.noted(world.delayed(given(1)), tag="x")), (), cancellation)
    assert world.log == []


def test_cancelled_while_it_waits(world) -> None:
    reason = CancelledError(None, None, "enough")
    cancellation = Cancellation()
    reports: list[Any] = []

    def later(report: Any) -> None:
        reports.append(report)
        threading.Thread(target=cancellation.cancel, args=[reason]).start()

    world.later = later
    with pytest.raises(CancelledError, match="enough"):
        run(planned(world.delayed(given(1))), (), cancellation)
    reports[0]()  # too late: nobody listens


def test_cancelled_in_a_loop(world) -> None:
    """A loop that would never end."""
    cancellation = Cancellation()

    @world.noted.kernel("CPU", priority=1)
    def cancels(x: Any, *, tag: str) -> Any:
        if x > 100:
            cancellation.cancel(CancelledError(None, None, "in the loop"))
        return x

    endless = tf.while_loop(lambda i: i >= 0, lambda i: world.noted(i + 1, tag="i"), [given(0)])
    with pytest.raises(CancelledError, match="in the loop"):
        run(planned(endless), (), cancellation)


def test_interrupted_by_the_keyboard(world) -> None:
    """Ctrl-C reaches the calling thread while it waits; nothing is left running."""
    cancellation = Cancellation()

    class Interrupted(Interleaving):
        def get(self) -> Any:
            if self._items:
                return self.get_nowait()
            raise KeyboardInterrupt

    world.later = lambda report: None
    step = planned(world.delayed(given(1)))
    first = context(cancellation)
    first.rendezvous = LocalRendezvous()
    queue = Interrupted(0)
    with pytest.raises(KeyboardInterrupt):
        StepRun(step.plans, [[]], [first], NoThreads(), queue).run()
    assert cancellation.cancelled


def test_cancellation_calls_each_callback_once() -> None:
    cancellation = Cancellation()
    calls: list[str] = []
    kept = cancellation.register(lambda: calls.append("kept"))
    gone = cancellation.register(lambda: calls.append("gone"))
    assert cancellation.deregister(gone)
    cancellation.cancel()
    cancellation.cancel()
    cancellation.register(lambda: calls.append("late"))
    assert calls == ["kept", "late"]
    assert not cancellation.deregister(kept)
    assert isinstance(cancellation.reason, CancelledError)
