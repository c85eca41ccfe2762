"""Convolution against loops over windows, its gradients against its own adjoint, TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from differential.inputs import normal
from differential.kernel_cases import KernelCase
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import conv
from featherflow.kernels.windows import Pads, channels_last, output_sizes

from .recorded import assert_recorded, cases_of, convolution_geometry

NO_PADS = ((0, 0), (0, 0))
ONES = (1, 1)


def naive_convolve(
    input: np.ndarray,
    filter: np.ndarray,
    strides: Sequence[int],
    pads: Pads,
    dilations: Sequence[int],
) -> np.ndarray:
    """The formula, position by position and group by group, in float64."""
    padded = np.pad(input.astype(np.float64), [(0, 0), *pads, (0, 0)])
    *window, group_channels, channels = filter.shape
    groups = input.shape[-1] // group_channels
    outputs = output_sizes(input.shape[1:-1], window, strides, dilations, pads)
    result = np.zeros((input.shape[0], *outputs, channels))
    for place in np.ndindex(*outputs):
        for tap in np.ndindex(*window):
            at = (o * s + t * d for o, s, t, d in zip(place, strides, tap, dilations))
            pixels = padded[(slice(None), *at)]
            for group in range(groups):
                read = slice(group * group_channels, (group + 1) * group_channels)
                write = slice(group * channels // groups, (group + 1) * channels // groups)
                result[(slice(None), *place, write)] += pixels[:, read] @ filter[tap][:, write]
    return result


@st.composite
def geometries(draw: st.DrawFn) -> tuple:
    """Shapes of input and filter, strides, pads and dilations that fit together."""
    rank = draw(st.integers(1, 3))

    def several(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    sizes, window, strides, dilations = several(1, 7), several(1, 3), several(1, 4), several(1, 4)
    pads = tuple(zip(several(0, 3), several(0, 3)))
    try:
        outputs = output_sizes(sizes, window, strides, dilations, pads)
    except InvalidArgumentError:
        outputs = (0,)
    assume(all(outputs))
    groups, depth, multiplier = (draw(st.integers(1, 3)) for _ in range(3))
    input_shape = (2, *sizes, groups * depth)
    return input_shape, (*window, depth, groups * multiplier), strides, pads, dilations


@settings(max_examples=60, deadline=None)
@given(geometries())
def test_matches_loops(geometry: tuple) -> None:
    input_shape, filter_shape, *rest = geometry
    input, filter = normal(*input_shape, dtype="float64"), normal(*filter_shape, dtype="float64")
    expected = naive_convolve(input, filter, *rest)
    np.testing.assert_allclose(conv.convolve(input, filter, *rest), expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(geometries())
def test_gradients_are_the_adjoint(geometry: tuple) -> None:
    """⟨g, convolve(x, f)⟩ is linear in x and in f: its coefficients are the gradients."""
    input_shape, filter_shape, *rest = geometry
    input, filter = normal(*input_shape, dtype="float64"), normal(*filter_shape, dtype="float64")
    output = conv.convolve(input, filter, *rest)
    gradient = normal(*output.shape, dtype="float64", seed=1)
    to_input = conv.convolve_backprop_input(input_shape, filter, gradient, *rest)
    to_filter = conv.convolve_backprop_filter(input, filter_shape, gradient, *rest)
    assert to_input.shape == input_shape
    assert to_filter.shape == filter_shape
    other_input = normal(*input_shape, dtype="float64", seed=2)
    other_filter = normal(*filter_shape, dtype="float64", seed=3)
    changed = conv.convolve(other_input, filter, *rest)
    np.testing.assert_allclose(np.vdot(to_input, other_input), np.vdot(gradient, changed))
    changed = conv.convolve(input, other_filter, *rest)
    np.testing.assert_allclose(np.vdot(to_filter, other_filter), np.vdot(gradient, changed))


@cases_of("Conv2D", "Conv3D")
def test_forward_as_tensorflow(case: KernelCase) -> None:
    input, filter = case.inputs["input"], case.inputs["filter"]
    geometry = convolution_geometry(case, input.shape, filter.shape[:-2])
    assert_recorded(case, [conv.convolve(input, filter, *geometry)])


@cases_of("Conv2DBackpropInput")
def test_input_gradient_as_tensorflow(case: KernelCase) -> None:
    shape, filter = case.inputs["input_sizes"].tolist(), case.inputs["filter"]
    geometry = convolution_geometry(case, shape, filter.shape[:-2])
    gradient = case.inputs["out_backprop"]
    assert_recorded(case, [conv.convolve_backprop_input(shape, filter, gradient, *geometry)])


@cases_of("Conv2DBackpropFilter")
def test_filter_gradient_as_tensorflow(case: KernelCase) -> None:
    input, shape = case.inputs["input"], case.inputs["filter_sizes"].tolist()
    geometry = convolution_geometry(case, input.shape, shape[:-2])
    gradient = case.inputs["out_backprop"]
    assert_recorded(case, [conv.convolve_backprop_filter(input, shape, gradient, *geometry)])


@pytest.mark.parametrize("groups", (1, 2))
@pytest.mark.parametrize("limit", (1, 500, 3000))
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, limit: int, groups: int) -> None:
    input, filter = normal(3, 6, 5, 4), normal(3, 3, 4 // groups, 6)
    pads = ((1, 1), (1, 1))
    whole = conv.convolve(input, filter, ONES, pads, ONES)
    gradient = conv.convolve_backprop_filter(input, filter.shape, whole, ONES, pads, ONES)
    monkeypatch.setattr(conv, "_LIMIT_BYTES", limit)
    again = conv.convolve(input, filter, ONES, pads, ONES)
    np.testing.assert_allclose(again, whole, rtol=1e-5, atol=1e-5)
    again = conv.convolve_backprop_filter(input, filter.shape, whole, ONES, pads, ONES)
    np.testing.assert_allclose(again, gradient, rtol=1e-4, atol=1e-4)


def test_copied_windows_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns of one image are larger than the limit, so no block may hold them all."""
    monkeypatch.setattr(conv, "_LIMIT_BYTES", 4096)
    sizes = []
    matmul = np.matmul

    def spy(columns: np.ndarray, *rest: np.ndarray, **keywords: np.ndarray) -> np.ndarray:
        sizes.append(columns.nbytes)
        return matmul(columns, *rest, **keywords)

    monkeypatch.setattr(conv.np, "matmul", spy)
    conv.convolve(normal(1, 20, 20, 8), normal(3, 3, 8, 4), ONES, NO_PADS, ONES)
    assert max(sizes) <= 4096
    assert sum(sizes) == 18 * 18 * 9 * 8 * 4


