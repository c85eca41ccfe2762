"""The watcher of deadlines."""

from __future__ import annotations

import threading

import pytest

from featherflow.framework.errors import DeadlineExceededError
from featherflow.runtime import deadline
from featherflow.runtime.deadline import DeadlineWatcher
from featherflow.runtime.step_context import Cancellation


def test_the_earliest_comes_first_whatever_the_order() -> None:
    watcher = DeadlineWatcher()
    cancelled: list[int] = []
    over = threading.Event()
    late, early, never = Cancellation(), Cancellation(), Cancellation()
    late.register(lambda: (cancelled.append(60), over.set()))
    early.register(lambda: cancelled.append(10))
    with (
        watcher.watch(late, 60),
        watcher.watch(never, 60000),
        watcher.watch(early, 10),
    ):
        assert over.wait(10)
    assert cancelled == [10, 60]
    assert isinstance(early.reason, DeadlineExceededError)
    assert "10 ms" in str(early.reason)
    assert not never.cancelled


def test_what_is_over_is_forgotten() -> None:
    """Steps in time leave nothing behind, however long their deadlines are."""
    watcher = DeadlineWatcher()
    with watcher.watch(Cancellation(), 3_600_000):
        for _ in range(500):
            with watcher.watch(Cancellation(), 3_600_000):
                pass
        assert len(watcher._watched) < 4
    assert watcher._watched == []


def test_the_thread_ends_and_starts_again(monkeypatch) -> None:
    monkeypatch.setattr(deadline, "_IDLE_SECONDS", 0.01)
    watcher = DeadlineWatcher()
    for _ in range(2):
        cancellation = Cancellation()
        over = threading.Event()
        cancellation.register(over.set)
        with watcher.watch(cancellation, 1):
            thread = watcher._thread
            assert over.wait(10)
        assert thread is not None
        thread.join(10)
        assert not thread.is_alive()
        assert watcher._thread is None


def test_an_error_in_the_block_passes() -> None:
    watcher = DeadlineWatcher()
    with pytest.raises(ZeroDivisionError), watcher.watch(Cancellation(), 60000):
        raise ZeroDivisionError
    assert watcher._watched == []
