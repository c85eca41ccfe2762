"""Winograd's kernels against the definition of a convolution in float64, at every level."""

from __future__ import annotations

import re

import numpy as np
import pytest

from featherflow.compiler.contractions import ConvolutionShape
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.target import Target
from featherflow.compiler.winograd import WinogradInput, WinogradOutput
from featherflow.kernels.winograd_weights import pack_winograd
from tests.compiler.kernel_runner import (
    guarded,
    guarded_copy,
    host_levels,
    kernel_assembly,
    run_kernel,
)
from tests.compiler.test_convolution import (
    EPILOGUES,
    apply_epilogue,
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
