"""The compile worker as the program sees it: a child process, its pipes, and its death."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

_READ_SIZE = 1 << 16
_LAST_WORDS = 400
#: A worker that closed its pipes has ended, or will in this time.
_ENDING_SECONDS = 5.0


class WorkerDied(Exception):
    """The worker ended, or said nothing for too long, before it answered."""


class WorkerProcess:
    """A running worker. One thread asks; any thread may kill."""

    def __init__(self, command: Sequence[str] | None, patience: float) -> None:
        """Start the worker and wait until it is ready.

        Raises:
          WorkerDied: it could not start.
        """
        self._patience = patience
        self._unread = b""
        # Unbuffered: a forked child that closes its copies must not write what we have not sent.
        self._errors = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed with the pipes)
        try:
            self._process = subprocess.Popen(
                list(command or default_command()),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(),
                process_group=0,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._errors.close()
            raise WorkerDied(f"cannot start {sys.executable!r}: {error}") from None
        try:
            self._receive()
        except WorkerDied:
            self.close()
            raise

    @property
    def process_id(self) -> int:
        return self._process.pid

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request.

        Raises:
          WorkerDied: there is none; the worker is of no more use.
        """
        assert self._process.stdin is not None
        unsent = memoryview(json.dumps(request).encode() + b"\n")
        try:
            while unsent:
                unsent = unsent[self._process.stdin.write(unsent) :]
        except OSError:
            raise WorkerDied(self._last_words()) from None
        return self._receive()

    def kill(self) -> None:
        """End the process; whoever waits for its answer gets WorkerDied."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process and forget it; for the thread that asks."""
        self.kill()
        self._process.wait()
        self._close_pipes()

    def forget(self) -> None:
        """Let go of a process that is the parent's: this process is a fork of what started it."""
        self._process.returncode = 0
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                pipe.close()

    def _receive(self) -> dict[str, Any]:
        """The next line that the worker writes."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        deadline = time.monotonic() + self._patience
        pieces = [self._unread]
        while b"\n" not in pieces[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise WorkerDied(f"no answer within {self._patience:g} seconds")
            piece = os.read(descriptor, _READ_SIZE)
            if not piece:
                raise WorkerDied(self._last_words())
            pieces.append(piece)
        line, _, self._unread = b"".join(pieces).partition(b"\n")
        try:
            return json.loads(line)
        except ValueError:
            raise WorkerDied(f"the compile worker answers {line[:_LAST_WORDS]!r}") from None

    def _last_words(self) -> str:
        """How the worker ended, and the last line that it wrote to stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING_SECONDS)
        code = self._process.returncode
        size = os.fstat(self._errors.fileno()).st_size
        raw = os.pread(self._errors.fileno(), _LAST_WORDS, max(0, size - _LAST_WORDS))
        lines = raw.decode(errors="replace").strip().splitlines()
        ending = f"signal {-code}" if code is not None and code < 0 else f"exit status {code}"
        return f"the compile worker ended with {ending}" + (f": {lines[-1]}" if lines else "")


def default_command() -> list[str]:
    """Not `-m` with the current folder on the path: a file there may have any name."""
    return [sys.executable, "-P", "-m", "featherflow.compiler.worker"]


def _environment() -> dict[str, str]:
    """The program's environment, with which the worker imports what the program would."""
    folders = [os.path.abspath(folder) for folder in sys.path if folder]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
