"""Dropout: elements zeroed at random, the others scaled up. Srivastava et al. 2014."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Mul, Sub
from featherflow.ops.comparison_ops import GreaterEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import RealDiv
from featherflow.ops.random_ops import random_uniform
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import shape as shape_of

#: (shape, dtype) → uniform numbers of [0, 1).
Sampler = Callable[[Any, DType], Tensor]


@export_v1("nn.dropout")
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """`dropout_v2`, which also takes 1 − `rate` as `keep_prob`."""
    try:
        rate_of_keeping = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            f"keep_prob must be a floating point number or Tensor, received {keep_prob!r}."
        ) from None
    if rate_of_keeping is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'keep_prob' and 'rate'.")
        rate = rate_of_keeping
    if rate is None:
        raise ValueError("rate must be provided, received None.")
    return dropout_v2(x, rate, noise_shape, seed, name)


@export("nn.dropout")
def dropout_v2(
    x: Any,
    rate: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """x / (1 − rate) with the probability 1 − rate, else 0: the expectation stays.

    Args:
      x: a float tensor.
      rate: the probability of 0, a number in [0, 1) or a scalar tensor.
      noise_shape: a shape that broadcasts to that of `x`: elements that share a draw are kept or
        dropped together. None in the place of a size takes the size of `x`.
      seed: of the random op.
      name: of the scope.
    Returns:
      A tensor like `x`; `x` itself where the rate is the number 0.
    Raises:
      ValueError: `rate` is not in [0, 1), or the dtypes do not fit.

    >>> import featherflow as tf
    >>> x = tf.nn.dropout(tf.ones([1000]), rate=0.5, seed=1)
    >>> with tf.Session() as sess:
    ...     sorted(set(sess.run(x).tolist()))
    [0.0, 2.0]
    """

    def sample(shape: Any, dtype: DType) -> Tensor:
        return random_uniform(shape, seed=seed, dtype=dtype)

    return _dropout(x, rate, noise_shape, sample, name, "dropout")


@export("nn.experimental.general_dropout")
def general_dropout(
    x: Any,
    rate: Any,
    uniform_sampler: Callable[..., Tensor],
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """`dropout_v2` whose random numbers come from `uniform_sampler(shape=…, dtype=…)`."""

    def sample(shape: Any, dtype: DType) -> Tensor:
        return uniform_sampler(shape=shape, dtype=dtype)

    return _dropout(x, rate, noise_shape, sample, name, "general_dropout")


def _dropout(
    x: Any, rate: Any, noise_shape: Any, sample: Sampler, name: str | None, default_name: str
) -> Tensor:
    is_number = isinstance(rate, (int, float, np.number))
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"rate must be a scalar tensor or a float in the range [0, 1), received {rate}."
        )
    with op_scope(name, default_name, [x]):
        x = convert_to_tensor(x, name="x")
        dtype = x.dtype.base_dtype
        if not dtype.is_floating:
            raise ValueError(f"x must be floating as it will be scaled, received {dtype.name}.")
        if is_number and rate == 0:
            return x
        if is_number:
            scaled = Mul(x, constant(1 / (1 - rate), dtype))
        else:
            rate = _scalar_rate(rate, dtype)
            scaled = RealDiv(x, Sub(constant(1, dtype), rate))
        # Numbers below the rate are dropped: 0 is drawn, 1 is not, so that all of [0, 1) counts.
        is_kept = GreaterEqual(sample(_noise_shape(x, noise_shape), dtype), rate)
        result = SelectV2(is_kept, scaled, constant(0, dtype))
        result.set_shape(x.shape)
        return result


def _scalar_rate(rate: Any, dtype: DType) -> Tensor:
    rate = convert_to_tensor(rate, dtype_hint=dtype)
    rate.shape.assert_has_rank(0)
    if rate.dtype.base_dtype is not dtype:
        raise ValueError(
            f"x and rate must have one dtype, received {dtype.name} and {rate.dtype.name}."
        )
    return rate


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    """`noise_shape` with the sizes of `x` where it says None."""
    if noise_shape is None:
        return shape_of(x)
    try:
        wanted = TensorShape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape  # a tensor, or a list that holds some
    dims, own_dims = wanted._dims, x.shape._dims
    if dims is None or own_dims is None or len(dims) != len(own_dims):
        return noise_shape
    return TensorShape([own if size is None else size for size, own in zip(dims, own_dims)])
