"""Partial runs: one step in several calls, each with some more feeds and some more fetches.

A call runs the nodes that its fetches need and that have not run yet; what later calls may read of
their outputs is kept. So a node runs once for each handle, whatever the calls ask for.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dead_value import DEAD
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.tensor_shape import SCALAR
from featherflow.graph.frames import assign_frames, is_free_constant
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import Const
from featherflow.ops.control_flow_primitives import Switch
from featherflow.runtime.executor_plan import leave_run

Output = tuple[Node, int]


class PartialRuns:
    """The partial runs of a session that are not over, by handle."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._runs: dict[str, PartialRun] = {}

    def setup(
        self, step: Subgraph, feeds: Sequence[Tensor], fetches: Sequence[Tensor], targets: Any
    ) -> str:
        """Starts a run; returns its handle.

        Raises:
          InvalidArgumentError: there is nothing to run.
        """
        if not fetches and not targets:
            raise InvalidArgumentError(
                None, None, "Must specify at least one target to fetch or execute."
            )
        names = [",".join(tensor.name for tensor in tensors) for tensors in (feeds, fetches)]
        handle = f"{names[0]}->{names[1]}/{','.join(item.name for item in targets)}"
        handle += f"/{next(self._numbers)}"
        self._runs[handle] = PartialRun(step, feeds, fetches)
        return handle

    def get(self, handle: str) -> PartialRun:
        """The run of a handle.

        Raises:
          InvalidArgumentError: there is none, or it is over.
        """
        run = self._runs.get(handle)
        if run is None or run.is_over():
            self._runs.pop(handle, None)
            raise InvalidArgumentError(
                None,
                None,
                "Must run 'setup' before performing partial runs!",
                received=f"handle '{handle}'",
                expected="one that partial_run_setup returned and that has fetches left",
            )
        return run

    def clear(self) -> None:
        """Forgets all runs."""
        self._runs.clear()


