"""How much two images differ: PSNR, SSIM and multi-scale SSIM.

See: Wang, Bovik, Sheikh & Simoncelli 2004, "Image quality assessment: from error visibility to
structural similarity"; Wang, Simoncelli & Bovik 2003, "Multi-scale structural similarity for image
quality assessment".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.activation_ops import relu
from featherflow.ops.arithmetic_ops import square, squared_difference, subtract
from featherflow.ops.assert_ops import assert_
from featherflow.ops.avg_pool_ops import avg_pool
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, greater_equal
from featherflow.ops.cond import cond
from featherflow.ops.core_array_ops import concat
from featherflow.ops.depthwise_conv_ops import depthwise_conv2d
from featherflow.ops.exponential_ops import log
from featherflow.ops.exponential_ops import pow as power
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.image_dtype_ops import convert_image_dtype
from featherflow.ops.pack_ops import stack
from featherflow.ops.padding_ops import pad
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_all, reduce_any, reduce_mean, reduce_prod
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape, shape_n, size
from featherflow.ops.softmax_ops import softmax
from featherflow.ops.tile_ops import tile

# Weights of five scales, as measured by Wang, Simoncelli & Bovik.
_SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)

# --- what is compared -----------------------------------------------------------------------------


def _comparable(first: Tensor, second: Tensor) -> list[Any]:
    """Both shapes as tensors, and assertions that the images have one size.

    Raises:
      ValueError: they do not.
    """
    one, other = first.shape.with_rank_at_least(3), second.shape.with_rank_at_least(3)
    one[-3:].assert_is_compatible_with(other[-3:])
    if one.rank is not None and other.rank is not None:
        batches = zip(reversed(one.as_list()[:-3]), reversed(other.as_list()[:-3]))
        for left, right in batches:
            if None not in (left, right) and 1 not in (left, right) and left != right:
                raise ValueError(f"Two images are not compatible: {one} and {other}")
    shapes: Any = shape_n([first, second])
    is_image = assert_(greater_equal(size(shapes[0]), 3), shapes, summarize=10)
    alike = reduce_all(equal(shapes[0][-3:], shapes[1][-3:]))
    return [shapes, [is_image, assert_(alike, shapes, summarize=10)]]


def _as_floats(first: Any, second: Any, max_val: Any) -> list[Tensor]:
    """Both images and their largest value in float32, with the range that floats have."""
    dtype = first.dtype
    largest = convert_image_dtype(cast(max_val, dtype), dtypes.float32)
    return [largest, *(convert_image_dtype(image, dtypes.float32) for image in (first, second))]


# --- PSNR -----------------------------------------------------------------------------------------


@export("image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """10 log₁₀(max_val² / mean((a − b)²)), in decibels: the peak signal-to-noise ratio.

    Args:
      a, b: `[…, H, W, C]`, of one dtype.
      max_val: the largest value that a pixel can have.
      name: of the scope of the nodes.
    Returns:
      float32 `[…]`; infinite for equal images.
    Raises:
      ValueError: shapes do not fit.
    """
    with op_scope(name, "PSNR", [a, b]):
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        largest, first, second = _as_floats(a, b, max_val)
        error = reduce_mean(squared_difference(first, second), [-3, -2, -1])
        peak: Any = 20 * log(largest)  # type: ignore[operator]
        ratio = subtract(
            peak / log(convert_to_tensor(10.0, name="Log_1/x")),
            np.float32(10 / np.log(10)) * log(error),  # type: ignore[operator]
            name="psnr",
        )
        _, assertions = _comparable(a, b)
        return _after(assertions, ratio)


def _after(assertions: Any, result: Any) -> Tensor:
    """`result` once the assertions hold."""
    return with_dependencies(assertions, result, name="Identity")


# --- SSIM -----------------------------------------------------------------------------------------


class _Window(NamedTuple):
    """The Gaussian window of SSIM, and what keeps quotients of small numbers steady."""

    size: int
    sigma: float
    k1: float
    k2: float

    def kernel(self) -> Tensor:
        """The window as a filter `[size, size, 1, 1]` that sums to 1."""
        count = convert_to_tensor(self.size, dtypes.int32)
        sigma: Any = convert_to_tensor(self.sigma)
        places: Any = cast(range_(count), sigma.dtype)
        places -= cast(count - 1, sigma.dtype) / 2.0  # type: ignore[operator]
        exponents: Any = square(places)
        exponents *= -0.5 / square(sigma)
        exponents = reshape(exponents, [1, -1]) + reshape(exponents, [-1, 1])
        weights = softmax(reshape(exponents, [1, -1]))
        return reshape(weights, [self.size, self.size, 1, 1])


def _per_channel(first: Any, second: Any, max_val: Any, window: _Window) -> list[Any]:
    """Maps of SSIM and of its factor of contrast and structure, and assertions.

    Raises:
      ValueError: images are smaller than the window.
    """
    shapes, assertions = _comparable(first, second)
    for image in (first, second):
        sizes = image.shape.as_list()[-3:-1] if image.shape.rank is not None else []
        if any(known is not None and known < window.size for known in sizes):
            raise ValueError(
                f"Images of {image.shape} are smaller than the window of {window.size} pixels."
            )
    large = [
        assert_(reduce_all(greater_equal(each[-3:-1], window.size)), [each, window.size])
        for each in shapes
    ]
    first = with_dependencies([*assertions, *large], first)
    channels: Any = shape(first)
    kernel = tile(window.kernel(), [1, 1, channels[-1], 1])

    def smoothed(image: Any) -> Any:
        sizes: Any = shape(image)
        flat = reshape(image, concat([[-1], sizes[-3:]], 0))
        result = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        outer: Any = concat([sizes[:-3], shape(result)[1:]], 0)  # type: ignore[index]
        return reshape(result, outer)

    first_mean, second_mean = smoothed(first), smoothed(second)
    c1, c2 = (window.k1 * max_val) ** 2, (window.k2 * max_val) ** 2
    product = first_mean * second_mean * 2.0
    squares: Any = square(first_mean) + square(second_mean)  # type: ignore[operator]
    luminance = (product + c1) / (squares + c1)
    mixed = smoothed(first * second) * 2.0
    energies = smoothed(square(first) + square(second))  # type: ignore[operator]
    structure = (mixed - product + c2) / (energies - squares + c2)
    return [luminance * structure, structure]


@export("image.ssim")
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of images, at most 1.

        (2 μ₁ μ₂ + c₁) (2 σ₁₂ + c₂) / ((μ₁² + μ₂² + c₁) (σ₁² + σ₂² + c₂))      cᵢ = (kᵢ max_val)²

    for means μ, variances σ² and the covariance σ₁₂ within a Gaussian window, averaged over
    windows and channels.

    Args:
      img1, img2: `[…, H, W, C]`, of one dtype.
      max_val: the largest value that a pixel can have.
      filter_size, filter_sigma: of the window.
      k1, k2: small numbers.
      return_index_map: give the similarity in each window.
    Returns:
      float32 `[…]`, or `[…, H − filter_size + 1, W − filter_size + 1]`.
    Raises:
      ValueError: shapes do not fit, or images are smaller than the window.
    """
    with op_scope(None, "SSIM", [img1, img2]):
        first, second = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        largest, first, second = _as_floats(first, second, max_val)
        window = _Window(filter_size, filter_sigma, k1, k2)
        similarity, structure = _per_channel(first, second, largest, window)
        if return_index_map:
            return reduce_mean(similarity, [-1])
        per_channel = reduce_mean(similarity, [-3, -2])
        reduce_mean(structure, [-3, -2])
        return reduce_mean(per_channel, [-1])


