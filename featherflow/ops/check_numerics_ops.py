"""CheckNumerics: a tensor that must hold no NaN and no infinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import colocate_with, control_dependencies, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.grouping_ops import group, with_dependencies
from featherflow.ops.reshape_ops import renamed_argument

# --- CheckNumerics --------------------------------------------------------------------------------

CheckNumerics = define_op(
    "CheckNumerics",
    inputs=("tensor: T",),
    outputs=("output: T",),
    attrs=("T: {bfloat16, half, float, double}", "message: string"),
    is_stateful=True,
    aliases=True,
)
CheckNumerics.shape_fn(unchanged_shape)


@CheckNumerics.kernel("CPU")
def _check_numerics_cpu(tensor: np.ndarray, *, message: str) -> np.ndarray:
    if not np.isfinite(tensor).all():
        kinds = ["Inf"] * bool(np.isinf(tensor).any()) + ["NaN"] * bool(np.isnan(tensor).any())
        _refuse(message, " and ".join(kinds))
    return tensor


def _refuse(message: str, kinds: str) -> None:
    raise InvalidArgumentError(None, None, f"{message} : Tensor had {kinds} values")


@CheckNumerics.gradient
def _check_numerics_grad(op: Any, grad: Tensor) -> Tensor:
    return _checked_gradient(op, grad)


def _checked_gradient(op: Any, grad: Tensor) -> Tensor:
    message = (
        f"Not a number (NaN) or infinity (Inf) values detected in gradient. {op.attrs['message']}"
    )
    return check_numerics(grad, message)


@export("debugging.check_numerics")
@export_v1("check_numerics")
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """`tensor`, which must hold no NaN and no infinity.

    Args:
      tensor: a tensor of floats.
      message: what the error says first.
      name: of the node.
    Returns:
      A tensor of the same values.
    Raises:
      InvalidArgumentError: it holds one, in a run.
    """
    return CheckNumerics(tensor, message=message, name=name)


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """`x`, which is there only when it was seen to hold no NaN and no infinity.

    Args:
      x: a tensor of floats.
      message: what the error says first.
      name: of the scope of the nodes.
    Returns:
      A tensor of the same values.
    Raises:
      InvalidArgumentError: it holds one, in a run.
    """
    with name_scope(name, "VerifyFinite", [x]):
        x = convert_to_tensor(x, name="x")
        with colocate_with(x):
            checked = check_numerics(x, message)
        return with_dependencies([checked], x)


@export_v1("verify_tensor_all_finite", "debugging.assert_all_finite")
def verify_tensor_all_finite(
    t: Any = None,
    msg: str | None = None,
    name: str | None = None,
    x: Any = None,
    message: str | None = None,
) -> Tensor:
    """`assert_all_finite`, which also takes `x` and `message` as `t` and `msg`."""
    x = renamed_argument("x", x, "t", t)
    text = renamed_argument("message", message, "msg", msg)
    return assert_all_finite(x, text, name)


# --- CheckNumericsV2 ------------------------------------------------------------------------------

CheckNumericsV2 = define_op(
    "CheckNumericsV2",
    inputs=("tensor: T",),
    outputs=("output: T",),
    attrs=("T: {bfloat16, half, float, double}", "message: string"),
    is_stateful=True,
    aliases=True,
)
CheckNumericsV2.shape_fn(unchanged_shape)


@CheckNumericsV2.kernel("CPU")
def _check_numerics_v2_cpu(tensor: np.ndarray, *, message: str) -> np.ndarray:
    if not np.isfinite(tensor).all():
        infinite = np.isinf(tensor)
        found = {
            "-Inf": (infinite & (tensor < 0)).any(),
            "+Inf": (infinite & (tensor > 0)).any(),
            "NaN": np.isnan(tensor).any(),
        }
        kinds = [kind for kind, present in found.items() if present]
        if len(kinds) == len(found):
            kinds = ["-Inf, +Inf,", "NaN"]
        _refuse(message, " and ".join(kinds))
    return tensor


@CheckNumericsV2.gradient
def _check_numerics_v2_grad(op: Any, grad: Tensor) -> Tensor:
    return _checked_gradient(op, grad)


# --- all tensors of a graph -----------------------------------------------------------------------


@export_v1("add_check_numerics_ops")
def add_check_numerics_ops() -> Operation:
    """An operation that checks every tensor of floats made so far for NaN and infinity.

    Returns:
      An Operation; it runs the checks one after the other, in the order of the nodes.
    Raises:
      ValueError: the graph has conditionals or loops, whose tensors are not always there.
    """
    checks: list[Tensor] = []
    for node in get_default_graph().get_operations():
        for output in node.outputs:
            if output.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
                continue
            if node._get_control_flow_context() is not None:
                raise ValueError(
                    "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow "
                    "operations such as `tf.cond()` or `tf.while_loop()`."
                )
            with control_dependencies(checks[-1:]):
                checks.append(check_numerics(output, f"{node.name}:{output.value_index}"))
    return group(*checks[-1:])
