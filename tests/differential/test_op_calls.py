"""Every op answers every call of `op_calls.py` as TensorFlow does, mistaken ones included.

A tenth of the calls by hash, or all with `--all`. Where featherflow answers otherwise on purpose,
`op_call_exceptions.py` says why.
"""

from __future__ import annotations

import fnmatch
import resource
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from ops.op_case import OpCase

import featherflow as tf
from featherflow.framework.op import get_op

from . import op_call_storage
from .op_call_exceptions import EXCEPTIONS, is_unspecified, pattern_of
from .op_call_outcomes import differences, make_call
from .op_calls import Call, calls_of

ROWS = [
    (family, case) for family in op_call_storage.families() for case in op_call_storage.rows(family)
]
RECORDED = {family: op_call_storage.read(family) for family in op_call_storage.families()}

MEMORY = 6 << 30


@pytest.fixture(autouse=True)
def limited_memory() -> Iterator[None]:
    """Calls that ask for absurd sizes get no memory, instead of all that the machine has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def apply(name: str, arguments: list[Any], attrs: dict[str, Any]) -> Any:
    return get_op(name)(*arguments, **attrs)


def open_session(graph: tf.Graph) -> tf.Session:
    return tf.Session(graph=graph)


def wrong_answers(family: str, case: OpCase, calls: list[Call]) -> Iterator[str]:
    """One line for each call that differs from TensorFlow's without a reason."""
    for call in calls:
        row = RECORDED[family].get(call.key)
        if row is None or row["checksum"] != call.checksum():
            yield f"{call.key}: not recorded (tests/differential/record_op_calls.py {family})"
        elif pattern_of(call.key) is None and (found := difference(case, call, row)):
            yield f"{call.key}: {found}"


def difference(case: OpCase, call: Call, row: dict[str, Any]) -> str:
    outcome = make_call(tf, call, apply, open_session)
    if row.get("limitation"):  # then ours is a value, or one of the errors that users know
        fits = outcome.raised is None or isinstance(
            outcome.raised, (tf.errors.OpError, ValueError, TypeError, NotImplementedError)
        )
        return "" if fits else f"raised {outcome.raised!r}"
    outputs = row.get("outputs", {})
    compared = {name: kept for name, kept in outputs.items() if not is_unspecified(call.key, name)}
    for name in outputs.keys() - compared.keys():
        outcome.outputs.pop(name, None)
    row = {**row, "outputs": compared} if outputs else row
    return "; ".join(differences(outcome, row, dict(case.tolerances)))


@pytest.mark.parametrize(("family", "case"), [pytest.param(*row, id=row[1].key) for row in ROWS])
def test_calls(family: str, case: OpCase, request: pytest.FixtureRequest) -> None:
    calls = calls_of(case)
    if not request.config.getoption("--all"):
        calls = [call for call in calls if zlib.crc32(call.key.encode()) % 10 == 0]
    wrong = list(wrong_answers(family, case, calls))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("pattern", EXCEPTIONS)
def test_exceptions_are_needed(pattern: str) -> None:
    """Some call of every pattern differs from TensorFlow's."""
    for family, case in ROWS:
        for call in calls_of(case) if pattern_may_match(pattern, case.key) else ():
            if pattern_of(call.key) == pattern and difference(
                case, call, RECORDED[family][call.key]
            ):
                return
    pytest.fail(f"no call that matches {pattern} differs any more")


def pattern_may_match(pattern: str, row: str) -> bool:
    return fnmatch.fnmatchcase(row, pattern.split("/")[0])


def test_recorded_calls_exist() -> None:
    made = {call.key for _, case in ROWS for call in calls_of(case)}
    assert {key for family in RECORDED.values() for key in family} <= made
