"""Propagator: what moves in one step of one partition: frames, iterations, dead values, the queue.

The semantics are TensorFlow's:

- A unit is ready when everything it waits for has come, dead or alive. A dead node runs nothing and
  makes dead values. A Merge is ready with its first live input, and dead if all inputs are.
- Enter starts an instance of the loop for this iteration of the frame around it. A loop is over
  when all its Enters have come and no iteration has work left; only then are Exits that never were
  alive dead.
- A live NextIteration starts the next iteration, unless `parallel_iterations` are under way: then
  it waits. A dead one does nothing: that is how loops end.
- A constant Enter is there in every iteration.

A propagator belongs to one thread at a time (see `dataflow_executor.py`) and takes no locks.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from featherflow.framework.dead_value import DEAD
from featherflow.runtime.dataflow_plan import DataflowPlan, FramePlan, Group, UnitPlan
from featherflow.runtime.executor_plan import CONTEXT_SLOT
from featherflow.runtime.step_context import OpKernelContext


class Iteration:
    """One iteration of a frame: a value for each slot, and what is still to come.

    Attributes:
      pending: for each unit, how many sources it waits for.
      outstanding: units that are ready or running, and loops inside that are not over.
      dead_inputs: by merge unit that waits for a live input, how many dead ones have come; -1 once
        it is decided.
      children: the loops entered from this iteration.
    """

    __slots__ = ("children", "dead_inputs", "frame", "number", "outstanding", "pending", "values")

    def __init__(
        self, frame: FrameInstance, number: int, values: list[Any], pending: list[int]
    ) -> None:
        self.frame = frame
        self.number = number
        self.values = values
        self.pending = pending
        self.outstanding = 0
        self.dead_inputs: dict[int, int] | None = None
        self.children: dict[FramePlan, FrameInstance] | None = None


class FrameInstance:
    """One run of a loop.

    Attributes:
      plan: what is fixed.
      parent: the iteration that entered it; None for the graph itself.
      template: the values of a new iteration.
      iterations: those under way, by number, oldest first.
      newest: the number of the last that was started.
      enters_left, constants_left: how many groups have still to come.
      entered: the constant groups that have come.
      waiting: groups for the iteration after the newest, with their values.
      exited: places of the exit groups that have left alive.
    """

    __slots__ = (
        "_key",
        "constants_left",
        "entered",
        "enters_left",
        "exited",
        "iterations",
        "newest",
        "parent",
        "plan",
        "template",
        "waiting",
    )

    def __init__(self, plan: FramePlan, parent: Iteration | None) -> None:
        self.plan = plan
        self.parent = parent
        self.template = plan.template
        self.iterations: dict[int, Iteration] = {}
        self.newest = -1
        self.enters_left = plan.enters
        self.constants_left = plan.constants
        self.entered: list[Group] = []
        self.waiting: list[tuple[Group, list[Any]]] = []
        self.exited: set[int] = set()
        self._key: int | None = None

    def key(self) -> int:
        """A number for this run of the loop, the same in every partition and process."""
        if self._key is None:
            around = self.parent
            self._key = 0
            if around is not None:
                self._key = _fingerprint(f"{around.frame.key()}:{around.number}:{self.plan.name}")
        return self._key


def _fingerprint(text: str) -> int:
    """A 64-bit number for a text (FNV-1a); unlike `hash` the same in every process."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


