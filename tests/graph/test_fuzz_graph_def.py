"""Damaged GraphDefs never crash, hang or raise anything but TensorFlow's errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
ORDINARY_CASES = 60
ALL_CASES = 5000
CASES_PER_PROCESS = 500


def run_cases(first: int, count: int) -> list[str]:
    """Runs cases in a process of their own; returns what went wrong."""
    path = os.pathsep.join([str(TESTS.parent), str(TESTS), os.environ.get("PYTHONPATH", "")])
    finished = subprocess.run(
        [sys.executable, "-m", "graph.fuzz_worker", str(first), str(count)],
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    total = ALL_CASES if metafunc.config.getoption("--all") else ORDINARY_CASES
    chunks = [
        (first, min(CASES_PER_PROCESS, total - first))
        for first in range(0, total, CASES_PER_PROCESS)
    ]
    metafunc.parametrize(("first", "count"), chunks)


def test_damaged_graphs(first: int, count: int) -> None:
    wrong = run_cases(first, count)
    assert not wrong, "\n".join(wrong)
