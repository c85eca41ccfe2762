"""Subgraphs: the part of a graph that a step needs, as light nodes that passes may change.

`prune` walks back from the fetches and stops at fed tensors, so nothing fed is run or folded. The
Graph itself is never changed by a session: from here to the executor everything works on Nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, op_from_op_def
from featherflow.framework.op_def import ArgDef, AttrDef, OpDef
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

#: What stands in the place of a fed tensor: its value is there before the step starts.
FEED = op_from_op_def(
    OpDef("_Feed", (), (ArgDef("output", type_attr="dtype"),), (AttrDef("dtype", "type"),))
)


class Node:
    """One node of a subgraph: an op, its attributes, its inputs as (node, output index)."""

    __slots__ = (
        "attrs",
        "control_inputs",
        "definition",
        "device",
        "inputs",
        "name",
        "operation",
        "output_dtypes",
        "output_shapes",
    )

    def __init__(
        self,
        name: str,
        definition: Op,
        attrs: dict[str, Any],
        output_dtypes: list[DType],
        output_shapes: list[TensorShape],
        device: str = "",
        operation: Operation | None = None,
    ) -> None:
        self.name = name
        self.definition = definition
        self.attrs = attrs
        self.inputs: list[tuple[Node, int]] = []
        self.control_inputs: list[Node] = []
        self.output_dtypes = output_dtypes
        self.output_shapes = output_shapes
        self.device = device
        #: The Operation that the node stands for; None for one that the runtime added.
        self.operation = operation

    def __repr__(self) -> str:
        inputs = ", ".join(f"{node.name}:{index}" for node, index in self.inputs)
        return f"<Node {self.name} = {self.definition.name}({inputs})>"


_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")


@dataclass
class Subgraph:
    """The nodes of a step in a topological order (back edges of loops aside).

    Attributes:
      nodes: all of them, feeds first.
      feeds: the node for each fed tensor, in the order of the feeds.
      fetches: (node, output index) for each fetched tensor.
      targets: nodes that are run for their effect.
    """

    nodes: list[Node]
    feeds: list[Node]
    fetches: list[tuple[Node, int]]
    targets: list[Node] = field(default_factory=list)


def prune(
    graph: Graph,
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    targets: Sequence[Operation] = (),
) -> Subgraph:
    """The part of `graph` that `fetches` and `targets` need when `feeds` are given.

    Raises:
      InvalidArgumentError: the part has a cycle that is no loop, or a loop that changes a dtype.
    """
    feed_nodes = {tensor: _feed_node(tensor) for tensor in feeds}
    needed = _reachable(feed_nodes, fetches, targets)
    operations = _in_order(needed, feed_nodes)
    node_of = {operation: _node_of(operation) for operation in operations}
    for operation, node in node_of.items():
        if operation.definition.control_flow == "merge":
            _check_dtypes(operation)
        node.inputs = [
            (feed_nodes[tensor], 0)
            if tensor in feed_nodes
            else (node_of[tensor._op], tensor._value_index)
            for tensor in operation._inputs
        ]
        node.control_inputs = [node_of[other] for other in _controls(operation, feed_nodes)]
    return Subgraph(
        nodes=[*feed_nodes.values(), *node_of.values()],
        feeds=list(feed_nodes.values()),
        fetches=[
            (feed_nodes[tensor], 0)
            if tensor in feed_nodes
            else (node_of[tensor._op], tensor._value_index)
            for tensor in fetches
        ],
        targets=[node_of[operation] for operation in targets],
    )


def _check_dtypes(merge: Operation) -> None:
    """A loop's Merge gets its second input after it was made: only then is its dtype seen."""
    expected = merge.attrs["T"]
    for index, tensor in enumerate(merge.inputs):
        if tensor.dtype.base_dtype is not expected:
            raise InvalidArgumentError(
                None,
                merge,
                f"Input {index} has another dtype than the node",
                received=f"{tensor.dtype.name} from {tensor.name}",
                expected=expected.name,
                remedy="Let the body of a loop keep the dtypes of its loop variables: tf.cast.",
            )


def _feed_node(tensor: Tensor) -> Node:
    dtype = tensor._dtype.base_dtype
    return Node(f"_feed/{tensor.name}", FEED, {"dtype": dtype}, [dtype], [tensor._shape])


def _node_of(operation: Operation) -> Node:
    outputs = operation.outputs
    return Node(
        operation.name,
        operation.definition,
        operation.attrs,
        [tensor._dtype for tensor in outputs],
        [tensor._shape for tensor in outputs],
        operation.device,
        operation,
    )


def _reachable(
    fed: dict[Tensor, Node], fetches: Iterable[Tensor], targets: Iterable[Operation]
) -> set[Operation]:
    stack = [tensor._op for tensor in fetches if tensor not in fed]
    stack.extend(targets)
    needed: set[Operation] = set()
    while stack:
        operation = stack.pop()
        if operation in needed:
            continue
        needed.add(operation)
        for tensor in operation._inputs:
            if tensor not in fed and tensor._op not in needed:
                stack.append(tensor._op)
        stack.extend(_controls(operation, fed))
    return needed


def _controls(operation: Operation, fed: dict[Tensor, Node]) -> list[Operation]:
    """What must run before `operation`: a placeholder that is fed has nothing to run."""
    controls = operation.control_inputs
    if not controls:
        return controls
    return [
        other
        for other in controls
        if other.definition.name not in _PLACEHOLDERS or other.outputs[0] not in fed
    ]


def _in_order(needed: set[Operation], fed: dict[Tensor, Node]) -> list[Operation]:
    """Topological order; the order of making, where that is one already."""
    by_age = sorted(needed, key=lambda operation: operation.id)
    if all(_is_younger_than_inputs(operation, fed) for operation in by_age):
        return by_age
    return _kahn(by_age, fed)


def _is_younger_than_inputs(operation: Operation, fed: dict[Tensor, Node]) -> bool:
    age = operation.id
    for tensor in operation._inputs:
        if tensor._op.id >= age and tensor not in fed and not _is_back_edge(tensor._op, operation):
            return False
    return all(other.id < age for other in _controls(operation, fed))


def _is_back_edge(source: Operation, target: Operation) -> bool:
    return (
        source.definition.control_flow == "next_iteration"
        and target.definition.control_flow == "merge"
    )


def _sources(operation: Operation, fed: dict[Tensor, Node]) -> list[Operation]:
    sources = [
        tensor._op
        for tensor in operation._inputs
        if tensor not in fed and not _is_back_edge(tensor._op, operation)
    ]
    return sources + _controls(operation, fed)


def _kahn(operations: list[Operation], fed: dict[Tensor, Node]) -> list[Operation]:
    waiting: dict[Operation, int] = {}
    users: dict[Operation, list[Operation]] = {}
    ready: list[Operation] = []
    for operation in operations:
        sources = _sources(operation, fed)
        waiting[operation] = len(sources)
        if not sources:
            ready.append(operation)
        for source in sources:
            users.setdefault(source, []).append(operation)
    ready.reverse()
    ordered: list[Operation] = []
    while ready:
        operation = ready.pop()
        ordered.append(operation)
        for user in reversed(users.get(operation, ())):
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    if len(ordered) < len(operations):
        stuck = [operation.name for operation in operations if waiting[operation]]
        raise InvalidArgumentError(
            None,
            None,
            "Graph is invalid, contains a cycle",
            received=f"{len(stuck)} nodes on or behind cycles: {', '.join(stuck[:8])}",
            expected="cycles only through NextIteration and Merge, as tf.while_loop makes them",
        )
    return ordered
