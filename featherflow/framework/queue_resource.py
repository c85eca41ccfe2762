"""QueueResource: elements between those who enqueue and those who dequeue, none of whom blocks.

Whoever cannot go on stands in a line, writers in one and readers in another, and is called back
from the thread that makes room or brings what is missing. Only the first of a line moves, element
by element, so that a batch larger than the queue's capacity gets through.

    dequeue(3, …)     takes 1, waits                      readers: [3, has 1]
    enqueue([x, y])   puts x and y; the reader takes both and its `done` is called

All state is behind one lock; callbacks run outside it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from featherflow.framework.tensor_shape import TensorShape

Done = Callable[[Any], None]


class Store(Protocol):
    """The elements of a queue, in the order in which they will be taken."""

    def __len__(self) -> int: ...
    def put(self, element: Any) -> None: ...
    def take(self) -> Any: ...
    def put_back(self, elements: Sequence[Any]) -> None: ...


@dataclass(frozen=True)
class QueueSpec:
    """What two nodes that share a queue must agree on.

    Attributes:
      kind: the op without its version, such as "FIFOQueue".
      dtypes: of the components.
      shapes: of the components; empty if any shape may come.
      capacity: how many elements there may be; negative: as many as there is memory for.
      minimum: how many stay while the queue is open, so that what is drawn is well mixed.
      seeds: of the order in which elements are drawn.
    """

    kind: str
    dtypes: tuple[DType, ...]
    shapes: tuple[TensorShape, ...]
    capacity: int
    minimum: int = 0
    seeds: tuple[int, int] = (0, 0)


@dataclass(eq=False, slots=True)
class _Attempt:
    """Somebody in a line.

    Attributes:
      done: is called once, with the result or an exception.
      cancellation: of the step that waits.
      token: of the call-back in `cancellation`.
      is_over: whether it has left the line.
    """

    done: Done
    cancellation: Any
    token: object = None
    is_over: bool = False

    def report(self, result: Any) -> None:
        """Tells the step what came of it; called without the lock."""
        if self.token is not None:
            self.cancellation.deregister(self.token)
        self.done(result)


@dataclass(eq=False, slots=True)
class _Enqueue(_Attempt):
    elements: deque[Any] = field(default_factory=deque)


@dataclass(eq=False, slots=True)
class _Close(_Attempt):
    pass


@dataclass(eq=False, slots=True)
class _Dequeue(_Attempt):
    count: int = 1
    takes_less: bool = False
    taken: list[Any] = field(default_factory=list)


class QueueResource:
    """A queue of a session.

    Args:
      name: for messages.
      spec: what may be in it.
      store: holds its elements.
    """

    def __init__(self, name: str, spec: QueueSpec, store: Store) -> None:
        self.name = name
        self.spec = spec
        self._store = store
        self._lock = threading.Lock()
        self._writers: deque[_Attempt] = deque()
        self._readers: deque[_Dequeue] = deque()
        self._is_closing = False
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<{self.spec.kind} {self.name} with {len(self._store)} elements>"

    def size(self) -> int:
        """How many elements are there; what a waiting reader holds already is not."""
        with self._lock:  # a reader may be just about to take some
            return len(self._store)

    def is_closed(self) -> bool:
        """Whether the queue is closed: what is in it can still be taken."""
        return self._is_closed

    # --- what steps ask for ---------------------------------------------------------------

    def enqueue(self, elements: Sequence[Any], cancellation: Any, done: Done) -> None:
        """Puts elements as there is room, then calls `done(())`.

        `done` gets CancelledError if the queue is closed, or is closed with
        `cancel_pending_enqueues`, or the step is cancelled: elements that are in it stay in it.
        """
        self._line_up(_Enqueue(done, cancellation, elements=deque(elements)), self._writers)

    def dequeue(
        self, count: int, cancellation: Any, done: Done, *, takes_less: bool = False
    ) -> None:
        """Takes `count` elements as they come, then calls `done(elements)`.

        `done` gets OutOfRangeError if the queue is closed and has too few; with `takes_less`, if
        it has none. It gets CancelledError if the step is cancelled. Either way, what it had taken
        is put back.
        """
        attempt = _Dequeue(done, cancellation, count=count, takes_less=takes_less)
        self._line_up(attempt, self._readers)

    def close(self, cancel_pending_enqueues: bool, cancellation: Any, done: Done) -> None:
        """Closes the queue behind the writers that wait, or cancels these; calls `done(())`."""
        reports: list[Callable[[], None]] = []
        if cancel_pending_enqueues:
            with self._lock:
                while self._writers:
                    reports.append(self._fail(self._writers.popleft(), self._cancelled("closed")))
        for report in reports:
            report()
        self._line_up(_Close(done, cancellation), self._writers)

    # --- lines ----------------------------------------------------------------------------

    def _line_up(self, attempt: _Attempt, line: deque[Any]) -> None:
        with self._lock:
            if isinstance(attempt, _Dequeue):
                reports = []
            else:
                reports = self._refusals(attempt)
            if not attempt.is_over:
                line.append(attempt)
                reports += self._settle()
        for report in reports:
            report()
        if not attempt.is_over:
            attempt.token = attempt.cancellation.register(partial(self._cancel, attempt, line))
            if attempt.is_over:  # somebody has moved in the meantime
                attempt.cancellation.deregister(attempt.token)

    def _refusals(self, attempt: _Attempt) -> list[Callable[[], None]]:
        """The report to a writer who comes too late, if it does."""
        if self._is_closing:
            error = CancelledError(None, None, f"{self.spec.kind} '{self.name}' is closed.")
            return [self._fail(attempt, error)]
        self._is_closing = isinstance(attempt, _Close)
        return []

    def _cancel(self, attempt: _Attempt, line: deque[Any]) -> None:
        """The call-back of a step's cancellation."""
        with self._lock:
            if attempt.is_over:
                return
            line.remove(attempt)
            reports = [self._fail(attempt, self._cancelled("the step was cancelled"))]
            reports += self._settle()
        for report in reports:
            report()

    def _settle(self) -> list[Callable[[], None]]:
        """Lets elements pass until nobody can go on; returns the reports to be made."""
        reports: list[Callable[[], None]] = []
        while self._move_writer(reports) or self._move_reader(reports):
            pass
        return reports

    def _move_writer(self, reports: list[Callable[[], None]]) -> bool:
        """Moves the first writer; whether anything has changed."""
        if not self._writers:
            return False
        attempt = self._writers[0]
        moved = False
        if isinstance(attempt, _Enqueue):
            while attempt.elements and self._has_room():
                self._store.put(attempt.elements.popleft())
                moved = True
            if attempt.elements:
                return moved
        else:
            self._is_closed = True
        self._writers.popleft()
        reports.append(self._succeed(attempt, ()))
        return True

    def _move_reader(self, reports: list[Callable[[], None]]) -> bool:
        """Moves the first reader; whether anything has changed."""
        if not self._readers:
            return False
        attempt = self._readers[0]
        moved = False
        while len(attempt.taken) < attempt.count and self._has_element():
            attempt.taken.append(self._store.take())
            moved = True
        if len(attempt.taken) < attempt.count and not self._is_closed:
            return moved
        self._readers.popleft()
        if len(attempt.taken) == attempt.count or (attempt.takes_less and attempt.taken):
            reports.append(self._succeed(attempt, attempt.taken))
        else:
            reports.append(self._fail(attempt, self._exhausted(attempt)))
        return True

    def _has_room(self) -> bool:
        return self.spec.capacity < 0 or len(self._store) < self.spec.capacity

    def _has_element(self) -> bool:
        return len(self._store) > (0 if self._is_closed else self.spec.minimum)

    # --- ends of attempts -----------------------------------------------------------------

    def _succeed(self, attempt: _Attempt, result: Any) -> Callable[[], None]:
        attempt.is_over = True
        return partial(attempt.report, result)

    def _fail(self, attempt: _Attempt, error: Exception) -> Callable[[], None]:
        """Puts back what the attempt had taken; returns its report."""
        attempt.is_over = True
        if isinstance(attempt, _Dequeue):
            self._store.put_back(attempt.taken)
        elif isinstance(attempt, _Close):
            self._is_closing = self._is_closed
        return partial(attempt.report, error)

    def _cancelled(self, why: str) -> CancelledError:
        return CancelledError(
            None, None, f"{self.spec.kind} '{self.name}': the operation was cancelled: {why}."
        )

    def _exhausted(self, attempt: _Dequeue) -> OutOfRangeError:
        return OutOfRangeError(
            None,
            None,
            f"{self.spec.kind} '{self.name}' is closed and has insufficient elements "
            f"(requested {attempt.count}, current size {len(attempt.taken) + len(self._store)})",
        )

    # --- what fits ------------------------------------------------------------------------

    def check_dtypes(self, dtypes: Sequence[DType]) -> None:
        """Raises InvalidArgumentError unless elements have these components."""
        if tuple(dtypes) != self.spec.dtypes:
            raise InvalidArgumentError(
                None,
                None,
                f"Signature mismatch with {self.spec.kind} '{self.name}'",
                received=f"components {_names(dtypes)}",
                expected=_names(self.spec.dtypes),
            )

    def check_shapes(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Raises InvalidArgumentError unless an element may have components of these shapes."""
        for index, (wanted, shape) in enumerate(zip(self.spec.shapes, shapes)):
            if not wanted.is_compatible_with(TensorShape(shape)):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Shape mismatch in tuple component {index} of '{self.name}'",
                    received=str(TensorShape(shape)),
                    expected=str(wanted),
                )

    def check_shared(self, spec: QueueSpec) -> None:
        """Raises InvalidArgumentError unless a node that asks for `spec` may share this queue."""
        for aspect in ("kind", "capacity", "dtypes", "shapes", "minimum", "seeds"):
            here, wanted = getattr(self.spec, aspect), getattr(spec, aspect)
            if here != wanted:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Shared queue '{self.name}' has another {aspect}",
                    received=_text(wanted),
                    expected=_text(here),
                    remedy="Give the queue another shared_name.",
                )


def _names(dtypes: Sequence[DType]) -> str:
    return "[" + ", ".join(dtype.name for dtype in dtypes) + "]"


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(getattr(item, "name", str(item)) for item in value) + "]"
    return str(value)
