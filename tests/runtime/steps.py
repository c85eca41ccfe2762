"""Steps run by hand: on several devices, batched or not, in an order that a test chooses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from queue import Empty
from typing import Any

from featherflow.framework.resource import ResourceManager
from featherflow.graph.graph import Graph
from featherflow.graph.subgraph import Subgraph, prune
from featherflow.runtime.devices import CpuDevice
from featherflow.runtime.executor_plan import KernelCache
from featherflow.runtime.placer import Placer
from featherflow.runtime.rendezvous import LocalRendezvous
from featherflow.runtime.step_context import Cancellation, OpKernelContext
from featherflow.runtime.step_plan import DataflowStep, StepPlan, build_step, run_step
from featherflow.runtime.step_run import StepRun


class NoFunctions:
    """For steps that call none."""

    def may_wait(self, node: Any) -> bool:
        return False


class NoThreads:
    """A pool whose threads never come: the calling thread does everything."""

    def schedule(self, task: Callable[[], None]) -> None:
        pass


def cpu_devices(count: int) -> list[CpuDevice]:
    return [CpuDevice(index) for index in range(count)]


def pruned(
    graph: Graph,
    fetches: Sequence[Any],
    feeds: Sequence[Any] = (),
    targets: Sequence[Any] = (),
    devices: int = 1,
) -> Subgraph:
    """The placed nodes of a step."""
    placer = Placer(graph, cpu_devices(devices))
    placer.place()
    step = prune(graph, feeds, fetches, targets)
    placer.assign(step)
    return step


def plan(
    graph: Graph,
    fetches: Sequence[Any],
    feeds: Sequence[Any] = (),
    targets: Sequence[Any] = (),
    devices: int = 1,
    one_by_one: bool = False,
) -> StepPlan:
    """The plan of a step."""
    step = pruned(graph, fetches, feeds, targets, devices)
    names = {device.name: device.device_type for device in cpu_devices(devices)}
    incarnations = dict.fromkeys(names, 1)
    return build_step(step, names, incarnations, KernelCache(), NoFunctions(), one_by_one)


def context(cancellation: Cancellation | None = None) -> OpKernelContext:
    device = cpu_devices(1)[0].name
    return OpKernelContext(1, ResourceManager(), device, cancellation or Cancellation())


def run(step: StepPlan, feeds: Sequence[Any] = (), cancellation: Any = None) -> list[Any]:
    """Runs a step on the calling thread alone; returns the raw fetches."""
    return run_step(step, list(feeds), context(cancellation), NoThreads())


class Interleaving:
    """A queue, a pool and the world outside, all on one thread, in an order drawn from a seed.

    Args:
      patient: nothing comes from outside while there is something to drain.
    Attributes:
      delayed: reports of asynchronous kernels that are still to come; a test op puts them here.
    """

    def __init__(self, seed: int, patient: bool = False) -> None:
        self._patient = patient
        self._random = random.Random(seed)
        self._items: list[Any] = []
        self._tasks: list[Callable[[], None]] = []
        self.delayed: list[Callable[[], None]] = []

    def schedule(self, task: Callable[[], None]) -> None:
        self._tasks.append(task)

    def put(self, item: Any) -> None:
        self._items.append(item)

    def get_nowait(self) -> Any:
        if not self._items:
            raise Empty
        return self._items.pop(self._random.randrange(len(self._items)))

    def get(self) -> Any:
        """Something to drain; on the way, any number of other things happen."""
        while True:
            choices = ["item"] * bool(self._items)
            if not (choices and self._patient):
                choices += ["late"] * bool(self.delayed) + ["task"] * bool(self._tasks)
            assert choices, "nothing can happen any more, and the step is not over"
            choice = self._random.choice(choices)
            if choice == "item":
                return self.get_nowait()
            pending = self.delayed if choice == "late" else self._tasks
            pending.pop(self._random.randrange(len(pending)))()

    def run(self, step: DataflowStep, feeds: Sequence[Any] = ()) -> list[Any]:
        """Runs a step in this order; checks that nothing is left behind."""
        first = context()
        first.rendezvous = rendezvous = LocalRendezvous()
        contexts = [first.on_device(device) for device in step.devices]
        fed = [[feeds[place] for place in places] for places in step.feeds]
        lists = StepRun(step.plans, fed, contexts, self, self).run()
        assert rendezvous.unclaimed_keys() == rendezvous.waiting_keys() == []
        return [lists[number][slot] for number, slot, _, _ in step.fetches]
