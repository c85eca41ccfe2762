"""Staging areas and barriers: what one step puts down another takes up, waiting if need be."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf

PAIR = [tf.float32, tf.int32]
JOIN_SECONDS = 20


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def in_thread(function: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """Runs `function` beside the test; its result, or exception, lands in the list."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(function())
        except tf.errors.OpError as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, found


def finished(pair: tuple[threading.Thread, list[Any]]) -> Any:
    thread, found = pair
    thread.join(JOIN_SECONDS)
    assert found, "It still waits."
    return found[0]


# --- in the order of arrival ----------------------------------------------------------------------


def area(**bounds: int) -> dict[str, Any]:
    place = tf.placeholder(tf.float32, [2])
    names = {"shared_name": "area", **bounds}
    raw = tf.raw_ops
    return {
        "place": place,
        "put": raw.Stage(values=[place, tf.constant([7])], **names),
        "get": raw.Unstage(dtypes=PAIR, **names),
        "peek": raw.StagePeek(index=1, dtypes=PAIR, **names),
        "size": raw.StageSize(dtypes=PAIR, **names),
        "clear": raw.StageClear(dtypes=PAIR, **names),
        "other": raw.Unstage(dtypes=[tf.int32], **names),
    }


def test_first_in_first_out(graph: Any) -> None:
    ops = area()
    with tf.Session() as sess:
        for value in (1, 2):
            sess.run(ops["put"], {ops["place"]: [value, value]})
        assert sess.run(ops["size"]) == 2
        assert sess.run(ops["peek"])[0].tolist() == [2, 2]
        assert sess.run(ops["get"])[0].tolist() == [1, 1]
        values, constant = sess.run(ops["get"])
        assert (values.tolist(), constant.tolist()) == ([2, 2], [7])
        assert sess.run(ops["size"]) == 0


def test_taking_waits_for_what_comes(graph: Any) -> None:
    ops = area()
    with tf.Session() as sess:
        taker = in_thread(lambda: sess.run(ops["get"]))
        sess.run(ops["put"], {ops["place"]: [3, 4]})
        assert finished(taker)[0].tolist() == [3, 4]


@pytest.mark.parametrize("bounds", [{"capacity": 1}, {"memory_limit": 20}])
def test_putting_waits_for_room(graph: Any, bounds: dict[str, int]) -> None:
    ops = area(**bounds)
    with tf.Session() as sess:
        sess.run(ops["put"], {ops["place"]: [1, 1]})
        putter = in_thread(lambda: sess.run(ops["put"], {ops["place"]: [2, 2]}))
        assert sess.run(ops["size"]) == 1
        assert sess.run(ops["get"])[0].tolist() == [1, 1]
        assert finished(putter) is None
        assert sess.run(ops["get"])[0].tolist() == [2, 2]


def test_clearing_makes_room(graph: Any) -> None:
    ops = area(capacity=1)
    with tf.Session() as sess:
        sess.run(ops["put"], {ops["place"]: [1, 1]})
        sess.run(ops["clear"])
        sess.run(ops["put"], {ops["place"]: [2, 2]})
        assert sess.run(ops["get"])[0].tolist() == [2, 2]


def test_an_element_beyond_the_limit_is_refused(graph: Any) -> None:
    ops = area(memory_limit=4)
    with tf.Session() as sess, pytest.raises(tf.errors.ResourceExhaustedError):
        sess.run(ops["put"], {ops["place"]: [1, 1]})


def test_other_dtypes_are_refused(graph: Any) -> None:
    ops = area()
    with tf.Session() as sess:
        sess.run(ops["put"], {ops["place"]: [1, 1]})
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(ops["other"])


def test_a_deadline_ends_the_wait(graph: Any) -> None:
    ops = area()
    with tf.Session() as sess, pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(ops["get"], options=tf.RunOptions(timeout_in_ms=30))


def test_what_is_staged_does_not_change(graph: Any) -> None:
    variable = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    put = tf.raw_ops.Stage(values=[variable], shared_name="s")
    get = tf.raw_ops.Unstage(dtypes=[tf.float32], shared_name="s")
    change = tf.assign(variable, [8.0, 9.0])
    with tf.Session() as sess:
        sess.run(variable.initializer)
        sess.run(put)
        sess.run(change)
        assert sess.run(get)[0].tolist() == [1, 2]


