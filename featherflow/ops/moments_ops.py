"""Means and variances over axes: moments, weighted moments and sufficient statistics.

mean = Σ x / n          variance = Σ (x − mean)² / n
"""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import (
    add,
    multiply,
    square,
    squared_difference,
    subtract,
)
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import divide_no_nan, reciprocal
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import stop_gradient
from featherflow.ops.reduction_ops import reduce_mean, reduce_prod
from featherflow.ops.reshape_ops import renamed_argument, squeeze
from featherflow.ops.shape_ops import rank, shape
from featherflow.ops.sum_ops import reduce_sum

Moments = tuple[Tensor, Tensor]


@export_v1("nn.moments")
def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Moments:
    """The mean and variance of `x` over `axes`.

    Args:
      x: a tensor of floats; float16 is computed in float32.
      axes: a list of dimensions.
      shift: not used.
      name: of the scope of the nodes.
      keep_dims: an older name of `keepdims`.
      keepdims: whether `axes` stay, with size 1.
    Returns:
      (mean, variance), dtype of `x`.

    >>> import featherflow as tf
    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), [0])
    >>> with tf.Session() as sess:
    ...     [float(value) for value in sess.run([mean, variance])]
    [2.0, 1.0]
    """
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    with op_scope(name, "moments", [x, axes]):
        y = cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x
        mean = reduce_mean(y, axes, keepdims=True, name="mean")
        # The derivative along the mean is 0, so it need not be computed.
        distances = squared_difference(y, stop_gradient(mean))
        variance = reduce_mean(distances, axes, keepdims=True, name="variance")
        if not keepdims:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if x.dtype == dtypes.float16:
            mean, variance = cast(mean, x.dtype), cast(variance, x.dtype)
        return mean, variance


@export("nn.moments")
def moments_v2(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Moments:
    """`moments` with TF2's order of arguments."""
    return moments(x, axes, shift, name, keepdims=keepdims)


@export_v1("nn.weighted_moments")
def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Moments:
    """The mean and variance of `x` over `axes`, each element counted as often as its weight says.

        mean = Σ w x / Σ w          variance = Σ w (x − mean)² / Σ w

    Args:
      x: a tensor of floats.
      axes: a list of dimensions.
      frequency_weights: w, not negative; broadcast to `x`.
      name: of the scope of the nodes.
      keep_dims: an older name of `keepdims`.
      keepdims: whether `axes` stay, with size 1.
    Returns:
      (mean, variance), dtype of `x`; 0 where all weights are.
    """
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    with op_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        is_half = x.dtype == dtypes.float16
        y = cast(x, dtypes.float32) if is_half else x
        if weights.dtype != y.dtype:
            weights = cast(weights, y.dtype)
        weighted_sum = reduce_sum(weights * y, axes, name="weighted_input_sum", keepdims=True)
        # A weight that is broadcast along an axis counts once for each element of it.
        total = reduce_sum(weights + zeros_like(y), axes, name="sum_of_weights", keepdims=True)
        mean = divide_no_nan(weighted_sum, total)
        distances = weights * squared_difference(y, mean)
        distances = reduce_sum(distances, axes, name="weighted_distsq", keepdims=True)
        variance = divide_no_nan(distances, total)
        if not keepdims:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if is_half:
            mean, variance = cast(mean, x.dtype), cast(variance, x.dtype)
        return mean, variance


@export("nn.weighted_moments")
def weighted_moments_v2(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> Moments:
    """`weighted_moments` with TF2's order of arguments."""
    return weighted_moments(x, axes, frequency_weights, name, keepdims=keepdims)


@export_v1("nn.sufficient_statistics")
def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What mean and variance over `axes` are made of; parts of a data set can be summed up.

        count = n          mean_ss = Σ (x − shift)          var_ss = Σ (x − shift)²

    Args:
      x: a tensor of floats.
      axes: a list of dimensions.
      shift: near the mean, for accuracy; None is 0.
      keep_dims: an older name of `keepdims`.
      name: of the scope of the nodes.
      keepdims: whether `axes` stay, with size 1.
    Returns:
      (count, mean_ss, var_ss, shift); the last is None if none is given.
    """
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    with op_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        count = _count(x, list(axes))
        if shift is None:
            distances, squares = x, square(x)
        else:
            shift = convert_to_tensor(shift, name="shift")
            distances, squares = subtract(x, shift), squared_difference(x, shift)
        mean_ss = reduce_sum(distances, axes, keepdims=bool(keepdims), name="mean_ss")
        var_ss = reduce_sum(squares, axes, keepdims=bool(keepdims), name="var_ss")
        return count, mean_ss, var_ss, shift


def _count(x: Tensor, axes: list[int]) -> Tensor:
    """The number of elements along `axes`, in the dtype of `x`."""
    dims = x.shape._dims
    if dims is not None and all(dims[axis] is not None for axis in axes):
        count = 1
        for axis in axes:
            count *= dims[axis]  # type: ignore[operator]
        return constant(count, x.dtype)
    x_rank: Any = rank(x)
    positive = [axis + x_rank if axis < 0 else axis for axis in axes]
    return reduce_prod(gather(cast(shape(x), x.dtype), positive), name="count")


@export("nn.sufficient_statistics")
def sufficient_statistics_v2(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """`sufficient_statistics` with TF2's order of arguments."""
    return sufficient_statistics(x, axes, shift, name=name, keepdims=keepdims)


@export("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Moments:
    """The mean and variance from what `sufficient_statistics` returns.

        mean = mean_ss / n + shift          variance = var_ss / n − (mean_ss / n)²

    Args:
      counts: n, a scalar.
      mean_ss, variance_ss: sums of distances from `shift` and of their squares.
      shift: None is 0.
      name: of the scope of the nodes.
    Returns:
      (mean, variance).
    """
    with op_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = reciprocal(counts, name="divisor")
        if shift is None:
            shifted_mean = mean = multiply(mean_ss, divisor, name="mean")
        else:
            shifted_mean = multiply(mean_ss, divisor, name="shifted_mean")
            mean = add(shifted_mean, shift, name="mean")
        mean_square = multiply(variance_ss, divisor)
        return mean, subtract(mean_square, square(shifted_mean), name="variance")
