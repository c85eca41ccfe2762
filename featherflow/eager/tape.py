"""Tape: the ops that a GradientTape has seen, and the walk back over them.

What ran eagerly is a list of calls in order; nodes of a graph are a set, over which `tf.gradients`
walks. A tensor is *tracked* if it is watched or was made from a tracked one.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from featherflow.eager.eager_tensor import EagerTensor
from featherflow.framework import dtypes
from featherflow.framework.recording import recorders
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.backpropagation import Backpropagation
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.gradient_aggregation import Gradient, sum_gradients
from featherflow.ops.gradient_registry import gradient_function
from featherflow.ops.gradient_values import is_differentiable, zeros_of


class Tape:
    """A recorder (`framework/recording.py`) of what depends on the tensors that it watches."""

    def __init__(self, watches_variables: bool) -> None:
        self._watches_variables = watches_variables
        #: Tracked tensors by identity. Those that calls do not hold are held here.
        self._tracked: dict[int, Any] = {}
        self._calls: list[tuple[Any, Sequence[Any], Sequence[Any]]] = []
        self._nodes: set[Operation] = set()
        self._variables: dict[int, Any] = {}

    # --- recording --------------------------------------------------------------------------------

    def watch(self, tensor: Any) -> None:
        """Tracks a tensor from here on."""
        self._tracked[id(tensor)] = tensor

    def variable_accessed(self, variable: Any) -> None:
        if self._watches_variables:
            self.watch_variable(variable)

    def watch_variable(self, variable: Any) -> None:
        """Tracks what is read of a variable from here on."""
        self._variables.setdefault(id(variable.handle), variable)
        self.watch(variable.handle)

    def watched_variables(self) -> list[Any]:
        """The variables that are watched, in the order in which they were."""
        return list(self._variables.values())

    def record(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        tracked = self._tracked
        for tensor in inputs:
            if id(tensor) in tracked:
                break
        else:
            return
        if operation.__class__ is Operation:
            self._nodes.add(operation)
        else:
            self._calls.append((operation, inputs, outputs))
        for tensor in outputs:
            if is_differentiable(tensor._dtype):
                tracked[id(tensor)] = tensor

    def captured(self, outside: Any, inside: Any) -> None:
        if id(outside) in self._tracked:
            self.watch(inside)

    def is_tracked(self, tensor: Any) -> bool:
        """Whether a gradient with respect to a tensor, or of it, can be anything but None."""
        return id(tensor) in self._tracked

    def clear(self) -> None:
        """Forgets everything, what is watched included."""
        self._tracked.clear()
        self._calls.clear()
        self._nodes.clear()
        self._variables.clear()

    # --- gradients --------------------------------------------------------------------------------

    def gradients(
        self, targets: Sequence[Any], sources: Sequence[Any], seeds: Sequence[Any]
    ) -> list[Gradient | None]:
        """The gradient of Σ targetᵢ · seedᵢ with respect to each source; None if it has none.

        Args:
          seeds: for each target a tensor of its shape, or None for ones.
        """
        pairs = [(y, seed) for y, seed in zip(targets, seeds) if self.is_tracked(y)]
        if not pairs:
            return [None] * len(sources)
        ys = [y for y, _ in pairs]
        starts = [ones_like(y) if seed is None else seed for y, seed in pairs]
        if all(isinstance(y, EagerTensor) for y in ys):
            return self._over_calls(ys, starts, sources)
        return self._over_nodes(ys, starts, sources)

    def _over_nodes(
        self, ys: list[Any], seeds: list[Any], sources: Sequence[Any]
    ) -> list[Gradient | None]:
        graph = next(y.graph for y in ys if y.__class__ is Tensor)
        tracked = [self.is_tracked(x) for x in sources]
        xs = [x if x.__class__ is Tensor else graph._take_in(x, "tape") for x in sources]
        kept = [x for x, is_tracked in zip(xs, tracked) if is_tracked]
        walk = Backpropagation(graph, kept, recorded=self._recorded_or(kept))
        ys = [y if y.__class__ is Tensor else graph._take_in(y, "tape") for y in ys]
        found = iter(walk.run(ys, seeds))
        return [next(found) if is_tracked else None for is_tracked in tracked]

    def _recorded_or(self, xs: Sequence[Tensor]) -> Container[Any]:
        return self._nodes.union(x.op for x in xs)

    def _over_calls(
        self, ys: list[Any], seeds: list[Any], sources: Sequence[Any]
    ) -> list[Gradient | None]:
        wanted = {id(x) for x in sources if self.is_tracked(x)}
        between, reached = self._between(wanted)
        received: dict[int, list[Gradient]] = {}
        for y, seed in zip(ys, seeds):
            received.setdefault(id(y), []).append(seed)
        totals: dict[int, Gradient | None] = {}
        for operation, inputs, outputs in reversed(between):
            gradients = [_total(received.pop(id(tensor), None)) for tensor in outputs]
            for tensor, gradient in zip(outputs, gradients):
                if gradient is not None and id(tensor) in wanted:
                    totals[id(tensor)] = gradient
            if all(item is None for item in gradients):
                continue
            skipped = [at for at, tensor in enumerate(inputs) if id(tensor) not in reached]
            operation.skip_input_indices = frozenset(skipped)
            results = _differentiate(operation, outputs, gradients)
            for tensor, result in zip(inputs, results):
                if result is not None and id(tensor) in reached:
                    received.setdefault(id(tensor), []).append(result)
        for key in wanted:
            if key not in totals:
                totals[key] = _total(received.get(key))
        return [totals.get(id(x)) for x in sources]

    def _between(self, wanted: set[int]) -> tuple[list[Any], set[int]]:
        """The calls that depend on a source, and the tensors that do."""
        reached = set(wanted)
        between = []
        for call in self._calls:
            _, inputs, outputs = call
            for tensor in inputs:
                if id(tensor) in reached:
                    between.append(call)
                    reached.update(map(id, outputs))
                    break
        return between, reached


def _total(terms: list[Gradient] | None) -> Gradient | None:
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else sum_gradients(terms, "", 0)


def _differentiate(operation: Any, outputs: Sequence[Any], gradients: list[Any]) -> Sequence[Any]:
    """The gradients with respect to the inputs of one call."""
    function = operation.backward or gradient_function(operation)
    if function is None:
        return ()
    filled = [
        zeros_of(tensor) if item is None and is_differentiable(tensor._dtype) else item
        for tensor, item in zip(outputs, gradients)
    ]
    results = function(operation, *filled)
    listed = results if isinstance(results, (list, tuple)) else [results]
    if isinstance(results, IndexedSlices):
        listed = [results]
    if len(listed) != len(operation.inputs):
        raise ValueError(
            f"Num gradients {len(listed)} generated for op {operation.type} do not match num "
            f"inputs {len(operation.inputs)}."
        )
    return listed


def is_trainable_dtype(dtype: Any) -> bool:
    """Whether gradients with respect to tensors of a dtype may exist."""
    base = dtype.base_dtype
    return base.is_floating or base.is_complex or base in (dtypes.resource, dtypes.variant)


class pushed:
    """`with pushed(recorder):` it hears of the ops inside."""

    __slots__ = ("_recorder",)

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        recorders.active.append(self._recorder)

    def __exit__(self, *exception: Any) -> None:
        recorders.active.remove(self._recorder)
