"""Gradients of ops that run functions: what the functions compute is made anew, as plain nodes.

A call becomes the nodes of the function's body, If and Case become tf.cond, While tf.while_loop.
The gradient of those is taken. So the values inside, which the op keeps to itself, are computed
once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.tensor_shape import UNKNOWN
from featherflow.graph.function_inlining import inline
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.functional_ops import (
    Case,
    If,
    PartitionedCall,
    StatefulPartitionedCall,
    StatelessCase,
    StatelessIf,
    StatelessWhile,
    While,
)
from featherflow.ops.gradient_registry import differentiate
from featherflow.ops.identity_ops import identity
from featherflow.ops.while_loop import while_loop

#: Ops with state whose values are the same when they are computed again in the same step.
_REPEATABLE = ("ReadVariableOp", "ResourceGather", "VarHandleOp", "VariableShape", "Assert")


def _gradient_by(recompute: Callable[[Operation, list[Tensor]], Sequence[Tensor]]) -> Any:
    """The gradient function of an op whose outputs `recompute(op, inputs)` makes of plain nodes."""

    def gradient(op: Operation, *grads: Any) -> list[Any]:
        inputs = [identity(tensor) for tensor in op.inputs]
        outputs = recompute(op, inputs)
        pairs = [(output, grad) for output, grad in zip(outputs, grads) if grad is not None]
        return differentiate([pair[0] for pair in pairs], inputs, [pair[1] for pair in pairs])

    return gradient


def _run(op: Operation, function: NameAttrList, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The results of a function, as nodes in the place of a call."""
    library = op.graph._functions
    if function.name not in library:
        raise LookupError(
            f"No gradient can be taken through '{op.name}' ({op.type}): its function "
            f"'{function.name}' is not in the library of the graph."
        )
    body = library[function.name].instantiate(function.attrs)
    _check_repeatable(op, function.name, body)
    return inline(body, inputs)


def _check_repeatable(op: Operation, name: str, body: Any) -> None:
    arguments = {tensor.op for tensor in body.inputs}
    for operation in body.graph.get_operations():
        definition = operation.definition
        is_call = definition.calls_functions  # looked into in its turn
        if definition.stateful and operation not in arguments and not is_call:
            if operation.type in _REPEATABLE:
                continue
            raise LookupError(
                f"No gradient can be taken through '{op.name}' ({op.type}): it would run function "
                f"'{name}' once more, and '{operation.name}' ({operation.type}) in that has state, "
                "so that its value or effect would be another one."
            )


def _recompute_call(op: Operation, inputs: list[Tensor]) -> list[Tensor]:
    return _run(op, op.attrs["f"], inputs)


def _recompute_if(op: Operation, inputs: list[Tensor]) -> list[Tensor]:
    pred, *arguments = inputs
    return cond(
        _as_bool(pred),
        lambda: _run(op, op.attrs["then_branch"], arguments),
        lambda: _run(op, op.attrs["else_branch"], arguments),
        strict=True,
    )


def _as_bool(pred: Tensor) -> Tensor:
    if pred.dtype.is_bool:
        return pred
    raise LookupError(
        f"No gradient can be taken through a conditional whose predicate is {pred.dtype.name}; "
        "make it a bool."
    )


def _recompute_case(op: Operation, inputs: list[Tensor]) -> list[Tensor]:
    index, *arguments = inputs
    *first, last = op.attrs["branches"]

    def chosen(place: int) -> list[Tensor]:
        if place == len(first):
            return _run(op, last, arguments)
        return cond(
            equal(index, place),
            lambda: _run(op, first[place], arguments),
            lambda: chosen(place + 1),
            strict=True,
        )

    return chosen(0)


def _recompute_while(op: Operation, inputs: list[Tensor]) -> list[Tensor]:
    return while_loop(
        lambda *values: _run(op, op.attrs["cond"], values)[0],
        lambda *values: _run(op, op.attrs["body"], values),
        inputs,
        shape_invariants=list(op.attrs["output_shapes"]) or [UNKNOWN] * len(inputs),
        parallel_iterations=op.attrs["parallel_iterations"],
        return_same_structure=True,
    )


for _op, _recompute in (
    (PartitionedCall, _recompute_call),
    (StatefulPartitionedCall, _recompute_call),
    (If, _recompute_if),
    (StatelessIf, _recompute_if),
    (Case, _recompute_case),
    (StatelessCase, _recompute_case),
    (While, _recompute_while),
    (StatelessWhile, _recompute_while),
):
    _op.gradient(_gradient_by(_recompute))
