"""WhileContext: a loop of Enter, Merge, Switch, NextIteration and Exit nodes, and what is in it.

Each loop variable has a row of nodes:

    initial → Enter ─→ Merge ─→ Switch ─(false)→ Exit → result
                         ↑        │
                         │        └─(true)→ body → next value
                         └──────── NextIteration ←─────┘

The Switches of all variables obey one LoopCond, made from the Merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.control_flow_context import ControlFlowContext, output_context
from featherflow.ops.control_flow_nodes import enter, leave, merge, next_iteration, switch
from featherflow.ops.control_flow_primitives import LoopCond
from featherflow.ops.identity_ops import Identity, identity


@dataclass(eq=False)
class LoopVariable:
    """The row of nodes of one loop variable; each is there once it has been built."""

    enter: Tensor
    merge: Tensor
    switch: tuple[Tensor, Tensor] | None = None
    next_value: Tensor | None = None
    exit: Tensor | None = None

    @property
    def initial(self) -> Tensor:
        """The value before the first iteration, outside of the loop."""
        return self.enter.op.inputs[0]

    @property
    def parameter(self) -> Tensor:
        """The value that an iteration starts with, where there is one."""
        assert self.switch is not None
        return self.switch[1]


class ForwardValues(Protocol):
    """How the loop of a gradient gets at the values that its forward loop computed."""

    def may_read(self, loop: WhileContext) -> bool:
        """Whether it reads values of `loop`."""
        ...

    def take_over(self, operation: Operation) -> bool:
        """Moves a node that was just made into the forward loop, if it had better run there."""
        ...

    def find(self, tensor: Tensor) -> Tensor | None:
        """What stands for `tensor` in the gradient's loop; None if the forward loop has it not."""
        ...


