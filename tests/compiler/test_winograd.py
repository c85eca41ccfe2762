"""Winograd's kernels against the definition of a convolution in float64, at every level."""

from __future__ import annotations

import re

import numpy as np
import pytest

from featherflow.compiler import contractions, winograd_calls
from featherflow.compiler.constants import ConstantPool
from featherflow.compiler.contractions import ConvolutionShape
from featherflow.compiler.fusion import fuse
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.lowered import Lowered
from featherflow.compiler.lowering import Lowering
from featherflow.compiler.program import RUNNER, Program
from featherflow.compiler.schedule import Schedule
from featherflow.compiler.storage import KernelCall
from featherflow.compiler.target import Target
from featherflow.compiler.winograd import WinogradInput, WinogradOutput
from featherflow.kernels.winograd_weights import pack_winograd
from tests.compiler.kernel_runner import (
    guarded,
    guarded_copy,
    host_levels,
    kernel_assembly,
    kernel_image,
    run_kernel,
)
from tests.compiler.test_convolution import (
    EPILOGUES,
    apply_epilogue,
    convolve,
    draws,
    innermost_loops,
    operands_for,
)

LEVELS = host_levels()
INPUT_TRANSFORM = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
OUTPUT_TRANSFORM = np.array([[1, 1, 1, 0], [0, 1, -1, -1]])
FILTER_TRANSFORM = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])


def random_pads(rng: np.random.Generator) -> ConvolutionShape:
    most = int(rng.choice([1, 2, 4]))  # more than a patch would be all zeros
    top, bottom, left, right = (int(n) for n in rng.integers(0, most + 1, 4))
    return ConvolutionShape((3, 3), (1, 1), (1, 1), ((top, bottom), (left, right)))


def patches(image: np.ndarray, windows: ConvolutionShape, tiles: tuple[int, int]) -> np.ndarray:
    """[images · tile rows · tile columns, 4, 4, channels], in float64."""
    (top, _), (left, _) = windows.pads
    batch, height, width, channels = image.shape
    far = (max(2 * tiles[0] + 2 - top - height, 0), max(2 * tiles[1] + 2 - left - width, 0))
    padded = np.pad(image.astype(np.float64), ((0, 0), (top, far[0]), (left, far[1]), (0, 0)))
    found = [
        padded[n, 2 * y : 2 * y + 4, 2 * x : 2 * x + 4]
        for n in range(batch)
        for y in range(tiles[0])
        for x in range(tiles[1])
    ]
    return np.stack(found).reshape(-1, 4, 4, channels)


