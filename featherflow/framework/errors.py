"""The errors of running ops: one class for each of the canonical status codes.

    Exception
    ├── OpError                          an op failed; `error_code` says how
    │   └── StatusError                  the code is that of the class
    │       ├── CancelledError            1  the step was stopped: a queue or session was closed
    │       ├── UnknownError              2  no other code fits
    │       ├── InvalidArgumentError      3  an input is wrong, whatever the state of the system
    │       ├── DeadlineExceededError     4  time ran out
    │       ├── NotFoundError             5  a file, node, kernel or container does not exist
    │       ├── AlreadyExistsError        6  what was to be created exists
    │       ├── PermissionDeniedError     7  the operating system refused
    │       ├── ResourceExhaustedError    8  memory, disk or a quota is used up
    │       ├── FailedPreconditionError   9  the state is wrong: a variable is not initialized
    │       ├── AbortedError             10  a concurrent step won; trying again may help
    │       ├── OutOfRangeError          11  past the end: of a file, a queue, a dataset
    │       ├── UnimplementedError       12  no such feature here
    │       ├── InternalError            13  an invariant of the system is broken
    │       ├── UnavailableError         14  a server is away; trying again may help
    │       ├── DataLossError            15  data is damaged: a checksum differs
    │       └── UnauthenticatedError     16  who asks is not known
    ├── TypeError
    │   └── OperatorNotAllowedInGraphError    a symbolic tensor was used as a Python value
    └── ValueError
        └── InaccessibleTensorError           a tensor was used outside the graph that made it

An error's fields are data and its text is derived from them. A kernel raises what it knows; the
runtime, which knows the node, attaches it:

    >>> error = InvalidArgumentError(
    ...     None, None, "Inner sizes differ", received="[2,3] and [4,5]",
    ...     expected="columns of a = rows of b", remedy="Transpose b?",
    ... )
    >>> print(error)
    Inner sizes differ. Received [2,3] and [4,5]; expected columns of a = rows of b. Transpose b?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class FailedOperation(Protocol):
    """What an error reads of the operation that it names."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def traceback(self) -> Sequence[Any]: ...  # traceback.FrameSummary objects, innermost last


@dataclass(frozen=True)
class FailedNode:
    """The node that failed, in words that outlive its graph and cross process boundaries.

    Attributes:
      op_type: the op, such as "MatMul".
      name: the node's name, or "" where the op ran eagerly.
      created_at: the user's line that made the node, such as "model.py:41 in encode()"; or "" for
        nodes that were read from a file.
    """

    op_type: str
    name: str
    created_at: str

    @classmethod
    def of(cls, op: FailedOperation) -> FailedNode:
        frames = op.traceback
        created_at = ""
        if frames:
            frame = frames[-1]
            function = "" if frame.name == "<module>" else f" in {frame.name}()"
            created_at = f"{frame.filename}:{frame.lineno}{function}"
        return cls(op.type, op.name, created_at)

    def __str__(self) -> str:
        return f"{self.op_type} '{self.name}'" if self.name else self.op_type


