"""How a partition becomes a DataflowPlan: slots, units, groups, and what each of them waits for."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from featherflow.framework.dead_value import DEAD
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.deadness import Deadness, Output, is_loop_merge
from featherflow.graph.frames import Frames, LoopFrame, assign_frames, is_free_constant
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.runtime import blocks
from featherflow.runtime.blocks import Block
from featherflow.runtime.dataflow_plan import DataflowPlan, FramePlan, Group, UnitPlan
from featherflow.runtime.executor_plan import (
    CONTEXT_SLOT,
    KernelCache,
    Step,
    gather_from,
    output_place,
)
from featherflow.runtime.units import Unit, make_units
from featherflow.runtime.waiting_calls import on_own_thread

_TRANSFERS = ("enter", "next_iteration", "exit")


def build_dataflow_plan(
    subgraph: Subgraph,
    device_type: str,
    kernels: KernelCache,
    asynchronous: Container[Node],
    one_by_one: bool = False,
) -> DataflowPlan:
    """The plan of a partition.

    Args:
      asynchronous: the nodes whose kernels may wait.
      one_by_one: batches nothing; see `make_units`.
    Raises:
      NotFoundError: a node has no kernel for the device.
      InvalidArgumentError: the loops of the graph are malformed.
    """
    nodes = subgraph.nodes
    frames = assign_frames(nodes)
    deadness = Deadness(nodes, frames)
    deadness.free_constants(nodes, {node for node, _ in subgraph.fetches})
    units = make_units(nodes, frames, deadness, asynchronous, one_by_one)
    return _Builder(subgraph, frames, deadness, units, device_type, kernels).build()


class _FrameSlots:
    """The slots of one frame, given out as they are asked for."""

    def __init__(self, frame: LoopFrame) -> None:
        self.frame = frame
        self.plan = FramePlan(frame.name, frame.parallel_iterations)
        self._first: dict[Node, int] = {}

    def slot(self, node: Node, index: int) -> int:
        """The slot of an output in this frame; neighbours are neighbours."""
        first = self._first.get(node)
        if first is None:
            if is_free_constant(node):
                values = [node.definition.static_value_fn(node)]  # type: ignore[misc]
            else:
                # What comes from elsewhere may never come, and then nobody may take it for a value.
                never = DEAD if node.definition.control_flow in _TRANSFERS else None
                values = [never] * len(node.output_dtypes)
            first = self._first[node] = self.reserve(values)
        return first + index

    def reserve(self, values: list[Any]) -> int:
        """New neighbouring slots with these initial values; returns the first."""
        first = len(self.plan.template)
        self.plan.template.extend(values)
        return first


class _Waits:
    """The sources that a unit waits for: units and groups, in the first and in later iterations."""

    __slots__ = ("first", "later")

    def __init__(self) -> None:
        self.first: set[Any] = set()
        self.later: set[Any] = set()


class _Builder:
    def __init__(
        self,
        subgraph: Subgraph,
        frames: Frames,
        deadness: Deadness,
        units: list[Unit],
        device_type: str,
        kernels: KernelCache,
    ) -> None:
        self.subgraph = subgraph
        self.frames = frames
        self.deadness = deadness
        self.units = units
        self.device_type = device_type
        self.kernels = kernels
        self.slots = {frame: _FrameSlots(frame) for frame in frames.all()}
        self.plan_of: dict[Node, UnitPlan] = {}
        self.waits: dict[UnitPlan, _Waits] = {}
        self.groups: dict[Node, Group] = {}
        self.staged: dict[Node, int] = {}
        #: Outputs that something other than a step of the same unit reads.
        self.shared: set[Output] = set(subgraph.fetches)

    def build(self) -> DataflowPlan:
        plans = [self._new_unit(unit) for unit in self.units]
        for unit, plan in zip(self.units, plans):
            self._make_groups(unit, plan)
        for unit, plan in zip(self.units, plans):
            for node in unit.nodes:
                self._note_waits(node, unit, plan)
                self._note_shared(node, plan)
        for unit, plan in zip(self.units, plans):
            self._make_steps(unit, plan)
        for slots in self.slots.values():
            self._count_pending(slots.plan)
        root = self.slots[self.frames.root]
        return DataflowPlan(
            root=root.plan,
            feed_slots=tuple(root.slot(node, 0) for node in self.subgraph.feeds),
            fetches=self._fetches(root),
            waits=any(unit.kind == "asynchronous" for unit in self.units),
        )

    def _new_unit(self, unit: Unit) -> UnitPlan:
        frame_plan = self.slots[unit.frame].plan
        plan = UnitPlan(len(frame_plan.units), unit.nodes)
        frame_plan.units.append(plan)
        for node in unit.nodes:
            self.plan_of[node] = plan
            if node.definition.control_flow in ("send", "recv"):
                frame_plan.has_transfers = True
        self.waits[plan] = _Waits()
        return plan

    # --- values that change frames or iterations --------------------------------------------------

    def _make_groups(self, unit: Unit, plan: UnitPlan) -> None:
        here = self.slots[unit.frame]
        groups: dict[Any, Group] = {}
        for node in unit.nodes:
            kind = node.definition.control_flow
            if kind not in _TRANSFERS:
                continue
            there = self.slots[self._target_frame(node)]
            constant = kind == "enter" and node.attrs["is_constant"]
            key = kind, there.plan, constant, self.deadness.of[node]
            group = groups.get(key)
            if group is None:
                group = groups[key] = self._new_group(key, here.plan)
            group.nodes.append(node)
            pair = self._source_slot(node, here), there.slot(node, 0)
            group.pairs = (*group.pairs, pair)
            self.groups[node] = group
        plan.groups = tuple(groups.values())

    def _new_group(self, key: Any, source: FramePlan) -> Group:
        kind, target, constant, _ = key
        group = Group("next" if kind == "next_iteration" else kind, target, constant)
        if kind == "enter":
            target.enters += 1
            target.constants += constant
        elif kind == "exit":
            group.index = len(source.exits)
            source.exits.append(group)
        return group

    def _target_frame(self, node: Node) -> LoopFrame:
        frame = self.frames.of_output(node)
        assert frame is not None
        return frame

    def _source_slot(self, node: Node, here: _FrameSlots) -> int:
        """Where the value of a transfer is: at its source, unless control inputs may kill it."""
        source, index = node.inputs[0]
        if self.deadness.of[node] == self.deadness.of_output(source, index):
            return here.slot(source, index)
        self.staged[node] = here.reserve([None])
        return self.staged[node]

    # --- what waits for what ----------------------------------------------------------------------

    def _note_waits(self, node: Node, unit: Unit, plan: UnitPlan) -> None:
        sources = [source for source, _ in node.inputs]
        if unit.kind == "merge":
            if not any(self._is_there(source) for source in sources):
                for source, index in node.inputs:
                    self._note_merge(plan, source, self.slots[unit.frame].slot(source, index))
                self._count_merge_inputs(plan, sources)
            sources = []
        heads_loop = is_loop_merge(node)
        for source in (*sources, *node.control_inputs):
            self._note_wait(plan, source, heads_loop)

    def _note_shared(self, node: Node, plan: UnitPlan) -> None:
        self.shared.update(self.deadness.guards(node))
        for source, index in node.inputs:
            passes_on = node in self.groups and node not in self.staged
            if passes_on or self.plan_of.get(source) is not plan:
                self.shared.add((source, index))

    def _is_there(self, source: Node) -> bool:
        """Whether an output needs no waiting for: a feed, or a constant of every frame."""
        return source.definition is FEED or source not in self.frames.of

    def _note_merge(self, plan: UnitPlan, source: Node, slot: int) -> None:
        sender: Any = self.groups.get(source) or self.plan_of[source]
        sender.merges = (*sender.merges, (plan.index, slot))

    def _count_merge_inputs(self, plan: UnitPlan, sources: list[Node]) -> None:
        for source in sources:
            kind = source.definition.control_flow
            if kind != "next_iteration":
                plan.inputs_first += 1
            if kind != "enter" or source.attrs["is_constant"]:
                plan.inputs_later += 1

    def _note_wait(self, plan: UnitPlan, source: Node, heads_loop: bool) -> None:
        if self._is_there(source):
            return
        waits = self.waits[plan]
        group = self.groups.get(source)
        sender: Any = group or self.plan_of[source]
        if sender is plan:
            return
        # A loop's Merge takes from outside first, and from the iteration before later; anything
        # else that reads such a value can run only where both are there, which is as it should be.
        if not (heads_loop and group is not None and group.kind == "next"):
            waits.first.add(sender)
        if not (heads_loop and group is not None and group.kind == "enter"):
            waits.later.add(sender)

    def _count_pending(self, frame: FramePlan) -> None:
        readers: dict[Any, set[int]] = {}
        for unit in frame.units:
            waits = self.waits[unit]
            decision = 1 if unit.inputs_first or unit.inputs_later else 0
            constants = sum(isinstance(item, Group) and item.constant for item in waits.later)
            frame.pending_first.append(len(waits.first) + decision)
            frame.pending_later.append(len(waits.later) + decision)
            frame.pending_settled.append(len(waits.later) + decision - constants)
            for sender in waits.first | waits.later:
                readers.setdefault(sender, set()).add(unit.index)
        frame.settled = tuple(
            index for index, count in enumerate(frame.pending_settled) if not count
        )
        for sender, indices in readers.items():
            sender.readers = tuple(sorted(indices))

    # --- steps ------------------------------------------------------------------------------------

    def _make_steps(self, unit: Unit, plan: UnitPlan) -> None:
        slots = self.slots[unit.frame]
        if unit.kind == "batch":
            plan.blocks = self._make_blocks(unit, slots)
            return
        (node,) = unit.nodes
        plan.is_merge = unit.kind == "merge"
        plan.step = self._make_step(node, slots, unit.kind == "asynchronous")
        plan.guards = tuple(slots.slot(*output) for output in self.deadness.guards(node))
        for source, index in node.inputs if unit.kind == "merge" else ():
            if not self._is_there(source):
                slots.plan.template[slots.slot(source, index)] = DEAD

    def _make_step(
        self, node: Node, slots: _FrameSlots, asynchronous: bool, release: tuple[int, ...] = ()
    ) -> Step:
        kernel = self.kernels.bind(node, self.device_type)
        call = kernel.call
        sources = [CONTEXT_SLOT] if kernel.wants_context and not asynchronous else []
        if asynchronous and not kernel.asynchronous:
            call = on_own_thread(call, kernel.wants_context)
        sources.extend(slots.slot(*source) for source in node.inputs)
        out = self.staged.get(node)
        place = output_place(node, slots.slot(node, 0)) if out is None else out
        return Step(call, gather_from(sources), place, release, node)

    def _make_blocks(self, unit: Unit, slots: _FrameSlots) -> tuple[Block, ...]:
        cuts = blocks.cut(unit.nodes, self.deadness)
        block_of = {node: number for number, nodes in enumerate(cuts) for node in nodes}
        released, crossing = self._last_uses(cuts, block_of)
        result = []
        for number, nodes in enumerate(cuts):
            steps = []
            sends = []
            for node in nodes:
                if node in self.groups and node not in self.staged:
                    continue
                slots_released = tuple(slots.slot(*output) for output in released.get(node, ()))
                step = self._make_step(node, slots, False, slots_released)
                steps.append(step)
                if node.definition.control_flow == "send":
                    sends.append(step.kernel)
            dead = [slots.slot(*output) for output in crossing[number]]
            dead += [self.staged[node] for node in nodes if node in self.staged]
            guards = [slots.slot(*output) for output in self.deadness.guards(nodes[0])]
            result.append(Block(tuple(guards), tuple(steps), tuple(dead), tuple(sends)))
        return tuple(result)

    def _last_uses(
        self, cuts: list[list[Node]], block_of: dict[Node, int]
    ) -> tuple[dict[Node, list[Output]], list[list[Output]]]:
        """By node, the outputs of which it is the last reader; by block, those read outside it."""
        last: dict[Output, Node] = {}
        crossing: list[dict[Output, None]] = [{} for _ in cuts]
        for nodes in cuts:
            for node in nodes:
                for index in range(0 if node in self.groups else len(node.output_dtypes)):
                    output = node, index
                    last[output] = node
                    if output in self.shared:
                        crossing[block_of[node]][output] = None
                for output in node.inputs:
                    source_block = block_of.get(output[0])
                    if source_block is None:
                        continue
                    last[output] = node
                    if source_block != block_of[node] and output[0] not in self.groups:
                        crossing[source_block][output] = None
        released: dict[Node, list[Output]] = {}
        for output, node in last.items():
            if output not in self.shared:
                released.setdefault(node, []).append(output)
        return released, [list(outputs) for outputs in crossing]

    # --- fetches ----------------------------------------------------------------------------------

    def _fetches(self, root: _FrameSlots) -> tuple[int, ...]:
        for node, _ in self.subgraph.fetches:
            frame = self.frames.of_output(node)
            if frame not in (None, self.frames.root):
                raise InvalidArgumentError(
                    None,
                    node.operation,
                    f"'{node.name}' is inside the loop '{frame.name}': it has a value for each "
                    "iteration, and none to fetch",
                    remedy="Fetch what leaves the loop: an output of tf.while_loop.",
                )
        return tuple(root.slot(*output) for output in self.subgraph.fetches)
