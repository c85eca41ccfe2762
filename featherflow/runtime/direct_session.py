"""DirectSession: the session of this process. Placement, plans and the state of one graph's runs."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from featherflow.framework.errors import CancelledError, OpError
from featherflow.framework.resource import ResourceManager
from featherflow.graph import subgraph as subgraph_module
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.runtime import executor, executor_plan
from featherflow.runtime.devices import local_devices
from featherflow.runtime.placer import Placer
from featherflow.runtime.session_factory import (
    SessionFactory,
    SessionInterface,
    SessionOptions,
)
from featherflow.runtime.step_context import Cancellation, OpKernelContext

_step_ids = itertools.count(1)
#: Plans kept by a session; the least recently used goes first.
MAX_PLANS = 256

PlanKey = tuple[tuple[Tensor, ...], tuple[Tensor, ...], tuple[Operation, ...]]


class DirectSessionFactory(SessionFactory):
    """Makes sessions in this process, for the target ""."""

    name = "direct"

    def refusal(self, options: SessionOptions) -> str | None:
        return None if options.target == "" else 'it serves target "" only'

    def new_session(self, options: SessionOptions, graph: Graph) -> SessionInterface:
        return DirectSession(options, graph)


@dataclass(frozen=True)
class CacheInfo:
    """The state of a bounded cache."""

    hits: int
    misses: int
    max_size: int
    size: int


class DirectSession(SessionInterface):
    """Runs a graph on the devices of this process."""

    def __init__(self, options: SessionOptions, graph: Graph) -> None:
        self.graph = graph
        self.options = options
        self.devices = local_devices(options.config)
        self.resources = ResourceManager()
        self.kernels = executor_plan.KernelCache()
        self.placer = Placer(graph, self.devices, options.config)
        self._plans: OrderedDict[PlanKey, Any] = OrderedDict()
        self._plan_locks: dict[PlanKey, threading.Lock] = {}
        self._lock = threading.Lock()
        self._hits = self._misses = 0
        self._running: set[Cancellation] = set()
        self._closed = False

    # --- plans ------------------------------------------------------------------------------------------

    def prepare(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> Any:
        key = (feeds, fetches, targets)
        plan = self._plans.get(key)
        if plan is not None:
            self._hits += 1
            return plan
        with self._lock:
            lock = self._plan_locks.setdefault(key, threading.Lock())
        with lock:  # the first run of a key plans; others wait for its plan
            plan = self._plans.get(key)
            if plan is None:
                plan = self._build(*key)
                with self._lock:
                    self._misses += 1
                    self._plans[key] = plan
                    while len(self._plans) > MAX_PLANS:
                        self._plans.popitem(last=False)
                    self._plan_locks.pop(key, None)
        return plan

    def _build(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> Any:
        """Place, prune, optimise, partition, plan."""
        try:
            self.placer.place()
            step = subgraph_module.prune(self.graph, feeds, fetches, targets)
            self.placer.assign(step)
            for node in step.nodes:
                if node.operation is not None:
                    node.operation._has_run = True
            return executor_plan.build_plan(step, "CPU", self.kernels)
        except OpError:
            raise

    def plan_cache_info(self) -> CacheInfo:
        """Hits, misses, bound and size of the plan cache."""
        return CacheInfo(self._hits, self._misses, MAX_PLANS, len(self._plans))

    # --- runs -----------------------------------------------------------------------------------------------

    def run(self, plan: Any, feed_values: list[Any], options: Any, run_metadata: Any) -> list[Any]:
        cancellation = Cancellation()
        self._running.add(cancellation)
        try:
            context = OpKernelContext(
                next(_step_ids), self.resources, self.devices[0].name, cancellation
            )
            values = executor.run_plan(plan, feed_values, context)
        finally:
            self._running.discard(cancellation)
        return [executor_plan.leave_run(values[slot], copy) for slot, copy in plan.fetches]

    def list_devices(self) -> list[Any]:
        return [device.attributes for device in self.devices]

    def close(self) -> None:
        self._closed = True
        for cancellation in list(self._running):
            cancellation.cancel(CancelledError(None, None, "Session was closed."))
        self._plans.clear()
        self.kernels.clear()
        self.resources.clear()