class OpError(Exception):
    """An op failed.

    Args:
      node_def: the NodeDef message of the failed node, if at hand.
      op: the failed Operation, if known; the runtime attaches it otherwise.
      message: what is wrong, in one clause.
      error_code: one of the codes of this module.
      experimental_payloads: named bytes from the part of the system that failed.
      received: what was found, such as "shapes [2,3] and [4,5]".
      expected: what it should have been.
      remedy: a sentence on what to do.

    Attributes:
      node: the `FailedNode`, or None while no node is known.
      message, op, error_code, experimental_payloads, received, expected, remedy: as above.
    """

    def __init__(
        self,
        node_def: Any,
        op: Any,
        message: str,
        error_code: int,
        experimental_payloads: Mapping[str, bytes] | None = None,
        *,
        received: object = None,
        expected: object = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = error_code
        self.experimental_payloads = dict(experimental_payloads or {})
        self.received = received
        self.expected = expected
        self.remedy = remedy
        self.op: Any = None
        self.node: FailedNode | None = None
        self._node_def = node_def
        if op is not None:
            self.attach(op)

    @property
    def node_def(self) -> Any:
        """The NodeDef message of the failed node, or None."""
        if self._node_def is None and self.op is not None:
            # Made when asked for: most errors are read as text, and this needs protocol buffers.
            self._node_def = self.op.node_def
        return self._node_def

    def attach(self, op: FailedOperation) -> Self:
        """Names the node that failed, unless one is named: the innermost is the one that helps.

        Returns the error itself, for `raise error.attach(op)`.
        """
        if self.op is None and self.node is None:
            self.op = op
            self.node = FailedNode.of(op)
        return self

    def __str__(self) -> str:
        where = "" if self.node is None else f"{self.node}: "
        sentences = [*self._found_and_wanted()]
        if self.remedy:
            sentences.append(self.remedy)
        if self.node is not None and self.node.created_at:
            sentences.append(f"Created at {self.node.created_at}")
        if not sentences:
            return where + self.message
        return f"{where}{self.message.rstrip('.')}. {' '.join(sentences)}"

    def _found_and_wanted(self) -> list[str]:
        found = "" if self.received is None else f"Received {self.received}"
        wanted = "" if self.expected is None else f"expected {self.expected}"
        clause = "; ".join(part for part in (found, wanted) if part)
        return [f"{clause[0].upper()}{clause[1:].rstrip('.')}."] if clause else []

    def __reduce__(self) -> tuple[Any, ...]:
        state = {
            name: value for name, value in self.__dict__.items() if name not in ("op", "_node_def")
        }
        # The operation stays behind, since its graph would have to come with it; `node` says who.
        return _restore, (type(self), {**state, "op": None, "_node_def": None})


def _restore(error_type: type[OpError], state: dict[str, Any]) -> OpError:
    error = error_type.__new__(error_type, state["message"])
    error.__dict__.update(state)
    return error


class StatusError(OpError):
    """An OpError whose class says its code; arguments as for `OpError`, less `error_code`."""

    code: ClassVar[int]

    def __init__(
        self,
        node_def: Any,
        op: Any,
        message: str,
        experimental_payloads: Mapping[str, bytes] | None = None,
        *,
        received: object = None,
        expected: object = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(
            node_def,
            op,
            message,
            self.code,
            experimental_payloads,
            received=received,
            expected=expected,
            remedy=remedy,
        )


class CancelledError(StatusError):
    """The step was cancelled, as when the session or a queue it waited for was closed."""

    code = CANCELLED


class UnknownError(StatusError):
    """Something failed for which there is no code, such as a Python function in the graph."""

    code = UNKNOWN


class InvalidArgumentError(StatusError):
    """An op received values it cannot take: a shape, a size or an index is wrong."""

    code = INVALID_ARGUMENT


class DeadlineExceededError(StatusError):
    """The time allowed for the step ran out."""

    code = DEADLINE_EXCEEDED


class NotFoundError(StatusError):
    """Something named does not exist: a file, a node, a kernel, a key of a checkpoint."""

    code = NOT_FOUND


class AlreadyExistsError(StatusError):
    """Something that was to be created exists."""

    code = ALREADY_EXISTS


class PermissionDeniedError(StatusError):
    """The operating system refuses the operation."""

    code = PERMISSION_DENIED


class ResourceExhaustedError(StatusError):
    """Memory, disk space or a quota is used up."""

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(StatusError):
    """The system is not in the state that the op needs: a variable is not initialized."""

    code = FAILED_PRECONDITION


class AbortedError(StatusError):
    """A concurrent operation made this one impossible; the whole step can be tried again."""

    code = ABORTED


class OutOfRangeError(StatusError):
    """The op went past the end of valid input: how a dataset says that it is exhausted."""

    code = OUT_OF_RANGE


class UnimplementedError(StatusError):
    """The op does not do this here."""

    code = UNIMPLEMENTED


class InternalError(StatusError):
    """An invariant is broken: a fault of featherflow rather than of the program."""

    code = INTERNAL


class UnavailableError(StatusError):
    """A server cannot be reached at the moment."""

    code = UNAVAILABLE


class DataLossError(StatusError):
    """Data is lost or damaged beyond repair: a checksum of a file differs."""

    code = DATA_LOSS


class UnauthenticatedError(StatusError):
    """The request carries no valid credentials."""

    code = UNAUTHENTICATED


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value: `if tensor:`, `for x in tensor:`."""


class InaccessibleTensorError(ValueError):
    """A tensor was used outside the function or branch whose graph made it."""


_TYPE_OF_CODE: dict[int, type[StatusError]] = {
    error_type.code: error_type for error_type in StatusError.__subclasses__()
}


def exception_type_from_error_code(error_code: int) -> type[StatusError]:
    """The class of a code; raises KeyError if it is not the code of an error."""
    return _TYPE_OF_CODE[error_code]


def error_code_from_exception_type(error_type: type[BaseException]) -> int:
    """The code of a class; UNKNOWN for one that is not of this module."""
    return error_type.code if issubclass(error_type, StatusError) else UNKNOWN
