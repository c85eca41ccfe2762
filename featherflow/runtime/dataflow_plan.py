"""DataflowPlan: what is fixed for a partition with control flow or kernels that wait.

A plan has a FramePlan for the graph and for each loop. Every value of a frame has a slot in a list
that each iteration has for itself; units (see `units.py`) read and write these lists. Values go
from one list to another in groups: into a loop, to the next iteration, out of the loop. How many
sources each unit waits for is counted here, so a step only counts down.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from featherflow.graph.subgraph import Node
from featherflow.runtime.blocks import Block
from featherflow.runtime.executor_plan import Step


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
      is_merge: whether it is a merge.
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
    is_merge: bool = False
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
      settled: the units that then wait for nothing.
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
    settled: tuple[int, ...] = ()
    enters: int = 0
    constants: int = 0
    exits: list[Group] = field(default_factory=list)
    has_transfers: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class DataflowPlan:
    """The plan of one partition.

    Attributes:
      root: the frame of the graph itself.
      feed_slots: for each feed of the partition, its slot.
      fetches: the slots of the fetched values, in the frame of the graph.
      waits: whether any unit is asynchronous.
    """

    root: FramePlan
    feed_slots: tuple[int, ...]
    fetches: tuple[int, ...]
    waits: bool
