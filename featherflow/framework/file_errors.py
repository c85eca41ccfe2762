"""Errors of the operating system as TensorFlow's, and the local paths of file names."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from featherflow.framework import errors

#: The error class of each number of the operating system; UnknownError for the rest.
_CLASS_OF: dict[int, type[errors.StatusError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EBUSY: errors.FailedPreconditionError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.ENFILE: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9.+-]*)://")


@contextmanager
def as_op_errors(path: str) -> Iterator[None]:
    """What the operating system refuses inside is raised as an OpError that names `path`."""
    try:
        yield
    except OSError as error:
        error_class = _CLASS_OF.get(error.errno or 0, errors.UnknownError)
        raise error_class(None, None, f"{path}; {error.strerror}") from None


def local_path(name: Any) -> str:
    """The path of the file called `name`: text, bytes or a path object; "file://" is left out.

    Raises:
      TypeError: `name` is none of these.
      UnimplementedError: it is on another file system, such as "s3://".
    """
    if not isinstance(name, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {name!r}")
    path = os.fsdecode(name)
    scheme = _SCHEME.match(path)
    if scheme is None:
        return path
    if scheme[1] == "file":
        return path[scheme.end() :]
    raise errors.UnimplementedError(
        None,
        None,
        f"File system scheme '{scheme[1]}' not implemented (file: '{path}')",
        remedy="Copy the file to this machine and name its local path.",
    )
