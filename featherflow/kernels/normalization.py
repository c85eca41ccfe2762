"""Batch normalization and local response normalization, with their gradients.

    y = scale · (x − mean) / √(variance + ε) + offset            per channel, over all other dims
    y = x / (bias + α Σ x²)^β                                    Σ over 2·radius + 1 channels

Arrays are channels-last, `[…, C]`. Statistics are float32, summed over short stretches of rows so
that the rounding of long sums stays small; float16 and bfloat16 arrays are computed in float32.

See: Ioffe & Szegedy 2015, "Batch normalization"; Krizhevsky, Sutskever & Hinton 2012, §3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.precision import compute_dtype
from featherflow.kernels.windows import check_gradient_shape

# Rows of a stretch, with its scratch, stay in a core's second-level cache.
_STRETCH_BYTES = 256 << 10


class BatchNormOutputs(NamedTuple):
    """What training returns.

    Attributes:
      y: normalized array, shape and dtype of x.
      running_mean, running_variance: `[C]`; the running statistics with this batch mixed in, the
        variance with Bessel's correction.
      batch_mean, batch_variance: `[C]`; statistics of this batch, the variance without it.
    """

    y: np.ndarray
    running_mean: np.ndarray
    running_variance: np.ndarray
    batch_mean: np.ndarray
    batch_variance: np.ndarray


class BatchNormGradients(NamedTuple):
    """Gradients of x, scale and offset."""

    x: np.ndarray
    scale: np.ndarray
    offset: np.ndarray


def _stretches(rows: np.ndarray) -> Iterator[slice]:
    step = max(_STRETCH_BYTES // max(4 * rows.shape[1], 1), 1)
    for start in range(0, rows.shape[0], step):
        yield slice(start, start + step)


def _rows(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, array.shape[-1]) if array.size else array.reshape(0, array.shape[-1])


def _column_means(rows: np.ndarray) -> np.ndarray:
    """Mean of each column, float64; NaN without rows."""
    total = np.zeros(rows.shape[1])
    for stretch in _stretches(rows):
        # A product with ones: BLAS sums in several accumulators, faster and closer than one.
        part = rows[stretch].astype(np.float32, copy=False)
        total += np.ones(len(part), np.float32) @ part
    return total / len(rows) if len(rows) else np.full(rows.shape[1], np.nan)


def _centered(rows: np.ndarray, mean: np.ndarray) -> np.ndarray:
    return np.subtract(rows.astype(np.float32, copy=False), mean)


def _inverse_deviation(variance: np.ndarray, epsilon: float) -> np.ndarray:
    return 1 / np.sqrt(variance.astype(np.float32) + np.float32(epsilon))


def _check_channels(x: np.ndarray, **vectors: np.ndarray) -> None:
    for name, vector in vectors.items():
        if vector.shape != x.shape[-1:]:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} must have the same number of elements as the channels of x",
                received=f"shape {list(vector.shape)}",
                expected=list(x.shape[-1:]),
            )


def _scaled(
    x: np.ndarray, scale: np.ndarray, offset: np.ndarray, mean: np.ndarray, inverse: np.ndarray
) -> np.ndarray:
    """Returns scale · (x − mean) · inverse + offset in x's dtype, a stretch of rows at a time."""
    rows = _rows(x)
    y = np.empty(rows.shape, x.dtype)
    factor = scale.astype(np.float32, copy=False) * inverse
    offset = offset.astype(np.float32, copy=False)
    for stretch in _stretches(rows):
        values = _centered(rows[stretch], mean)
        values *= factor
        np.add(values, offset, out=y[stretch], casting="same_kind")
    return y.reshape(x.shape)


def batch_norm_training(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    epsilon: float,
    exponential_avg_factor: float = 1.0,
) -> BatchNormOutputs:
    """Normalizes `x` by its own statistics and mixes them into the running ones.

        running' = (1 − f) · running + f · batch          f = exponential_avg_factor

    Args:
      x: `[…, C]`, float32, float16 or bfloat16.
      scale, offset: `[C]`.
      mean, variance: running statistics, `[C]`; not read if f is 1, and may be empty then.

    Raises:
      InvalidArgumentError: a vector has not one element per channel.
    """
    _check_channels(x, scale=scale, offset=offset)
    rows = _rows(x)
    if not x.size:
        zeros, missing = (np.full(x.shape[-1:], fill, np.float32) for fill in (0, np.nan))
        return BatchNormOutputs(np.empty_like(x), missing, missing.copy(), zeros, zeros.copy())
    batch_mean = _column_means(rows).astype(np.float32)
    squares = np.zeros(rows.shape[1])
    for stretch in _stretches(rows):
        centered = _centered(rows[stretch], batch_mean)
        squares += np.einsum("rc,rc->c", centered, centered)
    batch_variance = (squares / len(rows)).astype(np.float32)
    unbiased = (squares / max(len(rows) - 1, 1)).astype(np.float32)
    running_mean, running_variance = batch_mean.copy(), unbiased
    if exponential_avg_factor != 1:
        _check_channels(x, mean=mean, variance=variance)
        new, old = np.float32(exponential_avg_factor), np.float32(1 - exponential_avg_factor)
        running_mean = old * mean.astype(np.float32) + new * batch_mean
        running_variance = old * variance.astype(np.float32) + new * unbiased
    inverse = _inverse_deviation(batch_variance, epsilon)
    y = _scaled(x, scale, offset, batch_mean, inverse)
    return BatchNormOutputs(y, running_mean, running_variance, batch_mean, batch_variance)


