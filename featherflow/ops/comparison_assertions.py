"""Assertions that compare tensors elementwise: equal, less, positive, near …

What building the graph already tells is checked then; the rest is an operation, and what relies on
it must wait for it:

    with tf.control_dependencies([tf.assert_positive(x)]):
        y = tf.math.log(x)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.comparison_ops import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
)
from featherflow.ops.grouping_ops import no_op
from featherflow.ops.magnitude_ops import abs
from featherflow.ops.reduction_ops import reduce_all


def message_prefix(message: str | None) -> str:
    """What the text of a failure starts with where the caller gave a message."""
    return f"{message}.  " if message else ""


def _compared(
    symbol: str,
    default_name: str,
    compare: Callable[[Any, Any], Tensor],
    operands: tuple[Any, Any],
    data: Any,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    """Asserts that `compare` holds for all elements of the operands, which broadcast."""
    with name_scope(name, default_name, [*operands, *(data or ())]):
        x = convert_to_tensor(operands[0], name="x")
        y = convert_to_tensor(operands[1], name="y")
        if data is None:
            data = [
                f"Condition x {symbol} y did not hold element-wise:",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        if message:
            data = [message, *data]
        condition = reduce_all(compare(x, y))
        _check_now(condition, data)
        return assert_(condition, data, summarize=summarize)


def _check_now(condition: Tensor, data: Sequence[Any]) -> None:
    """Raises where the condition is known, and false."""
    static = constant_value(condition)
    if static is None or static.all():
        return
    raise InvalidArgumentError(None, None, "\n".join(map(_text, data)))


def _text(item: Any) -> str:
    value = constant_value(item) if isinstance(item, Tensor) else item
    return str(item if value is None else value)


@export_v1("debugging.assert_equal", "assert_equal")
def assert_equal(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless x = y, elementwise; they broadcast.

    Args:
      x: a tensor.
      y: a tensor of the same dtype.
      data: tensors to print on failure; None prints the condition, x and y.
      summarize: the number of elements to print of each.
      message: what is printed first.
      name: of the scope of the nodes.
    Returns:
      An Operation.
    Raises:
      InvalidArgumentError: it does not hold: at once where that is known already, else in the run.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.int32, [2])
    ...     with tf.control_dependencies([tf.assert_equal(x, [1, 2])]):
    ...         doubled = 2 * x
    ...     session.run(doubled, {x: [1, 2]}).tolist()
    [2, 4]
    """
    with name_scope(name, "assert_equal", [x, y, data]):
        if x is y:
            return no_op("NoOp")
    return _compared("==", "assert_equal", equal, (x, y), data, summarize, message, name)


@export("debugging.assert_equal", "assert_equal")
def assert_equal_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_equal` with TF2's order of arguments."""
    return assert_equal(x, y, None, summarize, message, name)


@export_v1("debugging.assert_none_equal", "assert_none_equal")
def assert_none_equal(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x ≠ y for all elements; arguments and errors as for `assert_equal`."""
    return _compared("!=", "assert_none_equal", not_equal, (x, y), data, summarize, message, name)


@export("debugging.assert_none_equal")
def assert_none_equal_v2(
    x: Any,
    y: Any,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_none_equal` with TF2's order of arguments."""
    return assert_none_equal(x, y, None, summarize, message, name)


@export_v1("debugging.assert_less", "assert_less")
def assert_less(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x < y for all elements; arguments and errors as for `assert_equal`."""
    return _compared("<", "assert_less", less, (x, y), data, summarize, message, name)


@export("debugging.assert_less", "assert_less")
def assert_less_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_less` with TF2's order of arguments."""
    return assert_less(x, y, None, summarize, message, name)


@export_v1("debugging.assert_less_equal", "assert_less_equal")
def assert_less_equal(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x ≤ y for all elements; arguments and errors as for `assert_equal`."""
    return _compared("<=", "assert_less_equal", less_equal, (x, y), data, summarize, message, name)


@export("debugging.assert_less_equal")
def assert_less_equal_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_less_equal` with TF2's order of arguments."""
    return assert_less_equal(x, y, None, summarize, message, name)


@export_v1("debugging.assert_greater", "assert_greater")
def assert_greater(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x > y for all elements; arguments and errors as for `assert_equal`."""
    return _compared(">", "assert_greater", greater, (x, y), data, summarize, message, name)


@export("debugging.assert_greater", "assert_greater")
def assert_greater_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_greater` with TF2's order of arguments."""
    return assert_greater(x, y, None, summarize, message, name)


@export_v1("debugging.assert_greater_equal", "assert_greater_equal")
def assert_greater_equal(
    x: Any,
    y: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless x ≥ y for all elements; arguments and errors as for `assert_equal`."""
    scope = "assert_greater_equal"
    return _compared(">=", scope, greater_equal, (x, y), data, summarize, message, name)


@export("debugging.assert_greater_equal")
def assert_greater_equal_v2(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_greater_equal` with TF2's order of arguments."""
    return assert_greater_equal(x, y, None, summarize, message, name)


# --- near -----------------------------------------------------------------------------------------


@export_v1("debugging.assert_near", "assert_near")
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless |x − y| < atol + rtol · |y| for all elements; they broadcast.

    Args:
      x: a tensor of floats or complex numbers.
      y: a tensor of the same dtype.
      rtol: the relative tolerance; None takes ten times the distance of 1 to the next number.
      atol: the absolute tolerance; None takes the same.
      data: tensors to print on failure; None prints the tolerances, x and y.
      summarize: the number of elements to print of each.
      message: what is printed first.
      name: of the scope of the nodes.
    Returns:
      An Operation.
    Raises:
      InvalidArgumentError: (in the run) it does not hold.
    """
    with name_scope(name, "assert_near", [x, y, rtol, atol, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype=x.dtype, name="y")
        real = x.dtype.base_dtype.real_dtype
        default = 10 * _epsilon(real)
        rtol = convert_to_tensor(default if rtol is None else rtol, dtype=real, name="rtol")
        atol = convert_to_tensor(default if atol is None else atol, dtype=real, name="atol")
        if data is None:
            data = [
                message_prefix(message),
                f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        tolerance = atol + rtol * abs(y)
        difference = abs(x - y)
        return assert_(reduce_all(less(difference, tolerance)), data, summarize=summarize)


def _epsilon(dtype: dtypes.DType) -> float:
    if not dtype.is_floating:
        raise ValueError(f"Tensors that are only near are floating, received {dtype.name}.")
    return float(ml_dtypes.finfo(dtype.as_numpy_dtype).eps)


@export("debugging.assert_near")
def assert_near_v2(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """`tf.compat.v1.assert_near` with TF2's order of arguments."""
    return assert_near(x, y, rtol, atol, None, summarize, message, name)
