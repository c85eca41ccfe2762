"""Depthwise convolution against grouped convolution, its gradients against its own adjoint."""

from __future__ import annotations

import numpy as np
import pytest
from differential.inputs import normal
from differential.kernel_cases import KernelCase
from hypothesis import given, settings

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import depthwise

from .recorded import assert_recorded, cases_of, convolution_geometry
from .test_conv import NO_PADS, ONES, geometries, naive_convolve


def grouped(filter: np.ndarray) -> np.ndarray:
    """The filter `[W…, 1, C·M]` of the convolution with one group per channel."""
    *window, channels, multiplier = filter.shape
    return filter.reshape(*window, 1, channels * multiplier)


@settings(max_examples=60, deadline=None)
@given(geometries())
def test_matches_loops(geometry: tuple) -> None:
    (*leading, channels), (*window, multiplier, _), *rest = geometry
    input = normal(*leading, channels, dtype="float64")
    filter = normal(*window, channels, multiplier, dtype="float64", seed=1)
    expected = naive_convolve(input, grouped(filter), *rest)
    np.testing.assert_allclose(
        depthwise.depthwise_convolve(input, filter, *rest), expected, atol=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(geometries())
def test_gradients_are_the_adjoint(geometry: tuple) -> None:
    (*leading, channels), (*window, multiplier, _), *rest = geometry
    inputs = [normal(*leading, channels, dtype="float64", seed=seed) for seed in (0, 1)]
    filters = [normal(*window, channels, multiplier, dtype="float64", seed=seed) for seed in (2, 3)]
    output = depthwise.depthwise_convolve(inputs[0], filters[0], *rest)
    gradient = normal(*output.shape, dtype="float64", seed=4)
    to_input = depthwise.depthwise_convolve_backprop_input(
        inputs[0].shape, filters[0], gradient, *rest
    )
    to_filter = depthwise.depthwise_convolve_backprop_filter(
        inputs[0], filters[0].shape, gradient, *rest
    )
    assert to_input.shape == inputs[0].shape
    assert to_filter.shape == filters[0].shape
    changed = depthwise.depthwise_convolve(inputs[1], filters[0], *rest)
    np.testing.assert_allclose(np.vdot(to_input, inputs[1]), np.vdot(gradient, changed))
    changed = depthwise.depthwise_convolve(inputs[0], filters[1], *rest)
    np.testing.assert_allclose(np.vdot(to_filter, filters[1]), np.vdot(gradient, changed))


@cases_of("DepthwiseConv2dNative")
def test_forward_as_tensorflow(case: KernelCase) -> None:
    input, filter = case.inputs["input"], case.inputs["filter"]
    geometry = convolution_geometry(case, input.shape, filter.shape[:-2])
    assert_recorded(case, [depthwise.depthwise_convolve(input, filter, *geometry)])


@cases_of("DepthwiseConv2dNativeBackpropInput")
def test_input_gradient_as_tensorflow(case: KernelCase) -> None:
    shape, filter = case.inputs["input_sizes"].tolist(), case.inputs["filter"]
    geometry = convolution_geometry(case, shape, filter.shape[:-2])
    gradient = depthwise.depthwise_convolve_backprop_input(
        shape, filter, case.inputs["out_backprop"], *geometry
    )
    assert_recorded(case, [gradient])


@cases_of("DepthwiseConv2dNativeBackpropFilter")
def test_filter_gradient_as_tensorflow(case: KernelCase) -> None:
    input, shape = case.inputs["input"], case.inputs["filter_sizes"].tolist()
    geometry = convolution_geometry(case, input.shape, shape[:-2])
    gradient = depthwise.depthwise_convolve_backprop_filter(
        input, shape, case.inputs["out_backprop"], *geometry
    )
    assert_recorded(case, [gradient])


@pytest.mark.parametrize("stride", (1, 2))
@pytest.mark.parametrize("channels", (8, 300))
def test_blocks_and_row_filters_change_nothing(
    monkeypatch: pytest.MonkeyPatch, channels: int, stride: int
) -> None:
    """300 channels are too many to repeat filters; tiny blocks make every row a block."""
    input, filter = normal(2, 5, 4, channels), normal(3, 3, channels, 1)
    geometry = (stride, stride), ((1, 1), (1, 1)), ONES
    expected = naive_convolve(input, grouped(filter), *geometry)
    output = depthwise.depthwise_convolve(input, filter, *geometry)
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-5)
    to_filter = depthwise.depthwise_convolve_backprop_filter(input, filter.shape, output, *geometry)
    monkeypatch.setattr(depthwise, "_BLOCK_BYTES", 1)
    again = depthwise.depthwise_convolve(input, filter, *geometry)
    np.testing.assert_array_equal(again, output)
    again = depthwise.depthwise_convolve_backprop_filter(input, filter.shape, output, *geometry)
    np.testing.assert_allclose(again, to_filter, rtol=1e-4, atol=1e-4)


def test_narrow_floats_are_summed_in_float32() -> None:
    input, filter = np.ones((1, 64, 64, 1), np.float16), np.ones((64, 64, 1, 1), np.float16)
    output = depthwise.depthwise_convolve(input, filter, ONES, NO_PADS, ONES)
    assert output.dtype == np.float16
    assert output.item() == 4096


@pytest.mark.parametrize("shape", [(0, 5, 5, 2), (1, 2, 5, 2)])
def test_empty_outputs(shape: tuple[int, ...]) -> None:
    input, filter = np.ones(shape, np.float32), np.ones((3, 3, 2, 3), np.float32)
    output = depthwise.depthwise_convolve(input, filter, ONES, NO_PADS, ONES)
    assert output.shape == (shape[0], shape[1] - 2, 3, 6)
    to_input = depthwise.depthwise_convolve_backprop_input(
        shape, filter, output, ONES, NO_PADS, ONES
    )
    np.testing.assert_array_equal(to_input, np.zeros(shape))
    to_filter = depthwise.depthwise_convolve_backprop_filter(
        input, filter.shape, output, ONES, NO_PADS, ONES
    )
    np.testing.assert_array_equal(to_filter, np.zeros(filter.shape))


def test_depths_must_be_equal() -> None:
    input, filter = np.ones((1, 5, 5, 2)), np.ones((3, 3, 4, 1))
    with pytest.raises(InvalidArgumentError, match="must have the same depth"):
        depthwise.depthwise_convolve(input, filter, ONES, NO_PADS, ONES)


def test_gradient_of_wrong_shape() -> None:
    filter, gradient = np.ones((3, 3, 2, 1)), np.ones((1, 3, 3, 4))
    with pytest.raises(InvalidArgumentError, match=r"expected \[1, 3, 3, 2\]"):
        depthwise.depthwise_convolve_backprop_input(
            (1, 5, 5, 2), filter, gradient, ONES, NO_PADS, ONES
        )
