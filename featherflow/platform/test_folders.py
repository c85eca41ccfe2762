"""Folders and files of tests, which are gone when the program ends."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile

from featherflow.framework.exports import export_v1


@export_v1("test.get_temp_dir")
@functools.cache
def get_temp_dir() -> str:
    """A folder that is there until the program ends."""
    folder = tempfile.mkdtemp(prefix="featherflow")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@export_v1("test.test_src_dir_path")
def test_src_dir_path(relative_path: str) -> str:
    """A path relative to the sources of the tests.

    Those are at `$TEST_SRCDIR` where that is set, else in the folder of the program.
    """
    root = os.environ.get("TEST_SRCDIR")
    if root is not None:
        return os.path.join(root, "org_tensorflow/tensorflow", relative_path)
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)


#: The name starts like that of a test; pytest is not to take it for one.
test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


class TemporaryFile:
    """A file of a test."""

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """Where it is."""
        return self._path

    def __fspath__(self) -> str:
        return self._path

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """What is in it."""
        with open(self._path, encoding=encoding, errors=errors) as file:
            return file.read()

    def read_bytes(self) -> bytes:
        """What is in it."""
        with open(self._path, "rb") as file:
            return file.read()

    def write_text(
        self, text: str, mode: str = "w", encoding: str = "utf8", errors: str = "strict"
    ) -> None:
        """Writes text to it."""
        with open(self._path, mode, encoding=encoding, errors=errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        """Writes bytes to it."""
        with open(self._path, mode) as file:
            file.write(data)


class TemporaryDirectory:
    """A folder of a test."""

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """Where it is."""
        return self._path

    def __fspath__(self) -> str:
        return self._path

    def create_file(
        self,
        file_path: str | None = None,
        content: str | bytes | None = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
    ) -> TemporaryFile:
        """A file in it, whose folders are made; None gives it a name of its own."""
        if file_path is None:
            handle, path = tempfile.mkstemp(dir=self._path)
            os.close(handle)
        else:
            path = os.path.join(self._path, file_path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
        file = TemporaryFile(path)
        if isinstance(content, bytes):
            file.write_bytes(content, mode if "b" in mode else f"{mode}b")
        else:
            file.write_text(content or "", mode, encoding, errors)
        return file

    def mkdir(self, dir_path: str | None = None) -> TemporaryDirectory:
        """A folder in it; None gives it a name of its own."""
        if dir_path is None:
            return TemporaryDirectory(tempfile.mkdtemp(dir=self._path))
        path = os.path.join(self._path, dir_path)
        os.makedirs(path, exist_ok=True)
        return TemporaryDirectory(path)
