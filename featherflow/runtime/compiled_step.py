"""CompiledStep: the plans of one straight step that run compiled clusters, by the feeds' shapes.

A step starts on its NumPy plan. Once it has run for long enough to be worth it, it is specialised
for the shapes at hand, its kernels are asked for, and when the last of them is there the compiled
plan takes over. If all images are cached that is before the first run.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from featherflow.compiler.batching import batched_inputs, pays_alone
from featherflow.compiler.compile_service import READY, WAITING, CompileJob, default_service
from featherflow.compiler.constants import ConstantPool, StandIn, stand_in
from featherflow.compiler.fusion import Group, fuse
from featherflow.compiler.lowered import CannotCompile, Lowered
from featherflow.compiler.program import Batch, Program
from featherflow.compiler.report import kernel_texts
from featherflow.compiler.schedule import Schedule
from featherflow.compiler.target import Target, host_target
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.runtime import compile_log
from featherflow.runtime.cluster_op import CLUSTER, shortcut
from featherflow.runtime.cluster_rewriter import with_clusters
from featherflow.runtime.compile_options import Mode
from featherflow.runtime.compile_trigger import CompileTrigger, constant_bytes
from featherflow.runtime.executor_plan import ExecutorPlan
from featherflow.runtime.specialization import Cluster, Specialization, specialize

#: Specialised plans kept for one step; the oldest goes first.
MAX_SPECIALIZATIONS = 32
#: Constants from which on it is worth to make a step anew rather than to keep its nodes.
_LARGE_MODEL_BYTES = 32 << 20
_LARGE_CONSTANT_BYTES = 1 << 16
#: `featherflow explain` sets this: it looks at the nodes after the run.
keeps_sources = False
#: Constants from which on a step is a model whose kernels may be cached.
_MODEL_BYTES = 1 << 18
#: Operations of a program for which it is worth to wake a second thread.
_WORTH_A_TEAM = 4e6

Signature = tuple[tuple[int, ...], ...]
RunProgram = Callable[[Sequence[Any]], list[Any]]
BuildPlan = Callable[[Subgraph], ExecutorPlan]


@dataclass
class _Attempt:
    """One specialisation on its way."""

    specialization: Specialization
    schedules: dict[int, Schedule]
    jobs: dict[str, CompileJob]
    batch: Batch | None = None
    plan: ExecutorPlan | None = None
    is_over: bool = False


@dataclass
class CompiledStep:
    """See the module.

    Attributes:
      trigger: what the step is, and when to compile it.
      subgraph: its optimised nodes.
      ready: the compiled plans that there are.
      shortcuts: of these, the ones that are one short program: how to run it.
      has_let_go: whether the NumPy plan may be dropped, too: it holds the same weights.
    """

    trigger: CompileTrigger
    target: Target = field(default_factory=host_target)
    constants: ConstantPool = None  # type: ignore[assignment]
    attempts: OrderedDict[Signature, _Attempt] = field(default_factory=OrderedDict)
    ready: dict[Signature, ExecutorPlan] = field(default_factory=dict)
    shortcuts: dict[Signature, RunProgram] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    has_let_go: bool = False
    _fresh: dict[Hashable, np.ndarray] | None = None

    def __post_init__(self) -> None:
        self.subgraph = self.trigger.subgraph
        self.source = self.trigger.source
        self.threads = self.trigger.threads
        if self.constants is None:
            self.constants = ConstantPool(self._restore)

    def plan_for(self, feeds: Sequence[Any]) -> ExecutorPlan | None:
        """The compiled plan for some values; None while the NumPy plan must run."""
        signature = tuple([value.shape for value in feeds])
        plan = self.ready.get(signature)
        if plan is not None:
            return plan
        is_hot = self.trigger.is_hot()
        if not is_hot and self.trigger.runs:
            return None
        with self.lock:
            attempt = self.attempts.get(signature) or self._begin(signature)
            if not attempt.jobs and not attempt.is_over:
                self._ask(attempt, only_if_cached=not is_hot)
            if attempt.jobs and not attempt.is_over:
                self._advance(signature, attempt)
        return attempt.plan

    def _let_go(self, attempt: _Attempt) -> bool:
        """Drops the weights that passes have made for a large step that is all compiled.

        Beside the packed ones nobody needs them, until the step is specialised for other shapes and
        wants another form; `source` makes them anew.
        """
        if keeps_sources or constant_bytes(self.subgraph) < _LARGE_MODEL_BYTES:
            return False
        for node in self.subgraph.nodes:
            if node.operation is None or node.attrs is not node.operation.attrs:
                _drop_value(node)
        attempt.specialization = Specialization(reasons=attempt.specialization.reasons)
        return True

    def _restore(self, key: Hashable) -> np.ndarray:
        """A weight that was dropped."""
        if self._fresh is None:
            self._fresh = {
                (node.name, 0): node.attrs["value"]
                for node in self.source().nodes
                if "value" in node.attrs
            }
        return self._fresh[key]

    # --- the life of an attempt -------------------------------------------------------------------

    def _begin(self, signature: Signature) -> _Attempt:
        specialization = specialize(self.subgraph, signature)
        if self.has_let_go and not covers_all(self.subgraph, specialization):
            self.subgraph, self.has_let_go = self.source(), False
            specialization = specialize(self.subgraph, signature)
        attempt = self._one_by_one(signature, specialization)
        if attempt is None:
            attempt = _Attempt(specialization, self.schedules(specialization), {})
        schedules = attempt.schedules
        compile_log.specialized(signature, specialization, schedules)
        self.attempts[signature] = attempt
        while len(self.attempts) > MAX_SPECIALIZATIONS:
            oldest, _ = self.attempts.popitem(last=False)
            self.ready.pop(oldest, None)
            self.shortcuts.pop(oldest, None)
        attempt.is_over = not schedules
        self._fresh = None
        return attempt

    def _ask(self, attempt: _Attempt, only_if_cached: bool) -> None:
        """Asks for the kernels."""
        service = default_service()
        texts = kernel_texts(attempt.schedules.values())
        if only_if_cached and not service.are_cached(texts, self.target):
            return
        attempt.jobs = {text: service.request(text, self.target) for text in texts}
        compile_log.asked(attempt.jobs.values())

    def schedules(self, specialization: Specialization) -> dict[int, Schedule]:
        """The calls of each cluster, by level; of those that can be scheduled."""
        schedules = {}
        for level, cluster in specialization.clusters.items():
            outputs = list(dict.fromkeys(cluster.outputs.values()))
            groups = fuse(cluster.lowering.values, outputs)
            compile_log.fused(level, groups)
            try:
                schedules[level] = self._schedule(groups, outputs)
            except CannotCompile as reason:
                specialization.reasons[f"level {level}"] = str(reason)
        return schedules

    def _one_by_one(self, signature: Signature, whole: Specialization) -> _Attempt | None:
        """An attempt that runs the images of a batch one by one, where that pays."""
        batch = _batch_of(signature)
        if batch < 2 or len(whole.clusters) != 1:
            return None
        one = specialize(self.subgraph, tuple((1, *shape[1:]) for shape in signature))
        if one.clusters.keys() != whole.clusters.keys():
            return None
        ((level, cluster),), (single,) = whole.clusters.items(), one.clusters.values()
        inputs = batched_inputs(*_traces(cluster), *_traces(single), batch)
        if inputs is None or len(inputs) != len(cluster.inputs):
            return None
        outputs = list(dict.fromkeys(single.outputs.values()))
        groups = fuse(single.lowering.values, outputs)
        try:
            schedule = Schedule(groups, outputs, self.constants, self.target, 1)
        except CannotCompile:
            return None
        threads = min(self.threads, batch)
        if not pays_alone(schedule.flops, schedule.weight_bytes, batch):
            return None
        return _Attempt(whole, {level: schedule}, {}, Batch(batch, threads, tuple(inputs)))

    def _schedule(self, groups: list[Group], outputs: list[Lowered]) -> Schedule:
        """On as many threads as the work is worth."""
        schedule = Schedule(groups, outputs, self.constants, self.target, self.threads)
        if self.threads > 1 and schedule.flops < _WORTH_A_TEAM:
            return Schedule(groups, outputs, self.constants, self.target, 1)
        return schedule

    def _advance(self, signature: Signature, attempt: _Attempt) -> None:
        """Takes over if all kernels are there; gives up if one cannot be."""
        if self.trigger.mode is Mode.AT_ONCE:
            for job in attempt.jobs.values():
                job.wait()
        states = {job.state for job in attempt.jobs.values()}
        if WAITING in states:
            return
        attempt.is_over = True
        if states == {READY}:
            attempt.plan = self.ready[signature] = self._plan(signature, attempt)
            if covers_all(self.subgraph, attempt.specialization):
                self.has_let_go = self._let_go(attempt) or self.has_let_go
        compile_log.settled(signature, attempt.jobs.values())

    def _plan(self, signature: Signature, attempt: _Attempt) -> ExecutorPlan:
        images: dict[str, Any] = {text: job.image for text, job in attempt.jobs.items()}
        programs = {
            level: Program(schedule, images, attempt.batch)
            for level, schedule in attempt.schedules.items()
        }
        step = with_clusters(self.subgraph, attempt.specialization, programs)
        clusters = [node for node in step.nodes if node.definition is CLUSTER]
        if len(clusters) == 1 and len(step.nodes) == len(step.feeds) + 1:
            run = shortcut(clusters[0], step.feeds, step.fetches)
            if run is not None:
                self.shortcuts[signature] = run
        return self.trigger.build(step)


def _batch_of(signature: Signature) -> int:
    """The size that the first axes of all feeds have; 0 if they differ."""
    sizes = {shape[0] if shape else 0 for shape in signature}
    return sizes.pop() if len(sizes) == 1 else 0


def _traces(cluster: Cluster) -> tuple[list[Lowered], list[Lowered]]:
    """The values and the outputs of a cluster."""
    return cluster.lowering.values, list(dict.fromkeys(cluster.outputs.values()))


def covers_all(subgraph: Subgraph, specialization: Specialization) -> bool:
    """Whether nothing but constants and what is known of shapes is left beside the clusters."""
    compiled = {node for cluster in specialization.clusters.values() for node in cluster.nodes}
    return all(
        node in compiled or node.definition is FEED or (node, 0) in specialization.known
        for node in subgraph.nodes
    ) and not any((node, 0) in specialization.known for node, _ in subgraph.fetches)


def _drop_value(node: Node) -> None:
    value = node.attrs.get("value")
    if not isinstance(value, np.ndarray) or isinstance(value, StandIn):
        return
    if value.nbytes >= _LARGE_CONSTANT_BYTES:
        node.attrs = {**node.attrs, "value": stand_in(value)}
