"""Pooling kernels against NumPy formulas and the NumPy kernels, at every level of the machine."""

from __future__ import annotations

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
from featherflow.compiler.kernel_spec import parse_spec
from featherflow.compiler.pooling import Pool
from featherflow.compiler.target import Target, target_named
from featherflow.kernels import pool

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
MODES = pytest.mark.parametrize("mode", ["max", "avg"])
KINDS = ("channel", "full", "scalar")
STEPS = (("mul", 0, 3), ("add", 4, 1), ("relu", 5), ("add", 6, 2))
#: One quick share of the cases, and slow ones.
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1,))]
_SAMPLE, _ALL = 40, 800
_LOWEST = np.finfo(np.float32).min


def pooled(mode: str, case: WindowCase, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The expected output in float64, and how much a float32 loop may be off."""
    if mode == "max":
        with_lowest = np.fmax.reduce(taps(case, image, np.nan), (0, 1), initial=_LOWEST)
        return with_lowest.astype(np.float64), np.zeros(with_lowest.shape)
    read = taps(case, image, 0.0).astype(np.float64)
    counts = np.maximum(taps(case, np.ones_like(image), 0.0).sum((0, 1)), 1)
    sizes = np.abs(read).sum((0, 1)) / counts
    return read.sum((0, 1)) / counts, sizes * 2.0**-23 * (len(read) * len(read[0]) + 1)


def check(mode: str, case: WindowCase, target: Target, rng: np.random.Generator) -> None:
    """Runs one case, by chance with an epilogue, by chance in place."""
    image = rng.standard_normal((case.batch, *case.size, case.channels)).astype(np.float32)
    has_epilogue = bool(rng.random() < 0.4)
    in_place = "operand1" if has_epilogue and rng.random() < 0.5 else ""
    kinds, steps = (KINDS, STEPS) if has_epilogue else ((), ())
    shape = (case.batch, *case.outputs, case.channels)
    poison = np.inf if mode == "max" else np.nan
    operands = draw_operands(rng, kinds, shape, np.nan)
    if has_epilogue:
        operands["operand2"] /= 16  # times the lowest number, it would overflow
    spec = Pool(*(mode, case.channels, case.window, case.strides, case.dilations), kinds, steps)
    assert parse_spec(spec.text()) == spec
    pointers = {"input": among(image, poison), **operands}
    found = run_window(spec, case, pointers, case.channels, target, rng, in_place)
    expected, bound = pooled(mode, case, image)
    if has_epilogue:
        bias, residual, scale = (operands[f"operand{number}"] for number in range(3))
        step = np.abs(expected * scale) + np.abs(bias) + np.abs(residual)
        bound = bound * np.abs(scale) + step * 2.0**-22
        expected = np.maximum(expected * scale + bias, 0) + residual
    assert (np.abs(found - expected) <= bound).all(), case


@LEVELS
@MODES
@pytest.mark.parametrize("seed", SEEDS)
def test_random_shapes(
    target: Target, mode: str, seed: int, request: pytest.FixtureRequest
) -> None:
    rng = np.random.default_rng([seed, 11])
    count = (_ALL if request.config.getoption("--all") else _SAMPLE) // 4
    for _ in range(count):
        check(mode, draw_case(rng), target, rng)


@pytest.mark.slow
@LEVELS
@MODES
def test_wide_images(target: Target, mode: str) -> None:
    """Sizes at which every width of tile is in use, with whole vectors and a cut one."""
    rng = np.random.default_rng(4)
    for window, stride in ((2, 2), (3, 1), (3, 2), (1, 1), (1, 2)):
        size = (7 * stride, 19 * stride + window)
        outputs = (-(-size[0] // stride), -(-size[1] // stride))
        pads = ((window - 1) // 2, (window - 1) // 2)
        square, steps = (window, window), (stride, stride)
        check(mode, WindowCase(2, size, 37, square, steps, (1, 1), pads, outputs), target, rng)


def run_numpy(mode: str, case: WindowCase, image: np.ndarray) -> np.ndarray:
    """The NumPy kernel's answer."""
    pads = [(0, 0)]
    for n, k, s, before, outputs in zip(
        case.size, case.window, case.strides, case.pads, case.outputs
    ):
        pads.append((before, max((outputs - 1) * s + k - n - before, 0)))
    function = pool.max_pool if mode == "max" else pool.avg_pool
    return function(image, (1, *case.window, 1), (1, *case.strides, 1), (*pads, (0, 0)))


@LEVELS
@MODES
@pytest.mark.parametrize("window", [(1, 1), (2, 2), (3, 3), (1, 3), (7, 6), (9, 9)])
def test_special_numbers_as_in_the_numpy_kernel(
    target: Target, mode: str, window: tuple[int, int]
) -> None:
    rng = np.random.default_rng(5)
    image = rng.standard_normal((1, 12, 14, 20)).astype(np.float32)
    numbers = [(np.nan, 0.4), (-np.inf, 0.5), (np.inf, 0.05)] if mode == "max" else []
    for number, share in [*numbers, (np.nan, 0.02), (np.inf, 0.02)]:
        image[rng.random(image.shape) < share] = number
    if mode == "max":
        image[0, 11] = _LOWEST
    image[:, :6, :6] = np.where(rng.random((1, 6, 6, 20)) < 0.5, np.nan, -np.inf)
    pads = ((window[0] - 1) // 2, (window[1] - 1) // 2)
    case = WindowCase(1, (12, 14), 20, window, (1, 1), (1, 1), pads, (12, 14))
    spec = Pool(mode, 20, window, (1, 1))
    found = run_window(spec, case, {"input": image}, 20, target, rng)
    with np.errstate(invalid="ignore"):
        expected = run_numpy(mode, case, image)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 if mode == "avg" else 0)


@LEVELS
@MODES
def test_windows_on_padding_alone(target: Target, mode: str) -> None:
    rng = np.random.default_rng(6)
    case = WindowCase(1, (2, 2), 20, (3, 3), (2, 2), (1, 1), (6, 6), (6, 6))
    image = np.ones((1, 2, 2, 20), np.float32)
    found = run_window(Pool(mode, 20, (3, 3), (2, 2)), case, {"input": image}, 20, target, rng)
    np.testing.assert_array_equal(found, run_numpy(mode, case, image))
    assert (found[0, 0, 0] == (_LOWEST if mode == "max" else 0)).all()


@LEVELS
@pytest.mark.parametrize("window", [(1, 3), (5, 5), (1, 7), (3, 7), (1, 11), (17, 3)])
def test_means_are_rounded_as_quotients(target: Target, window: tuple[int, int]) -> None:
    """Sums of integers are exact, so that only the division rounds."""
    rng = np.random.default_rng(7)
    image = rng.integers(-1000, 1000, (1, 20, 40, 16)).astype(np.float32)
    outputs = (21 - window[0], 41 - window[1])
    case = WindowCase(1, (20, 40), 16, window, (1, 1), (1, 1), (0, 0), outputs)
    found = run_window(Pool("avg", 16, window, (1, 1)), case, {"input": image}, 16, target, rng)
    total = taps(case, image, 0.0).sum((0, 1))
    np.testing.assert_array_equal(found, total / np.float32(window[0] * window[1]))


@pytest.mark.parametrize("name", ["x86-64", "x86-64-v3", "x86-64-v4"])
@MODES
@pytest.mark.parametrize(("window", "stride"), [(2, 2), (3, 1), (3, 2)])
def test_inner_loops_stay_in_registers(name: str, mode: str, window: int, stride: int) -> None:
    spec = Pool(mode, 64, (window, window), (stride, stride))
    text = kernel_assembly(spec, target_named(name))
    assert text.count("maxps" if mode == "max" else "addps") > 8 * window
    assert loop_spills(text) == []