def batch_norm_inference(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    epsilon: float,
) -> np.ndarray:
    """Normalizes `x`, `[…, C]`, by given statistics `[C]`.

    Raises:
      InvalidArgumentError: a vector has not one element per channel.
    """
    _check_channels(x, scale=scale, offset=offset, mean=mean, variance=variance)
    return _scaled(x, scale, offset, mean, _inverse_deviation(variance, epsilon))


def batch_norm_gradient(
    y_gradient: np.ndarray,
    x: np.ndarray,
    scale: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    epsilon: float,
    *,
    is_training: bool,
) -> BatchNormGradients:
    """Returns the gradients of batch normalization.

        offset' = Σ g        scale' = Σ g·x̂        x̂ = (x − mean) / √(variance + ε)
        x' = scale / √(variance + ε) · (g − mean(g) − x̂ · mean(g·x̂))      if is_training
        x' = scale / √(variance + ε) · g                                   else

    Args:
      y_gradient: g, `[…, C]`, dtype of `x`.
      x: what was normalized.
      mean, variance: `[C]`; the batch's if `is_training`, else those given.

    Raises:
      InvalidArgumentError: shapes differ.
    """
    check_gradient_shape(y_gradient.shape, x.shape)
    _check_channels(x, scale=scale, mean=mean, variance=variance)
    rows, gradients = _rows(x), _rows(y_gradient)
    inverse = _inverse_deviation(variance, epsilon)
    sums, products = np.zeros((2, x.shape[-1]))
    for stretch in _stretches(rows):
        gradient = gradients[stretch].astype(np.float32, copy=False)
        sums += np.ones(len(gradient), np.float32) @ gradient
        products += np.einsum("rc,rc->c", _centered(rows[stretch], mean), gradient)
    x_gradient = np.empty(rows.shape, x.dtype)
    factor = scale.astype(np.float32, copy=False) * inverse
    # Per channel: x' = factor · (g − shift − slope · (x − mean)).
    count = max(len(rows), 1)
    shift = (sums / count).astype(np.float32)
    slope = (products / count * inverse.astype(np.float64) ** 2).astype(np.float32)
    for stretch in _stretches(rows):
        values = gradients[stretch].astype(np.float32)
        if is_training:
            centered = _centered(rows[stretch], mean)
            centered *= slope
            values -= centered
            values -= shift
        np.multiply(values, factor, out=x_gradient[stretch], casting="same_kind")
    scale_gradient = (products * inverse).astype(np.float32)
    return BatchNormGradients(x_gradient.reshape(x.shape), scale_gradient, sums.astype(np.float32))


def _neighbour_sum(values: np.ndarray, radius: int) -> np.ndarray:
    """Sums, for each channel, the channels at most `radius` away."""
    total = values.copy()
    for distance in range(1, min(radius, values.shape[-1] - 1) + 1):
        total[..., distance:] += values[..., :-distance]
        total[..., :-distance] += values[..., distance:]
    return total


def _checked_radius(radius: int) -> int:
    if radius < 0:
        raise InvalidArgumentError(None, None, "depth_radius must not be negative", received=radius)
    return radius


def local_response_norm(
    input: np.ndarray, depth_radius: int, bias: float, alpha: float, beta: float
) -> np.ndarray:
    """Divides each element by a power of the sum of squares of its neighbouring channels.

    Args:
      input: `[…, C]`, float32, float16 or bfloat16.
      depth_radius: channels on either side that take part.

    Raises:
      InvalidArgumentError: `depth_radius` is negative.
    """
    values = input.astype(compute_dtype(input.dtype), copy=False)
    norm = _neighbour_sum(np.square(values), _checked_radius(depth_radius))
    norm *= alpha
    norm += bias
    np.power(norm, -beta, out=norm)
    norm *= values
    return norm.astype(input.dtype, copy=False)


def local_response_norm_gradient(
    output_gradient: np.ndarray,
    input: np.ndarray,
    output: np.ndarray,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> np.ndarray:
    """Returns the gradient of `local_response_norm`'s input.

        x'ᵢ = gᵢ · nᵢ^−β − 2αβ xᵢ Σⱼ gⱼ yⱼ / nⱼ        n = bias + α Σ x², j in i's neighbourhood

    Args:
      output_gradient, input, output: g, x and y, of one shape.

    Raises:
      InvalidArgumentError: shapes differ, or `depth_radius` is negative.
    """
    check_gradient_shape(output_gradient.shape, input.shape)
    check_gradient_shape(output.shape, input.shape)
    dtype = compute_dtype(input.dtype)
    gradient, values, results = (
        array.astype(dtype, copy=False) for array in (output_gradient, input, output)
    )
    norm = _neighbour_sum(np.square(values), _checked_radius(depth_radius))
    norm *= alpha
    norm += bias
    shares = _neighbour_sum(gradient * results / norm, depth_radius)
    shares *= values
    shares *= 2 * alpha * beta
    np.power(norm, -beta, out=norm)
    norm *= gradient
    norm -= shares
    return norm.astype(input.dtype, copy=False)