# --- by key ---------------------------------------------------------------------------------------


def keyed(kind: str = "", **bounds: int) -> dict[str, Any]:
    key, place = tf.placeholder(tf.int64, []), tf.placeholder(tf.float32, [2])
    names = {"shared_name": "map", **bounds}

    def op(name: str, **attrs: Any) -> Any:
        return getattr(tf.raw_ops, kind + name)(**attrs, **names)

    constant = tf.constant([7])
    return {
        "key": key,
        "place": place,
        "put": op("MapStage", key=key, indices=[0, 1], values=[place, constant], dtypes=PAIR),
        "first": op("MapStage", key=key, indices=[0], values=[place], dtypes=PAIR),
        "second": op("MapStage", key=key, indices=[1], values=[constant], dtypes=PAIR),
        "outside": op("MapStage", key=key, indices=[5], values=[constant], dtypes=PAIR),
        "twice": op("MapStage", key=key, indices=[1, 1], values=[constant] * 2, dtypes=PAIR),
        "wrong": op("MapStage", key=key, indices=[0], values=[constant], dtypes=PAIR),
        "get": op("MapUnstage", key=key, indices=[0, 1], dtypes=PAIR),
        "get_first": op("MapUnstage", key=key, indices=[0], dtypes=[tf.float32]),
        "get_second": op("MapUnstage", key=key, indices=[1], dtypes=[tf.int32]),
        "peek": op("MapPeek", key=key, indices=[1, 0], dtypes=PAIR[::-1]),
        "any": op("MapUnstageNoKey", indices=[0, 1], dtypes=PAIR),
        "size": op("MapSize", dtypes=PAIR),
        "incomplete": op("MapIncompleteSize", dtypes=PAIR),
        "clear": op("MapClear", dtypes=PAIR),
    }


@pytest.mark.parametrize("kind", ["", "Ordered"])
def test_elements_by_key(graph: Any, kind: str) -> None:
    ops = keyed(kind)

    def feeds(key: int) -> dict[Any, Any]:
        return {ops["key"]: key, ops["place"]: [key, key]}

    with tf.Session() as sess:
        for key in (5, 2):
            sess.run(ops["put"], feeds(key))
        sess.run(ops["first"], feeds(9))
        assert sess.run([ops["size"], ops["incomplete"]]) == [2, 1]
        sess.run(ops["second"], feeds(9))
        assert sess.run([ops["size"], ops["incomplete"]]) == [3, 0]
        assert [part.tolist() for part in sess.run(ops["peek"], feeds(9))] == [[7], [9, 9]]
        assert sess.run(ops["get_first"], feeds(9))[0].tolist() == [9, 9]
        assert sess.run(ops["size"]) == 3
        assert sess.run(ops["get_second"], feeds(9))[0].tolist() == [7]
        key, values = sess.run(ops["any"])
        assert key == (2 if kind else 5)
        assert values[0].tolist() == [key, key]
        sess.run(ops["clear"])
        assert sess.run(ops["size"]) == 0


def test_taking_waits_for_a_key(graph: Any) -> None:
    ops = keyed()
    with tf.Session() as sess:
        taker = in_thread(lambda: sess.run(ops["get"], {ops["key"]: 4}))
        sess.run(ops["put"], {ops["key"]: 3, ops["place"]: [0, 0]})
        sess.run(ops["put"], {ops["key"]: 4, ops["place"]: [1, 2]})
        assert finished(taker)[0].tolist() == [1, 2]


@pytest.mark.parametrize("name", ["outside", "twice", "wrong", "put"])
def test_parts_that_do_not_fit_are_refused(graph: Any, name: str) -> None:
    ops = keyed()
    feeds = {ops["key"]: 1, ops["place"]: [0, 0]}
    with tf.Session() as sess:
        if name == "put":
            sess.run(ops["put"], feeds)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(ops[name], feeds)


# --- barriers -------------------------------------------------------------------------------------


