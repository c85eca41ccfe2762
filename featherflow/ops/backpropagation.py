"""Backpropagation: one walk from ys back to xs, which builds the gradient of every node between.

A node is differentiated when the gradients of all its uses between xs and ys have come; `pending`
counts those that have not. Gradients of one tensor add up in `_received` until then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.gradient_aggregation import AggregationMethod, Gradient, sum_gradients
from featherflow.ops.gradient_registry import gradient_function
from featherflow.ops.grouping_ops import tuple_v1


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


def is_differentiable(dtype: DType) -> bool:
    """Whether gradients flow through tensors of `dtype`: numbers, and handles of them."""
    base = dtype.base_dtype
    return base.is_floating or base.is_complex or base in (dtypes.resource, dtypes.variant)


class Backpropagation:
    """One walk from `ys` back to `xs`.

    Args:
      graph: where all of them are.
      xs: the tensors that gradients are asked for.
      stops: operations to treat as constants.
    """

    def __init__(
        self,
        graph: Graph,
        xs: Sequence[Tensor],
        stops: Iterable[Operation] = (),
        options: GradientOptions = GradientOptions(),
    ) -> None:
        self._graph = graph
        self._xs = xs
        self._stops = set(stops)
        self._options = options
        self._pending: dict[Operation, int] = {}
        self._received: dict[Tensor, list[Gradient]] = {}
        self._total: dict[Tensor, Gradient | None] = {}

    def run(self, ys: Sequence[Tensor], grad_ys: Sequence[Gradient]) -> list[Gradient | None]:
        """The gradient with respect to each of `xs`; None for those that no y depends on."""
        for y, gradient in zip(ys, grad_ys):
            self._receive(y, gradient)
        self._count_pending(ys)
        ready = deque(
            operation
            for operation in dict.fromkeys(y.op for y in ys)
            if self._pending.get(operation) == 0
        )
        while ready:
            operation = ready.popleft()
            with self._placed_with(operation):
                self._differentiate(operation)
            for tensor in operation.inputs:
                source = tensor.op
                if source in self._pending:
                    self._pending[source] -= 1
                    if self._pending[source] == 0:
                        ready.append(source)
        return [self._total_of(x) for x in self._xs]

    # --- what lies between xs and ys --------------------------------------------------------------

    def _count_pending(self, ys: Sequence[Tensor]) -> None:
        """Counts the uses of each node between xs and ys, and adds the xs' own nodes to `stops`."""
        between = self._between(ys)
        self._pending = dict.fromkeys(between, 0)
        for operation in between:
            for tensor in operation.inputs:
                if tensor.op in self._pending:
                    self._pending[tensor.op] += 1
        for x in self._xs:
            # An x that another x leads to is passed on, the others are where the walk ends.
            if not any(tensor.op in self._pending for tensor in x.op.inputs):
                self._stops.add(x.op)

    def _between(self, ys: Sequence[Tensor]) -> list[Operation]:
        """The nodes on a path from an x to a y, in the order in which the walk back meets them."""
        reached = self._reached_from_xs()
        queue = deque(y.op for y in ys)
        between: dict[Operation, None] = {}
        while queue:
            operation = queue.popleft()
            if operation in reached and operation not in between:
                between[operation] = None
                queue.extend(tensor.op for tensor in operation.inputs)
        return list(between)

    def _reached_from_xs(self) -> set[Operation]:
        queue = deque(x.op for x in self._xs)
        reached: set[Operation] = set()
        while queue:
            operation = queue.popleft()
            if operation in reached:
                continue
            reached.add(operation)
            for tensor in operation.outputs:
                if is_differentiable(tensor.dtype):
                    queue.extend(tensor.consumers())
        return reached

    # --- one node ---------------------------------------------------------------------------------

    def _differentiate(self, operation: Operation) -> None:
        gradients = [self._total_of(tensor) for tensor in operation.outputs]
        if operation in self._stops or all(item is None for item in gradients):
            return
        function = gradient_function(operation)
        if function is None:
            return
        with self._graph.name_scope(f"{operation.name}_grad"):
            filled = [
                zeros_of(tensor) if item is None and is_differentiable(tensor.dtype) else item
                for tensor, item in zip(operation.outputs, gradients)
            ]
            results = _as_list(operation, function(operation, *filled))
            if self._options.gate and sum(item is not None for item in results) > 1:
                results = self._gated(results)
        for index, (tensor, result) in enumerate(zip(operation.inputs, results)):
            if result is not None:
                _check_shape(operation, index, tensor, result)
                self._receive(tensor, result)

    def _gated(self, results: list[Gradient | None]) -> list[Gradient | None]:
        with self._graph.device(None), self._graph.colocate_with(None, ignore_existing=True):
            return tuple_v1(results)

    def _placed_with(self, operation: Operation) -> AbstractContextManager[None]:
        return self._graph.colocate_with(operation) if self._options.colocate else nullcontext()

    def _receive(self, tensor: Tensor, gradient: Gradient) -> None:
        self._received.setdefault(tensor, []).append(gradient)

    def _total_of(self, tensor: Tensor) -> Gradient | None:
        if tensor not in self._total:
            terms = self._received.get(tensor)
            self._total[tensor] = (
                sum_gradients(terms, tensor.op.name, self._options.aggregation) if terms else None
            )
        return self._total[tensor]


def zeros_of(tensor: Tensor) -> Tensor:
    """The gradient of an output that nothing between xs and ys uses."""
    return zeros_like(tensor)


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


def _check_shape(operation: Operation, index: int, tensor: Tensor, result: Gradient) -> None:
    """A gradient has its tensor's shape; the gradient of a handle has that of what is behind it."""
    if not isinstance(result, Tensor) or tensor.dtype.base_dtype is dtypes.resource:
        return
    try:
        result.set_shape(tensor.shape)
    except ValueError:
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward "
            f"operation: {operation.name}. Input index: {index}. Original input shape: "
            f"{tensor.shape}. Calculated input gradient shape: {result.shape}"
        ) from None
