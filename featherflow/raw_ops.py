"""tf.raw_ops: every op of the registry by its name, inputs and attributes by keyword."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow import _namespaces as _namespaces  # installs the index of op families
from featherflow.framework.op import Op, find_op, known_op_names


def __getattr__(name: str) -> Callable[..., Any]:
    op = find_op(name)
    if op is None:
        raise AttributeError(f"tf.raw_ops has no op '{name}'.")
    return _by_keyword(op)


def _by_keyword(op: Op) -> Callable[..., Any]:
    def call(**kwargs: Any) -> Any:
        return op(**kwargs)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = f"The op {op.name}: inputs and attributes by keyword."
    return call


def __dir__() -> list[str]:
    return sorted(known_op_names())