class PartialRun:
    """One run.

    Args:
      step: the placed nodes that all fetches need, given all feeds.
      feeds, fetches: in the order of those of `step`.
    """

    def __init__(self, step: Subgraph, feeds: Sequence[Tensor], fetches: Sequence[Tensor]) -> None:
        self._step = step
        self._feeds = dict(zip(feeds, step.feeds))
        self._fetches = dict(zip(fetches, step.fetches))
        self._left = set(self._fetches)
        self._fed: set[Tensor] = set()
        self._done: set[Node] = set()
        self._values: dict[Output, Any] = {}
        self._loop_of = _nodes_by_loop(step.nodes)
        self._lock = threading.Lock()

    def is_over(self) -> bool:
        """Whether everything has been fetched."""
        return not self._left

    def run(
        self, feeds: dict[Tensor, Any], fetches: Sequence[Tensor], build: Any, execute: Any
    ) -> list[Any]:
        """One call: takes `feeds`, returns the values of `fetches`.

        Args:
          build: Subgraph → StepPlan.
          execute: (StepPlan, feed values) → fetched values, DEAD among them.
        Raises:
          InvalidArgumentError: a feed or fetch was not set up, comes twice, or is not computable.
        """
        with self._lock:
            self._check(feeds, fetches)
            for tensor, value in feeds.items():
                self._values[self._feeds[tensor], 0] = value
            wanted = [self._fetches[tensor] for tensor in fetches]
            needed = self._needed(wanted, fetches)
            if self._left <= set(fetches):
                needed |= self._rest(needed)
            subgraph, inputs, kept = self._part(needed)
            values = execute(build(subgraph), [self._values[output] for output in inputs])
            self._fed.update(feeds)
            self._left.difference_update(fetches)
            self._done |= needed
            self._values.update(zip(kept, values))
            return [self._fetched(output) for output in wanted]

    def _fetched(self, output: Output) -> Any:
        value = self._values[output]
        if value is DEAD:
            raise InvalidArgumentError(
                None, None, f"'{output[0].name}:{output[1]}' is on a branch that was not taken"
            )
        return leave_run(value, True)

    def _check(self, feeds: dict[Tensor, Any], fetches: Sequence[Tensor]) -> None:
        for tensor in feeds:
            if tensor not in self._feeds:
                self._refuse(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if tensor in self._fed:
                self._refuse(f"The feed {tensor.name} has already been fed.")
        for tensor in fetches:
            if tensor not in self._fetches:
                self._refuse(f"The fetch {tensor.name} was not specified in partial_run_setup.")
            if tensor not in self._left:
                self._refuse(f"The fetch {tensor.name} has already been fetched.")

    def _refuse(self, message: str) -> None:
        raise InvalidArgumentError(None, None, message)

    # --- which nodes ------------------------------------------------------------------------------

    def _needed(self, wanted: Iterable[Output], fetches: Sequence[Tensor]) -> set[Node]:
        """The nodes that have to run for some outputs; loops are run whole."""
        found: set[Node] = set()
        for (node, index), tensor in zip(wanted, fetches):
            missing = self._walk(node, index, found)
            if missing is not None:
                self._refuse(
                    f"Fetch {tensor.name} can't be computed from the feeds that have been fed so "
                    f"far: {missing.name.removeprefix('_feed/')} is missing."
                )
        return found

    def _walk(self, node: Node, index: int, found: set[Node]) -> Node | None:
        """Adds the nodes behind an output to `found`; returns a feed that is missing, if any is."""
        stack = [] if (node, index) in self._values else [node]
        while stack:
            node = stack.pop()
            if node in found or node in self._done:
                continue
            if node.definition is FEED:
                return node
            found.add(node)
            stack.extend(self._loop_of.get(node, ()))
            stack.extend(node.control_inputs)
            stack.extend(source for source, at in node.inputs if (source, at) not in self._values)
        return None

    def _rest(self, needed: set[Node]) -> set[Node]:
        """The other nodes that can run: targets, and what they need."""
        rest: set[Node] = set()
        for node in self._step.targets:
            found = set(needed)
            if self._walk(node, 0, found) is None:
                rest |= found - needed
        return rest

    def _part(self, needed: set[Node]) -> tuple[Subgraph, list[Output], list[Output]]:
        """The nodes to run as a subgraph of their own, the values it takes, those it gives."""
        copies: dict[Node, Node] = {}
        inputs: dict[Output, Node] = {}
        extra: list[Node] = []
        nodes = [node for node in self._step.nodes if node in needed]
        for node in nodes:
            copies[node] = _copy(node)
        for node in nodes:
            copies[node].control_inputs = [
                copies[source] for source in node.control_inputs if source in copies
            ]
            copies[node].inputs = [
                self._source(output, copies, inputs, extra) for output in node.inputs
            ]
        kept = self._kept(needed)
        fetches = [(copies[node], index) for node, index in kept]
        members = [*inputs.values(), *extra, *copies.values()]
        return Subgraph(members, list(inputs.values()), fetches), list(inputs), kept

    def _source(
        self,
        output: Output,
        copies: dict[Node, Node],
        inputs: dict[Output, Node],
        extra: list[Node],
    ) -> Output:
        node, index = output
        if output not in self._values:
            return copies[node], index
        if self._values[output] is DEAD:
            return _dead_output(output, extra), 1
        feed = inputs.get(output)
        if feed is None:
            dtype = node.output_dtypes[index]
            shape = node.output_shapes[index]
            name = f"_kept/{node.name}:{index}"
            feed = Node(name, FEED, {"dtype": dtype.base_dtype}, [dtype], [shape], node.device)
            inputs[output] = feed
        return feed, 0

    def _kept(self, needed: set[Node]) -> list[Output]:
        """The outputs of `needed` that fetches or nodes of later calls read."""
        kept: dict[Output, None] = {
            output: None for output in self._fetches.values() if output[0] in needed
        }
        for node in self._step.nodes:
            if node not in needed and node not in self._done:
                for output in node.inputs:
                    if output[0] in needed:
                        kept[output] = None
        return list(kept)


def _nodes_by_loop(nodes: list[Node]) -> dict[Node, list[Node]]:
    """For each node of a loop, all nodes of the outermost loop that it is in."""
    frames = assign_frames(nodes)
    members: dict[Any, list[Node]] = {}
    for node in nodes:
        if is_free_constant(node):
            continue
        frame = frames.entered_by(node) if node.definition.control_flow == "enter" else None
        around = [item for item in (frame or frames.of[node]).around() if item.parent is not None]
        if around:
            members.setdefault(around[-1], []).append(node)
    return {node: group for group in members.values() for node in group}


def _copy(node: Node) -> Node:
    return Node(
        node.name,
        node.definition,
        node.attrs,
        node.output_dtypes,
        node.output_shapes,
        node.device,
        node.operation,
    )


def _dead_output(output: Output, extra: list[Node]) -> Node:
    """A Switch whose second output is dead, for a value that an earlier call found dead."""
    node, index = output
    value = np.array(False)
    attrs = {"value": value, "dtype": dtypes.bool}
    name = f"_dead/{node.name}:{index}"
    constant = Node(f"{name}/value", Const, attrs, [dtypes.bool], [SCALAR], node.device)
    switch = Node(name, Switch, {"T": dtypes.bool}, [dtypes.bool] * 2, [SCALAR] * 2, node.device)
    switch.inputs = [(constant, 0), (constant, 0)]
    extra.extend([constant, switch])
    return switch
