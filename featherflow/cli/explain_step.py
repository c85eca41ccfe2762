"""What a recorded step did, in lines of text: nodes kept and pruned, devices, kernels, times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from featherflow.cli.explain_op import kernel_place
from featherflow.cli.recording import RecordedStep
from featherflow.framework.device import DeviceSpec
from featherflow.graph.operation import Operation, creation_site
from featherflow.runtime.placer import Placement
from featherflow.runtime.step_stats import NodeStats

_SHOWN_PRUNED = 8
_SHOWN_NAMES = 6
_MILLISECOND = 1e6


def explain_step(step: RecordedStep, number: int, show_all: bool = False) -> Iterator[str]:
    """The step: a line for each node that its fetches need, then those that they do not.

    Args:
      number: of the step, from 1.
      show_all: names all pruned nodes, where otherwise the first few stand for all.
    """
    feeds, fetches, targets = step.key
    stats = _by_operation(step.stats)
    operations = step.graph.get_operations()
    kept = {placement.node for placement in step.placements}
    fed = {tensor.op for tensor in feeds}
    pruned = [
        f"{operation.name}: {'it is fed' if operation in fed else 'no fetch needs it'}"
        for operation in operations
        if operation.name not in kept
    ]
    total = sum(item.end - item.start for item in step.stats) / _MILLISECOND
    fetched = _names([*(tensor.name for tensor in fetches), *(item.name for item in targets)])
    yield f"step {number}: fetches {fetched}"
    yield (
        f"  {len(kept)} nodes kept, {len(pruned)} pruned; run {_times(step.runs)}, "
        f"{total:.3f} ms in kernels in the run that was traced"
    )
    for tensor in feeds:
        yield f"  fed     {tensor.name}"
    for placement in step.placements:
        operation = step.graph.get_operation_by_name(placement.node)
        yield _kept_line(placement, operation, stats.pop(operation, []))
    for operation, records in stats.items():
        yield f"  called  {_node(operation)} {_kernel_and_time(operation, 'CPU', records)}"
    shown = pruned if show_all else pruned[:_SHOWN_PRUNED]
    for text in shown:
        yield f"  pruned  {text}"
    if len(pruned) > len(shown):
        yield f"  pruned  and {len(pruned) - len(shown)} more"


def _by_operation(stats: Iterable[NodeStats]) -> dict[Operation, list[NodeStats]]:
    found: dict[Operation, list[NodeStats]] = {}
    for item in stats:
        if item.node.operation is not None:
            found.setdefault(item.node.operation, []).append(item)
    return found


def _kept_line(placement: Placement, operation: Operation, stats: list[NodeStats]) -> str:
    spec = DeviceSpec.from_string(placement.device)
    device = f"{spec.device_type}:{spec.device_index}, {placement.reason}"
    line = f"  kept    {_node(operation)} {device:<24} "
    line += _kernel_and_time(operation, spec.device_type or "CPU", stats)
    site = creation_site(operation)
    return f"{line}  made at {site}" if site else line


def _node(operation: Operation) -> str:
    return f"{operation.name:<36} {operation.type:<18}"


def _kernel_and_time(operation: Operation, device_type: str, stats: list[NodeStats]) -> str:
    definition = operation.definition
    if definition.static_value_fn is not None and not operation.inputs:
        return "constant: part of the plan, no kernel runs"
    kernel = definition.kernels.find(device_type, operation.attrs)
    place = kernel_place(definition, kernel) if kernel is not None else "no kernel of its own"
    if not stats:
        return f"{place:<44} not run"
    milliseconds = sum(item.end - item.start for item in stats) / _MILLISECOND
    often = f" in {len(stats)} runs" if len(stats) > 1 else ""
    return f"{place:<44} {milliseconds:.3f} ms{often}"


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return ", ".join(names[:_SHOWN_NAMES]) + more


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