def up_to(size: int, lanes: int) -> int:
    return -(-size // lanes) * lanes


@pytest.mark.parametrize("target", LEVELS, ids=lambda target: target.name)
def test_input_transform(target: Target, request: pytest.FixtureRequest) -> None:
    lanes = target.lanes(4)
    for seed in draws(request, 15):
        rng = np.random.default_rng(seed)
        windows = random_pads(rng)
        batch, height, width, channels = (int(n) for n in rng.integers((1, 3, 3, 1), (4, 9, 9, 50)))
        size = windows.output_size((height, width))
        tiles = (-(-size[0] // 2), -(-size[1] // 2))
        count = batch * tiles[0] * tiles[1]
        begin, end = sorted(int(n) for n in rng.integers(0, count + 1, 2))
        image = guarded_copy(
            rng.standard_normal((batch, height, width, channels)).astype(np.float32)
        )
        row = up_to(channels, lanes)
        planes = guarded((16, end - begin + 1, row + lanes), np.float32)
        untouched = planes.copy()
        run_kernel(
            WinogradInput(channels % lanes != 0),
            {
                **{"input": image, "planes": planes, "tile_begin": begin, "tile_end": end},
                **{"tile_rows": tiles[0], "tile_columns": tiles[1]},
                **{"height": height, "width": width, "channels": channels},
                **{"pad_top": windows.pads[0][0], "pad_left": windows.pads[1][0]},
                **{"input_stride": channels * 4, "tile_stride": (row + lanes) * 4},
                "plane_stride": planes.strides[0],
            },
            target,
        )
        d = patches(image, windows, tiles)[begin:end]
        expected = np.einsum("ia,tabc,jb->ijtc", INPUT_TRANSFORM, d, INPUT_TRANSFORM)
        expected = expected.reshape(16, end - begin, channels)
        np.testing.assert_allclose(planes[:, :-1, :channels], expected, atol=3e-6)
        assert (planes[:, :-1, channels:row] == 0).all()
        assert np.array_equal(planes[:, -1], untouched[:, -1])
        assert np.array_equal(planes[:, :, row:], untouched[:, :, row:])


def outputs_of(planes: np.ndarray, shape: tuple[int, ...], begin: int, end: int) -> np.ndarray:
    """The result's transform in float64; NaN where tiles are not in the range."""
    batch, height, width, channels = shape
    tiles = (-(-height // 2), -(-width // 2))
    m = planes.astype(np.float64).reshape(4, 4, -1, planes.shape[2])[..., :channels]
    y = np.einsum("ia,abtc,jb->tijc", OUTPUT_TRANSFORM, m, OUTPUT_TRANSFORM)
    whole = np.full((batch, 2 * tiles[0], 2 * tiles[1], channels), np.nan)
    for place, tile in enumerate(range(begin, end)):
        image, at = divmod(tile, tiles[0] * tiles[1])
        row, column = divmod(at, tiles[1])
        whole[image, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2] = y[place]
    return whole[:, :height, :width]


@pytest.mark.parametrize("is_in_place", [False, True], ids=["apart", "in_place"])
@pytest.mark.parametrize("target", LEVELS, ids=lambda target: target.name)
def test_output_transform(
    target: Target, is_in_place: bool, request: pytest.FixtureRequest
) -> None:
    lanes = target.lanes(4)
    for seed in draws(request, 15):
        rng = np.random.default_rng(seed)
        shape = tuple(int(n) for n in rng.integers((1, 1, 1, 1), (4, 9, 9, 50)))
        batch, height, width, channels = shape
        tiles = (-(-height // 2), -(-width // 2))
        count = batch * tiles[0] * tiles[1]
        begin, end = sorted(int(n) for n in rng.integers(0, count + 1, 2))
        row = up_to(channels, lanes)
        planes = guarded((16, max(end - begin, 1), row), np.float32)  # poison behind the channels
        planes[..., :channels] = rng.standard_normal((*planes.shape[:2], channels))
        name = "residual" if is_in_place else str(rng.choice(list(EPILOGUES)))
        kinds, steps = EPILOGUES[name]
        operands = operands_for(rng, kinds, shape)
        extra = 0 if is_in_place else int(rng.integers(0, 3)) * 5
        output = guarded((batch, height, width, channels + extra), np.float32)
        before = output.copy()
        given = dict(operands)
        if is_in_place:
            output[...] = operands["operand0"]
            given["operand0"], before = output, output.copy()
        run_kernel(
            WinogradOutput((height % 2 > 0, width % 2 > 0), channels % lanes != 0, kinds, steps),
            {
                **{"planes": planes, "output": output, "tile_begin": begin, "tile_end": end},
                **given,
                **{"tile_rows": tiles[0], "tile_columns": tiles[1]},
                **{"out_height": height, "out_width": width, "channels": channels},
                **{"output_stride": output.strides[2], "operand_stride": channels * 4},
                **{"plane_stride": planes.strides[0], "tile_stride": planes.strides[1]},
            },
            target,
        )
        sums = outputs_of(planes[:, : end - begin], shape, begin, end)
        expected = apply_epilogue(name, sums, operands)
        found = output[..., :channels]
        outside = np.isnan(sums)
        np.testing.assert_allclose(found[~outside], expected[~outside], atol=2e-5)
        assert np.array_equal(found[outside], before[..., :channels][outside])
        assert np.array_equal(output[..., channels:], before[..., channels:])


def test_weights() -> None:
    rng = np.random.default_rng(0)
    filter = rng.standard_normal((3, 3, 5, 37)).astype(np.float32)
    packed = pack_winograd(filter[:, :, :, 3:], 16)
    assert packed.shape == (16, 3, 5, 16) and packed.ctypes.data % 64 == 0
    exact = np.einsum("ia,abco,jb->ijco", FILTER_TRANSFORM, filter.astype(float), FILTER_TRANSFORM)
    places = packed.transpose(0, 2, 1, 3).reshape(16, 5, 48)
    expected = exact[..., 3:].reshape(16, 5, 34)
    np.testing.assert_allclose(places[..., :34], expected, rtol=1.2e-7 / 2, atol=0)
    assert (places[..., 34:] == 0).all()


def spec_named(name: str) -> KernelSpec:
    if name == "input":
        return WinogradInput(False)
    return WinogradOutput((False, False), False, *EPILOGUES[name])


@pytest.mark.parametrize("target", LEVELS, ids=lambda target: target.name)
@pytest.mark.parametrize("name", ["input", "none", "bias_relu", "residual"])
def test_hot_loops_keep_vectors_in_registers(name: str, target: Target) -> None:
    loops = innermost_loops(kernel_assembly(spec_named(name), target))
    loops = [loop for loop in loops if sum("addps" in line or "subps" in line for line in loop) > 8]
    assert loops
    for loop in loops:
        spilled = [line for line in loop if re.search(r"mm\d+,.*\(%rsp\)|\(%rsp\), %.mm", line)]
        assert not spilled, spilled


# --- whole convolutions ---------------------------------------------------------------------------


def calls_of(schedule: Schedule) -> list[KernelCall]:
    return [call for phase in schedule.phases for call in phase.all_calls()]


def schedule_of(outputs: list[Lowered], c: Lowering, target: Target, shares: int) -> Schedule:
    return Schedule(fuse(c.values, outputs), outputs, ConstantPool(), target, shares)


def run_schedule(schedule: Schedule, target: Target, inputs: list[np.ndarray]) -> list[np.ndarray]:
    specs = {call.spec.text(): call.spec for call in calls_of(schedule)} | {RUNNER.text(): RUNNER}
    images = {text: kernel_image(spec, target) for text, spec in specs.items()}
    return Program(schedule, images).run(inputs)


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Winograd wherever it can, in small blocks."""
    monkeypatch.setattr(winograd_calls, "_LEAST_GAIN", 0.0)
    monkeypatch.setattr(winograd_calls, "_BLOCK_TILES", (13, 13))


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("target", LEVELS, ids=lambda target: target.name)
def test_convolutions(target: Target, request: pytest.FixtureRequest) -> None:
    """Beside a neighbour in a concatenation, and with a sum, on several threads."""
    for seed in draws(request, 4):
        rng = np.random.default_rng(seed)
        windows = random_pads(rng)
        batch, height, width, channels, filters = (
            int(n) for n in rng.integers((1, 3, 3, 1, 1), (4, 20, 20, 50, 70))
        )
        image = rng.standard_normal((batch, height, width, channels)).astype(np.float32)
        weights = rng.standard_normal((3, 3, channels, filters)).astype(np.float32)
        size = windows.output_size((height, width))
        other = rng.standard_normal((batch, *size, filters)).astype(np.float32)
        exact = convolve(image, weights, windows)
        scale = np.abs(exact).max() + 1
        known = []
        for shares in (1, 2, 5):
            schedule = sum_and_concatenation(image, weights, other, windows, target, shares)
            known.append(run_schedule(schedule, target, [image, other]))
            total, joined = known[-1]
            np.testing.assert_allclose(total / scale, (exact - other) / scale, atol=1e-6)
            expected = np.concatenate([np.maximum(exact, 0), other], 3)
            np.testing.assert_allclose(joined / scale, expected / scale, atol=1e-6)
        for results in known[1:]:
            assert all(np.array_equal(a, b) for a, b in zip(results, known[0]))


def sum_and_concatenation(
    image: np.ndarray,
    weights: np.ndarray,
    other: np.ndarray,
    windows: ConvolutionShape,
    target: Target,
    shares: int,
) -> Schedule:
    c = Lowering()
    x, y = c.given(0, image.shape, "float32"), c.given(1, other.shape, "float32")

    def convolution() -> Lowered:
        return c.convolution(x, c.constant(weights), (1, 1), windows.pads, (1, 1))

    total = c.map("add", convolution(), c.map("neg", y))
    joined = c.concat([c.map("relu", convolution()), y], 3)
    schedule = schedule_of([total, joined], c, target, shares)
    families = {call.spec.family for call in calls_of(schedule)}
    assert "winograd_output" in families and "conv2d" not in families
    return schedule


@pytest.mark.usefixtures("everywhere")
def test_what_is_not_a_number_stays_near() -> None:
    """NaN in one pixel: all outputs that see it, and none two pixels further away."""
    target, rng = LEVELS[-1], np.random.default_rng(0)
    image = rng.standard_normal((2, 12, 12, 20)).astype(np.float32)
    image[1, 5, 6, 3] = np.nan
    c = Lowering()
    weights = c.constant(rng.standard_normal((3, 3, 20, 24)).astype(np.float32))
    x = c.given(0, image.shape, "float32")
    y = c.convolution(x, weights, (1, 1), ((1, 1), (1, 1)), (1, 1))
    (found,) = run_schedule(schedule_of([y], c, target, 2), target, [image])
    assert np.isnan(found[1, 4:7, 5:8]).all()
    found[1, 3:8, 4:9] = 0
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("batch", "size", "channels", "filters", "expected"),
    [
        (1, 56, 64, 64, True),
        (1, 14, 256, 256, True),
        (1, 7, 512, 512, False),  # much of the tiles is outside, weights are all there is to read
        (8, 7, 512, 512, True),
        (1, 224, 3, 64, False),
        (1, 56, 16, 16, False),
        (1, 4, 64, 64, False),
    ],
)
def test_choice(batch: int, size: int, channels: int, filters: int, expected: bool) -> None:
    shape = (batch, size, size, filters)
    for stride, dilation, window in ((1, 1, 3), (2, 1, 3), (1, 2, 3), (1, 1, 5)):
        pads = ((1, 1), (1, 1))
        windows = ConvolutionShape((window, 3), (stride, 1), (1, dilation), pads)
        is_plain = (stride, dilation, window) == (1, 1, 3)
        assert winograd_calls.pays(windows, channels, shape) is (expected and is_plain)


def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEATHERFLOW_WINOGRAD", "0")
    winograd_calls.is_on.cache_clear()
    try:
        windows = ConvolutionShape((3, 3), (1, 1), (1, 1), ((1, 1), (1, 1)))
        assert not contractions.pays(windows, 64, (1, 56, 56, 64))
    finally:
        winograd_calls.is_on.cache_clear()


def test_threads_that_are_too_many_do_blocks_together() -> None:
    """Three phases: by tiles, by places, by tiles; else one, whatever the number of blocks."""
    phases = {}
    for shares in (1, 2, 4):
        c = Lowering()
        weights = c.constant(np.ones((3, 3, 256, 256), np.float32))
        x = c.given(0, (1, 14, 14, 256), "float32")
        y = c.convolution(x, weights, (1, 1), ((1, 1), (1, 1)), (1, 1))
        schedule = schedule_of([y], c, LEVELS[-1], shares)
        phases[shares] = [[len(calls) for calls in phase.calls] for phase in schedule.phases]
    assert phases == {1: [[18]], 2: [[1, 1], [8, 8], [1, 1]], 4: [[1] * 4, [4] * 4, [1] * 4]}
