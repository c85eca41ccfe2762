"""Compares kernels with what TensorFlow gave: cases by op, their window geometry, tolerances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from differential.kernel_cases import KernelCase, all_cases, load_outputs

from featherflow.kernels.windows import Pads, resolve_pads, spatial_of, spatial_pads

#: Units in the last place of the dtype, more for long sums.
TOLERANCES = {"float64": 1e-12, "float32": 2e-5, "float16": 2e-3, "bfloat16": 2e-2}


def cases_of(*ops: str) -> pytest.MarkDecorator:
    """Parametrizes a test by the recorded cases of some ops."""
    cases = [case for case in all_cases() if case.op in ops]
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


def assert_recorded(case: KernelCase, outputs: Sequence[np.ndarray]) -> None:
    """Compares outputs with TensorFlow's, as many as are given."""
    expected = load_outputs(case)
    assert outputs
    for output, wanted in zip(outputs, expected):
        assert output.shape == wanted.shape
        if output.dtype.name != "bfloat16":
            assert output.dtype == wanted.dtype
        tolerance = TOLERANCES.get(output.dtype.name, 0)
        np.testing.assert_allclose(
            output.astype(wanted.dtype), wanted, rtol=tolerance, atol=tolerance
        )


class Geometry(NamedTuple):
    """Spatial strides, pads and dilations of a convolution."""

    strides: tuple[int, ...]
    pads: Pads
    dilations: tuple[int, ...]


def convolution_geometry(
    case: KernelCase, input_shape: Sequence[int], window: Sequence[int]
) -> Geometry:
    strides = spatial_of(case.attrs["strides"], "NHWC")
    rank = len(strides)
    dilations = spatial_of(case.attrs.get("dilations", (1,) * (rank + 2)), "NHWC")
    explicit = spatial_pads(case.attrs.get("explicit_paddings", (0,) * (2 * rank + 4)), "NHWC")
    sizes = input_shape[1:-1]
    pads = resolve_pads(case.attrs["padding"], sizes, window, strides, dilations, explicit)
    return Geometry(strides, pads, dilations)


class Pooling(NamedTuple):
    """Window, strides and pads of every dimension."""

    window: Sequence[int]
    strides: Sequence[int]
    pads: Pads


def pooling(case: KernelCase, input_shape: Sequence[int]) -> Pooling:
    window, strides = case.attrs["ksize"], case.attrs["strides"]
    flat = case.attrs.get("explicit_paddings", ())
    explicit = list(zip(flat[::2], flat[1::2]))
    pads = resolve_pads(case.attrs["padding"], input_shape, window, strides, explicit=explicit)
    return Pooling(window, strides, pads)
