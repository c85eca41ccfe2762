"""The gradient of a loop: a loop that goes through the iterations backwards.

With y = f(…f(f(x, c), c)…, c), x the loop variables and c what the loop takes from outside,

    dx = dy;  dc = 0
    for i = n … 1:   dx, d = ∂f(x_i, c)ᵀ dx;   dc = dc + d

The values x_i, and those computed from them, come from the histories that the forward loop keeps of
the tensors that are needed. Both loops are made of ordinary nodes with gradients of their own, so
gradients of gradients exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.add_n_ops import add_n
from featherflow.ops.arithmetic_ops import Sub
from featherflow.ops.branch_conditions import conditions_of, in_order
from featherflow.ops.comparison_ops import greater
from featherflow.ops.constant_ops import constant
from featherflow.ops.control_flow_context import output_context
from featherflow.ops.control_flow_primitives import Switch
from featherflow.ops.core_array_ops import ConcatV2
from featherflow.ops.fill_ops import zeros
from featherflow.ops.gradient_aggregation import Gradient, as_dense
from featherflow.ops.gradient_values import is_differentiable, zeros_of
from featherflow.ops.identity_ops import Identity
from featherflow.ops.loop_history import history_of, iteration_count
from featherflow.ops.shape_ops import Rank, Shape, Size
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_list_ops import TensorListPopBack, value_of_shape
from featherflow.ops.while_context import LoopVariable, WhileContext, is_constant_enter


class ForwardLoop:
    """A loop as one node of backpropagation.

    Attributes:
      context: the loop.
      variables: its loop variables when backpropagation began.
      constants: the Enters of what it takes from outside.
      inputs: the tensors outside that go into these.
      outputs: the results.
    """

    def __init__(self, context: WhileContext) -> None:
        self.context = context
        self.variables = list(context.variables)
        self.constants = list(context.constants)
        self.inputs = tuple(
            [variable.initial for variable in self.variables]
            + [entered.op.inputs[0] for entered in self.constants]
        )
        self.outputs = [variable.exit for variable in self.variables if variable.exit is not None]

    @property
    def name(self) -> str:
        """The name of the scope that the loop was built in."""
        return self.context.name.rpartition("/")[0] or self.context.name

    @property
    def switches(self) -> dict[Operation, LoopVariable]:
        """The loop variables by the Switches that their iterations start at."""
        return {variable.parameter.op: variable for variable in self.variables}


#: `(xs, stops, loop, ys, gradients of ys) → gradients of xs`, within the body of a loop.
Differentiate = Callable[..., list[Gradient | None]]


class BackwardLoop:
    """The loop of a gradient while it is built, and its way to the values of the forward loop."""

    def __init__(self, forward: ForwardLoop) -> None:
        self.forward = forward
        loop = forward.context
        count = iteration_count(loop)
        self.context = WhileContext(
            loop.graph,
            parallel_iterations=loop.parallel_iterations,
            back_prop=loop.back_prop,
            swap_memory=loop.swap_memory,
        )
        self.context.forward_values = self
        variables = self.context.enter_variables([count], [SCALAR])
        with self.context.entered():
            self.context.set_condition(greater(variables[0].merge, 0))
            self.context.switch_variables(variables)
            left = Identity(variables[0].parameter)
            self.context.pivot_for_body = left
            self.context.close_variables(variables, [Sub(left, 1)])

    def start_variables(
        self, initial: Sequence[Tensor], shapes: Sequence[TensorShape]
    ) -> list[LoopVariable]:
        """Makes loop variables up to the values that an iteration starts with."""
        variables = self.context.enter_variables(initial, shapes)
        with self.context.entered():
            self.context.switch_variables(variables)
        return variables

    def end_variables(
        self, variables: Sequence[LoopVariable], values: Sequence[Tensor]
    ) -> list[Tensor]:
        """Gives loop variables their next values; returns those after the loop."""
        with self.context.entered():
            self.context.close_variables(variables, values)
            return self.context.exit_variables(variables)

    # --- values of the forward loop ---------------------------------------------------------------

    def may_read(self, loop: WhileContext) -> bool:
        return loop is self.forward.context

    def take_over(self, operation: Operation) -> bool:
        """Shapes of forward values are taken in the forward loop: the values need not be kept."""
        if operation.definition not in (Shape, Size, Rank) or operation.control_inputs:
            return False
        source = operation.inputs[0].op
        context = output_context(source)
        is_forward = context is not None and context.while_context is self.forward.context
        if context is None or not is_forward or is_constant_enter(source):
            return False
        operation._set_control_flow_context(context)
        context.add_op(operation)
        return True

    def find(self, tensor: Tensor) -> Tensor | None:
        context = output_context(tensor.op)
        if context is None or context.while_context is not self.forward.context:
            return None
        if is_constant_enter(tensor.op):
            return self.context.add_value(tensor.op.inputs[0])
        with control_dependencies(None), self.context.entered():
            known = constant_value(tensor)
            if known is not None:
                return constant(known, tensor.dtype.base_dtype)
            if tensor.op.definition is Identity and not tensor.op.control_inputs:
                return self.context.add_value(tensor.op.inputs[0])
            return self._popped(tensor)

    def _popped(self, tensor: Tensor) -> Tensor:
        """The value of a forward tensor in the iteration under way, from its history."""
        dtype = tensor.dtype.base_dtype
        variables = self.start_variables([history_of(self.forward.context, tensor)], [SCALAR])
        conditions = in_order(conditions_of(tensor))
        shape = value_of_shape(TensorShape(None) if conditions else tensor.shape)
        rest, value = TensorListPopBack(variables[0].parameter, shape, element_dtype=dtype)
        self.context.close_variables(variables, [rest])
        for pred, branch in conditions:  # dead again where the forward value was
            value = Switch(value, pred)[branch]
        value.set_shape(tensor.shape)
        value._handle_data = tensor._handle_data
        return value


@dataclass(frozen=True)
class _Sought:
    """What the gradient of a loop is built for.

    Attributes:
      variables: the loop variables that matter, each by its place among all.
      constants: the Enters of what comes from outside that matter, each by its place.
    """

    variables: dict[LoopVariable, int]
    constants: dict[Tensor, int]


def loop_gradients(
    forward: ForwardLoop,
    gradients: Sequence[Gradient | None],
    reached: set[Operation],
    differentiate: Differentiate,
) -> list[Gradient | None]:
    """The gradient with respect to each of a loop's inputs.

    Args:
      forward: the loop.
      gradients: with respect to its results.
      reached: the nodes that depend on what gradients are asked for.
      differentiate: backpropagation within the body.
    """
    by_exit = dict(zip(forward.outputs, gradients))
    sought = _sought(forward, by_exit, reached)
    results: list[Gradient | None] = [None] * len(forward.inputs)
    if not (forward.context.back_prop and (sought.variables or sought.constants)):
        return results
    backward = BackwardLoop(forward)
    wanted = list(sought.variables)
    started = backward.start_variables(
        [_initial_gradient(forward.context, variable, by_exit) for variable in wanted],
        [variable.merge.shape for variable in wanted],
    )
    with backward.context.entered():
        parameters = [Identity(variable.parameter) for variable in started]
        found = differentiate(
            [variable.parameter for variable in wanted] + list(sought.constants),
            [*forward.switches, *(entered.op for entered in forward.constants)],
            forward.context,
            [variable.next_value for variable in wanted],
            parameters,
        )
        following = [
            zeros_of(parameter) if gradient is None else as_dense(gradient)
            for parameter, gradient in zip(parameters, found)
        ]
    ended = backward.end_variables(started, following)
    for position, gradient in zip(sought.variables.values(), ended):
        results[position] = gradient
    for (entered, position), gradient in zip(sought.constants.items(), found[len(wanted) :]):
        if gradient is not None:
            results[position] = _accumulated(backward, entered.op.inputs[0], gradient)
    return results


def _sought(
    forward: ForwardLoop, gradients: dict[Tensor, Gradient | None], reached: set[Operation]
) -> _Sought:
    """What results with a gradient depend on, in one iteration or over several."""
    places = {variable: place for place, variable in enumerate(forward.variables)}
    first = len(places)
    enters = {entered.op: place for place, entered in enumerate(forward.constants, first)}
    variables: dict[LoopVariable, int] = {}
    constants: dict[Tensor, int] = {}
    switches = forward.switches
    stack = [
        variable.parameter.op
        for variable in forward.variables
        if variable.exit is not None and gradients.get(variable.exit) is not None
    ]
    seen: set[Operation] = set()
    while stack:
        operation = stack.pop()
        if operation in seen or operation not in reached:
            continue
        seen.add(operation)
        if operation in switches:
            variable = switches[operation]
            variables[variable] = places[variable]
            assert variable.next_value is not None
            stack.append(variable.next_value.op)
        elif operation in enters:
            constants[operation.outputs[0]] = enters[operation]
        else:
            stack.extend(
                tensor.op for tensor in operation.inputs if is_differentiable(tensor.dtype)
            )
    return _Sought(variables, constants)


def _initial_gradient(
    loop: WhileContext, variable: LoopVariable, gradients: dict[Tensor, Gradient | None]
) -> Tensor:
    """The gradient of a loop's result; zeros if nothing uses it."""
    if variable.exit is None:  # the loop of a gradient keeps to itself what is left of a history
        with control_dependencies(None), loop.entered():
            loop.exit_variables([variable])
    result = variable.exit
    assert result is not None
    gradient = gradients.get(result)
    return zeros_of(result) if gradient is None else as_dense(gradient)


