"""Reports on compiled steps: texts, the measured calls, memory, and the peak kernel."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from featherflow.compiler import executable_memory
from featherflow.compiler.constants import ConstantPool
from featherflow.compiler.fusion import fuse
from featherflow.compiler.lowered import Lowered
from featherflow.compiler.lowering import Lowering
from featherflow.compiler.program import RUNNER
from featherflow.compiler.report import (
    PEAK,
    Bench,
    call_rows,
    calls_text,
    groups_text,
    kernel_texts,
    measured_core,
    memory_use,
)
from featherflow.compiler.schedule import Schedule
from featherflow.compiler.storage import KernelCall, Phase
from featherflow.compiler.target import host_target

from .kernel_runner import guarded, host_levels, kernel_image, run_kernel

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(
    executable_memory.refusal() is not None, reason="this system runs no generated code"
)

WEIGHTS = np.arange(64, dtype=np.float32).reshape(4, 16) / 64


def lowered(rows: int) -> list[Lowered]:
    """relu(x · w), of x with 4 columns, and 3 tanh of it."""
    c = Lowering()
    c.node = "product"
    x = c.given(0, (rows, 4), "float32")
    product = c.matmul(x, c.constant(WEIGHTS), False, False)
    c.node = "relu"
    active = c.map("relu", product)
    c.node = "scaled"
    return [active, c.map("tanh", active) * 3.0]


def scheduled(rows: int, threads: int = 1) -> tuple[Schedule, list]:
    outputs = lowered(rows)
    groups = fuse(outputs[0].lowering.values, outputs)
    return Schedule(groups, outputs, ConstantPool(), host_target(), threads), groups


def images_of(schedule: Schedule) -> dict:
    return {
        call.spec.text(): kernel_image(call.spec)
        for phase in schedule.phases
        for call in phase.all_calls()
    }


def test_kernel_texts() -> None:
    one, _ = scheduled(8)
    two, _ = scheduled(8)
    texts = kernel_texts([one, two])
    assert len(texts) == len(set(texts))
    assert texts[-1] == RUNNER.text()
    assert set(texts[:-1]) == set(images_of(one))


def test_texts() -> None:
    schedule, groups = scheduled(8)
    first, second = groups_text(groups).splitlines()
    assert first == (
        "0 contract  relu → float32[8,16]: Contracted, Map relu ← input 0, constant float32[4,16]"
    )
    assert second.startswith("1 map       scaled → float32[8,16]: Map tanh, ")
    assert second.endswith("← relu")
    lines = calls_text(schedule).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("phase 0 on 1: relu: matmul(")
    assert "stride" not in lines[0].rpartition(")")[2]


def test_rows_of_several_threads_are_one() -> None:
    schedule, _ = scheduled(4096, threads=2)
    rows = call_rows(schedule.phases)
    assert [row.family for row in rows] == ["matmul", "elementwise"]
    assert [row.threads for row in rows] == [row.count for row in rows] == [2, 2]
    assert [row.number for row in rows] == [0, 1]
    assert sum(row.flops for row in rows) == schedule.flops


def test_calls_of_one_kernel_for_one_node_are_one_row() -> None:
    schedule, _ = scheduled(4096, threads=2)
    first = schedule.phases[0]
    again = [KernelCall(call.spec, call.arguments, call.node, 1.0) for call in first.calls[1]]
    rows = call_rows([Phase([[*first.calls[0]], [*first.calls[1], *again]])])
    assert [(row.threads, row.count) for row in rows] == [(2, 3)]
    assert rows[0].flops == sum(call.flops for call in first.all_calls()) + 1


@pytest.mark.parametrize("threads", [1, 2])
def test_bench_runs_each_call_as_the_program_would(threads: int) -> None:
    schedule, _ = scheduled(4096, threads)
    x = guarded((4096, 4), np.float32)
    x[...] = np.linspace(-1, 1, x.size).reshape(x.shape)
    bench = Bench(schedule.phases, images_of(schedule), [x])
    timed = list(bench.times(0.0))
    assert [item.row for item in timed] == call_rows(schedule.phases)
    assert all(item.seconds > 0 and item.rate > 0 for item in timed)
    relu = np.maximum(x @ WEIGHTS, 0)
    for number, expected in enumerate([relu, np.tanh(relu) * 3]):
        found = bench._outputs[number].view(np.float32).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def test_calls_in_place_run_once_for_later_calls() -> None:
    """A sum with a product lies where the other summand did."""
    c = Lowering()
    x = c.given(0, (32, 16), "float32")
    square = c.constant(np.eye(16, dtype=np.float32))
    first = c.matmul(x, square, False, False)
    total = c.matmul(x, square, False, False) + first
    output = c.matmul(total, square, False, False)
    groups = fuse(c.values, [output])
    schedule = Schedule(groups, [output], ConstantPool(), host_target(), 1)
    targets = {call.arguments["output"] for phase in schedule.phases for call in phase.calls[0]}
    assert len(targets) == 2, "the sum has memory of its own; this tests nothing"
    x_value = np.arange(512, dtype=np.float32).reshape(32, 16)
    bench = Bench(schedule.phases, images_of(schedule), [x_value])
    list(bench.times(0.0))
    found = bench._outputs[0].view(np.float32).reshape(32, 16)
    np.testing.assert_array_equal(found, 2 * x_value)


def test_memory() -> None:
    schedule, _ = scheduled(8)
    images = images_of(schedule)
    spare = np.zeros(10, np.float32)
    use = memory_use([schedule], images, [WEIGHTS, WEIGHTS, spare])
    assert use.originals == WEIGHTS.nbytes + spare.nbytes
    assert use.used_in_place == 0
    assert use.packed >= WEIGHTS.nbytes
    assert use.code == sum(image.size for image in images.values())


def test_memory_of_constants_that_are_read_where_they_lie() -> None:
    c = Lowering()
    bias = np.arange(16, dtype=np.float32)
    output = c.map("exp", c.given(0, (8, 16), "float32") + c.constant(bias))
    schedule = Schedule(fuse(c.values, [output]), [output], ConstantPool(), host_target(), 1)
    use = memory_use([schedule], {}, [bias])
    assert (use.used_in_place, use.packed, use.arena, use.code) == (bias.nbytes, 0, 0, 0)


@pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
def test_peak_kernel(target) -> None:
    total = guarded(target.lanes(4), np.float32)
    numbers = np.array([2.0, 1.0], np.float32)
    run_kernel(PEAK, {"numbers": numbers, "sum": total, "rounds": 3}, target)
    expected = sum(8 * start + 7 for start in range(1, PEAK.chains + 1))
    np.testing.assert_array_equal(total, expected)
    assert PEAK.flops(target, 3) == 3 * 2 * 12 * target.lanes(4)


def test_measured_core() -> None:
    core = measured_core(kernel_image(PEAK), host_target())
    assert core.peak > 0
    assert core.overhead > 0
    assert ctypes.sizeof(ctypes.c_void_p) == 8
