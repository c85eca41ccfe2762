"""The values that the tensors of a loop had in each iteration, kept for the loop of its gradient.

A tensor's history is one more loop variable: a list that each iteration pushes the value to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2
from featherflow.ops.branch_conditions import conditions_of, in_order
from featherflow.ops.constant_ops import constant
from featherflow.ops.control_flow_context import ControlFlowContext
from featherflow.ops.control_flow_nodes import join
from featherflow.ops.control_flow_primitives import Switch
from featherflow.ops.tensor_array_ops import TensorArrayV3
from featherflow.ops.tensor_list_ops import EmptyTensorList, TensorListPushBack, value_of_shape
from featherflow.ops.while_context import WhileContext


def history_of(loop: WhileContext, tensor: Tensor) -> Tensor:
    """The list of the values that a tensor of `loop` had in all iterations; outside the loop."""
    history = loop.histories.get(tensor)
    if history is None:
        dtype = tensor.dtype.base_dtype
        # Where its branch is not chosen something of another shape takes the value's place.
        shape = UNKNOWN if conditions_of(tensor) else tensor.shape
        with _outside(loop):
            empty = EmptyTensorList(value_of_shape(shape), -1, element_dtype=dtype)

        def push(pushed: Tensor) -> Tensor:
            return TensorListPushBack(pushed, _always_there(tensor), element_dtype=dtype)

        history = loop.histories[tensor] = add_variable(loop, empty, push)
    return history


def iteration_count(loop: WhileContext) -> Tensor:
    """The number of iterations that `loop` takes, a scalar of int32; outside of the loop."""
    if loop.iteration_count is None:
        with _outside(loop):
            zero = constant(0, name="f_count")
        loop.iteration_count = add_variable(loop, zero, lambda count: AddV2(count, 1))
    return loop.iteration_count


def add_variable(loop: WhileContext, initial: Tensor, update: Any) -> Tensor:
    """Adds a scalar loop variable to a loop that is built.

    Args:
      initial: its value before the loop, outside.
      update: gives its value after an iteration, given the value before.
    Returns:
      Its value after the loop, outside.
    """
    with control_dependencies(None):
        variables = loop.enter_variables([initial], [SCALAR])
        with loop.entered():
            loop.switch_variables(variables)
            loop.close_variables(variables, [update(variables[0].parameter)])
            return loop.exit_variables(variables)[0]


def _always_there(tensor: Tensor) -> Tensor:
    """`tensor`, or anything where its branch does not run: each iteration pushes one element."""
    for pred, branch in reversed(in_order(conditions_of(tensor))):
        other = Switch(_anything(tensor.dtype.base_dtype), pred)[1 - branch]
        tensor = join(*((other, tensor) if branch else (tensor, other)), pred)
    return tensor


def _anything(dtype: DType) -> Tensor:
    """Some value of a dtype, which nobody will look at."""
    if dtype is dtypes.resource:
        return TensorArrayV3(0, dtype=dtypes.float32)[0]
    if dtype is dtypes.variant:
        return EmptyTensorList(-1, -1, element_dtype=dtypes.float32)
    if dtype is dtypes.string:
        return constant("")
    return constant(np.zeros((), dtype.numpy_dtype), dtype)


@contextmanager
def _outside(loop: WhileContext) -> Iterator[None]:
    """Nodes made inside the block are where the loop is entered from."""
    with control_dependencies(None), in_context(loop.graph, loop.outer_context):
        yield


@contextmanager
def in_context(graph: Graph, context: ControlFlowContext | None) -> Iterator[None]:
    """Nodes made inside the block belong to `context`, or to none."""
    previous, graph._control_flow_context = graph._control_flow_context, context
    try:
        yield
    finally:
        graph._control_flow_context = previous
