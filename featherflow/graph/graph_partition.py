"""Partition: a placed subgraph as one subgraph for each device, with Send and Recv between them.

- A tensor goes to a device once, however many of its nodes read it. A control edge goes as a dummy.
- Feeds, constants, Enter and NextIteration travel: each device that reads one has a copy.
- Every partition keeps the one topological order of the step. A Send comes right behind what it
  sends, so that no device can wait for something behind its own Recv.
- A Recv inside a loop runs once for each iteration. What tells it is a control loop, which
  every device with such a Recv gets:

      Enter → Merge → Switch → NextIteration → Merge      the Switch reads the loop's condition,
                ⤷ Recv …                                  received like any other value
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import get_op
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.frames import Frames, LoopFrame, assign_frames, is_free_constant
from featherflow.graph.subgraph import FEED, Node, Subgraph

Output = tuple[Node, int]
#: Where a node stands among the nodes of its partition.
_Order = tuple[int, int]

_SEND, _RECV, _LOOP_SWITCH = 1, 2, 3


@dataclass
class Partition:
    """What one device runs.

    Attributes:
      device: its full name.
      subgraph: the nodes; its feeds and fetches are those of the step that are here.
      feeds, fetches: the places of these among the feeds and fetches of the step.
    """

    device: str
    subgraph: Subgraph
    feeds: list[int] = field(default_factory=list)
    fetches: list[int] = field(default_factory=list)


def partition(subgraph: Subgraph, incarnations: Mapping[str, int]) -> list[Partition]:
    """The partitions of a subgraph whose nodes all have devices; those with work, by name.

    Args:
      incarnations: of each device, by full name.
    Raises:
      InvalidArgumentError: a loop spans devices and has no LoopCond.
    """
    devices = sorted({node.device for node in subgraph.nodes if node.definition is not FEED})
    if len(devices) <= 1:
        everything = list(range(len(subgraph.feeds)))
        fetches = list(range(len(subgraph.fetches)))
        device = devices[0] if devices else min(incarnations)
        return [Partition(device, subgraph, everything, fetches)]
    return _Partitioner(subgraph, devices, incarnations).run()


class _Partitioner:
    def __init__(
        self, subgraph: Subgraph, devices: list[str], incarnations: Mapping[str, int]
    ) -> None:
        self.subgraph = subgraph
        self.devices = devices
        self.incarnations = incarnations
        self.frames: Frames = assign_frames(subgraph.nodes)
        self.position = {node: place for place, node in enumerate(subgraph.nodes)}
        self.inputs = {node: list(node.inputs) for node in subgraph.nodes}
        self.control_inputs = {node: list(node.control_inputs) for node in subgraph.nodes}
        self.members: dict[str, list[tuple[_Order, Node]]] = {device: [] for device in devices}
        self.copies: dict[tuple[Node, str], Node] = {}
        self.received: dict[tuple[Node, int, str], Node] = {}
        self.loop_merges: dict[tuple[LoopFrame, str], Node] = {}
        self.loop_conditions = {
            self.frames.of[node]: node
            for node in subgraph.nodes
            if node.definition.control_flow == "loop_cond"
        }
        self.loop_starts: dict[LoopFrame, int] = {}
        for node, place in self.position.items():
            if node.definition.control_flow == "enter":
                self.loop_starts.setdefault(self.frames.entered_by(node), place)
        self.edges = 0
        self.names = 0

    def run(self) -> list[Partition]:
        for node in self.subgraph.nodes:
            if not self._travels(node):
                self._add(node, node.device, (self.position[node], 0))
                self._connect(node, node, node.device)
        partitions = [self._partition(device) for device in self.devices]
        return [item for item in partitions if item.subgraph.nodes or item.fetches]

    def _travels(self, node: Node) -> bool:
        return (
            node.definition is FEED
            or is_free_constant(node)
            or node.definition.control_flow in ("enter", "next_iteration")
        )

    def _add(self, node: Node, device: str, order: _Order) -> None:
        node.device = device
        self.members[device].append((order, node))

    def _connect(self, node: Node, original: Node, device: str) -> None:
        """Gives `node` on `device` the inputs of `original`, from wherever they are."""
        node.inputs = [self._here(source, index, device) for source, index in self.inputs[original]]
        node.control_inputs = [
            self._control_here(source, device) for source in self.control_inputs[original]
        ]

    def _partition(self, device: str) -> Partition:
        first = device == self.devices[0]
        fetches = [
            (place, self._fetched(node, index, device))
            for place, (node, index) in enumerate(self.subgraph.fetches)
            if (first if self._travels(node) else node.device == device)
        ]
        feeds = [
            (place, self.copies[node, device])
            for place, node in enumerate(self.subgraph.feeds)
            if (node, device) in self.copies
        ]
        nodes = [node for _, node in sorted(self.members[device], key=lambda entry: entry[0])]
        members = Subgraph(nodes, [node for _, node in feeds], [output for _, output in fetches])
        return Partition(
            device, members, [place for place, _ in feeds], [place for place, _ in fetches]
        )

    def _fetched(self, node: Node, index: int, device: str) -> Output:
        return (self._copy(node, device), index) if self._travels(node) else (node, index)

    # --- edges ------------------------------------------------------------------------------------

    def _here(self, source: Node, index: int, device: str) -> Output:
        """The output on `device` that has the value of `source:index`."""
        if self._travels(source):
            return self._copy(source, device), index
        if source.device == device:
            return source, index
        return self._receive(source, index, device), 0

    def _control_here(self, source: Node, device: str) -> Node:
        if self._travels(source):
            return self._copy(source, device)
        if source.device == device:
            return source
        return self._receive(source, -1, device)

    def _copy(self, original: Node, device: str) -> Node:
        """The copy on `device` of a node that travels."""
        copy = self.copies.get((original, device))
        if copy is None:
            copy = Node(
                original.name,
                original.definition,
                original.attrs,
                original.output_dtypes,
                original.output_shapes,
                device,
                original.operation,
            )
            self.copies[original, device] = copy
            self._add(copy, device, (self.position[original], 0))
            self._connect(copy, original, device)
        return copy

    def _receive(self, source: Node, index: int, device: str) -> Node:
        """The Recv on `device` of `source:index`, or of a dummy behind `source` for index −1."""
        recv = self.received.get((source, index, device))
        if recv is not None:
            return recv
        place = self.position[source]
        sent: Output = (self._dummy(source), 0) if index < 0 else (source, index)
        dtype = sent[0].output_dtypes[sent[1]].base_dtype
        shape = sent[0].output_shapes[sent[1]]
        attrs = {
            "tensor_name": f"edge_{self.edges}_{source.name}",
            "send_device": source.device,
            "send_device_incarnation": self.incarnations[source.device],
            "recv_device": device,
            "client_terminated": False,
        }
        self.edges += 1
        send = self._new_node(source.name, "_Send", {"T": dtype, **attrs})
        send.inputs = [sent]
        self._add(send, source.device, (place, _SEND))
        recv = self._new_node(source.name, "_Recv", {"tensor_type": dtype, **attrs}, dtype, shape)
        self.received[source, index, device] = recv
        self._add(recv, device, (place, _RECV))
        frame = self.frames.of_output(source)
        if frame is not None and frame.parent is not None:
            recv.control_inputs = [self._loop_merge(frame, device)]
        return recv

    def _dummy(self, source: Node) -> Node:
        """A constant that is there, dead or alive, once `source` has run."""
        dummy = self._constant(f"{source.name}/ctrl")
        dummy.control_inputs = [source]
        self._add(dummy, source.device, (self.position[source], _SEND))
        return dummy

    # --- control loops ----------------------------------------------------------------------------

    def _loop_merge(self, frame: LoopFrame, device: str) -> Node:
        """The Merge on `device` that is alive once for each iteration of `frame`."""
        merge = self.loop_merges.get((frame, device))
        if merge is not None:
            return merge
        start = self.loop_starts[frame]
        trigger = self._constant("_cloop")
        enter_attrs = {
            "T": dtypes.bool,
            "frame_name": frame.name,
            "is_constant": False,
            "parallel_iterations": frame.parallel_iterations,
        }
        enter = self._new_node("_cloop", "Enter", enter_attrs, dtypes.bool)
        merge = self._new_node("_cloop", "Merge", {"T": dtypes.bool, "N": 2}, dtypes.bool)
        merge.output_dtypes, merge.output_shapes = [dtypes.bool, dtypes.int32], [SCALAR, SCALAR]
        self.loop_merges[frame, device] = merge
        if frame.parent is not None and frame.parent.parent is not None:
            trigger.control_inputs = [self._loop_merge(frame.parent, device)]
        for node in (trigger, enter, merge):
            self._add(node, device, (start, 0))
        enter.inputs = [(trigger, 0)]
        merge.inputs = [(enter, 0), (self._loop_end(frame, merge, device), 0)]
        return merge

    def _loop_end(self, frame: LoopFrame, merge: Node, device: str) -> Node:
        """The NextIteration that leads back to `merge` while the loop's condition holds."""
        condition = self.loop_conditions.get(frame)
        if condition is None:
            raise InvalidArgumentError(
                None,
                None,
                f"The loop '{frame.name}' spans devices and has no LoopCond",
                remedy="Make it with tf.while_loop, or keep it on one device.",
            )
        attrs = {"T": dtypes.bool}
        place = self.position[condition]
        switch = self._new_node("_cloop", "Switch", attrs, dtypes.bool)
        switch.output_dtypes, switch.output_shapes = [dtypes.bool] * 2, [SCALAR] * 2
        self._add(switch, device, (place, _LOOP_SWITCH))
        following = self._new_node("_cloop", "NextIteration", attrs, dtypes.bool)
        self._add(following, device, (place, _LOOP_SWITCH))
        following.inputs = [(switch, 1)]
        switch.inputs = [(merge, 0), self._here(condition, 0, device)]
        return following

    # --- nodes ------------------------------------------------------------------------------------

    def _constant(self, name: str) -> Node:
        value = np.array(True)
        value.setflags(write=False)
        return self._new_node(name, "Const", {"value": value, "dtype": dtypes.bool}, dtypes.bool)

    def _new_node(
        self,
        name: str,
        op: str,
        attrs: dict[str, Any],
        dtype: DType | None = None,
        shape: TensorShape = SCALAR,
    ) -> Node:
        """A node that the program did not make; its name is that of its source, numbered."""
        outputs = [] if dtype is None else [dtype]
        self.names += 1
        return Node(f"{name}/_{self.names - 1}", get_op(op), attrs, outputs, [shape] * len(outputs))
