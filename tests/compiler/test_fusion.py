"""Which groups form, as text: a file for each case, that FEATHERFLOW_WRITE_GOLDEN=1 writes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from compiler.step_cases import draw_step
from featherflow.compiler.fusion import MAX_INPUTS, MAX_VALUES, base_of, fuse, live_values
from featherflow.compiler.lowered import Joined, Lowered, Map, Padded, Reduced
from featherflow.compiler.lowering import Lowering
from featherflow.compiler.report import groups_text
from featherflow.graph.subgraph import prune
from featherflow.runtime.specialization import specialize

GOLDEN = Path(__file__).parent / "golden"


def weights(c: Lowering, *shape: int) -> Lowered:
    return c.constant(np.ones(shape, np.float32))


def convolution(c: Lowering, image: Lowered, filters: int) -> Lowered:
    window = weights(c, 3, 3, image.shape[3], filters)
    return c.convolution(image, window, (1, 1), ((1, 1), (1, 1)), (1, 1))


def chain(c: Lowering, x: Lowered) -> list[Lowered]:
    return [c.map("tanh", c.map("exp", x) * 2.0 + 1.0) - x]


def diamond(c: Lowering, x: Lowered) -> list[Lowered]:
    powers = c.map("exp", x)
    return [powers * c.map("sigmoid", powers), powers]


def softmax(c: Lowering, x: Lowered) -> list[Lowered]:
    return [c.softmax(c.map("relu", x))]


def layer_norm(c: Lowering, x: Lowered) -> list[Lowered]:
    mean = c.mean(x, [1], True)
    centred = x - mean
    variance = c.mean(centred * centred, [1], True)
    return [centred * c.map("rsqrt", variance + 1e-5) * weights(c, 64) + weights(c, 64)]


def columns(c: Lowering, x: Lowered) -> list[Lowered]:
    return [c.reduce("sum", c.map("square", x), [0]), c.reduce("max", x, [0, 1])]


def turned(c: Lowering, x: Lowered) -> list[Lowered]:
    doubled = x * 2.0
    return [doubled + c.transpose(doubled, (1, 0))]


def parts(c: Lowering, x: Lowered) -> list[Lowered]:
    left, right = c.part(x, 1, 0, 32), c.part(x, 1, 32, 32)
    return [
        c.concat([c.map("tanh", left), c.map("sigmoid", right)], 1),
        c.pad(left, [(1, 1)] * 2, 0),
    ]


def residual(c: Lowering, x: Lowered) -> list[Lowered]:
    image = c.reshape(x, (1, 8, 8, 64))
    first = c.map("relu", convolution(c, image, 64) + weights(c, 64))
    return [c.map("relu", convolution(c, first, 64) + weights(c, 64) + image)]


def swish(c: Lowering, x: Lowered) -> list[Lowered]:
    made = convolution(c, c.reshape(x, (1, 8, 8, 64)), 32)
    return [made * c.map("sigmoid", made)]


def attention(c: Lowering, x: Lowered) -> list[Lowered]:
    heads = c.transpose(c.reshape(x, (1, 64, 4, 16)), (0, 2, 1, 3))
    scores = c.softmax(c.matmul(heads, heads, False, True) * 0.25)
    mixed = c.transpose(c.matmul(scores, heads, False, False), (0, 2, 1, 3))
    return [c.matmul(c.reshape(mixed, (64, 64)), weights(c, 64, 64), False, False) + x]


CASES: dict[str, Callable[[Lowering, Lowered], list[Lowered]]] = {
    function.__name__: function
    for function in (
        *(chain, diamond, softmax, layer_norm, columns, turned, parts, residual, swish, attention),
    )
}


def groups_of(name: str) -> str:
    c = Lowering()
    c.node = name
    outputs = CASES[name](c, c.given(0, (64, 64), "float32"))
    return groups_text(fuse(c.values, outputs)) + "\n"


@pytest.mark.parametrize("name", sorted(CASES))
def test_groups(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("FEATHERFLOW_WRITE_GOLDEN"):
        path.write_text(groups_of(name))
    assert groups_of(name) == path.read_text()


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*CASES}


def test_groups_have_bounds() -> None:
    c = Lowering()
    inputs = [c.given(n, (8, 8), "float32") for n in range(40)]
    total = inputs[0]
    for item in inputs[1:]:
        total = c.map("tanh", total + item)
    groups = fuse(c.values, [total])
    assert len(groups) > 3
    assert all(len(group.inputs()) <= MAX_INPUTS for group in groups)
    deep = inputs[0]
    for _ in range(3 * MAX_VALUES):
        deep = c.map("tanh", deep)
    assert max(len(group.values) for group in fuse(c.values, [deep])) <= MAX_VALUES


def test_groups_of_drawn_steps_can_run_in_order() -> None:
    """Each value that must be computed is in one group, and is read by later groups only."""
    seen = 0
    for seed in range(300, 360):
        step = draw_step(seed)
        feeds = tuple(step.feeds)
        part = prune(step.graph, feeds, [value.tensor for value in step.fetches])
        found = specialize(part, tuple(step.feeds[feed].shape for feed in feeds))
        for cluster in found.clusters.values():
            outputs = list(dict.fromkeys(cluster.outputs.values()))
            check_order(cluster.lowering.values, outputs)
            seen += 1
    assert seen > 30


def check_order(values: list[Lowered], outputs: list[Lowered]) -> None:
    groups = fuse(values, outputs)
    group_of = {value: group for group in groups for value in group.values}
    assert len(group_of) == sum(len(group.values) for group in groups)
    for value in live_values(values, outputs):
        if isinstance(value.origin, Map | Reduced | Joined | Padded):
            assert value in group_of
    for number, group in enumerate(groups):
        assert group.number == number
        for operand in group.inputs():
            source = group_of.get(base_of(operand))
            assert source is None or source.number < number
            # An epilogue stores its last value only.
            assert (
                source is None
                or source.kind != "contract"
                or base_of(operand) is base_of(source.result)
            )