class Propagator:
    """The moving state of a step.

    Attributes:
      ready: (iteration, unit) to run, oldest first.
      root: the iteration of the graph itself.
    """

    __slots__ = ("_context", "ready", "root")

    def __init__(self, plan: DataflowPlan, feeds: list[Any], context: OpKernelContext) -> None:
        self._context = context
        self.ready: deque[tuple[Iteration, UnitPlan]] = deque()
        frame = FrameInstance(plan.root, None)
        self.root = root = self._start_iteration(frame)
        for slot, value in zip(plan.feed_slots, feeds):
            root.values[slot] = value
        for unit, count in zip(plan.root.units, root.pending):
            if not count:
                root.outstanding += 1
                self.ready.append((root, unit))

    # --- after a unit -----------------------------------------------------------------------------

    def unit_done(self, iteration: Iteration, unit: UnitPlan) -> None:
        """Passes on what a unit has left in its slots."""
        if unit.readers:
            self._notify(iteration, unit.readers)
        if unit.merges:
            self._offer(iteration, unit.merges)
        for group in unit.groups:
            value = iteration.values[group.pairs[0][0]]
            if group.kind == "next":
                if value is not DEAD:
                    self._go_on(iteration, group)
            elif group.kind == "exit":
                if value is not DEAD:
                    self._leave(iteration, group)
            else:
                self._enter(iteration, group)
        iteration.outstanding -= 1
        if not iteration.outstanding:
            self._retire(iteration.frame)

    def _notify(self, iteration: Iteration, readers: tuple[int, ...]) -> None:
        pending = iteration.pending
        for index in readers:
            pending[index] -= 1
            if not pending[index]:
                iteration.outstanding += 1
                self.ready.append((iteration, iteration.frame.plan.units[index]))

    def _offer(self, iteration: Iteration, merges: tuple[tuple[int, int], ...]) -> None:
        """Tells merges that an input has come: the first live one decides, or the last dead one."""
        dead_inputs = iteration.dead_inputs
        if dead_inputs is None:
            dead_inputs = iteration.dead_inputs = {}
        for index, slot in merges:
            count = dead_inputs.get(index, 0)
            if count < 0:
                continue
            if iteration.values[slot] is DEAD:
                unit = iteration.frame.plan.units[index]
                dead_inputs[index] = count + 1
                if count + 1 < (unit.inputs_later if iteration.number else unit.inputs_first):
                    continue
            dead_inputs[index] = -1
            self._notify(iteration, (index,))

    # --- between iterations -----------------------------------------------------------------------

    def _start_iteration(self, frame: FrameInstance) -> Iteration:
        plan = frame.plan
        number = frame.newest = frame.newest + 1
        if not number:
            pending = plan.pending_first.copy()
        elif frame.constants_left:
            pending = plan.pending_later.copy()
        else:
            pending = plan.pending_settled.copy()
        iteration = Iteration(frame, number, frame.template.copy(), pending)
        iteration.values[CONTEXT_SLOT] = (
            self._context.inside(frame.key(), number) if plan.has_transfers else self._context
        )
        frame.iterations[number] = iteration
        if number:
            self._start_settled(iteration)
        return iteration

    def _start_settled(self, iteration: Iteration) -> None:
        """Starts what waits for nothing but values that are the same in every iteration."""
        frame = iteration.frame
        if frame.constants_left:
            for group in frame.entered:
                self._notify(iteration, group.readers)
        else:
            for index in frame.plan.settled:
                iteration.outstanding += 1
                self.ready.append((iteration, frame.plan.units[index]))

    def _deliver(self, group: Group, values: list[Any], iteration: Iteration) -> None:
        """Puts the values of a group into an iteration."""
        slots = iteration.values
        for (_, slot), value in zip(group.pairs, values):
            slots[slot] = value
        self._notify(iteration, group.readers)
        if group.merges:
            self._offer(iteration, group.merges)

    def _go_on(self, iteration: Iteration, group: Group) -> None:
        frame = iteration.frame
        values = [iteration.values[slot] for slot, _ in group.pairs]
        following = frame.iterations.get(iteration.number + 1)
        if following is None:
            if len(frame.iterations) >= frame.plan.parallel_iterations:
                frame.waiting.append((group, values))
                return
            following = self._start_iteration(frame)
        self._deliver(group, values, following)

    def _enter(self, iteration: Iteration, group: Group) -> None:
        plan = group.target
        children = iteration.children
        if children is None:
            children = iteration.children = {}
        frame = children.get(plan)
        if frame is None:
            frame = children[plan] = FrameInstance(plan, iteration)
            iteration.outstanding += 1
            self._start_iteration(frame)
        values = [iteration.values[slot] for slot, _ in group.pairs]
        frame.enters_left -= 1
        if group.constant:
            self._enter_constants(frame, group, values)
        else:
            self._deliver(group, values, frame.iterations[0])
        if not frame.enters_left:
            self._retire(frame)

    def _enter_constants(self, frame: FrameInstance, group: Group, values: list[Any]) -> None:
        if frame.template is frame.plan.template:
            frame.template = frame.template.copy()
        for (_, slot), value in zip(group.pairs, values):
            frame.template[slot] = value
        frame.entered.append(group)
        frame.constants_left -= 1
        for iteration in list(frame.iterations.values()):
            self._deliver(group, values, iteration)

    def _leave(self, iteration: Iteration, group: Group) -> None:
        parent = iteration.frame.parent
        assert parent is not None
        iteration.frame.exited.add(group.index)
        self._deliver(group, [iteration.values[slot] for slot, _ in group.pairs], parent)

    # --- the end of iterations and loops ----------------------------------------------------------

    def _retire(self, frame: FrameInstance) -> None:
        """Drops the oldest iterations that are over, and the loop with the last of them."""
        if frame.parent is None:
            return
        iterations = frame.iterations
        while iterations:
            number, oldest = next(iter(iterations.items()))
            if oldest.outstanding or (number == 0 and frame.enters_left):
                return
            del iterations[number]
            if frame.waiting:
                waiting, frame.waiting = frame.waiting, []
                following = self._start_iteration(frame)
                for group, values in waiting:
                    self._deliver(group, values, following)
        self._end_loop(frame, frame.parent)

    def _end_loop(self, frame: FrameInstance, parent: Iteration) -> None:
        assert parent.children is not None
        del parent.children[frame.plan]
        for group in frame.plan.exits:
            if group.index not in frame.exited:
                self._deliver(group, [DEAD] * len(group.pairs), parent)
        parent.outstanding -= 1
        if not parent.outstanding:
            self._retire(parent.frame)

    # --- when nothing moves any more --------------------------------------------------------------

    def is_over(self) -> bool:
        """Whether the step has done all that it can do."""
        return not self.root.outstanding

    def starving(self) -> list[tuple[str, str]]:
        """What never ran: (node, what it waits for), for the graph itself and loops under way."""
        found: list[tuple[str, str]] = []
        frames = [self.root.frame]
        while frames:
            frame = frames.pop()
            for iteration in frame.iterations.values():
                found.extend(_starving_in(iteration))
                frames.extend((iteration.children or {}).values())
        return found


def _starving_in(iteration: Iteration) -> list[tuple[str, str]]:
    plan = iteration.frame.plan
    found = []
    for unit, count in zip(plan.units, iteration.pending):
        if count > 0:
            sources = sorted(_sources_missing(iteration, unit))
            found.append((unit.nodes[0].name, ", ".join(sources) or "an input"))
    return found


def _sources_missing(iteration: Iteration, unit: UnitPlan) -> set[str]:
    """The names of inputs of a unit that are in units which have not run, or come from outside."""
    plan = iteration.frame.plan
    unrun = {
        node
        for other, count in zip(plan.units, iteration.pending)
        if count > 0
        for node in other.nodes
    }
    inside = set(unit.nodes)
    made_here = {node for other in plan.units for node in other.nodes}
    return {
        source.name
        for node in unit.nodes
        for source in (*(source for source, _ in node.inputs), *node.control_inputs)
        if source not in inside and (source in unrun or source not in made_here)
    }
