"""Gradients of Switch, Merge and Enter: conditionals backwards are conditionals.

A Merge took its value from one branch: its gradient goes back there, through a Switch. A Switch
sent its value into one branch: its gradient comes from there, through a Merge. Loops are
differentiated as a whole (`while_gradient.py`): nobody asks for gradients of the nodes that make
them up, unless gradients are taken inside a loop.
"""

from __future__ import annotations

from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.branch_conditions import conditions_of, root_of
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond_context import CondContext
from featherflow.ops.control_flow_context import output_context
from featherflow.ops.control_flow_nodes import join, joined_pred
from featherflow.ops.control_flow_primitives import (
    Enter,
    Exit,
    LoopCond,
    Merge,
    NextIteration,
    RefEnter,
    RefExit,
    RefMerge,
    RefNextIteration,
    RefSwitch,
    Switch,
)
from featherflow.ops.gradient_aggregation import Gradient, as_dense
from featherflow.ops.while_context import is_constant_enter


@Merge.gradient
@RefMerge.gradient
def _merge_grad(op: Operation, grad: Gradient, _: None) -> list[Tensor]:
    kinds = [tensor.op.definition.control_flow for tensor in op.inputs]
    if "enter" in kinds or "next_iteration" in kinds:
        raise _loop_variable_error(op)
    grad = as_dense(grad)
    pred = joined_pred(op)
    if pred is None:
        pred = _pred_of_branches(op)
    if pred is not None:
        return list(Switch(grad, pred))
    taken = op.outputs[1]
    return [Switch(grad, equal(taken, index))[1] for index in range(len(op.inputs))]


def _pred_of_branches(operation: Operation) -> Tensor | None:
    """The predicate of a tf.cond whose results a Merge joins, if its contexts are known."""
    contexts = [output_context(tensor.op) for tensor in operation.inputs]
    for branch, context in enumerate(contexts):
        if not isinstance(context, CondContext) or context.branch != branch:
            return None
    first, *others = contexts
    assert isinstance(first, CondContext)
    same = all(isinstance(other, CondContext) and other.pred is first.pred for other in others)
    return first.pred if same else None


@Switch.gradient
@RefSwitch.gradient
def _switch_grad(op: Operation, if_false: Gradient, if_true: Gradient) -> tuple[Tensor, None]:
    if op.inputs[1].op.definition is LoopCond:
        raise _loop_variable_error(op)
    branches = [as_dense(if_false), as_dense(if_true)]
    pred = _here(op.inputs[1])
    for index, gradient in enumerate(branches):
        # A gradient that is the same for all values does not die with its branch: the Merge would
        # take it from the branch that did not run.
        if (root_of(pred), index) not in conditions_of(gradient):
            branches[index] = Switch(gradient, pred)[index]
    return join(branches[0], branches[1], pred), None


def _here(tensor: Tensor) -> Tensor:
    """What stands for `tensor` in the context that gradients are being built in."""
    context = tensor.graph._control_flow_context
    return tensor if context is None else context.add_value(tensor)


@Enter.gradient
@RefEnter.gradient
def _enter_grad(op: Operation, grad: Gradient) -> Gradient:
    if is_constant_enter(op):
        return grad  # gradients inside the loop are taken with respect to something outside
    raise _loop_variable_error(op)


@Exit.gradient
@RefExit.gradient
@NextIteration.gradient
@RefNextIteration.gradient
def _frame_grad(op: Operation, grad: Gradient) -> Gradient:
    raise _loop_variable_error(op)


def _loop_variable_error(operation: Operation) -> ValueError:
    return ValueError(
        f"Cannot compute gradient inside while loop through '{operation.name}': gradients inside a "
        "loop can be taken with respect to values of the same iteration, or to what the loop takes "
        "from outside, but not to the initial value of a loop variable, nor through earlier "
        "iterations. Take the gradient outside of the loop."
    )
