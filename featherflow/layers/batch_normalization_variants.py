"""Variants of batch normalisation: corrected statistics, pieces of a batch, adjustments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import control_dependencies, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.layers.training_mode import smart_cond
from featherflow.ops.activation_ops import relu
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.fill_ops import ones_like_v2 as ones_like
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.identity_ops import identity, stop_gradient
from featherflow.ops.ref_variable_ops import assign, assign_sub
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of

_BOUNDS = ("rmax", "rmin", "dmax")


def follow(average: Any, value: Any, momentum: Any) -> Tensor:
    """average ← average − (1 − momentum) (average − value)"""
    dtype = average.dtype.base_dtype
    with (
        name_scope(None, "AssignMovingAvg", [average, value, momentum]) as scope,
        get_default_graph().colocate_with(average),
    ):
        decay: Any = convert_to_tensor(1.0 - momentum, name="decay")
        decay = decay if decay.dtype.base_dtype is dtype else cast(decay, dtype)
        value = value if value.dtype.base_dtype is dtype else cast(value, dtype)
        return assign_sub(average, (average - value) * decay, name=scope)


class Renormalization:
    """Corrects a batch's statistics towards averages: (x − mean) / σ · r + d. Ioffe 2017.

    Args:
      clipping: bounds "rmin", "rmax" and "dmax" of r and d; those that are missing bound nothing.
      momentum: of the averages.
      epsilon: keeps divisors from 0.
    Raises:
      ValueError: there is another bound.
    """

    def __init__(self, clipping: dict[str, Any], momentum: float, epsilon: float) -> None:
        if not clipping.keys() <= set(_BOUNDS):
            raise ValueError(
                f"Received invalid keys for `renorm_clipping` argument: {clipping}. Supported "
                f"values: {list(_BOUNDS)}."
            )
        self._clipping, self._momentum, self._epsilon = clipping, momentum, epsilon
        self.moving_stddev: Any = None
        self.mean: Any = None
        self.stddev: Any = None

    def make_variables(
        self,
        make: Callable[[str, list[int], Any], Any],
        shape: list[int],
        mean_initializer: Any,
        variance_initializer: Any,
    ) -> None:
        """Makes the averages."""

        def stddev_initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            return sqrt(variance_initializer(shape, dtype))

        self.moving_stddev = make("moving_stddev", shape, stddev_initializer)
        self.mean = make("renorm_mean", shape, mean_initializer)
        self.stddev = make("renorm_stddev", shape, stddev_initializer)

    def correct(
        self, mean: Any, variance: Any, training: Any
    ) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """(r, d), and the mean and variance, which wait until the averages have followed them."""
        stddev = sqrt(variance + self._epsilon)
        known = maximum(self.stddev, sqrt(self._epsilon))
        r: Any = stddev / known  # type: ignore[operator]
        d: Any = (mean - self.mean) / known
        with control_dependencies([r, d]):
            mean, stddev = identity(mean), identity(stddev)
        r, d = self._clipped(r, d)
        r = smart_cond(training, lambda: r, lambda: ones_like(r))
        d = smart_cond(training, lambda: d, lambda: zeros_like(d))
        updates = [
            self._follow(self.mean, mean, training),
            self._follow(self.stddev, stddev, training),
        ]
        with control_dependencies(updates):
            followed = identity(mean), identity(variance)
        return (stop_gradient(r, name="renorm_r"), stop_gradient(d, name="renorm_d")), followed

    def _clipped(self, r: Any, d: Any) -> tuple[Any, Any]:
        bounds = self._clipping
        if bounds.get("rmin") is not None:
            r = maximum(r, bounds["rmin"])
        if bounds.get("rmax") is not None:
            r = minimum(r, bounds["rmax"])
        if bounds.get("dmax") is not None:
            d = minimum(maximum(d, -bounds["dmax"]), bounds["dmax"])
        return r, d

    def _follow(self, average: Any, value: Any, training: Any) -> Any:
        value = identity(value)
        return smart_cond(
            training,
            lambda: follow(average, value, self._momentum),
            lambda: identity(average),
        )

    def follow_variance(self, variance: Any, value: Any, momentum: Any) -> Any:
        """The variance is that of an average of standard deviations."""
        stddev: Any = follow(self.moving_stddev, sqrt(value + self._epsilon), momentum)
        new_value = relu(stddev * stddev - self._epsilon)
        with (
            name_scope(None, "AssignNewValue", [variance, new_value]) as scope,
            get_default_graph().colocate_with(variance),
        ):
            return assign(variance, new_value, name=scope)


def pieces_of(inputs: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """A batch as `[size, pieces, …]`, and the shape that it had."""
    whole: Any = shape_of(inputs)
    whole = concat([constant([-1]), whole[1:]], 0)
    return reshape(inputs, concat([constant([size, -1]), whole[1:]], 0)), whole


def adjusted(
    adjustment: Callable[[Tensor], tuple[Any, Any]],
    inputs: Tensor,
    training: Any,
    scale: Any,
    offset: Any,
) -> tuple[Any, Any]:
    """Scale and offset, after a factor and a summand that hold while training."""
    factor, summand = adjustment(shape_of(inputs))
    factor = smart_cond(training, lambda: factor, lambda: ones_like(factor))
    summand = smart_cond(training, lambda: summand, lambda: zeros_like(summand))
    return composed(factor, summand, scale, offset)


def composed(factor: Any, summand: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
    """Scale and offset of (x · factor + summand) · scale + offset; None leaves one out."""
    if scale is not None:
        factor, summand = factor * scale, summand * scale
    return factor, summand if offset is None else summand + offset
