"""TF2's initializers of the root: called with a shape, they give the initial value."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import ones, zeros
from featherflow.ops.random_ops import random_normal, random_uniform


class InitializerV2:
    """What gives variables their first values."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        """A tensor of the initial values.

        Args:
          shape: of the tensor.
          dtype: of its elements.
          kwargs: `partition_shape` and `partition_offset` of the part that is asked for.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InitializerV2:
        """The initializer of a `get_config`."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})


def _part(shape: Any, kwargs: dict[str, Any]) -> Any:
    """The shape of the part of a variable that is asked for, else of all of it."""
    unknown = kwargs.keys() - {"partition_shape", "partition_offset", "layout"}
    if unknown:
        raise TypeError(f"Initializers take no {', '.join(sorted(unknown))}.")
    return kwargs.get("partition_shape", shape)


@export("zeros_initializer")
class ZerosV2(InitializerV2):
    """0 for all elements."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return zeros(_part(shape, kwargs), dtype)


@export("ones_initializer")
class OnesV2(InitializerV2):
    """1 for all elements."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return ones(_part(shape, kwargs), dtype)


@export("constant_initializer")
class ConstantV2(InitializerV2):
    """A value for all elements, or one for each.

    Args:
      value: a number, a list of numbers or an array.
      support_partition: whether parts of a variable may be asked for.
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(f"Invalid initial value: {value!r}. It is a number, list or array.")
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        part = _part(shape, kwargs)
        if part is not shape and not self.support_partition:
            raise ValueError("This constant_initializer does not support partitions.")
        return constant(self.value, dtype, part)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


@export("random_uniform_initializer")
class RandomUniformV2(InitializerV2):
    """Uniform in [minval, maxval).

    Args:
      minval: the lower bound.
      maxval: the upper bound.
      seed: of the op.
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        part = _part(shape, kwargs)
        return random_uniform(part, self.minval, self.maxval, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


@export("random_normal_initializer")
class RandomNormalV2(InitializerV2):
    """Normally distributed.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: of the op.
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        part = _part(shape, kwargs)
        return random_normal(part, self.mean, self.stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
