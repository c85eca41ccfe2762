"""DataflowPlan: what is fixed for a partition with control flow or kernels that wait.

A plan has a FramePlan for the graph and for each loop. Every value of a frame has a slot in a list
that each iteration has for itself; units (see `units.py`) read and write these lists. Values go from
one list to another in groups: into a loop, to the next iteration, out of the loop. How many sources
each unit waits for is counted here, so a step only counts down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from featherflow.framework.dead_value import DEAD
from featherflow.graph.deadness import Deadness
from featherflow.graph.frames import Frames, LoopFrame
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.runtime import blocks
from featherflow.runtime.blocks import Block
from featherflow.runtime.executor_plan import (
    CONTEXT_SLOT,
    Fetch,
    KernelCache,
    Step,
    bind_kernel,
    copied_fetches,
    gather_from,
)
from featherflow.runtime.units import Unit, make_units


@dataclass(eq=False, slots=True)
class Group:
    """Values that move from the list of one iteration to that of another, alive or dead together.

    Attributes:
      kind: "enter" (into iteration 0 of `target`), "next" or "exit" (to the iteration around).
      pairs: (slot they come from, slot they go to).
      constant: they enter every iteration of the loop.
      readers: units that wait for the group, by index.
      merges: (unit, slot) of the merges that it may fire.
      nodes: the nodes that the values pass through.
      index: the place of an exit group among those of its frame.
    """

    kind: str
    target: FramePlan
    constant: bool = False
    pairs: tuple[tuple[int, int], ...] = ()
    readers: tuple[int, ...] = ()
    merges: tuple[tuple[int, int], ...] = ()
    nodes: list[Node] = field(default_factory=list)
    index: int = 0


@dataclass(eq=False, slots=True)
class UnitPlan:
    """A unit, ready to run.

    Attributes:
      index: its place in `FramePlan.units`.
      blocks: what a batch runs; None for the others.
      step: the kernel call of an asynchronous unit or merge.
      guards: slots of which one is DEAD if an asynchronous unit is.
      readers: units of the same iteration that wait for it, by index.
      merges: (unit, slot) of the merges that it may fire.
      groups: values that it sends to other iterations.
      inputs_first, inputs_later: of a merge: how many inputs arrive in iteration 0, and later.
    """

    index: int
    nodes: list[Node]
    blocks: tuple[Block, ...] | None = None
    step: Step | None = None
    guards: tuple[int, ...] = ()
    readers: tuple[int, ...] = ()
    merges: tuple[tuple[int, int], ...] = ()
    groups: tuple[Group, ...] = ()
    inputs_first: int = 0
    inputs_later: int = 0


@dataclass(eq=False, slots=True)
class FramePlan:
    """What is fixed for one loop, or for the graph itself.

    Attributes:
      name: of the loop; "" for the graph.
      template: the values of an iteration at its start: constants, DEAD for what may never come.
      units: all of them.
      pending_first: for each unit, for how many sources it waits in iteration 0.
      pending_later: the same for later iterations.
      pending_settled: the same once all constant groups have entered.
      enters: how many groups enter; the loop cannot end before they have.
      constants: how many of these are constant.
      exits: the groups that leave.
      parallel_iterations: how many iterations may be under way at once.
      has_transfers: kernels inside need to know their iteration.
    """

    name: str
    parallel_iterations: int
    template: list[Any] = field(default_factory=lambda: [None])
    units: list[UnitPlan] = field(default_factory=list)
    pending_first: list[int] = field(default_factory=list)
    pending_later: list[int] = field(default_factory=list)
    pending_settled: list[int] = field(default_factory=list)
    enters: int = 0
    constants: int = 0
    exits: list[Group] = field(default_factory=list)
    has_transfers: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class DataflowPlan:
    """The plan of one partition.

    Attributes:
      root: the frame of the graph itself.
      feed_slots: for each feed of the step, its slot; None if this partition does not read it.
      fetches: where the fetched values are, in the root frame.
      waits: whether any unit is asynchronous.
      is_simple: whether the whole partition is one batch.
    """

    root: FramePlan
    feed_slots: tuple[int | None, ...]
    fetches: tuple[Fetch, ...]
    waits: bool


def is_asynchronous(node: Node, device_type: str) -> bool:
    """Whether the kernel of a node may wait."""
    definition = node.definition.kernels.find(device_type, node)
    return definition is not None and definition.asynchronous
