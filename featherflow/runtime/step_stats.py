"""Step statistics: what each kernel of a traced step did, when, where, and for which line.

A traced step runs plans of its own, whose kernels are wrapped by TracedKernels; ordinary plans know
nothing of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.framework.dead_value import DEAD
from featherflow.framework.op_kernel import KernelDef
from featherflow.graph.operation import creation_site
from featherflow.graph.subgraph import Node
from featherflow.runtime.executor_plan import BoundKernel, KernelCache


@dataclass(frozen=True, slots=True)
class OutputStats:
    """One output that a kernel made: its place, NumPy dtype (None for a resource), shape, bytes."""

    slot: int
    dtype: Any
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class NodeStats:
    """One run of one kernel.

    Attributes:
      node: what ran.
      device: the full name of its device.
      kernel: where the kernel is, `file:line`.
      start, end: in nanoseconds since the epoch.
      outputs: what it made.
      thread: the name of the thread that ran it; of an asynchronous kernel, that started it.
    """

    node: Node
    device: str
    kernel: str
    start: int
    end: int
    outputs: tuple[OutputStats, ...]
    thread: str

    @property
    def created_at(self) -> str:
        """The user's line that made the node; "" for a node of the runtime."""
        operation = self.node.operation
        return creation_site(operation) if operation is not None else ""

    @property
    def output_bytes(self) -> int:
        """The bytes of all outputs."""
        return sum(output.bytes for output in self.outputs)


class StepStatsCollector:
    """Collects the NodeStats of one step, from any thread."""

    def __init__(self) -> None:
        self.nodes: list[NodeStats] = []
        self._epoch = time.time_ns() - time.perf_counter_ns()

    def record(
        self, node: Node, device: str, kernel: str, start: int, end: int, result: Any
    ) -> None:
        """Notes a run of a kernel; times are of `time.perf_counter_ns`."""
        thread = threading.current_thread().name
        start, end = start + self._epoch, end + self._epoch
        outputs = _outputs_of(node, result)
        self.nodes.append(NodeStats(node, device, kernel, start, end, outputs, thread))

    def by_device(self) -> dict[str, list[NodeStats]]:
        """The stats of each device, in order of their start."""
        found: dict[str, list[NodeStats]] = {}
        for stats in sorted(self.nodes, key=lambda stats: stats.start):
            found.setdefault(stats.device, []).append(stats)
        return dict(sorted(found.items()))


def _outputs_of(node: Node, result: Any) -> tuple[OutputStats, ...]:
    if not node.output_dtypes or result is None:
        return ()
    single = len(node.output_dtypes) == 1 and not node.definition.op_def.outputs[0].is_list
    values = (result,) if single else tuple(result)
    return tuple(
        OutputStats(slot, value.dtype, value.shape, value.nbytes)
        if isinstance(value, np.ndarray)
        else OutputStats(slot, None, (), 0)
        for slot, value in enumerate(values)
        if value is not DEAD
    )


class TracedKernels(KernelCache):
    """The kernels of a cache, wrapped so that each run of one is recorded in `context.stats`."""

    def __init__(self, kernels: KernelCache) -> None:
        self._kernels = kernels._kernels  # stateful kernels are the session's, traced or not

    def bind(self, node: Node, device_type: str) -> BoundKernel:
        kernel = super().bind(node, device_type)
        definition = node.definition.kernels.get(device_type, node)
        if kernel.asynchronous:
            return BoundKernel(_traced_start(kernel.call, node, definition), True, True)
        call = _traced_call(kernel.call, kernel.wants_context, node, definition)
        return BoundKernel(call, True, False)


def _traced_call(
    call: Callable[..., Any], wants_context: bool, node: Node, definition: KernelDef
) -> Callable[..., Any]:
    location = str(definition.location)

    def run(context: Any, *inputs: Any) -> Any:
        arguments = (context, *inputs) if wants_context else inputs
        start = time.perf_counter_ns()
        result = call(*arguments)
        end = time.perf_counter_ns()
        context.stats.record(node, context.device, location, start, end, result)
        return result

    return run


def _traced_start(
    call: Callable[..., Any], node: Node, definition: KernelDef
) -> Callable[..., None]:
    location = str(definition.location)

    def run(context: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        start = time.perf_counter_ns()

        def finish(result: Any = None) -> None:
            if not isinstance(result, Exception) and result is not DEAD:
                end = time.perf_counter_ns()
                context.stats.record(node, context.device, location, start, end, result)
            done(result)

        call(context, finish, *inputs)

    return run
