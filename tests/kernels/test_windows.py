"""Window arithmetic against counting, padding and views against loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import windows


@pytest.mark.parametrize("size", range(8))
@pytest.mark.parametrize("taps", (1, 2, 3))
@pytest.mark.parametrize("stride", (1, 2, 3))
@pytest.mark.parametrize("dilation", (1, 2))
def test_output_size_counts_windows(size: int, taps: int, stride: int, dilation: int) -> None:
    span = (taps - 1) * dilation + 1
    if size - span + stride <= -stride:
        with pytest.raises(InvalidArgumentError, match="negative"):
            windows.output_size(size, taps, stride, dilation)
        return
    starts = [start for start in range(0, size, stride) if start + span <= size]
    assert windows.output_size(size, taps, stride, dilation) == len(starts)


@pytest.mark.parametrize(
    ("size", "taps", "stride", "outputs"), [(0, 3, 2, 0), (1, 3, 2, 0), (0, 5, 4, 0), (2, 3, 1, 0)]
)
def test_slightly_too_large_windows_give_nothing(
    size: int, taps: int, stride: int, outputs: int
) -> None:
    """TensorFlow's quotient rounds towards zero, so these are not errors."""
    assert windows.output_size(size, taps, stride) == outputs


def test_too_large_window_says_by_how_much() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        windows.output_size(0, 5, 2)
    assert "input size 0" in str(caught.value)
    assert "at least 5" in str(caught.value)


@pytest.mark.parametrize(
    "arguments", list(itertools.product((0, 1, 5, 8), (1, 2, 3, 4), (1, 2, 3), (1, 3)))
)
def test_same_pads_give_size_over_stride(arguments: tuple[int, int, int, int]) -> None:
    size, taps, stride, dilation = arguments
    before, after = windows.same_pads(size, taps, stride, dilation)
    assert after - before in (0, 1)
    assert before >= 0
    assert windows.output_size(*arguments, before, after) == -(-size // stride)


def test_resolve_pads() -> None:
    arguments = (5, 6), (3, 2), (1, 2)
    assert windows.resolve_pads("VALID", *arguments) == ((0, 0), (0, 0))
    assert windows.resolve_pads("SAME", *arguments) == ((1, 1), (0, 0))
    assert windows.resolve_pads("SAME", *arguments, (2, 1)) == ((2, 2), (0, 0))
    explicit = windows.resolve_pads("EXPLICIT", *arguments, explicit=[(3, 0), (0, 4)])
    assert explicit == ((3, 0), (0, 4))
    with pytest.raises(InvalidArgumentError, match="FULL"):
        windows.resolve_pads("FULL", *arguments)


def test_data_formats() -> None:
    assert windows.spatial_of([1, 2, 3, 1], "NHWC") == (2, 3)
    assert windows.spatial_of([1, 1, 2, 3, 4], "NCDHW") == (2, 3, 4)
    assert windows.spatial_pads([0, 0, 1, 2, 3, 4, 0, 0], "NHWC") == ((1, 2), (3, 4))
    assert windows.spatial_pads([0, 0, 0, 0, 1, 2, 3, 4], "NCHW") == ((1, 2), (3, 4))
    with pytest.raises(InvalidArgumentError, match="nonnegative"):
        windows.spatial_pads([0, 0, -1, 2, 3, 4, 0, 0], "NHWC")
    with pytest.raises(InvalidArgumentError, match="batch or depth"):
        windows.spatial_pads([0, 0, 1, 2, 3, 4, 0, 0], "NCHW")


def test_layouts_are_views_one_way_and_c_order_back() -> None:
    array = np.arange(24).reshape(1, 2, 3, 4)
    last = windows.channels_last(array, "NCHW")
    assert last.shape == (1, 3, 4, 2)
    assert np.shares_memory(last, array)
    back = windows.from_channels_last(last, "NCHW")
    assert back.flags.c_contiguous
    np.testing.assert_array_equal(back, array)
    assert windows.channels_last(array, "NHWC") is array


@pytest.mark.parametrize("pads", list(itertools.product((-9, -2, 0, 1, 9), repeat=2)))
def test_pad_spatial_pads_and_crops(pads: tuple[int, int]) -> None:
    array = np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2)
    before, after = pads
    if 3 + before + after < 0:
        return
    padded = windows.pad_spatial(array, (pads,), np.dtype(np.float64), fill=-1)
    expected = np.full((2, 3 + before + after, 2), -1.0)
    for position in range(expected.shape[1]):
        if 0 <= position - before < 3:
            expected[:, position] = array[:, position - before]
    np.testing.assert_array_equal(padded, expected)
    assert padded.dtype == np.float64


def test_nothing_to_pad_copies_nothing() -> None:
    array = np.zeros((1, 2, 2, 1), np.float32)
    assert windows.pad_spatial(array, ((0, 0), (0, 0))) is array


def test_window_view() -> None:
    padded = np.arange(2 * 7 * 8 * 3).reshape(2, 7, 8, 3)
    view = windows.window_view(padded, (2, 3), (2, 1), (3, 2), (2, 4))
    assert view.shape == (2, 2, 4, 2, 3, 3)
    for row, column, down, right in itertools.product(range(2), range(4), range(2), range(3)):
        expected = padded[:, 2 * row + 3 * down, column + 2 * right]
        np.testing.assert_array_equal(view[:, row, column, down, right], expected)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    assert windows.window_view(padded, (2, 3), (2, 1), (3, 2), (0, 4)).shape == (2, 0, 4, 2, 3, 3)


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 0, 3), (3, 4, 5), (1, 7, 2, 2)])
@pytest.mark.parametrize("limit", [1, 8, 30, 1000])
def test_blocks_cover_everything_once(shape: tuple[int, ...], limit: int) -> None:
    seen = np.zeros(shape, int)
    for block in windows.blocks(shape, position_bytes=2, limit_bytes=limit):
        part = seen[(*block, ...)]
        assert part.flags.c_contiguous
        assert part.size <= max(limit // 2, 1)
        part += 1
    assert (seen == 1).all()


def test_check_gradient_shape() -> None:
    windows.check_gradient_shape((1, 2), [1, 2])
    with pytest.raises(InvalidArgumentError, match=r"Received \[1, 2\]; expected \[1, 3\]"):
        windows.check_gradient_shape((1, 2), [1, 3])
