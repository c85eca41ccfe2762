"""DirectSession: plans and their cache, threads, deadlines, close, and what leaves a run."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import CancelledError, DeadlineExceededError
from featherflow.framework.op import define_op, unregister_op
from featherflow.framework.shape_inference import scalar_shape, unchanged_shape
from featherflow.runtime import direct_session
from featherflow.runtime.executor_plan import ExecutorPlan

from .loops import given


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def session(**config: Any) -> tf.Session:
    return tf.Session(config=tf.ConfigProto(**config))


# --- several devices ------------------------------------------------------------------------------


def test_devices_of_the_configuration(world) -> None:
    with tf.device("/cpu:3"):
        x = world.noted(given(3), tag="x")
    with session(device_count={"CPU": 4}) as sess:
        assert [device.name[-5:] for device in sess.list_devices()] == [
            "CPU:0",
            "CPU:1",
            "CPU:2",
            "CPU:3",
        ]
        assert sess.run(x + 1) == 4


def test_a_kernel_knows_its_device() -> None:
    where = define_op("TestWhere", outputs=("y: string",), is_stateful=True)
    where.shape_fn(scalar_shape)
    where.kernel("CPU")(lambda ctx: np.array(ctx.device.encode(), object))
    try:
        with tf.device("/cpu:0"):
            here = where()
        with tf.device("/cpu:1"):
            there = where()
        with session(device_count={"CPU": 2}) as sess:
            assert [name[-5:] for name in sess.run([here, there])] == [b"CPU:0", b"CPU:1"]
            assert sess.run(there)[-5:] == b"CPU:1"
    finally:
        unregister_op("TestWhere")


def test_variables_on_several_devices() -> None:
    variables = []
    for index in range(3):
        with tf.device(f"/cpu:{index}"):
            variables.append(tf.Variable(float(index), use_resource=index == 1))
    total = tf.add_n([tf.identity(variable) for variable in variables])
    update = tf.group(*[variable.assign_add(total) for variable in variables])
    with session(device_count={"CPU": 3}) as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(total) == 3.0
        sess.run(update)
        assert sess.run(total) == 12.0


# --- plans ----------------------------------------------------------------------------------------


def test_an_ordinary_step_is_a_straight_list() -> None:
    x = tf.placeholder(tf.float32)
    sess = session()
    sess.run(x + 1.0, {x: 1.0})
    (prepared,) = sess._session._plans.values()
    assert isinstance(prepared.plan, ExecutorPlan)


def test_the_plan_cache_tells_and_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(direct_session, "MAX_PLANS", 4)
    tensors = [given(1) + index for index in range(6)]
    sess = session()
    for tensor in tensors:
        sess.run(tensor)
    sess.run(tensors[-1])
    info = sess._session.plan_cache_info()
    assert (info.hits, info.misses, info.max_size, info.size) == (1, 6, 4, 4)
    assert sess.run(tensors[0]) == 1  # planned again


def test_concurrent_first_runs_plan_once(monkeypatch) -> None:
    x = tf.placeholder(tf.int32, [])
    y = x * 2
    sess = session()
    build = direct_session.build_step
    built: list[int] = []
    barrier = threading.Barrier(8)

    def slow_build(*args: Any) -> Any:
        built.append(1)
        return build(*args)

    monkeypatch.setattr(direct_session, "build_step", slow_build)

    def run(value: int) -> int:
        barrier.wait(10)
        return int(sess.run(y, {x: value}))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(run, range(8))) == [2 * value for value in range(8)]
    assert len(built) == 1


def test_a_step_that_cannot_be_planned_can_be_tried_again() -> None:
    with tf.device("/gpu:0"):
        lost = tf.identity(given(1))
    sess = session()
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            sess.run(lost)
    assert sess._session.plan_cache_info().size == len(sess._session._plan_locks) == 0


def test_nodes_may_be_added_but_not_changed_after_a_run() -> None:
    x = tf.identity(given(1))
    sess = session()
    assert sess.run(x) == 1
    with pytest.raises(RuntimeError, match="after a session has run it"):
        x.op._update_input(0, given(2))
    assert sess.run(x + 1) == 2


# --- threads --------------------------------------------------------------------------------------


def test_threads_share_a_session(world) -> None:
    """Sixteen threads, loops and branches and devices: no run sees another's values."""
    x = tf.placeholder(tf.int32, [])
    with tf.device("/cpu:1"):
        looped = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a + x), [0, x])[1]
    with tf.device("/cpu:0"):
        joined = tf.cond(x % 2 > 0, lambda: looped * 2, lambda: looped - 1)
        straight = x * 3
    with session(device_count={"CPU": 2}) as sess, ThreadPoolExecutor(16) as threads:

        def run(value: int) -> bool:
            expected = 6 * value * 2 if value % 2 else 6 * value - 1
            return [int(item) for item in sess.run([joined, straight], {x: value})] == [
                expected,
                3 * value,
            ]

        assert all(threads.map(run, range(200)))


def test_a_run_inside_a_kernel() -> None:
    nested = define_op("TestNested", inputs=("x: int32",), outputs=("y: int32",), is_stateful=True)
    nested.shape_fn(unchanged_shape)
    x = tf.placeholder(tf.int32, [])
    inner = x + 1
    sess = session()
    nested.kernel("CPU")(lambda value: np.asarray(sess.run(inner, {x: value})))
    try:
        assert sess.run(nested(nested(x)), {x: 5}) == 7
    finally:
        unregister_op("TestNested")


