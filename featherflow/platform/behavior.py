"""Which of TensorFlow's behaviours a program runs under: TF1's graphs and sessions, or TF2's."""

from __future__ import annotations

from featherflow.framework import dispatch, mode
from featherflow.framework.exports import export, export_v1
from featherflow.framework.mode import Mode
from featherflow.framework.tensor_shape import disable_v2_tensorshape, enable_v2_tensorshape
from featherflow.ops.variables import disable_resource_variables, enable_resource_variables


@export_v1("disable_v2_behavior")
def disable_v2_behavior() -> None:
    """TF1's behaviour: graphs and sessions, ref variables, dimensions as objects."""
    disable_eager_execution()
    disable_resource_variables()
    disable_v2_tensorshape()


@export_v1("enable_v2_behavior")
def enable_v2_behavior() -> None:
    """TF2's behaviour: ops run at once, resource variables, dimensions as integers."""
    enable_eager_execution()
    enable_resource_variables()
    enable_v2_tensorshape()


@export_v1("disable_eager_execution")
def disable_eager_execution() -> None:
    """Ops build graphs, which sessions run.

    Raises:
      ValueError: called inside a block that has entered a graph.
    """
    _check_outside("disable_eager_execution")
    mode.choose(Mode.GRAPH)


@export_v1("enable_eager_execution")
def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Ops run at once.

    Raises:
      ValueError: nodes have been added to the default graph, or a graph is entered.
    """
    _check_outside("enable_eager_execution")
    if mode.current() is Mode.GRAPH and dispatch.default_context().graph.get_operations():
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    mode.choose(Mode.EAGER)


def _check_outside(name: str) -> None:
    if dispatch.entered_contexts():
        raise ValueError(f"tf.{name} must be called at program startup, outside of all graphs.")


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether ops run at once rather than build a graph.

    It is False inside of `tf.Graph().as_default()` blocks and while functions are traced.
    """
    return dispatch.executing_eagerly()


@export_v1("executing_eagerly_outside_functions")
def executing_eagerly_outside_functions() -> bool:
    """Whether ops run at once, or would outside of the functions that are being traced."""
    graph = dispatch.current_context().graph
    while graph.building_function:
        graph = graph.outer_graph
    return graph.is_eager


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
