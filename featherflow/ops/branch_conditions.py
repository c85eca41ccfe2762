"""Which branches must be chosen for a tensor to have a value, as Switches and Merges tell.

A condition is a pair (pred, branch): the predicate must be `branch`. It holds for everything that
depends on that output of a Switch, until a Merge joins the branches. Conditions are those within
one loop: what is outside of it is alive if the loop runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.control_flow_primitives import LoopCond
from featherflow.ops.identity_ops import Identity

Condition = tuple[Tensor, int]
Conditions = frozenset[Condition]

_NONE: Conditions = frozenset()


def conditions_of(tensor: Tensor) -> Conditions:
    """The conditions under which `tensor` is alive, all of which must hold."""
    # What has been found stays true, since nodes are only ever added; it goes with the graph.
    known: dict[Operation, Conditions] = tensor.graph._branch_conditions
    stack = [tensor.op]
    while stack:
        operation = stack[-1]
        missing = [source for source in _sources(operation) if source not in known]
        if operation in known or not missing:
            stack.pop()
            if operation not in known:
                known[operation] = _of_operation(operation, known)
        else:
            stack.extend(missing)
    return _of_output(tensor, known)


def in_order(conditions: Conditions) -> list[Condition]:
    """Conditions with the outermost first: a predicate may itself be in a branch of another."""
    return sorted(conditions, key=lambda condition: len(conditions_of(condition[0])))


def root_of(pred: Tensor) -> Tensor:
    """The predicate that `pred` is another name of."""
    while pred.op.definition is Identity and not pred.op.control_inputs:
        pred = pred.op.inputs[0]
    return pred


def _sources(operation: Operation) -> Iterator[Operation]:
    """The nodes whose conditions a node's depend on."""
    kind = operation.definition.control_flow
    if kind == "enter" or _heads_loop(operation):
        return
    if kind == "exit":
        yield from (tensor.op for tensor in _entering(operation))
        return
    for tensor in operation.inputs:
        yield tensor.op
    yield from operation.control_inputs


def _entering(operation: Operation) -> list[Tensor]:
    """The initial values of the loop that an Exit leads out of: dead ones keep it from running."""
    loop = operation._control_flow_context
    return [] if loop is None else [variable.initial for variable in loop.variables]


def _heads_loop(operation: Operation) -> bool:
    """Whether a node starts an iteration: nothing before it matters within the loop."""
    kind = operation.definition.control_flow
    if kind == "switch":
        return operation.inputs[1].op.definition is LoopCond
    return kind == "merge" and any(
        tensor.op.definition.control_flow in ("enter", "next_iteration")
        and not tensor.op.attrs.get("is_constant", False)
        for tensor in operation.inputs
    )


def _of_operation(operation: Operation, known: dict[Operation, Conditions]) -> Conditions:
    kind = operation.definition.control_flow
    if kind == "enter" or _heads_loop(operation):
        return _NONE
    if kind == "exit":
        return _NONE.union(*(_of_output(tensor, known) for tensor in _entering(operation)))
    found = [_of_output(tensor, known) for tensor in operation.inputs]
    if kind == "merge":
        return found[0].intersection(*found[1:])
    return _NONE.union(*found, *(known[source] for source in operation.control_inputs))


def _of_output(tensor: Tensor, known: dict[Operation, Conditions]) -> Conditions:
    operation = tensor.op
    conditions = known[operation]
    if operation.definition.control_flow != "switch" or _heads_loop(operation):
        return conditions
    return conditions | {(root_of(operation.inputs[1]), tensor.value_index)}
