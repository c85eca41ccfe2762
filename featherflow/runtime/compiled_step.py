"""CompiledStep: the plans of one straight step that run compiled clusters, by the feeds' shapes.

A step starts on its NumPy plan. Once it has run for long enough to be worth it, it is specialised
for the shapes at hand, its kernels are asked for, and when the last of them is there the compiled
plan takes over. If all images are cached that is before the first run.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from featherflow.compiler.compile_service import READY, WAITING, CompileJob, default_service
from featherflow.compiler.constants import ConstantPool
from featherflow.compiler.fusion import Group, fuse
from featherflow.compiler.lowered import CannotCompile, Lowered
from featherflow.compiler.program import Program
from featherflow.compiler.report import kernel_texts
from featherflow.compiler.schedule import Schedule
from featherflow.compiler.target import Target, host_target
from featherflow.framework.op import get_op
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.runtime import compile_log
from featherflow.runtime.cluster_op import cluster_node
from featherflow.runtime.compile_options import Mode
from featherflow.runtime.executor_plan import ExecutorPlan
from featherflow.runtime.specialization import Cluster, Specialization, specialize

#: Specialised plans kept for one step; the oldest goes first.
MAX_SPECIALIZATIONS = 32
#: Time on NumPy kernels after which a step is worth a look at the compiler.
_WORTH_SECONDS = 0.02
#: Below this, one run is little more than the way into a compiled program and out again.
_WORTH_SECONDS_A_RUN = 12e-6

#: Operations of a program for which it is worth to wake a second thread.
_WORTH_A_TEAM = 4e6

Signature = tuple[tuple[int, ...], ...]
BuildPlan = Callable[[Subgraph], ExecutorPlan]


@dataclass
class _Attempt:
    """One specialisation on its way."""

    specialization: Specialization
    schedules: dict[int, Schedule]
    jobs: dict[str, CompileJob]
    plan: ExecutorPlan | None = None
    is_over: bool = False


def is_compilable(subgraph: Subgraph, mode: Mode) -> bool:
    """Whether a step has anything for the compiler, and may use it."""
    return mode is not Mode.NEVER and any(
        node.definition.compile_rule_fn is not None for node in subgraph.nodes
    )


@dataclass
class CompiledStep:
    """See the module.

    Attributes:
      subgraph: the optimised nodes of the step.
      build: makes a plan of nodes.
      threads: of the team.
      mode: when to compile.
    """

    subgraph: Subgraph
    build: BuildPlan
    threads: int
    mode: Mode
    target: Target = field(default_factory=host_target)
    constants: ConstantPool = field(default_factory=ConstantPool)
    attempts: OrderedDict[Signature, _Attempt] = field(default_factory=OrderedDict)
    ready: dict[Signature, ExecutorPlan] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    seconds: float = 0.0
    runs: int = 0

    def plan_for(self, feeds: Sequence[Any]) -> ExecutorPlan | None:
        """The compiled plan for some values; None while the NumPy plan must run."""
        signature = tuple([value.shape for value in feeds])
        plan = self.ready.get(signature)
        if plan is not None:
            return plan
        if not self._is_worth_it(signature):
            return None
        with self.lock:
            attempt = self.attempts.get(signature)
            if attempt is None:
                attempt = self._begin(signature)
            if not attempt.is_over:
                self._advance(signature, attempt)
        return attempt.plan

    def count(self, start: float) -> None:
        """Takes down a run of the NumPy plan that began at `start`, on the performance clock."""
        self.seconds += time.perf_counter() - start
        self.runs += 1

    def _is_worth_it(self, signature: Signature) -> bool:
        """Whether to look at the compiler now."""
        if self.mode is Mode.AT_ONCE or signature in self.attempts:
            return True
        is_slow = self.seconds > _WORTH_SECONDS_A_RUN * self.runs
        return is_slow and self.seconds > _WORTH_SECONDS

    # --- the life of an attempt -------------------------------------------------------------------

    def _begin(self, signature: Signature) -> _Attempt:
        specialization = specialize(self.subgraph, signature)
        schedules = self.schedules(specialization)
        compile_log.specialized(signature, specialization, schedules)
        attempt = _Attempt(specialization, schedules, {})
        self.attempts[signature] = attempt
        while len(self.attempts) > MAX_SPECIALIZATIONS:
            oldest, _ = self.attempts.popitem(last=False)
            self.ready.pop(oldest, None)
        if not schedules:
            attempt.is_over = True
            return attempt
        service = default_service()
        texts = kernel_texts(schedules.values())
        attempt.jobs = {text: service.request(text, self.target) for text in texts}
        compile_log.asked(attempt.jobs.values())
        return attempt

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

    def _schedule(self, groups: list[Group], outputs: list[Lowered]) -> Schedule:
        """On as many threads as the work is worth."""
        schedule = Schedule(groups, outputs, self.constants, self.target, self.threads)
        if self.threads > 1 and schedule.flops < _WORTH_A_TEAM:
            return Schedule(groups, outputs, self.constants, self.target, 1)
        return schedule

    def _advance(self, signature: Signature, attempt: _Attempt) -> None:
        """Takes over if all kernels are there; gives up if one cannot be."""
        if self.mode is Mode.AT_ONCE:
            for job in attempt.jobs.values():
                job.wait()
        states = {job.state for job in attempt.jobs.values()}
        if WAITING in states:
            return
        attempt.is_over = True
        if states == {READY}:
            attempt.plan = self.ready[signature] = self._plan(attempt)
        compile_log.settled(signature, attempt.jobs.values())

    def _plan(self, attempt: _Attempt) -> ExecutorPlan:
        images: dict[str, Any] = {text: job.image for text, job in attempt.jobs.items()}
        programs = {
            level: Program(schedule, images) for level, schedule in attempt.schedules.items()
        }
        return self.build(with_clusters(self.subgraph, attempt.specialization, programs))


def with_clusters(
    subgraph: Subgraph, specialization: Specialization, programs: Mapping[int, Program]
) -> Subgraph:
    """The step with a node for each program in the place of the nodes that it computes."""
    return _Rewriter(subgraph, specialization, programs).run()


class _Rewriter:
    def __init__(
        self,
        subgraph: Subgraph,
        specialization: Specialization,
        programs: Mapping[int, Program],
    ) -> None:
        self.subgraph = subgraph
        self.specialization = specialization
        self.programs = programs
        self.replaced: dict[tuple[Node, int], tuple[Node, int]] = {}
        self.constants: list[Node] = []
        self.compiled = {
            node
            for level, cluster in specialization.clusters.items()
            if level in programs
            for node in cluster.nodes
        }

    def run(self) -> Subgraph:
        subgraph = self.subgraph
        nodes: list[Node] = []
        levels = self.specialization.levels
        kept = [node for node in subgraph.nodes if node not in self.compiled]
        clusters = {level: self.specialization.clusters[level] for level in self.programs}
        by_level: dict[int, list[Node]] = {}
        for node in kept:
            by_level.setdefault(levels[node], []).append(node)
        for level in sorted({*by_level, *clusters}):
            nodes.extend(self._copy(node) for node in by_level.get(level, ()))
            if level in clusters:
                nodes.append(self._cluster(level, clusters[level]))
        fetches = [self._edge(edge) for edge in subgraph.fetches]
        feeds = [self.replaced[node, 0][0] for node in subgraph.feeds]
        return Subgraph(_needed([*self.constants, *nodes], feeds, fetches), feeds, fetches)

    def _edge(self, edge: tuple[Node, int]) -> tuple[Node, int]:
        return self.replaced[edge]

    def _copy(self, node: Node) -> Node:
        """A node that keeps its kernel, on the new inputs; a known one is a constant."""
        if node.inputs and (node, 0) in self.specialization.known:
            return self._constants(node)
        copy = Node(
            node.name,
            node.definition,
            node.attrs,
            node.output_dtypes,
            node.output_shapes,
            node.device,
            node.operation,
        )
        copy.inputs = [self._edge(edge) for edge in node.inputs]
        for place in range(len(node.output_dtypes)):
            self.replaced[node, place] = copy, place
        return copy

    def _constants(self, node: Node) -> Node:
        """Constants for the outputs of a node that was computed while specialising."""
        made = []
        for place, dtype in enumerate(node.output_dtypes):
            value = self.specialization.known[node, place]
            attrs = {"value": value, "dtype": dtype}
            shape = TensorShape(value.shape)
            made.append(
                Node(
                    node.name, get_op("Const"), attrs, [dtype], [shape], node.device, node.operation
                )
            )
            self.replaced[node, place] = made[-1], 0
        self.constants.extend(made[1:])
        return made[0]

    def _cluster(self, level: int, cluster: Cluster) -> Node:
        outputs = list(dict.fromkeys(cluster.outputs.values()))
        edges = list(cluster.outputs)
        first = {value: edge for edge, value in reversed(cluster.outputs.items())}
        dtypes = [first[value][0].output_dtypes[first[value][1]] for value in outputs]
        node = cluster_node(
            f"cluster_{level // 2}",
            self.programs[level],
            [self._edge(edge) for edge in cluster.inputs],
            dtypes,
            [TensorShape(value.shape) for value in outputs],
            cluster.nodes[0].device,
        )
        for edge in edges:
            self.replaced[edge] = node, outputs.index(cluster.outputs[edge])
        return node


def _needed(
    nodes: list[Node], feeds: Sequence[Node], fetches: Sequence[tuple[Node, int]]
) -> list[Node]:
    """Nodes that are fetched from, have an effect, or are read by such."""
    needed = {*feeds, *(node for node, _ in fetches)}
    needed.update(node for node in nodes if node.definition.stateful or not node.output_dtypes)
    for node in reversed(nodes):
        if node in needed:
            needed.update(source for source, _ in node.inputs)
    return [node for node in nodes if node in needed or node.definition is FEED]