@pytest.mark.parametrize("window", [(1, 1), (4, 5)])
def test_windows_that_need_no_copy(window: tuple[int, int]) -> None:
    input, filter = normal(2, 4, 5, 6), normal(*window, 6, 3)
    expected = naive_convolve(input, filter, ONES, NO_PADS, ONES)
    output = conv.convolve(input, filter, ONES, NO_PADS, ONES)
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-4)


def test_other_layouts_are_views() -> None:
    stored = normal(2, 4, 5, 6)
    input, filter = channels_last(stored, "NCHW"), normal(3, 3, 4, 2)
    expected = conv.convolve(np.ascontiguousarray(input), filter, ONES, NO_PADS, ONES)
    output = conv.convolve(input, filter, ONES, NO_PADS, ONES)
    np.testing.assert_array_equal(output, expected)
    assert output.flags.c_contiguous


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_floats_are_summed_in_float32(dtype: type) -> None:
    """4096 products of 1 sum to 4096; in the dtype itself the sum would stall long before."""
    input, filter = np.ones((1, 8, 8, 64), dtype), np.ones((8, 8, 64, 1), dtype)
    output = conv.convolve(input, filter, ONES, NO_PADS, ONES)
    assert output.dtype == dtype
    assert output.astype(np.float64) == 4096


@pytest.mark.parametrize(
    ("input_shape", "filter_shape", "output_shape"),
    [
        ((0, 5, 5, 2), (3, 3, 2, 4), (0, 3, 3, 4)),
        ((1, 2, 5, 2), (3, 3, 2, 4), (1, 0, 3, 4)),
        ((1, 5, 5, 2), (3, 3, 2, 0), (1, 3, 3, 0)),
    ],
)
def test_empty_outputs(input_shape: tuple, filter_shape: tuple, output_shape: tuple) -> None:
    input, filter = np.ones(input_shape, np.float32), np.ones(filter_shape, np.float32)
    output = conv.convolve(input, filter, ONES, NO_PADS, ONES)
    assert output.shape == output_shape
    to_input = conv.convolve_backprop_input(input_shape, filter, output, ONES, NO_PADS, ONES)
    np.testing.assert_array_equal(to_input, np.zeros(input_shape))
    to_filter = conv.convolve_backprop_filter(input, filter_shape, output, ONES, NO_PADS, ONES)
    np.testing.assert_array_equal(to_filter, np.zeros(filter_shape))


@pytest.mark.parametrize(
    ("channels", "filter_shape", "message"),
    [
        (4, (3, 3, 3, 6), "input depth must be evenly divisible"),
        (4, (3, 3, 2, 5), "output depth must be evenly divisible"),
        (4, (3, 3, 0, 5), "filter depth must be strictly positive"),
    ],
)
def test_channels_that_do_not_fit(channels: int, filter_shape: tuple, message: str) -> None:
    input, filter = np.ones((1, 5, 5, channels)), np.ones(filter_shape)
    with pytest.raises(InvalidArgumentError, match=message):
        conv.convolve(input, filter, ONES, NO_PADS, ONES)


def test_gradient_of_wrong_shape() -> None:
    filter, gradient = np.ones((3, 3, 2, 4)), np.ones((1, 4, 3, 4))
    with pytest.raises(InvalidArgumentError, match=r"expected \[1, 3, 3, 4\]"):
        conv.convolve_backprop_input((1, 5, 5, 2), filter, gradient, ONES, NO_PADS, ONES)
    with pytest.raises(InvalidArgumentError, match=r"Received \[1, 4, 3, 4\]"):
        input = np.ones((1, 5, 5, 2))
        conv.convolve_backprop_filter(input, filter.shape, gradient, ONES, NO_PADS, ONES)