def _accumulated(backward: BackwardLoop, source: Tensor, gradient: Gradient) -> Gradient:
    """The sum over all iterations of a gradient with respect to what comes from outside."""
    if isinstance(gradient, IndexedSlices):
        return _collected(backward, source, gradient)
    variables = backward.start_variables([zeros_of(source)], [gradient.shape])
    with backward.context.entered():
        total = add_n([variables[0].parameter, gradient])
    return backward.end_variables(variables, [total])[0]


def _collected(backward: BackwardLoop, source: Tensor, rows: IndexedSlices) -> IndexedSlices:
    """The rows of all iterations, one after the other."""
    initial = [_no_rows(source, rows.values), zeros([0], rows.indices.dtype)]
    shapes = [TensorShape([None]).concatenate(rows.values.shape[1:]), TensorShape([None])]
    variables = backward.start_variables(initial, shapes)
    with backward.context.entered():
        joined = [
            ConcatV2([variable.parameter, new], 0)
            for variable, new in zip(variables, (rows.values, rows.indices))
        ]
    values, indices = backward.end_variables(variables, joined)
    return IndexedSlices(values, indices, shape_of(source))


def _no_rows(source: Tensor, values: Tensor) -> Tensor:
    """A tensor of no rows of `source`."""
    static = values.shape[1:]
    if static.is_fully_defined():
        return zeros(TensorShape([0]).concatenate(static), values.dtype)
    shape: Any = shape_of(source)
    return zeros(ConcatV2([[0], shape[1:]], 0), values.dtype)
