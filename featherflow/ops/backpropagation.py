"""Backpropagation: one walk from ys back to xs, which builds the gradient of every node between.

A node is differentiated when the gradients of all its uses between xs and ys have come; `pending`
counts those that have not. Gradients of one tensor add up in `_received` until then. A loop counts
as one node; its body is walked through in turn, inside the loop of its gradient.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from featherflow.framework import dtypes
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

# These hang gradients on ops of other modules.
from featherflow.ops import control_flow_grad, functional_grad  # noqa: F401
from featherflow.ops.control_flow_context import ControlFlowContext, is_within
from featherflow.ops.gradient_aggregation import AggregationMethod, Gradient, sum_gradients
from featherflow.ops.gradient_registry import gradient_function
from featherflow.ops.gradient_values import is_differentiable, zeros_of
from featherflow.ops.grouping_ops import tuple_v1
from featherflow.ops.while_context import WhileContext
from featherflow.ops.while_gradient import ForwardLoop, loop_gradients


@dataclass(frozen=True, slots=True)
class GradientOptions:
    """How gradient nodes are made.

    Attributes:
      colocate: places them with the nodes that they differentiate.
      gate: no gradient of a node is used before all of that node's are there.
      aggregation: one of AggregationMethod.
    """

    colocate: bool = False
    gate: bool = False
    aggregation: int = AggregationMethod.DEFAULT


#: What is differentiated in one go: a node, or a loop.
Unit = Operation | ForwardLoop


class Backpropagation:
    """One walk from `ys` back to `xs`.

    Args:
      graph: where all of them are.
      xs: the tensors that gradients are asked for.
      stops: operations to treat as constants.
      recorded: the operations that a tape has seen; all others are constants. None means all.
      loop: the loop whose body is walked through; None where the walk is not confined to one.
    """

    def __init__(
        self,
        graph: Graph,
        xs: Sequence[Tensor],
        stops: Iterable[Operation] = (),
        options: GradientOptions = GradientOptions(),
        loop: WhileContext | None = None,
        recorded: Container[Unit] | None = None,
    ) -> None:
        self._recorded = recorded
        self._graph = graph
        self._xs = xs
        self._stops: set[Unit] = set(stops)
        self._options = options
        self._loop = loop
        self._place: ControlFlowContext | None = loop or graph._control_flow_context
        self._loops: dict[WhileContext, ForwardLoop] = {}
        self._reached: set[Operation] = set()
        self._pending: dict[Unit, int] = {}
        self._received: dict[Tensor, list[Gradient]] = {}
        self._total: dict[Tensor, Gradient | None] = {}

    def run(self, ys: Sequence[Tensor], grad_ys: Sequence[Gradient]) -> list[Gradient | None]:
        """The gradient with respect to each of `xs`; None for those that no y depends on."""
        for y, gradient in zip(ys, grad_ys):
            self._receive(y, gradient)
        self._count_pending(ys)
        sources = dict.fromkeys(self._source(y) for y in ys)
        ready = deque(unit for unit in sources if self._pending.get(unit) == 0)
        while ready:
            unit = ready.popleft()
            self._differentiate(unit)
            for tensor in unit.inputs:
                source = self._source(tensor)
                if source in self._pending:
                    self._pending[source] -= 1
                    if self._pending[source] == 0:
                        ready.append(source)
        return [self._total_of(x) for x in self._xs]

    # --- what lies between xs and ys --------------------------------------------------------------

    def _source(self, tensor: Tensor) -> Unit:
        """The node that makes a tensor, or the loop that it is a result of."""
        operation = tensor.op
        if operation._control_flow_context is None:
            return operation
        loop = self._loop_around(operation)
        if loop is None:
            return operation
        if loop not in self._loops:
            self._loops[loop] = ForwardLoop(loop)
        return self._loops[loop]

    def _loop_around(self, operation: Operation) -> WhileContext | None:
        """The outermost loop that a node is in and this walk is not."""
        loop: WhileContext | None = None
        context = operation._control_flow_context
        while context is not None and not is_within(self._place, context):
            if context.while_context is context:
                loop = context
            context = context.outer_context
        return loop

    def _count_pending(self, ys: Sequence[Tensor]) -> None:
        """Counts the uses of each node between xs and ys, and adds the xs' own nodes to `stops`."""
        for tensor in (*ys, *self._xs):
            self._check_outside_loops(tensor)
        self._find_reached()
        between = self._between(ys)
        self._pending = dict.fromkeys(between, 0)
        for unit in between:
            for tensor in unit.inputs:
                source = self._source(tensor)
                if source in self._pending:
                    self._pending[source] += 1
        for x in self._xs:
            # An x that another x leads to is passed on, the others are where the walk ends.
            source = self._source(x)
            if not any(self._source(tensor) in self._pending for tensor in source.inputs):
                self._stops.add(source)

    def _check_outside_loops(self, tensor: Tensor) -> None:
        source = self._source(tensor)
        if isinstance(source, ForwardLoop) and all(tensor is not item for item in source.outputs):
            raise ValueError(
                f"'{tensor.name}' is inside the loop '{source.name}', where it has a value in each "
                "iteration: outside of the loop there is no gradient of it, nor with respect to "
                "it. Make it a loop variable and take the result of the loop."
            )

    def _between(self, ys: Sequence[Tensor]) -> list[Unit]:
        """The nodes on a path from an x to a y, in the order in which the walk back meets them."""
        queue = deque(self._source(y) for y in ys)
        between: dict[Unit, None] = {}
        while queue:
            unit = queue.popleft()
            if unit in between or not self._is_reached(unit):
                continue
            between[unit] = None
            if unit not in self._stops:
                queue.extend(self._source(tensor) for tensor in unit.inputs)
        return list(between)

    def _is_reached(self, unit: Unit) -> bool:
        if isinstance(unit, ForwardLoop):
            return any(tensor.op in self._reached for tensor in unit.outputs)
        return unit in self._reached

    def _find_reached(self) -> None:
        """Finds the nodes that depend on an x; those inside of loops one by one."""
        queue = deque(x.op for x in self._xs)
        while queue:
            operation = queue.popleft()
            if operation in self._reached or not self._is_in_reach(operation):
                continue
            self._reached.add(operation)
            for tensor in operation.outputs:
                if is_differentiable(tensor.dtype):
                    queue.extend(tensor.consumers())

    def _is_in_reach(self, operation: Operation) -> bool:
        if self._recorded is not None and operation not in self._recorded:
            return False
        return self._loop is None or is_within(operation._control_flow_context, self._loop)

    # --- one node ---------------------------------------------------------------------------------

    def _differentiate(self, unit: Unit) -> None:
        gradients = [self._total_of(tensor) for tensor in unit.outputs]
        if unit in self._stops or all(item is None for item in gradients):
            return
        with self._placed_with(unit), self._graph.name_scope(f"{unit.name}_grad"):
            if isinstance(unit, ForwardLoop):
                results = loop_gradients(unit, gradients, self._reached, self._in_body)
            else:
                results = self._of_operation(unit, gradients)
        for index, (tensor, result) in enumerate(zip(unit.inputs, results)):
            if result is not None:
                _check_shape(unit, index, tensor, result)
                self._receive(tensor, result)

    def _of_operation(
        self, operation: Operation, gradients: list[Gradient | None]
    ) -> list[Gradient | None]:
        function = gradient_function(operation)
        if function is None:
            return []
        filled = [
            zeros_of(tensor) if item is None and is_differentiable(tensor.dtype) else item
            for tensor, item in zip(operation.outputs, gradients)
        ]
        results = _as_list(operation, function(operation, *filled))
        if self._options.gate and sum(item is not None for item in results) > 1:
            results = self._gated(results)
        return results

    def _in_body(
        self,
        xs: Sequence[Tensor],
        stops: Iterable[Operation],
        loop: WhileContext,
        ys: Sequence[Tensor],
        grad_ys: Sequence[Gradient],
    ) -> list[Gradient | None]:
        """Backpropagation within the body of a loop."""
        walk = Backpropagation(self._graph, xs, stops, self._options, loop, self._recorded)
        return walk.run(ys, grad_ys)

    def _gated(self, results: list[Gradient | None]) -> list[Gradient | None]:
        with self._graph.device(None), self._graph.colocate_with(None, ignore_existing=True):
            return tuple_v1(results)

    def _placed_with(self, unit: Unit) -> AbstractContextManager[None]:
        if not self._options.colocate or isinstance(unit, ForwardLoop):
            return nullcontext()
        return self._graph.colocate_with(unit)

    def _receive(self, tensor: Tensor, gradient: Gradient) -> None:
        self._received.setdefault(tensor, []).append(gradient)

    def _total_of(self, tensor: Tensor) -> Gradient | None:
        if tensor not in self._total:
            terms = self._received.get(tensor)
            self._total[tensor] = (
                sum_gradients(terms, tensor.op.name, self._options.aggregation) if terms else None
            )
        return self._total[tensor]


def _as_list(operation: Operation, results: Any) -> list[Gradient | None]:
    """What a gradient function returned, one item per input.

    Raises:
      ValueError: there are more or fewer.
    """
    listed = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(listed) != len(operation.inputs):
        raise ValueError(
            f"Num gradients {len(listed)} generated for op {operation.name} ({operation.type}) do "
            f"not match num inputs {len(operation.inputs)}."
        )
    return listed


def _check_shape(unit: Unit, index: int, tensor: Tensor, result: Gradient) -> None:
    """A gradient has its tensor's shape; the gradient of a handle has that of what is behind it."""
    if not isinstance(result, Tensor) or tensor.dtype.base_dtype is dtypes.resource:
        return
    try:
        result.set_shape(tensor.shape)
    except ValueError:
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward "
            f"operation: {unit.name}. Input index: {index}. Original input shape: "
            f"{tensor.shape}. Calculated input gradient shape: {result.shape}"
        ) from None
