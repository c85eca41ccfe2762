"""Which of TensorFlow's behaviours a program runs under: that of graphs and sessions."""

from __future__ import annotations

from typing import NoReturn

from featherflow.framework.errors import UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_shape import disable_v2_tensorshape
from featherflow.ops.variables import disable_resource_variables


def _refuse(what: str) -> NoReturn:
    raise UnimplementedError(
        None,
        None,
        f"{what} is not available yet",
        expected="a program that builds a graph and runs it in a tf.Session",
        remedy="Take the call out, or write tf.disable_v2_behavior() at the top of the program.",
    )


@export_v1("disable_v2_behavior")
def disable_v2_behavior() -> None:
    """TF1's behaviour: graphs and sessions, ref variables, dimensions as objects."""
    disable_resource_variables()
    disable_v2_tensorshape()


@export_v1("enable_v2_behavior")
def enable_v2_behavior() -> None:
    """TF2's behaviour.

    Raises:
      UnimplementedError: always, for now.
    """
    _refuse("TF2's behaviour")


@export_v1("disable_eager_execution")
def disable_eager_execution() -> None:
    """Ops build graphs: they always do."""


@export_v1("enable_eager_execution")
def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Ops run at once.

    Raises:
      UnimplementedError: always, for now.
    """
    _refuse("Eager execution")


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether ops run at once rather than build a graph."""
    return False


@export_v1("executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Whether the program as a whole runs its ops at once."""
    return False


@export_v1("disable_control_flow_v2")
def disable_control_flow_v2() -> None:
    """Conditionals and loops are Switch, Merge, Enter and Exit nodes: they always are."""


@export_v1("enable_control_flow_v2")
def enable_control_flow_v2() -> None:
    """Accepted: conditionals and loops keep their nodes, whose values are the same."""


@export_v1("control_flow_v2_enabled")
def control_flow_v2_enabled() -> bool:
    """Whether conditionals and loops become If and While nodes."""
    return False