def test_a_plain_run_starts_no_thread() -> None:
    looped = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [given(0)])
    before = threading.active_count()
    with session() as sess:
        assert sess.run(looped) == 5
    assert threading.active_count() == before


# --- deadlines and close --------------------------------------------------------------------------


def endless() -> Any:
    return tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [given(1)])


def waits(world: Any) -> Any:
    world.later = lambda report: None
    return world.delayed(given(1))


@pytest.mark.parametrize("kind", ["loop", "waits"])
@pytest.mark.parametrize("where", ["run", "session"])
def test_deadline(kind: str, where: str, world) -> None:
    fetch = endless() if kind == "loop" else waits(world)
    config = {"operation_timeout_in_ms": 30} if where == "session" else {}
    options = tf.RunOptions(timeout_in_ms=30) if where == "run" else None
    with session(**config) as sess:
        started = time.monotonic()
        with pytest.raises(DeadlineExceededError, match="longer than 30 ms"):
            sess.run(fetch, options=options)
        assert time.monotonic() - started < 5
        # A step that is in time is not disturbed, and neither is the next.
        assert sess.run(given(2), options=tf.RunOptions(timeout_in_ms=60000)) == 2


@pytest.mark.parametrize("kind", ["loop", "waits"])
def test_close_cancels_what_runs(kind: str, world) -> None:
    fetch = endless() if kind == "loop" else waits(world)
    sess = session()
    running = sess._session._running
    with ThreadPoolExecutor(1) as threads:
        result = threads.submit(sess.run, fetch)
        while not running:
            time.sleep(0.001)
        sess.close()
        with pytest.raises(CancelledError, match="Session has been closed"):
            result.result(10)
    with pytest.raises(RuntimeError, match="closed Session"):
        sess.run(fetch)


def test_close_frees_everything() -> None:
    value = np.ones(10)
    gone: list[Any] = []
    sess = session()
    variable = tf.Variable(value, use_resource=True)
    sess.run(variable.initializer)
    sess.run(variable + 1.0)
    inner = sess._session
    gone.append(weakref.ref(next(iter(inner.resources._resources.values())).value))
    sess.close()
    assert len(inner.resources) == inner.plan_cache_info().size == 0
    gc.collect()
    assert gone[0]() is None


def test_values_are_freed_when_a_run_ends() -> None:
    """Neither plans nor iterations keep what a run computed."""
    x = tf.placeholder(tf.float32, [None])
    results = [
        tf.reduce_sum(x * 2.0),
        tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + 1.0), [given(0), x * 2.0])[1][0],
        tf.cond(x[0] > 0, lambda: x * 3.0, lambda: x)[0],
    ]
    sess = session()
    for fetch in results:
        fed = np.ones(1000, np.float32)
        gone = weakref.ref(fed)
        sess.run(fetch, {x: fed})
        del fed
        gc.collect()
        assert gone() is None, fetch


def test_a_session_goes_with_its_last_reference() -> None:
    sess = session()
    sess.run(given(1) + 1)
    inner = weakref.ref(sess._session)
    del sess
    gc.collect()
    assert inner() is None


# --- what leaves a run ----------------------------------------------------------------------------


def test_what_is_fetched_belongs_to_the_user() -> None:
    """Writing into a fetched array changes no constant, feed, variable or other fetch."""
    fed = np.ones(3, np.float32)
    x = tf.placeholder(tf.float32, [3])
    constant = tf.constant([1.0, 1.0, 1.0])
    ref = tf.Variable(tf.ones([3]), use_resource=False)
    resource = tf.Variable(tf.ones([3]), use_resource=True)
    y = tf.negative(x)
    fetches = [
        constant,
        tf.identity(constant),
        x,
        tf.reshape(x, [3]),
        ref,
        ref.read_value(),
        resource,
        resource.read_value(),
        y,
        tf.identity(y),
        y,
        tf.cond(given(True, tf.bool), lambda: x, lambda: y),
        tf.while_loop(lambda i, a: i < 0, lambda i, a: (i, a), [given(1), constant])[1],
    ]
    with session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(fetches, {x: fed})
        assert first[8] is first[10]  # one fetch, asked for twice
        kept = [value.copy() for value in first]
        for value in first[:-3] + first[-2:]:
            assert value.flags.writeable
            value += 7.0
        assert fed.tolist() == [1.0, 1.0, 1.0]
        again = sess.run(fetches, {x: fed})
        for value, expected in zip(again, kept):
            assert value.tolist() == expected.tolist()


def test_a_variable_does_not_keep_what_was_fetched_or_fed() -> None:
    x = tf.placeholder(tf.float32, [2])
    variable = tf.Variable(tf.zeros([2]), use_resource=True)
    fresh = x * 2.0
    assign = variable.assign(fresh)
    from_feed = variable.assign(x)
    with session() as sess:
        sess.run(tf.global_variables_initializer())
        value, _ = sess.run([fresh, assign], {x: [1.0, 2.0]})
        value += 100.0
        assert sess.run(variable).tolist() == [2.0, 4.0]
        fed = np.array([5.0, 6.0], np.float32)
        sess.run(from_feed, {x: fed})
        fed += 100.0
        assert sess.run(variable).tolist() == [5.0, 6.0]
