"""Threads: results do not depend on how many there are; forks, quotas and neighbours do no harm."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.compiler import processors, thread_team
from featherflow.runtime import compile_options

rng = np.random.default_rng(0)
IMAGES = rng.standard_normal((3, 20, 20, 16)).astype(np.float32)


def model(images: tf.Tensor) -> tf.Tensor:
    """Large enough that every kernel is split among threads."""
    weights = np.random.default_rng(1)

    def filters(*shape: int) -> np.ndarray:
        return (weights.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)

    x = tf.nn.relu(tf.nn.conv2d(images, filters(3, 3, 16, 72), 1, "SAME") + filters(72))
    x = tf.nn.conv2d(x, filters(1, 1, 72, 40), 1, "SAME")
    x = tf.nn.depthwise_conv2d(x, filters(3, 3, 40, 1), [1, 1, 1, 1], "SAME")
    x = tf.nn.max_pool(tf.nn.tanh(x), 2, 2, "VALID")
    x = tf.reshape(x, [-1, 100 * 40])
    return tf.nn.softmax(tf.matmul(x, filters(4000, 50)))


def session(threads: int) -> tuple[tf.Session, tf.Tensor, tf.Tensor]:
    graph = tf.Graph()
    with graph.as_default():
        images = tf.placeholder(tf.float32, [None, 20, 20, 16])
        result = model(images)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    config.graph_options.optimizer_options.global_jit_level = (
        tf.OptimizerOptions.ON_1  # compiled before the first run
    )
    return tf.Session(graph=graph, config=config), images, result


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more threads are used than there are cores for."""
    monkeypatch.setattr(compile_options, "available_threads", lambda: 4)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    sess, images, result = session(1)
    return sess.run(result, {images: IMAGES})


def program_of(sess: Any) -> Any:
    (prepared,) = sess._session._plans.values()
    (plan,) = prepared.compiled.ready.values()
    return next(step.node.attrs["program"] for step in plan.steps if "program" in step.node.attrs)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_results_are_equal_for_any_number_of_threads(threads: int, expected: np.ndarray) -> None:
    sess, images, result = session(threads)
    for _ in range(5):
        assert np.array_equal(sess.run(result, {images: IMAGES}), expected)
    assert program_of(sess).shares == threads


def test_four_threads_on_one_session(expected: np.ndarray) -> None:
    sess, images, result = session(2)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(10):
            if not np.array_equal(sess.run(result, {images: IMAGES}), expected):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive()
    assert not wrong


def test_a_child_has_threads_of_its_own(expected: np.ndarray) -> None:
    sess, images, result = session(2)
    assert np.array_equal(sess.run(result, {images: IMAGES}), expected)
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if np.array_equal(sess.run(result, {images: IMAGES}), expected) else 2
        finally:
            os._exit(status)
    _, state = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(state) == 0
    assert np.array_equal(sess.run(result, {images: IMAGES}), expected)


def test_threads_that_slept_wake_up(expected: np.ndarray) -> None:
    sess, images, result = session(2)
    sess.run(result, {images: IMAGES})
    team = thread_team._team
    assert team is not None
    while 1 not in team._asleep:  # it spins for a tenth of a millisecond, then sleeps
        os.sched_yield()
    assert np.array_equal(sess.run(result, {images: IMAGES}), expected)


def test_no_more_threads_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_options, "available_threads", lambda: 2)
    config = tf.ConfigProto(intra_op_parallelism_threads=8)
    assert compile_options.threads_of(config) == 2
    config.intra_op_parallelism_threads = 1
    assert compile_options.threads_of(config) == 1


@pytest.mark.parametrize(
    ("text", "quota"), [("max 100000", None), ("100000 100000", 1), ("250000 100000", 2)]
)
def test_quota(text: str, quota: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors.Path, "read_text", lambda _: text)
    assert processors.quota_of_processors() == quota
    if quota == 1:
        assert processors.available_threads() == 1
