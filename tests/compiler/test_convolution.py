"""Convolution and matmul kernels against formulas in float64, at every level of the machine."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from featherflow.compiler.column_blocks import tails_of
from featherflow.compiler.contractions import ConvolutionShape, tile_for
from featherflow.compiler.convolution import Convolution
from featherflow.compiler.matmul import MatMul
from featherflow.compiler.target import Target
from featherflow.kernels.packed_weights import pack_filter, pack_matrix
from tests.compiler.kernel_runner import (
    guarded,
    guarded_copy,
    host_levels,
    kernel_assembly,
    run_kernel,
)

LEVELS = host_levels()
EPILOGUES = {
    "none": ((), ()),
    "bias_relu": (("channel",), (("add", 0, 1), ("relu", 2))),
    "residual": (("full", "channel"), (("add", 0, 1), ("add", 3, 2))),
    "scaled": (("scalar",), (("mul", 0, 1),)),
}


def draws(request: pytest.FixtureRequest, ordinary: int) -> range:
    return range(ordinary * 20 if request.config.getoption("--all") else ordinary)


def apply_epilogue(name: str, sums: np.ndarray, operands: dict[str, np.ndarray]) -> np.ndarray:
    if name == "bias_relu":
        return np.maximum(sums + operands["operand0"], 0)
    if name == "residual":
        return sums + operands["operand0"] + operands["operand1"]
    return sums * operands["operand0"] if name == "scaled" else sums


def operands_for(
    rng: np.random.Generator, kinds: tuple[str, ...], shape: tuple[int, ...]
) -> dict[str, np.ndarray]:
    sizes = {"channel": shape[-1:], "full": shape, "scalar": ()}
    return {
        f"operand{place}": guarded_copy(rng.standard_normal(sizes[kind]).astype(np.float32))
        for place, kind in enumerate(kinds)
    }


def convolve(image: np.ndarray, weights: np.ndarray, windows: ConvolutionShape) -> np.ndarray:
    """The definition, in float64."""
    padded = np.pad(image.astype(np.float64), ((0, 0), *windows.pads, (0, 0)))
    height, width = windows.output_size(image.shape[1:3])
    (sy, sx), (dy, dx) = windows.strides, windows.dilations
    total = np.zeros((image.shape[0], height, width, weights.shape[3]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            rows = slice(i * dy, i * dy + (height - 1) * sy + 1, sy)
            columns = slice(j * dx, j * dx + (width - 1) * sx + 1, sx)
            total += padded[:, rows, columns] @ weights[i, j].astype(np.float64)
    return total


def random_windows(rng: np.random.Generator) -> tuple[ConvolutionShape, int, int]:
    window = tuple(int(n) for n in rng.integers(1, 6, 2))
    strides = tuple(int(n) for n in rng.integers(1, 4, 2))
    dilations = (int(rng.integers(1, 3)), 1)
    pads = tuple((int(a), int(b)) for a, b in (rng.integers(0, window[k], 2) for k in range(2)))
    height = int(rng.integers((window[0] - 1) * dilations[0] + 1, 19))
    width = int(rng.integers(window[1], 19))
    return ConvolutionShape(window, strides, dilations, pads), height, width


@pytest.mark.parametrize("target", LEVELS, ids=lambda target: target.name)
def test_convolution(target: Target, request: pytest.FixtureRequest) -> None:
    for seed in draws(request, 12):
        rng = np.random.default_rng(seed)
        windows, height, width = random_windows(rng)
        batch, channels, filters = (int(n) for n in rng.integers((1, 1, 1), (3, 20, 80)))
        image = guarded_copy(
            rng.standard_normal((batch, height, width, channels)).astype(np.float32)
        )
        weights = rng.standard_normal((*windows.window, channels, filters)).astype(np.float32)
        name = str(rng.choice(list(EPILOGUES)))
        check_convolution(target, rng, windows, image, weights, name)


def check_convolution(
    target: Target,
    rng: np.random.Generator,
    windows: ConvolutionShape,
    image: np.ndarray,
    weights: np.ndarray,
    epilogue: str,
) -> None:
    batch, height, width, channels = image.shape
    filters = weights.shape[3]
    size = windows.output_size((height, width))
    tile = tile_for(target, True)
    if (min(tile[0], size[1]) - 1) * windows.strides[1] > width:
        return  # a tile wider than the image: the scheduler pads a copy
    kinds, steps = EPILOGUES[epilogue]
    columns = tile[1] * target.lanes(4)
    spec = Convolution(
        window=windows.window,
        strides=windows.strides,
        dilations=windows.dilations,
        is_dense=True,
        cuts=windows.cuts(width, size[1]),
        tile=tile,
        is_even=channels % 4 == 0,
        tails=tails_of(filters, columns),
        epilogue_inputs=kinds,
        epilogue=steps,
    )
    packed = pack_filter(weights, columns)
    operands = operands_for(rng, kinds, (batch, *size, filters))
    extra = int(rng.integers(0, 3)) * 5  # room for other channels behind each pixel
    output = guarded((batch, *size, filters + extra), np.float32)
    untouched = output.copy()
    rows = batch * size[0]
    halves = (0, int(rng.integers(0, rows + 1)), rows)
    for begin, end in pairwise(halves):
        run_kernel(
            spec,
            {
                **{"input": image, "weights": packed, "output": output, "next_weights": packed},
                **operands,
                **{"row_begin": begin, "row_end": end, "row_block": int(rng.integers(1, 5))},
                **{"column_begin": 0, "column_end": -(-filters // columns)},
                **{"channels": channels, "n_size": filters, "height": height, "width": width},
                **{"out_height": size[0], "out_width": size[1]},
                **{"pad_top": windows.pads[0][0], "pad_left": windows.pads[1][0]},
                **{"input_stride": channels * 4, "operand_stride": filters * 4},
                "output_stride": (filters + extra) * 4,
            },
            target,
        )
    expected = apply_epilogue(epilogue, convolve(image, weights, windows), operands)
    scale = np.abs(expected).max() + 1
    np.testing.assert_allclose(output[..., :filters] / scale, expected / scale, atol=2e-6)
    assert np.array_equal(output[..., filters:], untouched[..., filters:])


@pytest.mark.parametrize("target", LEVELS, ids=lambda target: target.name)
def test_matmul(target: Target, request: pytest.FixtureRequest) -> None:
    tile = tile_for(target, False)
    width = tile[1] * target.lanes(4)
    for seed in draws(request, 12):
        rng = np.random.default_rng(seed)
        rows, inner, columns = (int(n) for n in rng.integers((1, 1, 1), (70, 90, 150)))
        name = str(rng.choice(list(EPILOGUES)))
        kinds, steps = EPILOGUES[name]
        left = guarded_copy(rng.standard_normal((rows, inner)).astype(np.float32))
        right = rng.standard_normal((inner, columns)).astype(np.float32)
        packed = pack_matrix(right, width)
        operands = operands_for(rng, kinds, (rows, columns))
        output = guarded((rows, columns), np.float32)
        spec = MatMul(tile, inner % 4 == 0, tails_of(columns, width), kinds, steps)
        blocks = -(-columns // width)
        for begin, end in ((0, blocks // 2), (blocks // 2, blocks)):
            run_kernel(
                spec,
                {
                    **{"input": left, "weights": packed, "output": output},
                    **{"next_weights": packed, **operands},
                    **{"tile_begin": 0, "tile_end": -(-rows // tile[0]), "rows": rows},
                    **{
                        "tile_block": int(rng.integers(1, 10)),
                        "column_begin": begin,
                        "column_end": end,
                    },
                    **{"k_size": inner, "n_size": columns, "input_stride": inner * 4},
                    **{"output_stride": columns * 4, "operand_stride": columns * 4},
                },
                target,
            )
        sums = left.astype(np.float64) @ right.astype(np.float64)
        expected = apply_epilogue(name, sums, operands)
        scale = np.abs(expected).max() + 1
        np.testing.assert_allclose(output / scale, expected / scale, atol=2e-6)


def test_rows_do_not_depend_on_how_they_are_split() -> None:
    """Equal bits, whatever the tiles: the order of additions is that of k alone."""
    rng = np.random.default_rng(0)
    target = LEVELS[-1]
    tile = tile_for(target, False)
    width = tile[1] * target.lanes(4)
    left = rng.standard_normal((13, 37)).astype(np.float32)
    packed = pack_matrix(rng.standard_normal((37, 50)).astype(np.float32), width)
    spec = MatMul(tile, False, tails_of(50, width))
    results = []
    tiles = -(-13 // tile[0])
    for cuts in ((0, tiles), (0, 1, tiles), range(tiles + 1)):
        output = guarded((13, 50), np.float32)
        for begin, end in pairwise(cuts):
            run_kernel(
                spec,
                {
                    **{"input": left, "weights": packed, "output": output},
                    **{"next_weights": packed, "tile_begin": begin, "tile_end": end},
                    **{"rows": 13, "tile_block": 9},
                    **{"column_begin": 0, "column_end": -(-50 // width)},
                    **{"k_size": 37, "n_size": 50, "input_stride": 37 * 4},
                    **{"output_stride": 200, "operand_stride": 200},
                },
            )
        results.append(output.copy())
    assert all(np.array_equal(results[0], other) for other in results[1:])


@pytest.mark.parametrize("name", ["matmul", "conv3x3"])
def test_hot_loops_keep_their_sums_in_registers(name: str) -> None:
    target = LEVELS[-1]
    epilogue = EPILOGUES["bias_relu"]
    spec = (
        MatMul(tile_for(target, False), True, (), *epilogue)
        if name == "matmul"
        else Convolution(
            *((3, 3), (1, 1), (1, 1), True, (1, 1), tile_for(target, True), True, ()), *epilogue
        )
    )
    for loop in innermost_loops(kernel_assembly(spec, target)):
        if sum("vfmadd" in line for line in loop) > 8:
            spilled = [line for line in loop if re.search(r"mm\d+,.*\(%rsp\)|\(%rsp\), %.mm", line)]
            assert not spilled, spilled


def innermost_loops(assembly: str) -> list[list[str]]:
    """The bodies of loops that are one block: a label, and a jump back to it."""
    loops, label, body = [], "", []
    for line in assembly.splitlines():
        start = re.match(r"(\.L\w+):", line)
        if start:
            label, body = start.group(1), []
            continue
        body.append(line)
        if re.search(rf"\sj\w+\s+{re.escape(label)}$", line) and label:
            loops.append(list(body))
    return loops
