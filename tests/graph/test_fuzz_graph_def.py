"""Damaged GraphDefs never crash, hang or raise anything but TensorFlow's errors."""

from __future__ import annotations

import pytest
from fuzzing import chunks, run_cases

ORDINARY_CASES = 60
ALL_CASES = 5000
CASES_PER_PROCESS = 500


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    total = ALL_CASES if metafunc.config.getoption("--all") else ORDINARY_CASES
    metafunc.parametrize(("first", "count"), chunks(total, CASES_PER_PROCESS))


def test_damaged_graphs(first: int, count: int) -> None:
    wrong = run_cases("graph.fuzz_worker", first, count)
    assert not wrong, "\n".join(wrong)
