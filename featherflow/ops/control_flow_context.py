"""ControlFlowContext: the branch of a conditional, or the loop, that nodes are made in.

While a branch or a loop's body is built its context stands in the graph, which shows it every new
node. The context brings in what the node takes from outside: through a Switch into a branch,
through an Enter into a loop. So a user's function need not know that it builds a branch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

if TYPE_CHECKING:
    from featherflow.ops.while_context import WhileContext


class ControlFlowContext(ABC):
    """One branch or loop under construction, and what is known in it.

    Attributes:
      graph: the graph that it is part of.
      name: unique in the graph; the name of a loop's frame.
      outer_context: the context around it, or None.
      nested_contexts: the contexts made directly inside.
      values: the tensors that nodes inside may take, and those outside that have been brought in.
      external_values: outer tensor → what stands for it inside.
    """

    def __init__(self, graph: Graph, name: str, outer_context: ControlFlowContext | None) -> None:
        self.graph = graph
        self.name = name
        self.outer_context = outer_context
        self.nested_contexts: list[ControlFlowContext] = []
        self.values: set[Tensor] = set()
        self.external_values: dict[Tensor, Tensor] = {}
        if outer_context is not None:
            outer_context.nested_contexts.append(self)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Nodes made inside the block belong to this context."""
        previous = self.graph._control_flow_context
        self.graph._control_flow_context = self
        try:
            yield
        finally:
            self.graph._control_flow_context = previous

    # --- what differs between branches and loops --------------------------------------------------

    @property
    @abstractmethod
    def control_pivot(self) -> Operation:
        """A node that runs when nodes inside may run: those without inputs wait for it."""

    @abstractmethod
    def add_op(self, operation: Operation) -> None:
        """Takes in a node that was just made inside: its inputs become tensors of this context."""

    @abstractmethod
    def add_value(self, tensor: Tensor) -> Tensor:
        """What stands for `tensor` inside."""

    @property
    @abstractmethod
    def while_context(self) -> WhileContext | None:
        """The innermost loop: this context, or the one it is in."""

    # --- steps that both take ---------------------------------------------------------------------

    def take_in_inputs(self, operation: Operation) -> None:
        """Replaces the inputs of a new node by what stands for them inside.

        The nodes made for that are named below the node; a constant has no scope of its own.
        """
        names = self.graph._scopes.names
        scope, names.current = names.current, operation.name
        try:
            for index, tensor in enumerate(operation.inputs):
                inner = self.add_value(tensor)
                if inner is not tensor:
                    operation._update_input(index, inner)
        finally:
            names.current = scope

    def drop_outer_control_inputs(self, operation: Operation) -> list[Operation]:
        """Takes away control inputs from outside the innermost loop, which could not reach it.

        Returns:
          Those taken away.
        """
        loop = self.while_context
        if loop is None or not operation.control_inputs:
            return []
        inner, outer = [], []
        for source in operation.control_inputs:
            context = output_context(source)
            is_inside = context is not None and context.while_context is loop
            (inner if is_inside else outer).append(source)
        if outer:
            operation._remove_all_control_inputs()
            operation._add_control_inputs(inner)
        return outer

    def hide(self, operation: Operation) -> None:
        """Nothing inside can be fed or fetched: it may be dead, or have a value per iteration."""
        self.graph.prevent_fetching(operation)
        for tensor in operation.outputs:
            self.graph.prevent_feeding(tensor)

    def exit_result(self, tensors: list[Tensor]) -> None:
        """Makes results of this context known in the one around it."""
        if self.outer_context is not None:
            self.outer_context.values.update(tensors)

    def check_use(self, operation: Operation, source: Operation) -> None:
        """Raises if `operation` takes an output of `source`, made here, from outside the loop.

        Raises:
          ValueError: the output has a value per iteration.
        """
        source_context = output_context(source)
        source_loop = None if source_context is None else source_context.while_context
        if source_loop is None or operation.definition.control_flow in ("enter", "switch"):
            return  # a loop or branch takes in what it uses before it is entered
        context = operation._control_flow_context
        loop = None if context is None else context.while_context
        if is_within(loop, source_loop) or (loop is not None and loop.may_read(source_loop)):
            return
        place = "they are in different while loops" if loop else "it is in a while loop"
        raise ValueError(
            f"Cannot use '{source.name}' as input to '{operation.name}' because {place}. Take the "
            "value out of the loop as one of its loop variables."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


# --- relations between contexts -------------------------------------------------------------------


def output_context(operation: Operation) -> ControlFlowContext | None:
    """The context in which the outputs of `operation` are known: an Exit leads out of its own."""
    context = operation._control_flow_context
    if context is not None and operation.definition.control_flow == "exit":
        return context.outer_context
    return context


def is_within(context: ControlFlowContext | None, other: ControlFlowContext | None) -> bool:
    """Whether `context` is `other` or somewhere inside of it; everything is inside of None."""
    while context is not None and context is not other:
        context = context.outer_context
    return context is other
