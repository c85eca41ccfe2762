"""Queues: order, capacity, waiting, closing, and steps that end while they wait."""

from __future__ import annotations

import queue as python_queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf

TIMEOUT = 20  # seconds after which something hangs


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Background:
    """A call on another thread; `result()` waits for it and gives its value or its error."""

    def __init__(self, call: Callable[..., Any], *args: Any) -> None:
        self._outcome: python_queue.Queue = python_queue.Queue()
        self._thread = threading.Thread(target=self._run, args=(call, args), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[..., Any], args: tuple[Any, ...]) -> None:
        try:
            self._outcome.put(call(*args))
        except Exception as error:
            self._outcome.put(error)

    def result(self) -> Any:
        return self._outcome.get(timeout=TIMEOUT)


def waiting(session: tf.Session, fetch: Any, line: str, queue: tf.QueueBase) -> Background:
    """A run on another thread that has come to wait in a line of the queue's."""
    resource = session.run(queue.queue_ref)
    before = len(getattr(resource, line))
    background = Background(session.run, fetch)
    pause = threading.Event()
    for _ in range(TIMEOUT * 1000):
        if len(getattr(resource, line)) > before:
            return background
        pause.wait(0.001)
    raise AssertionError(f"nothing waits among the {line}")


def ints(capacity: int = 10, **keywords: Any) -> tf.FIFOQueue:
    return tf.FIFOQueue(capacity, [tf.int32], shapes=[[]], **keywords)


# --- order ----------------------------------------------------------------------------------------


def test_first_in_first_out() -> None:
    queue = ints()
    enqueue, dequeue, batch = (
        queue.enqueue_many([[1, 2, 3]]),
        queue.dequeue(),
        queue.dequeue_many(2),
    )
    with tf.Session() as session:
        session.run(enqueue)
        assert session.run(dequeue) == 1
        assert session.run(batch).tolist() == [2, 3]


def test_shuffled_as_tensorflow_shuffles() -> None:
    queue = tf.RandomShuffleQueue(50, 0, [tf.int32], shapes=[[]], seed=3)
    enqueue, batch = queue.enqueue_many([tf.range(10)]), queue.dequeue_many(10)
    with tf.Session() as session:
        session.run(enqueue)
        # Recorded from TensorFlow.
        assert session.run(batch).tolist() == [7, 1, 4, 5, 6, 8, 0, 9, 2, 3]


def test_priorities_and_ties() -> None:
    queue = tf.PriorityQueue(10, [tf.string], shapes=[[]])
    enqueue = queue.enqueue_many([[3, 1, 1, -1], ["c", "a", "b", "z"]])
    with tf.Session() as session:
        session.run(enqueue)
        keys, words = session.run(queue.dequeue_many(4))
    assert keys.tolist() == [-1, 1, 1, 3]
    assert words.tolist() == [b"z", b"a", b"b", b"c"]


def test_padding_of_numbers_and_strings() -> None:
    queue = tf.PaddingFIFOQueue(10, [tf.int32, tf.string], shapes=[[None, 2], [None]])
    enqueues = [queue.enqueue([[[1, 2]], ["a"]]), queue.enqueue([[[3, 4], [5, 6]], ["b", "c"]])]
    with tf.Session() as session:
        for enqueue in enqueues:
            session.run(enqueue)
        numbers, words = session.run(queue.dequeue_many(2))
    assert numbers.tolist() == [[[1, 2], [0, 0]], [[3, 4], [5, 6]]]
    assert words.tolist() == [[b"a", b""], [b"b", b"c"]]


@pytest.mark.parametrize("dims", [[], [2], [0, 3]])
def test_empty_batches(dims: list[int]) -> None:
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[dims])
    batch = queue.dequeue_many(0)
    with tf.Session() as session:
        result = session.run(batch)
    assert (result.shape, result.dtype) == ((0, *dims), np.float32)


def test_elements_own_their_memory() -> None:
    variable = tf.Variable([1.0, 2.0])
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[2]])
    enqueue, change = queue.enqueue(variable), tf.assign(variable, [5.0, 5.0])
    fed = tf.placeholder(tf.float32, [2])
    enqueue_fed, dequeue = queue.enqueue(fed), queue.dequeue()
    value = np.array([3.0, 4.0], np.float32)
    with tf.Session() as session:
        session.run(variable.initializer)
        session.run(enqueue)
        session.run(change)
        session.run(enqueue_fed, {fed: value})
        value[:] = 0
        assert session.run(dequeue).tolist() == [1.0, 2.0]
        assert session.run(dequeue).tolist() == [3.0, 4.0]


def test_shared_and_unshared() -> None:
    first, second = ints(shared_name="both"), ints(shared_name="both")
    third = ints()
    with tf.Session() as session, tf.Session() as other:
        session.run(first.enqueue(1))
        assert session.run([second.size(), third.size()]) == [1, 0]
        assert other.run(first.size()) == 0


