"""Backward: the gradient of a traced function, as more nodes of its graph.

The nodes are those of `tf.gradients` between the results and the arguments. What they take from the
forward part is *kept*: a call under a tape fetches it beside the results, and the tape's gradient
feeds it back. So nothing is computed twice, and nothing is kept for calls that no tape hears of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.eager.execute import as_tensor
from featherflow.framework import nest
from featherflow.framework.op import get_op
from featherflow.functions.tracing_graph import TracingGraph
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.cond_context import CondContext
from featherflow.ops.constant_ops import constant
from featherflow.ops.control_flow_context import output_context
from featherflow.ops.control_flow_primitives import Merge, Switch
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.gradient_aggregation import as_dense
from featherflow.ops.gradient_values import is_differentiable
from featherflow.ops.gradients import gradients


class Backward:
    """The gradients of a function's results with respect to its arguments and captured values.

    Attributes:
      captured: the eager tensors and handles that the graph holds and gradients may be asked of.
      seeds: for each differentiable result a placeholder for its gradient.
      kept: tensors of the forward part that the backward part takes.
      feeds, fetches: of the step that computes the gradients.
    """

    def __init__(self, graph: TracingGraph, outputs: Sequence[Tensor]) -> None:
        forward = set(graph.get_operations())
        pairs = [
            (value, inside)
            for value, inside in graph._values_taken_in.values()
            if is_differentiable(value.dtype)
        ]
        self.captured = [value for value, _ in pairs]
        sources = [*graph.inputs, *[inside for _, inside in pairs]]
        self._differentiable = [at for at, y in enumerate(outputs) if is_differentiable(y.dtype)]
        targets = [outputs[at] for at in self._differentiable]
        with graph.as_default(), graph.control_dependencies(None), graph.name_scope("backward"):
            self.seeds = [_seed_for(graph, target) for target in targets]
            found = gradients(targets, sources, self.seeds, name="gradients") if targets else []
        self._gradients = found or [None] * len(sources)
        flat = [
            leaf
            for leaf in nest.flatten(self._gradients, expand_composites=True)
            if isinstance(leaf, Tensor)
        ]
        self.fetches = list(dict.fromkeys(flat))
        made = [node for node in graph.get_operations() if node not in forward]
        inside = _backward_part(forward, made)
        for node in inside:  # the forward step is over when the backward one runs
            node.control_inputs = [item for item in node.control_inputs if item in inside]
        with graph.as_default(), graph.control_dependencies(None), graph.name_scope("backward"):
            alive = {
                tensor: _always_alive(tensor) for tensor in _taken_from(inside, made, self.fetches)
            }
        for node in inside:
            for place, tensor in enumerate(node.inputs):
                if alive.get(tensor, tensor) is not tensor:
                    node._update_input(place, alive[tensor])
        self.kept = list(alive.values())
        self.feeds = [*self.seeds, *self.kept]

    def function_for(
        self, function: Any, kept: list[Any], inputs: Sequence[Any]
    ) -> Callable[..., list[Any]]:
        """The gradient function of one call, for which `kept` has the values."""

        def backward(operation: Any, *grads: Any) -> list[Any]:
            wanted = [
                zeros_like(operation.outputs[at]) if grads[at] is None else _dense(grads[at])
                for at in self._differentiable
            ]
            values = function.backward_values(self, kept, inputs, wanted)
            by_tensor = {
                tensor: as_tensor(value, tensor.dtype)
                for tensor, value in zip(self.fetches, values)
            }
            return [_filled(item, by_tensor) for item in self._gradients]

        return backward


def _seed_for(graph: TracingGraph, target: Tensor) -> Tensor:
    attrs = {"dtype": target.dtype.base_dtype, "shape": target.shape}
    node = graph.add_node(get_op("Placeholder"), [], attrs, graph.unique_name("seed"))
    return node.outputs[0]


def _dense(gradient: Any) -> Any:
    return as_dense(gradient)


def _filled(gradient: Any, values: dict[Tensor, Any]) -> Any:
    if gradient is None:
        return None
    if isinstance(gradient, Tensor):
        return values[gradient]
    shape = gradient.dense_shape
    return IndexedSlices(
        values[gradient.values],
        values[gradient.indices],
        None if shape is None else values[shape],
    )


def _backward_part(forward: set[Operation], made: Sequence[Operation]) -> set[Operation]:
    """Which of the nodes that `gradients` has made belong to the backward step.

    All but those that forward loops need to remember their values: what is inside of these loops
    (counters, pushes), what that is made from, and what comes out of it.
    """
    loops = {_loop_of(node) for node in forward} - {None}
    remembering: set[Operation] = set()
    pending = [node for node in made if _loop_of(node) in loops]
    while pending:
        node = pending.pop()
        if node in remembering or node in forward:
            continue
        remembering.add(node)
        pending.extend(tensor.op for tensor in node.inputs)
        pending.extend(
            user
            for tensor in node.outputs
            for user in tensor.consumers()
            if user.definition.control_flow == "exit"
        )
    return set(made) - remembering


def _loop_of(operation: Operation) -> Any:
    context = operation._control_flow_context
    return None if context is None else context.while_context


def _taken_from(
    inside: set[Operation], operations: Sequence[Operation], fetches: Sequence[Tensor]
) -> list[Tensor]:
    """The tensors that the backward step takes from the forward one, constants aside."""
    used = [tensor for node in operations if node in inside for tensor in node.inputs]
    return list(
        dict.fromkeys(
            tensor
            for tensor in [*used, *fetches]
            if tensor.op not in inside and not _is_known(tensor)
        )
    )


def _always_alive(tensor: Tensor) -> Tensor:
    """A tensor that has a value in any case: that of `tensor` where its branch was taken, else 0.

    What takes it is dead in that case, since the gradient beside it is.
    """
    context = output_context(tensor.op)
    while isinstance(context, CondContext):
        blank = constant(_BLANKS.get(tensor.dtype.name, 0), dtype=tensor.dtype.base_dtype)
        other = Switch(blank, context.pred)[1 - context.branch]
        tensor = Merge([tensor, other])[0]
        context = context.outer_context
    return tensor


#: Constants of the dtypes that have no zero.
_BLANKS: dict[str, Any] = {"string": "", "bool": False}


def _is_known(tensor: Tensor) -> bool:
    operation = tensor.op
    is_constant = operation.definition.static_value_fn is not None and not operation.inputs
    return is_constant and not operation.control_inputs  # inside of a branch it waits for that
