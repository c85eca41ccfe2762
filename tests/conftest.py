"""Options of the test run: `--all` runs every case of the tests that take a sample of theirs."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help="run all cases of the tests that otherwise take a sample (fuzzing, op properties)",
    )
