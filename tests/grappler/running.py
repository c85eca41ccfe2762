"""Steps run twice: as the program wrote them, and optimised."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from runtime.steps import NoFunctions, cpu_devices, pruned, run

from featherflow.graph.graph import Graph
from featherflow.graph.subgraph import Subgraph
from featherflow.grappler.optimizer import PASSES, PassReport, optimize
from featherflow.grappler.printer import subgraph_text
from featherflow.runtime.executor_plan import KernelCache
from featherflow.runtime.step_plan import StepPlan, build_step


def all_but(*names: str) -> list[str]:
    """The other passes, for `disabled`."""
    assert set(names) <= PASSES.keys()
    return [name for name in PASSES if name not in names]


def optimized(
    graph: Graph,
    fetches: Sequence[Any],
    feeds: Sequence[Any] = (),
    targets: Sequence[Any] = (),
    disabled: Collection[str] = (),
    devices: int = 1,
) -> tuple[Subgraph, list[PassReport]]:
    step = pruned(graph, fetches, feeds, targets, devices)
    return step, optimize(step, disabled)


def before_and_after(
    graph: Graph, fetches: Sequence[Any], feeds: Sequence[Any], disabled: Collection[str]
) -> str:
    """What golden files hold."""
    before = subgraph_text(pruned(graph, fetches, feeds))
    step, reports = optimized(graph, fetches, feeds, (), disabled)
    changes = "".join(f"{line}\n" for report in reports for line in report.changed)
    return f"{before}\n--- changes\n{changes}\n--- after\n{subgraph_text(step)}"


def plan_of(step: Subgraph, one_by_one: bool = False, devices: int = 1) -> StepPlan:
    names = {device.name: device.device_type for device in cpu_devices(devices)}
    incarnations = dict.fromkeys(names, 1)
    return build_step(step, names, incarnations, KernelCache(), NoFunctions(), one_by_one)


def run_both(
    graph: Graph,
    fetches: Sequence[Any],
    feeds: dict[Any, Any] | None = None,
    targets: Sequence[Any] = (),
    disabled: Collection[str] = (),
    devices: int = 1,
) -> tuple[list[Any], list[Any], Subgraph]:
    """The values without passes, those with them, and the optimised nodes."""
    fed = dict(feeds or {})
    values = [np.asarray(value, tensor.dtype.as_numpy_dtype) for tensor, value in fed.items()]
    written = pruned(graph, fetches, list(fed), targets, devices)
    plain = run(plan_of(written, devices=devices), values)
    plain = [np.array(value) for value in plain]
    step, _ = optimized(graph, fetches, list(fed), targets, disabled, devices)
    check_step(step)
    check_fetches(step, graph, fetches)
    results = run(plan_of(step, devices=devices), values)
    return plain, results, step


def check_step(step: Subgraph) -> None:
    """Every node comes after what it needs, and nothing is read that is not there."""
    seen: set[Any] = set()
    present = set(step.nodes)
    for node in step.nodes:
        for source, index in node.inputs:
            assert source in present and index < len(source.output_dtypes), node
            back = source.definition.control_flow == "next_iteration"
            assert source in seen or (back and node.definition.control_flow == "merge"), node
        assert all(source in seen for source in node.control_inputs), node
        seen.add(node)
    assert all(node in present for node, _ in step.fetches)
    assert all(node in present for node in (*step.targets, *step.feeds))


def check_fetches(step: Subgraph, graph: Graph, fetches: Sequence[Any]) -> None:
    assert len(step.fetches) == len(fetches)
    for (node, index), tensor in zip(step.fetches, fetches):
        assert node.output_dtypes[index].base_dtype is tensor.dtype.base_dtype
        assert node.output_shapes[index].is_compatible_with(tensor.shape)
        if node.operation is not None:
            assert node.operation.graph is graph


def assert_same(plain: Sequence[Any], results: Sequence[Any], *, exact: bool = True) -> None:
    """Equal bits, zeros' signs included; or, where rounding may differ, nearly equal."""
    assert len(plain) == len(results)
    for one, other in zip(plain, results):
        assert one.dtype == other.dtype and one.shape == other.shape
        if exact:
            np.testing.assert_array_equal(one, other)
            if one.dtype.kind == "f":
                numbers = ~np.isnan(one)  # which NaN of two a sum gives is nobody's business
                np.testing.assert_array_equal(np.signbit(one[numbers]), np.signbit(other[numbers]))
        else:
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def ops_of(step: Subgraph) -> list[str]:
    """The names of the ops in order, feeds left out."""
    return [node.definition.name for node in step.nodes if node.definition.name != "_Feed"]
