"""tf.io.gfile: files and folders, with TensorFlow's errors."""

from __future__ import annotations

import glob as glob_module
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from featherflow.framework.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
)
from featherflow.framework.exports import export
from featherflow.framework.file_errors import as_op_errors, local_path


@dataclass(frozen=True)
class FileStatistics:
    """What `stat` returns: bytes, nanoseconds of the last change, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


# --- asking ---------------------------------------------------------------------------------------


@export("io.gfile.exists")
def exists(path: Any) -> bool:
    """Whether there is a file or folder."""
    return os.path.exists(local_path(path))


@export("io.gfile.isdir")
def isdir(path: Any) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(local_path(path))


@export("io.gfile.listdir")
def listdir(path: Any) -> list[str]:
    """The names in a folder, sorted.

    Raises:
      NotFoundError: there is no such folder.
    """
    folder = local_path(path)
    if not os.path.isdir(folder):
        raise NotFoundError(None, None, f"Could not find directory {folder}")
    with as_op_errors(folder):
        return sorted(os.listdir(folder))


@export("io.gfile.glob")
def glob(pattern: Any) -> list[str]:
    """The paths that fit a pattern, or one of several: `*`, `?` and `[ab]`, within a name."""
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else list(pattern)
    return [
        path
        for item in patterns
        for path in sorted(glob_module.glob(local_path(item), include_hidden=True))
    ]


@export("io.gfile.stat")
def stat(path: Any) -> FileStatistics:
    """Size, time and kind of a file."""
    name = local_path(path)
    with as_op_errors(name):
        found = os.stat(name)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(name))


@export("io.gfile.walk")
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Any], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, names of folders in it, names of files in it) for a folder and all below it.

    Args:
      top: the folder; nothing is found if it is not there.
      topdown: a folder comes before those in it.
      onerror: called with the error of a folder that cannot be read.
    """
    for folder, folders, files in os.walk(local_path(top), topdown, onerror):
        folders.sort()
        yield folder, folders, sorted(files)


@export("io.gfile.join")
def join(path: Any, *paths: Any) -> str:
    """The parts of a path, joined."""
    return os.path.join(*map(os.fsdecode, (path, *paths)))


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """The file systems that there are: local files, without a scheme or with this one."""
    return ["", "file"]


# --- changing -------------------------------------------------------------------------------------


@export("io.gfile.mkdir")
def mkdir(path: Any) -> None:
    """Makes a folder, unless it is there; its parent must be."""
    name = local_path(path)
    if not os.path.isdir(name):
        with as_op_errors(name):
            os.mkdir(name)


@export("io.gfile.makedirs")
def makedirs(path: Any) -> None:
    """Makes a folder and those above it, as far as they are not there.

    Raises:
      FailedPreconditionError: something on the way is a file.
    """
    name = local_path(path)
    part = name
    while part and not os.path.isdir(part):
        if os.path.lexists(part):
            raise FailedPreconditionError(None, None, f"{part} is not a directory")
        part = os.path.dirname(part)
    with as_op_errors(name):
        os.makedirs(name, exist_ok=True)


@export("io.gfile.remove")
def remove(path: Any) -> None:
    """Removes a file."""
    name = local_path(path)
    with as_op_errors(name):
        os.unlink(name)


@export("io.gfile.rmtree")
def rmtree(path: Any) -> None:
    """Removes a folder and all that is in it; or a file."""
    name = local_path(path)
    if not os.path.lexists(name):
        raise NotFoundError(None, None, f"{name} not found")
    with as_op_errors(name):
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.unlink(name)


@export("io.gfile.copy")
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
      AlreadyExistsError: `dst` is there, and is not to be overwritten.
    """
    source, target = local_path(src), local_path(dst)
    _check_free(target, overwrite)
    with as_op_errors(target if os.path.exists(source) else source):
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


@export("io.gfile.rename")
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or folder.

    Raises:
      AlreadyExistsError: `dst` is there, and is not to be overwritten.
    """
    source, target = local_path(src), local_path(dst)
    _check_free(target, overwrite)
    with as_op_errors(source):
        os.replace(source, target)


def _check_free(target: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(target):
        raise AlreadyExistsError(
            None, None, "file already exists", received=target, remedy="Pass overwrite=True."
        )
