"""Brightness, contrast, gamma, hue and saturation of images, adjusted or drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import add, subtract
from featherflow.ops.cast_ops import cast
from featherflow.ops.color_adjustment_ops import AdjustContrastv2, AdjustHue, AdjustSaturation
from featherflow.ops.division_ops import divide
from featherflow.ops.exponential_ops import rsqrt
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.image_checks import checked_image, required
from featherflow.ops.image_dtype_ops import as_working_float, convert_image_dtype
from featherflow.ops.random_ops import random_uniform
from featherflow.ops.reduction_ops import reduce_mean, reduce_prod
from featherflow.ops.shape_ops import shape
from featherflow.ops.stateless_random_ops import stateless_uniform
from featherflow.ops.statistics_ops import reduce_std

Draw = Callable[..., Tensor]

# --- adjustments ----------------------------------------------------------------------------------


@export("image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """`image` + `delta`, in the range of floats.

    Args:
      image: of any shape, floats, or integers, which count as if they were floats of [0, 1].
      delta: a scalar.
    Returns:
      The same shape and dtype; integers stop at their limits.
    """
    with op_scope(None, "adjust_brightness", [image, delta]) as scope:
        working, dtype = as_working_float(image)
        adjusted = add(working, cast(delta, working.dtype), name=scope)
        return convert_image_dtype(adjusted, dtype, saturate=True)


@export("image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """(x − mean) · `contrast_factor` + mean, with the mean of each channel of each image.

    Args:
      images: `[…, H, W, C]`, floats, or integers, which count as floats of [0, 1].
      contrast_factor: a scalar float.
    Returns:
      The same shape and dtype; integers stop at their limits.
    Raises:
      ValueError: there are fewer than three dimensions.
    """
    with op_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        working, dtype = as_working_float(images)
        factor = convert_to_tensor(contrast_factor, dtypes.float32, name="contrast_factor")
        adjusted = AdjustContrastv2(working, factor, name=scope)
        return convert_image_dtype(adjusted, dtype, saturate=True)


@export("image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain` · `image` ^ `gamma`.

    Args:
      image: of any shape, floats, or integers, which count as floats of [0, 1].
      gamma: a scalar that is not negative.
      gain: a scalar.
    Returns:
      The same shape and dtype; integers stop at their limits.
    Raises:
      ValueError: gamma is negative (InvalidArgumentError in the run, for a tensor).
    """
    with op_scope(None, "adjust_gamma", [image, gamma, gain]):
        working, dtype = as_working_float(image)
        assertions = required(gamma >= 0, "Gamma should be a non-negative real number.")
        if assertions:
            gamma = with_dependencies(assertions, gamma)
        adjusted = gain * working**gamma  # type: ignore[operator]
        return convert_image_dtype(adjusted, dtype, saturate=True)


@export("image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Colours with their hue turned.

    Args:
      image: `[…, H, W, 3]`, floats, or integers, which count as floats of [0, 1].
      delta: in turns, a scalar.
      name: of the scope of the nodes.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: there are fewer than three dimensions.
      InvalidArgumentError: there are not three channels.
    """
    with op_scope(name, "adjust_hue", [image]):
        working, dtype = as_working_float(image)
        return convert_image_dtype(AdjustHue(working, delta), dtype)


@export("image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Colours with their saturation multiplied, up to 1.

    Args:
      image: `[…, H, W, 3]`, floats, or integers, which count as floats of [0, 1].
      saturation_factor: a scalar.
      name: of the scope of the nodes.
    Returns:
      The same shape and dtype.
    Raises:
      ValueError: there are fewer than three dimensions.
      InvalidArgumentError: there are not three channels.
    """
    with op_scope(name, "adjust_saturation", [image]):
        working, dtype = as_working_float(image)
        return convert_image_dtype(AdjustSaturation(working, saturation_factor), dtype)


@export("image.per_image_standardization")
def per_image_standardization(image: Any) -> Tensor:
    """(x − mean) / max(σ, 1 / √n), with the mean and deviation σ of the n numbers of each image.

    Args:
      image: `[…, H, W, C]`, real numbers.
    Returns:
      float32, the same shape.
    Raises:
      ValueError: there are fewer than three dimensions.
    """
    with op_scope(None, "per_image_standardization", [image]) as scope:
        image = cast(checked_image(image), dtypes.float32)
        sizes: Any = shape(image)
        count = reduce_prod(sizes[-3:])
        axes = [-1, -2, -3]
        mean = reduce_mean(image, axis=axes, keepdims=True)
        deviation = reduce_std(image, axis=axes, keepdims=True)
        # A flat image has no deviation; it is left to be zero.
        smallest = rsqrt(cast(count, dtypes.float32))
        return divide(subtract(image, mean), maximum(deviation, smallest), name=scope)


# --- random adjustments ---------------------------------------------------------------------------


def _by_delta(adjust: Callable[[Any, Any], Tensor], image: Any, limit: Any, draw: Draw) -> Tensor:
    """Adjusts by a number drawn from [−limit, limit)."""
    return adjust(image, draw(shape=[], minval=-limit, maxval=limit))


def _check_delta(max_delta: Any, largest: float = float("inf")) -> None:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    if max_delta > largest:
        raise ValueError(f"max_delta must be <= {largest}.")


def _by_factor(
    adjust: Callable[[Any, Any], Tensor], image: Any, lower: Any, upper: Any, draw: Draw
) -> Tensor:
    """Adjusts by a number drawn from [lower, upper)."""
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust(image, draw(shape=[], minval=lower, maxval=upper))


@export("image.random_brightness")
def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by a number drawn from [−max_delta, max_delta) in each run.

    Raises:
      ValueError: `max_delta` is negative.
    """
    _check_delta(max_delta)
    return _by_delta(adjust_brightness, image, max_delta, partial(random_uniform, seed=seed))


@export("image.stateless_random_brightness")
def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """`random_brightness` whose result follows from `seed` alone, integers `[2]`."""
    _check_delta(max_delta)
    return _by_delta(adjust_brightness, image, max_delta, partial(stateless_uniform, seed=seed))


@export("image.random_contrast")
def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor drawn from [lower, upper) in each run.

    Raises:
      ValueError: not 0 ≤ lower < upper.
    """
    return _by_factor(adjust_contrast, image, lower, upper, partial(random_uniform, seed=seed))


@export("image.stateless_random_contrast")
def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """`random_contrast` whose result follows from `seed` alone, integers `[2]`."""
    return _by_factor(adjust_contrast, image, lower, upper, partial(stateless_uniform, seed=seed))


@export("image.random_hue")
def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by a number of turns drawn from [−max_delta, max_delta) in each run.

    Raises:
      ValueError: not 0 ≤ max_delta ≤ ½.
    """
    _check_delta(max_delta, 0.5)
    return _by_delta(adjust_hue, image, max_delta, partial(random_uniform, seed=seed))


@export("image.stateless_random_hue")
def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """`random_hue` whose result follows from `seed` alone, integers `[2]`."""
    _check_delta(max_delta, 0.5)
    return _by_delta(adjust_hue, image, max_delta, partial(stateless_uniform, seed=seed))


@export("image.random_saturation")
def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor drawn from [lower, upper) in each run.

    Raises:
      ValueError: not 0 ≤ lower < upper.
    """
    return _by_factor(adjust_saturation, image, lower, upper, partial(random_uniform, seed=seed))


@export("image.stateless_random_saturation")
def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """`random_saturation` whose result follows from `seed` alone, integers `[2]`."""
    return _by_factor(adjust_saturation, image, lower, upper, partial(stateless_uniform, seed=seed))
