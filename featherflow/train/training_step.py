"""The global step: the variable that counts the updates of a graph's training."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import GraphKeys
from featherflow.ops.init_ops import Zeros
from featherflow.ops.variable_base import VariableAggregation
from featherflow.ops.variable_scope import get_variable, variable_scope


@export_v1("train.get_global_step")
def get_global_step(graph: Graph | None = None) -> Any:
    """The graph's global step, or None.

    Raises:
      TypeError: what the graph calls so is no integer scalar.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


@export_v1("train.create_global_step")
def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the graph's global step, an int64 variable that starts at 0.

    Raises:
      ValueError: it has one.
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None), variable_scope("", reuse=None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


@export_v1("train.get_or_create_global_step")
def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The graph's global step, made if there is none."""
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export_v1("train.assert_global_step")
def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError unless its argument is an integer scalar."""
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype.name}'
        )
    shape = global_step_tensor.get_shape()
    if shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


@export_v1("train.global_step")
def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session."""
    return int(sess.run(global_step_tensor))
