# ruff: noqa
"""tf.errors: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.framework.errors import ABORTED as ABORTED
    from featherflow.framework.errors import ALREADY_EXISTS as ALREADY_EXISTS
    from featherflow.framework.errors import AbortedError as AbortedError
    from featherflow.framework.errors import AlreadyExistsError as AlreadyExistsError
    from featherflow.framework.errors import CANCELLED as CANCELLED
    from featherflow.framework.errors import CancelledError as CancelledError
    from featherflow.framework.errors import DATA_LOSS as DATA_LOSS
    from featherflow.framework.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
    from featherflow.framework.errors import DataLossError as DataLossError
    from featherflow.framework.errors import DeadlineExceededError as DeadlineExceededError
    from featherflow.framework.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
    from featherflow.framework.errors import FailedPreconditionError as FailedPreconditionError
    from featherflow.framework.errors import INTERNAL as INTERNAL
    from featherflow.framework.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
    from featherflow.framework.errors import InaccessibleTensorError as InaccessibleTensorError
    from featherflow.framework.errors import InternalError as InternalError
    from featherflow.framework.errors import InvalidArgumentError as InvalidArgumentError
    from featherflow.framework.errors import NOT_FOUND as NOT_FOUND
    from featherflow.framework.errors import NotFoundError as NotFoundError
    from featherflow.framework.errors import OK as OK
    from featherflow.framework.errors import OUT_OF_RANGE as OUT_OF_RANGE
    from featherflow.framework.errors import OpError as OpError
    from featherflow.framework.errors import (
        OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
    )
    from featherflow.framework.errors import OutOfRangeError as OutOfRangeError
    from featherflow.framework.errors import PERMISSION_DENIED as PERMISSION_DENIED
    from featherflow.framework.errors import PermissionDeniedError as PermissionDeniedError
    from featherflow.framework.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
    from featherflow.framework.errors import ResourceExhaustedError as ResourceExhaustedError
    from featherflow.framework.errors import UNAUTHENTICATED as UNAUTHENTICATED
    from featherflow.framework.errors import UNAVAILABLE as UNAVAILABLE
    from featherflow.framework.errors import UNIMPLEMENTED as UNIMPLEMENTED
    from featherflow.framework.errors import UNKNOWN as UNKNOWN
    from featherflow.framework.errors import UnauthenticatedError as UnauthenticatedError
    from featherflow.framework.errors import UnavailableError as UnavailableError
    from featherflow.framework.errors import UnimplementedError as UnimplementedError
    from featherflow.framework.errors import UnknownError as UnknownError

__getattr__, __dir__ = lazy_namespace("errors", globals())
