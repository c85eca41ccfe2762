"""Coordinators, QueueRunners and what is listed in a graph."""

from __future__ import annotations

import threading

import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def runner_of(queue: tf.QueueBase, *values: int) -> tf.train.QueueRunner:
    runner = tf.train.QueueRunner(queue, [queue.enqueue(value) for value in values])
    tf.train.add_queue_runner(runner)
    return runner


def test_threads_fill_the_queue_until_the_coordinator_stops() -> None:
    queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
    runner_of(queue, 1, 2)
    batch, closed = queue.dequeue_many(20), queue.is_closed()
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert len(threads) == 3
        assert tf.train.start_queue_runners(session, coordinator) == []
        assert set(session.run(batch).tolist()) <= {1, 2}
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=20)
        assert session.run(closed)


def test_the_end_of_the_data_closes_the_queue() -> None:
    source = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(source.dequeue() * 2)] * 2)
    rest = queue.dequeue_up_to(9)
    with tf.Session() as session:
        session.run(source.enqueue_many([[1, 2, 3]]))
        session.run(source.close())
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, daemon=True, start=True)
        assert sorted(session.run(rest).tolist()) == [2, 4, 6]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=20)
        assert runner.exceptions_raised == []


def test_an_error_of_a_thread_comes_out_of_join() -> None:
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
    bad = tf.check_numerics(tf.constant(float("nan")), "not a number")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(bad)])
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, daemon=True, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
            coordinator.join(threads, stop_grace_period_secs=20)


def test_message_and_back() -> None:
    runner = runner_of(tf.FIFOQueue(2, [tf.int32], shapes=[[]]), 1)
    message = runner.to_proto()
    assert message.queue_name == "fifo_queue"
    assert message.enqueue_op_name == ["fifo_queue_enqueue"]
    assert (message.close_op_name, message.cancel_op_name) == (
        "fifo_queue_Close",
        "fifo_queue_Close_1",
    )
    again = tf.train.QueueRunner.from_proto(message)
    assert again.to_proto() == message
    assert runner.to_proto("elsewhere") is None


def test_refusals() -> None:
    with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
        tf.train.QueueRunner(tf.FIFOQueue(2, [tf.int32]), [])
    with pytest.raises(ValueError, match="No default session"):
        tf.train.start_queue_runners()


def test_coordinator_keeps_the_first_error_and_forgives_clean_ones() -> None:
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coordinator.join()
    assert coordinator.joined and coordinator.should_stop()
    coordinator.clear_stop()
    assert not coordinator.wait_for_stop(0)
    with coordinator.stop_on_exception():
        raise KeyError("first")
    coordinator.request_stop(ValueError("second"))
    with pytest.raises(KeyError, match="first"):
        coordinator.join()


def test_join_names_threads_that_go_on() -> None:
    release = threading.Event()
    thread = threading.Thread(target=release.wait, name="stubborn", daemon=True)
    thread.start()
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="still running: stubborn"):
        coordinator.join([thread], stop_grace_period_secs=0)
    coordinator.join([thread], stop_grace_period_secs=0, ignore_live_threads=True)
    release.set()
    thread.join()


def test_looper_calls_until_the_stop() -> None:
    coordinator, calls = tf.train.Coordinator(), []

    def call() -> None:
        calls.append(len(calls))
        if len(calls) == 3:
            coordinator.request_stop()

    tf.train.LooperThread.loop(coordinator, None, call)
    coordinator.join(stop_grace_period_secs=20)
    assert calls == [0, 1, 2]
