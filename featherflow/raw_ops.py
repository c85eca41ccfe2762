"""tf.raw_ops: every op of the registry by its name, inputs and attributes by keyword."""

from __future__ import annotations

from featherflow._namespaces import Namespace as _Namespace  # loads the op index
from featherflow.framework.op import Op, find_op, known_op_names

__all__ = ["Op"]
assert _Namespace


def __getattr__(name: str) -> Op:
    op = find_op(name)
    if op is None:
        raise AttributeError(f"tf.raw_ops has no op '{name}'.")
    return op


def __dir__() -> list[str]:
    return sorted(known_op_names())
