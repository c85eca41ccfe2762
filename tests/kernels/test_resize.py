"""Resizing against loops over pixels, and gradients against the resize's own matrix."""

from __future__ import annotations

from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import resize
from featherflow.kernels.resize import Grid

GRIDS = [Grid(), Grid(align_corners=True), Grid(half_pixel_centers=True)]
TAPS = [resize.bilinear_taps, resize.bicubic_taps, resize.area_taps]
sizes = st.integers(1, 12)


def row(size: int) -> np.ndarray:
    return np.random.default_rng(size).normal(size=(1, 1, size, 2)).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(size=sizes, outputs=sizes, grid=st.sampled_from(GRIDS))
def test_bilinear_reads_between_two_pixels(size: int, outputs: int, grid: Grid) -> None:
    image = row(size)
    found = resize.resize_bilinear(image, 1, outputs, grid)
    for output, position in enumerate(grid.positions(size, outputs).tolist()):
        position = min(max(position, 0), size - 1)
        below = floor(position)
        above = min(below + 1, size - 1)
        share = position - below
        expected = (1 - share) * image[0, 0, below] + share * image[0, 0, above]
        np.testing.assert_allclose(found[0, 0, output], expected, rtol=1e-4, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(size=sizes, outputs=sizes)
def test_area_is_the_mean_of_what_is_covered(size: int, outputs: int) -> None:
    image = row(size)
    fine = np.repeat(image, outputs, axis=2).reshape(1, 1, outputs, size, 2).mean(axis=3)
    found = resize.resize_by_taps(image, 1, outputs, Grid(), resize.area_taps)
    np.testing.assert_allclose(found, fine, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("make_taps", TAPS)
def test_weights_sum_to_one(grid: Grid, make_taps: resize.MakeTaps) -> None:
    for size, outputs in ((1, 5), (5, 1), (4, 9), (9, 4), (7, 7)):
        indices, weights = make_taps(size, outputs, grid)
        np.testing.assert_allclose(weights.sum(axis=0), 1, rtol=1e-5)
        assert (np.diff(indices) >= 0).all()
        assert indices.min() >= 0 and indices.max() < size


@pytest.mark.parametrize("grid", GRIDS)
def test_a_plain_image_stays_plain(grid: Grid) -> None:
    """To the last bit: 255 must not become 254 when it is a byte again."""
    image = np.full((1, 5, 7, 1), 255, np.uint8)
    assert (resize.resize_bilinear(image, 11, 3, grid) == 255).all()


@pytest.mark.parametrize("grid", GRIDS)
def test_the_same_size_is_the_same_image(grid: Grid) -> None:
    image = np.random.default_rng(0).normal(size=(2, 4, 5, 3)).astype(np.float32)
    np.testing.assert_array_equal(resize.resize_bilinear(image, 4, 5, grid), image)
    np.testing.assert_array_equal(resize.resize_nearest(image, 4, 5, grid), image)
    cubic = resize.resize_by_taps(image, 4, 5, grid, resize.bicubic_taps)
    np.testing.assert_allclose(cubic, image, rtol=1e-6)


def test_nearest_with_corners_rounds_halves_up() -> None:
    """5 pixels to 3: the second output stands at 2; 4 to 3: at 1½."""
    assert resize.nearest_indices(5, 3, Grid(align_corners=True)).tolist() == [0, 2, 4]
    assert resize.nearest_indices(4, 3, Grid(align_corners=True)).tolist() == [0, 2, 3]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("make_taps", TAPS)
@pytest.mark.parametrize("outputs", [(3, 9), (7, 2), (1, 1)])
def test_gradient_is_the_transpose(
    grid: Grid, make_taps: resize.MakeTaps, outputs: tuple[int, int]
) -> None:
    random = np.random.default_rng(1)
    image = random.normal(size=(2, 4, 5, 2)).astype(np.float32)
    gradient = random.normal(size=(2, *outputs, 2)).astype(np.float32)
    forward = resize.resize_by_taps(image, *outputs, grid, make_taps)
    back = resize.gradient_by_taps(gradient, 4, 5, grid, make_taps, np.dtype(np.float64))
    np.testing.assert_allclose(np.sum(forward * gradient), np.sum(image * back), rtol=1e-4)


@pytest.mark.parametrize("grid", GRIDS)
def test_nearest_gradient_is_the_transpose(grid: Grid) -> None:
    random = np.random.default_rng(2)
    image, gradient = random.normal(size=(1, 4, 5, 2)), random.normal(size=(1, 7, 3, 2))
    forward = resize.resize_nearest(image, 7, 3, grid)
    back = resize.nearest_gradient(gradient, 4, 5, grid)
    np.testing.assert_allclose(np.sum(forward * gradient), np.sum(image * back))


@pytest.mark.parametrize(
    ("shape", "size", "grid"),
    [
        ((2, 2, 1), [3, 3], Grid()),
        ((1, 0, 2, 1), [3, 3], Grid()),
        ((1, 2, 2, 1), [0, 3], Grid()),
        ((1, 2, 2, 1), [3], Grid()),
        ((1, 2, 2, 1), [3, 3], Grid(True, True)),
    ],
)
def test_refusals(shape: tuple[int, ...], size: list[int], grid: Grid) -> None:
    with pytest.raises(InvalidArgumentError):
        resize.check_images(np.zeros(shape), np.array(size), grid)
