"""Depthwise convolution kernels against a float64 formula, at every level of the machine."""

from __future__ import annotations

import re

import numpy as np
import pytest

from compiler.kernel_runner import host_levels, kernel_assembly
from compiler.window_cases import (
    WindowCase,
    among,
    draw_case,
    draw_operands,
    loop_spills,
    run_window,
    taps,
)
from featherflow.compiler.depthwise import DepthwiseConvolution
from featherflow.compiler.kernel_spec import parse_spec
from featherflow.compiler.target import Target, target_named

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
#: relu(accumulator · scale + bias) + residual, of operands bias, residual, scale.
KINDS = ("channel", "full", "scalar")
STEPS = (("mul", 0, 3), ("add", 4, 1), ("relu", 5), ("add", 6, 2))
#: One quick share of the cases, and slow ones.
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
_SAMPLE, _ALL = 40, 800


def check(case: WindowCase, multiplier: int, target: Target, rng: np.random.Generator) -> None:
    """Runs one case, by chance with an epilogue, by chance in place."""
    channels = case.channels * multiplier
    shape = (case.batch, *case.outputs, channels)
    image = rng.standard_normal((case.batch, *case.size, case.channels)).astype(np.float32)
    filter = rng.standard_normal((*case.window, case.channels, multiplier)).astype(np.float32)
    has_epilogue = bool(rng.random() < 0.5)
    in_place = "operand1" if has_epilogue and rng.random() < 0.5 else ""
    kinds, steps = (KINDS, STEPS) if has_epilogue else ((), ())
    operands = draw_operands(rng, kinds, shape, np.nan)
    spec = DepthwiseConvolution(
        *(case.channels, multiplier, case.window, case.strides, case.dilations, kinds, steps)
    )
    assert parse_spec(spec.text()) == spec
    pointers = {"input": among(image, np.nan), "filter": among(filter, np.nan), **operands}
    found = run_window(spec, case, pointers, channels, target, rng, in_place)

    read = taps(case, image, 0.0)
    products = read.astype(np.float64)[..., None] * filter[:, :, None, None, None]
    expected = products.sum((0, 1)).reshape(shape)
    size = np.abs(products).sum((0, 1)).reshape(shape)
    if has_epilogue:
        bias, residual, scale = (operands[f"operand{number}"] for number in range(3))
        expected = np.maximum(expected * scale + bias, 0) + residual
        size = size * np.abs(scale) + np.abs(bias) + np.abs(residual)
    # As much as a loop in float32 may be off: an ulp for each tap and step.
    bound = size * 2.0**-23 * (len(read) * len(read[0]) + 3)
    assert (np.abs(found - expected) <= bound + 1e-37).all(), case


@LEVELS
@pytest.mark.parametrize("seed", SEEDS)
def test_random_shapes(target: Target, seed: int, request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng([seed, 7])
    count = (_ALL if request.config.getoption("--all") else _SAMPLE) // 4
    for _ in range(count):
        multiplier = int(rng.choice([1, 1, 1, 1, 2, 3, 4, 6, 8, 16, 32]))
        check(draw_case(rng), multiplier, target, rng)


@pytest.mark.slow
@LEVELS
@pytest.mark.parametrize("multiplier", [1, 2, 3, 16])
def test_wide_images(target: Target, multiplier: int) -> None:
    """Sizes at which every width of tile is in use, with whole vectors and a cut one."""
    rng = np.random.default_rng(multiplier)
    for window, stride in ((3, 1), (3, 2), (5, 1), (5, 2), (7, 1)):
        size = (2 * window * stride, 19 * stride + window)
        pads = (window // 2, window // 2)
        outputs = (-(-size[0] // stride), -(-size[1] // stride))
        steps = (stride, stride)
        case = WindowCase(2, size, 37, (window, window), steps, (1, 1), pads, outputs)
        check(case, multiplier, target, rng)


@LEVELS
def test_results_do_not_depend_on_cuts(target: Target) -> None:
    case = WindowCase(2, (13, 21), 48, (3, 3), (1, 1), (1, 1), (1, 1), (13, 21))
    rng = np.random.default_rng(3)
    image = rng.standard_normal((2, 13, 21, 48)).astype(np.float32)
    filter = rng.standard_normal((3, 3, 48, 1)).astype(np.float32)
    pointers = {"input": image, "filter": filter}
    spec = DepthwiseConvolution(48, 1, (3, 3), (1, 1))
    first, *others = (run_window(spec, case, pointers, 48, target, rng) for _ in range(6))
    for other in others:
        np.testing.assert_array_equal(other, first)


@LEVELS
@pytest.mark.parametrize("window", [3, 5, 9])
def test_error_is_that_of_a_float32_loop(target: Target, window: int) -> None:
    pads = (window // 2, window // 2)
    case = WindowCase(1, (24, 24), 64, (window, window), (1, 1), (1, 1), pads, (24, 24))
    rng = np.random.default_rng(window)
    image = rng.standard_normal((1, 24, 24, 64)).astype(np.float32)
    filter = rng.standard_normal((window, window, 64, 1)).astype(np.float32)
    spec = DepthwiseConvolution(64, 1, (window, window), (1, 1))
    found = run_window(spec, case, {"input": image, "filter": filter}, 64, target, rng)
    read, weights = taps(case, image, 0.0), filter[:, :, None, None, None, :, 0]
    expected = (read.astype(np.float64) * weights).sum((0, 1))
    loop = np.zeros_like(found)
    for i, j in np.ndindex(window, window):
        loop += read[i, j] * weights[i, j]
    assert np.square(found - expected).sum() <= 1.01 * np.square(loop - expected).sum()


@LEVELS
def test_no_rows_and_no_image(target: Target) -> None:
    rng = np.random.default_rng(0)
    spec = DepthwiseConvolution(8, 1, (3, 3), (1, 1))
    nothing = np.zeros((0,), np.float32)
    for outputs, pads in (((0, 0), (0, 0)), ((2, 3), (1, 1))):
        case = WindowCase(1, (0, 0), 8, (3, 3), (1, 1), (1, 1), pads, outputs)
        pointers = {"input": nothing, "filter": np.full((3, 3, 8, 1), np.nan, np.float32)}
        found = run_window(spec, case, pointers, 8, target, rng)
        np.testing.assert_array_equal(found, np.zeros((1, *outputs, 8)))


@pytest.mark.parametrize("name", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("window", [3, 5, 7])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("channels", [32, 144])
def test_inner_loops_stay_in_registers(name: str, window: int, stride: int, channels: int) -> None:
    steps = (("add", 0, 1), ("relu", 2))
    spec = DepthwiseConvolution(
        *(channels, 1, (window, window), (stride, stride), (1, 1), ("channel",), steps)
    )
    text = kernel_assembly(spec, target_named(name))
    assert len(re.findall(r"mulps|fmadd", text)) > 4 * window
    assert loop_spills(text) == []
