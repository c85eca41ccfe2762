"""Units: which nodes of a plan can run as one batch without anything noticing.

The executor's queue holds units, not nodes. A unit is

    a batch        nodes that wait for the same things, in order; most graphs have a handful
    asynchronous   one node whose kernel may wait
    merge          one Merge that must fire with its first live input

Two nodes of one frame are in one batch if the same asynchronous nodes, loops and merges are
upstream of both: then the batch starts no later than its last node could have, and batches form no
cycle. What is upstream is a bit mask. Nodes that lead to an asynchronous node or a Send are in
batches of their own, so that these start before whatever else could run.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from featherflow.graph.deadness import Deadness, is_loop_merge
from featherflow.graph.frames import Frames, LoopFrame, is_back_edge
from featherflow.graph.subgraph import FEED, Node


@dataclass(eq=False, slots=True)
class Unit:
    """Nodes of one frame that the executor runs as one.

    Attributes:
      frame: the frame that they run in.
      kind: "batch", "asynchronous" or "merge".
      nodes: in order; one unless it is a batch.
    """

    frame: LoopFrame
    kind: str
    nodes: list[Node] = field(default_factory=list)


def make_units(
    nodes: list[Node],
    frames: Frames,
    deadness: Deadness,
    asynchronous: Container[Node],
    one_by_one: bool = False,
) -> list[Unit]:
    """The units of a partition: the urgent ones first, then in the order of their first nodes.

    Args:
      nodes: in topological order, back edges aside.
      asynchronous: those whose kernels may wait.
      one_by_one: gives every node a unit of its own: nothing is batched, as in TensorFlow. Tests
        compare the two.
    """
    upstream = _Upstream(nodes, frames, deadness, asynchronous)
    urgent = _urgent(nodes, asynchronous)
    units: dict[object, Unit] = {}
    for node in nodes:
        if node.definition is FEED or node not in frames.of:
            continue
        frame = frames.of[node]
        if node in asynchronous:
            key, kind = node, "asynchronous"
        elif node in upstream.merges:
            key, kind = node, "merge"
        else:
            batch = (frame, *upstream.of[node], node in urgent)
            key, kind = (node if one_by_one else batch), "batch"
        unit = units.get(key)
        if unit is None:
            unit = units[key] = Unit(frame, kind)
        unit.nodes.append(node)
    return sorted(units.values(), key=lambda unit: unit.nodes[0] not in urgent)


def _urgent(nodes: list[Node], asynchronous: Container[Node]) -> set[Node]:
    """The nodes that lead to an asynchronous node or a Send in the same iteration, and these."""
    found: set[Node] = set()
    for node in reversed(nodes):
        if node in asynchronous or node.definition.control_flow == "send":
            found.add(node)
        if node in found:
            found.update(source for source, _ in node.inputs if not is_back_edge(source, node))
            found.update(node.control_inputs)
    return found


class _Upstream:
    """What each node waits for, as bit masks.

    A value that went round a loop may wait for the previous iteration's asynchronous nodes; those
    are a mask of their own, since the first iteration does not wait for them.

    Attributes:
      merges: Merges that must fire with their first live input.
      of: for each node, (this iteration's, earlier iterations').
    """

    def __init__(
        self,
        nodes: list[Node],
        frames: Frames,
        deadness: Deadness,
        asynchronous: Container[Node],
    ) -> None:
        self._frames = frames
        self._deadness = deadness
        self._asynchronous = asynchronous
        self._bits: dict[object, int] = {}
        self._lasting = 0
        self._waiting_frames = {
            frame for node in nodes if node in asynchronous for frame in frames.of[node].around()
        }
        self.merges: set[Node] = set()
        self.of: dict[Node, tuple[int, int]] = {}
        while self._pass(nodes):
            pass

    def _pass(self, nodes: list[Node]) -> bool:
        """Whether anything changed: what goes round a loop is known after its first pass."""
        changed = False
        for node in nodes:
            if node not in self._frames.of:
                continue
            masks = self._masks(node)
            if self.of.get(node) != masks:
                self.of[node] = masks
                changed = changed or masks != (0, 0)
        return changed

    def _bit(self, source: object, lasts: bool) -> int:
        """A bit for `source`; `lasts` if what comes from it may be long in coming."""
        bit = self._bits.setdefault(source, 1 << len(self._bits))
        if lasts:
            self._lasting |= bit
        return bit

    def _masks(self, node: Node) -> tuple[int, int]:
        if node.definition.control_flow == "merge":
            return self._masks_of_merge(node)
        now = earlier = 0
        for source in (*(source for source, _ in node.inputs), *node.control_inputs):
            source_now, source_earlier = self._after(source)
            if source.definition.control_flow == "next_iteration" or _comes_once(source):
                # There in some iterations only; whoever reads it cannot share a unit with others.
                source_now |= self._bit(source, True)
            now |= source_now
            earlier |= source_earlier
        return now, earlier

    def _masks_of_merge(self, node: Node) -> tuple[int, int]:
        frame = self._frames.of[node]
        if is_loop_merge(node) and frame in self._deadness.regular:
            if frame in self._waiting_frames:
                self.merges.add(node)
            (enter, _), (following, _) = node.inputs
            now, earlier = self._after(enter)
            round_now, round_earlier = self._after(following)
            return now, earlier | (round_now | round_earlier) & self._lasting
        masks = [self._after(source) for source, _ in node.inputs if not is_back_edge(source, node)]
        if any(is_back_edge(source, node) for source, _ in node.inputs) or len(set(masks)) > 1:
            self.merges.add(node)
        now = earlier = 0
        for mask, earlier_mask in (*masks, *map(self._after, node.control_inputs)):
            now |= mask
            earlier |= earlier_mask
        return now, earlier

    def _after(self, source: Node) -> tuple[int, int]:
        """What is upstream of those who read `source`."""
        if source not in self._frames.of:
            return 0, 0
        now, earlier = self.of.get(source, (0, 0))
        if source in self._asynchronous:
            return now | self._bit(source, True), earlier
        if source in self.merges:
            return now | self._bit(source, True), earlier
        if source.definition.control_flow == "exit":
            frame = self._frames.of[source]
            together = frame in self._deadness.exiting
            bit = self._bit(frame if together else source, frame in self._waiting_frames)
            # Inside, the mask of earlier iterations is of the loop itself; outside, all are past.
            return now | bit, earlier
        return now, earlier


def _comes_once(source: Node) -> bool:
    """Whether a value is there in the first iteration of its loop only."""
    return source.definition.control_flow == "enter" and not source.attrs["is_constant"]
