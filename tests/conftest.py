"""Options of the test run: `--all` runs every case of the tests that take a sample of theirs."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

#: Which run of a step is the first compiled one depends on time: tests say when they want it.
#: FEATHERFLOW_COMPILE=2 runs all of them compiled.
os.environ.setdefault("FEATHERFLOW_COMPILE", "0")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help="run all cases of the tests that otherwise take a sample (fuzzing, op properties)",
    )


# Machines that run tests are shared: how long an example takes says nothing about the code.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
