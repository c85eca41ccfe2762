"""The thread pool, alone and after a fork."""

from __future__ import annotations

import os
import threading

import pytest

from featherflow.runtime import thread_pool
from featherflow.runtime.thread_pool import ThreadPool


def test_tasks_run_and_threads_are_limited() -> None:
    pool = ThreadPool(3)
    started, go, done = threading.Semaphore(0), threading.Event(), threading.Semaphore(0)

    def task() -> None:
        started.release()
        assert go.wait(10)
        done.release()

    for _ in range(8):
        pool.schedule(task)
    for _ in range(3):
        assert started.acquire(timeout=10)
    assert pool.thread_count() == 3
    assert not started.acquire(blocking=False)
    go.set()
    for _ in range(8):
        assert done.acquire(timeout=10)


def test_no_thread_before_there_is_work() -> None:
    assert ThreadPool(3).thread_count() == 0


def test_an_idle_thread_is_used_again() -> None:
    pool = ThreadPool(3)
    names: list[str] = []
    for _ in range(5):
        done = threading.Event()
        pool.schedule(lambda done=done: (names.append(threading.current_thread().name), done.set()))
        assert done.wait(10)
    assert pool.thread_count() <= 3
    assert set(names) == {"featherflow"}


def test_threads_without_work_end(monkeypatch) -> None:
    monkeypatch.setattr(thread_pool, "IDLE_SECONDS", 0.01)
    pool = ThreadPool(2)
    threads: list[threading.Thread] = []
    pool.schedule(lambda: threads.append(threading.current_thread()))
    while not threads:
        os.sched_yield()
    threads[0].join(10)
    assert not threads[0].is_alive()
    assert pool.thread_count() == 0


def test_what_a_task_raises_is_reported(monkeypatch) -> None:
    seen = threading.Event()
    errors: list[type] = []
    monkeypatch.setattr(
        threading, "excepthook", lambda args: (errors.append(args.exc_type), seen.set())
    )
    pool = ThreadPool(1)
    pool.schedule(lambda: 1 // 0)
    assert seen.wait(10)
    done = threading.Event()
    pool.schedule(done.set)  # the thread goes on
    assert done.wait(10)
    assert errors == [ZeroDivisionError]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_fresh_threads() -> None:
    pool = ThreadPool(2)
    done = threading.Event()
    pool.schedule(done.set)
    assert done.wait(10)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            worked = threading.Event()
            pool.schedule(worked.set)
            status = 0 if worked.wait(10) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
