"""ExecutorPlan: what is fixed for one subgraph on one device, worked out once.

Every output of every node has a slot in one list of values. A step of the plan is

    (kernel, gather, out, release, node)

`gather(values)` gives the kernel's inputs; `out` is the slot of its output, or a slice of slots;
`release` are the slots whose last reader the step is. Slot 0 holds the step's OpKernelContext, so a
kernel that wants it just reads one input more. Constants have their values from the start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.op import flat_arg_dtypes
from featherflow.framework.op_kernel import KernelDef, OpKernel
from featherflow.framework.resource import VariableCell
from featherflow.graph.subgraph import FEED, Node, Subgraph

CONTEXT_SLOT = 0


class Step(NamedTuple):
    """One kernel call of a straight plan; the module docstring tells the fields."""

    kernel: Callable[..., Any]
    gather: Callable[[list[Any]], Any]
    out: int | slice
    release: tuple[int, ...]
    node: Node


class Fetch(NamedTuple):
    """Where a fetched value is, and whether it must be copied to leave the run."""

    slot: int
    must_copy: bool


@dataclass(frozen=True, slots=True)
class ExecutorPlan:
    """A straight list of steps: no control flow, nothing that waits.

    Attributes:
      steps: in order.
      template: the initial values of all slots: constants, else None.
      feed_slots: for each feed, its slot.
      fetches: for each fetch, where it is.
      device: the full name of the device.
    """

    steps: tuple[Step, ...]
    template: list[Any]
    feed_slots: tuple[int, ...]
    fetches: tuple[Fetch, ...]
    device: str


class BoundKernel(NamedTuple):
    """The kernel of one node.

    Attributes:
      call: a function of the inputs, behind the context if the kernel wants it; if it is
        asynchronous, of `(context, done, *inputs)`.
      wants_context: whether the context comes first.
      asynchronous: whether it may wait.
    """

    call: Callable[..., Any]
    wants_context: bool
    asynchronous: bool


class KernelCache:
    """Kernels with state of their own, one for each node of a session, shared by all its plans."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[str, KernelDef], OpKernel] = {}

    def bind(self, node: Node, device_type: str) -> BoundKernel:
        """The kernel of a node, with attributes filled in and refs read.

        Raises:
          InvalidArgumentError: there is none for the device.
        """
        definition = node.definition.kernels.get(device_type, node)
        if definition.is_class:
            method = "compute_async" if definition.asynchronous else "compute"
            call: Callable[..., Any] = getattr(self._instance(definition, node), method)
        else:
            call = definition.bind(node.attrs, _rank_0_possible(node))
        positions = _refs_to_read(node)
        if positions:
            offset = 2 if definition.asynchronous else int(definition.wants_context)
            call = partial(_with_refs_read, call, tuple(at + offset for at in positions))
        if not node.output_dtypes and not definition.asynchronous:
            call = partial(_without_outputs, call)
        return BoundKernel(call, definition.wants_context, definition.asynchronous)

    def _instance(self, definition: KernelDef, node: Node) -> OpKernel:
        """The kernel object of a node, made on first use."""
        key = node.name, definition
        kernel = self._kernels.get(key)
        if kernel is None:
            made: Any = definition.function(node)
            kernel = self._kernels.setdefault(key, made)
        return kernel

    def clear(self) -> None:
        """Drops all kernels and their state."""
        self._kernels.clear()


def build_plan(
    subgraph: Subgraph, device: str, device_type: str, kernels: KernelCache
) -> ExecutorPlan:
    """The plan of a subgraph without control flow, on one device.

    Raises:
      InvalidArgumentError: a node has no kernel for the device.
    """
    slots, count = assign_slots(subgraph.nodes)
    template: list[Any] = [None] * count
    fetched = {slots[node] + index for node, index in subgraph.fetches}
    last_reader = _last_readers(subgraph.nodes, slots)
    released: dict[Node, list[int]] = {}
    for slot, reader in last_reader.items():
        if slot not in fetched:
            released.setdefault(reader, []).append(slot)
    steps = []
    for node in subgraph.nodes:
        if node.definition is FEED:
            continue
        constant = node.definition.static_value_fn
        if constant is not None and not node.inputs:
            template[slots[node]] = constant(node)
            continue
        step = _make_step(node, slots, device_type, kernels, tuple(released.get(node, ())))
        steps.append(step)
    constants = {slot for slot, value in enumerate(template) if value is not None}
    return ExecutorPlan(
        steps=tuple(_keep_constants(step, constants) for step in steps),
        template=template,
        feed_slots=tuple(slots[node] for node in subgraph.feeds),
        fetches=fetches_of(subgraph, slots),
        device=device,
    )


def assign_slots(nodes: list[Node]) -> tuple[dict[Node, int], int]:
    """The first slot of each node, and the number of slots; a node's outputs are neighbours."""
    slots: dict[Node, int] = {}
    count = CONTEXT_SLOT + 1
    for node in nodes:
        slots[node] = count
        count += len(node.output_dtypes)
    return slots, count


