"""smart_cond: a condition that is decided while the graph is built, if it is known then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.ops.cond import cond
from featherflow.ops.variable_base import Variable


def known_value(pred: Any) -> bool | None:
    """A condition as a bool, if it is one or a constant tensor, else None.

    Raises:
      TypeError: it is neither a bool, nor 0 or 1, nor a tensor.
    """
    if isinstance(pred, Variable):
        return None
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise TypeError(
        "`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: "
        f"{type(pred).__name__}"
    )


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any],
    false_fn: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """`true_fn()` or `false_fn()`; a `tf.cond` of both only where `pred` is not known yet."""
    known = known_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()