# --- multi-scale SSIM -----------------------------------------------------------------------------


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _SCALE_WEIGHTS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The product of similarities at several scales, each half the one before.

    Contrast and structure count at every scale, luminance at the coarsest.

    Args:
      img1, img2, max_val, filter_size, filter_sigma, k1, k2: as for `ssim`.
      power_factors: the exponent of each scale.
    Returns:
      float32 `[…]`, of [0, 1].
    Raises:
      ValueError: shapes do not fit.
      InvalidArgumentError: images are smaller than the window at some scale.
    """
    with op_scope(None, "MS-SSIM", [img1, img2]):
        pair = [convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")]
        _, assertions = _comparable(pair[0], pair[1])
        pair[0] = with_dependencies(assertions, pair[0])
        largest, *pair = _as_floats(pair[0], pair[1], max_val)
        window = _Window(filter_size, filter_sigma, k1, k2)
        factors: list[Tensor] = []
        similarity: Any = None
        for scale in range(len(power_factors)):
            with op_scope(f"Scale{scale}", "", pair):
                if scale:
                    pair = [_halved(image) for image in pair]
                similarity, structure = (
                    reduce_mean(values, [-3, -2])
                    for values in _per_channel(pair[0], pair[1], largest, window)
                )
                factors.append(relu(structure))
        scales = stack([*factors[:-1], relu(similarity)], axis=-1)
        weighted = power(scales, np.asarray(power_factors, np.float32))
        return reduce_mean(reduce_prod(weighted, [-1]), [-1])


def _halved(image: Tensor) -> Tensor:
    """Means of 2×2 pixels; an odd last row or column is repeated."""
    sizes: Any = shape(image)
    flat = reshape(image, concat([[-1], sizes[-3:]], 0))
    odd: Any = sizes[-3:-1] % 2
    pairs = [[0, 0], stack([0, odd[0]]), stack([0, odd[1]]), [0, 0]]
    even = cond(
        reduce_any(equal(odd, 1)), lambda: pad(flat, stack(pairs), mode="SYMMETRIC"), lambda: flat
    )
    channels = image.shape[-1:] if image.shape.rank is not None else [None]
    even.set_shape([None, None, None, *channels])
    small = avg_pool(even, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return reshape(small, concat([sizes[:-3], shape(small)[1:]], 0))  # type: ignore[index]
