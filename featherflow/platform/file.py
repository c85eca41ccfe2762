"""GFile: a file of text or bytes, opened when it is first read or written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Self

from featherflow.framework.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    PermissionDeniedError,
)
from featherflow.framework.exports import export, export_v1
from featherflow.framework.file_errors import as_op_errors, local_path
from featherflow.platform.strings import as_bytes

_MODES = ("r", "w", "a", "r+", "w+", "a+")


@export("io.gfile.GFile")
@export_v1("gfile.GFile", "gfile.Open", "gfile.FastGFile")
class GFile:
    """A file. Text is UTF-8; sizes and positions count bytes.

    Args:
      name: its path.
      mode: "r", "w", "a", "r+", "w+" or "a+"; with a "b", what is read is bytes.
    Raises:
      InvalidArgumentError: there is no such mode.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name = name
        self._path = local_path(name)
        self._mode = mode
        self._is_binary = "b" in mode
        self._plain_mode = mode.replace("b", "")
        self._file: Any = None
        if self._plain_mode not in _MODES:
            raise InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'", received=mode
            )

    @property
    def name(self) -> Any:
        """The path as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode as it was given."""
        return self._mode

    # --- reading ----------------------------------------------------------------------------------

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, all that are left for -1; as text unless the mode is binary."""
        if n < -1:
            raise InvalidArgumentError(None, None, f"Can't read a negative number of bytes: {n}")
        file = self._open_for_reading()
        with as_op_errors(self._path):
            return self._as_read(file.read(None if n == -1 else n))

    def readline(self) -> Any:
        """The next line with its newline; empty at the end."""
        file = self._open_for_reading()
        with as_op_errors(self._path):
            return self._as_read(file.readline())

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def _as_read(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode()

    # --- writing ----------------------------------------------------------------------------------

    def write(self, file_content: str | bytes) -> None:
        """Appends text or bytes at the position."""
        data = as_bytes(file_content)
        if self._plain_mode == "r":
            raise PermissionDeniedError(None, None, "File isn't open for writing")
        file = self._opened()
        with as_op_errors(self._path):
            file.write(data)

    def flush(self) -> None:
        """Gives what was written to the operating system."""
        if self._file is not None:
            with as_op_errors(self._path):
                self._file.flush()

    def close(self) -> None:
        """Flushes and closes; a later use opens the file anew."""
        file, self._file = self._file, None
        if file is not None:
            with as_op_errors(self._path):
                file.close()

    # --- position ---------------------------------------------------------------------------------

    def size(self) -> int:
        """The bytes of the file."""
        self.flush()
        with as_op_errors(self._path):
            return os.stat(self._path).st_size

    def tell(self) -> int:
        """The position."""
        return self._opened().tell()

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to `offset` from the start (0), the position (1) or the end (2).

        Raises:
          OutOfRangeError: the file is not that long.
        """
        if offset is None:
            offset = position
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        file = self._opened()
        target = offset + (0, file.tell(), self.size())[whence]
        if not 0 <= target <= self.size():
            raise OutOfRangeError(None, None, "reached end of file")
        file.seek(target)

    def seekable(self) -> bool:
        """Whether `seek` works: always."""
        return True

    # --- opening ----------------------------------------------------------------------------------

    def _open_for_reading(self) -> Any:
        if self._plain_mode in ("w", "a"):
            raise PermissionDeniedError(None, None, "File isn't open for reading")
        return self._opened()

    def _opened(self) -> Any:
        if self._file is None:
            with as_op_errors(self._path):
                self._file = open(self._path, f"{self._plain_mode}b")  # noqa: SIM115 (see `close`)
        return self._file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"GFile({self._name!r}, {self._mode!r})"
