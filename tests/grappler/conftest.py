"""The option `--update-golden`, which writes what passes do now to the files in `golden/`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from runtime.conftest import world  # noqa: F401 (a fixture)

import featherflow  # noqa: F401 (Tensor gets its operators)

_GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A function that compares a text with the golden file of a name."""
    update = request.config.getoption("--update-golden", default=False)

    def compare(name: str, text: str) -> None:
        path = _GOLDEN / f"{name}.txt"
        if update:
            path.write_text(text)
        assert text == path.read_text(), f"{path.name} differs; see --update-golden"

    return compare
