"""StepPlan: how a placed subgraph becomes something that runs.

A subgraph on one device without control flow and without kernels that wait is an `ExecutorPlan`, a
straight list. Anything else is a `DataflowStep`: a DataflowPlan for each device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from featherflow.framework.dead_value import DEAD
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op
from featherflow.graph.graph_partition import Partition, partition
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.ops import control_flow_primitives, sendrecv_ops  # noqa: F401 (for partition)
from featherflow.runtime import executor
from featherflow.runtime.dataflow_builder import build_dataflow_plan
from featherflow.runtime.dataflow_executor import run_alone
from featherflow.runtime.dataflow_plan import DataflowPlan
from featherflow.runtime.executor_plan import (
    ExecutorPlan,
    KernelCache,
    build_plan,
    leave_run,
    must_copy_fetches,
)
from featherflow.runtime.rendezvous import LocalRendezvous
from featherflow.runtime.step_context import OpKernelContext
from featherflow.runtime.step_run import Scheduler, StepRun


class CalledFunctions(Protocol):
    """What a plan must know of the functions that its nodes run."""

    def may_wait(self, node: Node) -> bool:
        """Whether a function that the node runs has a kernel that may wait."""
        ...


class StepFetch(NamedTuple):
    """Where a fetched value of a step is: in which partition, and in which slot of its graph."""

    partition: int
    slot: int
    must_copy: bool
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class DataflowStep:
    """The plans of a step that needs a Propagator.

    Attributes:
      devices: of each partition.
      plans: of each partition.
      feeds: for each partition, the places of the feeds that it takes.
      fetches: where the fetched values are.
      waits: whether any kernel may wait, or there is more than one partition.
    """

    devices: tuple[str, ...]
    plans: tuple[DataflowPlan, ...]
    feeds: tuple[tuple[int, ...], ...]
    fetches: tuple[StepFetch, ...]
    waits: bool


StepPlan = ExecutorPlan | DataflowStep


def build_step(
    subgraph: Subgraph,
    device_types: Mapping[str, str],
    incarnations: Mapping[str, int],
    kernels: KernelCache,
    functions: CalledFunctions,
    one_by_one: bool = False,
) -> StepPlan:
    """The plan of a subgraph whose nodes have devices.

    Args:
      device_types, incarnations: of each device, by full name.
      functions: tells which nodes run functions in which a kernel may wait.
      one_by_one: batches nothing, for tests; see `make_units`.
    """
    waiting = _waiting_nodes(subgraph.nodes, device_types, functions)
    devices = {node.device for node in subgraph.nodes if node.definition is not FEED}
    flows = any(node.definition.control_flow for node in subgraph.nodes)
    if len(devices) <= 1 and not (waiting or flows or one_by_one):
        device = next(iter(devices), next(iter(device_types)))
        return build_plan(subgraph, device, device_types[device], kernels)
    copies = must_copy_fetches(subgraph)
    partitions = partition(subgraph, incarnations)
    plans = tuple(
        build_dataflow_plan(
            part.subgraph,
            device_types[part.device],
            kernels,
            waiting | {node for node in part.subgraph.nodes if _is_receive(node)},
            one_by_one,
        )
        for part in partitions
    )
    return DataflowStep(
        devices=tuple(part.device for part in partitions),
        plans=plans,
        feeds=tuple(tuple(part.feeds) for part in partitions),
        fetches=_step_fetches(partitions, plans, copies),
        waits=len(plans) > 1 or any(plan.waits for plan in plans),
    )


def _waiting_nodes(
    nodes: list[Node], device_types: Mapping[str, str], functions: CalledFunctions
) -> set[Node]:
    """The nodes whose kernels are asynchronous."""
    kinds: dict[Op, str] = {}
    found = set()
    for node in nodes:
        definition = node.definition
        kind = kinds.get(definition)
        if kind is None:
            kind = kinds[definition] = _waiting_kind(definition)
        if kind == "kernel":
            kernel = definition.kernels.find(device_types[node.device], node.attrs)
            if kernel is not None and kernel.asynchronous:
                found.add(node)
        elif kind == "function" and functions.may_wait(node):
            found.add(node)
    return found


def _waiting_kind(definition: Op) -> str:
    """What a node of this op may wait for: its own kernel, a function that it runs, or nothing."""
    if any(kernel.asynchronous for kernel in definition.kernels):
        return "kernel"
    return "function" if definition.calls_functions else ""


def _is_receive(node: Node) -> bool:
    return node.definition.control_flow == "recv"


def _step_fetches(
    partitions: Sequence[Partition], plans: Sequence[DataflowPlan], copies: list[bool]
) -> tuple[StepFetch, ...]:
    found: dict[int, StepFetch] = {}
    for number, (part, plan) in enumerate(zip(partitions, plans)):
        for place, slot, (node, index) in zip(part.fetches, plan.fetches, part.subgraph.fetches):
            found[place] = StepFetch(number, slot, copies[place], f"{node.name}:{index}")
    return tuple(found[place] for place in range(len(found)))


# --- running --------------------------------------------------------------------------------------


def run_step(
    step: StepPlan,
    feeds: list[Any],
    context: OpKernelContext,
    pool: Scheduler,
    may_be_dead: bool = False,
) -> list[Any]:
    """Runs a step; returns the fetched values as they are, not yet fit to leave the run.

    Args:
      may_be_dead: gives DEAD for a dead fetch instead of raising.

    Raises:
      OpError: a kernel failed, a fetch is dead, or the step was cancelled.
    """
    if step.__class__ is ExecutorPlan:
        values = executor.run_plan(step, feeds, context)  # type: ignore[arg-type]
        return [values[fetch.slot] for fetch in step.fetches]  # type: ignore[union-attr]
    assert isinstance(step, DataflowStep)
    lists = _run_partitions(step, feeds, context, pool)
    result = []
    for number, slot, _, name in step.fetches:
        value = lists[number][slot]
        if value is DEAD and not may_be_dead:
            raise _dead_fetch_error(len(result), name)
        result.append(value)
    return result


def _run_partitions(
    step: DataflowStep, feeds: list[Any], context: OpKernelContext, pool: Scheduler
) -> list[list[Any]]:
    if not step.waits:
        context.device = step.devices[0]
        return [run_alone(step.plans[0], feeds, context)]
    context.rendezvous = LocalRendezvous()
    contexts = [context.on_device(device) for device in step.devices]
    feeds_of = [[feeds[place] for place in places] for places in step.feeds]
    return StepRun(step.plans, feeds_of, contexts, pool).run()


def _dead_fetch_error(place: int, name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        None,
        f"Retval[{place}] does not have value",
        received=f"a fetch of '{name}', which is on a branch that was not taken",
        remedy="Fetch what joins the branches: the result of tf.cond or tf.case.",
    )


def leave_step(step: StepPlan, values: list[Any]) -> list[Any]:
    """The fetched values as the user may keep them."""
    return [leave_run(value, fetch.must_copy) for value, fetch in zip(values, step.fetches)]
