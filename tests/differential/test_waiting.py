"""The list of what cases wait for holds only what is not there."""

from __future__ import annotations

import featherflow as tf
from featherflow.framework.op import find_op

from .waiting import WAITING


def exists(name: str) -> bool:
    if not name.startswith("tf."):
        return find_op(name) is not None
    target = tf
    for part in name.split(".")[1:]:
        target = getattr(target, part, None)
        if target is None:
            return False
    return True


def test_listed_names_are_missing() -> None:
    assert [name for name in WAITING if exists(name)] == []
