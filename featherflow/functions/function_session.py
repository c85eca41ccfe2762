"""FunctionSession: runs the graph of one traced function, on the resources of eager execution."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

from featherflow.eager.context import context as eager_context
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.runtime import executor
from featherflow.runtime.direct_session import DirectSession, PreparedStep
from featherflow.runtime.executor_plan import ExecutorPlan
from featherflow.runtime.session_factory import SessionOptions
from featherflow.runtime.step_context import Cancellation, OpKernelContext
from featherflow.runtime.step_plan import leave_step, run_step
from featherflow.runtime.thread_pool import ThreadPool

_step_ids = itertools.count(1)
_pool = ThreadPool(8, "featherflow-function")


class FunctionSession(DirectSession):
    """A session of one FuncGraph: placed, pruned, optimised, planned and compiled as any other.

    What it gives out is not copied: values of functions are never written, by nobody.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__(SessionOptions("", None), graph)
        self.resources = eager_context.resources

    def step(
        self,
        feeds: Sequence[Tensor],
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
    ) -> PreparedStep:
        """The plan of a call."""
        return self.prepare(tuple(feeds), tuple(fetches), tuple(targets))

    def call(self, step: PreparedStep, values: list[Any]) -> list[Any]:
        """Runs a plan; `values` are those of its feeds.

        Raises:
          OpError: a kernel failed.
        """
        start, is_compiled = 0.0, True
        plan = step._plan
        if step.trigger is not None or plan is None:
            start = time.perf_counter()
            plan, is_compiled = step.plan_for(values)
        context = OpKernelContext(
            next(_step_ids),
            self.resources,
            self._device_name,
            Cancellation(),
            None,
            self.functions,
        )
        if plan.__class__ is not ExecutorPlan:
            return leave_step(plan, run_step(plan, values, context, _pool))
        slots = executor.run_plan(plan, values, context)  # type: ignore[arg-type]
        if not is_compiled and step.trigger is not None and step.trigger.count(start):
            step.trigger = None
        return [slots[slot] for slot, _ in plan.fetches]  # type: ignore[union-attr]

    def close(self) -> None:
        """Drops the plans; the resources are everybody's."""
        self._plans.clear()
        self.functions.clear()
        self.kernels.clear()
