"""QueueRunners: threads that keep a queue full, and the collection in which a graph lists them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from featherflow.framework.errors import (
    CancelledError,
    OutOfRangeError,
    error_code_from_exception_type,
    exception_type_from_error_code,
)
from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys
from featherflow.graph.operation import Operation
from featherflow.ops.queues import QueueBase
from featherflow.runtime.session import get_default_session
from featherflow.train.coordinator import Coordinator


@export_v1("train.QueueRunner", "train.queue_runner.QueueRunner")
class QueueRunner:
    """Runs enqueue operations in threads, one each, until the data or the session ends.

    Args:
      queue: the queue.
      enqueue_ops: the operations; one that comes twice gets two threads.
      close_op: runs when all threads have come to the end of the data.
      cancel_op: runs when the coordinator stops.
      queue_closed_exception_types: errors that mean the end of the data.
      queue_runner_def: a QueueRunnerDef to be read instead of all of these.
      import_scope: the scope into which the graph of `queue_runner_def` was imported.
    Raises:
      ValueError: there is no queue or no operation.
    """

    def __init__(
        self,
        queue: QueueBase | None = None,
        enqueue_ops: Sequence[Operation] | None = None,
        close_op: Operation | None = None,
        cancel_op: Operation | None = None,
        queue_closed_exception_types: tuple[type[Exception], ...] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._running: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions: list[BaseException] = []
        if queue_runner_def is not None:
            self._read(queue_runner_def, import_scope)
            return
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue: Any = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        self._closed_types = queue_closed_exception_types or (OutOfRangeError,)

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Operation]:
        """The operations that the threads run."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation:
        """What runs at the end of the data."""
        return self._close_op

    @property
    def cancel_op(self) -> Operation:
        """What runs when the coordinator stops."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[Exception], ...]:
        """Errors that mean the end of the data."""
        return self._closed_types

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What ended threads that had no coordinator to tell it to."""
        return self._exceptions

    # --- threads --------------------------------------------------------------------------

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads that run the operations in a session; none if it has them already.

        Args:
          sess: the session.
          coord: is told of errors, and stops the threads.
          daemon: whether the process may end before them.
          start: start them.
        """
        with self._lock:
            if self._running.get(sess):
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._exceptions = []
        threads = [
            self._thread(self._run, (sess, op, coord), op.name, daemon) for op in self._enqueue_ops
        ]
        if coord is not None:
            arguments = (sess, coord)
            threads.append(self._thread(self._close_on_stop, arguments, "close_on_stop", daemon))
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _thread(self, call: Any, arguments: Any, role: str, daemon: bool) -> threading.Thread:
        name = f"QueueRunnerThread-{self.name}-{role}"
        return threading.Thread(target=call, args=arguments, name=name, daemon=daemon)

    def _run(self, sess: Any, enqueue_op: Operation, coord: Coordinator | None) -> None:
        """A thread: enqueues until it is told to stop, or the data ends."""
        leaves = False
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._closed_types:
                    leaves = True
                    if self._leave(sess) == 0:
                        self._close(sess)
                    return
        except Exception as error:
            if coord is None:
                self._exceptions.append(error)
                raise
            coord.request_stop(error)
        finally:
            if not leaves:
                self._leave(sess)

    def _leave(self, sess: Any) -> int:
        """Counts a thread of a session out; returns how many are left."""
        with self._lock:
            self._running[sess] -= 1
            return self._running[sess]

    def _close(self, sess: Any) -> None:
        try:
            sess.run(self._close_op)
        except CancelledError:
            return  # it is closed already, which is what was wanted

    def _close_on_stop(self, sess: Any, coord: Coordinator) -> None:
        """A thread: wakes those who wait for room when the coordinator stops."""
        coord.wait_for_stop()
        try:
            sess.run(self._cancel_op)
        except (CancelledError, RuntimeError):
            return  # the queue, or the whole session, is closed already

    # --- as a message ---------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A QueueRunnerDef; None if the queue is not in `export_scope`."""
        from featherflow.protos import error_codes_pb2, queue_runner_pb2

        prefix = f"{export_scope}/" if export_scope else ""
        if not self._queue.name.startswith(prefix):
            return None
        return queue_runner_pb2.QueueRunnerDef(
            queue_name=self._queue.name.removeprefix(prefix),
            enqueue_op_name=[op.name.removeprefix(prefix) for op in self._enqueue_ops],
            close_op_name=self._close_op.name.removeprefix(prefix),
            cancel_op_name=self._cancel_op.name.removeprefix(prefix),
            queue_closed_exception_types=[
                error_codes_pb2.Code.Name(error_code_from_exception_type(kind))  # type: ignore
                for kind in self._closed_types
            ],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """The QueueRunner of a message, in the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    def _read(self, message: Any, import_scope: str | None) -> None:
        graph = get_default_graph()

        def operation(name: str) -> Operation:
            return graph.get_operation_by_name(f"{import_scope}/{name}" if import_scope else name)

        made = operation(message.queue_name)
        types = made.get_attr("component_types")
        shapes = made.get_attr("shapes") or None
        self._queue = QueueBase(types, shapes, None, made.outputs[0])
        self._enqueue_ops = [operation(name) for name in message.enqueue_op_name]
        self._close_op = operation(message.close_op_name)
        self._cancel_op = operation(message.cancel_op_name)
        self._closed_types = tuple(
            exception_type_from_error_code(code) for code in message.queue_closed_exception_types
        ) or (OutOfRangeError,)


@export_v1("train.add_queue_runner", "train.queue_runner.add_queue_runner")
def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Lists a QueueRunner in its graph, for `start_queue_runners`."""
    get_default_graph().add_to_collection(collection, qr)


@export_v1("train.start_queue_runners", "train.queue_runner.start_queue_runners")
def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all QueueRunners of a session's graph; returns them.

    Args:
      sess: the session; None for the default one.
      coord: is told of errors, and stops the threads.
      daemon: whether the process may end before the threads.
      start: start them.
      collection: where the QueueRunners are listed.
    Raises:
      ValueError: there is no session.
    """
    session = get_default_session() if sess is None else sess
    if session is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    return [
        thread
        for runner in session.graph.get_collection(collection)
        for thread in runner.create_threads(session, coord, daemon=daemon, start=start)
    ]
