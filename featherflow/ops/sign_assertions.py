"""Assertions about the sign of a tensor's elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.ops.comparison_assertions import assert_less, assert_less_equal, message_prefix


def _against_zero(
    scope: str,
    told: list[str],
    compare: Callable[..., Operation],
    zero_first: bool,
    x: Any,
    data: Any,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    """Asserts `compare(0, x)` or `compare(x, 0)`; `told` is the text of a failure."""
    with name_scope(name, scope, [x, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        if data is None:
            *first, last = told
            data = [message_prefix(message), *first, f"{last}x ({x.name}) = ", x]
        zero = convert_to_tensor(0, dtype=x.dtype)
        operands = (zero, x) if zero_first else (x, zero)
        return compare(*operands, data=data, summarize=summarize)


@export_v1("debugging.assert_positive", "assert_positive")
def assert_positive(
    x: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x > 0 for all elements.

    Args:
      x: a tensor of numbers.
      data: tensors to print on failure; None prints the condition and x.
      summarize: the number of elements to print of each.
      message: what is printed first.
      name: of the scope of the nodes.
    Returns:
      An Operation.
    Raises:
      InvalidArgumentError: it does not hold: at once where that is known already, else in the run.

    >>> import featherflow as tf
    >>> tf.assert_positive([1.0, -1.0])
    Traceback (most recent call last):
    featherflow.framework.errors.InvalidArgumentError: ...
    """
    told = ["Condition x > 0 did not hold element-wise:", ""]
    return _against_zero(
        "assert_positive", told, assert_less, True, x, data, summarize, message, name
    )


@export("debugging.assert_positive")
def assert_positive_v2(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_positive` with TF2's order of arguments."""
    return assert_positive(x, None, summarize, message, name)


@export_v1("debugging.assert_negative", "assert_negative")
def assert_negative(
    x: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x < 0 for all elements; arguments and errors as for `assert_positive`."""
    told = ["Condition x < 0 did not hold element-wise:", ""]
    return _against_zero(
        "assert_negative", told, assert_less, False, x, data, summarize, message, name
    )


@export("debugging.assert_negative")
def assert_negative_v2(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_negative` with TF2's order of arguments."""
    return assert_negative(x, None, summarize, message, name)


@export_v1("debugging.assert_non_negative", "assert_non_negative")
def assert_non_negative(
    x: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x ≥ 0 for all elements; arguments and errors as for `assert_positive`."""
    told = ["Condition x >= 0 did not hold element-wise:", ""]
    return _against_zero(
        "assert_non_negative", told, assert_less_equal, True, x, data, summarize, message, name
    )


@export("debugging.assert_non_negative")
def assert_non_negative_v2(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_non_negative` with TF2's order of arguments."""
    return assert_non_negative(x, None, summarize, message, name)


@export_v1("debugging.assert_non_positive", "assert_non_positive")
def assert_non_positive(
    x: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x ≤ 0 for all elements; arguments and errors as for `assert_positive`."""
    # One text, where the other three are two: so are TensorFlow's nodes.
    told = ["Condition x <= 0 did not hold element-wise:"]
    return _against_zero(
        "assert_non_positive", told, assert_less_equal, False, x, data, summarize, message, name
    )


@export("debugging.assert_non_positive")
def assert_non_positive_v2(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_non_positive` with TF2's order of arguments."""
    return assert_non_positive(x, None, summarize, message, name)
