"""Fake quantisation, for training networks that will run on integers of a few bits.

The arithmetic is in `kernels/fake_quantization.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import fake_quantization as kernels
from featherflow.ops.window_shapes import attrs_of

_LEVELS = ("num_bits: int = 8", "narrow_range: bool = false")
_ARGS = ("min: float = -6.0", "max: float = 6.0", *_LEVELS)
_RANGE_GRADIENTS = (
    "backprops_wrt_input: float",
    "backprop_wrt_min: float",
    "backprop_wrt_max: float",
)
_NO_GRADIENT = "TensorFlow gives it no gradient"


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError(
            None,
            None,
            "num_bits must be between 2 and 16, inclusive",
            received=num_bits,
            expected="2 to 16",
        )


def _check_same_shape(gradients: np.ndarray, inputs: np.ndarray) -> None:
    if gradients.shape != inputs.shape:
        raise InvalidArgumentError(
            None,
            None,
            "gradient and input must be the same size",
            received=f"shapes {list(gradients.shape)} and {list(inputs.shape)}",
        )


# --- FakeQuantWithMinMaxArgs ----------------------------------------------------------------------


def _range_of_args(min: float, max: float, num_bits: int) -> tuple[np.ndarray, np.ndarray]:
    if not min < max:
        raise InvalidArgumentError(
            None, None, "min has to be smaller than max", received=f"{min} >= {max}"
        )
    _check_bits(num_bits)
    return np.array(min, np.float32), np.array(max, np.float32)


FakeQuantWithMinMaxArgs = define_op(
    "FakeQuantWithMinMaxArgs", inputs=("inputs: float",), outputs=("outputs: float",), attrs=_ARGS
)
FakeQuantWithMinMaxArgs.shape_fn(unchanged_shape)


@FakeQuantWithMinMaxArgs.kernel("CPU")
def _fake_quant_args_cpu(
    inputs: np.ndarray, *, min: float, max: float, num_bits: int, narrow_range: bool
) -> np.ndarray:
    bounds = _range_of_args(min, max, num_bits)
    return kernels.fake_quant(inputs, *bounds, num_bits, narrow_range)


@FakeQuantWithMinMaxArgs.gradient
def _fake_quant_args_grad(op: Any, grad: Tensor) -> Tensor:
    levels = attrs_of(op, "min", "max", "num_bits", "narrow_range")
    return FakeQuantWithMinMaxArgsGradient(grad, op.inputs[0], **levels)


@export("quantization.fake_quant_with_min_max_args")
@export_v1("fake_quant_with_min_max_args", "quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds values to the levels that integers of `num_bits` bits can stand for.

    min and max are moved a little where 0 would not be one of the levels.

    Args:
      inputs: any shape, float32.
      min, max: the range; what lies outside is clamped.
      num_bits: 2 to 16.
      narrow_range: leaves out the lowest integer, so that there are 2^bits − 1 levels.
      name: of the node.
    Returns:
      A tensor like `inputs`; its gradient is 1 within the range and 0 outside.
    Raises:
      InvalidArgumentError: when it runs, if min >= max or there are too few or many bits.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.fake_quant_with_min_max_args([-9.0, 0.2, 0.7], -1, 2, num_bits=2)).tolist()
    [-1.0, 0.0, 1.0]
    """
    return FakeQuantWithMinMaxArgs(
        inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


FakeQuantWithMinMaxArgsGradient = define_op(
    "FakeQuantWithMinMaxArgsGradient",
    inputs=("gradients: float", "inputs: float"),
    outputs=("backprops: float",),
    attrs=_ARGS,
)
FakeQuantWithMinMaxArgsGradient.shape_fn(unchanged_shape)


@FakeQuantWithMinMaxArgsGradient.kernel("CPU")
def _fake_quant_args_gradient_cpu(
    gradients: np.ndarray,
    inputs: np.ndarray,
    *,
    min: float,
    max: float,
    num_bits: int,
    narrow_range: bool,
) -> np.ndarray:
    bounds = _range_of_args(min, max, num_bits)
    _check_same_shape(gradients, inputs)
    return kernels.fake_quant_gradient(gradients, inputs, *bounds, num_bits, narrow_range)


FakeQuantWithMinMaxArgsGradient.not_differentiable(_NO_GRADIENT)


@export("quantization.fake_quant_with_min_max_args_gradient")
@export_v1(
    "fake_quant_with_min_max_args_gradient", "quantization.fake_quant_with_min_max_args_gradient"
)
def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args`: `gradients` where `inputs` are in range."""
    return FakeQuantWithMinMaxArgsGradient(
        gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


# --- FakeQuantWithMinMaxVars ----------------------------------------------------------------------

FakeQuantWithMinMaxVars = define_op(
    "FakeQuantWithMinMaxVars",
    inputs=("inputs: float", "min: float", "max: float"),
    outputs=("outputs: float",),
    attrs=_LEVELS,
)


@FakeQuantWithMinMaxVars.shape_fn
def _fake_quant_vars_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return c.shapes[0]


def _check_scalars(min: np.ndarray, max: np.ndarray) -> None:
    for name, bound in (("min", min), ("max", max)):
        if bound.size != 1:
            raise InvalidArgumentError(
                None, None, f"`{name}` must be a scalar", received=f"shape {list(bound.shape)}"
            )


@FakeQuantWithMinMaxVars.kernel("CPU")
def _fake_quant_vars_cpu(
    inputs: np.ndarray, min: np.ndarray, max: np.ndarray, *, num_bits: int, narrow_range: bool
) -> np.ndarray:
    _check_bits(num_bits)
    _check_scalars(min, max)
    bounds = min.reshape(()), max.reshape(())
    return kernels.fake_quant_variable(inputs, *bounds, num_bits, narrow_range)


@FakeQuantWithMinMaxVars.gradient
def _fake_quant_vars_grad(op: Any, grad: Tensor) -> tuple[Tensor, ...]:
    levels = attrs_of(op, "num_bits", "narrow_range")
    return FakeQuantWithMinMaxVarsGradient(grad, *op.inputs, **levels)


@export("quantization.fake_quant_with_min_max_vars")
@export_v1("fake_quant_with_min_max_vars", "quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`fake_quant_with_min_max_args` with a range that can be learned.

    Args:
      inputs: any shape, float32.
      min, max: scalars, float32.
      num_bits, narrow_range, name: as there.
    Returns:
      A tensor like `inputs`. The gradient of what was clamped goes to `min` and `max`.
    """
    return FakeQuantWithMinMaxVars(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


FakeQuantWithMinMaxVarsGradient = define_op(
    "FakeQuantWithMinMaxVarsGradient",
    inputs=("gradients: float", "inputs: float", "min: float", "max: float"),
    outputs=_RANGE_GRADIENTS,
    attrs=_LEVELS,
)


@FakeQuantWithMinMaxVarsGradient.shape_fn
def _fake_quant_vars_gradient_shape(c: InferenceContext) -> list[TensorShape]:
    values = c.merge(c.shapes[0], c.shapes[1])
    c.with_rank(2, 0)
    c.with_rank(3, 0)
    return [values, SCALAR, SCALAR]


@FakeQuantWithMinMaxVarsGradient.kernel("CPU")
def _fake_quant_vars_gradient_cpu(
    gradients: np.ndarray,
    inputs: np.ndarray,
    min: np.ndarray,
    max: np.ndarray,
    *,
    num_bits: int,
    narrow_range: bool,
) -> tuple[np.ndarray, ...]:
    _check_bits(num_bits)
    _check_same_shape(gradients, inputs)
    _check_scalars(min, max)
    bounds = min.reshape(()), max.reshape(())
    return kernels.fake_quant_range_gradients(gradients, inputs, *bounds, num_bits, narrow_range)


FakeQuantWithMinMaxVarsGradient.not_differentiable(_NO_GRADIENT)


@export("quantization.fake_quant_with_min_max_vars_gradient")
@export_v1(
    "fake_quant_with_min_max_vars_gradient", "quantization.fake_quant_with_min_max_vars_gradient"
)
def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars` along `inputs`, `min` and `max`."""
    return FakeQuantWithMinMaxVarsGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


# --- FakeQuantWithMinMaxVarsPerChannel ------------------------------------------------------------

FakeQuantWithMinMaxVarsPerChannel = define_op(
    "FakeQuantWithMinMaxVarsPerChannel",
    inputs=("inputs: float", "min: float", "max: float"),
    outputs=("outputs: float",),
    attrs=_LEVELS,
)


@FakeQuantWithMinMaxVarsPerChannel.shape_fn
def _fake_quant_channels_shape(c: InferenceContext) -> TensorShape:
    values = c.with_rank_at_least(0, 1)
    (low,), (high,) = c.dims(1, 1), c.dims(2, 1)
    channels = None if values._dims is None else values._dims[-1]
    c.merge_dim(c.merge_dim(channels, low), high)
    return values


def _check_channels(inputs: np.ndarray, min: np.ndarray, max: np.ndarray) -> None:
    channels = inputs.shape[-1:]
    for name, bound in (("min", min), ("max", max)):
        if not channels or bound.shape != channels:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} must have one element per channel",
                received=f"shape {list(bound.shape)} for inputs of {list(inputs.shape)}",
            )


@FakeQuantWithMinMaxVarsPerChannel.kernel("CPU")
def _fake_quant_channels_cpu(
    inputs: np.ndarray, min: np.ndarray, max: np.ndarray, *, num_bits: int, narrow_range: bool
) -> np.ndarray:
    _check_bits(num_bits)
    _check_channels(inputs, min, max)
    return kernels.fake_quant_channels(inputs, min, max, num_bits, narrow_range)


@FakeQuantWithMinMaxVarsPerChannel.gradient
def _fake_quant_channels_grad(op: Any, grad: Tensor) -> tuple[Tensor, ...]:
    levels = attrs_of(op, "num_bits", "narrow_range")
    return FakeQuantWithMinMaxVarsPerChannelGradient(grad, *op.inputs, **levels)


@export("quantization.fake_quant_with_min_max_vars_per_channel")
@export_v1(
    "fake_quant_with_min_max_vars_per_channel",
    "quantization.fake_quant_with_min_max_vars_per_channel",
)
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`fake_quant_with_min_max_vars` with a range for each channel.

    Args:
      inputs: `[…, C]`, float32.
      min, max: `[C]`, float32.
      num_bits, narrow_range, name: as there.
    Returns:
      A tensor like `inputs`.
    """
    return FakeQuantWithMinMaxVarsPerChannel(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


FakeQuantWithMinMaxVarsPerChannelGradient = define_op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    inputs=("gradients: float", "inputs: float", "min: float", "max: float"),
    outputs=_RANGE_GRADIENTS,
    attrs=_LEVELS,
)


@FakeQuantWithMinMaxVarsPerChannelGradient.shape_fn
def _fake_quant_channels_gradient_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank_at_most(0, 4)
    values = c.merge(c.with_rank_at_least(0, 1), c.shapes[1])
    (channels,) = c.merge(c.with_rank(2, 1), c.with_rank(3, 1))._dims or (None,)
    if values._dims is not None:
        channels = c.merge_dim(values._dims[-1], channels)
    bound = TensorShape._of((channels,))
    return [values, bound, bound]


@FakeQuantWithMinMaxVarsPerChannelGradient.kernel("CPU")
def _fake_quant_channels_gradient_cpu(
    gradients: np.ndarray,
    inputs: np.ndarray,
    min: np.ndarray,
    max: np.ndarray,
    *,
    num_bits: int,
    narrow_range: bool,
) -> tuple[np.ndarray, ...]:
    _check_bits(num_bits)
    _check_same_shape(gradients, inputs)
    _check_channels(inputs, min, max)
    return kernels.fake_quant_range_gradients(gradients, inputs, min, max, num_bits, narrow_range)


FakeQuantWithMinMaxVarsPerChannelGradient.not_differentiable(_NO_GRADIENT)


@export("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
@export_v1(
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars_per_channel` along its three inputs."""
    return FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )
