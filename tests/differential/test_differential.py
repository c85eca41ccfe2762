"""Every recorded case, run on featherflow: values, dtypes, static shapes and errors."""

from __future__ import annotations

from typing import Any

import pytest

import featherflow as tf

from .capture import Outcome, capture
from .case import load_cases
from .compare import differences
from .storage import FOLDER, read_family
from .waiting import xfail_if_waiting

CASES = load_cases()
RECORDED: dict[str, Outcome] = {
    f"{path.stem}/{name}": outcome
    for path in sorted(FOLDER.glob("*.json"))
    for name, outcome in read_family(path)[0].items()
}


def open_session(graph: Any) -> Any:
    return tf.Session(graph=graph)


def test_every_case_is_recorded() -> None:
    assert sorted(CASES) == sorted(RECORDED)


@pytest.mark.parametrize("key", sorted(RECORDED))
def test_case(key: str) -> None:
    try:
        outcome = capture(tf, CASES[key], open_session)
    except (AttributeError, tf.errors.NotFoundError) as error:
        xfail_if_waiting(error)
        raise
    xfail_if_waiting(outcome.raised)
    found = differences(outcome, RECORDED[key])
    assert not found, "\n".join([f"{key} differs from TensorFlow:", *found])
