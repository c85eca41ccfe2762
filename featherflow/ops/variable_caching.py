"""Reads of variables inside loops: placed where the loop is, and not with each variable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from featherflow.ops.variable_scope import VariableScope, get_variable_scope


def read_locally(scope: VariableScope) -> bool:
    """Has variables made under `scope` read on the device of their readers, once per step.

    Returns:
      Whether that changed anything: a caching device that was set before stays.
    """
    if scope._caching_device is not None:
        return False
    scope._caching_device = _own_device
    return True


def _own_device(operation: Any) -> str:
    return operation.device


@contextmanager
def local_reads() -> Iterator[None]:
    """`read_locally` for the current variable scope, as long as the block runs."""
    scope = get_variable_scope()
    changed = read_locally(scope)
    try:
        yield
    finally:
        if changed:
            scope._caching_device = None
