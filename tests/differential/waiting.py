"""What recorded cases wait for: public names and ops that featherflow does not have yet.

A case that needs one of them is reported as an expected failure, with the reason. A name that is
missing and not listed here fails its cases; a name listed here that exists fails a test of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

#: Public name, or op → the feature that will bring it.
WAITING: dict[str, str] = json.loads(Path(__file__).with_name("waiting.json").read_text())

_MISSING = re.compile(
    r"module 'featherflow\.?(?P<space>[\w.]*)' has no attribute '(?P<name>\w+)'"
    r"|tf\.raw_ops has no op '(?P<raw>\w+)'"
    r"|Op type not registered '(?P<op>\w+)'"
)


def missing_name(error: BaseException | None) -> str | None:
    """The name that an error says is missing, or None if the error is another."""
    match = _MISSING.search(str(error)) if error is not None else None
    if match is None:
        return None
    if match["raw"] or match["op"]:
        return match["raw"] or match["op"]
    return f"tf.{match['space']}.{match['name']}" if match["space"] else f"tf.{match['name']}"


def xfail_if_waiting(error: BaseException | None) -> None:
    """Ends the test as an expected failure if the error is that a listed name is missing."""
    name = missing_name(error)
    if name in WAITING:
        pytest.xfail(f"needs {name}: {WAITING[name]}")