def _last_readers(nodes: list[Node], slots: dict[Node, int]) -> dict[int, Node]:
    readers: dict[int, Node] = {}
    for node in nodes:
        for source, index in node.inputs:
            readers[slots[source] + index] = node
    for node in nodes:  # an output that nobody reads dies with the step that makes it
        for index in range(len(node.output_dtypes)):
            readers.setdefault(slots[node] + index, node)
    return readers


def _make_step(
    node: Node,
    slots: dict[Node, int],
    device_type: str,
    kernels: KernelCache,
    release: tuple[int, ...],
) -> Step:
    kernel = kernels.bind(node, device_type)
    sources = [CONTEXT_SLOT] if kernel.wants_context else []
    sources.extend(slots[source] + index for source, index in node.inputs)
    return Step(kernel.call, gather_from(sources), output_place(node, slots[node]), release, node)


def output_place(node: Node, first: int) -> int | slice:
    """Where a node's result goes: the slot of its only output, or a slice of the slots of all."""
    count = len(node.output_dtypes)
    if count == 1 and not node.definition.op_def.outputs[0].is_list:
        return first
    return slice(first, first + count)


def _keep_constants(step: Step, constants: set[int]) -> Step:
    if constants.isdisjoint(step.release):
        return step
    return step._replace(release=tuple(slot for slot in step.release if slot not in constants))


def gather_from(slots: list[int]) -> Callable[[list[Any]], Any]:
    """A function of the values that gives those in `slots` as a sequence."""
    if len(slots) > 1:
        return itemgetter(*slots)
    # itemgetter of one slot would give the bare value: a slice gives a list of it.
    return itemgetter(slice(slots[0], slots[0] + 1) if slots else slice(0, 0))


def _rank_0_possible(node: Node) -> bool:
    """Whether an output of the node may be of rank 0, as far as static shapes tell."""
    return not all(shape._dims for shape in node.output_shapes)


def _refs_to_read(node: Node) -> list[int]:
    """Inputs that are refs where the op wants values: they are read when the kernel starts."""
    wanted = flat_arg_dtypes(node.definition.op_def.inputs, node.attrs)
    return [
        position
        for position, ((source, index), dtype) in enumerate(zip(node.inputs, wanted))
        if source.output_dtypes[index]._is_ref_dtype and not dtype._is_ref_dtype
    ]


def _with_refs_read(kernel: Callable[..., Any], positions: tuple[int, ...], *inputs: Any) -> Any:
    values = list(inputs)
    for position in positions:
        if values[position].__class__ is VariableCell:
            values[position] = values[position].read()
    return kernel(*values)


def _without_outputs(kernel: Callable[..., Any], *inputs: Any) -> tuple[()]:
    kernel(*inputs)
    return ()


# --- fetches --------------------------------------------------------------------------------------


def fetches_of(subgraph: Subgraph, slots: dict[Node, int]) -> tuple[Fetch, ...]:
    """The fetches of a subgraph."""
    return tuple(
        Fetch(slots[node] + index, must_copy)
        for (node, index), must_copy in zip(subgraph.fetches, must_copy_fetches(subgraph))
    )


def must_copy_fetches(subgraph: Subgraph) -> list[bool]:
    """For each fetch, whether something else may still hold its memory when the run is over.

    Two fetches may be views of one array; feeds, constants and resources keep theirs; and an op
    with state may keep what it was given, as Assign and enqueue do.
    """
    roots = [_root(node, index) for node, index in subgraph.fetches]
    kept = _kept_by_state(subgraph) if roots else set()
    counts = Counter(roots)
    return [
        (counts[root] > 1 or root in kept or _outlives_step(*root)) and not _is_handle(*fetch)
        for fetch, root in zip(subgraph.fetches, roots)
    ]


def _kept_by_state(subgraph: Subgraph) -> set[tuple[Node, int]]:
    return {
        _root(source, index)
        for node in subgraph.nodes
        if node.definition.stateful or node.definition.takes_ref
        for source, index in node.inputs
    }


def _root(node: Node, index: int) -> tuple[Node, int]:
    """Whose memory an output may be: follows ops that pass input 0 on."""
    while node.definition.aliases and node.inputs and not node.output_dtypes[index]._is_ref_dtype:
        node, index = node.inputs[0]
    return node, index


def _outlives_step(node: Node, index: int) -> bool:
    """Whether a feed, constant, resource, function or unknown path owns the memory."""
    definition = node.definition
    dtype = node.output_dtypes[index]
    return (
        definition is FEED
        or definition.static_value_fn is not None
        or definition.control_flow is not None
        or _is_reference(dtype)
        or any(_is_reference(source.output_dtypes[at]) for source, at in node.inputs)
        or definition.calls_functions
    )


def _is_handle(node: Node, index: int) -> bool:
    """Whether an output is an object that the user gets as it is."""
    return node.output_dtypes[index].name in ("resource", "variant")


def _is_reference(dtype: DType) -> bool:
    """Whether values of a dtype are objects that hold arrays, rather than arrays."""
    return dtype._is_ref_dtype or dtype.name in ("resource", "variant")


def leave_run(value: Any, must_copy: bool) -> Any:
    """`value` as the user may keep it; a ref leaves as what is in the variable."""
    if must_copy:
        if value.__class__ is np.ndarray:
            return value.copy()
        if value.__class__ is VariableCell:
            return value.read().copy()
    return value