def test_queue_chosen_by_index() -> None:
    queues = [ints(), ints()]
    chosen = tf.QueueBase.from_list(1, queues)
    enqueue, sizes = chosen.enqueue(5), [queue.size() for queue in queues]
    with tf.Session() as session:
        session.run(enqueue)
        assert session.run(sizes) == [0, 1]


# --- waiting --------------------------------------------------------------------------------------


@pytest.mark.parametrize("devices", [("/cpu:0", "/cpu:0"), ("/cpu:0", "/cpu:1")])
@pytest.mark.parametrize("reads_first", [True, False])
def test_read_and_write_in_one_step(devices: tuple[str, str], reads_first: bool) -> None:
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]])
    fed = tf.placeholder(tf.float32, [])
    with tf.device(devices[0]):
        result = queue.dequeue() * 2.0
    with tf.device(devices[1]):
        value = fed + 1.0
    write = queue.enqueue(value)
    fetches = [result, write] if reads_first else [write, result]
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(config=config) as session:
        for number in range(3):
            found = Background(session.run, fetches, {fed: number}).result()
            assert [x for x in found if x is not None] == [(number + 1) * 2]


def test_read_waits_for_the_write_of_another_thread() -> None:
    queue = ints()
    dequeue, enqueue = queue.dequeue() + 1, queue.enqueue(4)
    with tf.Session() as session:
        reader = waiting(session, dequeue, "_readers", queue)
        session.run(enqueue)
        assert reader.result() == 5


def test_batch_larger_than_the_capacity() -> None:
    queue = ints(2)
    write, read = queue.enqueue_many([[1, 2, 3, 4, 5]]), queue.dequeue_many(5)
    with tf.Session() as session:
        writer = waiting(session, write, "_writers", queue)
        assert Background(session.run, read).result().tolist() == [1, 2, 3, 4, 5]
        assert writer.result() is None


def test_shuffled_queue_keeps_its_minimum_until_it_is_closed() -> None:
    queue = tf.RandomShuffleQueue(10, 2, [tf.int32], shapes=[[]])
    batch, close, size = queue.dequeue_many(3), queue.close(), queue.size()
    with tf.Session() as session:
        session.run(queue.enqueue_many([[1, 2, 3]]))
        reader = waiting(session, batch, "_readers", queue)
        assert session.run(size) == 2
        session.run(close)
        assert sorted(reader.result().tolist()) == [1, 2, 3]


def test_many_readers_and_writers() -> None:
    queue = ints(3)
    fed = tf.placeholder(tf.int32, [None])
    write, read = queue.enqueue_many([fed]), queue.dequeue_many(5)
    with tf.Session() as session:
        readers = [Background(session.run, read) for _ in range(8)]
        numbers = np.arange(40, dtype=np.int32).reshape(4, 10)
        writers = [Background(session.run, write, {fed: row}) for row in numbers]
        found = np.concatenate([reader.result() for reader in readers])
        assert [writer.result() for writer in writers] == [None] * 4
    assert sorted(found.tolist()) == list(range(40))


def test_waiting_holds_no_thread() -> None:
    queues = [ints() for _ in range(30)]
    total = tf.add_n([queue.dequeue() for queue in queues])
    enqueues = [queue.enqueue(1) for queue in queues]
    with tf.Session() as session:
        before = threading.active_count()
        reader = waiting(session, total, "_readers", queues[0])
        assert threading.active_count() == before + 1  # the reader's own
        session.run(enqueues)
        assert reader.result() == 30


def test_loop_around_a_queue() -> None:
    queue = ints(1)

    def body(i: tf.Tensor, total: tf.Tensor) -> list[tf.Tensor]:
        return [i + 1, total + queue.dequeue()]

    _, total = tf.while_loop(lambda i, total: i < 5, body, [0, 0])
    write = queue.enqueue_many([[1, 2, 3, 4, 5]])
    with tf.Session() as session:
        assert Background(session.run, [total, write]).result()[0] == 15


# --- the end --------------------------------------------------------------------------------------


def test_close_wakes_readers_and_puts_back_what_they_had() -> None:
    queue = ints()
    batch, close, dequeue = queue.dequeue_many(5), queue.close(), queue.dequeue()
    enqueue = queue.enqueue_many([[1, 2, 3]])
    with tf.Session() as session:
        session.run(enqueue)
        reader = waiting(session, batch, "_readers", queue)
        session.run(close)
        assert isinstance(reader.result(), tf.errors.OutOfRangeError)
        assert [session.run(dequeue) for _ in range(3)] == [1, 2, 3]
        with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient"):
            session.run(dequeue)
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            session.run(enqueue)
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            session.run(close)


