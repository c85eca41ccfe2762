"""Initialisers: xavier, and numbers of a variance that follows from the shape."""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework.dtypes import as_dtype, float32
from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.ops.random_ops import random_uniform, truncated_normal

#: 1 / the standard deviation of a standard normal cut off at ±2, squared, as of old.
_TRUNCATION = 1.3


class _Xavier:
    """The initialiser that `variance_scaling_initializer` makes."""

    def __init__(self, factor: float, mode: str, uniform: bool, seed: Any, dtype: Any) -> None:
        self.factor, self.mode, self.uniform, self.seed = factor, mode, uniform, seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        if not wanted.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        whole = list(shape if partition_info is None else partition_info.full_shape)
        count = self._count(whole)
        if self.uniform:
            limit = math.sqrt(3.0 * self.factor / count)
            return random_uniform(shape, -limit, limit, wanted, seed=self.seed)
        stddev = math.sqrt(_TRUNCATION * self.factor / count)
        return truncated_normal(shape, 0.0, stddev, wanted, seed=self.seed)

    def _count(self, shape: list[int]) -> float:
        """The number that the variance is divided by."""
        if not shape:
            return 1.0
        inputs = float(shape[-2] if len(shape) > 1 else shape[-1])
        outputs = float(shape[-1])
        for size in shape[:-2]:
            inputs *= float(size)
            outputs *= float(size)
        counts = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}
        return counts[self.mode]


@export_v1(
    "contrib.layers.variance_scaling_initializer", "contrib.slim.variance_scaling_initializer"
)
def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = float32,
) -> _Xavier:
    """Numbers of the variance factor / n, where n counts inputs, outputs, or is their mean.

    Args:
      factor: a number.
      mode: "FAN_IN", "FAN_OUT" or "FAN_AVG".
      uniform: whether the numbers are uniform, or truncated normal.
      seed: of the op.
      dtype: of the numbers; floating.
    Raises:
      TypeError: `dtype` is not floating, or `mode` unknown.
    """
    if not as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")
    return _Xavier(factor, mode, uniform, seed, dtype)


@export_v1(
    "contrib.layers.xavier_initializer",
    "contrib.layers.xavier_initializer_conv2d",
    "contrib.slim.xavier_initializer",
    "contrib.slim.xavier_initializer_conv2d",
)
def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = float32
) -> _Xavier:
    """Numbers of the variance 2 / (inputs + outputs). Glorot & Bengio 2010.

    Args:
      uniform: whether the numbers are uniform, or truncated normal.
      seed: of the op.
      dtype: of the numbers; floating.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)
