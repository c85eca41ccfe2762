"""DirectSession: the session of this process: plans, and the state of the runs of one graph."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from featherflow.framework.errors import CancelledError
from featherflow.framework.resource import ResourceManager
from featherflow.graph import subgraph as subgraph_module
from featherflow.graph.graph import Graph
from featherflow.graph.graph_partition import partition
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.grappler.optimizer import optimize
from featherflow.runtime import executor, process_memory
from featherflow.runtime import run_metadata as metadata_messages
from featherflow.runtime.compile_options import compile_mode, disabled_passes, threads_of
from featherflow.runtime.compile_trigger import CompileTrigger, is_compilable
from featherflow.runtime.deadline import deadlines
from featherflow.runtime.devices import local_devices
from featherflow.runtime.executor_plan import ExecutorPlan, KernelCache, leave_run
from featherflow.runtime.function_runtime import FunctionRuntime
from featherflow.runtime.partial_run import PartialRuns
from featherflow.runtime.pass_log import log_passes
from featherflow.runtime.placer import Placer
from featherflow.runtime.session_factory import SessionFactory, SessionInterface, SessionOptions
from featherflow.runtime.step_context import Cancellation, OpKernelContext
from featherflow.runtime.step_plan import StepPlan, build_step, leave_step, run_step
from featherflow.runtime.step_stats import StepStatsCollector, TracedKernels
from featherflow.runtime.thread_limits import limit_blas_threads
from featherflow.runtime.thread_pool import ThreadPool

if TYPE_CHECKING:
    from featherflow.runtime.compiled_step import CompiledStep

_step_ids = itertools.count(1)
#: Plans kept by a session; the oldest goes first.
MAX_PLANS = 256

#: Helpers of calling threads where several devices of a step have work; shared by all sessions.
_pool = ThreadPool(8, "featherflow-device")

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


class PreparedStep:
    """What `prepare` returns: the plan for one set of feeds, fetches and targets.

    Attributes:
      key: the feeds, fetches and targets.
      plan: what runs on NumPy's kernels; made anew if it was dropped.
      trigger: tells when to compile; None for a step that stays on NumPy's kernels.
      compiled: the plans that run compiled kernels, once they were asked for.
      traced: the same with kernels that record what they do, once somebody has asked for it.
    """

    __slots__ = ("_plan", "_rebuild", "compiled", "key", "traced", "trigger")

    def __init__(
        self,
        key: PlanKey,
        plan: StepPlan,
        trigger: CompileTrigger | None,
        rebuild: Callable[[], StepPlan],
    ) -> None:
        self.key = key
        self.trigger = trigger
        self.compiled: CompiledStep | None = None
        self.traced: StepPlan | None = None
        self._plan: StepPlan | None = plan
        self._rebuild = rebuild

    @property
    def plan(self) -> StepPlan:
        plan = self._plan
        if plan is None:
            plan = self._plan = self._rebuild()
        return plan

    def plan_for(self, feed_values: list[Any]) -> tuple[StepPlan, bool]:
        """What to run for some values, and whether it is compiled."""
        compiled = self.compiled
        if compiled is None and self.trigger is not None and self.trigger.is_due():
            compiled = self.compiled = self.trigger.make()
        if compiled is not None:
            plan = compiled.plan_for(feed_values)
            if plan is not None:
                if compiled.has_let_go and self._plan is not None:
                    self._plan = None
                    process_memory.trim()
                return plan, True
        return self.plan, False


class DirectSession(SessionInterface):
    """Runs a graph on the devices of this process."""

    def __init__(self, options: SessionOptions, graph: Graph) -> None:
        self.graph = graph
        limit_blas_threads(options.config)
        self.devices = local_devices(options.config)
        self.resources = ResourceManager()
        self.kernels = KernelCache()
        self._planner = _Planner(graph, self.devices, options.config)
        self.functions = FunctionRuntime(graph._functions, self._planner.plan_function, _pool)
        self._planner.functions = self.functions
        self._device_name = self.devices[0].name
        self._timeout_ms = options.config.operation_timeout_in_ms if options.config else 0
        self._plans: OrderedDict[PlanKey, PreparedStep] = OrderedDict()
        self._plan_locks: dict[PlanKey, threading.Lock] = {}
        self._lock = threading.Lock()
        self._hits = self._misses = 0
        self._running: set[Cancellation] = set()
        self._partial_runs = PartialRuns()
        self._closed = False

    # --- plans ------------------------------------------------------------------------------------

    def prepare(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> PreparedStep:
        key = (feeds, fetches, targets)
        prepared = self._plans.get(key)
        if prepared is not None:
            self._hits += 1
            return prepared
        with self._lock:
            lock = self._plan_locks.setdefault(key, threading.Lock())
        with lock:  # the first run of a key plans; others wait for its plan
            prepared = self._plans.get(key)
            if prepared is None:
                try:
                    rebuild = partial(self._planner.plan, key, self.kernels)
                    made = self._planner.prepare(key, self.kernels)
                    prepared = PreparedStep(key, *made, rebuild)
                    self._keep(prepared)
                finally:
                    self._plan_locks.pop(key, None)
        return prepared

    def _keep(self, prepared: PreparedStep) -> None:
        with self._lock:
            self._misses += 1
            if self._closed:
                return
            self._plans[prepared.key] = prepared
            while len(self._plans) > MAX_PLANS:
                self._plans.popitem(last=False)

    def plan_cache_info(self) -> CacheInfo:
        """Hits, misses, bound and size of the plan cache."""
        return CacheInfo(self._hits, self._misses, MAX_PLANS, len(self._plans))

    def explain_placement(self, key: PlanKey) -> list[Any]:
        """Where the nodes of a step go, and why, without running it."""
        return self._planner.explain(key)

    # --- runs -------------------------------------------------------------------------------------

    def run(
        self, prepared: PreparedStep, feed_values: list[Any], options: Any, run_metadata: Any
    ) -> list[Any]:
        if options is not None or run_metadata is not None or self._timeout_ms:
            return self._run_with_options(prepared, feed_values, options, run_metadata)
        compiled = prepared.compiled
        if compiled is not None:
            shortcut = compiled.shortcuts.get(tuple([value.shape for value in feed_values]))
            if shortcut is not None and not self._closed:
                return shortcut(feed_values)
        start, is_compiled = 0.0, True
        plan = prepared._plan
        if prepared.trigger is not None or plan is None:
            start = time.perf_counter()
            plan, is_compiled = prepared.plan_for(feed_values)
        cancellation = Cancellation()
        self._running.add(cancellation)
        try:
            if self._closed:
                raise _closed_error()
            context = OpKernelContext(
                next(_step_ids),
                self.resources,
                self._device_name,
                cancellation,
                None,
                self.functions,
            )
            if plan.__class__ is not ExecutorPlan:
                return leave_step(plan, run_step(plan, feed_values, context, _pool))
            values = executor.run_plan(plan, feed_values, context)  # type: ignore[arg-type]
            if not is_compiled and prepared.trigger is not None and prepared.trigger.count(start):
                prepared.trigger = None
        finally:
            self._running.discard(cancellation)
        return [leave_run(values[slot], copy) for slot, copy in plan.fetches]  # type: ignore

    def _new_context(
        self, cancellation: Cancellation, stats: StepStatsCollector | None
    ) -> OpKernelContext:
        if self._closed:
            raise _closed_error()
        return OpKernelContext(
            next(_step_ids),
            self.resources,
            self._device_name,
            cancellation,
            None,
            self.functions,
            stats,
        )

    def _run_with_options(
        self, prepared: PreparedStep, feed_values: list[Any], options: Any, metadata: Any
    ) -> list[Any]:
        _check_message("options", options, "RunOptions")
        _check_message("run_metadata", metadata, "RunMetadata")
        stats = None
        if options is not None and options.trace_level > 0 and metadata is not None:
            values, stats = self.run_traced(prepared, feed_values, options)
        else:
            values = self._run_plan(prepared.plan_for(feed_values)[0], feed_values, options)
        if stats is not None and metadata is not None:
            metadata.step_stats.CopyFrom(metadata_messages.step_stats_message(stats))
            if self._planner.builds_cost_model:
                fetched = {tensor.op.name for tensor in prepared.key[1]}
                costs = metadata_messages.cost_graph_message(stats, fetched)
                metadata.cost_graph.CopyFrom(costs)
        if metadata is not None and options is not None and options.output_partition_graphs:
            del metadata.partition_graphs[:]
            metadata.partition_graphs.extend(self._planner.partition_graphs(prepared.key))
        return values

    def run_traced(
        self, prepared: PreparedStep, feed_values: list[Any], options: Any = None
    ) -> tuple[list[Any], StepStatsCollector]:
        """A run whose kernels record what they do: the fetched values, and the records."""
        stats = StepStatsCollector()
        plan = self._traced_plan(prepared)
        return self._run_plan(plan, feed_values, options, stats), stats

    def _run_plan(
        self,
        plan: StepPlan,
        feed_values: list[Any],
        options: Any,
        stats: StepStatsCollector | None = None,
    ) -> list[Any]:
        with self._cancellable(options) as cancellation:
            context = self._new_context(cancellation, stats)
            return leave_step(plan, run_step(plan, feed_values, context, _pool))

    @contextlib.contextmanager
    def _cancellable(self, options: Any) -> Any:
        """A Cancellation that close() and the deadline of the run know of."""
        cancellation = Cancellation()
        timeout_ms = (options.timeout_in_ms if options is not None else 0) or self._timeout_ms
        self._running.add(cancellation)
        try:
            if timeout_ms > 0:
                with deadlines.watch(cancellation, timeout_ms):
                    yield cancellation
            else:
                yield cancellation
        finally:
            self._running.discard(cancellation)

    def _traced_plan(self, prepared: PreparedStep) -> StepPlan:
        if prepared.traced is None:
            prepared.traced = self._planner.plan(prepared.key, TracedKernels(self.kernels))
        return prepared.traced

    # --- partial runs -----------------------------------------------------------------------------

    def partial_run_setup(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> str:
        step = self._planner.prune(feeds, fetches, targets)
        return self._partial_runs.setup(step, feeds, fetches, targets)

    def partial_run(
        self, handle: str, feeds: dict[Tensor, Any], fetches: list[Tensor]
    ) -> list[Any]:
        with self._cancellable(None) as cancellation:
            context = self._new_context(cancellation, None)
            return self._partial_runs.get(handle).run(
                feeds,
                fetches,
                lambda part: self._planner.build(part, self.kernels),
                lambda plan, values: run_step(plan, values, context, _pool, may_be_dead=True),
            )

    # --- devices and the end ----------------------------------------------------------------------

    def list_devices(self) -> list[Any]:
        return [device.attributes for device in self.devices]

    def close(self) -> None:
        with self._lock:
            self._closed = True
        for cancellation in list(self._running):
            cancellation.cancel(_closed_error())
        self._plans.clear()
        self._partial_runs.clear()
        self.functions.clear()
        self.kernels.clear()
        self.resources.clear()


def _check_message(argument: str, value: Any, kind: str) -> None:
    if value is not None and type(value).__name__ != kind:
        raise TypeError(f"Argument `{argument}` must be a tf.{kind}, received {value!r}.")


def _closed_error() -> CancelledError:
    return CancelledError(None, None, "Session has been closed.")


class _Planner:
    """Place, prune, optimise, partition, plan: from feeds and fetches to a StepPlan."""

    functions: FunctionRuntime

    def __init__(self, graph: Graph, devices: list[Any], config: Any) -> None:
        self._graph = graph
        self._devices = devices
        self._config = config
        self._placer = Placer(graph, devices, config)
        self._device_types = {device.name: device.device_type for device in devices}
        self._incarnations = {device.name: device.incarnation for device in devices}
        self._mode = compile_mode(config)
        self._threads = threads_of(config)
        self._disabled_passes = disabled_passes(config)
        self.builds_cost_model = bool(config and config.graph_options.build_cost_model)

    def plan(self, key: PlanKey, kernels: KernelCache) -> StepPlan:
        """The plan of a step.

        Raises:
          InvalidArgumentError: a node cannot be placed, or the graph is malformed.
          NotFoundError: a node has no kernel for its device.
        """
        return self.build(self.optimized(key), kernels)

    def prepare(self, key: PlanKey, kernels: KernelCache) -> tuple[StepPlan, CompileTrigger | None]:
        """The plan of a step, and its compiled plans if there may be any."""
        step = self.optimized(key)
        plan = self.build(step, kernels)
        if plan.__class__ is not ExecutorPlan or not is_compilable(step, self._mode):
            return plan, None
        build: Any = partial(self.build, kernels=kernels)
        source = partial(self.optimized, key)
        return plan, CompileTrigger(step, source, build, self._threads, self._mode)

    def optimized(self, key: PlanKey) -> subgraph_module.Subgraph:
        """The placed nodes of a step, after the passes of grappler."""
        step = self.prune(*key)
        if self._disabled_passes is not None:
            reports = optimize(step, self._disabled_passes)
            log_passes(reports)
        return step

    def prune(
        self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...], targets: tuple[Operation, ...]
    ) -> subgraph_module.Subgraph:
        """The placed part of the graph that a step needs."""
        self._placer.place()
        step = subgraph_module.prune(self._graph, feeds, fetches, targets)
        self._placer.assign(step)
        for node in step.nodes:
            if node.operation is not None:
                node.operation._has_run = True
        return step

    def build(self, step: subgraph_module.Subgraph, kernels: KernelCache) -> StepPlan:
        """The plan of placed nodes."""
        return build_step(step, self._device_types, self._incarnations, kernels, self.functions)

    def plan_function(
        self,
        graph: Graph,
        feeds: tuple[Tensor, ...],
        fetches: tuple[Tensor, ...],
        targets: tuple[Operation, ...],
        kernels: KernelCache,
        device: str,
    ) -> StepPlan:
        """The plan of a function's body; what asks for no device goes where the caller is."""
        placer = Placer(graph, self._devices, self._config, default_device=device)
        placer.place()
        step = subgraph_module.prune(graph, feeds, fetches, targets)
        placer.assign(step)
        return self.build(step, kernels)

    def explain(self, key: PlanKey) -> list[Any]:
        """The placements of the nodes of a step."""
        self._placer.place()
        return self._placer.placements(subgraph_module.prune(self._graph, *key))

    def partition_graphs(self, key: PlanKey) -> list[Any]:
        """The partitions of a step as GraphDefs."""
        partitions = partition(self.prune(*key), self._incarnations)
        return [metadata_messages.graph_def_of(part.subgraph.nodes) for part in partitions]