def test_close_waits_for_writers() -> None:
    queue = ints(2)
    write, close, closed = queue.enqueue_many([[1, 2, 3]]), queue.close(), queue.is_closed()
    dequeue, late = queue.dequeue(), queue.enqueue(9)
    with tf.Session() as session:
        writer = waiting(session, write, "_writers", queue)
        closer = waiting(session, close, "_writers", queue)
        assert not session.run(closed)
        with pytest.raises(tf.errors.CancelledError):
            session.run(late)
        assert session.run(dequeue) == 1
        assert [writer.result(), closer.result()] == [None, None]
        assert session.run(closed)
        assert [session.run(dequeue) for _ in range(2)] == [2, 3]


def test_close_cancels_writers() -> None:
    queue = ints(2)
    write, close = queue.enqueue_many([[1, 2, 3]]), queue.close(cancel_pending_enqueues=True)
    with tf.Session() as session:
        writer = waiting(session, write, "_writers", queue)
        session.run(close)
        assert isinstance(writer.result(), tf.errors.CancelledError)
        assert session.run(queue.size()) == 2


def test_closing_the_session_wakes_all_who_wait() -> None:
    queue = ints(1)
    read, write = queue.dequeue_many(3), queue.enqueue_many([[1, 2, 3, 4, 5]])
    session = tf.Session()
    reader = waiting(session, read, "_readers", queue)
    session.close()
    assert isinstance(reader.result(), tf.errors.CancelledError)
    session = tf.Session()
    writer = waiting(session, write, "_writers", queue)
    session.close()
    assert isinstance(writer.result(), tf.errors.CancelledError)


def test_deadline_wakes_who_waits() -> None:
    queue = ints(4)
    options = tf.RunOptions(timeout_in_ms=50)
    with tf.Session() as session:
        session.run(queue.enqueue_many([[1, 2]]))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.dequeue_many(3), options=options)
        assert session.run(queue.size()) == 2  # what it had taken is back
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.enqueue_many([[3, 4, 5]]), options=options)
        assert session.run(queue.dequeue_many(4)).tolist() == [1, 2, 3, 4]
        resource = session.run(queue.queue_ref)
        assert not resource._readers and not resource._writers


def test_failure_of_a_step_takes_its_readers_out_of_line() -> None:
    queue = ints()
    fails = tf.check_numerics(tf.placeholder_with_default(np.float32("nan"), []), "not a number")
    read, write = [queue.dequeue(), fails], queue.enqueue(7)
    with tf.Session() as session:
        outcome = Background(session.run, read).result()
        assert isinstance(outcome, tf.errors.InvalidArgumentError)
        session.run(write)
        assert Background(session.run, queue.dequeue()).result() == 7


# --- refusals -------------------------------------------------------------------------------------


def test_queues_that_differ_cannot_be_shared() -> None:
    first, second = ints(10, shared_name="a"), ints(11, shared_name="a")
    with tf.Session() as session:
        session.run(first.size())
        with pytest.raises(tf.errors.InvalidArgumentError, match="another capacity"):
            session.run(second.size())


def test_minimum_below_the_capacity() -> None:
    queue = tf.RandomShuffleQueue(10, 10, [tf.int32])
    refused = pytest.raises(tf.errors.InvalidArgumentError, match="min_after_dequeue 10")
    with tf.Session() as session, refused as caught:
        session.run(queue.size())
    assert caught.value.node.name == "random_shuffle_queue"


def test_shape_and_dtypes_at_run_time() -> None:
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[2]])
    wrong = tf.placeholder_with_default([1, 2, 3], None)
    two = tf.FIFOQueue(10, [tf.int32, tf.int32])
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="component 0"):
            session.run(queue.enqueue(wrong))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Signature mismatch"):
            session.run(two.enqueue(1))
        with pytest.raises(tf.errors.InvalidArgumentError, match="shapes"):
            session.run(two.dequeue_up_to(1))


def test_ops_of_refs() -> None:
    queue = tf.raw_ops.FIFOQueue(component_types=[tf.int32], shapes=[[]])
    enqueue = tf.raw_ops.QueueEnqueue(handle=queue, components=[tf.constant(4)])
    dequeue = tf.raw_ops.QueueDequeue(handle=queue, component_types=[tf.int32])
    with tf.Session() as session:
        session.run(enqueue)
        assert session.run(tf.raw_ops.QueueSize(handle=queue)) == 1
        assert session.run(dequeue) == [4]


@pytest.mark.parametrize(
    ("given", "shapes"),
    [([], [[]]), ([2, 3], [[2, 3]]), ([[2, 3]], [[2, 3]]), (tf.TensorShape([2]), [[2]])],
)
def test_a_list_of_sizes_is_the_shape_of_the_only_component(given: Any, shapes: Any) -> None:
    assert [shape.as_list() for shape in tf.FIFOQueue(3, tf.int32, shapes=given).shapes] == shapes
    if given != [[2, 3]]:
        with pytest.raises(ValueError, match="a list of shapes must be provided"):
            tf.PaddingFIFOQueue(3, tf.int32, shapes=given)