class BarrierOps:
    """A barrier of floats and pairs of ints."""

    def __init__(self, take: int = 2, **attrs: Any) -> None:
        raw = tf.raw_ops
        self.keys = tf.placeholder(tf.string, [None])
        self.floats = tf.placeholder(tf.float32, [None])
        self.pairs = tf.placeholder(tf.int32, [None, 2])
        self.handle = raw.Barrier(component_types=PAIR, shapes=[[], [2]], shared_name="barrier")
        self.first = raw.BarrierInsertMany(
            handle=self.handle, keys=self.keys, values=self.floats, component_index=0
        )
        self.second = raw.BarrierInsertMany(
            handle=self.handle, keys=self.keys, values=self.pairs, component_index=1
        )
        self.take = raw.BarrierTakeMany(
            handle=self.handle, num_elements=take, component_types=PAIR, **attrs
        )
        self.close = raw.BarrierClose(handle=self.handle)
        self.cancel = raw.BarrierClose(handle=self.handle, cancel_pending_enqueues=True)
        self.ready = raw.BarrierReadySize(handle=self.handle)
        self.incomplete = raw.BarrierIncompleteSize(handle=self.handle)

    def put_first(self, sess: Any, *keys: str) -> None:
        values = np.arange(len(keys))
        sess.run(self.first, {self.keys: list(keys), self.floats: values})

    def put_second(self, sess: Any, *keys: str) -> None:
        values = np.arange(2 * len(keys)).reshape(-1, 2)
        sess.run(self.second, {self.keys: list(keys), self.pairs: values})


def test_elements_leave_whole_in_the_order_of_their_keys(graph: Any) -> None:
    ops = BarrierOps()
    with tf.Session() as sess:
        ops.put_first(sess, "a", "b", "c")
        assert sess.run([ops.ready, ops.incomplete]) == [0, 3]
        ops.put_second(sess, "c", "a")
        assert sess.run([ops.ready, ops.incomplete]) == [2, 1]
        indices, keys, (floats, pairs) = _taken(sess.run(ops.take))
        assert keys.tolist() == [b"a", b"c"]
        assert (indices - np.iinfo(np.int64).min).tolist() == [0, 2]
        assert floats.tolist() == [0, 2]
        assert pairs.tolist() == [[2, 3], [0, 1]]
        assert sess.run([ops.ready, ops.incomplete]) == [0, 1]


def _taken(result: Any) -> tuple[Any, Any, Any]:
    indices, keys, values = result
    return indices, keys, tuple(values)


def test_taking_waits_for_the_last_component(graph: Any) -> None:
    ops = BarrierOps(take=1)
    with tf.Session() as sess:
        taker = in_thread(lambda: sess.run(ops.take))
        ops.put_second(sess, "a")
        ops.put_first(sess, "a")
        assert _taken(finished(taker))[1].tolist() == [b"a"]


def test_a_closed_barrier_takes_what_is_missing_only(graph: Any) -> None:
    ops = BarrierOps(take=1)
    with tf.Session() as sess:
        ops.put_first(sess, "a")
        sess.run(ops.close)
        with pytest.raises(tf.errors.CancelledError):
            ops.put_first(sess, "b")
        ops.put_second(sess, "a")
        assert _taken(sess.run(ops.take))[1].tolist() == [b"a"]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(ops.take)


def test_a_cancelled_barrier_takes_nothing(graph: Any) -> None:
    ops = BarrierOps(take=1)
    with tf.Session() as sess:
        ops.put_first(sess, "a")
        sess.run(ops.cancel)
        with pytest.raises(tf.errors.CancelledError):
            ops.put_second(sess, "a")
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(ops.take)


def test_small_batches_of_a_closed_barrier(graph: Any) -> None:
    ops = BarrierOps(take=5, allow_small_batch=True)
    with tf.Session() as sess:
        ops.put_first(sess, "a", "b")
        ops.put_second(sess, "a", "b")
        sess.run(ops.close)
        assert _taken(sess.run(ops.take))[1].tolist() == [b"a", b"b"]


def test_a_component_comes_once(graph: Any) -> None:
    ops = BarrierOps()
    with tf.Session() as sess:
        ops.put_first(sess, "a")
        with pytest.raises(tf.errors.InvalidArgumentError):
            ops.put_first(sess, "a")
        with pytest.raises(tf.errors.InvalidArgumentError):
            ops.put_second(sess, "b", "b")


def test_closing_twice_is_refused(graph: Any) -> None:
    ops = BarrierOps()
    with tf.Session() as sess:
        sess.run(ops.close)
        with pytest.raises(tf.errors.CancelledError):
            sess.run(ops.close)
        sess.run(ops.cancel)
