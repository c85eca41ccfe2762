"""Ops called with arguments changed at random never crash, hang or raise foreign exceptions."""

from __future__ import annotations

import pytest
from fuzzing import chunks, run_cases

ORDINARY_CASES = 400
ALL_CASES = 20_000
CASES_PER_PROCESS = 2_000


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    total = ALL_CASES if metafunc.config.getoption("--all") else ORDINARY_CASES
    metafunc.parametrize(("first", "count"), chunks(total, CASES_PER_PROCESS))


def test_changed_arguments(first: int, count: int) -> None:
    wrong = run_cases("ops.fuzz_worker", first, count)
    assert not wrong, "\n".join(wrong)
