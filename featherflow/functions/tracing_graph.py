"""TracingGraph: the graph of a tf.function while its Python code runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.graph.func_graph import FuncGraph
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.program_order import ProgramOrder
from featherflow.graph.tensor import Tensor
from featherflow.ops.identity_ops import identity


class TracingGraph(FuncGraph):
    """A FuncGraph whose effects happen in the order of the code, and that holds what it captures.

    Values of the program around (eager tensors, handles of variables) become constants, so that
    passes see them: they are the same in every call of the function.

    Attributes:
      variables: those that the code has read, in order, by their handles' identity.
    """

    uses_tensor_equality = True

    def __init__(self, name: str, outer_graph: Graph | None = None) -> None:
        super().__init__(name, outer_graph)
        self._functions: dict[str, Any] = {}  # of its own: it goes with the function
        self.order: ProgramOrder | None = ProgramOrder()
        self.variables: dict[int, Any] = {}

    def add_node(self, *args: Any, **kwargs: Any) -> Operation:
        operation = super().add_node(*args, **kwargs)
        if self.order is not None:
            self.order.add(operation)
        return operation

    def _capture_value(self, tensor: Tensor) -> Tensor:
        return self._as_constant(tensor)

    # --- branches and loops -----------------------------------------------------------------------

    def gated(self, context: Any, results: Sequence[Tensor]) -> list[Tensor]:
        effects = [] if self.order is None else self.order.effects_in(context)
        if not effects:
            return list(results)
        with self.control_dependencies(effects):
            return [identity(tensor) for tensor in results]

    def leave_control_flow(self, contexts: Sequence[Any], results: Sequence[Tensor]) -> None:
        if self.order is not None:
            self.order.leave(contexts, [tensor.op for tensor in results])

    # --- a recorder: which variables are read -----------------------------------------------------

    def record(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Nodes are in the graph already."""

    def captured(self, outside: Any, inside: Any) -> None:
        """Captures are in the graph already."""

    def variable_accessed(self, variable: Any) -> None:
        self.variables.setdefault(id(variable.handle), variable)
