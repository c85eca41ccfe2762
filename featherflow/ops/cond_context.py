"""CondContext: one branch of a conditional while it is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from featherflow.framework import nest
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.control_flow_context import ControlFlowContext, is_within
from featherflow.ops.control_flow_nodes import switch
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.tensor_array import flow_of

if TYPE_CHECKING:
    from featherflow.ops.while_context import WhileContext


class CondContext(ControlFlowContext):
    """One branch: what its nodes take from outside passes through a Switch, dead if not chosen.

    Args:
      pred: a scalar of bool that chooses.
      pivot: a tensor that is alive if the branch is chosen.
      branch: 1 if the branch is for a true `pred`, else 0.
    """

    def __init__(self, pred: Tensor, pivot: Tensor, branch: int) -> None:
        graph = pred.graph
        super().__init__(graph, graph.unique_name("cond_text"), graph._control_flow_context)
        self.pred = pred
        self.pivot = pivot
        self.branch = branch
        self.values.update((pred, pivot))
        self.external_values[pred] = pred
        pivot.op._set_control_flow_context(self)

    @property
    def control_pivot(self) -> Operation:
        return self.pivot.op

    @property
    def while_context(self) -> WhileContext | None:
        return None if self.outer_context is None else self.outer_context.while_context

    def add_op(self, operation: Operation) -> None:
        if operation.inputs:
            self.take_in_inputs(operation)
            self.drop_outer_control_inputs(operation)
            if self.graph._is_function(operation.type):
                operation._add_control_input(self.control_pivot)
        else:
            self.drop_outer_control_inputs(operation)
            if not any(
                is_within(source._control_flow_context, self) for source in operation.control_inputs
            ):
                operation._add_control_input(self.control_pivot)
        self._know(operation.outputs)
        if self.outer_context is not None or operation.definition.control_flow != "exit":
            self.hide(operation)

    def add_value(self, tensor: Tensor) -> Tensor:
        if tensor in self.values:
            return self.external_values.get(tensor, tensor)
        source = self._source_of(tensor)
        with control_dependencies(None):
            result = switch(source, self.pred)[self.branch]
        result.op._set_control_flow_context(self)
        self.hide(result.op)
        self._know([result])
        self.external_values[tensor] = result
        return result

    def _source_of(self, tensor: Tensor) -> Tensor:
        """What stands for an outer tensor in the context around this one."""
        self.values.add(tensor)
        if self.outer_context is None:
            return tensor
        source = self.outer_context.add_value(tensor)
        self.values.add(source)
        self.external_values[source] = source
        return source

    def _know(self, tensors: list[Tensor]) -> None:
        """Tensors made here are known here and in the contexts around."""
        context: ControlFlowContext | None = self
        while context is not None:
            context.values.update(tensors)
            context = context.outer_context

    # --- building ---------------------------------------------------------------------------------

    def build_branch(self, function: Callable[[], Any]) -> tuple[Any, Any]:
        """Calls a branch's function.

        Returns:
          What it returned, and the same with tensors of this context as leaves; an operation is
          represented by a tensor that waits for it.
        """
        original = function()
        if original is None:
            return None, None
        return original, nest.map_structure(self._result, original, expand_composites=True)

    def _result(self, value: Any) -> Tensor:
        if isinstance(value, Operation):
            return with_dependencies([value], self.pivot)
        tensor = convert_to_tensor(flow_of(value))
        if tensor in self.values:
            return self.add_value(tensor)
        # An outer tensor is the result: its Switch is a node of the branch like any other.
        source = self._source_of(tensor)
        self.external_values[tensor] = switch(source, self.pred)[self.branch]
        return self.external_values[tensor]
