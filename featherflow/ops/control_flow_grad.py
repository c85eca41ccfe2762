"""Gradients of Switch, Merge and Enter: conditionals backwards are conditionals.

A Merge took its value from one branch: its gradient goes back there, through a Switch. A Switch
sent its value into one branch: its gradient comes from there, through a Merge. Loops are
differentiated as a whole (`while_gradient.py`): nobody asks for gradients of the nodes that make
them up, unless gradients are taken inside a loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.cond_context import CondContext
from featherflow.ops.control_flow_context import ControlFlowContext, output_context
from featherflow.ops.control_flow_nodes import merge
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

#: Gradients are looked through so far for the Switch that kills them with their branch.
_MAX_NODES_LOOKED_AT = 64


@Merge.gradient
@RefMerge.gradient
def _merge_grad(op: Operation, grad: Gradient, _: None) -> list[Tensor]:
    grad = as_dense(grad)
    result = []
    for tensor in op.inputs:
        branch = _branch_of(op, tensor)
        result.append(Switch(grad, branch.pred)[branch.branch])
    return result


def _branch_of(operation: Operation, tensor: Tensor) -> CondContext:
    """The branch that an input of a Merge comes from."""
    context = output_context(tensor.op)
    if isinstance(context, CondContext):
        return context
    if tensor.op.definition.control_flow in ("enter", "next_iteration"):
        raise _loop_variable_error(operation)
    raise LookupError(
        f"No gradient can be taken through '{operation.name}': that its input '{tensor.name}' "
        "comes from a branch of a tf.cond is not recorded in this graph. Import the graph with its "
        "MetaGraph, or build it with tf.cond."
    )


@Switch.gradient
@RefSwitch.gradient
def _switch_grad(op: Operation, if_false: Gradient, if_true: Gradient) -> tuple[Tensor, None]:
    if op.inputs[1].op.definition is LoopCond:
        raise _loop_variable_error(op)
    branches = [as_dense(if_false), as_dense(if_true)]
    pred = _here(op.inputs[1])
    for index, gradient in enumerate(branches):
        if not _dies_with_branch(gradient, (pred, op.inputs[1])):
            branches[index] = Switch(gradient, op.inputs[1])[index]
    return merge(branches), None


def _here(tensor: Tensor) -> Tensor:
    """What stands for `tensor` in the context that gradients are being built in."""
    context = tensor.graph._control_flow_context
    return tensor if context is None else context.add_value(tensor)


def _dies_with_branch(gradient: Tensor, preds: Sequence[Tensor]) -> bool:
    """Whether a gradient is dead when its branch is: not if it is the same for all values.

    The Merge would take such a gradient from the branch that did not run.
    """
    stack, seen = [gradient], {gradient}
    while stack and len(seen) < _MAX_NODES_LOOKED_AT:
        operation = stack.pop().op
        if operation.definition is Switch and operation.inputs[1] in preds:
            return True
        if _is_in_branch(operation._control_flow_context, preds):
            return True
        if operation.definition.control_flow != "merge":
            found = [tensor for tensor in operation.inputs if tensor not in seen]
            stack.extend(found)
            seen.update(found)
    return False


def _is_in_branch(context: ControlFlowContext | None, preds: Sequence[Tensor]) -> bool:
    while context is not None:
        if isinstance(context, CondContext) and context.pred in preds:
            return True
        context = context.outer_context
    return False


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
