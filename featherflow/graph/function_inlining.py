"""Copies the body of a function into the graph that calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


def inline(body: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Makes the nodes of a function's body in the default graph.

    Args:
      body: what is to be copied: `graph`, `inputs` and `outputs`.
      inputs: tensors of the default graph, one for each argument.
    Returns:
      The tensors that stand for the results.
    Raises:
      ValueError: there are more or fewer inputs than arguments.
    """
    if len(inputs) != len(body.inputs):
        raise ValueError(f"Expected {len(body.inputs)} inputs, received {len(inputs)}.")
    return _Copier(get_default_graph(), dict(zip(body.inputs, inputs))).copy(body)


class _Copier:
    """One copy of a graph: what stands for its tensors and nodes."""

    def __init__(self, graph: Graph, tensors: dict[Tensor, Tensor]) -> None:
        self._graph = graph
        self._tensors = tensors
        self._operations: dict[Operation, Operation] = {}
        self._back_edges: list[tuple[Operation, int, Tensor]] = []
        self._frame_names: dict[str, str] = {}

    def copy(self, body: Any) -> list[Tensor]:
        arguments = {tensor.op for tensor in body.inputs}
        for operation in body.graph.get_operations():
            if operation not in arguments:
                self._copy_operation(operation, arguments)
        for operation, index, tensor in self._back_edges:
            self._operations[operation]._update_input(index, self._tensors[tensor])
        return [self._tensors[tensor] for tensor in body.outputs]

    def _copy_operation(self, operation: Operation, arguments: set[Operation]) -> None:
        first = operation.inputs[0] if operation.inputs else None
        inputs = []
        for index, tensor in enumerate(operation.inputs):
            if tensor not in self._tensors:
                # The value of the previous iteration: its node comes later.
                self._back_edges.append((operation, index, tensor))
                assert first is not None
                tensor = first
            inputs.append(self._tensors[tensor])
        controls = [
            self._operations[source]
            for source in operation.control_inputs
            if source not in arguments
        ]
        attrs = dict(operation.attrs)
        if operation.definition.control_flow == "enter":
            attrs["frame_name"] = self._frame_name(attrs["frame_name"])
        made = self._graph.add_node(
            operation.definition,
            inputs,
            attrs,
            self._graph.unique_name(operation.name),
            control_inputs=controls,
            device=operation.device,
        )
        self._operations[operation] = made
        for old, new in zip(operation.outputs, made.outputs):
            new.set_shape(old.shape)
            new._handle_data = old._handle_data if new._handle_data is None else new._handle_data
            self._tensors[old] = new

    def _frame_name(self, name: str) -> str:
        """The frame of a loop's copy: two loops in one graph must not share theirs."""
        if name not in self._frame_names:
            self._frame_names[name] = self._graph.unique_name(name)
        return self._frame_names[name]
