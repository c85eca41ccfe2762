"""DataflowExecutor: runs the units of one partition as they become ready.

An executor belongs to one thread at a time: whoever drains it. Asynchronous kernels report from any
thread; what they report waits in `arrived` until the next drain, which `StepRun` arranges.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from featherflow.framework.dead_value import DEAD
from featherflow.framework.errors import CancelledError, InternalError
from featherflow.framework.quiet import quiet
from featherflow.runtime.dataflow_plan import DataflowPlan, UnitPlan
from featherflow.runtime.executor import located_error
from featherflow.runtime.executor_plan import CONTEXT_SLOT
from featherflow.runtime.propagator import Iteration, Propagator
from featherflow.runtime.step_context import Cancellation, OpKernelContext

#: How many waiting nodes an error names.
_NAMED = 8


class DataflowExecutor:
    """One partition in one step.

    Attributes:
      arrived: results of asynchronous kernels: (iteration, unit, result).
      running: the asynchronous kernels that have not reported, by the key of their report.
      is_scheduled: whether it is being drained, or somebody has promised to; kept by StepRun.
    """

    __slots__ = ("_arrival", "_cancellation", "_propagator", "arrived", "is_scheduled", "running")

    def __init__(
        self,
        plan: DataflowPlan,
        feeds: list[Any],
        context: OpKernelContext,
        arrival: Callable[[DataflowExecutor], None] | None = None,
    ) -> None:
        """
        Args:
          arrival: is called when something has been put into `arrived`.
        """
        self._propagator = Propagator(plan, feeds, context)
        self._cancellation = context.cancellation
        self._arrival = arrival
        self.arrived: deque[tuple[Iteration, UnitPlan, Any]] = deque()
        self.running: dict[tuple[Iteration, UnitPlan], None] = {}
        self.is_scheduled = False

    def drain(self) -> None:
        """Runs what is ready until nothing is; asynchronous kernels are only started.

        Raises:
          OpError: a kernel failed; it names the node.
        """
        quiet().run(self._drain)

    def _drain(self) -> None:
        propagator = self._propagator
        ready = propagator.ready
        arrived = self.arrived
        cancellation = self._cancellation
        while not cancellation.cancelled:
            if arrived:
                self._finish(*arrived.popleft())
                continue
            if not ready:
                return
            iteration, unit = ready.popleft()
            if unit.blocks is not None:
                run_batch(unit, iteration.values, cancellation)
                if cancellation.cancelled:
                    return
            elif unit.is_merge:
                run_step(unit, iteration.values)
            else:
                self._start(iteration, unit)
                continue
            propagator.unit_done(iteration, unit)

    # --- asynchronous kernels ---------------------------------------------------------------------

    def _start(self, iteration: Iteration, unit: UnitPlan) -> None:
        values = iteration.values
        kernel, gather, out, _, node = unit.step  # type: ignore[misc]
        for slot in unit.guards:
            if values[slot] is DEAD:
                _set_dead(values, out)
                self._propagator.unit_done(iteration, unit)
                return
        self.running[iteration, unit] = None
        try:
            kernel(values[CONTEXT_SLOT], partial(self._report, iteration, unit), *gather(values))
        except Exception as error:
            self.running.pop((iteration, unit), None)
            raise located_error(error, node) from error.__cause__

    def _report(self, iteration: Iteration, unit: UnitPlan, result: Any = None) -> None:
        """`done` of an asynchronous kernel, on any thread."""
        self.arrived.append((iteration, unit, result))
        if self._arrival is not None:
            self._arrival(self)

    def _finish(self, iteration: Iteration, unit: UnitPlan, result: Any) -> None:
        node = unit.step.node  # type: ignore[union-attr]
        if (iteration, unit) not in self.running:
            problem = InternalError(None, None, "An asynchronous kernel reported twice in one call")
            raise located_error(problem, node)
        del self.running[iteration, unit]
        if isinstance(result, Exception):
            raise located_error(result, node)
        out = unit.step.out  # type: ignore[union-attr]
        if result is DEAD:
            _set_dead(iteration.values, out)
        elif node.output_dtypes:
            iteration.values[out] = result
        self._propagator.unit_done(iteration, unit)

    # --- the end ----------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Whether everything has run, or cannot run any more."""
        return self._propagator.is_over()

    def values(self) -> list[Any]:
        """The values of the graph's slots, once all is over.

        Raises:
          InternalError: nodes never got what they waited for.
        """
        starving = self.starving()
        if starving:
            raise starved_error(starving)
        return self._propagator.root.values

    def starving(self) -> list[tuple[str, str]]:
        """(node, what it waits for) for those that never ran, and those that wait still."""
        waiting = [
            (unit.nodes[0].name, f"its {unit.nodes[0].definition.name} to complete")
            for _, unit in self.running
        ]
        return waiting + self._propagator.starving()


def run_alone(plan: DataflowPlan, feeds: list[Any], context: OpKernelContext) -> list[Any]:
    """Runs a partition that is the whole step and never waits; returns the values of its slots."""
    executor = DataflowExecutor(plan, feeds, context)
    executor.drain()
    cancellation = context.cancellation
    if cancellation.cancelled:
        raise cancellation.reason or CancelledError(None, None, "The step was cancelled.")
    return executor.values()


def run_batch(unit: UnitPlan, values: list[Any], cancellation: Cancellation) -> None:
    """Runs the blocks of a batch; stops early if the step is cancelled."""
    node = None
    try:
        for guards, steps, dead, sends in unit.blocks:  # type: ignore[union-attr]
            for slot in guards:
                if values[slot] is DEAD:
                    for dead_slot in dead:
                        values[dead_slot] = DEAD
                    for send in sends:
                        send(values[CONTEXT_SLOT], DEAD)
                    break
            else:
                for kernel, gather, out, release, node in steps:  # noqa: B007
                    values[out] = kernel(*gather(values))
                    for slot in release:
                        values[slot] = None
                    if cancellation.cancelled:
                        return
    except Exception as error:
        raise located_error(error, node) from error.__cause__


def run_step(unit: UnitPlan, values: list[Any]) -> None:
    """Runs a Merge."""
    kernel, gather, out, _, _ = unit.step  # type: ignore[misc]
    values[out] = kernel(*gather(values))


def _set_dead(values: list[Any], out: int | slice) -> None:
    if isinstance(out, slice):
        values[out] = [DEAD] * (out.stop - out.start)
    else:
        values[out] = DEAD


def starved_error(starving: list[tuple[str, str]]) -> InternalError:
    """The error of a step in which nothing can move any more."""
    named = "; ".join(f"'{node}' waits for {what}" for node, what in starving[:_NAMED])
    more = f"; and {len(starving) - _NAMED} more" if len(starving) > _NAMED else ""
    return InternalError(
        None,
        None,
        f"The step came to a stop with {len(starving)} nodes waiting",
        received=named + more,
        remedy="A loop or branch of the graph is malformed: each value that enters a loop must be "
        "there in each iteration that reads it, and each Recv needs its Send.",
    )
