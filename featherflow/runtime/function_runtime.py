"""FunctionRuntime: runs the functions of a graph's library for kernels that call them.

A function is planned once for each device that calls it, like a step of its own, with its arguments
as feeds. It runs inside the step of its caller: same resources, same cancellation, same deadline.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.errors import InvalidArgumentError, NotFoundError
from featherflow.framework.op import find_op
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.subgraph import Node
from featherflow.graph.tensor import Tensor
from featherflow.runtime.executor_plan import KernelCache
from featherflow.runtime.step_context import OpKernelContext
from featherflow.runtime.step_plan import StepPlan, run_step
from featherflow.runtime.step_run import Scheduler
from featherflow.runtime.step_stats import TracedKernels

#: Plans of functions kept by a session; the least recently used goes first.
MAX_FUNCTION_PLANS = 512

#: Places, prunes and plans a part of a graph: (graph, feeds, fetches, targets, kernels, device).
Planner = Callable[
    [Graph, tuple[Tensor, ...], tuple[Tensor, ...], tuple[Operation, ...], KernelCache, str],
    StepPlan,
]


class FunctionRuntime:
    """The functions of one session.

    Args:
      functions: the library, by name; it may grow.
      planner: how a body becomes a plan.
      pool: threads for functions that span devices.
    """

    def __init__(self, functions: Mapping[str, Any], planner: Planner, pool: Scheduler) -> None:
        self._functions = functions
        self._planner = planner
        self._pool = pool
        self._lock = threading.RLock()
        self._plans: OrderedDict[Any, tuple[StepPlan, int]] = OrderedDict()
        self._kernels: dict[Any, KernelCache] = {}
        self._libraries: list[Mapping[str, Any]] = []
        self._waits: dict[NameAttrList, bool] = {}

    def run(
        self, context: OpKernelContext, function: NameAttrList, inputs: Sequence[Any]
    ) -> list[Any]:
        """Runs a function in the step of `context`; returns its results, lists unrolled.

        Raises:
          NotFoundError: there is no such function.
          InvalidArgumentError: it takes another number of arguments.
          OpError: a kernel in it failed.
        """
        key = function, context.device, context.stats is not None
        known = self._plans.get(key)
        plan, count = self._plan(key) if known is None else known
        if len(inputs) != count:
            raise InvalidArgumentError(
                None,
                None,
                f"Function {function.name} was called with another number of arguments",
                received=len(inputs),
                expected=count,
            )
        return run_step(plan, list(inputs), context.on_device(context.device), self._pool)

    def _plan(self, key: tuple[NameAttrList, str, bool]) -> tuple[StepPlan, int]:
        function, device, traced = key
        with self._lock:  # the first call plans, others wait for its plan
            planned = self._plans.get(key)
            if planned is None:
                body = self.body(function)
                kernels = self._kernels.setdefault((function, device), KernelCache())
                plan = self._planner(
                    body.graph,
                    tuple(body.inputs),
                    tuple(body.outputs),
                    tuple(body.control_outputs),
                    TracedKernels(kernels) if traced else kernels,
                    device,
                )
                planned = self._plans[key] = plan, len(body.inputs)
                while len(self._plans) > MAX_FUNCTION_PLANS:
                    self._plans.popitem(last=False)
        return planned

    def body(self, function: NameAttrList) -> Any:
        """What is behind a name: an object with `graph`, `inputs`, `outputs`, `control_outputs`.

        Raises:
          NotFoundError: nothing is.
        """
        found = self._functions.get(function.name)
        for library in self._libraries:
            if found is not None:
                break
            found = library.get(function.name)
        if found is None:
            known = ", ".join(sorted(self._functions)[:8]) or "none"
            raise NotFoundError(
                None,
                None,
                f"Function {function.name} is not defined",
                received=f"a call of {function.name}",
                expected=f"a function of the graph's library: {known}",
            )
        instantiate = getattr(found, "instantiate", None)
        body = found if instantiate is None else instantiate(function.attrs)
        library = body.graph._functions
        if library is not self._functions and not any(library is item for item in self._libraries):
            self._libraries.append(library)
        return body

    # --- what a plan must know --------------------------------------------------------------------

    def may_wait(self, node: Node) -> bool:
        """Whether a function that a node runs has a kernel that may wait, in it or deeper.

        Raises:
          NotFoundError: there is no such function; names the node.
        """
        try:
            return any(map(self._function_waits, self._functions_of(node)))
        except NotFoundError as error:
            raise error if node.operation is None else error.attach(node.operation) from None

    def _functions_of(self, node: Any) -> list[NameAttrList]:
        definition = node.definition
        if not definition.calls_functions:
            return []
        found = []
        for attr in definition.op_def.attrs:
            value = node.attrs.get(attr.name)
            if attr.type == "func" and value is not None:
                found.append(value)
            elif attr.type == "list(func)" and value is not None:
                found.extend(value)
        if find_op(definition.name) is not definition:  # the op is a function itself
            found.append(NameAttrList(definition.name, node.attrs))
        return found

    def _function_waits(self, function: NameAttrList) -> bool:
        known = self._waits.get(function)
        if known is None:
            self._waits[function] = False  # what calls itself waits only if something else does
            known = self._waits[function] = any(
                any(kernel.asynchronous for kernel in operation.definition.kernels)
                or any(map(self._function_waits, self._functions_of(operation)))
                for operation in self.body(function).graph.get_operations()
            )
        return known

    def clear(self) -> None:
        """Forgets plans and the state of kernels."""
        with self._lock:
            self._plans.clear()
            self._kernels.clear()
            self._libraries.clear()
            self._waits.clear()

    def __len__(self) -> int:
        return len(self._plans)
