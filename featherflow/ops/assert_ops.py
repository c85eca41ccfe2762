"""Assert: a condition that must hold when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dispatch, dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import no_outputs
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.kernels.value_text import summary
from featherflow.ops.cond import cond
from featherflow.ops.grouping_ops import no_op

Assert = define_op(
    "Assert",
    inputs=("condition: bool", "data: T"),
    attrs=("T: list(type) >= 1", "summarize: int = 3"),
    is_stateful=True,
)
Assert.shape_fn(no_outputs)


@Assert.kernel("CPU")
def _assert_cpu(condition: np.ndarray, *data: np.ndarray, summarize: int) -> None:
    if condition.ndim:
        raise InvalidArgumentError(
            None, None, "The condition of an Assert should be a scalar", received=condition.shape
        )
    if not condition:
        found = " ".join(f"[{summary(item, summarize)}]" for item in data)
        raise InvalidArgumentError(None, None, f"assertion failed: {found}")


Assert.not_differentiable("it has no outputs")


@export("debugging.Assert", "Assert")
def assert_(
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Operation:
    """An operation that fails, and prints `data`, if `condition` is false.

    It must be run: make what relies on the condition wait for it.

    Args:
      condition: a scalar of bool.
      data: a list of tensors to print; they are computed on failure only.
      summarize: the number of elements of each tensor to print; None is 3.
      name: of the node.
    Returns:
      An Operation.
    Raises:
      TypeError: `data` is not a list.
      InvalidArgumentError: (in the run) the condition does not hold.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(4.0)
    ...     with tf.control_dependencies([tf.Assert(x > 0.0, [x])]):
    ...         print(session.run(tf.sqrt(x)))
    2.0
    """
    if not isinstance(data, (list, tuple)):
        raise TypeError("The values to print must be a sequence.")
    summarize = 3 if summarize is None else summarize
    with name_scope(name, "Assert", [condition, *data]):
        values = [convert_to_tensor(item) for item in data]
        if dispatch.executing_eagerly():
            return Assert(condition, data, summarize=summarize)
        if all(value.dtype in (dtypes.string, dtypes.int32) for value in values):
            # These are on the host whatever device is used: nothing is saved by a conditional.
            return Assert(condition, data, summarize=summarize, name="Assert")
        condition = convert_to_tensor(condition, name="Condition")
        guarded = cond(
            condition,
            no_op,
            lambda: Assert(condition, data, summarize=summarize, name="Assert"),
            name="AssertGuard",
        )
        return guarded.op
