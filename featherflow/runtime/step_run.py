"""StepRun: one run of the partitions of a step, together.

The calling thread drains executors that have work. When more than one has, threads of the pool
join it. A kernel that waits holds no thread: when it reports, its executor is scheduled again. The
run ends when every partition is over, when one fails, or when the step is cancelled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from featherflow.framework.errors import CancelledError, OpError
from featherflow.runtime.dataflow_executor import DataflowExecutor, starved_error
from featherflow.runtime.dataflow_plan import DataflowPlan
from featherflow.runtime.step_context import OpKernelContext


class Scheduler(Protocol):
    """What StepRun asks of a thread pool."""

    def schedule(self, task: Callable[[], None]) -> None:
        """Runs `task` on another thread, some time."""


class WorkQueue(Protocol):
    """What StepRun asks of its queue; a SimpleQueue unless a test wants to choose the order."""

    def put(self, item: Any) -> None: ...
    def get(self) -> Any: ...
    def get_nowait(self) -> Any: ...


class StepRun:
    """One run.

    Args:
      plans: of each partition.
      feeds: the fed values, of each partition.
      contexts: of each partition; they share a cancellation and a rendezvous.
      pool: gives threads where several partitions have work.
      queue: holds executors that have work.
    """

    def __init__(
        self,
        plans: Sequence[DataflowPlan],
        feeds: Sequence[list[Any]],
        contexts: Sequence[OpKernelContext],
        pool: Scheduler,
        queue: WorkQueue | None = None,
    ) -> None:
        self._pool = pool
        self._cancellation = contexts[0].cancellation
        self._rendezvous = contexts[0].rendezvous
        self._devices = {context.device for context in contexts}
        self._executors = [
            DataflowExecutor(plan, fed, context, self._schedule)
            for plan, fed, context in zip(plans, feeds, contexts)
        ]
        self._lock = threading.Lock()
        #: Executors that have work; None wakes the calling thread.
        self._queue: WorkQueue = SimpleQueue() if queue is None else queue
        self._scheduled = 0
        self._workers = 1
        self._draining = 0
        self._error: BaseException | None = None
        self._is_over = False

    def run(self) -> list[list[Any]]:
        """Runs the step; returns the values of the slots of each partition.

        Raises:
          OpError: a kernel failed, the step was cancelled, or nothing can move any more.
        """
        token = self._cancellation.register(self._end)
        try:
            self._schedule_all()
            self._work_until_over()
        except BaseException as error:  # Ctrl-C reaches the calling thread anywhere
            self._fail(error)
            self._wait_for_workers()
            raise
        finally:
            self._cancellation.deregister(token)
        if self._error is not None:
            raise self._error
        if self._cancellation.cancelled:
            raise self._cancellation.reason or CancelledError(None, None, "The step was cancelled.")
        return [executor.values() for executor in self._executors]

    # --- work -------------------------------------------------------------------------------------

    def _schedule_all(self) -> None:
        """All at once: while one has still to start, that the others are idle is no deadlock."""
        helpers = len(self._executors) - 1
        with self._lock:
            for executor in self._executors:
                executor.is_scheduled = True
            self._scheduled = len(self._executors)
            self._workers += helpers
        for executor in self._executors:
            self._queue.put(executor)
        for _ in range(helpers):
            self._pool.schedule(self._help)

    def _schedule(self, executor: DataflowExecutor) -> None:
        """Promises that `executor` will be drained; from any thread, whenever it has new work."""
        with self._lock:
            if executor.is_scheduled or self._is_over:
                return
            executor.is_scheduled = True
            self._scheduled += 1
            wants_help = self._workers < self._scheduled
            self._workers += wants_help
        self._queue.put(executor)
        if wants_help:
            self._pool.schedule(self._help)

    def _work_until_over(self) -> None:
        while not self._is_over:
            executor = self._queue.get()
            if executor is not None:
                self._drain(executor)
        self._wait_for_workers()

    def _help(self) -> None:
        """The work of a thread of the pool: it stays while there is something to drain."""
        while not self._is_over:
            try:
                executor = self._queue.get_nowait()
            except Empty:
                break
            if executor is not None:
                self._drain(executor)
        with self._lock:
            self._workers -= 1
        self._queue.put(None)

    def _drain(self, executor: DataflowExecutor) -> None:
        with self._lock:
            if self._is_over:
                return
            self._draining += 1
        try:
            while True:
                executor.drain()
                with self._lock:
                    if executor.arrived and not self._is_over:
                        continue
                    executor.is_scheduled = False
                    self._scheduled -= 1
                    act = None if self._scheduled else self._when_all_idle()
                break
            if act is not None:
                act()
        except Exception as error:
            self._fail(error)
        finally:
            with self._lock:
                self._draining -= 1

    def _when_all_idle(self) -> Callable[[], None] | None:
        """What is to be done when nothing is ready anywhere: end the step, fail it, or wait.

        Called under the lock, so that no report of an asynchronous kernel can come in between.
        """
        if self._cancellation.cancelled:
            return None
        if all(executor.is_over() for executor in self._executors):
            return self._end
        if any(map(self._waits_for_world, self._executors)):
            return None
        starving = [item for executor in self._executors for item in executor.starving()]
        return partial(self._fail, starved_error(starving))

    def _waits_for_world(self, executor: DataflowExecutor) -> bool:
        """Whether an asynchronous kernel waits for more than this step can give it."""
        for _, unit in executor.running:
            node = unit.nodes[0]
            if node.definition.control_flow != "recv":
                return True
            if node.attrs["send_device"] not in self._devices:
                return True
        return False

    # --- the end ----------------------------------------------------------------------------------

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
        self._queue.put(None)

    def _fail(self, error: BaseException) -> None:
        """Ends the step with `error`, unless another came first, and all who wait in it."""
        with self._lock:
            if self._error is None:
                self._error = error
            self._is_over = True
        reason = (
            error
            if isinstance(error, OpError)
            else CancelledError(None, None, f"The step was stopped by {type(error).__name__}.")
        )
        self._cancellation.cancel(reason)
        if self._rendezvous is not None:
            self._rendezvous.abort(reason)
        self._queue.put(None)

    def _wait_for_workers(self) -> None:
        """No kernel of the step runs any more when the run returns."""
        while True:
            with self._lock:
                if not self._draining:
                    return
            self._queue.get()