class WhileContext(ControlFlowContext):
    """A loop under construction, or built.

    Args:
      graph: the graph that the loop is built in.
      maximum_iterations: a tensor, or None.
      parallel_iterations: how many iterations may be under way at once.
      back_prop: whether gradients may be taken through the loop.
      swap_memory: recorded for other runtimes; here all memory is the host's.
      name: of the context; with the name scope it is the name of the loop's frame.

    Attributes:
      variables: the loop variables, in order; the first are the user's.
      constants: the Enters of what the loop takes from outside, in order.
      pivot: the LoopCond.
      pivot_for_pred: the first Merge.
      pivot_for_body: the first value in the body.
      forward_values: in a gradient's loop, its way to the values of the forward loop; else None.
      histories: tensor of the loop → list of its values in all iterations; see `loop_history.py`.
      iteration_count: the number of iterations, once somebody needs it.
    """

    def __init__(
        self,
        graph: Graph,
        maximum_iterations: Tensor | None = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
    ) -> None:
        super().__init__(graph, graph.unique_name(name), graph._control_flow_context)
        self.maximum_iterations = maximum_iterations
        self.parallel_iterations = parallel_iterations
        self.back_prop = back_prop
        self.swap_memory = swap_memory
        self.variables: list[LoopVariable] = []
        self.constants: list[Tensor] = []
        self.pivot: Tensor | None = None
        self.pivot_for_pred: Tensor | None = None
        self.pivot_for_body: Tensor | None = None
        self.forward_values: ForwardValues | None = None
        self.histories: dict[Tensor, Tensor] = {}
        self.iteration_count: Tensor | None = None

    @property
    def while_context(self) -> WhileContext:
        return self

    @property
    def control_pivot(self) -> Operation:
        pivot = self.pivot_for_pred if self.pivot_for_body is None else self.pivot_for_body
        assert pivot is not None, "a loop has no place for nodes before its first Merge"
        return pivot.op

    @property
    def loop_exits(self) -> list[Tensor]:
        """The results of the loop."""
        return [variable.exit for variable in self.variables if variable.exit is not None]

    @property
    def loop_enters(self) -> list[Tensor]:
        """The Enters of the loop variables."""
        return [variable.enter for variable in self.variables]

    def may_read(self, loop: WhileContext) -> bool:
        """Whether values of `loop` can be had here although this loop is not inside of it."""
        context: ControlFlowContext | None = self
        while context is not None:
            values = getattr(context, "forward_values", None)
            if values is not None and values.may_read(loop):
                return True
            context = context.outer_context
        return False

    # --- nodes inside -----------------------------------------------------------------------------

    def add_op(self, operation: Operation) -> None:
        if self.forward_values is not None and self.forward_values.take_over(operation):
            return
        if operation.inputs:
            self.take_in_inputs(operation)
            dropped = self.drop_outer_control_inputs(operation)
            if self._would_run_too_early(operation):
                operation._add_control_input(self.control_pivot)
        else:
            dropped = self.drop_outer_control_inputs(operation)
            if not operation.control_inputs:
                operation._add_control_input(self.control_pivot)
        self.values.update(operation.outputs)
        self._wait_inside_for(operation, dropped)
        if self.outer_context is not None or operation.definition.control_flow != "exit":
            self.hide(operation)

    def _would_run_too_early(self, operation: Operation) -> bool:
        """Whether nothing ties a node to an iteration: all its inputs are there from the start."""
        if operation.control_inputs:
            return False
        return self.graph._is_function(operation.type) or all(
            is_constant_enter(tensor.op) for tensor in operation.inputs
        )

    def _wait_inside_for(self, operation: Operation, sources: Sequence[Operation]) -> None:
        """Makes a node wait for operations outside: through an Enter of an output of theirs."""
        outputs = [source.outputs[0] for source in sources if source.outputs]
        if not outputs:
            return
        names = self.graph._scopes.names
        scope = names.current
        if operation.type != "Const":  # a constant has no scope of its own
            names.current = operation.name
        try:
            with control_dependencies(None), self.entered():
                operation._add_control_inputs([identity(output).op for output in outputs])
        finally:
            names.current = scope

    def add_value(self, tensor: Tensor) -> Tensor:
        context = output_context(tensor.op)
        is_inside = context is not None and context.while_context is self
        if is_inside or tensor in self.values:
            return self.external_values.get(tensor, tensor)
        self.values.add(tensor)
        inner = None if self.forward_values is None else self.forward_values.find(tensor)
        if inner is None:
            inner = self._enter_constant(tensor)
        self.external_values[tensor] = inner
        return inner

    def _enter_constant(self, tensor: Tensor) -> Tensor:
        """Makes the Enter of a tensor that is the same in every iteration."""
        source = tensor if self.outer_context is None else self.outer_context.add_value(tensor)
        with control_dependencies(None):
            entered = enter(source, self.name, True, self.parallel_iterations)
        self._adopt_enter(entered)
        self.constants.append(entered)
        return entered

    def _adopt_enter(self, entered: Tensor) -> None:
        """Puts an Enter, which was made outside of any context, where it belongs.

        It keeps the control inputs of the blocks around that are in a context it can see: in one
        around this loop, and in the same outer loop.
        """
        operation = entered.op
        self.graph.prevent_feeding(entered)
        operation._set_control_flow_context(self)
        sources = self.graph._scopes.control_inputs_for([operation.inputs[0].op])
        operation._add_control_inputs([source for source in sources if self._can_wait_for(source)])
        self.graph._scopes.note_made(operation)
        self.values.add(entered)

    def _can_wait_for(self, source: Operation) -> bool:
        wanted = output_context(source)
        context = self.outer_context
        outer_loop = None if context is None else context.while_context
        while context is not wanted:
            if context is None or context is outer_loop:
                return False
            context = context.outer_context
        return True

    # --- rows of nodes ----------------------------------------------------------------------------

    def enter_variables(
        self, initial_values: Sequence[Tensor], shapes: Sequence[TensorShape]
    ) -> list[LoopVariable]:
        """Makes the Enters and Merges of loop variables of the given static shapes."""
        outer = self.outer_context
        sources = [
            tensor if outer is None else outer.add_value(tensor) for tensor in initial_values
        ]
        with control_dependencies(None):
            entered = [
                enter(source, self.name, False, self.parallel_iterations) for source in sources
            ]
        for tensor, shape in zip(entered, shapes):
            tensor.set_shape(shape)
        self._wait_for_outer_pivot(entered)
        for tensor in entered:
            self._adopt_enter(tensor)
        with self.entered():
            variables = [LoopVariable(tensor, merge([tensor, tensor])) for tensor in entered]
        self.variables.extend(variables)
        if self.pivot_for_pred is None:
            self.pivot_for_pred = variables[0].merge
        return variables

    def _wait_for_outer_pivot(self, entered: Sequence[Tensor]) -> None:
        """An inner loop starts over in each iteration of the outer one, and not before it."""
        outer = self.outer_context
        if outer is None:
            return
        for tensor in entered:
            if is_constant_enter(tensor.op.inputs[0].op):
                tensor.op._add_control_input(outer.control_pivot)

    def set_condition(self, condition: Any) -> None:
        """Makes the LoopCond. (Called inside the context.)"""
        self.pivot = LoopCond(condition, name="LoopCond")

    def switch_variables(self, variables: Sequence[LoopVariable]) -> None:
        """Makes the Switches of loop variables. (Called inside the context.)"""
        assert self.pivot is not None
        for variable in variables:
            variable.switch = switch(variable.merge, self.pivot)

    def close_variables(self, variables: Sequence[LoopVariable], values: Sequence[Tensor]) -> None:
        """Makes the NextIterations of loop variables, given their next values. (Inside.)"""
        for variable, value in zip(variables, values):
            following = next_iteration(value)
            _check_shape_invariant(variable, following)
            variable.merge.op._update_input(1, following)
            variable.next_value = value

    def exit_variables(self, variables: Sequence[LoopVariable]) -> list[Tensor]:
        """Makes the Exits of loop variables. (Inside.)"""
        exits = []
        for variable in variables:
            assert variable.switch is not None
            variable.exit = leave(variable.switch[0])
            exits.append(variable.exit)
        self.exit_result(exits)
        return exits


def is_constant_enter(operation: Operation) -> bool:
    """Whether a node brings into a loop what is the same in every iteration."""
    return operation.definition.control_flow == "enter" and operation.attrs["is_constant"]


def body_values(variables: Sequence[LoopVariable]) -> list[Tensor]:
    """Makes the Identities through which a body gets its loop variables. (Inside the context.)"""
    return [Identity(variable.parameter) for variable in variables]


def _check_shape_invariant(variable: LoopVariable, following: Tensor) -> None:
    """Raises if a loop variable has another static shape after an iteration than before.

    Raises:
      ValueError: it has, and no shape invariant allows it.
    """
    allowed, found = variable.merge.shape, following.shape
    if found.is_subtype_of(allowed):
        return
    raise ValueError(
        f"Input tensor '{variable.initial.name}' enters the loop with shape {allowed}, but has "
        f"shape {found} after one iteration. To allow the shape to vary across iterations, use the "
        "`shape_invariants` argument of tf.while_loop to specify a less-specific shape."
    )
