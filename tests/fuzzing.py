"""Runs numbered random cases in a process of their own, with bounds on time and memory.

A worker module calls `work` with a function from a number to the name of how the case ended; a test
calls `run_cases` with the module's name and gets what went wrong in words.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import featherflow as tf

TESTS = Path(__file__).resolve().parent
SECONDS = 5
MEMORY = 3 << 30
#: How building or running a damaged graph may end; anything else is a fault.
EXPECTED = (tf.errors.OpError, ValueError, TypeError, KeyError)


class TooSlow(BaseException):
    """A case took longer than it may."""


def _on_alarm(signal_number: int, frame: Any) -> None:
    raise TooSlow


def is_kernels_fault(error: Exception) -> bool:
    """Whether a kernel failed in a way that it did not mean to."""
    cause = error.__context__
    return (
        isinstance(error, tf.errors.InternalError)
        and cause is not None
        and not isinstance(cause, tf.errors.OpError)
    )


def _report(
    number: int, run_case: Callable[[int], str], outcomes: Counter[str]
) -> dict[str, Any] | None:
    """What went wrong with a case, or None; counts in `outcomes` how it ended."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        outcomes[run_case(number)] += 1
    except TooSlow:
        return {"case": number, "error": f"more than {SECONDS} seconds"}
    except Exception as error:  # anything but EXPECTED is what such a test looks for
        trace = traceback.format_exception(error)[-6:]
        text = f"{type(error).__name__}: {str(error)[:300]}"
        return {"case": number, "error": text, "trace": "".join(trace)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def work(run_case: Callable[[int], str], first: int, count: int) -> None:
    """Runs cases; prints a line of JSON for each that went wrong, and one when all is done."""
    faulthandler.enable()
    logging.disable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _on_alarm)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    outcomes: Counter[str] = Counter()
    for number in range(first, first + count):
        found = _report(number, run_case, outcomes)
        if found is not None:
            print(json.dumps(found))
    print(json.dumps({"done": count, "outcomes": outcomes}))
    os._exit(0)  # threads that a damaged graph left waiting do not matter


def run_cases(module: str, first: int, count: int) -> list[str]:
    """Runs a worker module's cases in a process of their own; returns what went wrong."""
    path = os.pathsep.join([str(TESTS.parent), str(TESTS), os.environ.get("PYTHONPATH", "")])
    finished = subprocess.run(
        [sys.executable, "-m", module, str(first), str(count)],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60 + 10 * count,
    )
    reports = [json.loads(line) for line in finished.stdout.splitlines() if line.startswith("{")]
    wrong = [f"{item}" for item in reports if "error" in item]
    if not reports or "done" not in reports[-1]:
        wrong.append(f"died with {finished.returncode}: {finished.stderr[-3000:]}")
    return wrong


def chunks(total: int, size: int) -> list[tuple[int, int]]:
    """(first, count) of every process that `total` cases take."""
    return [(first, min(size, total - first)) for first in range(0, total, size)]
