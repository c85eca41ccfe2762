"""Drawn images and windows for the kernels that slide a window, and a run among poison."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np

from compiler.kernel_runner import guarded, run_kernel
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.target import Target

_MARGIN = 64


@dataclass(frozen=True)
class WindowCase:
    """One image, one window; pairs are vertical, horizontal."""

    batch: int
    size: tuple[int, int]
    channels: int
    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: tuple[int, int]
    outputs: tuple[int, int]


def draw_case(rng: np.random.Generator, dilated: bool = True) -> WindowCase:
    """A random case: mostly small windows that fit, sometimes far larger ones, or pads."""
    window = _pair(rng, [1, 2, 3, 3, 3, 5, 5, 7, 9, 11])
    if rng.random() < 0.5:
        window = (window[0], window[0])
    strides = _pair(rng, [1, 1, 1, 2, 2, 3])
    if rng.random() < 0.6:
        strides = (strides[0], strides[0])
    dilations = _pair(rng, [1, 1, 1, 2, 3]) if dilated else (1, 1)
    size = int(rng.integers(1, 18)), int(rng.integers(1, 26))
    reach = [(taps - 1) * d + 1 for taps, d in zip(window, dilations)]
    kind = rng.choice(["same", "same", "valid", "wide"])
    before, after = [0, 0], [0, 0]
    if kind == "same":
        total = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(size, strides, reach)]
        before = [pad // 2 for pad in total]
        after = [pad - half for pad, half in zip(total, before)]
    elif kind == "wide":
        before = [int(rng.integers(0, r + 4)) for r in reach]
        after = [int(rng.integers(0, r + 4)) for r in reach]
    outputs = [
        max((n + b + a - r) // s + 1, 0)
        for n, b, a, r, s in zip(size, before, after, reach, strides)
    ]
    channels = int(rng.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32, 40, 63, 64, 77, 96]))
    batch = int(rng.integers(1, 4))
    pads, out = (before[0], before[1]), (outputs[0], outputs[1])
    return WindowCase(batch, size, channels, window, strides, dilations, pads, out)


def _pair(rng: np.random.Generator, choices: list[int]) -> tuple[int, int]:
    first, second = rng.choice(choices, 2)
    return int(first), int(second)


def among(array: np.ndarray, poison: float) -> np.ndarray:
    """A copy of a float array in the middle of poison, which shows when it is read."""
    block = np.full(array.size + 2 * _MARGIN, poison, np.float32)
    copy = block[_MARGIN : _MARGIN + array.size].reshape(array.shape)
    copy[...] = array
    return copy


def run_window(
    spec: KernelSpec,
    case: WindowCase,
    pointers: dict[str, np.ndarray],
    out_channels: int,
    target: Target,
    rng: np.random.Generator,
    in_place: str = "",
) -> np.ndarray:
    """Runs a kernel in pieces of rows, into a slice of a wider buffer unless it works in place."""
    height, width = case.outputs
    rows = case.batch * height
    extra = 0 if in_place else int(rng.integers(0, 3)) * 5
    buffer = guarded((case.batch, height, width, out_channels + extra), np.float32)
    buffer[...] = np.nan
    if in_place:
        buffer[...] = pointers[in_place]
        pointers = {**pointers, in_place: buffer}
    cuts = sorted({0, rows, *map(int, rng.integers(0, rows + 1, int(rng.integers(0, 3))))})
    sizes = dict(zip(("height", "width"), case.size))
    sizes |= {"out_height": height, "out_width": width}
    sizes |= {"pad_top": case.pads[0], "pad_left": case.pads[1]}
    sizes["output_stride"] = (out_channels + extra) * 4
    for begin, end in itertools.pairwise(cuts):
        arguments = {**pointers, "output": buffer, **sizes, "row_begin": begin, "row_end": end}
        run_kernel(spec, arguments, target)
    assert np.isnan(buffer[..., out_channels:]).all(), "written between pixels"
    return np.asarray(buffer[..., :out_channels])


def taps(case: WindowCase, image: np.ndarray, fill: float) -> np.ndarray:
    """`[KH, KW, N, OH, OW, C]`: what each tap reads, `fill` on padding."""
    (height, width), (rows, columns) = case.size, case.outputs
    found = np.full((*case.window, case.batch, rows, columns, case.channels), fill, image.dtype)
    for i, j in np.ndindex(*case.window):
        y = np.arange(rows) * case.strides[0] + i * case.dilations[0] - case.pads[0]
        x = np.arange(columns) * case.strides[1] + j * case.dilations[1] - case.pads[1]
        is_row, is_column = (y >= 0) & (y < height), (x >= 0) & (x < width)
        inside = np.ix_(np.arange(case.batch), np.flatnonzero(is_row), np.flatnonzero(is_column))
        found[i, j][inside] = image[:, y[is_row]][:, :, x[is_column]]
    return found


def draw_operands(
    rng: np.random.Generator, kinds: tuple[str, ...], shape: tuple[int, ...], poison: float
) -> dict[str, np.ndarray]:
    """Epilogue operands for an output of a shape."""
    shapes = {"channel": shape[-1:], "full": shape, "scalar": (1,)}
    return {
        f"operand{number}": among(rng.standard_normal(shapes[kind]).astype(np.float32), poison)
        for number, kind in enumerate(kinds)
    }


def loop_spills(assembly: str) -> list[str]:
    """Instructions in innermost loops that move vectors from or to the stack."""
    found, block, label = [], [], ""
    for line in assembly.splitlines():
        if re.match(r"\.L\w+:", line):
            label, block = line.split(":")[0], []
        block.append(line)
        if re.match(r"\s+j\w+\s", line):
            if line.split()[-1] == label:
                found += [one for one in block if "mm" in one and "(%rsp" in one]
            block = []
    return found
